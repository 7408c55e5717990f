"""Where the assumptions fail: wrong spread, coarse marks, heavy tails, severity; and floors."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.oracles.oracle import TopK
from swapflow.bandit.situation import PullKind
from swapflow.experiments.figures import LOOKS, canvas, label
from swapflow.experiments.finding import Finding, FindingTable, Row
from swapflow.experiments.known_rounds import TWIN_PLACES, redrawn_twin
from swapflow.experiments.strategies import (
    ByRule,
    Even,
    Ocba,
    Sar,
    Strategy,
    TwoTier,
    budget_rule,
    play,
    swap,
)
from swapflow.experiments.study import (
    Result,
    Study,
    StudyEffort,
    StudyPart,
    floats,
    grid,
    mean_and_error,
)
from swapflow.experiments.sweep import Array, Cell
from swapflow.simulation.random_numbers import Stream, stream_of
from swapflow.simulation.score_sources import (
    Gaussian,
    HeavyTailed,
    RubricMarks,
    ScoreSource,
    Severe,
)


N, SIZE, SIGMA, BATCH = 100, 10, 1.0, 8
BUDGETS = (200, 400)
LEVELS = tuple(float(mark) for mark in np.linspace(-2, 2, 5))
"""Five marks over the middle of the scale."""

WORLDS = (
    "as assumed",
    "heavy tails",
    "five marks",
    "severity",
    "spread believed half",
    "spread believed double",
)


def _source(world: str, stream: Stream, run: int) -> ScoreSource:
    """Draw one round: 100 normal utilities, marks that spread by 1."""
    truth = stream.generator(run).standard_normal(N)
    kinds = (PullKind(cost=1.0, gain=1.0),)
    make = HeavyTailed if world == "heavy tails" else Gaussian
    plain = make(truth=truth, kinds=kinds, sigma=SIGMA, stream=stream, run=run)
    if world == "five marks":
        return RubricMarks(source=plain, levels=LEVELS)
    if world == "severity":
        return Severe(source=plain, panel=(12,), spreads=(0.5,), stream=stream, run=run)
    return plain


def _believing(sigma: float) -> ByRule:
    """Build the rule `budget` for an assumed spread."""
    return ByRule(
        name="budget",
        rule=lambda objective: BudgetRule(oracle=objective, tolerance=0.0, sigma=sigma),
        batch=BATCH,
        choice=None,
    )


def _strategy(name: str, world: str) -> Strategy:
    believed = {"spread believed half": 0.5, "spread believed double": 2.0}.get(world)
    match name:
        case "even":
            return Even()
        case "SAR":
            return Sar()
        case "OCBA":
            return Ocba(batch=BATCH)
        case "paper (SWAP)":
            return swap(sigma=believed or SIGMA, delta=0.05, batch=BATCH)
        case _:
            severe = world == "severity"
            return _believing(believed) if believed else budget_rule(batch=BATCH, severity=severe)


STRATEGIES = ("even", "SAR", "OCBA", "paper (SWAP)", "budget")


def shares(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Spend a budget by one strategy in one world.

    Returns:
        `share` of the best cohort's utility, of each run.
    """
    stream = stream_of(study)
    found = []
    for run in runs:
        source = _source(str(cell["world"]), stream, run)
        rng = stream.generator(run, purpose=1)
        strategy = _strategy(str(cell["strategy"]), str(cell["world"]))
        played = play(strategy, source, TopK(SIZE), budget=float(cell["budget"]), rng=rng)
        found.append(played.utility / played.best)
    return {"share": np.array(found)}


