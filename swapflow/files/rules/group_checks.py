"""What quotas, targets, a spread over several attributes and a range of places must satisfy."""

from collections.abc import Iterator

from swapflow.domain.objective import GroupQuota, GroupTarget
from swapflow.domain.people.protected_attributes import protected_trait
from swapflow.domain.rules import Rules
from swapflow.files.rules.problem import RulesProblem, at_least, numbered, quoted
from swapflow.messages import Message


def group_problems(rules: Rules) -> Iterator[RulesProblem]:
    """Find what is wrong with quotas, targets, a spread over several, and a range of places."""
    yield from _attributes(rules)
    yield from _spread(rules)
    for i, quota in enumerate(rules.quotas):
        yield from _quota(rules, i, quota)
    yield from _twice(rules)
    for i, target in enumerate(rules.targets):
        yield from _target(i, target)
    yield from _range(rules)
    yield from _together(rules)


def _attributes(rules: Rules) -> Iterator[RulesProblem]:
    for place, attribute in _named_attributes(rules):
        trait = protected_trait(attribute)
        if not attribute.strip():
            yield RulesProblem(
                place=f"{place}, attribute",
                value=quoted(""),
                reason="a group is one value of an attribute",
                cure='Name the column, e.g. attribute = "region"',
            )
        elif trait and not rules.objective.legal_basis.strip():
            yield RulesProblem(
                place=f"{place}, attribute",
                value=quoted(attribute),
                reason=Message("protected_trait_without_basis", trait=trait),
                cure="Choose another attribute; or have counsel write the legal basis, approver, "
                "date and place into legal_basis of [objective]",
            )


def _spread(rules: Rules) -> Iterator[RulesProblem]:
    for i, one in enumerate(rules.objective.spread):
        if not one.weight > 0:
            yield RulesProblem(
                place=numbered("objective, spread", i, "", "weight"),
                value=f"{one.weight:g}",
                reason="an attribute that does not count is not spread over",
                cure="Write a weight above 0, e.g. 1.0, or remove the attribute",
            )
    if rules.objective.spread and rules.objective.attribute:
        yield RulesProblem(
            place="objective, attribute",
            value=quoted(rules.objective.attribute),
            reason="the attributes to spread over are in [[objective.spread]]",
            cure="Move it there, or remove one of the two",
        )


def _twice(rules: Rules) -> Iterator[RulesProblem]:
    groups = [(one.attribute, one.value) for one in rules.quotas]
    for attribute, value in sorted({group for group in groups if groups.count(group) > 1}):
        yield RulesProblem(
            place="quotas",
            value=quoted(f"{attribute} = {value}"),
            reason="this group has more than one quota",
            cure="Write its smallest and its largest number into one table [[quotas]]",
        )


def _target(index: int, target: GroupTarget) -> Iterator[RulesProblem]:
    place = numbered("targets", index, "")
    yield from at_least(f"{place}, number", target.number, 1)
    if not target.worth > 0:
        yield RulesProblem(
            place=f"{place}, worth",
            value=f"{target.worth:g}",
            reason="a target that is worth nothing changes nothing",
            cure="Write what reaching it is worth, in scores from 0 to 1, e.g. 0.5",
        )


def _quota(rules: Rules, index: int, quota: GroupQuota) -> Iterator[RulesProblem]:
    place = numbered("quotas", index, "")
    yield from at_least(f"{place}, minimum", quota.minimum, 0)
    if quota.maximum is not None:
        yield from at_least(f"{place}, maximum", quota.maximum, 0)
    for name in ("minimum_share", "maximum_share"):
        share = getattr(quota, name)
        if not 0 <= share <= 1:
            yield RulesProblem(
                place=f"{place}, {name}",
                value=f"{share:g}",
                reason="a share lies between 0 and 1",
                cure="Write 0.4 for 40 percent",
            )
    # Without a maximum of its own a group is limited by the places.
    most = rules.cohort_size if quota.maximum is None else quota.maximum
    if quota.minimum > most:
        yield RulesProblem(
            place=f"{place}, minimum",
            value=str(quota.minimum),
            reason=Message("minimums_impossible", most=most),
            cure=Message("minimums_impossible_cure", most=most),
        )
    if quota.minimum_share > quota.maximum_share:
        yield RulesProblem(
            place=f"{place}, minimum_share",
            value=f"{quota.minimum_share:g}",
            reason=Message("share_above_largest", largest=quota.maximum_share),
            cure="Write a smaller one, or raise maximum_share",
        )


def _named_attributes(rules: Rules) -> Iterator[tuple[str, str]]:
    """List every attribute that quotas, targets and a spread over several name, with its place."""
    for i, one in enumerate(rules.objective.spread):
        yield numbered("objective, spread", i, ""), one.attribute
    for i, quota in enumerate(rules.quotas):
        yield numbered("quotas", i, ""), quota.attribute
    for i, target in enumerate(rules.targets):
        yield numbered("targets", i, ""), target.attribute


def _range(rules: Rules) -> Iterator[RulesProblem]:
    """How many places may stay empty, and for whom."""
    if rules.fewest is not None and not 1 <= rules.fewest <= rules.cohort_size:
        yield RulesProblem(
            place="fewest",
            value=str(rules.fewest),
            reason=Message("fewest_places_out_of_range", places=rules.cohort_size),
            cure="Write a number in between, or remove the line to fill all places",
            refers=("places",),
        )
    if not 0 <= rules.bar <= 1:
        yield RulesProblem(
            place="bar",
            value=f"{rules.bar:g}",
            reason="scores lie between 0 and 1",
            cure="Write 0.6 for 60 of 100",
        )
    # As many as there are places is no range: all are filled.
    ranged = rules.fewest is not None and rules.fewest != rules.cohort_size
    if rules.bar and not ranged:
        yield RulesProblem(
            place="bar",
            value=f"{rules.bar:g}",
            reason="every place is filled, so no estimate is compared with it",
            cure=(
                "Write fewest = N, the places that are filled whatever the scores; or remove `bar`"
            ),
        )
    if ranged and not rules.bar:
        yield RulesProblem(
            place="fewest",
            value=str(rules.fewest),
            reason=(
                "without `bar` no estimate is needed for a place, and all places would be filled"
            ),
            cure="Write bar = 0.6 for 60 of 100, or remove fewest",
        )


def _together(rules: Rules) -> Iterator[RulesProblem]:
    """What does not go together with what."""
    ranged = rules.fewest_places != rules.cohort_size
    if rules.objective.name == "diverse" and (ranged or rules.targets):
        yield RulesProblem(
            place="objective, name",
            value=quoted("diverse"),
            reason="places that may stay empty, and targets, are for the highest sum of scores",
            cure='Write name = "top-k", or remove fewest, `bar` and [[targets]]',
        )
    if rules.certificate == "pairwise" and not rules.plain and rules.objective.name == "top-k":
        yield RulesProblem(
            place="advanced, certificate",
            value=quoted(rules.certificate),
            reason='"pairwise" compares single applicants and knows no quota, target or '
            "empty place",
            cure='Write certificate = "mixture"',
        )
