"""Every score that counts, as columns for arrays."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from swapflow.domain.event import Json


Integers = NDArray[np.int64]


ScoreKey = tuple[int, int, int, int, int]
"""(application, kind, ordinal, seat, attempt)"""


NO_ONE = -1
"""`reviewer` of a panel's score, which has no single reviewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTable:
    """The result of each pull that counts, by (application, kind, ordinal); every column (m,).

    A panel is one row, with the mean of its seats and `NO_ONE` for a reviewer.

    Attributes:
        numerator: What the pull adds to its arm: gain times value, in both scales.
        information: Its gain, in gain units.
        rank: The pull's place in the order of dispatch.
    """

    application: Integers
    kind: Integers
    reviewer: Integers
    numerator: Integers
    information: Integers
    rank: Integers


class GrowingScores:
    """Scores by column: compact, and ready for numpy."""

    def __init__(self) -> None:
        self.application = array("q")
        self.kind = array("q")
        self.ordinal = array("q")
        self.seat = array("q")
        self.attempt = array("q")
        self.reviewer = array("q")
        self.value = array("q")
        self.counts = array("q")
        self.rank = array("q")
        self.numerator = array("q")
        self.information = array("q")
        self._table: ScoreTable | None = None

    def append(self, key: ScoreKey, row: tuple[int, int, int, int]) -> int:
        """Append a score; return its row."""
        columns = (self.application, self.kind, self.ordinal, self.seat, self.attempt)
        for column, number in zip(columns, key, strict=True):
            column.append(number)
        for column, number in zip(self._facts(), row, strict=True):
            column.append(number)
        self.numerator.append(0)
        self.information.append(0)
        self._table = None
        return len(self.value) - 1

    def replace(self, index: int, row: tuple[int, int, int, int]) -> None:
        """Replace a score's (reviewer, value, counts, rank)."""
        for column, number in zip(self._facts(), row, strict=True):
            column[index] = number
        self._table = None

    def correct(self, index: int, *, value: int, counts: int) -> None:
        """Change a score's value and whether it counts."""
        self.value[index], self.counts[index] = value, counts
        self._table = None

    def credit(self, index: int, numerator: int, information: int) -> None:
        """Add to what a score has changed in its arm's sums."""
        self.numerator[index] += numerator
        self.information[index] += information
        self._table = None

    def table(self) -> ScoreTable:
        """Sum scores by pull, in canonical order."""
        # The sum over a pull picks out its one counted reviewer, when exactly one counts.
        if self._table is None:
            self._table = self._by_pull()
        return self._table

    def _by_pull(self) -> ScoreTable:
        columns = (self.application, self.kind, self.ordinal)
        keys = np.array([np.array(column, dtype=np.int64) for column in columns])
        order = np.lexsort(keys[::-1])
        keys = keys[:, order]
        if order.size == 0:
            none = np.zeros(0, dtype=np.int64)
            return ScoreTable(
                application=none,
                kind=none,
                reviewer=none,
                numerator=none,
                information=none,
                rank=none,
            )
        differs = np.any(keys[:, 1:] != keys[:, :-1], axis=0)
        starts = np.flatnonzero(np.concatenate([[True], differs]))

        def total(column: Integers) -> Integers:
            return np.asarray(np.add.reduceat(column[order], starts), dtype=np.int64)

        counts, information = _int64(self.counts), total(_int64(self.information))
        alone = total(counts) == 1
        # A panel's row has several counted scores, so no one reviewer's severity applies to it.
        reviewer = np.where(alone, total(_int64(self.reviewer) * counts), NO_ONE)
        keep = information > 0
        return ScoreTable(
            application=keys[0, starts][keep],
            kind=keys[1, starts][keep],
            reviewer=reviewer[keep],
            numerator=total(_int64(self.numerator))[keep],
            information=information[keep],
            rank=_int64(self.rank)[order][starts][keep],
        )

    def _facts(self) -> "tuple[array[int], ...]":
        return (self.reviewer, self.value, self.counts, self.rank)


class GrowingTable:
    """Integers per application and kind, growing with the applications."""

    def __init__(self, kinds: int) -> None:
        self.rows = np.zeros((1024, kinds), dtype=np.int64)

    def lengthen(self, applications: int) -> None:
        """Extend the arrays to this number of applications."""
        if applications > len(self.rows):
            self.rows = np.vstack([self.rows, np.zeros_like(self.rows)])

    def widen(self, kinds: int) -> None:
        """Extend the arrays to this number of kinds."""
        missing = kinds - self.rows.shape[1]
        if missing > 0:
            self.rows = np.pad(self.rows, ((0, 0), (0, missing)))


def _int64(column: "array[int]") -> Integers:
    return np.array(column, dtype=np.int64)


def int_column(value: Json) -> Iterable[int]:
    """Read a column of integers of an event's body."""
    return cast("list[int]", value)


def table_rows(value: Json) -> Iterable[tuple[int, ...]]:
    """Read rows of integers of an event's body."""
    return cast("list[tuple[int, ...]]", value)


def int_of(value: Json) -> int:
    """Return a number of an event's payload as the integer that it is."""
    return cast("int", value)
