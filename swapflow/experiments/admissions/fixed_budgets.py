"""Fixed budgets: what the same cost buys under each strategy, and how many reviews are saved.

Nobody's certificate is met at the budgets of real rounds; so strategies spend what there is, all
of them choose by posterior means, and are held against the truth.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from swapflow.bandit.oracles.oracle import TopK
from swapflow.experiments.admissions.reviews_needed import (
    PANEL_NOTE,
    RATIOS,
    STRATEGIES,
    needed_finding,
    needed_parts,
    places_of,
    shuffled,
)
from swapflow.experiments.figures import FULL_PAGE, canvas, label, series
from swapflow.experiments.finding import Finding, FindingTable, Row
from swapflow.experiments.known_rounds import (
    CONFERENCES,
    TWIN_PLACES,
    missing,
    redrawn_twin,
)
from swapflow.experiments.strategies import (
    play,
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
from swapflow.simulation.random_numbers import stream_of


BUDGETS = (1.1, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0)
CONFERENCE_STRATEGIES = ("even", "two-tier", "SAR", "OCBA", "paper (SWAP)", "budget")


def twin_losses(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Spend a budget by one strategy on redraws of the twin; all strategies meet the same."""
    strategy = STRATEGIES[str(cell["strategy"])]
    stream = stream_of(study)
    losses, spent = [], []
    for run in runs:
        sheet = redrawn_twin(stream.generator(run))
        budget = round(float(cell["budget"]) * sheet.truth.size)
        rng = stream.generator(run, purpose=1)
        played = play(strategy, sheet, TopK(TWIN_PLACES), budget=budget, rng=rng)
        losses.append(played.loss)
        spent.append(played.spent / sheet.truth.size)
    return {"loss": np.array(losses), "spent": np.array(spent)}


