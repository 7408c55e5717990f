"""A reviewer's tasks read with all that belongs to them, in one statement each."""

from collections.abc import Collection, Sequence
from dataclasses import fields
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    Table,
    bindparam,
    exists,
    func,
    literal,
    or_,
    select,
    union_all,
)
from typing_extensions import override

from swapflow.domain.ids import cycle_of
from swapflow.domain.people.interview import Interview
from swapflow.domain.people.reviewer import DeclineKind
from swapflow.domain.people.shown_columns import ShownColumns
from swapflow.domain.reviewing.assignment import OPEN_ASSIGNMENT, AssignmentStatus
from swapflow.engine.ports.records import (
    SHOWN,
    ListedTask,
    ProgramSeat,
    SeatFacts,
    TaskCounts,
    TaskRecord,
)
from swapflow.engine.ports.reviewer_tasks import ReviewerTasks
from swapflow.errors import NotFoundError
from swapflow.ledger.core import queries
from swapflow.ledger.core.clock import CLOCK_COLUMNS
from swapflow.ledger.core.damaged_rows import rows_of
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.known_rules import CURRENT, rules_of
from swapflow.ledger.core.row_mapping import ASSIGNMENT_COLUMNS, columns, to_assignment, to_cycle
from swapflow.ledger.core.statements import rows_in
from swapflow.ledger.schema import (
    APPLICATION,
    ASSIGNMENT,
    CONFLICT,
    CYCLE,
    DRAFT,
    INTERVIEW,
    LIST_READING,
    OPENED,
    PANEL,
    PERSON,
    ROUND,
    RULES,
    SKIP,
)


# Rows are read by place, since several tables have a column of one name.
_CYCLE_NAMES = [column.name for column in CYCLE.c]
_INTERVIEW = columns(INTERVIEW, Interview)
_INTERVIEW_NAMES = [column.name for column in _INTERVIEW]
_A_TASK = len(ASSIGNMENT_COLUMNS)

_SHOWN = (
    select(LIST_READING.c.settings)
    .where(LIST_READING.c.cycle_id == CYCLE.c.id, LIST_READING.c.what == SHOWN)
    .correlate(CYCLE)
    .scalar_subquery()
    .label("shown")
)
_PROGRAMS = (
    select(*CYCLE.c, ROUND.c.unit, RULES.c.digest, _SHOWN)
    .join(RULES, CURRENT)
    .join(ROUND, ROUND.c.id == CYCLE.c.round_id)
    .where(CYCLE.c.id.in_(bindparam("values", expanding=True)))
)
_TASK = (
    select(*ASSIGNMENT_COLUMNS, *CYCLE.c, ROUND.c.unit, RULES.c.digest, _SHOWN)
    .join(CYCLE, CYCLE.c.id == ASSIGNMENT.c.cycle_id)
    .join(RULES, CURRENT)
    .join(ROUND, ROUND.c.id == CYCLE.c.round_id)
    .where(ASSIGNMENT.c.id == bindparam("assignment"))
)
# Outer joins fix the order in which SQLite reads: the reviewer's own rows first.
_LISTED = (
    select(
        *ASSIGNMENT_COLUMNS,
        APPLICATION.c.external_id,
        PERSON.c.name,
        DRAFT.c.version,
        SKIP.c.at,
        *CLOCK_COLUMNS,
        *_INTERVIEW,
    )
    .outerjoin(
        APPLICATION,
        (APPLICATION.c.cycle_id == ASSIGNMENT.c.cycle_id)
        & (APPLICATION.c.number == ASSIGNMENT.c.application),
    )
    .outerjoin(PERSON, PERSON.c.id == APPLICATION.c.person_id)
    .outerjoin(DRAFT, DRAFT.c.assignment_id == ASSIGNMENT.c.id)
    .outerjoin(SKIP, SKIP.c.assignment_id == ASSIGNMENT.c.id)
    .outerjoin(INTERVIEW, INTERVIEW.c.pull_id == ASSIGNMENT.c.pull_id)
    .where(
        ASSIGNMENT.c.cycle_id == bindparam("cycle"),
        ASSIGNMENT.c.reviewer == bindparam("reviewer"),
        ASSIGNMENT.c.status.in_(bindparam("values", expanding=True)),
    )
)


_MINE = PANEL.alias("mine")


def _of_reviewer(what: str, table: Table, *conditions: ColumnElement[bool]) -> Select[Any]:
    """Select the applications that a reviewer has something to do with."""
    return select(literal(what).label("what"), table.c.application).where(
        table.c.cycle_id == bindparam("cycle"),
        table.c.reviewer == bindparam("reviewer"),
        *conditions,
    )


# One statement of five parts, each by an index that begins with the cycle.
_SEAT_FACTS = union_all(
    _of_reviewer("answered", ASSIGNMENT, ASSIGNMENT.c.status == AssignmentStatus.SCORED.value),
    _of_reviewer("barred", CONFLICT),
    _of_reviewer(
        "barred",
        ASSIGNMENT,
        ASSIGNMENT.c.status == AssignmentStatus.DECLINED.value,
        ASSIGNMENT.c.decline_kind == DeclineKind.UNQUALIFIED.value,
    ),
    _of_reviewer("opened", OPENED),
    _of_reviewer(
        "waiting", ASSIGNMENT, ASSIGNMENT.c.status.in_([s.value for s in OPEN_ASSIGNMENT])
    ),
    select(literal("others").label("what"), PANEL.c.application)
    .where(
        PANEL.c.cycle_id == bindparam("cycle"),
        ~exists().where(
            _MINE.c.cycle_id == PANEL.c.cycle_id,
            _MINE.c.application == PANEL.c.application,
            _MINE.c.reviewer == bindparam("reviewer"),
        ),
    )
    .distinct(),
)


