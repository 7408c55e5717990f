"""The changes to a round that a plan tries beside the round as it is meant."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from swapflow.domain.rules import FloorFor, RuleName
from swapflow.planning.round_state import SpendingPolicy
from swapflow.planning.setting import PlanSetting


ZONE_GAINS = (1.0, 2.0, 4.0, 7.0, 12.0)


ZONE_COSTS = (1.0, 3.0, 6.0, 10.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One setting that is simulated a number of times.

    Attributes:
        key: What it is found by.
        label: What people call it.
    """

    key: str
    label: str
    setting: PlanSetting
    way: SpendingPolicy = SpendingPolicy.RULES
    runs: int


def ways_of(setting: PlanSetting, runs: int) -> Iterator[Cell]:
    """The rules as they are, the other rules, and ordinary practice."""
    spread = math.hypot(setting.marks.sigma, setting.marks.severity)
    # The other rules know no severity: to them it is part of the chance in a mark.
    given = setting.rules.sigma or spread
    names = {
        RuleName.BUDGET: "make the most of the budget",
        RuleName.CERTIFIED: "go on until a stated margin",
        RuleName.PAPER: "the published method",
    }
    own = setting.rules.rule
    yield Cell(key="way/rules", label=f"these rules: {names[own]}", setting=setting, runs=runs)
    if len(setting.rules.kinds) > 1:
        yield Cell(
            key="way/reviews",
            label=f"these rules, {setting.rules.kinds[0].name}s only",
            setting=setting.reviews_only(),
            runs=runs,
        )
    for rule, name in names.items():
        if rule is not own:
            changed = setting.with_rules(
                rule=rule, sigma=setting.rules.sigma if rule is RuleName.BUDGET else given
            )
            yield Cell(key=f"way/{rule.value}", label=name, setting=changed, runs=runs)
    yield Cell(
        key="way/even",
        label="everybody the same number",
        setting=setting,
        way=SpendingPolicy.EVEN,
        runs=runs,
    )
    last = setting.rules.kinds[-1].name
    yield Cell(
        key="way/two-tier",
        label=f"one each, then {last}s from the top",
        setting=setting,
        way=SpendingPolicy.TWO_TIER,
        runs=runs,
    )


Change = tuple[str, str, str, PlanSetting]
"""Parameter, level, its letter in the paper, and the changed round."""


def changes_of(setting: PlanSetting) -> list[Change]:
    """List the rounds in which one thing is changed and the floors can still be paid."""
    return [change for change in _changes(setting) if _payable(change[3])]


def _changes(setting: PlanSetting) -> Iterator[Change]:
    """Change one thing at a time: (parameter, level, letter, setting)."""
    rules, marks = setting.rules, setting.marks
    for factor in (0.75, 1.25, 1.5, 2.0):
        budget = round(rules.budget * factor)
        yield "budget", f"× {factor:g}", "", setting.with_rules(budget=budget)
    for factor in (0.75, 1.25):
        places = max(1, round(setting.places * factor))
        if places != setting.places and places < setting.applicants:
            line = replace(rules.lines[0], places=places)
            yield "places", f"{places}", "K", setting.with_rules(lines=(line,))
    people = setting.people
    if len(people) > 1:
        fewer = people[: max(1, len(people) // 2)]
        # Half of the people may lack a kind altogether, and then there is no such round.
        if all(any(p.most[k] != 0 for p in fewer) for k in range(len(rules.kinds))):
            yield "reviewers", "half as many", "", replace(setting, people=fewer)
    yield "reviewers", "twice as many", "", replace(setting, people=people + people)
    for factor in (0.75, 1.25):
        changed = replace(marks, sigma=marks.sigma * factor)
        level = f"{100 * marks.sigma * factor:.0f} points"
        yield "spread of marks", level, "σ", replace(setting, marks=changed)
    yield from _interview_changes(setting)
    room = sum(person.packet for person in setting.people)
    for share in (8, 2):
        out = max(1, room // share)
        yield "requests out at once", f"{out}", "batch", setting.with_rules(out=out, batch=out)
    if rules.rule is not RuleName.BUDGET:
        yield from _promise_changes(setting)


def _promise_changes(setting: PlanSetting) -> Iterator[Change]:
    """What the rules `certified` and `paper` promise; `budget` does not ask."""
    for delta in (0.01, 0.2):
        level = f"{100 * delta:g} in 100"
        yield "risk of a wrong margin", level, "δ", setting.with_rules(delta=delta)
    for share in (0.02, 0.1):
        level = f"{100 * share:g} points a place"
        changed = setting.with_rules(epsilon=share * setting.places)
        yield "loss that is accepted", level, "ε", changed


def _interview_changes(setting: PlanSetting) -> Iterator[Change]:
    """What the dearest kind tells and costs."""
    kinds = setting.rules.kinds
    if len(kinds) < 2:  # noqa: PLR2004 - reviews and something else
        return
    last = len(kinds) - 1
    for factor in (0.5, 1.5):
        gains = tuple(
            kind.gain * (factor if index == last else 1) for index, kind in enumerate(kinds)
        )
        marks = replace(setting.marks, gains=gains)
        level = f"{gains[last]:.1f} {kinds[0].name}s"
        yield f"what one {kinds[last].name} tells", level, "s", replace(setting, marks=marks)
    for factor in (0.5, 1.5):
        cost = max(1, round(kinds[last].cost * factor))
        level = f"{cost / kinds[0].cost:.1f} {kinds[0].name}s"
        yield f"cost of one {kinds[last].name}", level, "j", setting.with_kind(last, cost=cost)


def _payable(setting: PlanSetting) -> bool:
    """Whether the budget pays the floors beside the reserve."""
    rules = setting.rules
    everyone, chosen = rules.floor_counts(FloorFor.ALL), rules.floor_counts(FloorFor.CHOSEN)
    floors = sum(
        kind.cost * (everyone[k] * setting.applicants + chosen[k] * setting.places)
        for k, kind in enumerate(rules.kinds)
    )
    return floors + int(rules.reserve * rules.budget) <= rules.budget


def zone_cells(setting: PlanSetting, runs: int) -> Iterator[Cell]:
    """Reviews alone, and interviews of every worth and cost, without floors of interviews."""
    kinds = setting.rules.kinds
    if len(kinds) < 2:  # noqa: PLR2004 - reviews and something else
        return
    last = len(kinds) - 1
    # Only ratios are tried, but costs are integers: this one's multiples are whole.
    cost = 20
    first = replace(kinds[0], cost=cost)
    each = max(1.0, setting.reviews_each)
    floors = tuple(
        f for f in setting.rules.floors if f.kind == first.name and f.who.value == "all"
    )
    plain = replace(
        setting.with_rules(
            kinds=(first, *kinds[1:]),
            floors=floors,
            budget=round(each * cost * setting.applicants),
        ),
        # Marks then tell what the rules say they do, which is what varies from cell to cell.
        marks=replace(setting.marks, gains=()),
    )
    yield Cell(key="zone/reviews", label="", setting=plain.reviews_only(), runs=runs)
    for price in ZONE_COSTS:
        for gain in ZONE_GAINS:
            changed = plain.with_kind(last, cost=round(price * cost), gain=gain)
            yield Cell(key=f"zone/{price:g}/{gain:g}", label="", setting=changed, runs=runs)
