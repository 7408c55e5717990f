"""Applicants and their files."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from swapflow.domain.people.application import Application, ApplicationStatus, NewApplication
from swapflow.domain.people.document import Document
from swapflow.engine.intake import applications as intake
from swapflow.engine.intake import column_choice, list_import, value_spellings
from swapflow.engine.intake.list_import import Listed
from swapflow.engine.intake.list_plan import ListPlan
from swapflow.engine.lifecycle import batches, switches
from swapflow.engine.ports.records import StaffRequest
from swapflow.engine.reviewing import documents
from swapflow.engine.reviewing.blinding import ReviewerView, view_of
from swapflow.engine.services.context import ServiceContext


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicantBatches:
    """What staff do to several applicants at once, and what they take back of it."""

    context: ServiceContext

    def ask_all(
        self, cycle_id: str, numbers: Collection[int], kind: str, *, by: str, reason: str
    ) -> int:
        """Request an extra review of each applicant, all or none; return how many."""
        asked = batches.ask_all(
            cycle_id, numbers, kind, by=by, reason=reason, ledger=self.context.ledger
        )
        return self.context.ring_after(cycle_id, asked)

    def move_all(
        self,
        cycle_id: str,
        numbers: Collection[int],
        status: ApplicationStatus,
        *,
        by: str,
        reason: str,
    ) -> int:
        """Hold or release each applicant, all or none; return how many."""
        moved = batches.move_all(
            cycle_id, numbers, status, by=by, reason=reason, ledger=self.context.ledger
        )
        return self.context.ring_after(cycle_id, moved)

    def take_back_request(self, cycle_id: str, pull_id: str, *, by: str) -> None:
        """Cancel a review that staff asked for, before its reviewer has begun."""
        batches.take_back_request(cycle_id, pull_id, by=by, ledger=self.context.ledger)
        self.context.doorbell.ring(cycle_id)

    def take_back_wish(self, cycle_id: str, wish: int, *, by: str) -> None:
        """Close a request of staff that waits for a reviewer."""
        batches.take_back_wish(cycle_id, wish, by=by, ledger=self.context.ledger)
        self.context.doorbell.ring(cycle_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicantService(ApplicantBatches):
    """Applicants and their files."""

    def import_all(
        self, cycle_id: str, new: Sequence[NewApplication], *, wave: int = 0
    ) -> tuple[Application, ...]:
        """Add applications and change known ones: all or none. Return the new ones."""
        return self.import_list(cycle_id, new, wave=wave).added

    def import_list(
        self,
        cycle_id: str,
        rows: Sequence[NewApplication],
        *,
        wave: int = 0,
        again: Collection[str] = (),
        by: str = "",
    ) -> Listed:
        """Add applications and change known ones: all or none, but for those who were erased.

        These are held unless `again` names their ids.
        """
        listed = list_import.import_list(
            cycle_id,
            rows,
            wave=wave,
            again=again,
            by=by,
            ledger=self.context.ledger,
            keys=self.context.erasure_keys,
        )
        return self.context.ring_after(cycle_id, listed)

    def plan_list(
        self, cycle_id: str, rows: Sequence[NewApplication], *, again: Collection[str] = ()
    ) -> ListPlan:
        """Compute what a list of applicants would do."""
        return list_import.plan_list(
            cycle_id,
            rows,
            again=again,
            ledger=self.context.ledger,
            keys=self.context.erasure_keys,
        )

    def correct(
        self,
        cycle_id: str,
        external_id: str,
        values: Mapping[str, str],
        *,
        by: str,
        reason: str,
        made_from: str = "",
    ) -> Application:
        """Correct an applicant's values by hand."""
        corrected = list_import.correct(
            cycle_id,
            external_id,
            values,
            by=by,
            reason=reason,
            made_from=made_from,
            ledger=self.context.ledger,
        )
        return self.context.ring_after(cycle_id, corrected)

    def list_reading(self, cycle_id: str, what: str) -> dict[str, str]:
        """Read the settings with which a kind of list was read last."""
        return self.context.ledger.list_reading(cycle_id, what)

    def keep_list_reading(
        self, cycle_id: str, what: str, settings: Mapping[str, str], *, by: str
    ) -> None:
        """Store the settings with which a kind of list was read."""
        with self.context.ledger.write(cycle_id) as tx:
            tx.keep_list_reading(what, settings, by=by)

    def values(
        self, cycle_id: str, coming: Sequence[NewApplication] = ()
    ) -> value_spellings.ValueReport:
        """Report on the values of attributes, those that a list would bring included."""
        return value_spellings.report_values(cycle_id, coming=coming, ledger=self.context.ledger)

    def join_values(
        self,
        cycle_id: str,
        attribute: str,
        spellings: Collection[str],
        into: str,
        *,
        by: str,
        reason: str = "",
    ) -> int:
        """Take spellings of an attribute for one value, now and in lists to come."""
        changed = value_spellings.join_values(
            cycle_id, attribute, spellings, into, by=by, reason=reason, ledger=self.context.ledger
        )
        return self.context.ring_after(cycle_id, changed)

    def keep_values_apart(
        self,
        cycle_id: str,
        attribute: str,
        spellings: Collection[str],
        *,
        by: str,
        reason: str = "",
    ) -> int:
        """Keep spellings of an attribute as values of their own, and undo their joining."""
        changed = value_spellings.keep_apart(
            cycle_id, attribute, spellings, by=by, reason=reason, ledger=self.context.ledger
        )
        return self.context.ring_after(cycle_id, changed)

    def columns(self, cycle_id: str) -> column_choice.ReviewerColumns:
        """Read which columns of a program reviewers see."""
        return column_choice.read_columns(cycle_id, ledger=self.context.ledger)

    def plan_columns(
        self,
        cycle_id: str,
        names: Mapping[str, str],
        people: Collection[Application | NewApplication],
        *,
        source: str = "",
        as_last_time: bool = True,
    ) -> column_choice.ReviewerColumns:
        """Plan what reviewers see of the columns of a list."""
        return column_choice.plan_columns(
            cycle_id,
            names,
            people,
            source=source,
            as_last_time=as_last_time,
            ledger=self.context.ledger,
        )

    def choose_columns(
        self,
        cycle_id: str,
        choices: Mapping[str, bool],
        *,
        by: str,
        source: str = "",
        made_from: str = "",
    ) -> None:
        """Store which columns reviewers see, for this program and for lists to come."""
        column_choice.choose_columns(
            cycle_id,
            choices,
            by=by,
            source=source,
            made_from=made_from,
            ledger=self.context.ledger,
        )

    def reviewer_view(self, cycle_id: str) -> ReviewerView:
        """Read what reviewers see of a program's applicants."""
        ledger = self.context.ledger
        return view_of(ledger.cycle(cycle_id), ledger.rules(cycle_id), ledger=ledger)

    def list(self, cycle_id: str) -> tuple[Application, ...]:
        """List a cycle's applications."""
        return self.context.ledger.applications(cycle_id)

    def after(
        self, cycle_id: str, number: int, *, at_most: int, status: ApplicationStatus | None = None
    ) -> tuple[Application, ...]:
        """Read the next applications above a number, lowest first; of one status, or all."""
        ledger = self.context.ledger
        wanted = ledger.numbers_after(cycle_id, number, at_most=at_most, status=status)
        return ledger.applications_numbered(cycle_id, wanted) if wanted else ()

    def get(self, cycle_id: str, number: int) -> Application:
        """Read one application by its number."""
        return self.context.ledger.application(cycle_id, number)

    def last_moves(
        self, cycle_id: str, applications: Collection[int]
    ) -> dict[int, tuple[datetime, bool]]:
        """Return when each was last asked about or answered, and whether it was an answer."""
        return self.context.ledger.last_moves(cycle_id, applications)

    def files(self, cycle_id: str, application: int) -> tuple[Document, ...]:
        """List the documents of an application, without their bytes."""
        return self.context.ledger.files(cycle_id, application)

    def move(
        self,
        cycle_id: str,
        external_id: str,
        status: ApplicationStatus,
        *,
        by: str,
        reason: str = "",
        made_from: str = "",
    ) -> None:
        """Hold, release, withdraw, reinstate … an application."""
        intake.move_application(
            cycle_id,
            external_id,
            status,
            by=by,
            reason=reason,
            made_from=made_from,
            ledger=self.context.ledger,
        )
        self.context.doorbell.ring(cycle_id)

    def erase(self, cycle_id: str, external_id: str, *, by: str) -> None:
        """Erase one person's data for good."""
        intake.purge(
            cycle_id,
            external_id,
            by=by,
            ledger=self.context.ledger,
            keys=self.context.erasure_keys,
        )
        # Outside the transaction: a database cannot give up erased pages while one is open.
        self.context.ledger.compact()
        self.context.doorbell.ring(cycle_id)

    def ask(self, cycle_id: str, external_id: str, kind: str, *, by: str, reason: str) -> int:
        """Request an extra review of an application."""
        staff_request = switches.ask(
            cycle_id, external_id, kind, by=by, reason=reason, ledger=self.context.ledger
        )
        return self.context.ring_after(cycle_id, staff_request)

    def attach_documents(
        self, cycle_id: str, uploads: Sequence[documents.DocumentUpload], *, redacted: bool
    ) -> documents.Attached:
        """Store uploaded files with the applicants whose ids begin their names."""
        return documents.attach(cycle_id, uploads, redacted=redacted, ledger=self.context.ledger)

    def staff_requests(self, cycle_id: str) -> tuple[StaffRequest, ...]:
        """Read the extra reviews that staff asked for and that are still open, oldest first."""
        return self.context.ledger.wishes(cycle_id)

    def documents(self, cycle_id: str, application: int) -> tuple[tuple[str, str, bool], ...]:
        """Read an application's documents: (name, link or path, marked redacted)."""
        return self.context.ledger.documents(cycle_id, application=application)

    def file_content(self, cycle_id: str, application: int, position: int) -> bytes:
        """Read an uploaded document; NotFoundError when it is none, or only a link."""
        return self.context.ledger.file_content(cycle_id, application, position)
