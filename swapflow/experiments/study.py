"""A study: what is to be computed, at which effort, and how the results become a finding."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from swapflow.bandit.situation import FloatArray
from swapflow.experiments.finding import Finding
from swapflow.experiments.sweep import CHUNK, Array, Cell, ChunkRunner, Report, Sweep, Work, sweep


Result = tuple[Cell, Mapping[str, Array]]
"""A cell, and its arrays by name with one row per run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyEffort:
    """How much is to be computed.

    Attributes:
        full: Whether the size is that of the paper, or a tenth and less.
        runs: Runs of every cell, where another number is asked for.
        seed: Where random numbers start.
        data: Folder of recorded reviews that may not be passed on, if there is one.
    """

    full: bool = False
    runs: int | None = None
    seed: int = 0
    data: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPart:
    """One sweep of a study.

    Attributes:
        name: Name within the study.
        cells: Its cells.
        work: Computes some runs of a cell.
        full: Runs per cell at full size.
        quick: Runs per cell for a first look.
        chunk: Runs per chunk.
    """

    name: str
    cells: Sequence[Cell]
    work: Work
    full: int
    quick: int
    chunk: int = CHUNK

    def runs(self, effort: StudyEffort) -> int:
        """Return the runs per cell."""
        return effort.runs or (self.full if effort.full else self.quick)


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """One table or figure of the paper, or of those beyond it.

    Attributes:
        name: What the command calls it.
        group: "paper", "admissions", "theorems" or "beyond".
        title: Heading.
        paper: What the paper shows, in one sentence.
        parts: What is to be computed.
        conclude: Makes the finding of each part's results, by the part's name.
        lacking: Says why it cannot be run here, "" if it can.
    """

    name: str
    group: str
    title: str
    paper: str
    parts: Callable[[StudyEffort], Sequence[StudyPart]]
    conclude: Callable[[StudyEffort, Mapping[str, Sequence[Result]]], Finding]
    lacking: Callable[[StudyEffort], str] = field(default=lambda _effort: "")

    def run(
        self,
        effort: StudyEffort,
        chunks: Path,
        *,
        spread: ChunkRunner,
        report: Report,
        fresh: bool = False,
    ) -> Finding:
        """Compute what is missing in the folder of chunks, and conclude.

        The seed is a part of the study's name for random numbers, so chunks of one seed are
        never taken for those of another.
        """
        results: dict[str, Sequence[Result]] = {}
        for part in self.parts(effort):
            plan = Sweep(
                study=f"{self.name}/{part.name}/{effort.seed}",
                cells=part.cells,
                work=part.work,
                runs=part.runs(effort),
                chunk=min(part.chunk, part.runs(effort)),
            )
            arrays = sweep(plan, chunks / self.name, spread=spread, report=report, fresh=fresh)
            results[part.name] = list(zip(part.cells, arrays, strict=True))
        return self.conclude(effort, results)

    def effort_in_words(self, effort: StudyEffort) -> str:
        """Return how many runs of how many cells."""
        sizes = [
            f"{part.runs(effort):,} runs of {len(part.cells):,} cells"
            for part in self.parts(effort)
        ]
        return "; ".join(dict.fromkeys(sizes)) or "one run"


def grid(**axes: Sequence[float | int | str | bool]) -> list[Cell]:
    """List the cells of all combinations, the last axis changing fastest."""
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def floats(result: Mapping[str, Array], name: str) -> FloatArray:
    """Return one array of a result as floats."""
    return np.asarray(result[name], dtype=np.float64)


def mean_and_error(values: FloatArray) -> tuple[float, float]:
    """Return a mean and its standard error; the error of a single value is not known (NaN)."""
    if values.size <= 1:
        return float(values.mean()), float("nan")
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(values.size))
