"""The paper's admissions tables on the reviews of a real committee, where they are at hand.

The paper's applicants, scores and decisions are private. Here are a conference's: papers take the
place of applicants, those accepted that of the actual cohort, and the committee's own final marks
are what a cohort is worth. There are no interviews on record, so all pulls are weak (s = j = 1).
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.figure import Figure

from swapflow.bandit.oracles.oracle import Diverse, Oracle, TopK
from swapflow.bandit.paper import PaperRule
from swapflow.bandit.situation import FloatArray, IntArray, PullKind
from swapflow.experiments.budgeted_sampler import BudgetedSampler
from swapflow.experiments.figures import LOOKS, canvas, label
from swapflow.experiments.finding import Finding, FindingTable, Row
from swapflow.experiments.known_rounds import REVIEW, KnownMarks, conference, missing
from swapflow.experiments.strategies import CohortChoice, Even, budget_rule
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


CONFERENCE = "iclr2023"
SIGMA, DELTA = 0.007, 0.05
"""The radius's σ, as on the twin, where SWAP stops by itself near the paper's cost."""

TRUE_SIGMA = 0.169
"""How far one first mark lies from a paper's own mean, root mean square, on [0, 1]."""

EACH = 1.24
"""Reviews each that a way may spend: the paper's 1,978 over 1,600."""

WAYS = ("SWAP", "SWAP, true spread", "budget", "even", "all reviews", "accepted", "best possible")


