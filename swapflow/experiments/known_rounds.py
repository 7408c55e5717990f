"""Rounds with marks that are known beforehand: past ones, the packaged twin, and redraws of it.

The twin takes the place of the paper's private admissions data: 1,600 applicants, 45 reviewers
whose severity is known, up to four reviews each and one interview.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Self

import numpy as np

from swapflow.automatic_reviewers.recorded_round import Recording, read_recording
from swapflow.bandit.estimation.posterior import NO_REVIEWER
from swapflow.bandit.situation import FloatArray, IntArray, PullKind
from swapflow.errors import InvalidInputError


REVIEW = PullKind(cost=1.0, gain=1.0)
INTERVIEW = PullKind(cost=6.0, gain=7.0)
"""Six reviews' time, seven reviews' information: the twin's interviews are made so."""

TWIN = Path(read_recording.__code__.co_filename).with_name("data") / "synthetic_twin"
TWIN_PLACES = 150
"""3 % of 1,000 and 20 % of 600 applicants, as in the paper."""

TWIN_SIGMA, TWIN_SEVERITY, TWIN_SPREAD, TWIN_LEVEL = 0.153, 0.049, 0.117, 0.4955
TWIN_APPLICANTS, TWIN_REVIEWERS, TWIN_REVIEWS = 1600, 45, 4
TWIN_MARKS = (0.0, 2 / 9, 4 / 9, 5 / 9, 7 / 9, 1.0)
"""Marks 1, 3, 5, 6, 8 and 10 of 10 as utilities."""

CONFERENCES = {
    "iclr2023": ("iclr2023", ""),
    "iclr2022": ("iclr_prev", "2022"),
    "iclr2021": ("iclr_prev", "2021"),
}
"""Folder and year of each conference; their rows stay in the data folder."""


