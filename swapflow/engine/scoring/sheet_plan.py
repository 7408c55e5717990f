"""What a sheet that came back says, row by row, and what becomes of each row."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from swapflow.domain.reviewing.score import Answer
from swapflow.errors import BadRow


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedRow:
    """One row of a sheet that came back, as its cells say.

    Attributes:
        line: Where it stands in the file.
        task: The key of the row; "" when it is missing.
        reviewer: External id that the row names; "" when the file has no such column.
        applicant: Whom the row names; None when the file has no such column.
        marks: Mark by criterion name, None for N/A; what was left blank is left out.
        score: An overall score, 0 to 100, for kinds without a form.
        headers: The file's header of each criterion, and of "score" and "confidence".
    """

    line: int
    task: str
    reviewer: str = ""
    applicant: str | None = None
    marks: Mapping[str, float | None] = field(default_factory=dict)
    score: float | None = None
    confidence: int | None = None
    remark: str = ""
    private: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_blank(self) -> bool:
        """Whether the reviewer has written nothing into it."""
        said = (self.score, self.confidence)
        return not (self.marks or self.remark or self.private) and said == (None, None)


class RowOutcome(StrEnum):
    """What becomes of a row."""

    NEW = "new"
    CORRECTED = "corrected"
    UNCHANGED = "unchanged"
    BLANK = "blank"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRow:
    """One row with what would be done about it.

    Attributes:
        note: What else is to be known, "" for nothing.
        answer: What would be stored; None where nothing is.
    """

    line: int
    task: str
    applicant: str
    reviewer: str
    kind: str
    fate: RowOutcome
    note: str = ""
    answer: Answer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetPlan:
    """What entering a sheet would do; with a bad row in it, nothing."""

    cycle_id: str
    source: str
    rows: tuple[PlannedRow, ...]
    bad: tuple[BadRow, ...]

    def count(self, fate: RowOutcome) -> int:
        """Count the rows that end so."""
        return sum(row.fate is fate for row in self.rows)

    def answers(self, fate: RowOutcome) -> tuple[Answer, ...]:
        """Give what would be stored by the rows that end so."""
        return tuple(row.answer for row in self.rows if row.fate is fate and row.answer)
