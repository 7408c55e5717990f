"""What rules must satisfy before a cycle may start: every problem found, in plain words."""

import itertools
import math
import zoneinfo
from collections.abc import Callable, Iterator
from datetime import date

from swapflow.domain.people.protected_attributes import protected_trait
from swapflow.domain.rules import (
    Criterion,
    DispatchMode,
    FloorFor,
    Purpose,
    RuleName,
    Rules,
)
from swapflow.files.rules.free_day_checks import check_free_days
from swapflow.files.rules.group_checks import group_problems
from swapflow.files.rules.kind_checks import check_kinds, known_kind, named_twice
from swapflow.files.rules.problem import RulesProblem, at_least, numbered, quoted, within
from swapflow.i18n.languages import known_languages
from swapflow.messages import Message


MOST_OVERLAP = 0.2
HALF = 0.5
SHORTEST_SESSION, LONGEST_SESSION = 1 / 24, 90.0
"""Days that a device may stay signed in."""


def problems(rules: Rules) -> list[RulesProblem]:
    """Find everything wrong with rules, in the order of the file; empty when there is nothing.

    What only the applicants and the roster can show (fewer applicants than places, floors of all
    applicants that the budget cannot pay) is checked at launch.
    """
    # All of them at once: staff cure a file in one go, not one message after another.
    return [problem for check in _CHECKS for problem in check(rules)]


def _basics(rules: Rules) -> Iterator[RulesProblem]:
    yield from at_least("budget", rules.budget, 1)
    if not 0 <= rules.reserve < 1:
        yield RulesProblem(
            place="reserve",
            value=f"{rules.reserve:g}",
            reason="the reserve is a share of the budget, from 0 up to but not 1",
            cure="Write 0.05 for 5 percent",
        )
    yield from at_least("packet", rules.packet, 1)
    yield from within("explanation_days", rules.explanation_days, 0, 365)
    # A study needs nobody's name; a decision about people does.
    yield from at_least("signatures", rules.signatures, int(rules.purpose is Purpose.REAL))
    if not SHORTEST_SESSION <= rules.session_days <= LONGEST_SESSION:
        yield RulesProblem(
            place="session_days",
            value=f"{rules.session_days:g}",
            reason=Message("session_out_of_range", most=LONGEST_SESSION),
            cure="Write 30, or 0.5 for twelve hours",
        )


def _places(rules: Rules) -> Iterator[RulesProblem]:
    for i, line in enumerate(rules.lines):
        if line.places < 1:
            yield RulesProblem(
                place=numbered("places", i, line.name, "number"),
                value=str(line.places),
                reason="a line needs at least one place",
                cure="Write 1 or more, or remove the line",
            )
    if not rules.lines:
        yield RulesProblem(
            place="places",
            value="",
            reason="there is no place to fill",
            cure='Add a table [[places]] with a name and a number, e.g. name = "all", number = 20',
            refers=("places",),
        )
    yield from named_twice("places", (line.name for line in rules.lines), "name")


def _floors(rules: Rules) -> Iterator[RulesProblem]:
    for i, floor in enumerate(rules.floors):
        place = numbered("floors", i, floor.kind, "count")
        yield from at_least(place, floor.count, 1)
        yield from known_kind(rules, numbered("floors", i, "", "kind"), floor.kind)
        index = rules.kind_index(floor.kind)
        if index >= 0 and floor.count > rules.kinds[index].maximum >= 1:
            yield RulesProblem(
                place=place,
                value=str(floor.count),
                reason=Message(
                    "floor_above_maximum", kind=floor.kind, maximum=rules.kinds[index].maximum
                ),
                cure=Message("floor_above_maximum_cure", kind=floor.kind),
            )
    pairs = [f"{floor.kind} for {floor.who.value}" for floor in rules.floors]
    yield from named_twice("floors", pairs, "pair of kind and for")
    yield from _payable(rules)


def _payable(rules: Rules) -> Iterator[RulesProblem]:
    """Refuse a budget that cannot pay even the floors of as many applicants as places."""
    # Said already by another check; a sum over unknown kinds would only mislead.
    if rules.budget < 1 or any(rules.kind_index(f.kind) < 0 for f in rules.floors):
        return
    least = min((kind.cost for kind in rules.kinds), default=0)
    if rules.budget < least:
        yield RulesProblem(
            place="budget",
            value=str(rules.budget),
            reason=Message("budget_below_cheapest", least=least),
            cure=Message("budget_below_cheapest_cure", least=least),
            refers=("kinds",),
        )
        return
    everyone, chosen = (
        sum(c * kind.cost for c, kind in zip(rules.floor_counts(who), rules.kinds, strict=True))
        for who in (FloorFor.ALL, FloorFor.CHOSEN)
    )
    needed = rules.cohort_size * (everyone + chosen)
    if needed > rules.budget:
        yield RulesProblem(
            place="budget",
            value=str(rules.budget),
            reason=Message("floors_above_budget", needed=needed, places=rules.cohort_size),
            cure="Raise the budget, or lower counts under [[floors]] or costs under [[kinds]]",
            refers=("kinds", "floors", "places"),
        )