class SqlTaskReads(ReviewerTasks):
    """The part of the ledger that finds tasks and lists them.

    Raises:
        UnavailableError: From any method, if the database does not answer.
    """

    _database: Database

    @override
    def task(self, assignment_id: str) -> TaskRecord:
        with (
            self._database.reading() as connection,
            rows_of(ASSIGNMENT, cycle_of(assignment_id)),
        ):
            row = connection.execute(_TASK, {"assignment": assignment_id}).one_or_none()
            if row is None:
                raise NotFoundError("assignment_not_found", assignment=assignment_id)
            cycle = to_cycle(_cycle_in(row[_A_TASK:]))
            rules = rules_of(connection, cycle.id, cycle.rules_version, row.digest)
        return TaskRecord(
            assignment=to_assignment(row[:_A_TASK]),
            cycle=cycle,
            rules=rules,
            unit=row.unit,
            shown=ShownColumns.of_settings(row.shown or {}),
        )

    @override
    def program_seats(self, seats: Collection[tuple[str, int]]) -> tuple[ProgramSeat, ...]:
        found = {}
        ids = {cycle_id for cycle_id, _ in seats}
        # Which of several is damaged is found by reading each alone.
        alone = next(iter(ids)) if len(ids) == 1 else ""
        with self._database.reading() as connection, rows_of(CYCLE, alone):
            for row in rows_in(connection, _PROGRAMS, ids):
                cycle = to_cycle(_cycle_in(row))
                rules = rules_of(connection, cycle.id, cycle.rules_version, row.digest)
                shown = ShownColumns.of_settings(row.shown or {})
                found[cycle.id] = (cycle, rules, row.unit, shown)
        return tuple(
            ProgramSeat(cycle=cycle, rules=rules, unit=unit, shown=shown, number=number)
            for cycle_id, number in seats
            if cycle_id in found
            for cycle, rules, unit, shown in (found[cycle_id],)
        )

    @override
    def task_counts(self, seats: Collection[tuple[str, int]]) -> TaskCounts:
        if not seats:
            return TaskCounts(done=0, waiting=0)
        asked: dict[str, str | int] = {}
        for place, (cycle_id, number) in enumerate(seats):
            asked |= {f"cycle{place}": cycle_id, f"reviewer{place}": number}
        with self._database.reading() as connection:
            found = {
                str(status): int(count)
                for status, count in connection.execute(_count_in_seats(len(seats)), asked)
            }
        done = found.pop(AssignmentStatus.SCORED.value, 0)
        return TaskCounts(done=done, waiting=sum(found.values()))

    @override
    def seat_facts(self, cycle_id: str, reviewer: int) -> SeatFacts:
        found: dict[str, set[int]] = {}
        asked = {"cycle": cycle_id, "reviewer": reviewer}
        with self._database.reading() as connection, rows_of(ASSIGNMENT, cycle_id):
            for what, application in connection.execute(_SEAT_FACTS, asked):
                found.setdefault(what, set()).add(application)
        names = (field.name for field in fields(SeatFacts))
        return SeatFacts(**{name: frozenset(found.get(name, ())) for name in names})

    @override
    def listed_tasks(
        self, cycle_id: str, reviewer: int, statuses: Collection[AssignmentStatus]
    ) -> tuple[ListedTask, ...]:
        wanted = [status.value for status in statuses]
        asked = {"cycle": cycle_id, "reviewer": reviewer}
        with self._database.reading() as connection, rows_of(ASSIGNMENT, cycle_id):
            rows = rows_in(connection, _LISTED, wanted, **asked)
            if rows:
                self._database.time_in(rows[0])
        tasks = []
        for row in rows:
            external_id, name, drafted, skipped_at, _, _, *slot = row[_A_TASK:]
            interview = dict(zip(_INTERVIEW_NAMES, slot, strict=True))
            tasks.append(
                ListedTask(
                    assignment=to_assignment(row[:_A_TASK]),
                    external_id=external_id or "",
                    name=name or "",
                    drafted=drafted is not None,
                    skipped_at=skipped_at,
                    interview=Interview(**interview) if interview["pull_id"] else None,
                )
            )
        return tuple(sorted(tasks, key=lambda task: queries.place(task.assignment)))


@lru_cache(maxsize=32)
def _count_in_seats(seats: int) -> Select[Any]:
    """Build the count of tasks by status in a number of seats, once: each page asks for it."""
    own = (
        (ASSIGNMENT.c.cycle_id == bindparam(f"cycle{place}"))
        & (ASSIGNMENT.c.reviewer == bindparam(f"reviewer{place}"))
        for place in range(seats)
    )
    statuses = [status.value for status in OPEN_ASSIGNMENT | {AssignmentStatus.SCORED}]
    return (
        select(ASSIGNMENT.c.status, func.count())
        .where(or_(*own), ASSIGNMENT.c.status.in_(statuses))
        .group_by(ASSIGNMENT.c.status)
    )


def _cycle_in(values: Sequence[Any]) -> dict[str, Any]:
    """Return the columns of the cycle with which a row, or the rest of one, begins."""
    return dict(zip(_CYCLE_NAMES, values, strict=False))
