"""Whether the numbers that staff read about a list are right: expected loss, H, probabilities.

A budget is spent by the rule `budget` in batches; then what the model says of the list is held
against the truth, which the model never sees.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from swapflow.automatic_reviewers.recorded_round import read_recording
from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.estimation.list_quality import list_quality, quality_of_draws
from swapflow.bandit.estimation.posterior import joint_draws
from swapflow.bandit.oracles.oracle import DiverseExact, Oracle, TopK
from swapflow.bandit.oracles.quota import Quota
from swapflow.bandit.situation import FloatArray, IntArray, ListQuality
from swapflow.experiments.admissions.list_numbers_finding import COUNTED, finding
from swapflow.experiments.budgeted_sampler import BudgetedSampler
from swapflow.experiments.known_rounds import TWIN_PLACES, KnownMarks, redrawn_twin
from swapflow.experiments.study import (
    Study,
    StudyEffort,
    StudyPart,
)
from swapflow.experiments.sweep import Array, Cell
from swapflow.simulation.random_numbers import stream_of


USUAL_BATCHES = 40
BATCHES = {"insteval": 10}
"""Batches in which one review each would go out: a batch is this part of the applicants."""

REFIT_GROWTH = {"insteval": 0.5}
"""Growth of the marks after which the model is fitted again, where not by a tenth.

The lecturers were marked by many people, and fitting is what a run spends its time on, so batches
are large too. The numbers that are compared always come from a fit to all marks.
"""

BINS = 10
SMALL = {
    "200 of the twin": (200, 30),
    "like the demo's master's program": (1000, 30),
    "like the demo's doctoral program": (600, 120),
}
"""Applicants and places of redraws of a part of the twin."""

GROUPS = 5
DRAWS = 64
LECTURERS, LECTURERS_CHOSEN = 300, 30
"""Lecturers of a run, drawn anew from the 1,128, and how many of them are chosen.

With all of them, thousands of people marked, and a fit of their severities takes minutes.
"""


def numbers(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Spend budgets, and compare the model's numbers about the list with the truth at each.

    Args:
        study: Name of the study.
        cell: `round`, and `budgets`, reviews each with blanks between, rising; `floor`, reviews
            for everybody, where it is not 1; for recorded marks also `data`, the folder.
        runs: Numbers of the runs.

    Returns:
        Figures of each run, named by the budget.
    """
    stream = stream_of(study)
    rows = [
        _one_run(cell, stream.generator(run), stream.generator(run, purpose=1)) for run in runs
    ]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _one_run(
    cell: Cell, draw: np.random.Generator, rng: np.random.Generator
) -> dict[str, float | FloatArray]:
    sheet, objective = _round_of(cell, draw)
    sampler = BudgetedSampler(sheet, budget=float(sheet.truth.size))
    floor = int(cell.get("floor", 1))
    sampler.budget *= floor
    for _ in range(floor):
        sampler.ask(np.arange(sampler.n))
    rule = BudgetRule(
        oracle=objective,
        severity=True,
        kind_offsets=True,
        tolerance=0.0,
        refit_growth=REFIT_GROWTH.get(str(cell["round"]), 0.1),
    )
    batch = sampler.n // BATCHES.get(str(cell["round"]), USUAL_BATCHES)
    found: dict[str, float | FloatArray] = {}
    for budget in str(cell["budgets"]).split():
        sampler.budget = float(round(float(budget) * sampler.n))
        rule = _fitted_to_all(_spend(sampler, rule, batch=batch, rng=rng), sampler)
        figures = _judged(cell, sampler, rule, rng)
        found |= {f"{budget} {name}": value for name, value in figures.items()}
    return found


def _spend(
    sampler: BudgetedSampler, rule: BudgetRule, *, batch: int, rng: np.random.Generator
) -> BudgetRule:
    """Look and ask until the budget is spent; return the rule with its last fit."""
    while True:
        situation = sampler.situation()
        if rule.needs_refit(situation.scores.mark.size):
            rule = rule.refitted(situation)
        picks = rule.choose(situation, rule.look(situation), at_most=batch, rng=rng).picks
        if not picks:
            return rule
        for kind in range(len(sampler.kinds)):
            arms = [pick.arm for pick in picks if pick.kind == kind]
            sampler.ask(np.array(arms, dtype=np.int64), kind)


def _fitted_to_all(rule: BudgetRule, sampler: BudgetedSampler) -> BudgetRule:
    situation = sampler.situation()
    fresh = rule.fitted is not None and rule.fitted.count == situation.scores.mark.size
    return rule if fresh else rule.refitted(situation)


def _judged(
    cell: Cell, sampler: BudgetedSampler, rule: BudgetRule, rng: np.random.Generator
) -> dict[str, float | FloatArray]:
    """Hold the model's numbers about the list of this moment against the truth."""
    situation, objective = sampler.situation(), rule.oracle
    look = rule.look(situation)
    assert rule.fitted is not None
    quality = look.quality
    if quality is None:
        draws = joint_draws(
            situation.scores,
            n=situation.n,
            kinds=situation.kinds,
            fitted=rule.fitted,
            count=DRAWS,
            rng=rng,
        )
        quality = quality_of_draws(objective, draws, look.cohort)
    truth, others = _truth_of(cell, sampler)
    best = objective.best(truth)
    loss = objective.value(truth, best) - objective.value(truth, look.cohort)
    found = _held_against(quality, look.cohort, best=best, loss=loss)
    if cell["round"] == "insteval":
        # The truth is itself a mean of marks: its noise moves the best list and what it is worth.
        noise = (rule.fitted.noise_variance + rule.fitted.severity_variance) / others
        deviation = np.sqrt((look.radius / rule.quantile) ** 2 + noise)
        counted = list_quality(look.estimate, deviation, look.cohort)
        again = _held_against(counted, look.cohort, best=best, loss=loss)
        found |= {f"{COUNTED}{name}": value for name, value in again.items()}
    return found