def _drawn_check(rules: Rules) -> Iterator[RulesProblem]:
    drawn = rules.drawn_check
    if drawn is None:
        return
    if not 0 < drawn.share <= 1:
        yield RulesProblem(
            place="drawn_check, share",
            value=f"{drawn.share:g}",
            reason="it is the share of those clearly out who are drawn, above 0 and at most 1",
            cure="Write 0.05 for 5 %, or remove the table [drawn_check] for no draw",
        )
    yield from at_least("drawn_check, least", drawn.least, 1)


def _rubrics(rules: Rules) -> Iterator[RulesProblem]:
    yield from named_twice("rubrics", (rubric.kind for rubric in rules.rubrics), "kind")
    for i, rubric in enumerate(rules.rubrics):
        place = numbered("rubrics", i, rubric.kind)
        yield from known_kind(rules, f"{place}, kind", rubric.kind)
        yield from at_least(f"{place}, version", rubric.version, 1)
        if not rubric.criteria:
            yield RulesProblem(
                place=f"{place}, criteria",
                value="",
                reason="a score form needs at least one criterion",
                cure="Add a table [[rubrics.criteria]] below it",
            )
        yield from named_twice(f"{place}, criteria", (c.name for c in rubric.criteria), "name")
        for j, criterion in enumerate(rubric.criteria):
            yield from _criterion(
                f"{place}, " + numbered("criteria", j, criterion.name), criterion
            )


def _criterion(place: str, criterion: Criterion) -> Iterator[RulesProblem]:
    if not criterion.name.strip():
        yield RulesProblem(
            place=f"{place}, name",
            value=quoted(criterion.name),
            reason="a criterion needs a name",
            cure="Write what reviewers judge",
        )
    if not criterion.weight > 0:
        yield RulesProblem(
            place=f"{place}, weight",
            value=f"{criterion.weight:g}",
            reason="a weight is above 0",
            cure="Write 1 for an ordinary criterion, or remove the criterion",
        )
    marks = [mark for mark, _ in criterion.marks]
    if any(later <= earlier for earlier, later in itertools.pairwise(marks)):
        yield RulesProblem(
            place=f"{place}, marks",
            value=", ".join(f"{mark:g}" for mark in marks),
            reason="the marks go from the lowest to the highest, each one once",
            cure="Put them in order and remove repeated ones",
        )
    if len(marks) < 2:  # noqa: PLR2004 - a scale has two ends
        yield RulesProblem(
            place=f"{place}, marks",
            value=", ".join(f"{mark:g}" for mark in marks),
            reason="a scale needs at least two marks",
            cure='Write e.g. [{ mark = 1, means = "weak" }, { mark = 5, means = "strong" }]',
        )


def _objective(rules: Rules) -> Iterator[RulesProblem]:
    objective = rules.objective
    if objective.name == "diverse" and not objective.attribute and not objective.spread:
        yield RulesProblem(
            place="objective, attribute",
            value=quoted(""),
            reason='the objective "diverse" spreads places over the groups of an attribute',
            cure='Name the column, e.g. attribute = "research area", or write name = "top-k"',
        )
    trait = protected_trait(objective.attribute)
    if objective.name == "diverse" and trait and not objective.legal_basis.strip():
        yield RulesProblem(
            place="objective, attribute",
            value=quoted(objective.attribute),
            reason=Message("protected_trait_without_basis", trait=trait),
            cure="Choose another attribute; or have counsel write the legal basis, approver, date "
            "and place into legal_basis",
        )
    if objective.name == "diverse" and rules.certificate == "pairwise":
        yield RulesProblem(
            place="advanced, certificate",
            value=quoted(rules.certificate),
            reason='"pairwise" compares single applicants: for "top-k" only',
            cure='Write certificate = "mixture", or objective name = "top-k"',
        )


def _confidential(rules: Rules) -> Iterator[RulesProblem]:
    for word in rules.confidential:
        # A blank is in every name, so that nothing would be left in an applicant's copy.
        if not word.strip():
            yield RulesProblem(
                place="confidential",
                value=quoted(word),
                reason="a blank is in the name of every document and field",
                cure="Write a word of the names that are meant, such as reference",
            )


def _automatic(rules: Rules) -> Iterator[RulesProblem]:
    automatic = rules.automatic
    if automatic is None:
        return
    for setting in ("purpose", "approver"):
        if not getattr(automatic, setting).strip():
            yield RulesProblem(
                place=f"automatic, {setting}",
                value=quoted(""),
                reason="programs may score applicants only with purpose, approver and date on "
                "record",
                cure=Message("automatic_setting_missing", setting=setting),
            )
    try:
        date.fromisoformat(automatic.date)
    except ValueError:
        yield RulesProblem(
            place="automatic, date",
            value=quoted(automatic.date),
            reason="this is no date",
            cure="Write year-month-day, e.g. 2026-01-31",
        )