def floors(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Ask for a floor of reviews of everybody on a redraw of the twin, then spend the rest.

    Returns:
        `loss` of each run, as a share of the best utility.
    """
    stream, floor = stream_of(study), int(cell["floor"])
    ways: dict[str, Strategy] = {
        "even": Even(),
        "two-tier": TwoTier(floor=floor),
        "budget": budget_rule(batch=50, floor=floor, severity=True),
    }
    losses = []
    for run in runs:
        sheet = redrawn_twin(stream.generator(run))
        budget = round(float(cell["budget"]) * sheet.truth.size)
        rng = stream.generator(run, purpose=1)
        played = play(
            ways[str(cell["strategy"])], sheet, TopK(TWIN_PLACES), budget=budget, rng=rng
        )
        losses.append(played.loss)
    return {"loss": np.array(losses)}


def _parts(_effort: StudyEffort) -> Sequence[StudyPart]:
    cells = grid(world=WORLDS, budget=BUDGETS, strategy=STRATEGIES)
    return [StudyPart(name="worlds", cells=cells, work=shares, full=20, quick=1, chunk=3)]


def _floor_parts(_effort: StudyEffort) -> Sequence[StudyPart]:
    cells = [
        {"strategy": strategy, "floor": floor, "budget": budget}
        for strategy in ("even", "two-tier", "budget")
        for floor, budget in ((1, 1.25), (1, 2.5), (1, 3.0), (2, 2.5), (2, 3.0))
    ]
    return [StudyPart(name="floors", cells=list(cells), work=floors, full=20, quick=1, chunk=2)]


def _table(results: Sequence[Result], name: str) -> FindingTable:
    rows: list[Row] = []
    for cell, arrays in results:
        mean, error = mean_and_error(floats(arrays, name))
        rows.append({**cell, "runs": len(arrays[name]), name: mean, f"{name}_se": error})
    return FindingTable.of(rows)


def _finding(_effort: StudyEffort, results: Mapping[str, Sequence[Result]]) -> Finding:
    table = _table(results["worlds"], "share")
    wins, cells = [], [(world, budget) for world in WORLDS for budget in BUDGETS]
    for world, budget in cells:
        rows = table.where(world=world, budget=budget)
        best = max(rows.records(), key=lambda row: float(row["share"] or 0))
        wins.append(best["strategy"] == "budget")
    lost = [f"{w}, {b}" for (w, b), won in zip(cells, wins, strict=True) if not won]
    return Finding(
        tables={"robustness": table},
        figures={"robustness": _draw},
        seen=(
            f"`budget` has the best cohort of the five in {sum(wins)} of {len(cells)} worlds and "
            "budgets" + (f"; not in: {'; '.join(lost)}." if lost else ".")
        ),
        notes=(NOTE,),
    )


NOTE = (
    "n = 100, K = 10, normal utilities of spread 1, one mark spreads by 1; heavy tails are "
    "Student's t with 4 degrees of freedom, five marks cover ±2, severity spreads by .5 over 12 "
    "reviewers. All choose by posterior means; only `budget` takes severity out."
)


def _draw(tables: dict[str, FindingTable]) -> Figure:
    table = tables["robustness"].where(budget=BUDGETS[0])
    figure, (axes,) = canvas(width=5.4, height=3.0)
    for number, name in enumerate(STRATEGIES):
        rows = table.where(strategy=name)
        axes.errorbar(
            np.arange(len(WORLDS)) + 0.12 * (number - 2),
            [100 * share for share in rows.numbers("share")],
            yerr=[196 * e for e in rows.numbers("share_se")],
            color=LOOKS[number].colour,
            marker=LOOKS[number].marker,
            linestyle="none",
            label=name,
        )
    axes.set_xticks(range(len(WORLDS)), [world.replace(" ", "\n") for world in WORLDS])
    label(
        axes,
        title=f"When assumptions fail, {BUDGETS[0]} reviews for {N} applicants",
        x="world",
        y="utility, % of the best cohort's",
    )
    axes.legend(ncols=3, loc="lower left")
    axes.set_ylim(bottom=axes.get_ylim()[0] - 6)
    return figure


def _floor_finding(_effort: StudyEffort, results: Mapping[str, Sequence[Result]]) -> Finding:
    table = _table(results["floors"], "loss")
    found = {
        (r["strategy"], r["floor"], r["budget"]): float(r["loss"] or 0) for r in table.records()
    }
    return Finding(
        tables={"floors": table},
        figures={"floors": _draw_floors},
        seen=(
            "With two reviews for everybody `budget` loses "
            f"{found['budget', 2, 2.5]:.3f} at 2.5 and {found['budget', 2, 3.0]:.3f} at 3 reviews "
            f"each, two-tier practice {found['two-tier', 2, 2.5]:.3f} and "
            f"{found['two-tier', 2, 3.0]:.3f}, even reviewing {found['even', 2, 2.5]:.3f} and "
            f"{found['even', 2, 3.0]:.3f}; the second look for everybody costs `budget` "
            f"{found['budget', 2, 3.0] - found['budget', 1, 3.0]:.3f} at 3."
        ),
    )


def _draw_floors(tables: dict[str, FindingTable]) -> Figure:
    table = tables["floors"]
    figure, (axes,) = canvas(height=2.6)
    pairs = [(1, 1.25), (1, 2.5), (2, 2.5), (1, 3.0), (2, 3.0)]
    for number, name in enumerate(("even", "two-tier", "budget")):
        rows = [table.where(strategy=name, floor=f, budget=b) for f, b in pairs]
        axes.bar(
            np.arange(len(pairs)) + 0.26 * (number - 1),
            [100 * row.numbers("loss")[0] for row in rows],
            0.25,
            color=LOOKS[number].colour,
            hatch=("", "//", "..")[number],
            edgecolor="white",
            label=name,
        )
    axes.set_xticks(range(len(pairs)), [f"floor {f},\n{b:g} each" for f, b in pairs])
    label(
        axes,
        title="Floors of one and of two reviews",
        x="reviews for everybody, and budget (reviews each)",
        y="utility lost, % of best",
    )
    axes.legend()
    return figure


STUDIES = (
    Study(
        name="robustness",
        group="beyond",
        title="Wrong spread, coarse marks, heavy tails, severity",
        paper="Assumes marks of a known sub-Gaussian spread around the truth.",
        parts=_parts,
        conclude=_finding,
    ),
    Study(
        name="floors",
        group="beyond",
        title="Floors: one or two reviews for everybody",
        paper="Starts with one weak pull each.",
        parts=_floor_parts,
        conclude=_floor_finding,
    ),
)
