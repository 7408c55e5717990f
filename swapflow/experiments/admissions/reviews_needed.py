"""How many reviews each strategy needs for the same list."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.oracles.oracle import TopK
from swapflow.experiments.budgeted_sampler import BudgetedSampler
from swapflow.experiments.figures import GREY, canvas, label, series
from swapflow.experiments.finding import Finding, FindingTable, Row
from swapflow.experiments.known_rounds import CONFERENCES, TWIN_SIGMA, KnownMarks, conference
from swapflow.experiments.strategies import (
    CohortChoice,
    Even,
    Ocba,
    Sar,
    Strategy,
    TwoTier,
    budget_rule,
    play,
    swap,
)
from swapflow.experiments.study import Result, StudyEffort, StudyPart, floats, grid, mean_and_error
from swapflow.experiments.sweep import Array, Cell
from swapflow.simulation.random_numbers import stream_of


DELTA = 0.05

BATCH = 50


RATIOS = {"0.4": 0.76, "0.1": 0.60, "0.04": 0.50}
"""Share of places, and at most which share of even reviewing's reviews should do."""


EVEN_AT = 3.0
"""Reviews each, whose utility under even reviewing is to be reached."""


STRATEGIES: dict[str, Strategy] = {
    "even": Even(),
    "two-tier": TwoTier(),
    "two-tier, severity taken out": TwoTier(choice=CohortChoice.ADJUSTED),
    "SAR": Sar(),
    "OCBA": Ocba(batch=BATCH),
    "paper (SWAP)": swap(sigma=TWIN_SIGMA, delta=DELTA, batch=BATCH),
    "budget": budget_rule(batch=BATCH, severity=True),
}


def reviews_needed(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Follow the rule `budget` until it has even reviewing's utility for good.

    Returns:
        `first` and `lasting`: the share of even reviewing's reviews at which the rule first has
        its utility, and from which on it always has; `even` and `at_half`: utilities over the
        best one, of even reviewing and of the rule at half of its reviews.
    """
    stream = stream_of(study)
    figures = []
    for run in runs:
        sheet = shuffled(cell, stream.generator(run))
        objective = TopK(places_of(sheet, cell))
        cost = round(EVEN_AT * sheet.truth.size)
        rng = stream.generator(run, purpose=1)
        even = play(STRATEGIES["even"], sheet, objective, budget=cost, rng=rng)
        spent, utility = _followed(sheet, objective, budget=cost)
        share = spent / even.spent
        reached = utility >= even.utility
        below = np.flatnonzero(~reached)
        lasting = 0 if not below.size else below[-1] + 1
        figures.append(
            {
                "first": share[reached.argmax()] if reached.any() else math.inf,
                "lasting": share[lasting] if lasting < share.size else math.inf,
                "even": even.utility / even.best,
                "at_half": float(np.interp(0.5, share, utility)) / even.best,
            }
        )
    return {name: np.array([figure[name] for figure in figures]) for name in figures[0]}


def _followed(
    sheet: KnownMarks, objective: TopK, *, budget: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return cost and true utility of the proposed cohort at every look of the rule `budget`."""
    sampler = BudgetedSampler(sheet, budget=budget)
    sampler.ask(np.arange(sampler.n))
    rule, rng = BudgetRule(oracle=objective, tolerance=0.0), np.random.default_rng(0)
    spent, utility = [], []
    while True:
        situation = sampler.situation()
        if rule.needs_refit(situation.scores.mark.size):
            rule = rule.refitted(situation)
        look = rule.look(situation)
        spent.append(sampler.spent)
        utility.append(float(sheet.truth[look.cohort].sum()))
        picks = rule.choose(situation, look, at_most=BATCH, rng=rng).picks
        if not picks:
            return np.array(spent), np.array(utility)
        sampler.ask(np.array([pick.arm for pick in picks], dtype=np.int64))


def shuffled(cell: Cell, rng: np.random.Generator) -> KnownMarks:
    """Draw the order in which the marks of a sheet come."""
    return conference(str(cell["data"]), str(cell["round"])).shuffled(rng)


def places_of(sheet: KnownMarks, cell: Cell) -> int:
    """Return the places of a cell of the study."""
    return round(float(cell["ratio"]) * sheet.truth.size)


def needed_parts(effort: StudyEffort) -> Sequence[StudyPart]:
    """List the runs of the study of reviews needed."""
    ratios = [float(ratio) for ratio in RATIOS]
    cells = grid(round=tuple(CONFERENCES), ratio=ratios, data=[str(effort.data)])
    return [StudyPart(name="needed", cells=cells, work=reviews_needed, full=10, quick=1, chunk=1)]


def needed_finding(_effort: StudyEffort, results: Mapping[str, Sequence[Result]]) -> Finding:
    """Build the finding of the study of reviews needed."""
    rows: list[Row] = []
    for cell, arrays in results["needed"]:
        lasting, first = floats(arrays, "lasting"), floats(arrays, "first")
        mean, error = mean_and_error(lasting)
        rows.append(
            {
                "round": cell["round"],
                "ratio": cell["ratio"],
                "runs": lasting.size,
                "needed": mean,
                "needed_se": error,
                "worst": float(lasting.max()),
                "first_reached": float(first.mean()),
                "target": RATIOS[f"{cell['ratio']:g}"],
                "even_utility": float(floats(arrays, "even").mean()),
                "utility_at_half": float(floats(arrays, "at_half").mean()),
            }
        )
    table = FindingTable.of(rows)
    met = sum(
        need <= target
        for need, target in zip(table.numbers("needed"), table.numbers("target"), strict=True)
    )
    spans = [
        f"{min(n):.2f} to {max(n):.2f} at K/n = {ratio}"
        for ratio in RATIOS
        if (n := table.where(ratio=float(ratio)).numbers("needed"))
    ]
    return Finding(
        tables={"reviews-needed": table},
        figures={"reviews-needed": _draw_needed},
        seen=(
            "Even reviewing's utility at 3 reviews each takes the rule `budget` this share of "
            f"the reviews: {'; '.join(spans)}. The target is met in {met} of {len(rows)} rounds."
        ),
        notes=(LASTING_NOTE, PANEL_NOTE),
    )


def _draw_needed(tables: dict[str, FindingTable]) -> Figure:
    table = tables["reviews-needed"]
    figure, (axes,) = canvas(height=2.7)
    rounds = list(dict.fromkeys(str(r) for r in table.column("round")))
    places = np.arange(len(RATIOS))
    for number, name in enumerate(rounds):
        rows = table.where(round=name)
        series(
            axes,
            (places + 0.12 * (number - 1)).tolist(),
            rows.numbers("needed"),
            name=name,
            number=number,
            error=rows.numbers("needed_se"),
            joined=False,
        )
    axes.hlines(list(RATIOS.values()), places - 0.3, places + 0.3, color=GREY, label="target")
    axes.axhline(1.0, color=GREY, linestyle=":", label="even reviewing")
    axes.set_xticks(places, [f"K/n = {ratio}" for ratio in RATIOS])
    label(
        axes,
        title="Reviews that `budget` needs for even's utility",
        x="share of applications that get a place",
        y="share of even reviewing's reviews",
    )
    axes.set_ylim(0, 1.08)
    axes.legend(loc="lower left", ncols=2)
    return figure


PANEL_NOTE = (
    "A cohort is judged by the committee's own final marks: this is agreement with the final "
    "panel, not truth. Rows and marks stay in the data folder; only means are here."
)


LASTING_NOTE = (
    "Counted is the cost from which on the rule's cohort always has even reviewing's utility, "
    "which is stricter than the first time it has (column first_reached)."
)
