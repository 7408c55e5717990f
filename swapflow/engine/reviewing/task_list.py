"""A reviewer's task list: open tasks in the order in which they are best done."""

from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.people.interview import Interview
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.reviewing.assignment import OPEN_ASSIGNMENT, Assignment, AssignmentStatus
from swapflow.domain.reviewing.interview_kinds import meets
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import ListedTask, ProgramSeat
from swapflow.engine.reviewing.blinding import ReviewerView
from swapflow.errors import DamagedRecordError
from swapflow.messages import Message


SOON = timedelta(days=3)
"""How near a due time is called soon."""


DONE = frozenset({AssignmentStatus.SCORED})


SHOWN = OPEN_ASSIGNMENT | DONE | {AssignmentStatus.EXPIRED}

_DAMAGED = (DamagedRecordError, ValueError, TypeError, LookupError)
"""What a damaged row raises: when it is read, or when a value meets rules that do not know it."""


class Section(StrEnum):
    """The section of a task in the list, in this order."""

    OVERDUE = "overdue"
    SOON = "soon"
    STARTED = "started"
    NEW = "new"
    PASSED_ON = "passed on"
    DONE = "done"


ENDED = frozenset({Section.DONE, Section.PASSED_ON})
"""Sections without open work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One row of the inbox.

    Attributes:
        minutes: Estimated time; None when the round's unit is another.
        due_at: Due time to the minute.
        skipped_at: When its reviewer put it off; None if never, or if that counts no more.
        is_interview: Whether the reviewer meets the applicant: it has a date, or its kind is an
            interview.
        is_practice: Whether its program is for training: it comes after all real reviews.
    """

    code: str
    cycle_id: str
    cycle: str
    zone: str
    applicant: str
    kind: str
    minutes: int | None
    due_at: datetime | None
    section: Section
    draft: bool
    skipped_at: datetime | None
    interview: Interview | None
    is_interview: bool
    is_practice: bool = False

    @property
    def skipped(self) -> bool:
        """Whether its reviewer has put it off."""
        return self.skipped_at is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskListCycle:
    """One cycle in which a person reviews."""

    id: str
    name: str
    status: CycleStatus
    deadline: datetime | None
    zone: str
    done: int
    waiting: int
    reviewer: Reviewer
    packet: int
    is_practice: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskList:
    """All tasks of a person; `tasks` is in the order in which they should be done.

    `damaged` says why the tasks of a cycle are missing, where its record cannot be read.
    """

    now: datetime
    cycles: tuple[TaskListCycle, ...]
    tasks: tuple[Task, ...]
    damaged: tuple[str, ...] = ()

    @property
    def waiting(self) -> tuple[Task, ...]:
        """The tasks that are still to be done."""
        return tuple(task for task in self.tasks if task.section not in ENDED)

    @property
    def next_due(self) -> Task | None:
        """The open task that is due first, which may be one that was put off."""
        dated = [(task.due_at, task.code, task) for task in self.waiting if task.due_at]
        return min(dated)[2] if dated else None


def readable_seats(
    seats: Collection[tuple[str, int]], *, ledger: Ledger
) -> tuple[tuple[ProgramSeat, ...], tuple[str, ...]]:
    """Read the cycles of (cycle, reviewer number) seats, and why those are missing that cannot be.

    One that is gone is left out.
    """
    try:
        return ledger.program_seats(seats), ()
    except DamagedRecordError:
        found: list[ProgramSeat] = []
        damaged: list[str] = []
        # All are read at once, which one damaged row of one of them spoils.
        for cycle_id, number in seats:
            try:
                found += ledger.program_seats([(cycle_id, number)])
            except DamagedRecordError:
                damaged.append(_unreadable(cycle_id))
        return tuple(found), tuple(damaged)


def read_task_list(seats: Collection[ProgramSeat], *, ledger: Ledger) -> TaskList:
    """Read all tasks of a person, in every cycle where they review.

    A cycle whose record is damaged does not keep the tasks of the others away.
    """
    with ledger.one_moment():
        return _read_task_list(seats, ledger=ledger)


def read_next(seats: Collection[ProgramSeat], *, after: str, ledger: Ledger) -> Task | None:
    """Read the next task of a person: the first open one other than `after`.

    Finished tasks are not read: they grow in number, and this runs after every review.
    """
    listed: list[tuple[ProgramSeat, Collection[ListedTask]]] = []
    waiting: list[Task] = []
    with ledger.one_moment():
        for seat in seats:
            with suppress(*_DAMAGED):
                tasks = ledger.listed_tasks(seat.cycle.id, seat.number, SHOWN - DONE)
                listed.append((seat, tasks))
        now = ledger.now()
    for seat, theirs in listed:
        with suppress(*_DAMAGED):
            found = list(_tasks(seat, theirs, now=now))
            waiting += [t for t in found if t.section not in ENDED and t.code != after]
    return min(waiting, key=_urgency, default=None)


