"""Reviewers, and the interviews that they hold."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from swapflow.domain.people.reviewer import NewReviewer, Reviewer
from swapflow.engine.intake.roster import (
    add_conflicts,
    import_reviewers,
    leave,
    purge_reviewer,
    set_panel,
)
from swapflow.engine.notifications.reviewer_mail import nudge, nudge_late
from swapflow.engine.reviewing import interviews
from swapflow.engine.services.context import ServiceContext


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerService:
    """Reviewers, and the interviews that they hold."""

    context: ServiceContext

    def erase(self, cycle_id: str, external_id: str, *, by: str) -> bool:
        """Erase one reviewer's data for good; return whether the account is erased too."""
        erased = purge_reviewer(cycle_id, external_id, by=by, ledger=self.context.ledger)
        self.context.ledger.compact()
        return self.context.ring_after(cycle_id, erased)

    def import_all(self, cycle_id: str, new: Sequence[NewReviewer]) -> tuple[Reviewer, ...]:
        """Add reviewers to the roster, or change known ones: all or none."""
        added = import_reviewers(cycle_id, new, ledger=self.context.ledger)
        return self.context.ring_after(cycle_id, added)

    def list(self, cycle_id: str) -> tuple[Reviewer, ...]:
        """List a cycle's roster."""
        return self.context.ledger.reviewers(cycle_id)

    def nudge(self, cycle_id: str, external_id: str, *, by: str) -> None:
        """Ask a reviewer for waiting reviews by mail, at most once a day."""
        nudge(
            cycle_id, external_id, by=by, ledger=self.context.ledger, address=self.context.address
        )
        self.context.doorbell.ring(cycle_id)

    def nudge_late(self, cycle_id: str, *, by: str) -> int:
        """Ask every late reviewer by mail, at most once a day; return how many."""
        asked = nudge_late(
            cycle_id, by=by, ledger=self.context.ledger, address=self.context.address
        )
        return self.context.ring_after(cycle_id, asked)

    def leave(self, cycle_id: str, external_id: str, *, by: str, reason: str = "") -> int:
        """Take a reviewer off the roster; return how many requests go to others."""
        moved = leave(cycle_id, external_id, by=by, reason=reason, ledger=self.context.ledger)
        return self.context.ring_after(cycle_id, moved)

    def add_conflicts(
        self, cycle_id: str, pairs: Iterable[tuple[str, str]], *, source: str
    ) -> None:
        """Store conflicts of interest, as (application, reviewer) external ids."""
        add_conflicts(cycle_id, pairs, source=source, ledger=self.context.ledger)
        self.context.doorbell.ring(cycle_id)

    def set_panel(self, cycle_id: str, pairs: Iterable[tuple[str, str]]) -> None:
        """Restrict applications to the reviewers named."""
        set_panel(cycle_id, pairs, ledger=self.context.ledger)
        self.context.doorbell.ring(cycle_id)

    def interview_requests(self, cycle_id: str) -> tuple[interviews.Requested, ...]:
        """List the requests for a meeting with an applicant, with their slots."""
        return interviews.requested(cycle_id, ledger=self.context.ledger)

    def set_slots(
        self,
        cycle_id: str,
        slots: Sequence[interviews.InterviewSlot],
        *,
        by: str,
        made_from: str = "",
    ) -> int:
        """Set when and where interviews take place, and invite; return how many changed."""
        changed = interviews.set_slots(
            cycle_id,
            slots,
            by=by,
            made_from=made_from,
            address=self.context.address,
            ledger=self.context.ledger,
        )
        return self.context.ring_after(cycle_id, changed)

    def cancel_slot(self, cycle_id: str, pull_id: str, *, by: str, made_from: str = "") -> None:
        """Cancel a slot and tell its people."""
        interviews.cancel_slot(
            cycle_id,
            pull_id,
            by=by,
            made_from=made_from,
            address=self.context.address,
            ledger=self.context.ledger,
        )
        self.context.doorbell.ring(cycle_id)
