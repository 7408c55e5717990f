"""The plan of a round: its forecast, other ways to run it, and how much each setting matters.

Every way and every setting meets the same applicants and the same luck, so that differences are
the settings' own. Large rounds are compared in small (`Setting.at_most`), for shares and costs
per applicant hardly depend on the size; the forecast itself is of the round as it is.
"""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np

from swapflow.bandit.situation import FloatArray
from swapflow.domain.interval import Interval
from swapflow.planning.alternatives import (
    ZONE_COSTS,
    ZONE_GAINS,
    Cell,
    changes_of,
    ways_of,
    zone_cells,
)
from swapflow.planning.round_state import SpendingPolicy
from swapflow.planning.setting import PlanSetting
from swapflow.planning.simulated_round import RoundOutcome, simulate
from swapflow.simulation.intervals import mean_interval, share_interval
from swapflow.simulation.random_numbers import stream_of


COMPARED, VARIED, ZONED = 800, 400, 150
"""Most applicants in comparisons, in sensitivities, and in the zone of interviews."""
FEWEST = 4
LARGEST_WORK = 80_000
"""Applicants of all rounds of the forecast: the larger a round, the less its shares vary."""
Report = Callable[[int, int], None]


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
class RoundPlan:
    """Everything that was simulated."""

    setting: PlanSetting
    forecast: Summary
    base: Summary
    ways: tuple[Summary, ...]
    effects: tuple[Effect, ...]
    zone: Zone | None
    seed: int


def plan(
    setting: PlanSetting,
    *,
    runs: int,
    processes: int,
    seed: int,
    report: Report,
    quick: bool = False,
) -> RoundPlan:
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
    ways = list(ways_of(small, half))
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
    zone = [] if quick else list(zone_cells(setting.at_most(ZONED), half))
    cells = [forecast, base, *ways, *(change[3] for change in changes), *zone]
    outcomes = _run(cells, processes=processes, seed=seed, report=report)

    def of(cell: Cell) -> Summary:
        return _summary(cell, outcomes[cell.key])

    return RoundPlan(
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
    """Return how much more of the ideal list the first finds, round by round."""
    return mean_interval(np.array(first.each) - np.array(second.each))


# Where interviews pay


def _zone(
    setting: PlanSetting, cells: Sequence[Cell], outcomes: dict[str, list[RoundOutcome]]
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


def _found(outcomes: Sequence[RoundOutcome]) -> FloatArray:
    return np.array([outcome.found for outcome in outcomes])


# Running


def _run(
    cells: Sequence[Cell], *, processes: int, seed: int, report: Report
) -> dict[str, list[RoundOutcome]]:
    """Simulate every cell; runs 2 m and 2 m + 1 have the same applicants and other luck."""
    jobs = [(cell, run) for cell in cells for run in range(cell.runs)]
    # The long ones first, so that no process waits for one at the end.
    jobs.sort(key=lambda job: -job[0].setting.applicants)
    found: dict[str, dict[int, RoundOutcome]] = {cell.key: {} for cell in cells}
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


def _one(setting: PlanSetting, way: SpendingPolicy, seed: int, run: int) -> RoundOutcome:
    stream = stream_of("plan", str(seed))
    return simulate(setting, stream, truth=run // 2, luck=run, way=way)


def _summary(cell: Cell, outcomes: Sequence[RoundOutcome]) -> Summary:
    def mean(figure: Callable[[RoundOutcome], float]) -> Interval:
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
