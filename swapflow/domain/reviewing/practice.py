"""Practice files: what reviewers mark together before a launch, with no applicant behind it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeFile:
    """One practice file.

    Attributes:
        number: Its number within the cycle, from 0.
        title: What it is called; text: what reviewers read.
        by: Who put it there.
    """

    number: int
    title: str
    text: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeMark:
    """What one reviewer made of one practice file; it is given once and never changed.

    Attributes:
        file: The file's number; reviewer: the reviewer's.
        value: The utility, as an integer in units of `VALUE_SCALE`.
        marks: Mark by criterion, None for "can't judge"; empty without a score form.
    """

    file: int
    reviewer: int
    value: int
    marks: Mapping[str, float | None]
    remark: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeNote:
    """One remark in the discussion of a practice file.

    Attributes:
        reviewer: Number of the reviewer who wrote it; None for staff.
        by: Name of the member of staff; "" for a reviewer, who is named by number alone.
    """

    id: int
    file: int
    reviewer: int | None
    by: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeRecord:
    """All practice of a cycle: files, marks and notes, each in their order."""

    files: tuple[PracticeFile, ...] = ()
    marks: tuple[PracticeMark, ...] = ()
    notes: tuple[PracticeNote, ...] = ()

    def done(self, reviewer: int) -> frozenset[int]:
        """Return the numbers of the files that a reviewer has marked."""
        return frozenset(one.file for one in self.marks if one.reviewer == reviewer)

    def values(self, file: int) -> tuple[float, ...]:
        """Return the marks that a file got, in points of 100, lowest first."""
        return tuple(sorted(one.value / 10_000 for one in self.marks if one.file == file))