def _read_task_list(seats: Collection[ProgramSeat], *, ledger: Ledger) -> TaskList:
    listed: list[tuple[ProgramSeat, Collection[ListedTask]]] = []
    cycles: list[TaskListCycle] = []
    tasks: list[Task] = []
    damaged: list[str] = []
    for seat in seats:
        try:
            listed.append((seat, ledger.listed_tasks(seat.cycle.id, seat.number, SHOWN)))
        except _DAMAGED:
            damaged.append(_unreadable(seat.cycle.id))
    # After the tasks: the statement that reads them reads the clock as well.
    now = ledger.now()
    for seat, theirs in listed:
        try:
            found = list(_tasks(seat, theirs, now=now))
            cycle = _read_cycle(seat, theirs, ledger=ledger)
        except _DAMAGED:
            damaged.append(_unreadable(seat.cycle.id))
        else:
            cycles.append(cycle)
            tasks += found
    return TaskList(
        now=now,
        cycles=tuple(cycles),
        tasks=tuple(sorted(tasks, key=_urgency)),
        damaged=tuple(damaged),
    )


def _unreadable(cycle_id: str) -> Message:
    return Message("tasks_unreadable", cycle=cycle_id)


def _read_cycle(
    seat: ProgramSeat, theirs: Collection[ListedTask], *, ledger: Ledger
) -> TaskListCycle:
    """Read one cycle in which a person reviews."""
    reviewer = ledger.reviewer(seat.cycle.id, seat.number)
    statuses = [one.assignment.status for one in theirs]
    return TaskListCycle(
        id=seat.cycle.id,
        name=seat.cycle.name,
        status=seat.cycle.status,
        deadline=seat.rules.deadline,
        zone=seat.rules.zone,
        done=statuses.count(AssignmentStatus.SCORED),
        waiting=sum(status.is_open for status in statuses),
        reviewer=reviewer,
        packet=reviewer.packet or seat.rules.packet,
        is_practice=seat.cycle.is_practice,
    )


def _tasks(seat: ProgramSeat, theirs: Collection[ListedTask], *, now: datetime) -> Iterable[Task]:
    cycle, rules = seat.cycle, seat.rules
    view = ReviewerView(cycle=cycle, blind=rules.blind, shown=seat.shown)
    for one in theirs:
        a = one.assignment
        if a.status is AssignmentStatus.EXPIRED and cycle.status is CycleStatus.FINALIZED:
            continue
        kind = rules.kinds[a.kind]
        section = _section(a, begun=one.drafted, now=now)
        skipped_at = _standing_skip(one, section)
        yield Task(
            code=cycle.task_code(a.id),
            cycle_id=cycle.id,
            cycle=cycle.name,
            zone=rules.zone,
            applicant=view.name_of(one),
            kind=kind.name,
            minutes=kind.cost if seat.unit == "minutes" else None,
            due_at=a.due_minute,
            section=section,
            draft=one.drafted,
            skipped_at=skipped_at,
            interview=one.interview,
            is_interview=one.interview is not None or meets(rules.kinds, a.kind),
            is_practice=cycle.is_practice,
        )


def _section(assignment: Assignment, *, begun: bool, now: datetime) -> Section:
    if assignment.status is AssignmentStatus.SCORED:
        return Section.DONE
    if assignment.status is AssignmentStatus.EXPIRED:
        # A started task of which the time has passed still shows as overdue, as its late answer
        # counts.
        return Section.OVERDUE if begun else Section.PASSED_ON
    due = assignment.due_at
    if due is not None and due < now:
        return Section.OVERDUE
    if due is not None and due < now + SOON:
        return Section.SOON
    return Section.STARTED if begun else Section.NEW


def _standing_skip(listed: ListedTask, section: Section) -> datetime | None:
    """Return when an open task was put off; None if it was not, or became urgent since."""
    due, skipped_at = listed.assignment.due_at, listed.skipped_at
    if skipped_at is None or section in ENDED:
        return None
    # Who put it off weeks ago wants to see it again once it is due soon, and once it is overdue.
    if section is Section.SOON and due is not None and skipped_at < due - SOON:
        return None
    if section is Section.OVERDUE and due is not None and skipped_at < due:
        return None
    return skipped_at


def _urgency(task: Task) -> tuple[bool, bool, float, int, bool, float, str]:
    # Of those put off, the one of the last press is the last.
    skipped = task.skipped_at.timestamp() if task.skipped_at else 0.0
    section = list(Section).index(task.section)
    due = task.due_at.timestamp() if task.due_at else 0.0
    ended = task.section in ENDED
    return ended, task.is_practice, skipped, section, task.due_at is None, due, task.code
