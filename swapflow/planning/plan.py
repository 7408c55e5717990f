"""The plan of a round: its forecast, other ways to run it, and how much each setting matters.

Every way and every setting meets the same applicants and the same luck, so that differences are
the settings' own. Large rounds are compared in small (`Setting.at_most`), for shares and costs
per applicant hardly depend on the size; the forecast itself is of the round as it is.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from multiprocessing import get_context

import numpy as np

from swapflow.bandit.situation import FloatArray
from swapflow.domain.interval import Interval
from swapflow.domain.rules import FloorFor, RuleName
from swapflow.planning.setting import Setting
from swapflow.planning.simulated_round import Outcome, Way, simulate
from swapflow.simulation.intervals import mean_interval, share_interval
from swapflow.simulation.random_numbers import stream_of


COMPARED, VARIED, ZONED = 800, 400, 150
"""Most applicants in comparisons, in sensitivities, and in the zone of interviews."""
FEWEST = 4
LARGEST_WORK = 80_000
"""Applicants of all rounds of the forecast: the larger a round, the less its shares vary."""
ZONE_GAINS = (1.0, 2.0, 4.0, 7.0, 12.0)
ZONE_COSTS = (1.0, 3.0, 6.0, 10.0)

Report = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One setting that is simulated, so many times.

    Attributes:
        key: What it is found by.
        label: What people call it.
    """

    key: str
    label: str
    setting: Setting
    way: Way = Way.RULES
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a setting came to, each figure with its 95 % interval.

    Attributes:
        found: Share of the ideal list that is on the list.
        value: True total of the list over that of the ideal list.
        overlap: Share of the list that a second round with the same applicants would choose too.
        days: Until the last answer; `latest` is what nine rounds of ten keep.
        cost: In the unit of the rules.
        sufficed: Share of rounds that ended because more would hardly change the list.
        finished: Share of rounds that ended at all.
        asked: Mean number of requests of each kind.
        busiest: Cost of the work of the busiest reviewer.
        each: Share found in every round, for paired comparisons.
    """

    key: str
    label: str
    applicants: int
    runs: int
    found: Interval
    value: Interval
    overlap: Interval
    days: Interval
    latest: float
    cost: Interval
    sufficed: Interval
    finished: Interval
    asked: tuple[float, ...]
    busiest: Interval
    each: tuple[float, ...]
    lengths: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One setting changed: the parameter, the level, and what came of it."""

    parameter: str
    level: str
    letter: str
    summary: Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """Where interviews pay: gain of the share found over reviews alone, per gain and cost.

    Attributes:
        gains: Reviews that one interview is worth.
        costs: Reviews that one interview costs.
        won: Mean difference in the share found, rows by cost, columns by gain.
        error: Its standard error.
    """

    kind: str
    gains: tuple[float, ...]
    costs: tuple[float, ...]
    won: tuple[tuple[float, ...], ...]
    error: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that was simulated."""

    setting: Setting
    forecast: Summary
    base: Summary
    ways: tuple[Summary, ...]
    effects: tuple[Effect, ...]
    zone: Zone | None
    seed: int


def plan(
    setting: Setting, *, runs: int, processes: int, seed: int, report: Report, quick: bool = False
) -> Plan:
    """Simulate the round, its alternatives and its sensitivities.

    Args:
        setting: The round.
        runs: Rounds behind the forecast, fewer where they are very large; the rest takes half
            as many, and four at least.
        processes: Local processes.
        seed: Of everything drawn.
        report: Called with how many rounds are done, and of how many.
        quick: Whether to leave out what each setting matters, and where interviews pay.
    """
    half = max(FEWEST, 2 * (runs // 4))
    small = setting.at_most(COMPARED)
    varied = setting.at_most(VARIED)
    affordable = max(FEWEST, 2 * (LARGEST_WORK // setting.applicants // 2))
    forecast = Cell(
        key="forecast", label="these rules", setting=setting, runs=min(runs, affordable)
    )
    ways = list(_ways(small, half))
    base = Cell(key="base", label="as planned", setting=varied, runs=half)
    changes = [
        (
            parameter,
            level,
            letter,
            Cell(key=f"{parameter}/{level}", label=level, setting=changed, runs=half),
        )
        for parameter, level, letter, changed in ([] if quick else changes_of(varied))
    ]
    zone = [] if quick else list(_zone_cells(setting.at_most(ZONED), half))
    cells = [forecast, base, *ways, *(change[3] for change in changes), *zone]
    outcomes = _run(cells, processes=processes, seed=seed, report=report)

    def of(cell: Cell) -> Summary:
        return _summary(cell, outcomes[cell.key])

    return Plan(
        setting=setting,
        forecast=of(forecast),
        base=of(base),
        ways=tuple(of(cell) for cell in ways),
        effects=tuple(
            Effect(parameter=parameter, level=level, letter=letter, summary=of(cell))
            for parameter, level, letter, cell in changes
        ),
        zone=_zone(setting, zone, outcomes),
        seed=seed,
    )


def difference(first: Summary, second: Summary) -> Interval:
    """Give how much more of the ideal list the first finds, round by round."""
    return mean_interval(np.array(first.each) - np.array(second.each))


def _ways(setting: Setting, runs: int) -> Iterator[Cell]:
    """The rules as they are, the other rules, and ordinary practice."""
    spread = math.hypot(setting.marks.sigma, setting.marks.severity)
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
        way=Way.EVEN,
        runs=runs,
    )
    last = setting.rules.kinds[-1].name
    yield Cell(
        key="way/two-tier",
        label=f"one each, then {last}s from the top",
        setting=setting,
        way=Way.TWO_TIER,
        runs=runs,
    )


Change = tuple[str, str, str, Setting]
"""Parameter, level, its letter in the paper, and the changed round."""


def changes_of(setting: Setting) -> list[Change]:
    """List the rounds in which one thing is changed and the floors can still be paid."""
    return [change for change in _changes(setting) if _payable(change[3])]


def _changes(setting: Setting) -> Iterator[Change]:
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


def _promise_changes(setting: Setting) -> Iterator[Change]:
    """What the rules `certified` and `paper` promise; `budget` does not ask."""
    for delta in (0.01, 0.2):
        level = f"{100 * delta:g} in 100"
        yield "risk of a wrong margin", level, "δ", setting.with_rules(delta=delta)
    for share in (0.02, 0.1):
        level = f"{100 * share:g} points a place"
        changed = setting.with_rules(epsilon=share * setting.places)
        yield "loss that is accepted", level, "ε", changed


def _interview_changes(setting: Setting) -> Iterator[Change]:
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


def _payable(setting: Setting) -> bool:
    """Whether the budget pays the floors beside the reserve."""
    rules = setting.rules
    everyone, chosen = rules.floor_counts(FloorFor.ALL), rules.floor_counts(FloorFor.CHOSEN)
    floors = sum(
        kind.cost * (everyone[k] * setting.applicants + chosen[k] * setting.places)
        for k, kind in enumerate(rules.kinds)
    )
    return floors + int(rules.reserve * rules.budget) <= rules.budget


# Where interviews pay


def _zone_cells(setting: Setting, runs: int) -> Iterator[Cell]:
    """Reviews alone, and interviews of every worth and cost, without floors of interviews."""
    kinds = setting.rules.kinds
    if len(kinds) < 2:  # noqa: PLR2004 - reviews and something else
        return
    last = len(kinds) - 1
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
        marks=replace(setting.marks, gains=()),
    )
    yield Cell(key="zone/reviews", label="", setting=plain.reviews_only(), runs=runs)
    for price in ZONE_COSTS:
        for gain in ZONE_GAINS:
            changed = plain.with_kind(last, cost=round(price * cost), gain=gain)
            yield Cell(key=f"zone/{price:g}/{gain:g}", label="", setting=changed, runs=runs)


def _zone(
    setting: Setting, cells: Sequence[Cell], outcomes: dict[str, list[Outcome]]
) -> Zone | None:
    if not cells:
        return None
    alone = _found(outcomes["zone/reviews"])
    won, error = [], []
    for price in ZONE_COSTS:
        row = [_found(outcomes[f"zone/{price:g}/{gain:g}"]) - alone for gain in ZONE_GAINS]
        won.append(tuple(float(values.mean()) for values in row))
        error.append(tuple(float(values.std(ddof=1) / math.sqrt(values.size)) for values in row))
    return Zone(
        kind=setting.rules.kinds[-1].name,
        gains=ZONE_GAINS,
        costs=ZONE_COSTS,
        won=tuple(won),
        error=tuple(error),
    )


def _found(outcomes: Sequence[Outcome]) -> FloatArray:
    return np.array([outcome.found for outcome in outcomes])


# Running


def _run(
    cells: Sequence[Cell], *, processes: int, seed: int, report: Report
) -> dict[str, list[Outcome]]:
    """Simulate every cell; runs 2 m and 2 m + 1 have the same applicants and other luck."""
    jobs = [(cell, run) for cell in cells for run in range(cell.runs)]
    # The long ones first, so that no process waits for one at the end.
    jobs.sort(key=lambda job: -job[0].setting.applicants)
    found: dict[str, dict[int, Outcome]] = {cell.key: {} for cell in cells}
    report(0, len(jobs))
    if processes <= 1:
        for done, (cell, run) in enumerate(jobs, start=1):
            found[cell.key][run] = _one(cell.setting, cell.way, seed, run)
            report(done, len(jobs))
    else:
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
            futures = {
                pool.submit(_one, cell.setting, cell.way, seed, run): (cell.key, run)
                for cell, run in jobs
            }
            for done, future in enumerate(as_completed(futures), start=1):
                key, run = futures[future]
                found[key][run] = future.result()
                report(done, len(jobs))
    return {key: [runs[run] for run in sorted(runs)] for key, runs in found.items()}


def _one(setting: Setting, way: Way, seed: int, run: int) -> Outcome:
    stream = stream_of("plan", str(seed))
    return simulate(setting, stream, truth=run // 2, luck=run, way=way)


def _summary(cell: Cell, outcomes: Sequence[Outcome]) -> Summary:
    def mean(figure: Callable[[Outcome], float]) -> Interval:
        return mean_interval(np.array([figure(outcome) for outcome in outcomes]))

    pairs = [
        np.intersect1d(first.cohort, second.cohort).size / max(first.cohort.size, 1)
        for first, second in zip(outcomes[::2], outcomes[1::2], strict=False)
    ]
    days = np.array([outcome.days for outcome in outcomes])
    return Summary(
        key=cell.key,
        label=cell.label,
        applicants=cell.setting.applicants,
        runs=len(outcomes),
        found=_within(mean(lambda outcome: outcome.found)),
        value=_within(mean(lambda outcome: outcome.value)),
        overlap=_within(mean_interval(np.array(pairs))),
        days=_above(mean(lambda outcome: outcome.days)),
        latest=float(np.quantile(days, 0.9)),
        cost=_above(mean(lambda outcome: outcome.cost)),
        sufficed=share_interval(sum(o.settled for o in outcomes), len(outcomes)),
        finished=share_interval(sum(o.finished for o in outcomes), len(outcomes)),
        asked=tuple(np.mean([outcome.asked for outcome in outcomes], axis=0).tolist()),
        busiest=_above(mean(lambda outcome: outcome.busiest)),
        each=tuple(outcome.found for outcome in outcomes),
        lengths=tuple(days.tolist()),
    )


def _within(interval: Interval) -> Interval:
    """Keep the ends of a share's interval in 0 to 1."""
    return Interval(interval.value, max(0.0, interval.low), min(1.0, interval.high))


def _above(interval: Interval) -> Interval:
    return Interval(interval.value, max(0.0, interval.low), interval.high)
