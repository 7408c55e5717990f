"""A reviewer's task list: open tasks in the order in which they are best done."""

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.people.interview import Interview
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.reviewing.assignment import OPEN_ASSIGNMENT, Assignment, AssignmentStatus
from swapflow.domain.rules import Rules
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.reviewing.blinding import shown_as
from swapflow.errors import DamagedRecordError
from swapflow.messages import Message


SOON = timedelta(days=3)
"""How near a due time is called soon."""


DONE = frozenset({AssignmentStatus.SCORED})


SHOWN = OPEN_ASSIGNMENT | DONE | {AssignmentStatus.EXPIRED}


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
    skipped: bool
    interview: Interview | None


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


def read_task_list(seats: Collection[tuple[str, int]], *, ledger: Ledger) -> TaskList:
    """Read all tasks of a person, in every cycle where they review."""
    with ledger.one_moment():
        return _read_task_list(seats, ledger=ledger)


def read_next(seats: Collection[tuple[str, int]], *, after: str, ledger: Ledger) -> Task | None:
    """Read the next task of a person: the first open one other than `after`.

    Finished tasks are not read: they grow in number, and this runs after every review.
    """
    waiting: list[Task] = []
    with ledger.one_moment():
        now = ledger.now()
        units = {known.id: known.unit for known in ledger.rounds()} if seats else {}
        for cycle_id, number in seats:
            # A cycle whose record is damaged must not keep the tasks of the others away.
            with suppress(DamagedRecordError):
                cycle, rules = ledger.cycle(cycle_id), ledger.rules(cycle_id)
                theirs = ledger.assignments(cycle_id, reviewer=number, statuses=SHOWN - DONE)
                tasks = _tasks(cycle, rules, theirs, units[cycle.round_id], now=now, ledger=ledger)
                waiting += [t for t in tasks if t.section not in ENDED and t.code != after]
    return min(waiting, key=_urgency, default=None)


def _read_task_list(seats: Collection[tuple[str, int]], *, ledger: Ledger) -> TaskList:
    now = ledger.now()
    units = {known.id: known.unit for known in ledger.rounds()} if seats else {}
    cycles: list[TaskListCycle] = []
    tasks: list[Task] = []
    damaged: list[str] = []
    for cycle_id, number in seats:
        try:
            cycle, theirs = _read_cycle(cycle_id, number, units, now=now, ledger=ledger)
        except DamagedRecordError as error:
            damaged.append(Message("tasks_unreadable", cycle=error.cycle or cycle_id))
        else:
            cycles.append(cycle)
            tasks += theirs
    return TaskList(
        now=now,
        cycles=tuple(cycles),
        tasks=tuple(sorted(tasks, key=_urgency)),
        damaged=tuple(damaged),
    )


def _read_cycle(
    cycle_id: str, number: int, units: Mapping[str, str], *, now: datetime, ledger: Ledger
) -> tuple[TaskListCycle, list[Task]]:
    """Read one cycle in which a person reviews, and their tasks there."""
    cycle = ledger.cycle(cycle_id)
    rules = ledger.rules(cycle_id)
    theirs = ledger.assignments(cycle_id, reviewer=number, statuses=SHOWN)
    tasks = _tasks(cycle, rules, theirs, units[cycle.round_id], now=now, ledger=ledger)
    reviewer = ledger.reviewer(cycle_id, number)
    return TaskListCycle(
        id=cycle_id,
        name=cycle.name,
        status=cycle.status,
        deadline=rules.deadline,
        zone=rules.zone,
        done=sum(a.status is AssignmentStatus.SCORED for a in theirs),
        waiting=sum(a.status.is_open for a in theirs),
        reviewer=reviewer,
        packet=reviewer.packet or rules.packet,
    ), list(tasks)


def _tasks(
    cycle: Cycle,
    rules: Rules,
    theirs: Collection[Assignment],
    unit: str,
    *,
    now: datetime,
    ledger: Ledger,
) -> Iterable[Task]:
    ids = [a.id for a in theirs]
    drafts, skips = ledger.drafts(ids), ledger.skips(ids)
    slots = ledger.interviews({a.pull_id for a in theirs})
    applications = {
        a.number: a
        for a in ledger.applications_numbered(cycle.id, {a.application for a in theirs})
    }
    for a in theirs:
        if a.status is AssignmentStatus.EXPIRED and cycle.status is CycleStatus.FINALIZED:
            continue
        kind = rules.kinds[a.kind]
        yield Task(
            code=cycle.task_code(a.id),
            cycle_id=cycle.id,
            cycle=cycle.name,
            zone=rules.zone,
            applicant=shown_as(applications[a.application], blind=rules.blind),
            kind=kind.name,
            minutes=kind.cost if unit == "minutes" else None,
            due_at=a.due_at,
            section=_section(a, begun=a.id in drafts, now=now),
            draft=a.id in drafts,
            skipped=a.id in skips,
            interview=slots.get(a.pull_id),
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


def _urgency(task: Task) -> tuple[int, bool, bool, float, str]:
    section = list(Section).index(task.section)
    due = task.due_at.timestamp() if task.due_at else 0.0
    return section, task.skipped, task.due_at is None, due, task.code
