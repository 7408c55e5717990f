"""What is asked of a reviewer that is a program, and how it answers."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
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


class AutomaticReviewers(Protocol):
    """The programs that rosters name, and what a roster may name."""

    def check(self, specification: str) -> None:
        """Check that a program may be asked: nothing is called and no mark read.

        Raises:
            InvalidInputError: If it is unknown, its address leads to a forbidden network, or its
                file is none that a roster may name.
        """
        ...

    def name_here(self, specification: str) -> str:
        """Allow the file of a program because a person at this machine's command line names it.

        Returns:
            The specification with the file's whole path: others read it from other folders.

        Raises:
            InvalidInputError: As `check`, but for any file.
            UnavailableError: If this cannot be stored.
        """
        ...

    def find(self, specification: str) -> AutomaticReviewer:
        """Return the program that a roster entry names, checked once more.

        Raises:
            InvalidInputError: As `check`; also if its file cannot be used.
            NotFoundError: If its file is missing.
        """
        ...


class AnswerTurns(Protocol):
    """Bounds how many threads ask one program at the same time: one.

    A second one would only work on the same answers, and wait where others could deliver. A
    cycle that was refused the turn is remembered, for the thread that had it.
    """

    def turn(self, reviewer: str, cycle_id: str) -> AbstractContextManager[bool]:
        """Take the turn of a program inside the block without waiting, if it is free.

        Args:
            reviewer: The program's specification.
            cycle_id: The cycle for which it is to be asked.

        Returns:
            Whether the turn was free.
        """
        ...

    def take_waiting(self, reviewer: str) -> frozenset[str]:
        """Return the cycles that were refused the turn of a program, and forget them.

        Asked after a turn is given back: who was refused before is then among them.
        """
        ...
