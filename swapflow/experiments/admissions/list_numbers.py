"""Whether the numbers that staff read about a list are right: expected loss, H, probabilities.

A budget is spent by the rule `budget` in batches; then what the model says of the list is held
against the truth, which the model never sees.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from swapflow.automatic_reviewers.recorded_round import read_recording
from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.estimation.list_quality import quality_of_draws
from swapflow.bandit.estimation.posterior import joint_draws
from swapflow.bandit.oracles.oracle import DiverseExact, Oracle, TopK
from swapflow.bandit.situation import FloatArray, ListQuality
from swapflow.experiments.budgeted_sampler import BudgetedSampler
from swapflow.experiments.figures import canvas, label, series
from swapflow.experiments.finding import Finding, FindingTable, Row
from swapflow.experiments.known_rounds import TWIN_PLACES, KnownMarks, redrawn_twin
from swapflow.experiments.strategies import budget_rule
from swapflow.experiments.study import (
    Result,
    Study,
    StudyEffort,
    StudyPart,
    floats,
    mean_and_error,
)
from swapflow.experiments.sweep import Array, Cell
from swapflow.simulation.random_numbers import stream_of


BATCH = 40
BINS = 10
SMALL, SMALL_PLACES = 200, 30
GROUPS = 5
DRAWS = 64
INSTEVAL_SHARE = 10
"""One lecturer in this many is chosen."""


def numbers(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Spend a budget, and compare the model's numbers about the list with the truth."""
    stream = stream_of(study)
    rows = [
        _one_run(cell, stream.generator(run), stream.generator(run, purpose=1)) for run in runs
    ]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _one_run(
    cell: Cell, draw: np.random.Generator, rng: np.random.Generator
) -> dict[str, float | FloatArray]:
    sheet, objective = _round_of(cell, draw)
    sampler = BudgetedSampler(sheet, budget=round(float(cell["budget"]) * sheet.truth.size))
    budget_rule(batch=BATCH, severity=True, kind_offsets=True).spend(sampler, objective, rng)
    situation = sampler.situation()
    rule = BudgetRule(oracle=objective, severity=True, kind_offsets=True).refitted(situation)
    look = rule.look(situation)
    quality = look.quality
    if quality is None:
        assert rule.fitted is not None
        draws = joint_draws(
            situation.scores,
            n=situation.n,
            kinds=situation.kinds,
            fitted=rule.fitted,
            count=DRAWS,
            rng=rng,
        )
        quality = quality_of_draws(objective, draws, look.cohort)
    truth = _truth_of(cell, sheet, sampler)
    best = objective.best(truth)
    loss = objective.value(truth, best) - objective.value(truth, look.cohort)
    belong = float(np.intersect1d(best, look.cohort).size)
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
        return sheet, TopK(sheet.truth.size // INSTEVAL_SHARE)
    sheet = redrawn_twin(rng)
    if cell["round"] == "200 of the twin":
        sheet = replace(
            sheet,
            truth=sheet.truth[:SMALL],
            table=sheet.table[:SMALL],
            judges=sheet.judges[:SMALL],
            interviews=sheet.interviews[:SMALL],
        )
        return sheet, TopK(SMALL_PLACES)
    if cell["round"] == "twin, diverse":
        groups = rng.integers(0, GROUPS, sheet.truth.size)
        return sheet, DiverseExact(size=TWIN_PLACES, groups=groups)
    return sheet, TopK(TWIN_PLACES)


def _truth_of(cell: Cell, sheet: KnownMarks, sampler: BudgetedSampler) -> FloatArray:
    """Return the truth: for recorded marks the mean of those that were not seen."""
    if cell["round"] != "insteval":
        return sheet.truth
    unseen = np.arange(sheet.table.shape[1])[None, :] >= sampler.asked[:, :1]
    table = np.where(unseen, sheet.table, np.nan)
    counts = np.count_nonzero(~np.isnan(table), axis=1)
    return np.where(counts > 0, np.nansum(table, axis=1) / np.maximum(counts, 1), sheet.truth)


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
    cells: list[Cell] = [{"round": "twin", "budget": b} for b in (1.25, 2.0, 3.0)]
    cells += [{"round": "200 of the twin", "budget": b} for b in (1.5, 2.5)]
    cells += [{"round": "twin, diverse", "budget": b} for b in (1.5, 2.5)]
    if effort.data is not None and (effort.data / "insteval" / "scores.csv").exists():
        cells += [
            {"round": "insteval", "budget": b, "data": str(effort.data)} for b in (1.5, 2.0, 3.0)
        ]
    return [StudyPart(name="numbers", cells=cells, work=numbers, full=50, quick=3, chunk=5)]


def _rows(results: Sequence[Result]) -> list[Row]:
    rows: list[Row] = []
    for cell, arrays in results:
        loss, expected = floats(arrays, "loss"), floats(arrays, "expected")
        count, said, true = (
            floats(arrays, name).sum(axis=0) for name in ("count", "said", "true")
        )
        mean, error = mean_and_error(loss)
        rows.append(
            {
                "round": str(cell["round"]),
                "budget": float(cell["budget"]),
                "runs": loss.size,
                "expected": float(expected.mean()),
                "loss": mean,
                "loss_se": error,
                "expected_over_loss": float(expected.mean() / loss.mean()),
                "loss_covered": float(floats(arrays, "loss_covered").mean()),
                "belong": float(floats(arrays, "belong").mean()),
                "belong_true": float(floats(arrays, "belong_true").mean()),
                "belong_covered": float(floats(arrays, "belong_covered").mean()),
                "calibration_error": float(np.abs(said - true).sum() / count.sum()),
            }
        )
    return rows


def _reliability(results: Sequence[Result]) -> list[Row]:
    rows: list[Row] = []
    for cell, arrays in results:
        sums = [floats(arrays, name).sum(axis=0) for name in ("count", "said", "true")]
        for count, said, true in zip(*sums, strict=True):
            if count:
                rows.append(
                    {
                        "round": str(cell["round"]),
                        "budget": float(cell["budget"]),
                        "applicants": int(count),
                        "said": float(said / count),
                        "true": float(true / count),
                    }
                )
    return rows


def _finding(_effort: StudyEffort, results: Mapping[str, Sequence[Result]]) -> Finding:
    table = FindingTable.of(_rows(results["numbers"]))
    ratios, covered = table.numbers("expected_over_loss"), table.numbers("loss_covered")
    errors, belonging = table.numbers("calibration_error"), table.numbers("belong_covered")
    return Finding(
        tables={
            "list-quality": table,
            "list-quality-reliability": FindingTable.of(_reliability(results["numbers"])),
        },
        figures={"list-quality": _draw},
        seen=(
            f"The expected loss is {min(ratios):.2f} to {max(ratios):.2f} times the true one and "
            f"its 90 % range covers {100 * min(covered):.0f} to {100 * max(covered):.0f} % of "
            f"runs. The probabilities of being among the top err by {max(errors):.3f} at most, "
            f"and the range of H covers at least {100 * min(belonging):.0f} % of runs."
        ),
        notes=(
            (
                "Seeds are not those by which the factor 1.2 of the ranges was chosen. Losses are "
                "in the objective's units; under `diverse` 64 draws take the place of the closed "
                "form."
            ),
            (
                "The ICLR panel is no yardstick: the mean that would be its truth contains the "
                "marks that were seen. For insteval the truth is the mean of each lecturer's "
                "other marks."
            ),
        ),
    )


def _draw(tables: dict[str, FindingTable]) -> Figure:
    table = tables["list-quality-reliability"]
    figure, (axes,) = canvas(height=3.6)
    for number, name in enumerate(dict.fromkeys(str(r) for r in table.column("round"))):
        rows = sorted(table.where(round=name).records(), key=lambda row: float(row["said"] or 0))
        series(
            axes,
            [float(row["said"] or 0) for row in rows],
            [float(row["true"] or 0) for row in rows],
            name=name,
            number=number,
        )
    axes.plot([0, 1], [0, 1], color="0.6", linewidth=0.8)
    label(
        axes,
        title="Likely among the top: said and true",
        x="probability by the model",
        y="share really among the top",
    )
    figure.legend(loc="outside lower center", ncols=2)
    return figure


STUDIES = (
    Study(
        name="list-quality",
        group="beyond",
        title="Whether the numbers about a list are right",
        paper="Not in the paper, which has no model of the loss.",
        parts=_parts,
        conclude=_finding,
    ),
)