def conference_losses(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Spend a budget by one strategy on a conference, its papers and marks reordered."""
    strategy = STRATEGIES[str(cell["strategy"])]
    stream = stream_of(study)
    losses = []
    for run in runs:
        sheet = shuffled(cell, stream.generator(run))
        budget = round(float(cell["budget"]) * sheet.truth.size)
        rng = stream.generator(run, purpose=1)
        objective = TopK(places_of(sheet, cell))
        losses.append(play(strategy, sheet, objective, budget=budget, rng=rng).loss)
    return {"loss": np.array(losses)}


def _twin_parts(_effort: StudyEffort) -> Sequence[StudyPart]:
    cells = grid(budget=BUDGETS, strategy=tuple(STRATEGIES))
    return [StudyPart(name="losses", cells=cells, work=twin_losses, full=50, quick=2, chunk=5)]


def _conference_parts(effort: StudyEffort) -> Sequence[StudyPart]:
    rounds = tuple(CONFERENCES) if effort.full else ("iclr2021",)
    cells = grid(
        round=rounds,
        ratio=[float(ratio) for ratio in RATIOS],
        budget=(1.25, 1.5, 2.0, 2.5),
        strategy=CONFERENCE_STRATEGIES,
        data=[str(effort.data)],
    )
    return [
        StudyPart(name="losses", cells=cells, work=conference_losses, full=2, quick=1, chunk=1)
    ]


def _loss_rows(results: Sequence[Result]) -> list[Row]:
    """One row per cell: loss with its error, and against even reviewing, run by run."""
    by_cell = {_key(cell): floats(arrays, "loss") for cell, arrays in results}
    rows: list[Row] = []
    for cell, arrays in results:
        loss = floats(arrays, "loss")
        mean, error = mean_and_error(loss)
        budget_loss = by_cell[_key({**cell, "strategy": "budget"})]
        more, more_error = mean_and_error(loss - budget_loss)
        rows.append(
            {
                **{k: v for k, v in cell.items() if k != "data"},
                "runs": loss.size,
                "loss": mean,
                "loss_se": error,
                "more_than_budget": more,
                "more_se": more_error,
            }
        )
    return rows


def _key(cell: Mapping[str, object]) -> tuple[object, ...]:
    return tuple(sorted((k, str(v)) for k, v in cell.items()))


def _twin_finding(_effort: StudyEffort, results: Mapping[str, Sequence[Result]]) -> Finding:
    table = FindingTable.of(_loss_rows(results["losses"]))
    others = [name for name in STRATEGIES if name != "budget"]
    beaten = {
        name: [
            float(row["more_than_budget"] or 0) > 0 for row in table.where(strategy=name).records()
        ]
        for name in others
    }
    plain = all(all(beaten[name]) for name in ("even", "two-tier"))
    adjusted = table.where(strategy="two-tier, severity taken out").records()
    lost = [f"{row['budget']}" for row in adjusted if float(row["more_than_budget"] or 0) <= 0]
    at_two = table.where(budget=2.0)
    losses = {r["strategy"]: float(r["loss"] or 0) for r in at_two.records()}
    return Finding(
        tables={"budget-twin": table},
        figures={"budget-twin": _draw_twin},
        seen=(
            f"At 2 reviews each `budget` loses {losses['budget']:.3f} of the best utility, even "
            f"reviewing {losses['even']:.3f}, two-tier practice {losses['two-tier']:.3f}, OCBA "
            f"{losses['OCBA']:.3f}, the paper's rule {losses['paper (SWAP)']:.3f}, SAR "
            f"{losses['SAR']:.3f}. It is below even reviewing and two-tier practice at "
            f"{'every' if plain else 'not every'} budget; two-tier practice with severity taken "
            "out is "
            + ("behind at every budget." if not lost else f"not behind at {', '.join(lost)}.")
        ),
        notes=(TWIN_NOTE,),
    )


TWIN_NOTE = (
    "Each run draws applicants, reviewers, marks and interviews anew; strategies are compared on "
    "the same draws, so differences are surer than the losses themselves. `paper` is given the "
    "true spread of a mark; its radius then spreads reviews almost evenly at these budgets."
)


def _draw_twin(tables: dict[str, FindingTable]) -> Figure:
    table = tables["budget-twin"]
    figure, (axes,) = canvas(height=3.6)
    for number, name in enumerate(STRATEGIES):
        rows = table.where(strategy=name)
        series(
            axes,
            rows.numbers("budget"),
            [100 * loss for loss in rows.numbers("loss")],
            name=name,
            number=number,
            error=[100 * error for error in rows.numbers("loss_se")],
        )
    label(
        axes,
        title="What a budget buys, redraws of the twin",
        x="budget, in reviews per applicant",
        y="utility lost, % of the best cohort's",
    )
    axes.set_ylim(bottom=0)
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def _conference_finding(_effort: StudyEffort, results: Mapping[str, Sequence[Result]]) -> Finding:
    table = FindingTable.of(_loss_rows(results["losses"]))
    rows = [row for row in table.records() if row["strategy"] != "budget"]
    worse = sum(float(row["more_than_budget"] or 0) > 0 for row in rows)
    return Finding(
        tables={"budget-conferences": table},
        figures={"budget-conferences": _draw_conferences},
        seen=(
            f"On {', '.join(dict.fromkeys(str(r['round']) for r in rows))} the rule `budget` "
            f"loses less than the other strategy in {worse} of {len(rows)} comparisons (five "
            "strategies, four budgets, three shares of places)."
        ),
        notes=(PANEL_NOTE,),
    )


def _draw_conferences(tables: dict[str, FindingTable]) -> Figure:
    table = tables["budget-conferences"]
    rounds = list(dict.fromkeys(str(r) for r in table.column("round")))
    figure, grid = canvas(
        width=FULL_PAGE, height=0.6 + 2.2 * len(rounds), rows=len(rounds), columns=len(RATIOS)
    )
    for place, axes in enumerate(grid):
        name, ratio = rounds[place // len(RATIOS)], float(list(RATIOS)[place % len(RATIOS)])
        for number, strategy in enumerate(CONFERENCE_STRATEGIES):
            rows = table.where(round=name, ratio=ratio, strategy=strategy)
            series(
                axes,
                rows.numbers("budget"),
                [100 * loss for loss in rows.numbers("loss")],
                name=strategy,
                number=number,
            )
        label(
            axes,
            title=f"{name}, K/n = {ratio:g}",
            x="budget, reviews per paper",
            y="utility lost, % of best",
        )
        axes.set_ylim(bottom=0)
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside lower center", ncols=6)
    return figure


NOT_IN_PAPER = "Not in the paper, which compares at equal cost with its own committee only."

STUDIES = (
    Study(
        name="budget-twin",
        group="beyond",
        title="Fixed budgets on redraws of the synthetic twin",
        paper=NOT_IN_PAPER,
        parts=_twin_parts,
        conclude=_twin_finding,
    ),
    Study(
        name="reviews-needed",
        group="beyond",
        title="How many reviews the rule `budget` saves on three conferences",
        paper=NOT_IN_PAPER,
        parts=needed_parts,
        conclude=needed_finding,
        lacking=lambda effort: missing(effort.data, tuple(CONFERENCES)),
    ),
    Study(
        name="budget-conferences",
        group="beyond",
        title="Fixed budgets on three conferences",
        paper=NOT_IN_PAPER,
        parts=_conference_parts,
        conclude=_conference_finding,
        lacking=lambda effort: missing(effort.data, tuple(CONFERENCES)),
    ),
)
