"""Limits on groups at the ends of what is allowed: each end is, and one step beyond is not."""

from dataclasses import replace

import pytest

from swapflow.domain.objective import GroupQuota, GroupTarget, SpreadOver
from swapflow.domain.rules import Rules
from swapflow.errors import InvalidRulesError
from swapflow.files.rules.rules_file import check_rules, parse_rules
from tests.files.rules.broken_rules import GOOD


RULES = parse_rules(GOOD)
PLACES = RULES.cohort_size


def with_quota(**limits: float) -> Rules:
    quota = GroupQuota(attribute="region", value="North", **limits)  # type: ignore[arg-type]  # counts are whole
    return replace(RULES, quotas=(quota,))


ENDS: dict[str, tuple[Rules, Rules]] = {
    "a minimum that is the maximum": (
        with_quota(minimum=1, maximum=1),
        with_quota(minimum=2, maximum=1),
    ),
    "a minimum of all places": (with_quota(minimum=PLACES), with_quota(minimum=PLACES + 1)),
    "no place at all": (with_quota(maximum=0), with_quota(maximum=-1)),
    "shares that are equal": (
        with_quota(minimum_share=0.5, maximum_share=0.5),
        with_quota(minimum_share=0.51, maximum_share=0.5),
    ),
    "a share of everything": (with_quota(minimum_share=1.0), with_quota(minimum_share=1.01)),
    "a target of one": (
        replace(
            RULES, targets=(GroupTarget(attribute="region", value="North", number=1, worth=0.5),)
        ),
        replace(
            RULES, targets=(GroupTarget(attribute="region", value="North", number=0, worth=0.5),)
        ),
    ),
    "one place that is filled whatever the scores": (
        replace(RULES, fewest=1, bar=0.6),
        replace(RULES, fewest=0, bar=0.6),
    ),
    "a bar that only the best mark reaches": (
        replace(RULES, fewest=1, bar=1.0),
        replace(RULES, fewest=1, bar=1.01),
    ),
}


@pytest.mark.parametrize("what", ENDS)
def test_the_end_of_a_range_is_allowed_and_what_lies_beyond_is_refused(what: str) -> None:
    at_the_end, beyond = ENDS[what]

    check_rules(at_the_end)
    with pytest.raises(InvalidRulesError):
        check_rules(beyond)


TWO = (GroupQuota(attribute="region", value="North", minimum=1),) * 2
TARGET = GroupTarget(attribute="region", value="North", number=1, worth=0.5)
OBJECTIVE = RULES.objective
REGION = SpreadOver(attribute="region", weight=1.0)

SENSELESS: dict[str, tuple[Rules, str]] = {
    "an attribute without a name": (
        replace(RULES, targets=(replace(TARGET, attribute=" "),)),
        'targets 1, attribute = "": a group is one value of an attribute',
    ),
    "a spread over what does not count": (
        replace(RULES, objective=replace(OBJECTIVE, spread=(replace(REGION, weight=0.0),))),
        "an attribute that does not count is not spread over",
    ),
    "a spread that is written twice": (
        replace(RULES, objective=replace(OBJECTIVE, attribute="school", spread=(REGION,))),
        "the attributes to spread over are in [[objective.spread]]",
    ),
    "two quotas for one group": (
        replace(RULES, quotas=TWO),
        'quotas = "region = North": this group has more than one quota',
    ),
    "a target that is worth nothing": (
        replace(RULES, targets=(replace(TARGET, worth=0.0),)),
        "a target that is worth nothing changes nothing",
    ),
    "a bar although every place is filled": (
        replace(RULES, bar=0.6),
        "every place is filled, so no estimate is compared with it",
    ),
    "places that may stay empty, but no bar": (
        replace(RULES, fewest=1),
        "without `bar` no estimate is needed for a place",
    ),
    "variety with targets": (
        replace(RULES, objective=replace(OBJECTIVE, name="diverse"), targets=(TARGET,)),
        "are for the highest sum of scores",
    ),
    "a certificate of pairs with a target": (
        replace(RULES, certificate="pairwise", targets=(TARGET,)),
        "compares single applicants and knows no quota, target or empty place",
    ),
}


@pytest.mark.parametrize("what", SENSELESS)
def test_limits_on_groups_that_make_no_sense_together_are_refused_in_words(
    what: str,
) -> None:
    rules, said = SENSELESS[what]

    with pytest.raises(InvalidRulesError) as refused:
        check_rules(rules)

    assert said in str(refused.value)