def _held_against(
    quality: ListQuality, cohort: IntArray, *, best: IntArray, loss: float
) -> dict[str, float | FloatArray]:
    belong = float(np.intersect1d(best, cohort).size)
    return {
        "expected": quality.expected_loss,
        "loss": loss,
        "loss_covered": _within(loss, quality.loss_range),
        "belong": quality.belong,
        "belong_true": belong,
        "belong_covered": _within(belong, quality.belong_range),
        **_bins(quality, best),
    }


def _round_of(cell: Cell, rng: np.random.Generator) -> tuple[KnownMarks, Oracle]:
    """Return a fresh round of this cell's sort and its objective."""
    if cell["round"] == "insteval":
        sheet = KnownMarks.of(read_recording(Path(str(cell["data"])) / "insteval")).shuffled(rng)
        return _first_of(sheet, LECTURERS), TopK(LECTURERS_CHOSEN)
    sheet = redrawn_twin(rng)
    if cell["round"] in SMALL:
        n, places = SMALL[str(cell["round"])]
        return _first_of(sheet, n), TopK(places)
    groups = rng.integers(0, GROUPS, sheet.truth.size)
    if cell["round"] == "twin, diverse":
        return sheet, DiverseExact(size=TWIN_PLACES, groups=groups)
    if cell["round"] == "twin, quotas":
        each = np.full(GROUPS, TWIN_PLACES // GROUPS)
        return sheet, Quota(size=TWIN_PLACES, groups=groups, minimum=each, maximum=each)
    return sheet, TopK(TWIN_PLACES)


def _first_of(sheet: KnownMarks, n: int) -> KnownMarks:
    return replace(
        sheet,
        truth=sheet.truth[:n],
        table=sheet.table[:n],
        judges=sheet.judges[:n],
        interviews=sheet.interviews[:n],
    )


def _truth_of(cell: Cell, sampler: BudgetedSampler) -> tuple[FloatArray, FloatArray]:
    """Return the truth, and the marks of which it is the mean (for recorded marks), each (n,).

    For recorded marks it is the mean of those that were not seen.
    """
    sheet = sampler.source
    if not isinstance(sheet, KnownMarks) or cell["round"] != "insteval":
        return sheet.truth, np.full(sheet.truth.size, np.inf)
    unseen = np.arange(sheet.table.shape[1])[None, :] >= sampler.asked[:, :1]
    table = np.where(unseen, sheet.table, np.nan)
    counts = np.count_nonzero(~np.isnan(table), axis=1)
    truth = np.where(counts > 0, np.nansum(table, axis=1) / np.maximum(counts, 1), sheet.truth)
    return truth, np.maximum(counts, 1).astype(np.float64)


def _within(value: float, ends: tuple[float, float]) -> float:
    return float(ends[0] <= value <= ends[1])


def _bins(quality: ListQuality, best: np.ndarray) -> dict[str, FloatArray]:
    """Sum probabilities and outcomes by tenths of the probability."""
    among = np.zeros(quality.likely.size)
    among[best] = 1
    place = np.minimum((BINS * quality.likely).astype(np.int64), BINS - 1)
    return {
        "count": np.bincount(place, minlength=BINS).astype(np.float64),
        "said": np.bincount(place, quality.likely, minlength=BINS).astype(np.float64),
        "true": np.bincount(place, among, minlength=BINS).astype(np.float64),
    }


def _parts(effort: StudyEffort) -> Sequence[StudyPart]:
    cells: list[Cell] = [
        {"round": "twin", "budgets": "1.25 2 3"},
        {"round": "200 of the twin", "budgets": "1.5 2.5"},
        {"round": "like the demo's master's program", "floor": 2, "budgets": "2.5"},
        {"round": "like the demo's doctoral program", "floor": 2, "budgets": "2.5"},
        {"round": "twin, quotas", "budgets": "1.25 2 3"},
        {"round": "twin, diverse", "budgets": "1.25 2 3"},
    ]
    parts = [StudyPart(name="redraws", cells=cells, work=numbers, full=50, quick=3, chunk=10)]
    if effort.data is not None and (effort.data / "insteval" / "scores.csv").exists():
        real: list[Cell] = [{"round": "insteval", "budgets": "1.5 2 3", "data": str(effort.data)}]
        parts.append(
            StudyPart(name="insteval", cells=real, work=numbers, full=50, quick=2, chunk=2)
        )
    return parts


STUDIES = (
    Study(
        name="list-quality",
        group="beyond",
        title="Whether the numbers about a list are right",
        paper="Not in the paper, which has no model of the loss.",
        parts=_parts,
        conclude=finding,
    ),
)
