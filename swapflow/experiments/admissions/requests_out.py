"""What many requests out at once cost, and what the taper saves."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from swapflow.domain.rules import DispatchMode
from swapflow.experiments.admissions.twin_rounds import (
    LOOK_EVERY,
    WINDOW,
    TwinRound,
    twin_rules,
)
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


OUT = 450
"""45 reviewers with packets of 10."""

BUDGETS = (1.25, 2.0)
TAPERS = (0.0, 0.5, 0.25)
TARGETS = {(1.25, 0.5): 0.94, (1.25, 0.25): 0.93, (2.0, 0.5): 0.96, (2.0, 0.25): 0.92}
"""Share of the untapered loss, at most."""


def rounds(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Run rolling rounds; all cells of a run meet the same applicants, marks and answering times.

    Args:
        study: Name of the study.
        cell: `budget` in reviews each, `out` and `taper` (0 for none).
        runs: Numbers of the runs.

    Returns:
        `loss` as a share of the best utility and `days`, in mean answering times, of each run.
    """
    stream = stream_of(study)
    losses, days = [], []
    for run in runs:
        sheet = redrawn_twin(stream.generator(run))
        rules = twin_rules(
            float(cell["budget"]),
            dispatch=DispatchMode.ROLLING,
            out=int(cell["out"]),
            taper=float(cell["taper"]),
        )
        delays = Lognormal(mean=(1.0, 1.0), stream=stream, run=run)
        ending = TwinRound(rules, sheet, delays).run(stream.generator(run, purpose=1))
        best = np.sort(sheet.truth)[-rules.cohort_size :].sum()
        losses.append(1 - sheet.truth[ending.look.cohort].sum() / best)
        days.append(ending.days)
    return {"loss": np.array(losses), "days": np.array(days)}


def _parts(_effort: StudyEffort) -> Sequence[StudyPart]:
    cells = grid(budget=BUDGETS, out=[OUT], taper=TAPERS)
    return [StudyPart(name="rounds", cells=cells, work=rounds, full=20, quick=2, chunk=1)]


def _rows(results: Sequence[Result]) -> list[Row]:
    plain = {
        float(cell["budget"]): arrays
        for cell, arrays in results
        if cell["out"] == OUT and not cell["taper"]
    }
    rows: list[Row] = []
    for cell, arrays in results:
        budget, taper = float(cell["budget"]), float(cell["taper"])
        loss, beside = floats(arrays, "loss"), floats(plain[budget], "loss")
        mean, error = mean_and_error(loss)
        share = float(loss.mean() / beside.mean())
        share_error = mean_and_error((loss - share * beside) / beside.mean())[1]
        own = cell["out"] == OUT
        rows.append(
            {
                "budget": budget,
                "out": int(cell["out"]),
                "taper": taper,
                "runs": loss.size,
                "loss": mean,
                "loss_se": error,
                "share_of_untapered": share,
                "share_se": share_error if taper or not own else 0.0,
                "target": TARGETS.get((budget, taper)) if own else None,
                "days": float(floats(arrays, "days").mean()),
                "times_as_long": float(
                    floats(arrays, "days").mean() / floats(plain[budget], "days").mean()
                ),
            }
        )
    return rows


def _finding(_effort: StudyEffort, results: Mapping[str, Sequence[Result]]) -> Finding:
    table = FindingTable.of(_rows(results["rounds"]))
    found = {
        (float(r["budget"] or 0), float(r["taper"] or 0)): r
        for r in table.where(out=OUT).records()
    }
    told = "; ".join(
        f"at {budget:g} reviews each {float(found[budget, 0.5]['share_of_untapered'] or 0):.3f} "
        f"with ½ and {float(found[budget, 0.25]['share_of_untapered'] or 0):.3f} with ¼, in "
        f"{float(found[budget, 0.5]['times_as_long'] or 0):.2f} and "
        f"{float(found[budget, 0.25]['times_as_long'] or 0):.2f} times the time"
        for budget in BUDGETS
    )
    return Finding(
        tables={"requests-out": table},
        figures={"requests-out": _draw},
        seen=f"With {OUT} requests out, the taper leaves this share of the loss: {told}.",
        notes=(NOTE,),
    )


NOTE = (
    "Redraws of the twin, rolling; answers take a lognormal time, mean 1, spread 1, but "
    f"{WINDOW:g} at most; the rule looks after every {LOOK_EVERY} answers. All rows of a budget "
    "meet the same draws and answering times. `share_of_untapered` is the loss over that of 450 "
    "out without a taper, and `times_as_long` the same of the time until the last answer."
)


def _draw(tables: dict[str, FindingTable]) -> Figure:
    table = tables["requests-out"]
    figure, (axes,) = canvas(height=2.7)
    ways = [(OUT, 0.0), (OUT, 0.5), (OUT, 0.25)]
    names = ["450 out", "450 out,\ntaper ½", "450 out,\ntaper ¼"]
    for number, budget in enumerate(BUDGETS):
        rows = [table.where(budget=budget, out=out, taper=taper) for out, taper in ways]
        series(
            axes,
            [place + 0.1 * (number - 0.5) for place in range(len(ways))],
            [100 * row.numbers("loss")[0] for row in rows],
            name=f"{budget:g} reviews each",
            number=number,
            error=[100 * row.numbers("loss_se")[0] for row in rows],
            joined=False,
        )
    axes.set_xticks(range(len(ways)), names)
    label(
        axes,
        title="Requests out at once, and the taper",
        x="most requests out",
        y="utility lost, % of best",
    )
    axes.legend()
    return figure


STUDIES = (
    Study(
        name="requests-out",
        group="beyond",
        title="Many requests out near the end, and the taper",
        paper="Pulls one arm and waits.",
        parts=_parts,
        conclude=_finding,
    ),
)
