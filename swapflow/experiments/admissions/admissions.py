"""The paper's admissions experiments on the twin, and on real reviews where they are at hand.

The paper's data is private. The twin has its scale (1,600 applicants, about 150 places, interviews
at six times a review's cost); what a classifier's score is in the paper, the true utility is here,
and what its committee did, ordinary practice does here: a review each, interviews for the best.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.figure import Figure

from swapflow.bandit.oracles.oracle import Diverse, Oracle, TopK
from swapflow.experiments.admissions.admissions_gains import (
    SIGMA_NOTE,
    experiment,
    gain_finding,
    gain_parts,
)
from swapflow.experiments.figures import LOOKS, canvas, label, series
from swapflow.experiments.finding import Finding, FindingTable, Row
from swapflow.experiments.known_rounds import (
    conference,
    missing,
)
from swapflow.experiments.strategies import budget_rule, play
from swapflow.experiments.study import Result, Study, StudyEffort, StudyPart, floats, grid
from swapflow.experiments.sweep import Array, Cell
from swapflow.simulation.random_numbers import stream_of


WAYS = ("SWAP", "SWAP, true spread", "budget", "practice", "uniform", "random", "best possible")


def _parts(_effort: StudyEffort) -> Sequence[StudyPart]:
    cells = grid(way=WAYS, by=("", "gender", "region"), s=[7.0], only=[""])
    return [StudyPart(name="ways", cells=cells, work=experiment, full=20, quick=1, chunk=1)]


def _finding(_effort: StudyEffort, results: Mapping[str, Sequence[Result]]) -> Finding:
    rows: list[Row] = []
    for cell, arrays in results["ways"]:
        row: dict[str, float | int | str | bool | None] = {
            "way": cell["way"],
            "objective": str(cell["by"]) or "top-k",
            "runs": len(arrays["top"]),
        }
        for name in ("top", "diverse", "cost", "pulls", "strong"):
            row[name] = float(floats(arrays, name).mean())
            row[f"{name}_sd"] = float(floats(arrays, name).std())
        rows.append(row)
    table = FindingTable.of(rows)
    found = {(r["way"], r["objective"]): r for r in rows}

    def of(way: str, objective: str, name: str) -> float:
        return float(found[way, objective][name] or 0)

    gain = of("SWAP", "top-k", "top") / of("practice", "top-k", "top")
    region = of("SWAP", "region", "diverse") / of("practice", "region", "diverse")
    return Finding(
        tables={"admissions": table},
        figures={
            "admissions-top": partial(_draw, "top"),
            "admissions-diverse": partial(_draw, "diverse"),
        },
        seen=(
            f"On the twin SWAP's cohort has {gain:.3f} times ordinary practice's utility at "
            f"cost {of('SWAP', 'top-k', 'cost'):,.0f} against "
            f"{of('practice', 'top-k', 'cost'):,.0f} (the paper: {80.1 / 73.96:.3f}); "
            f"under w_div by region {region:.3f} times its "
            f"diversity (the paper: {22.1 / 20.47:.3f}). The rule `budget` at the same cost: "
            f"{of('budget', 'top-k', 'top') / of('practice', 'top-k', 'top'):.3f}."
        ),
        beside=_beside(of),
        notes=(COMPARABLE, SIGMA_NOTE),
    )


COMPARABLE = (
    "Comparable are ratios to actual or ordinary practice; w and T themselves are not, for the "
    "applicants are others. Ordinary practice on the twin stands where the paper has its "
    "committee: one review each, then interviews for the best until 2,000 is spent, chosen by "
    "plain means. The twin's utilities hardly differ between genders and regions, so w_div has "
    "less to gain from them than in the paper."
)


def _beside(of: Callable[[str, str, str], float]) -> FindingTable:
    """Compare tables 1 and 2 and the text's claims with ours."""
    practice = {name: of("practice", "top-k", name) for name in ("top", "cost")}
    rows: list[Row] = [
        {
            "quantity": "w, SWAP over actual (Table 1)",
            "paper": 80.1 / 73.96,
            "twin": of("SWAP", "top-k", "top") / practice["top"],
        },
        {
            "quantity": "T, SWAP over actual (Table 1)",
            "paper": 1978 / 2000,
            "twin": of("SWAP", "top-k", "cost") / practice["cost"],
        },
    ]
    printed = {"gender": (8.5 / 8.6, 12.1 / 11.8), "region": (8.0 / 8.6, 22.1 / 20.47)}
    for by, (top, diverse) in printed.items():
        rows += [
            {
                "quantity": f"√w_top, SWAP over actual, by {by} (Table 2)",
                "paper": top,
                "twin": math.sqrt(of("SWAP", by, "top") / of("practice", by, "top")),
            },
            {
                "quantity": f"w_div, SWAP over actual, by {by} (Table 2)",
                "paper": diverse,
                "twin": of("SWAP", by, "diverse") / of("practice", by, "diverse"),
            },
        ]
    swap_root = math.sqrt(of("SWAP", "region", "top"))
    rows += [
        {
            "quantity": "pulls per applicant, SWAP",
            "paper": 1.17,
            "twin": of("SWAP", "region", "pulls"),
        },
        {"quantity": "of these strong", "paper": 0.05, "twin": of("SWAP", "region", "strong")},
        {
            "quantity": "uniform: cost over SWAP's",
            "paper": 9.0,
            "twin": of("uniform", "region", "cost") / of("SWAP", "region", "cost"),
        },
        {
            "quantity": "uniform: √w_top over SWAP's",
            "paper": 8.3 / 8.0,
            "twin": math.sqrt(of("uniform", "region", "top")) / swap_root,
        },
        {
            "quantity": "random at ten times the cost: √w_top over SWAP's",
            "paper": 7.9 / 8.0,
            "twin": math.sqrt(of("random", "region", "top")) / swap_root,
        },
    ]
    return FindingTable.of(rows)


