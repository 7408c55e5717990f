"""When three tiers stop, and how often they are right."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from swapflow.bandit.certified import Certificate, CertifiedRule
from swapflow.bandit.oracles.oracle import TopK
from swapflow.bandit.paper import PaperRule
from swapflow.bandit.run import RunTrace, run_rule
from swapflow.bandit.situation import IntArray, PullKind, Rule, StopReason
from swapflow.experiments.budgeted_sampler import BudgetedSampler
from swapflow.experiments.figures import FULL_PAGE, canvas, label, series
from swapflow.experiments.finding import FindingTable, Row
from swapflow.experiments.study import Result, floats, mean_and_error
from swapflow.experiments.sweep import Array, Cell
from swapflow.experiments.tiered_strategies import (
    Ahead,
    Caco,
)
from swapflow.simulation.intervals import share_interval
from swapflow.simulation.random_numbers import Stream, stream_of
from swapflow.simulation.score_sources import Gaussian, ScoreSource


N, PLACES = 50, 5


PURPOSE_TRUTH = 5


TWO = (PullKind(cost=1.0, gain=1.0), PullKind(cost=6.0, gain=15.0))


THREE = (TWO[0], PullKind(cost=3.0, gain=4.0), TWO[1])
"""s and j of the authors' example, and the same with a tier between."""

SIGMA, DELTA, TOLERANCE = 0.2, 0.3, 0.3
"""Of the example in the authors' code: 50 utilities with spread 1, five places, two tiers."""


MOST_PULLS = 200_000
"""Pulls after the first looks, and cost, at which a run is cut off; counted as not stopped."""


def normal_source(
    kinds: tuple[PullKind, ...], sigma: float, stream: Stream, run: int
) -> ScoreSource:
    """Build normal marks around drawn truths, the same for every rule."""
    truth = stream.normals(run, np.arange(N), 0, PURPOSE_TRUTH)
    return Ahead(Gaussian(truth=truth, kinds=kinds, sigma=sigma, stream=stream, run=run))


CUTS = {"two tiers": (10, PLACES), "three tiers": (20, 10, PLACES)}


KINDS = {"two tiers": TWO, "three tiers": THREE}


CONFIDENT = ("CACO", "CACO as in its code", "SWAP", "certified", "pairwise")


