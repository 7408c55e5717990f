"""The rows of a returned sheet, and what each of them would change."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from swapflow.domain.reviewing.score import Answer
from swapflow.errors import BadRow


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedRow:
    """One row of a returned sheet, as read from its cells.

    Attributes:
        line: Its line in the file.
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
        """Whether the reviewer has left the row empty."""
        said = (self.score, self.confidence)
        return not (self.marks or self.remark or self.private) and said == (None, None)


class RowOutcome(StrEnum):
    """The outcome of a row."""

    NEW = "new"
    CORRECTED = "corrected"
    UNCHANGED = "unchanged"
    BLANK = "blank"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRow:
    """One row with its planned outcome.

    Attributes:
        note: A remark for staff, "" for none.
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
    """The effect of entering a sheet; with a bad row in it, nothing is stored."""

    cycle_id: str
    source: str
    rows: tuple[PlannedRow, ...]
    bad: tuple[BadRow, ...]

    def count(self, fate: RowOutcome) -> int:
        """Count the rows with this outcome."""
        return sum(row.fate is fate for row in self.rows)

    def answers(self, fate: RowOutcome) -> tuple[Answer, ...]:
        """Return the answers that rows with this outcome would store."""
        return tuple(row.answer for row in self.rows if row.fate is fate and row.answer)
