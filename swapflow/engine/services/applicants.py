"""Applicants and reviewers, their files and their meetings."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from swapflow.domain.people.application import Application, ApplicationStatus, NewApplication
from swapflow.domain.people.document import Document
from swapflow.domain.people.reviewer import NewReviewer, Reviewer
from swapflow.engine.intake import applications as intake
from swapflow.engine.intake import list_import
from swapflow.engine.intake.list_import import Listed, ListPlan
from swapflow.engine.intake.roster import (
    add_conflicts,
    import_reviewers,
    leave,
    purge_reviewer,
    set_panel,
)
from swapflow.engine.lifecycle import switches
from swapflow.engine.notifications.reviewer_mail import nudge, nudge_late
from swapflow.engine.reviewing import documents, interviews
from swapflow.engine.services.context import ServiceContext


@dataclass(frozen=True, slots=True, kw_only=True)
class People(ServiceContext):
    """Applicants and reviewers, their files and their meetings."""

    def import_applications(
        self, cycle_id: str, new: Sequence[NewApplication], *, wave: int = 0
    ) -> tuple[Application, ...]:
        """Add applications and change known ones: all or none. Return the new ones."""
        return self.import_list(cycle_id, new, wave=wave).added

    def import_list(
        self, cycle_id: str, rows: Sequence[NewApplication], *, wave: int = 0
    ) -> Listed:
        """Add applications and change known ones: all or none."""
        listed = list_import.import_list(cycle_id, rows, wave=wave, ledger=self.ledger)
        return self._ring_after(cycle_id, listed)

    def plan_list(self, cycle_id: str, rows: Sequence[NewApplication]) -> ListPlan:
        """Compute what a list of applicants would do."""
        return list_import.plan_list(cycle_id, rows, ledger=self.ledger)

    def correct_applicant(
        self, cycle_id: str, external_id: str, values: Mapping[str, str], *, by: str, reason: str
    ) -> Application:
        """Correct an applicant's values by hand."""
        corrected = list_import.correct(
            cycle_id, external_id, values, by=by, reason=reason, ledger=self.ledger
        )
        return self._ring_after(cycle_id, corrected)

    def list_reading(self, cycle_id: str, what: str) -> dict[str, str]:
        """Read the settings with which a kind of list was read last."""
        return self.ledger.list_reading(cycle_id, what)

    def keep_list_reading(
        self, cycle_id: str, what: str, settings: Mapping[str, str], *, by: str
    ) -> None:
        """Store the settings with which a kind of list was read."""
        with self.ledger.write(cycle_id) as tx:
            tx.keep_list_reading(what, settings, by=by)

    def applications(self, cycle_id: str) -> tuple[Application, ...]:
        """List a cycle's applications."""
        return self.ledger.applications(cycle_id)

    def application(self, cycle_id: str, number: int) -> Application:
        """Read one application by its number."""
        return self.ledger.application(cycle_id, number)

    def last_moves(
        self, cycle_id: str, applications: Collection[int]
    ) -> dict[int, tuple[datetime, bool]]:
        """Return when each was last asked about or answered, and whether it was an answer."""
        return self.ledger.last_moves(cycle_id, applications)

    def files_of(self, cycle_id: str, application: int) -> tuple[Document, ...]:
        """List the documents of an application, without their bytes."""
        return self.ledger.files(cycle_id, application)

    def move_application(
        self,
        cycle_id: str,
        external_id: str,
        status: ApplicationStatus,
        *,
        by: str,
        reason: str = "",
    ) -> None:
        """Hold, release, withdraw, reinstate … an application."""
        intake.move_application(
            cycle_id, external_id, status, by=by, reason=reason, ledger=self.ledger
        )
        self.doorbell.ring(cycle_id)

    def purge(self, cycle_id: str, external_id: str, *, by: str) -> None:
        """Erase one person's data for good."""
        intake.purge(cycle_id, external_id, by=by, ledger=self.ledger)
        # Outside the transaction: a database cannot give up erased pages while one is open.
        self.ledger.compact()
        self.doorbell.ring(cycle_id)

    def purge_reviewer(self, cycle_id: str, external_id: str, *, by: str) -> bool:
        """Erase one reviewer's data for good; return whether the account is erased too."""
        erased = purge_reviewer(cycle_id, external_id, by=by, ledger=self.ledger)
        self.ledger.compact()
        return self._ring_after(cycle_id, erased)

    def ask(self, cycle_id: str, external_id: str, kind: str, *, by: str, reason: str) -> int:
        """Request an extra review of an application."""
        staff_request = switches.ask(
            cycle_id, external_id, kind, by=by, reason=reason, ledger=self.ledger
        )
        return self._ring_after(cycle_id, staff_request)

    def import_reviewers(self, cycle_id: str, new: Sequence[NewReviewer]) -> tuple[Reviewer, ...]:
        """Add reviewers to the roster, or change known ones: all or none."""
        added = import_reviewers(cycle_id, new, ledger=self.ledger)
        return self._ring_after(cycle_id, added)

    def reviewers(self, cycle_id: str) -> tuple[Reviewer, ...]:
        """List a cycle's roster."""
        return self.ledger.reviewers(cycle_id)

    def nudge(self, cycle_id: str, external_id: str, *, by: str) -> None:
        """Ask a reviewer for waiting reviews by mail, at most once a day."""
        nudge(cycle_id, external_id, by=by, ledger=self.ledger, address=self.address)
        self.doorbell.ring(cycle_id)

    def nudge_late(self, cycle_id: str, *, by: str) -> int:
        """Ask every late reviewer by mail, at most once a day; return how many."""
        asked = nudge_late(cycle_id, by=by, ledger=self.ledger, address=self.address)
        return self._ring_after(cycle_id, asked)

    def leave(self, cycle_id: str, external_id: str, *, by: str, reason: str = "") -> int:
        """Take a reviewer off the roster; return how many requests go to others."""
        moved = leave(cycle_id, external_id, by=by, reason=reason, ledger=self.ledger)
        return self._ring_after(cycle_id, moved)

    def add_conflicts(
        self, cycle_id: str, pairs: Iterable[tuple[str, str]], *, source: str
    ) -> None:
        """Store conflicts of interest, as (application, reviewer) external ids."""
        add_conflicts(cycle_id, pairs, source=source, ledger=self.ledger)
        self.doorbell.ring(cycle_id)

    def set_panel(self, cycle_id: str, pairs: Iterable[tuple[str, str]]) -> None:
        """Restrict applications to the reviewers named."""
        set_panel(cycle_id, pairs, ledger=self.ledger)
        self.doorbell.ring(cycle_id)

    def attach_documents(
        self, cycle_id: str, uploads: Sequence[documents.DocumentUpload], *, redacted: bool
    ) -> documents.Attached:
        """Store uploaded files with the applicants whose ids begin their names."""
        return documents.attach(cycle_id, uploads, redacted=redacted, ledger=self.ledger)

    def interview_requests(self, cycle_id: str) -> tuple[interviews.Requested, ...]:
        """List the requests for a meeting with an applicant, with their slots."""
        return interviews.requested(cycle_id, ledger=self.ledger)

    def set_slots(
        self, cycle_id: str, slots: Sequence[interviews.InterviewSlot], *, by: str
    ) -> int:
        """Set when and where interviews take place, and invite; return how many changed."""
        changed = interviews.set_slots(
            cycle_id, slots, by=by, address=self.address, ledger=self.ledger
        )
        return self._ring_after(cycle_id, changed)

    def cancel_slot(self, cycle_id: str, pull_id: str, *, by: str) -> None:
        """Cancel a slot and tell its people."""
        interviews.cancel_slot(cycle_id, pull_id, by=by, address=self.address, ledger=self.ledger)
        self.doorbell.ring(cycle_id)
