"""Files in and out: what became of each row and each document."""

from typing import Literal

from pydantic import Field

from swapflow.errors import BadRow
from swapflow.web.api.models.base import Out


class BadLine(Out):
    """One thing wrong in a file, and the cure."""

    line: int = Field(description="As a spreadsheet counts, from 1; 0 for the file.")
    column: str
    value: str
    reason: str
    cure: str

    @classmethod
    def of(cls, row: BadRow) -> "BadLine":
        """Spell a bad row."""
        return cls(
            line=row.line,
            column=row.column,
            value=row.value,
            reason=row.reason,
            cure=row.cure,
        )


class Imported(Out):
    """What a file brought or, in a dry run, would bring."""

    dry_run: bool
    new: int
    known: int = Field(description="Rows that were there already.")
    bad: list[BadLine] = Field(description="In a dry run: what keeps the file out.")
    warnings: list[str]


class SheetLine(Out):
    """What became of one row of a sheet."""

    line: int
    task: str
    applicant: str
    reviewer: str
    result: Literal["new", "corrected", "unchanged", "blank"]
    note: str


class ImportedScores(Out):
    """What a file of reviews brought or, in a dry run, would bring."""

    dry_run: bool
    sheet: bool = Field(description="Whether it is a sheet that came back.")
    new: int
    corrected: int
    unchanged: int
    blank: int
    unasked: int = Field(description="Reviews nobody asked for: kept, counted once admitted.")
    rows: list[SheetLine]
    bad: list[BadLine]
    warnings: list[str]


class LeftOut(Out):
    """A file that was not stored, and why."""

    file: str
    reason: str


class StoredFile(Out):
    """A file that was stored with an applicant."""

    applicant: str
    name: str


class StoredFiles(Out):
    """What became of documents that were sent."""

    stored: list[StoredFile]
    left_out: list[LeftOut]
    missing: list[str] = Field(description="Ids of applicants who have no file now.")


class StaffDocument(Out):
    """A document as staff know it."""

    position: int
    name: str
    link: str
    redacted: bool
    media: str
    size: int