@dataclass(frozen=True, eq=False, kw_only=True)
class KnownMarks:
    """A round's marks in arrays; implements `ScoreSource`.

    Attributes:
        truth: What a cohort is judged by, shape (n,).
        table: Reviews in the order in which they are given, NaN after the last, (n, most).
        judges: Who gave them, `NO_REVIEWER` where not known, shape (n, most).
        interviews: One interview each; NaN, or all NaN, where there is none, shape (n,).
        accepted: Whether each was really chosen; empty where nothing is on record.
        groups: Attributes of each by name.
        kinds: One kind, or two where there are interviews.
    """

    truth: FloatArray
    table: FloatArray
    judges: IntArray
    interviews: FloatArray
    accepted: IntArray
    groups: Mapping[str, tuple[str, ...]]
    kinds: tuple[PullKind, ...]

    @classmethod
    def of(cls, recording: Recording) -> Self:
        """Convert a recording to arrays."""
        n, most = len(recording.items), recording.most_reviews
        number = {name: place for place, name in enumerate(recording.reviewers)}
        table = np.full((n, most), np.nan)
        judges = np.full((n, most), NO_REVIEWER, dtype=np.int64)
        for arm, item in enumerate(recording.items):
            reviews = recording.reviews[item]
            table[arm, : len(reviews)] = [review.utility for review in reviews]
            judges[arm, : len(reviews)] = [number.get(r.reviewer, NO_REVIEWER) for r in reviews]
        names = sorted({name for groups in recording.groups.values() for name in groups})
        held = recording.interviews
        return cls(
            truth=np.array([recording.utility[item] for item in recording.items]),
            table=table,
            judges=judges,
            interviews=np.array([held.get(item, np.nan) for item in recording.items]),
            accepted=np.flatnonzero([item in recording.accepted for item in recording.items]),
            groups={
                name: tuple(recording.groups[item].get(name, "") for item in recording.items)
                for name in names
            },
            kinds=(REVIEW, INTERVIEW) if held else (REVIEW,),
        )

    @property
    def limits(self) -> IntArray:
        """What is on record."""
        limits = [np.count_nonzero(~np.isnan(self.table), axis=1)]
        if len(self.kinds) > 1:
            limits.append(~np.isnan(self.interviews))
        return np.column_stack(limits).astype(np.int64)

    def marks(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> FloatArray:
        """Look marks up."""
        return np.where(kind == 0, self.table[arm, ordinal], self.interviews[arm])

    def reviewers(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> IntArray:
        """Look reviewers up; interviews come from nobody in particular."""
        return np.where(kind == 0, self.judges[arm, ordinal], NO_REVIEWER)

    def shuffled(self, rng: np.random.Generator) -> Self:
        """Reorder applicants, which decides ties, and the marks within each."""
        rows = rng.permutation(self.truth.size)
        key = np.where(np.isnan(self.table), np.inf, rng.random(self.table.shape))[rows]
        places = np.argsort(key, axis=1, kind="stable")
        taken = np.zeros(rows.size, dtype=np.bool_)
        taken[self.accepted] = True
        return replace(
            self,
            truth=self.truth[rows],
            table=self.table[rows[:, None], places],
            judges=self.judges[rows[:, None], places],
            interviews=self.interviews[rows],
            accepted=np.flatnonzero(taken[rows]),
            groups={k: tuple(np.array(v)[rows].tolist()) for k, v in self.groups.items()},
        )

    def classes(self, attribute: str) -> IntArray:
        """Number the groups of an attribute from 0, in alphabetical order, shape (n,)."""
        if attribute not in self.groups:
            raise InvalidInputError("known_round_without_attribute", attribute=attribute)
        return np.unique(np.array(self.groups[attribute]), return_inverse=True)[1].astype(np.int64)


@lru_cache(maxsize=4)
def twin() -> KnownMarks:
    """Return the packaged twin."""
    return KnownMarks.of(read_recording(TWIN))


@lru_cache(maxsize=4)
def conference(data: str, name: str) -> KnownMarks:
    """Return one conference: decided papers, first published marks, judged by the final ones."""
    folder, year = CONFERENCES[name]
    recording = read_recording(Path(data) / folder)
    return KnownMarks.of(recording.only("year", year) if year else recording)


def redrawn_twin(rng: np.random.Generator) -> KnownMarks:
    """Draw a round like the twin anew: applicants, reviewers, who judges whom, marks, interviews.

    The twin's own spreads; marks are moved to the nearest one on its form, as its reviewers did.
    """
    n, most = TWIN_APPLICANTS, TWIN_REVIEWS
    truth = np.clip(rng.normal(TWIN_LEVEL, TWIN_SPREAD, n), 0, 1)
    severity = rng.normal(0, TWIN_SEVERITY, TWIN_REVIEWERS)
    judges = np.argsort(rng.random((n, TWIN_REVIEWERS)), axis=1)[:, :most]
    exact = truth[:, None] + severity[judges] + rng.normal(0, TWIN_SIGMA, (n, most))
    levels = np.array(TWIN_MARKS)
    table = levels[np.searchsorted((levels[1:] + levels[:-1]) / 2, exact, "right")]
    noise = rng.normal(0, TWIN_SIGMA / np.sqrt(INTERVIEW.gain), n)
    return KnownMarks(
        truth=truth,
        table=table,
        judges=judges.astype(np.int64),
        interviews=np.clip(truth + noise, 0, 1),
        accepted=np.zeros(0, dtype=np.int64),
        groups={},
        kinds=(REVIEW, INTERVIEW),
    )


def missing(data: Path | None, names: tuple[str, ...]) -> str:
    """Return which of these conferences cannot be read, and the cure; "" when all can."""
    wanted = sorted({CONFERENCES[name][0] for name in names})
    if data is None:
        return f"needs recorded reviews ({', '.join(wanted)}): give their folder with --data"
    lacking = [folder for folder in wanted if not (data / folder / "scores.csv").exists()]
    return f"{data} holds no {', no '.join(lacking)}" if lacking else ""


def rows_of(path: Path) -> list[dict[str, str]]:
    """Read a small CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
