"""What is read from tables of marks, whatever their form."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from swapflow.domain.reviewing.mark_scale import MarkScale


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One mark.

    Attributes:
        applicant: The office's id, as the file spells it first.
        reviewer: Likewise; "" where the file does not say who gave it.
        kind: Name of its kind.
        utility: In [0, 1], 1 being the best.
        line: Where it stands.
        source: In which file.
    """

    applicant: str
    reviewer: str
    kind: str
    utility: float
    line: int
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRead:
    """What a column of the file was taken for.

    Attributes:
        header: As the file has it.
        first: Its first cell that is filled.
        taken: What it was taken for, in words; "" where it is not used.
    """

    header: str
    first: str
    taken: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MarksFile:
    """One table of marks, read.

    Attributes:
        source: What messages call it.
        system: The system it comes from: "HotCRP", "OpenReview", "pretalx"; "" for a sheet.
        applicants: Everyone it names, with or without a mark, in the order of the file.
        marks: The marks, in the order of the file.
        reviewers: Everyone whom a column or a cell names as a reviewer.
        names: What an applicant is called beside the id, where a column says so.
        values: The cells of columns that are nothing else, by column and applicant: attributes.
        conflicts: Who may not review which applicant: (applicant, reviewer), as written.
        scales: The scale of each kind's marks, as stated or read.
        columns: What each column was taken for.
        missing: Cells that say there is no mark.
        warnings: What staff should know, in sentences.
    """

    source: str
    system: str
    applicants: tuple[str, ...]
    marks: tuple[Mark, ...]
    reviewers: tuple[str, ...]
    names: Mapping[str, str]
    values: Mapping[str, Mapping[str, str]]
    conflicts: tuple[tuple[str, str], ...]
    scales: Mapping[str, MarkScale]
    columns: tuple[ColumnRead, ...]
    missing: int
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HowToRead:
    """What staff say about a table; all of it may be left open.

    Attributes:
        scales: Scale by kind or by column, in small letters; "" for all others.
        inherited: Scale by kind that an earlier file of the same run had, for want of another.
        columns: What to take a header for: applicant, reviewer, kind, mark, name,
            conflicts, none, or kind:NAME for a column of marks of that kind.
        weights: Weight of each criterion, by its column.
        kinds: Names of the kinds there are.
        kind: The kind of marks whose kind nothing says.
        by: Whether columns of marks are "reviewers" or "reviews"; "" to tell by their headers.
        encoding: Of a text file.
        sheet: Of a workbook.
    """

    scales: Mapping[str, MarkScale] = field(default_factory=dict)
    inherited: Mapping[str, MarkScale] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    kinds: tuple[str, ...] = ()
    kind: str = "review"
    by: str = ""
    encoding: str | None = None
    sheet: str = ""
