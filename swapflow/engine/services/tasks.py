"""The reviewer's side, and deliveries by workers."""

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from swapflow.domain.ids import cycle_of
from swapflow.domain.people.reviewer import Absence, DeclineKind
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus
from swapflow.domain.reviewing.score import Answer, Draft, Receipt, ScoreDetails
from swapflow.domain.rules import Rules
from swapflow.engine.intake.roster import change_availability
from swapflow.engine.notifications.reviewer_mail import notify
from swapflow.engine.reviewing import interviews, review_page, submit
from swapflow.engine.reviewing.decline import decline
from swapflow.engine.reviewing.task_list import Task, TaskList, read_next, read_task_list
from swapflow.engine.services.context import ServiceContext


@dataclass(frozen=True, slots=True, kw_only=True)
class Working(ServiceContext):
    """The reviewer's side, and deliveries by workers."""

    def inbox(self, cycle_id: str, external_id: str) -> tuple[Assignment, ...]:
        """List a reviewer's open assignments, soonest due first."""
        number = self._reviewer(cycle_id, external_id)
        waiting = self.ledger.assignments(
            cycle_id,
            reviewer=number,
            statuses={
                AssignmentStatus.QUEUED,
                AssignmentStatus.DELIVERED,
                AssignmentStatus.OPENED,
            },
        )
        return tuple(sorted(waiting, key=lambda a: (a.due_at is None, a.due_at, a.id)))

    def open(self, assignment_id: str) -> Assignment:
        """Mark an assignment as opened by its reviewer, and read it."""
        assignment = self.ledger.assignment(assignment_id)
        rules = self.ledger.rules(assignment.cycle_id)
        rubric = rules.rubric(rules.kinds[assignment.kind].name)
        self.ledger.mark_opened(
            assignment_id, rubric_version=rubric.version if rubric is not None else 0
        )
        return self.ledger.assignment(assignment_id)

    def deliver(self, assignment_ids: Sequence[str]) -> int:
        """Deliver assignments to their reviewers' task lists; return how many were new.

        A reviewer gets one mail a day and cycle, whose row is written first: after a crash in
        between the delivery is repeated, and the row exists already.
        """
        notify(assignment_ids, ledger=self.ledger, address=self.address)
        return self.ledger.mark_delivered(assignment_ids)

    def submit(self, answers: Sequence[Answer]) -> tuple[Receipt, ...]:
        """Store answers of one cycle: committed when this returns, whatever else is down."""
        receipts = submit.submit(answers, ledger=self.ledger)
        for cycle_id in {cycle_of(answer.assignment_id) for answer in answers}:
            self.doorbell.ring(cycle_id)
        return receipts

    def decline(
        self,
        assignment_id: str,
        kind: DeclineKind,
        *,
        by: str,
        reason: str = "",
        busy: Absence | None = None,
    ) -> None:
        """Decline an assignment; its request goes to another reviewer."""
        decline(
            assignment_id,
            kind,
            by=by,
            reason=reason,
            busy_until=busy,
            address=self.address,
            ledger=self.ledger,
        )
        self.ledger.drop_draft(assignment_id)
        self.doorbell.ring(cycle_of(assignment_id))

    def task_list_of(self, seats: Collection[tuple[str, int]]) -> TaskList:
        """Read all tasks of a person, in every cycle where they review."""
        return read_task_list(seats, ledger=self.ledger)

    def next_task(self, seats: Collection[tuple[str, int]], *, after: str) -> Task | None:
        """Read the next task of a person, None when there is none."""
        return read_next(seats, after=after, ledger=self.ledger)

    def task(self, task: str, *, reviewer: int) -> Assignment:
        """Find a reviewer's own assignment by its code; another's counts as missing."""
        return self.codes.find(task, reviewer=reviewer, ledger=self.ledger)

    def task_and_rules(self, task: str, *, reviewer: int) -> tuple[Assignment, Rules]:
        """Find a reviewer's own assignment, and the rules in force, as of one moment."""
        with self.ledger.one_moment():
            assignment = self.task(task, reviewer=reviewer)
            return assignment, self.ledger.rules(assignment.cycle_id)

    def task_code(self, assignment_id: str) -> str:
        """Return the code by which a reviewer names an assignment."""
        return self.ledger.cycle(cycle_of(assignment_id)).task_code(assignment_id)

    def sheet(self, assignment: Assignment) -> review_page.ReviewPage:
        """Read the page of an assignment: the application, the form, the own answer."""
        return review_page.read_review_page(assignment, ledger=self.ledger)

    def document(
        self, assignment: Assignment, number: int
    ) -> tuple[review_page.ShownDocument, bytes]:
        """Read an uploaded document that a reviewer may see, by its number on the page."""
        return review_page.read_document(assignment, number, ledger=self.ledger)

    def begin(self, assignment: Assignment) -> Assignment:
        """Mark an open assignment as begun, if it was not, and read it."""
        if assignment.status.is_open and assignment.opened_at is None:
            return self.open(assignment.id)
        return assignment

    def save_draft(
        self, assignment: Assignment, body: Mapping[str, str], *, version: int
    ) -> Draft:
        """Store what was typed so far; raises StaleDraftError when another tab was faster."""
        return self.save_draft_soon(assignment, body, version=version).result()

    def save_draft_soon(
        self, assignment: Assignment, body: Mapping[str, str], *, version: int
    ) -> Future[Draft]:
        """Begin to store what was typed so far; many at the same time share a commit."""
        self.begin(assignment)
        return self.ledger.save_draft_soon(
            assignment.id, review_page.clean(body), expected=version
        )

    def skip(self, assignment: Assignment) -> None:
        """Put a task at the end of its reviewer's list."""
        self.ledger.skip(assignment.id)

    def given(self, assignment_id: str) -> ScoreDetails | None:
        """Read the current score of an assignment and what was written with it."""
        return self.ledger.given(assignment_id)

    def add_absence(self, cycle_id: str, reviewer: int, absence: Absence) -> None:
        """Stop new requests to a reviewer for some days."""
        change_availability(cycle_id, reviewer, add=absence, ledger=self.ledger)
        self.doorbell.ring(cycle_id)

    def remove_absence(self, cycle_id: str, reviewer: int, absence: Absence) -> None:
        """Allow new requests again on some days."""
        change_availability(cycle_id, reviewer, remove=absence, ledger=self.ledger)
        self.doorbell.ring(cycle_id)

    def set_packet(self, cycle_id: str, reviewer: int, packet: int) -> None:
        """Change how many requests a reviewer has at the same time."""
        change_availability(cycle_id, reviewer, packet=packet, ledger=self.ledger)
        self.doorbell.ring(cycle_id)

    def mark_no_show(self, assignment_id: str, *, by: str, note: str = "") -> None:
        """Record that an applicant did not come; the request goes to others."""
        interviews.mark_no_show(assignment_id, by=by, note=note, ledger=self.ledger)
        self.doorbell.ring(cycle_of(assignment_id))

    def calendar(self, sheet: review_page.ReviewPage) -> str:
        """Build the calendar entry of a task that has a slot."""
        return review_page.calendar_of(sheet, address=self.address, ledger=self.ledger)
