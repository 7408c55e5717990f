"""What the floor for those too close to call costs."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

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


BUDGETS = (1.5, 2.0, 2.5, 3.0)
FLOORS = (0, 3)


def rounds(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Run rounds in lockstep with and without the floor, on the same draws.

    Args:
        study: Name of the study.
        cell: `budget` in reviews each and `floor`, reviews for those too close to call.
        runs: Numbers of the runs.

    Returns:
        Of each run `loss` as a share of the best utility, `close`, how many are too close to call
        in the end, and `below`, how many of these have fewer than three reviews.
    """
    stream, figures = stream_of(study), []
    for run in runs:
        sheet = redrawn_twin(stream.generator(run))
        count = int(cell["floor"])
        floors = (Floor(kind="review", count=count, who=FloorFor.CLOSE),) if count else ()
        rules = twin_rules(
            float(cell["budget"]), floors=floors, dispatch=DispatchMode.LOCKSTEP, batch=BATCH
        )
        delays = Lognormal(mean=(1.0, 1.0), stream=stream, run=run)
        ending = TwinRound(rules, sheet, delays).run(stream.generator(run, purpose=1))
        best = np.sort(sheet.truth)[-rules.cohort_size :].sum()
        close = close_ones(ending.look, rules)
        below = close & (ending.asked[:, 0] < max(FLOORS))
        figures.append(
            (
                1 - sheet.truth[ending.look.cohort].sum() / best,
                np.count_nonzero(close),
                np.count_nonzero(below),
            )
        )
    loss, close_count, below_count = np.array(figures, dtype=np.float64).T
    return {"loss": loss, "close": close_count, "below": below_count}


def _parts(_effort: StudyEffort) -> Sequence[StudyPart]:
    cells = grid(budget=BUDGETS, floor=FLOORS)
    return [StudyPart(name="rounds", cells=cells, work=rounds, full=10, quick=2, chunk=2)]


def _finding(_effort: StudyEffort, results: Mapping[str, Sequence[Result]]) -> Finding:
    table = FindingTable.of(
        price_rows(
            results["rounds"],
            setting="floor",
            column="floor",
            means={"close": "close", "below_three": "below"},
        )
    )
    three = table.where(floor=3)
    told = price_told(three)
    return Finding(
        tables={"close-floors": table},
        figures={"close-floors": _draw},
        seen=(
            f"Three reviews for everybody who is too close to call cost {told} reviews each, "
            "above the loss without that floor."
        ),
        notes=(NOTE,),
    )


NOTE = (
    f"Redraws of the twin in lockstep, batches of {BATCH}, the same draws with and without the "
    "floor; `more` is the loss above that without it, run by run. The floor is paid from the "
    "budget and goes out before the stop. `close` is how many are too close to call in the end, "
    "`below_three` how many of them have fewer than three reviews; with the floor these came "
    "close only by the last answers, when the money was spent."
)


def _draw(tables: dict[str, FindingTable]) -> Figure:
    return price_figure(
        tables["close-floors"],
        column="floor",
        names={0: "no floor", 3: "three reviews"},
        title="A floor for those too close to call",
    )


STUDIES = (
    Study(
        name="close-floors",
        group="beyond",
        title="A floor for those too close to call",
        paper="Not in the paper.",
        parts=_parts,
        conclude=_finding,
    ),
)
