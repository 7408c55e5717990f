"""What interviews of several gains and costs bring on the twin."""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from matplotlib.figure import Figure

from swapflow.bandit.oracles.oracle import Diverse, Oracle, TopK
from swapflow.bandit.paper import PaperRule
from swapflow.bandit.situation import FloatArray, IntArray, PullKind
from swapflow.experiments.budgeted_sampler import BudgetedSampler
from swapflow.experiments.figures import canvas, label, series
from swapflow.experiments.finding import Finding, FindingTable, Row
from swapflow.experiments.known_rounds import (
    INTERVIEW,
    REVIEW,
    TWIN_PLACES,
    TWIN_SIGMA,
    KnownMarks,
    twin,
)
from swapflow.experiments.strategies import CohortChoice, TwoTier, budget_rule
from swapflow.experiments.study import Result, StudyEffort, StudyPart, floats, grid, mean_and_error
from swapflow.experiments.sweep import Array, Cell
from swapflow.simulation.random_numbers import Stream, stream_of


SIGMA, DELTA = 0.007, 0.05
"""The radius's σ at which SWAP stops by itself near the paper's 1,978; marks spread .15."""


PAPER_COST = 2000


UNBOUNDED = 1e12


class WithFallback:
    """The twin's marks in order, and scores drawn around a model once they are used up.

    So the paper's experiments went on beyond the reviews on record. Implements `ScoreSource`.
    """

    def __init__(self, sheet: KnownMarks, gain: float, stream: Stream, run: int) -> None:
        self._sheet, self._stream, self._run = sheet, stream, run
        self.truth: FloatArray = sheet.truth
        self.kinds: tuple[PullKind, ...] = (REVIEW, PullKind(cost=INTERVIEW.cost, gain=gain))
        self.limits: IntArray = np.full((sheet.truth.size, 2), 10**9)

    def marks(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> FloatArray:
        """Look a mark up, or draw it around the truth with the kind's spread."""
        held = np.where(kind == 0, self._sheet.limits[arm, 0], self._sheet.limits[arm, -1])
        real = ordinal < held
        gain = np.array([1.0, self.kinds[1].gain])[kind]
        noise = TWIN_SIGMA / np.sqrt(gain) * self._stream.normals(self._run, arm, ordinal, kind)
        drawn = np.clip(self.truth[arm] + noise, 0, 1)
        within = np.minimum(ordinal, self._sheet.table.shape[1] - 1)
        recorded = self._sheet.marks(arm, kind, within)
        # An interview on record has the information of seven reviews, whatever s is believed.
        return np.where(real & ((kind == 0) | (gain == INTERVIEW.gain)), recorded, drawn)

    def reviewers(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> IntArray:  # noqa: ARG002 - the protocol's
        """Nobody in particular: the paper knows no reviewers."""
        return np.full(np.broadcast_shapes(np.shape(arm), np.shape(kind)), -1, dtype=np.int64)


GAINS = tuple(float(s) for s in range(1, 21))


def experiment(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Choose a cohort by one way of working under one objective.

    Args:
        study: Name of the study.
        cell: `way`, `by` ("" for top-k, else an attribute), `s`, and `only` (a program or "").
        runs: Numbers of the runs.

    Returns:
        `top` (sum of utilities), `diverse` (w_div by the attribute), `cost`, `pulls` and `strong`
        per applicant and share, of each run.
    """
    stream = stream_of(study)
    rows = []
    for run in runs:
        rng = stream.generator(run)
        sheet = _twin_of(str(cell["only"])).shuffled(rng)
        objective = _objective(sheet, str(cell["by"]), _places(str(cell["only"])))
        source = WithFallback(sheet, float(cell["s"]), stream, run)
        sampler = BudgetedSampler(source, budget=UNBOUNDED)
        cohort = _chosen(str(cell["way"]), sampler, sheet, objective, rng)
        groups = (
            np.zeros(sampler.n, dtype=np.int64)
            if not cell["by"]
            else sheet.classes(str(cell["by"]))
        )
        rows.append(
            (
                float(sheet.truth[cohort].sum()),
                Diverse(cohort.size, groups).value(sheet.truth, cohort),
                sampler.spent,
                float(sampler.asked.sum()) / sampler.n,
                float(sampler.asked[:, 1].sum() / max(sampler.asked.sum(), 1)),
            )
        )
    names = ("top", "diverse", "cost", "pulls", "strong")
    return dict(zip(names, np.array(rows).T, strict=True))


def _chosen(
    way: str,
    sampler: BudgetedSampler,
    sheet: KnownMarks,
    objective: Oracle,
    rng: np.random.Generator,
) -> IntArray:
    """Spend as the way of working does, and name its cohort."""
    match way:
        case "SWAP" | "SWAP, true spread":
            own = way == "SWAP"
            limit, sigma = (math.inf, SIGMA) if own else (PAPER_COST, TWIN_SIGMA)
            return _swap(sampler, objective, rng, limit=limit, sigma=sigma)
        case "practice":
            sampler.budget = PAPER_COST
            return TwoTier(choice=CohortChoice.MEAN).spend(sampler, TopK(objective.size), rng)
        case "budget":
            sampler.budget = PAPER_COST
            return budget_rule(batch=50).spend(sampler, objective, rng)
        case "uniform":
            for kind in (0, 1):
                sampler.ask(np.arange(sampler.n), kind)
        case "random":
            while sampler.spent < 10 * PAPER_COST:
                sampler.ask(rng.integers(sampler.n, size=sampler.n // 2), int(rng.integers(2)))
        case _:
            return objective.best(sheet.truth)
    return objective.best(sampler.mean)


def _swap(
    sampler: BudgetedSampler,
    objective: Oracle,
    rng: np.random.Generator,
    *,
    limit: float,
    sigma: float,
) -> IntArray:
    """Algorithm 1, one pull at a time, until it stops or the limit is spent."""
    sampler.ask(np.arange(sampler.n))
    rule = PaperRule(oracle=objective, sigma=sigma, delta=DELTA)
    while True:
        situation = sampler.situation()
        look = rule.look(situation)
        if look.stop is not None or sampler.spent >= limit:
            return look.cohort
        picks = rule.choose(situation, look, at_most=1, rng=rng).picks
        if not picks:
            return look.cohort
        sampler.ask(np.array([picks[0].arm]), picks[0].kind)


@lru_cache(maxsize=4)
def _twin_of(program: str) -> KnownMarks:
    sheet = twin()
    if not program:
        return sheet
    kept = np.flatnonzero(np.array(sheet.groups["program"]) == program)
    return KnownMarks(
        truth=sheet.truth[kept],
        table=sheet.table[kept],
        judges=sheet.judges[kept],
        interviews=sheet.interviews[kept],
        accepted=np.zeros(0, dtype=np.int64),
        groups={k: tuple(np.array(v)[kept].tolist()) for k, v in sheet.groups.items()},
        kinds=sheet.kinds,
    )


def _places(program: str) -> int:
    return {"": TWIN_PLACES, "MS": 30, "PhD": 120}[program]


def _objective(sheet: KnownMarks, by: str, size: int) -> Oracle:
    return Diverse(size, sheet.classes(by)) if by else TopK(size)


def gain_parts(effort: StudyEffort) -> Sequence[StudyPart]:
    """List the runs of the study of gains."""
    gains = GAINS if effort.full else (1.0, 5.0, 7.0, 10.0, 20.0)
    cells = grid(way=["SWAP"], by=[""], s=gains, only=("MS", "PhD"))
    return [StudyPart(name="gains", cells=cells, work=experiment, full=10, quick=1, chunk=1)]


SIGMA_NOTE = (
    "SWAP stops by itself near the paper's 1,978 only if its radius believes in marks that spread "
    "by .007; they spread by .15. With the true spread it is cut at 2,000 and reviews almost "
    "evenly (row `SWAP, true spread`). Once an applicant's marks are used up they are drawn "
    "around the model's score, as in the paper."
)


def gain_finding(_effort: StudyEffort, results: Mapping[str, Sequence[Result]]) -> Finding:
    """Build the finding of the study of gains from its runs."""
    rows: list[Row] = []
    for cell, arrays in results["gains"]:
        cost, error = mean_and_error(floats(arrays, "cost"))
        rows.append(
            {
                "program": cell["only"],
                "s": cell["s"],
                "runs": len(arrays["cost"]),
                "cost": cost,
                "cost_se": error if error == error else None,  # noqa: PLR0124 - not NaN
                "strong_share": float(floats(arrays, "strong").mean()),
            }
        )
    table = FindingTable.of(rows)
    low, high = min(table.numbers("cost")), max(table.numbers("cost"))
    return Finding(
        tables={"admissions-gains": table},
        figures={"admissions-gains": _draw_gains},
        seen=(
            f"Over s the cost of SWAP runs from {low:,.0f} to {high:,.0f} for the two programs of "
            "the twin (1,000 and 600 applicants); with σ fixed, it rises with the share of strong "
            "pulls wherever few reviews would do."
        ),
        notes=(SIGMA_NOTE,),
    )


def _draw_gains(tables: dict[str, FindingTable]) -> Figure:
    figure, (axes,) = canvas(height=2.5)
    for number, program in enumerate(("MS", "PhD")):
        rows = tables["admissions-gains"].where(program=program)
        errors = [0.0 if e != e else e for e in rows.numbers("cost_se")]  # noqa: PLR0124 - NaN
        series(
            axes,
            rows.numbers("s"),
            rows.numbers("cost"),
            name=program,
            number=number,
            error=errors,
        )
    label(
        axes,
        title="Cost of SWAP over s (j = 6)",
        x="s, information of an interview (reviews)",
        y="cost T (reviews)",
    )
    axes.set_ylim(bottom=0)
    axes.set_xticks([1, 5, 10, 15, 20])
    axes.legend()
    return figure