def _draw(name: str, tables: dict[str, FindingTable]) -> Figure:
    table = tables["admissions"].where(objective="region")
    figure, (axes,) = canvas(height=2.8)
    for number, row in enumerate(table.records()):
        value = float(row[name] or 0)
        axes.errorbar(
            float(row["cost"] or 0),
            math.sqrt(value) if name == "top" else value,
            color=LOOKS[number].colour,
            marker=LOOKS[number].marker,
            linestyle="none",
            markersize=6,
            label=str(row["way"]),
        )
    axes.set_xscale("symlog", linthresh=1000)
    axes.set_xticks([0, 1000, 10_000], ["0", "1,000", "10,000"])
    axes.set_xticks([], minor=True)
    label(
        axes,
        title="Cost and " + ("general utility" if name == "top" else "diversity by region"),
        x="cost T (reviews)",
        y="√w_top (root of the sum)" if name == "top" else "w_div (sum of regions' roots)",
    )
    axes.legend(fontsize=6)
    return figure


def areas(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Spend a share of the conference's own reviews, under w_div by area.

    Returns:
        `top` and `diverse` of the cohort over those of the papers really accepted, and `cost`
        over the reviews really given.
    """
    stream = stream_of(study)
    rows = []
    for run in runs:
        sheet = conference(str(cell["data"]), "iclr2023").shuffled(stream.generator(run))
        groups, actual = sheet.classes("area"), sheet.accepted
        value = Diverse(actual.size, groups)
        objective: Oracle = TopK(actual.size) if cell["objective"] == "top-k" else value
        given = float(sheet.limits.sum())
        budget = round(float(cell["share"]) * given)
        rng = stream.generator(run, purpose=1)
        played = play(budget_rule(batch=200), sheet, objective, budget=budget, rng=rng)
        rows.append(
            (
                float(sheet.truth[played.cohort].sum() / sheet.truth[actual].sum()),
                value.value(sheet.truth, played.cohort) / value.value(sheet.truth, actual),
                played.spent / given,
            )
        )
    return dict(zip(("top", "diverse", "cost"), np.array(rows).T, strict=True))


def _area_parts(effort: StudyEffort) -> Sequence[StudyPart]:
    cells = grid(
        objective=("top-k", "area"), share=(0.33, 0.5, 0.75, 1.0), data=[str(effort.data)]
    )
    return [StudyPart(name="areas", cells=cells, work=areas, full=5, quick=1, chunk=1)]


def _area_finding(_effort: StudyEffort, results: Mapping[str, Sequence[Result]]) -> Finding:
    rows: list[Row] = [
        {
            "objective": cell["objective"],
            "share_of_reviews": cell["share"],
            "runs": len(arrays["top"]),
            **{name: float(floats(arrays, name).mean()) for name in ("top", "diverse", "cost")},
        }
        for cell, arrays in results["areas"]
    ]
    table = FindingTable.of(rows)
    last = [row for row in rows if row["objective"] == "area"][-1]
    beside = FindingTable.of(
        [
            {
                "quantity": "general, over actual (area of study)",
                "paper": 8.3 / 8.6,
                "iclr2023": math.sqrt(float(last["top"] or 0)),
            },
            {
                "quantity": "diversity, over actual",
                "paper": 32.5 / 27.4,
                "iclr2023": float(last["diverse"] or 0),
            },
        ]
    )
    return Finding(
        tables={"admissions-area": table},
        figures={"admissions-area": _draw_areas},
        seen=(
            "On real reviews of 2023, `budget` under w_div over 15 areas reaches "
            f"{float(last['diverse'] or 0):.3f} of the diversity and "
            f"{float(last['top'] or 0):.3f} of the utility of the papers really "
            "accepted with all of their reviews."
        ),
        beside=beside,
        notes=(AREA_NOTE,),
    )


AREA_NOTE = (
    "General fit is compared as a root, as in the paper's table. A cohort is judged by the "
    "committee's own final marks, which the first marks do not yet know."
)


def _draw_areas(tables: dict[str, FindingTable]) -> Figure:
    figure, (axes,) = canvas(height=2.6)
    number = 0
    for objective in ("top-k", "area"):
        rows = tables["admissions-area"].where(objective=objective)
        for column, name in (("top", "utility"), ("diverse", "diversity")):
            series(
                axes,
                rows.numbers("share_of_reviews"),
                rows.numbers(column),
                name=f"{name}, objective {objective}",
                number=number,
            )
            number += 1
    axes.axhline(1.0, color="#767676", linewidth=0.8)
    label(
        axes,
        title="`budget` against the papers really accepted",
        x="share of the reviews really given",
        y="over the accepted papers' (ratio)",
    )
    axes.legend()
    return figure


STUDIES = (
    Study(
        name="admissions",
        group="admissions",
        title="Graduate admissions: utility, cost and diversity (Tables 1 and 2, Figure 6)",
        paper=(
            "SWAP: w 80.1 (0.5) at T 1978 (53); actual: 73.96 at about 2000. Gender: √w_top 8.5 "
            "against 8.6, w_div 12.1 against 11.8; region: 8.0 against 8.6, 22.1 against 20.47. "
            "Uniform at 9 times the cost: 8.3 and 11.8; random at 10 times: 7.9 and 11.16."
        ),
        parts=_parts,
        conclude=_finding,
    ),
    Study(
        name="admissions-gains",
        group="admissions",
        title="Cost of SWAP over s (appendix)",
        paper="Over many values of s the total cost stays near what the actual process spent.",
        parts=gain_parts,
        conclude=gain_finding,
    ),
    Study(
        name="admissions-area",
        group="admissions",
        title="Diversity over areas of study (appendix), on real reviews",
        paper="SWAP: general 8.3 (0.03), diversity 32.5 (0.03); actual: 8.6 and 27.4.",
        parts=_area_parts,
        conclude=_area_finding,
        lacking=lambda effort: missing(effort.data, ("iclr2023",)),
    ),
)
