"""What it costs to read once more a few of those clearly out, drawn before the stop."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from swapflow.domain.drawn_check import DrawnCheck
from swapflow.domain.rules import DispatchMode, Floor, FloorFor
from swapflow.experiments.admissions.reviews_needed import BATCH
from swapflow.experiments.admissions.twin_rounds import TwinRound, close_ones, twin_rules
from swapflow.experiments.figures import canvas, label, series
from swapflow.experiments.finding import Finding, FindingTable, Row
from swapflow.experiments.known_rounds import redrawn_twin
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
from swapflow.simulation.response_delays import Lognormal


BUDGETS = (1.5, 2.0, 3.0)
CLOSE = Floor(kind="review", count=3, who=FloorFor.CLOSE)


def rounds(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Run rounds in lockstep with and without the draw, on the same marks.

    Args:
        study: Name of the study.
        cell: `budget` in reviews each and `drawn`, 1 with the draw and 0 without.
        runs: Numbers of the runs.

    Returns:
        Of each run `loss` as a share of the best utility, `drawn`, how many were drawn, `stayed`,
        how many of them are clearly out in the end, and `wrong`, how many of all who are clearly
        out in the end are among the truly best.
    """
    stream, figures = stream_of(study), []
    for run in runs:
        sheet = redrawn_twin(stream.generator(run))
        rules = twin_rules(
            float(cell["budget"]),
            floors=(CLOSE,),
            dispatch=DispatchMode.LOCKSTEP,
            batch=BATCH,
            drawn_check=DrawnCheck() if cell["drawn"] else None,
            seed=run,
        )
        delays = Lognormal(mean=(1.0, 1.0), stream=stream, run=run)
        played = TwinRound(rules, sheet, delays)
        look = played.run(stream.generator(run, purpose=1)).look
        order = np.argsort(-sheet.truth, kind="stable")[: rules.cohort_size]
        clear = ~close_ones(look, rules)
        clear[look.cohort] = False
        drawn = np.array(played.drawn, dtype=np.int64)
        best = sheet.truth[order].sum()
        figures.append(
            (
                1 - sheet.truth[look.cohort].sum() / best,
                drawn.size,
                np.count_nonzero(clear[drawn]),
                np.count_nonzero(clear[order]),
            )
        )
    loss, drawn_count, stayed, wrong = np.array(figures, dtype=np.float64).T
    return {"loss": loss, "drawn": drawn_count, "stayed": stayed, "wrong": wrong}


def _parts(_effort: StudyEffort) -> Sequence[StudyPart]:
    cells = grid(budget=BUDGETS, drawn=(0, 1))
    return [StudyPart(name="rounds", cells=cells, work=rounds, full=20, quick=2, chunk=2)]


def _rows(results: Sequence[Result]) -> list[Row]:
    plain = {
        float(cell["budget"]): floats(arrays, "loss")
        for cell, arrays in results
        if not cell["drawn"]
    }
    rows: list[Row] = []
    for cell, arrays in results:
        loss, beside = floats(arrays, "loss"), plain[float(cell["budget"])]
        mean, error = mean_and_error(loss)
        more, more_error = mean_and_error(loss - beside)
        rows.append(
            {
                "budget": float(cell["budget"]),
                "draw": int(cell["drawn"]),
                "runs": loss.size,
                "loss": mean,
                "loss_se": error,
                "more": more,
                "more_se": more_error,
                "times_without": float(loss.mean() / beside.mean()),
                "drawn": float(floats(arrays, "drawn").mean()),
                "stayed_out": float(floats(arrays, "stayed").mean()),
                "best_out": float(floats(arrays, "wrong").mean()),
            }
        )
    return rows


def _finding(_effort: StudyEffort, results: Mapping[str, Sequence[Result]]) -> Finding:
    table = FindingTable.of(_rows(results["rounds"]))
    drawn = table.where(draw=1)
    told = ", ".join(
        f"{100 * more:.2f} (± {196 * error:.2f}) % of the best list's utility at {budget:g}"
        for budget, more, error in zip(
            drawn.numbers("budget"),
            drawn.numbers("more"),
            drawn.numbers("more_se"),
            strict=True,
        )
    )
    stayed = ", ".join(
        f"{out:.1f} of {count:.1f}"
        for out, count in zip(drawn.numbers("stayed_out"), drawn.numbers("drawn"), strict=True)
    )
    return Finding(
        tables={"drawn-checks": table},
        figures={"drawn-checks": _draw},
        seen=(
            f"One more review for 5 % of those clearly out costs {told} reviews each, above the "
            f"loss without the draw. Of those drawn, {stayed} stayed out."
        ),
        notes=(NOTE,),
    )


NOTE = (
    f"Redraws of the twin in lockstep, batches of {BATCH}, with three reviews for those too close "
    "to call, the same marks with and without the draw; `more` is the loss above that without it, "
    "run by run. The draw is paid from the budget and kept for from the start. `drawn` is how "
    "many were drawn, `stayed_out` how many of them are clearly out in the end, and `best_out` "
    "how many of all who are clearly out belong among the truly best."
)


def _draw(tables: dict[str, FindingTable]) -> Figure:
    table = tables["drawn-checks"]
    figure, (axes,) = canvas(height=2.7)
    for number, name in enumerate(("no draw", "5 % of those out, once more")):
        rows = table.where(draw=number)
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
        title="A drawn check of those clearly out",
        x="budget, in reviews per applicant",
        y="utility lost, % of best",
    )
    axes.set_ylim(bottom=0)
    axes.legend()
    return figure


STUDIES = (
    Study(
        name="drawn-checks",
        group="beyond",
        title="A drawn check of those clearly out",
        paper="Not in the paper.",
        parts=_parts,
        conclude=_finding,
    ),
)