def _time(rules: Rules) -> Iterator[RulesProblem]:
    try:
        zoneinfo.ZoneInfo(rules.zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        yield RulesProblem(
            place="zone",
            value=quoted(rules.zone),
            reason="this time zone is not known",
            cure=(
                'Write one like "Europe/Berlin", "America/New_York", "UTC" or "AoE" (anywhere '
                "on Earth)"
            ),
        )
    if rules.language and rules.language not in known_languages():
        yield RulesProblem(
            place="language",
            value=quoted(rules.language),
            reason="mails cannot be written in it here",
            cure=Message("language_cure", languages=[*map(quoted, known_languages())]),
        )
    closing, deadline = rules.applications_close, rules.deadline
    if closing and deadline and closing > deadline:
        yield RulesProblem(
            place="applications_close",
            value=closing.isoformat(),
            reason=Message("applications_close_after_deadline", deadline=deadline.isoformat()),
            cure="Move one of the two",
        )


def _advanced(rules: Rules) -> Iterator[RulesProblem]:
    if not 0 < rules.delta < 1:
        yield RulesProblem(
            place="advanced, delta",
            value=f"{rules.delta:g}",
            reason="delta is the probability with which the promise may fail, so it lies between "
            "0 and 1 and is neither",
            cure="Write 0.05 for one in twenty",
        )
    if not 0 <= rules.epsilon < math.inf:
        yield RulesProblem(
            place="advanced, epsilon",
            value=f"{rules.epsilon:g}",
            reason="epsilon is what one accepts to miss, so it is 0 or more",
            cure="Write 0, or e.g. 0.1 (a tenth of one applicant's full score)",
        )
    if rules.sigma is not None and not 0 < rules.sigma < math.inf:
        yield RulesProblem(
            place="advanced, sigma",
            value=f"{rules.sigma:g}",
            reason="sigma says how far marks lie from an applicant's true score, so it is above 0",
            cure="Write e.g. 0.16 (on a scale of 0 to 1), or remove the line where rule is "
            '"budget"',
        )
    if rules.sigma is None and rules.rule is not RuleName.BUDGET:
        yield RulesProblem(
            place="advanced, sigma",
            value="",
            reason=Message("rule_needs_spread", rule=rules.rule),
            cure="Write last year's spread, or 0.16 where none is known (a scale of 0 to 1)",
        )
    if not 0 < rules.rho < math.inf:
        yield RulesProblem(
            place="advanced, rho",
            value=f"{rules.rho:g}",
            reason="rho is above 0",
            cure="Write 3, the usual value",
        )
    if not 0 <= rules.settled < 1:
        yield RulesProblem(
            place="advanced, settled",
            value=f"{rules.settled:g}",
            reason="`settled` is a share of the list's value, from 0 up to but not 1",
            cure="Write 0.0005, the usual value",
        )
    if not 0 < rules.too_close < HALF:
        yield RulesProblem(
            place="advanced, too_close",
            value=f"{rules.too_close:g}",
            reason="the least probability that counts as too close to call is above 0, below 0.5",
            cure="Write 0.1, the usual value",
        )
    if rules.taper is not None and not 0 <= rules.taper <= 1:
        yield RulesProblem(
            place="advanced, taper",
            value=f"{rules.taper:g}",
            reason="taper is the share of what is left of the budget that may be out, from 0 to 1",
            cure="Write 0.5 or 0.25, or 0 for no taper",
        )
    if not 0 <= rules.kind_overlap <= MOST_OVERLAP:
        yield RulesProblem(
            place="advanced, kind_overlap",
            value=f"{rules.kind_overlap:g}",
            reason=Message("overlap_out_of_range", most=MOST_OVERLAP),
            cure="Write 0.1 for one in ten, or 0 for none",
        )
    yield from _counts(rules)


def _counts(rules: Rules) -> Iterator[RulesProblem]:
    yield from at_least("advanced, batch", rules.batch, 1)
    yield from at_least("advanced, attempts", rules.attempts, 1)
    yield from at_least("advanced, seed", rules.seed, 0)
    if rules.out is not None:
        yield from at_least("advanced, out", rules.out, 1)
    if rules.out is not None and rules.dispatch is DispatchMode.LOCKSTEP:
        yield RulesProblem(
            place="advanced, out",
            value=str(rules.out),
            reason='out belongs to dispatch = "rolling"; in "lockstep" the size is batch',
            cure='Remove out, or write dispatch = "rolling"',
        )
    if rules.max_applicants is not None and rules.max_applicants <= rules.cohort_size:
        yield RulesProblem(
            place="advanced, max_applicants",
            value=str(rules.max_applicants),
            reason=Message("cohort_of_everybody", places=rules.cohort_size),
            cure="Write the most applicants that can come, or remove the line",
        )


_CHECKS: tuple[Callable[[Rules], Iterator[RulesProblem]], ...] = (
    _basics,
    _places,
    check_kinds,
    _floors,
    _drawn_check,
    _rubrics,
    _objective,
    group_problems,
    _confidential,
    _automatic,
    _time,
    check_free_days,
    _advanced,
)