def until_it_stops(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Run a rule until it stops by itself.

    Returns:
        `cost`, `wrong` (the cohort misses more than ε), `other` (it is not the best one) and
        `stopped` of each run.
    """
    tiers, rule = str(cell["tiers"]), str(cell["rule"])
    tolerance, delta = float(cell["eps"]), float(cell["delta"])
    stream = stream_of(study, tiers)
    rows = []
    for run in runs:
        source = normal_source(KINDS[tiers], SIGMA, stream, run)
        if rule.startswith("CACO"):
            sampler = BudgetedSampler(source, budget=float(MOST_PULLS))
            caco = Caco(
                cuts=CUTS[tiers],
                sigma=SIGMA,
                delta=delta,
                tolerance=tolerance,
                by_means=rule != "CACO",
            )
            cohort = caco.spend(sampler, TopK(PLACES), stream.generator(run, purpose=1))
            cost, stopped = sampler.spent, bool(sampler.affordable(len(sampler.kinds) - 1))
        else:
            rng = stream.generator(run, purpose=1)
            cohort, cost, stopped = _walked(_rule(rule, tolerance, delta), source, rng)
        truth = source.truth
        lost = float(np.sort(truth)[N - PLACES :].sum() - truth[cohort].sum())
        rows.append((cost, lost > tolerance, lost > 1e-9, stopped))  # noqa: PLR2004 - rounding
    names = ("cost", "wrong", "other", "stopped")
    return dict(zip(names, np.array(rows, dtype=np.float64).T, strict=True))


def _rule(name: str, tolerance: float, delta: float) -> Rule:
    oracle = TopK(PLACES)
    if name == "SWAP":
        return PaperRule(oracle=oracle, sigma=SIGMA, delta=delta, tolerance=tolerance)
    certificate = Certificate.PAIRWISE if name == "pairwise" else Certificate.MIXTURE
    return CertifiedRule(
        oracle=oracle, sigma=SIGMA, delta=delta, tolerance=tolerance, certificate=certificate
    )


def _walked(
    rule: Rule, source: ScoreSource, rng: np.random.Generator
) -> tuple[IntArray, float, bool]:
    asked: IntArray = np.zeros((N, len(source.kinds)), dtype=np.int64)

    def mark(arm: int, kind: int) -> float:
        ordinal = asked[arm, kind]
        asked[arm, kind] += 1
        return float(source.marks(*(np.array([part]) for part in (arm, kind, ordinal)))[0])

    trace = RunTrace(kinds=source.kinds, max_pulls=MOST_PULLS)
    *_, last = run_rule(rule, mark, n=N, trace=trace, rng=rng)
    stopped = last.ended in {StopReason.CERTIFIED, StopReason.SETTLED}
    return last.look.cohort, last.situation.cost, stopped


def stop_rows(results: Sequence[Result]) -> list[Row]:
    """Build the rows of the table of stops."""
    caco = {
        (cell["tiers"], cell["eps"], cell["delta"]): floats(arrays, "cost")
        for cell, arrays in results
        if cell["rule"] == "CACO"
    }
    rows: list[Row] = []
    for cell, arrays in results:
        cost, wrong = floats(arrays, "cost"), floats(arrays, "wrong")
        mean, error = mean_and_error(cost)
        share = share_interval(int(wrong.sum()), wrong.size)
        of_caco = caco[cell["tiers"], cell["eps"], cell["delta"]]
        rows.append(
            {
                **cell,
                "runs": cost.size,
                "cost": mean,
                "cost_se": error,
                "over_caco": mean / float(of_caco.mean()),
                "wrong": share.value,
                "wrong_high": share.high,
                "not_the_best": float(floats(arrays, "other").mean()),
                "not_stopped": float(1 - floats(arrays, "stopped").mean()),
            }
        )
    return rows


def stops_in_words(table: FindingTable) -> str:
    """Format what the table of stops shows."""

    def ratios(rule: str) -> str:
        found = table.where(rule=rule).numbers("over_caco")
        return _span(found)

    def missed(*rules: str) -> str:
        rows = [row for rule in rules for row in table.where(rule=rule).records()]
        most = max(float(row["wrong_high"] or 0) for row in rows)
        share = max(float(row["wrong"] or 0) for row in rows)
        return f"{share:.1%} (95 %: below {most:.1%})"

    return (
        "A cut that must be certified in every tier is what costs: of CACO's cost until it stops, "
        f"SWAP on the same kinds without cuts takes {ratios('SWAP')}, `certified` "
        f"{ratios('certified')}, `pairwise` {ratios('pairwise')}. CACO as in its code takes "
        f"{ratios('CACO as in its code')}. In the worst cell this share of runs misses more "
        f"than ε: CACO as in its code {missed('CACO as in its code')}, CACO with CLUCB's gap "
        f"{missed('CACO')}, the product's rules {missed('certified', 'pairwise')}."
    )


def _span(numbers: Sequence[float]) -> str:
    low, high = f"{min(numbers):.2g}", f"{max(numbers):.2g}"
    return low if low == high else f"{low} to {high}"


def draw_stops(tables: dict[str, FindingTable]) -> Figure:
    """Draw when each number of tiers stops."""
    table = tables["tiers-stop"]
    figure, axes = canvas(width=FULL_PAGE, height=3.0, columns=2)
    promises = list(dict.fromkeys(_promises(table)))
    for place, tiers in zip(axes, CUTS, strict=True):
        for number, rule in enumerate(CONFIDENT):
            rows = table.where(tiers=tiers, rule=rule)
            where = [promises.index(promise) for promise in _promises(rows)]
            series(
                place,
                [at + 0.12 * (number - 2) for at in where],
                rows.numbers("cost"),
                name=rule,
                number=number,
                error=rows.numbers("cost_se"),
                joined=False,
            )
        place.set_yscale("log")
        place.set_xticks(
            range(len(promises)), [f"ε = {eps:g}\nδ = {delta:g}" for eps, delta in promises]
        )
        place.set_xlim(-0.5, len(promises) - 0.5)
        label(
            place,
            title=f"Until it stops, {tiers}",
            x="what is promised",
            y="cost, first-tier marks",
        )
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    return figure


def _promises(table: FindingTable) -> list[tuple[float, float]]:
    return list(zip(table.numbers("eps"), table.numbers("delta"), strict=True))
