"""Practice files: what reviewers mark together before a launch, with no applicant behind it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


MOST_FILES = 20
"""Practice files of one program."""


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
class SeenFile:
    """A practice file with what was made of it, as one person may see it.

    Attributes:
        open: Whether marks and notes may be shown: not to a reviewer who has not marked it.
        values: Marks in points of 100, lowest first.
    """

    file: PracticeFile
    open: bool
    values: tuple[float, ...]
    marks: tuple[PracticeMark, ...]
    notes: tuple[PracticeNote, ...]

    @property
    def mean(self) -> float:
        """The mean of the marks, in points of 100; there is one at least."""
        return sum(self.values) / len(self.values)

    def by(self, reviewer: int) -> PracticeMark | None:
        """Return a reviewer's own mark."""
        return next((one for one in self.marks if one.reviewer == reviewer), None)

    def by_others(self, reviewer: int) -> tuple[PracticeMark, ...]:
        """Return the marks of all others, lowest first."""
        others = (one for one in self.marks if one.reviewer != reviewer)
        return tuple(sorted(others, key=lambda one: one.value))


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

    def seen_by(self, reviewer: int | None) -> tuple[SeenFile, ...]:
        """Return the files as staff see them, or one of the reviewers.

        Args:
            reviewer: The reviewer's number; None for staff who review nobody here.
        """
        done = None if reviewer is None else self.done(reviewer)
        return tuple(
            SeenFile(
                file=file,
                open=done is None or file.number in done,
                values=self.values(file.number),
                marks=tuple(one for one in self.marks if one.file == file.number),
                notes=tuple(one for one in self.notes if one.file == file.number),
            )
            for file in self.files
        )
