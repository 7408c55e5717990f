"""What it costs to read once more a few of those clearly out, drawn before the stop."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from swapflow.domain.drawn_check import DrawnCheck
from swapflow.domain.rules import DispatchMode, Floor, FloorFor
from swapflow.experiments.admissions.reviews_needed import BATCH
from swapflow.experiments.admissions.twin_rounds import TwinRound, close_ones, twin_rules
from swapflow.experiments.finding import Finding, FindingTable
from swapflow.experiments.known_rounds import redrawn_twin
from swapflow.experiments.price import price_figure, price_rows, price_told
from swapflow.experiments.study import (
    Result,
    Study,
    StudyEffort,
    StudyPart,
    grid,
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


def _finding(_effort: StudyEffort, results: Mapping[str, Sequence[Result]]) -> Finding:
    table = FindingTable.of(
        price_rows(
            results["rounds"],
            setting="drawn",
            column="draw",
            means={"drawn": "drawn", "stayed_out": "stayed", "best_out": "wrong"},
        )
    )
    drawn = table.where(draw=1)
    told = price_told(drawn)
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
    return price_figure(
        tables["drawn-checks"],
        column="draw",
        names={0: "no draw", 1: "5 % of those out, once more"},
        title="A drawn check of those clearly out",
    )


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