class RecordThenModel:
    """First marks in a chance order, and marks drawn around the model once they are used up.

    The model is the committee's final mark. Implements `ScoreSource`.
    """

    def __init__(self, sheet: KnownMarks, stream: Stream, run: int) -> None:
        self._sheet, self._stream, self._run = sheet, stream, run
        self.truth: FloatArray = sheet.truth
        self.kinds: tuple[PullKind, ...] = (REVIEW,)
        self.limits: IntArray = np.full((sheet.truth.size, 1), 10**9)

    def marks(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> FloatArray:
        """Look a mark up, or draw it around the model."""
        noise = TRUE_SIGMA * self._stream.normals(self._run, arm, ordinal)
        drawn = np.clip(self.truth[arm] + noise, 0, 1)
        within = np.minimum(ordinal, self._sheet.table.shape[1] - 1)
        held = ordinal < self._sheet.limits[arm, 0]
        return np.where(held, self._sheet.marks(arm, kind, within), drawn)

    def reviewers(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> IntArray:  # noqa: ARG002 - the protocol's
        """Nobody in particular: the conference names none."""
        return np.full(np.broadcast_shapes(np.shape(arm), np.shape(kind)), -1, dtype=np.int64)


def real_experiment(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Choose a cohort of real papers by one way of working under one objective.

    Args:
        study: Name of the study.
        cell: `way`, `by` ("" for top-k, else an attribute), and `data`, the folder.
        runs: Numbers of the runs.

    Returns:
        `top` (sum of final marks), `diverse` (w_div by area) and `cost` of each run.
    """
    stream = stream_of(study)
    rows = []
    for run in runs:
        rng = stream.generator(run)
        sheet = conference(str(cell["data"]), CONFERENCE).shuffled(rng)
        by_area = Diverse(sheet.accepted.size, sheet.classes("area"))
        objective: Oracle = by_area if cell["by"] else TopK(sheet.accepted.size)
        sampler = BudgetedSampler(RecordThenModel(sheet, stream, run), budget=0.0)
        cohort, cost = _chosen(str(cell["way"]), sampler, sheet, objective, rng)
        rows.append((float(sheet.truth[cohort].sum()), by_area.value(sheet.truth, cohort), cost))
    return dict(zip(("top", "diverse", "cost"), np.array(rows).T, strict=True))


def _chosen(
    way: str,
    sampler: BudgetedSampler,
    sheet: KnownMarks,
    objective: Oracle,
    rng: np.random.Generator,
) -> tuple[IntArray, float]:
    """Spend as the way of working does; return its cohort and what it cost."""
    sampler.budget = round(EACH * sampler.n)
    match way:
        case "SWAP" | "SWAP, true spread":
            cohort = _swap(sampler, objective, rng, SIGMA if way == "SWAP" else TRUE_SIGMA)
        case "budget":
            cohort = budget_rule(batch=50).spend(sampler, objective, rng)
        case "even":
            cohort = Even(choice=CohortChoice.MEAN).spend(sampler, objective, rng)
        case "accepted":
            return sheet.accepted, float(sheet.limits.sum())
        case "best possible":
            return objective.best(sheet.truth), 0.0
        case _:
            sampler.budget = float(sheet.limits.sum())
            for given in range(sheet.table.shape[1]):
                sampler.ask(np.flatnonzero(sheet.limits[:, 0] > given))
            cohort = objective.best(sampler.mean)
    return cohort, sampler.spent


def _swap(
    sampler: BudgetedSampler, objective: Oracle, rng: np.random.Generator, sigma: float
) -> IntArray:
    """Algorithm 1, one pull at a time, until it stops or the budget is spent."""
    sampler.ask(np.arange(sampler.n))
    rule = PaperRule(oracle=objective, sigma=sigma, delta=DELTA)
    while True:
        situation = sampler.situation()
        look = rule.look(situation)
        if look.stop is not None or sampler.affordable() < 1:
            return look.cohort
        picks = rule.choose(situation, look, at_most=1, rng=rng).picks
        if not picks:
            return look.cohort
        sampler.ask(np.array([picks[0].arm]), picks[0].kind)


def _parts(effort: StudyEffort) -> Sequence[StudyPart]:
    cells = grid(way=WAYS, by=("", "area"), data=[str(effort.data)])
    return [StudyPart(name="ways", cells=cells, work=real_experiment, full=5, quick=1, chunk=1)]


def _finding(_effort: StudyEffort, results: Mapping[str, Sequence[Result]]) -> Finding:
    rows: list[Row] = []
    for cell, arrays in results["ways"]:
        row: dict[str, float | int | str | bool | None] = {
            "way": cell["way"],
            "objective": str(cell["by"]) or "top-k",
            "runs": len(arrays["top"]),
        }
        for name in ("top", "diverse", "cost"):
            mean, error = mean_and_error(floats(arrays, name))
            row[name], row[f"{name}_se"] = mean, None if math.isnan(error) else error
        rows.append(row)
    table = FindingTable.of(rows)
    found = {(r["way"], r["objective"]): r for r in rows}

    def ratio(name: str, objective: str, way: str, of: str = "accepted") -> float:
        return float(found[way, objective][name] or 0) / float(found[of, objective][name] or 1)

    beside: list[Row] = []
    printed = (
        ("w, SWAP over actual (Table 1)", 80.1 / 73.96, "top", "top-k"),
        ("T, SWAP over actual (Table 1)", 1978 / 2000, "cost", "top-k"),
        ("√w_top, SWAP over actual, by area (Table 2)", 8.3 / 8.6, "top", "area"),
        ("w_div, SWAP over actual, by area (Table 2)", 32.5 / 27.4, "diverse", "area"),
    )
    for quantity, paper, name, objective in printed:
        own = {way: ratio(name, objective, way) for way in ("SWAP", "budget", "even")}
        if quantity.startswith("√"):
            own = {way: math.sqrt(value) for way, value in own.items()}
        named = {f"{CONFERENCE}, {way}": value for way, value in own.items()}
        beside.append({"quantity": quantity, "paper": paper, **named})
    return Finding(
        tables={"admissions-reviews": table},
        figures={
            "admissions-reviews-top": partial(_draw, "top"),
            "admissions-reviews-diverse": partial(_draw, "diverse"),
        },
        seen=(
            f"With {ratio('cost', 'top-k', 'SWAP'):.0%} of the committee's reviews SWAP's cohort "
            f"has {ratio('top', 'top-k', 'SWAP'):.3f} times the utility of the papers accepted, "
            f"`budget`'s {ratio('top', 'top-k', 'budget'):.3f} and even reviewing's "
            f"{ratio('top', 'top-k', 'even'):.3f} times; with all first marks it is "
            f"{ratio('top', 'top-k', 'all reviews'):.3f}. Under w_div by area SWAP reaches "
            f"{ratio('diverse', 'area', 'SWAP'):.3f} times their diversity."
        ),
        beside=FindingTable.of(beside),
        notes=(NOTE,),
    )


NOTE = (
    "3,842 papers, 1,565 accepted, 3.8 first marks each. The committee saw all marks and decided "
    "by the final ones, by which every cohort is judged here, so nothing that knows first marks "
    "only can be far above 1: what compares with the paper is how little is lost at a third of "
    "the cost. There are no interviews on record (s = j = 1), and areas stand where the paper has "
    "areas of study. SWAP believes in a spread of .007, as on the twin (the marks spread by "
    ".169), and is cut at 1.24 reviews each. Once a paper's first marks are used up, marks are "
    "drawn around its final one, which flatters a rule that asks often about the same paper."
)


def _draw(name: str, tables: dict[str, FindingTable]) -> Figure:
    objective = "top-k" if name == "top" else "area"
    table = tables["admissions-reviews"].where(objective=objective)
    accepted = table.where(way="accepted").numbers(name)[0]
    figure, (axes,) = canvas(height=2.8)
    for number, row in enumerate(table.records()):
        axes.errorbar(
            float(row["cost"] or 0),
            float(row[name] or 0) / accepted,
            yerr=1.96 * float(row[f"{name}_se"] or 0) / accepted,
            color=LOOKS[number].colour,
            marker=LOOKS[number].marker,
            linestyle="none",
            markersize=6,
            label=str(row["way"]),
        )
    axes.axhline(1.0, color="#767676", linewidth=0.8)
    label(
        axes,
        title="Real reviews: " + ("utility" if name == "top" else "diversity by area"),
        x="cost T (reviews)",
        y=("utility" if name == "top" else "w_div") + " (papers accepted: 1)",
    )
    axes.legend(fontsize=6, loc="lower right")
    return figure


STUDIES = (
    Study(
        name="admissions-reviews",
        group="admissions",
        title="The admissions tables on a real committee's reviews",
        paper=(
            "SWAP: w 80.1 (0.5) at T 1978 (53); actual: 73.96 at about 2000. By area of study: "
            "√w_top 8.3 against 8.6, w_div 32.5 against 27.4."
        ),
        parts=_parts,
        conclude=_finding,
        lacking=lambda effort: missing(effort.data, (CONFERENCE,)),
    ),
)
