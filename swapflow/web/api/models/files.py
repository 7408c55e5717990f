"""Files in and out: what became of each row and each document."""

from datetime import date
from typing import Literal, Self

from pydantic import Field

from swapflow.engine.intake.column_choice import ReviewerColumn, ReviewerColumns
from swapflow.engine.intake.erased_people import ErasedRow
from swapflow.engine.intake.list_plan import Difference, Known
from swapflow.engine.intake.roster_list import KnownReviewer
from swapflow.errors import BadRow
from swapflow.web.api.models.base import Counted, In, Line, Out


class BadLine(Out):
    """One thing wrong in a file, and the cure."""

    line: int = Field(description="As a spreadsheet counts, from 1; 0 for the file.")
    column: str
    value: str
    reason: str
    cure: str

    @classmethod
    def of(cls, row: BadRow) -> "BadLine":
        """Format a bad row."""
        return cls(
            line=row.line,
            column=row.column,
            value=row.value,
            reason=row.reason,
            cure=row.cure,
        )


class FileChange(Out):
    """One value of which a file says something else than was known."""

    applicant: str = Field(description="Id of the applicant, or of the reviewer in their list.")
    what: str = Field(
        description="name, email, ready, select:, field: or document: NAME; of a reviewer group, "
        "capacity:KIND, packet, automatic, topics, away or reserve."
    )
    before: str
    after: str
    kept: bool = Field(description="It stays as it was, for staff changed it since the last file.")

    @classmethod
    def of(cls, difference: Difference, known: Known | KnownReviewer) -> Self:
        """Format one difference of a person who is in the program already."""
        return cls(
            applicant=known.external_id,
            what=difference.what,
            before=difference.before,
            after=difference.after,
            kept=difference.kept,
        )


class ErasedPerson(Out):
    """A row of a list about a person who was erased: held, or confirmed to come back."""

    line: int = Field(description="As a spreadsheet counts, from 1; 0 where there is no file.")
    external_id: str
    name: str
    email: str
    same: list[Literal["id", "mail address"]] = Field(description="What tells it.")
    erased_from: str = Field(description="The program.")
    erased_on: date
    confirmed: bool = Field(description="It comes in; else it is left out.")

    @classmethod
    def of(cls, row: ErasedRow, line: int = 0) -> "ErasedPerson":
        """Format one row of an erased person."""
        return cls(
            line=line,
            external_id=row.external_id,
            name=row.name,
            email=row.email,
            same=[what for what in ("id", "mail address") if what in row.same],
            erased_from=row.program,
            erased_on=row.day,
            confirmed=row.confirmed,
        )


class AddedPeople(Counted):
    """How many people were added or changed, and who was left out since they were erased."""

    held: list[ErasedPerson]


class ShownColumn(Out):
    """A column of applicants' data, and what reviewers of a blind program see of it."""

    column: str
    kind: Literal["identity", "protected", "judgement", "work", "unknown"] = Field(
        description="What it is by its header; work is proposed to be shown."
    )
    reviewers_see: Literal["yes", "no", "masked"] = Field(
        description="masked: shown, with names, links, addresses or handles masked in some value."
    )
    to_decide: bool = Field(description="It is hidden until somebody decides.")

    @classmethod
    def of(cls, column: ReviewerColumn) -> Self:
        """Format a column."""
        return cls(
            column=column.name,
            kind=column.kind.value,
            reviewers_see=column.seen,
            to_decide=column.is_open,
        )


class ChosenColumns(Out):
    """What reviewers see of a program's columns."""

    blind: bool = Field(description="Whether the rules hide anything; if not, all is shown.")
    by_choice: bool = Field(
        description="False in a program made before columns were chosen, until somebody chooses."
    )
    columns: list[ShownColumn]

    @classmethod
    def of(cls, found: ReviewerColumns) -> Self:
        """Format the columns of a program."""
        return cls(
            blind=found.is_blind,
            by_choice=found.by_choice,
            columns=[ShownColumn.of(one) for one in found.columns],
        )


class ChooseColumns(In):
    """Which columns reviewers of a blind program are to see."""

    show: list[Line] = Field(default_factory=list, max_length=2000)
    hide: list[Line] = Field(default_factory=list, max_length=2000)
    show_proposed: bool = Field(
        default=False, description="Show applicants' own work where nobody has chosen."
    )


class Imported(Out):
    """What a file brought or, in a dry run, would bring."""

    dry_run: bool
    new: int
    changed: int = Field(description="Rows about people who were there and were changed.")
    known: int = Field(description="Rows about people who were there and stay as they are.")
    changes: list[FileChange]
    bad: list[BadLine] = Field(description="In a dry run: what keeps the file out.")
    warnings: list[str]
    reviewers_see: list[ShownColumn] = Field(
        default_factory=list, description="The columns of a list of applicants, if blind."
    )
    erased: list[ErasedPerson] = Field(
        default_factory=list, description="Rows about people who were erased; `again` confirms."
    )


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
    confidential: bool = Field(description="Left out of the applicant's own copy.")
    media: str
    size: int
