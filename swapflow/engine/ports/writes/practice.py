"""Reads and writes of practice files."""

from collections.abc import Mapping
from typing import Protocol

from swapflow.domain.reviewing.practice import PracticeRecord


class PracticeReads(Protocol):
    """Practice files outside of a transaction."""

    def practice(self, cycle_id: str) -> PracticeRecord:
        """Read a cycle's practice files with their marks and notes."""
        ...


class PracticeWrites(Protocol):
    """Practice files, within one transaction."""

    def practised(self) -> PracticeRecord:
        """Read the cycle's practice files with their marks and notes."""
        ...

    def insert_practice_file(self, title: str, text: str, *, by: str) -> int:
        """Store a practice file under the next number; return the number."""
        ...

    def insert_practice_mark(
        self,
        file: int,
        reviewer: int,
        value: int,
        *,
        marks: Mapping[str, float | None],
        remark: str,
    ) -> None:
        """Store what a reviewer made of a file; value in units of `VALUE_SCALE`."""
        ...

    def insert_practice_note(self, file: int, text: str, *, reviewer: int | None, by: str) -> None:
        """Store a note of a reviewer, or of staff by name."""
        ...
