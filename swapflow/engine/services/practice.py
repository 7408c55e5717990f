"""Practice files before a launch: put there, marked, talked about."""

from collections.abc import Mapping
from dataclasses import dataclass

from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.reviewing.practice import PracticeRecord
from swapflow.engine.scoring import practice
from swapflow.engine.services.context import ServiceContext


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeService:
    """Practice files before a launch: put there, marked, talked about."""

    context: ServiceContext

    def read(self, cycle_id: str) -> PracticeRecord:
        """Read a cycle's practice files with all marks and notes, for staff."""
        return self.context.ledger.practice(cycle_id)

    def missing(self, cycle_id: str) -> tuple[Reviewer, ...]:
        """List the reviewers who have not marked every practice file."""
        ledger = self.context.ledger
        return practice.still_to_practise(cycle_id, ledger.practice(cycle_id), ledger=ledger)

    def reviewer_number(self, cycle_id: str, external_id: str) -> int:
        """Return the number of the reviewer whom the office knows by this id."""
        return self.context.reviewer_number(cycle_id, external_id)

    def add_file(self, cycle_id: str, title: str, text: str, *, by: str) -> int:
        """Put a practice file before the reviewers; return its number."""
        return practice.add_file(cycle_id, title, text, by=by, ledger=self.context.ledger)

    def mark(
        self,
        cycle_id: str,
        file: int,
        reviewer: int,
        *,
        marks: Mapping[str, float | None],
        value: float | None = None,
        remark: str = "",
    ) -> None:
        """Store what a reviewer makes of a practice file."""
        practice.mark_file(
            cycle_id,
            file,
            reviewer,
            marks=marks,
            value=value,
            remark=remark,
            ledger=self.context.ledger,
        )

    def add_note(
        self, cycle_id: str, file: int, text: str, *, reviewer: int | None = None, by: str = ""
    ) -> None:
        """Add to the discussion of a file, as a reviewer or as staff."""
        practice.add_note(
            cycle_id, file, text, reviewer=reviewer, by=by, ledger=self.context.ledger
        )
