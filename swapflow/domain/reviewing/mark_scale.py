"""The scale of recorded marks: stated, or read from the marks where they leave no doubt."""

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Self

from swapflow.errors import InvalidInputError


USUAL: tuple[tuple[float, float], ...] = (
    *((0.0, best) for best in (1.0, 5.0, 10.0, 20.0, 100.0)),
    *((1.0, best) for best in (5.0, 6.0, 7.0, 9.0, 10.0)),
)
"""Scales that are read from the marks, if both of their ends occur."""

_WRITTEN = re.compile(r"\s*([-+]?\d+(?:\.\d+)?)\s*\.\.\s*([-+]?\d+(?:\.\d+)?)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkScale:
    """The ends of a scale of marks; `worst` is the higher number where 1 is the best mark.

    Attributes:
        stated: Whether it was stated; else it was read from the marks.
    """

    worst: float
    best: float
    stated: bool = True

    def __str__(self) -> str:
        return f"{self.worst:g}..{self.best:g}"

    @classmethod
    def written(cls, text: str) -> Self:
        """Read a scale as people write it, e.g. "0..5", or "5..1" where 1 is best.

        Raises:
            InvalidInputError: If it is no scale.
        """
        match = _WRITTEN.fullmatch(text)
        if match is None or float(match[1]) == float(match[2]):
            raise InvalidInputError("not_a_scale", text=text)
        return cls(worst=float(match[1]), best=float(match[2]))

    @classmethod
    def of_marks(cls, marks: Collection[float]) -> Self | None:
        """Return the usual scale of which both ends occur; None where there is none.

        Marks from 2 to 4 may be of 1 to 5, of 0 to 5 or of 1 to 7: the scale has to be stated.
        """
        if not marks:
            return None
        ends = (min(marks), max(marks))
        if ends not in USUAL:
            return None
        return cls(worst=ends[0], best=ends[1], stated=False)

    def holds(self, mark: float) -> bool:
        """Whether a mark lies on the scale."""
        low, high = min(self.worst, self.best), max(self.worst, self.best)
        return math.isfinite(mark) and low <= mark <= high

    def utility(self, mark: float) -> float:
        """Convert a mark to [0, 1], 1 being the best."""
        return (mark - self.worst) / (self.best - self.worst)
