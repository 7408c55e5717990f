"""What is asked of a reviewer that is a program, and how it answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One request to a program: the reviewer, the application and the ordinal of the pull."""

    assignment_id: str
    application: str
    kind: str
    tier: int
    ordinal: int
    gain: float
    reviewer: str


class AutomaticReviewer(Protocol):
    """A program that returns utilities in [0, 1]."""

    def answer(self, questions: Sequence[Question]) -> list[float]:
        """Answer every question, in order; the same question always gets the same answer."""
        ...
