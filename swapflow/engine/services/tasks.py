"""Tasks of reviewers, and deliveries by workers."""

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass

from swapflow.domain.ids import cycle_of
from swapflow.domain.people.reviewer import Absence, DeclineKind
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus
from swapflow.domain.reviewing.score import Answer, Draft, Receipt, ScoreDetails
from swapflow.engine.intake.roster import change_availability
from swapflow.engine.interviews import slots
from swapflow.engine.notifications.reviewer_mail import notify
from swapflow.engine.ports.records import ProgramSeat, TaskCounts, TaskRecord
from swapflow.engine.reviewing import review_page
from swapflow.engine.reviewing.decline import decline, take_back
from swapflow.engine.reviewing.task_list import (
    Task,
    TaskList,
    read_next,
    read_task_list,
    readable_seats,
)
from swapflow.engine.services.context import ServiceContext


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskService:
    """Tasks of reviewers, and deliveries by workers."""

    context: ServiceContext

    def inbox(self, cycle_id: str, external_id: str) -> tuple[Assignment, ...]:
        """List a reviewer's open assignments, soonest due first."""
        number = self.context.reviewer_number(cycle_id, external_id)
        waiting = self.context.ledger.assignments(
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
        self._mark_opened(self.context.ledger.task(assignment_id))
        return self.context.ledger.assignment(assignment_id)

    def deliver(self, assignment_ids: Sequence[str]) -> int:
        """Deliver assignments to their reviewers' task lists; return how many were new.

        A reviewer gets one mail a day and cycle, whose row is written first: after a crash in
        between the delivery is repeated, and the row exists already.
        """
        notify(
            assignment_ids,
            ledger=self.context.ledger,
            address=self.context.address,
            office=self.context.office.name,
        )
        return self.context.ledger.mark_delivered(assignment_ids)

    def submit(self, answers: Sequence[Answer]) -> tuple[Receipt, ...]:
        """Store answers of one cycle: committed when this returns, whatever else is down."""
        return self.context.submits.submit(
            answers, ledger=self.context.ledger, committed=self.context.doorbell.ring
        )

    def decline(
        self,
        assignment_id: str,
        kind: DeclineKind,
        *,
        by: str,
        reason: str = "",
        busy: Absence | None = None,
    ) -> None:
        """Decline an assignment; its request goes to another reviewer.

        An applicant who did not come is no refusal, and recorded as what it is.
        """
        if kind is DeclineKind.MISSED:
            self.no_show(assignment_id, by=by, note=reason)
            return
        decline(
            assignment_id,
            kind,
            by=by,
            reason=reason,
            busy_until=busy,
            address=self.context.address,
            ledger=self.context.ledger,
        )
        self.context.ledger.drop_draft(assignment_id)
        self.context.doorbell.ring(cycle_of(assignment_id))

    def one_moment(self) -> AbstractContextManager[None]:
        """Read in this thread as of one moment, on one connection, until the block ends.

        Nothing may be written meanwhile.
        """
        return self.context.ledger.one_moment()

    def take_back(self, assignment_id: str, *, by: str, reason: str) -> None:
        """Take an assignment from its reviewer, as staff; its request goes to another."""
        take_back(
            assignment_id,
            by=by,
            reason=reason,
            address=self.context.address,
            ledger=self.context.ledger,
        )
        self.context.ledger.drop_draft(assignment_id)
        self.context.doorbell.ring(cycle_of(assignment_id))

    def seats(self, seats: Collection[tuple[str, int]]) -> tuple[ProgramSeat, ...]:
        """Read the cycles of a person's seats; one that is gone or damaged is left out."""
        return self.readable_seats(seats)[0]

    def readable_seats(
        self, seats: Collection[tuple[str, int]]
    ) -> tuple[tuple[ProgramSeat, ...], tuple[str, ...]]:
        """Read the cycles of a person's seats, and why those are missing that are damaged."""
        return readable_seats(seats, ledger=self.context.ledger)

    def list(self, seats: Collection[ProgramSeat]) -> TaskList:
        """Read all tasks of a person, in every cycle where they review."""
        return read_task_list(seats, ledger=self.context.ledger)

    def next(self, seats: Collection[ProgramSeat], *, after: str) -> Task | None:
        """Read the next task of a person, None when there is none."""
        return read_next(seats, after=after, ledger=self.context.ledger)

    def counts(self, seats: Collection[tuple[str, int]]) -> TaskCounts:
        """Count a person's tasks in all their programs: those done and those that wait."""
        return self.context.ledger.task_counts(seats)

    def find(self, task: str, *, reviewer: int) -> TaskRecord:
        """Find a reviewer's own task by its code; another's counts as missing."""
        return self.context.codes.find(task, reviewer=reviewer, ledger=self.context.ledger)

    def task(self, assignment_id: str) -> TaskRecord:
        """Read a task by its assignment's id."""
        return self.context.ledger.task(assignment_id)

    def code(self, assignment_id: str) -> str:
        """Return the code by which a reviewer names an assignment."""
        return self.context.ledger.cycle(cycle_of(assignment_id)).task_code(assignment_id)

    def form(self, task: TaskRecord) -> review_page.ReviewForm:
        """Read what an answer to a task is read by."""
        return review_page.read_review_form(task, ledger=self.context.ledger)

    def page(self, task: TaskRecord) -> review_page.ReviewPage:
        """Read the page of a task: the application, the form, the own answer."""
        return review_page.read_review_page(task, ledger=self.context.ledger)

    def document(
        self, assignment: Assignment, number: int
    ) -> tuple[review_page.ShownDocument, bytes]:
        """Read an uploaded document that a reviewer may see, by its number on the page."""
        return review_page.read_document(assignment, number, ledger=self.context.ledger)

    def stored(self, task: TaskRecord) -> review_page.StoredReview | None:
        """Read what the next form says of a task's answer, None without one."""
        return review_page.read_stored_review(task, ledger=self.context.ledger)

    def begin(self, task: TaskRecord) -> None:
        """Mark an open task as begun, if it was not; the task that was read does not change."""
        if task.assignment.status.is_open and task.assignment.opened_at is None:
            self._mark_opened(task)

    def _mark_opened(self, task: TaskRecord) -> None:
        rubric = task.rules.rubric(task.kind.name)
        self.context.ledger.mark_opened(
            task.assignment.id, rubric_version=rubric.version if rubric is not None else 0
        )

    def save_draft(self, task: TaskRecord, body: Mapping[str, str], *, version: int) -> Draft:
        """Store what was typed so far; raises StaleDraftError when another tab was faster."""
        return self.save_draft_soon(task, body, version=version).result()

    def save_draft_soon(
        self, task: TaskRecord, body: Mapping[str, str], *, version: int
    ) -> Future[Draft]:
        """Begin to store what was typed so far; many at the same time share a commit."""
        self.begin(task)
        return self.context.ledger.save_draft_soon(
            task.assignment.id, review_page.clean(body), expected=version
        )

    def skip(self, assignment: Assignment) -> None:
        """Put a task at the end of its reviewer's list."""
        self.context.ledger.skip(assignment.id)

    def score(self, assignment_id: str) -> ScoreDetails | None:
        """Read the current score of an assignment and what was written with it."""
        return self.context.ledger.given(assignment_id)

    def add_absence(self, cycle_id: str, reviewer: int, absence: Absence) -> None:
        """Stop new requests to a reviewer for some days."""
        change_availability(cycle_id, reviewer, add=absence, ledger=self.context.ledger)
        self.context.doorbell.ring(cycle_id)

    def remove_absence(self, cycle_id: str, reviewer: int, absence: Absence) -> None:
        """Allow new requests again on some days."""
        change_availability(cycle_id, reviewer, remove=absence, ledger=self.context.ledger)
        self.context.doorbell.ring(cycle_id)

    def set_packet(
        self, cycle_id: str, reviewer: int, packet: int, *, made_from: str = ""
    ) -> None:
        """Change how many requests a reviewer has at the same time."""
        change_availability(
            cycle_id, reviewer, packet=packet, made_from=made_from, ledger=self.context.ledger
        )
        self.context.doorbell.ring(cycle_id)

    def no_show(self, assignment_id: str, *, by: str, note: str = "") -> None:
        """Record that an applicant did not come; the request goes to others."""
        slots.mark_no_show(assignment_id, by=by, note=note, ledger=self.context.ledger)
        self.context.doorbell.ring(cycle_of(assignment_id))

    def calendar(self, sheet: review_page.ReviewPage) -> str:
        """Build the calendar entry of a task that has a slot."""
        return review_page.calendar_of(
            sheet, address=self.context.address, ledger=self.context.ledger
        )

    def get(self, assignment_id: str) -> Assignment:
        """Read one assignment by its id."""
        return self.context.ledger.assignment(assignment_id)

    def of_reviewer(self, cycle_id: str, reviewer: int) -> tuple[Assignment, ...]:
        """Read every assignment that a reviewer had, by number."""
        return self.context.ledger.assignments(cycle_id, reviewer=reviewer)
