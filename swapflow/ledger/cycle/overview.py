"""Reads of the dashboard and the long lists: counts and names, never the events.

Every query here uses an index and counts in the database, so that a page's cost does not grow with
the cycle.
"""

import statistics
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    Select,
    Text,
    bindparam,
    case,
    delete,
    func,
    insert,
    select,
    type_coerce,
)
from typing_extensions import override

from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.reviewing.assignment import OPEN_ASSIGNMENT, AssignmentStatus
from swapflow.engine.ports.coordination import Coordination, DecisionMark
from swapflow.engine.ports.live_state import ALTERED
from swapflow.engine.ports.overview import OverviewReads
from swapflow.engine.ports.records import (
    ApplicantName,
    DecisionRecord,
    DecisionStep,
    Load,
    Pin,
    ProcessHealth,
    Waiting,
)
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.row_mapping import AnyRow, to_decision
from swapflow.ledger.core.statements import require_cycle, rows_in
from swapflow.ledger.cycle.lists.tables import SqlTables
from swapflow.ledger.schema import (
    APPLICATION,
    ASSIGNMENT,
    CYCLE,
    DECISION,
    EVENT,
    NOTE,
    PERSON,
    PIN,
    SCORE,
)
from swapflow.ledger.schema.reviewing import OPEN_ONLY, QUEUED_ONLY


_ALTERED_AT = (
    select(func.max(NOTE.c.at))
    .where(NOTE.c.cycle_id == CYCLE.c.id, NOTE.c.subject == ALTERED)
    .scalar_subquery()
    .label("altered_at")
)
_OPEN = tuple(sorted(status.value for status in OPEN_ASSIGNMENT))
_MOMENTS = 500
"""Most moments at which something is due that are read; a page shows a few days of them."""

_STUCK_AFTER = timedelta(seconds=20)
_STATUSES = {status.value: status for status in ApplicationStatus}


class SqlComings(OverviewReads, Coordination):
    """The part of the ledger that counts answers by when they came, and requests by their day."""

    _database: Database

    @override
    def received_since(self, cycle_id: str, since: datetime) -> tuple[int, datetime | None]:
        query = select(func.count(), func.max(SCORE.c.submitted_at)).where(
            SCORE.c.cycle_id == cycle_id, SCORE.c.revision == 1, SCORE.c.submitted_at >= since
        )
        with self._database.reading() as connection:
            count, last = connection.execute(query).one()
        return int(count), last

    @override
    def due_from(self, cycle_id: str, since: datetime) -> tuple[tuple[datetime, int, int], ...]:
        query = (
            select(ASSIGNMENT.c.due_at, ASSIGNMENT.c.kind, func.count())
            .where(
                ASSIGNMENT.c.cycle_id == cycle_id,
                ASSIGNMENT.c.status.in_(_OPEN),
                ASSIGNMENT.c.due_at >= since,
            )
            .group_by(ASSIGNMENT.c.due_at, ASSIGNMENT.c.kind)
            .order_by(ASSIGNMENT.c.due_at, ASSIGNMENT.c.kind)
            .limit(_MOMENTS)
        )
        with self._database.reading() as connection:
            return tuple(
                (due_at, int(kind), int(count))
                for due_at, kind, count in connection.execute(query)
            )


class SqlDecisionLog(Coordination):
    """The part of the ledger that reads decisions for people."""

    _database: Database

    @override
    def steps(self, cycle_id: str, *, at_most: int) -> tuple[DecisionStep, ...]:
        # Counted by the database: who they are is read nowhere, and may be thousands a decision.
        names = type_coerce(DECISION.c.contested, Text)
        commas = func.length(names) - func.length(func.replace(names, ",", ""))
        count = case((names == "[]", 0), else_=commas + 1).label("too_close")
        query = (
            select(DECISION.c.number, DECISION.c.at, count, DECISION.c.look)
            .where(DECISION.c.cycle_id == cycle_id)
            .order_by(DECISION.c.number.desc())
            .limit(at_most)
        )
        with self._database.reading() as connection:
            rows = list(connection.execute(query))
        return tuple(
            DecisionStep(number=row.number, at=row.at, too_close=row.too_close, look=row.look)
            for row in reversed(rows)
        )

    @override
    def decisions_numbered(
        self, cycle_id: str, numbers: Collection[int]
    ) -> dict[int, DecisionRecord]:
        query = select(DECISION).where(
            DECISION.c.cycle_id == cycle_id,
            DECISION.c.number.in_(bindparam("values", expanding=True)),
        )
        with self._database.reading() as connection:
            found = map(to_decision, rows_in(connection, query, numbers))
            return {record.number: record for record in found}

    @override
    def decision_marks(
        self, cycle_id: str, number: int, *, at_most: int
    ) -> tuple[DecisionMark, ...]:
        query = select(DECISION.c.number, DECISION.c.digest, DECISION.c.at).where(
            DECISION.c.cycle_id == cycle_id
        )
        if number:
            query = query.where(DECISION.c.number < number)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(DECISION.c.number.desc()).limit(at_most))
            return tuple(DecisionMark(number, digest, at) for number, digest, at in rows)

    @override
    def decisions_before(
        self, cycle_id: str, number: int, *, at_most: int
    ) -> tuple[tuple[DecisionRecord, datetime], ...]:
        query = select(DECISION).where(DECISION.c.cycle_id == cycle_id)
        if number:
            query = query.where(DECISION.c.number < number)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(DECISION.c.number.desc()).limit(at_most))
            return tuple((to_decision(row), row.at) for row in rows)


class SqlOverview(SqlComings, SqlTables, SqlDecisionLog):
    """The part of the ledger behind the dashboard.

    Raises:
        UnavailableError: From any method, if the database does not answer.
    """

    _database: Database

    @override
    def named(
        self,
        cycle_id: str,
        numbers: Collection[int] | None = None,
        *,
        statuses: Collection[ApplicationStatus] = (),
        external_id: str = "",
    ) -> tuple[ApplicantName, ...]:
        query = (
            select(
                APPLICATION.c.number,
                APPLICATION.c.external_id,
                PERSON.c.name,
                APPLICATION.c.status,
            )
            .select_from(APPLICATION.outerjoin(PERSON, PERSON.c.id == APPLICATION.c.person_id))
            .where(APPLICATION.c.cycle_id == cycle_id)
            .order_by(APPLICATION.c.number)
        )
        if statuses:
            query = query.where(APPLICATION.c.status.in_([status.value for status in statuses]))
        if external_id:
            query = query.where(APPLICATION.c.external_id == external_id)
        with self._database.reading() as connection:
            rows: Iterable[AnyRow] = (
                connection.execute(query)
                if numbers is None
                else rows_in(
                    connection,
                    query.where(APPLICATION.c.number.in_(bindparam("values", expanding=True))),
                    sorted(set(numbers)),
                )
            )
            return tuple(
                ApplicantName(
                    number=number,
                    external_id=external_id or "",
                    name=name or "",
                    status=_STATUSES[status],
                )
                for number, external_id, name, status in rows
            )

    @override
    def numbers_after(
        self, cycle_id: str, number: int, *, at_most: int, status: ApplicationStatus | None = None
    ) -> tuple[int, ...]:
        query = (
            select(APPLICATION.c.number)
            .where(APPLICATION.c.cycle_id == cycle_id, APPLICATION.c.number > number)
            .order_by(APPLICATION.c.number)
            .limit(at_most)
        )
        if status is not None:
            query = query.where(APPLICATION.c.status == status.value)
        with self._database.reading() as connection:
            found = tuple(connection.execute(query).scalars())
            if not found:
                require_cycle(connection, cycle_id)
        return found

    @override
    def waiting(self, cycle_id: str) -> tuple[Waiting, ...]:
        with self._database.reading() as connection:
            late = case((ASSIGNMENT.c.due_at < self._database.now(connection), 1), else_=0)
            query = (
                select(
                    ASSIGNMENT.c.kind,
                    ASSIGNMENT.c.reviewer,
                    func.count().label("count"),
                    func.sum(late).label("overdue"),
                )
                # In the words of a partial index, or SQLite would read every assignment.
                .where(ASSIGNMENT.c.cycle_id == cycle_id, OPEN_ONLY)
                .group_by(ASSIGNMENT.c.kind, ASSIGNMENT.c.reviewer)
                .order_by(ASSIGNMENT.c.kind, ASSIGNMENT.c.reviewer)
            )
            return tuple(
                Waiting(kind=kind, reviewer=reviewer, count=int(count), overdue=int(overdue))
                for kind, reviewer, count, overdue in connection.execute(query)
            )

    @override
    def loads(self, cycle_id: str) -> dict[int, Load]:
        waiting = self._waiting_by_reviewer(cycle_id)
        days: dict[int, list[float]] = {}
        done: dict[int, tuple[int, datetime]] = {}
        with self._database.reading() as connection:
            for row in connection.execute(self._middle_answers(cycle_id)):
                took = (row.submitted_at - row.created_at).total_seconds() / 86_400
                days.setdefault(row.reviewer, []).append(took)
                done[row.reviewer] = (row.done, row.last_at)
        return {
            reviewer: Load(
                waiting=waiting.get(reviewer, (0, 0))[0],
                overdue=waiting.get(reviewer, (0, 0))[1],
                done=done[reviewer][0] if reviewer in done else 0,
                median_days=statistics.median(days[reviewer]) if reviewer in days else None,
                last_at=done[reviewer][1] if reviewer in done else None,
            )
            for reviewer in waiting.keys() | done.keys()
        }

    def _middle_answers(self, cycle_id: str) -> Select[*tuple[Any, ...]]:
        """Build the query for each reviewer's one or two middle answers, by duration.

        Each row also has the number of the reviewer's answers and the time of the last. The
        database orders forty thousand answers; they are not read one by one.
        """
        asked, answered = ASSIGNMENT.c.created_at, SCORE.c.submitted_at
        took = (
            # SQLite stores times as text and cannot subtract them.
            func.julianday(answered) - func.julianday(asked)
            if self._database.is_sqlite
            else answered - asked
        )
        by = ASSIGNMENT.c.reviewer
        ranked = (
            select(
                by,
                asked,
                answered,
                func.row_number().over(partition_by=by, order_by=took).label("nth"),
                func.count().over(partition_by=by).label("done"),
                func.max(answered).over(partition_by=by).label("last_at"),
            )
            .join(SCORE, SCORE.c.assignment_id == ASSIGNMENT.c.id)
            .where(
                ASSIGNMENT.c.cycle_id == cycle_id,
                ASSIGNMENT.c.status == AssignmentStatus.SCORED.value,
                # Later revisions are corrections: they say nothing about how long the answer took.
                SCORE.c.revision == 1,
            )
            .subquery()
        )
        # One middle row of an odd number of answers, two of an even one: their median is that of
        # all.
        return select(ranked).where((2 * ranked.c.nth).between(ranked.c.done, ranked.c.done + 2))

    @override
    def last_moves(
        self, cycle_id: str, applications: Collection[int]
    ) -> dict[int, tuple[datetime, bool]]:
        if not applications:
            return {}
        query = (
            select(
                ASSIGNMENT.c.application,
                func.max(ASSIGNMENT.c.created_at),
                func.max(SCORE.c.submitted_at),
            )
            .select_from(ASSIGNMENT.outerjoin(SCORE, SCORE.c.assignment_id == ASSIGNMENT.c.id))
            .where(ASSIGNMENT.c.cycle_id == cycle_id, ASSIGNMENT.c.application.in_(applications))
            .group_by(ASSIGNMENT.c.application)
        )
        with self._database.reading() as connection:
            return {
                application: (answered, True)
                if answered is not None and answered >= asked
                else (asked, False)
                for application, asked, answered in connection.execute(query)
            }

    @override
    def process_health(self, cycle_id: str) -> ProcessHealth:
        with self._database.reading() as connection:
            require_cycle(connection, cycle_id)
            cycle = connection.execute(
                select(CYCLE.c.lease_until, CYCLE.c.seq, _ALTERED_AT).where(CYCLE.c.id == cycle_id)
            ).one()
            event_at = connection.execute(
                select(EVENT.c.at).where(EVENT.c.cycle_id == cycle_id, EVENT.c.seq == cycle.seq)
            ).scalar()
            begun_at = connection.execute(
                select(DECISION.c.at).where(
                    DECISION.c.cycle_id == cycle_id, DECISION.c.number == 1
                )
            ).scalar()
            stuck = connection.execute(
                select(func.count())
                .select_from(ASSIGNMENT)
                .where(
                    ASSIGNMENT.c.cycle_id == cycle_id,
                    QUEUED_ONLY,
                    # Sent and still queued: a worker should have delivered it within seconds.
                    ASSIGNMENT.c.sent_at.is_not(None),
                    ASSIGNMENT.c.created_at < self._database.now(connection) - _STUCK_AFTER,
                )
            ).scalar_one()
        return ProcessHealth(
            led_until=cycle.lease_until,
            event_at=event_at,
            begun_at=begun_at,
            stuck=int(stuck),
            altered_at=cycle.altered_at,
        )

    @override
    def pins(self, cycle_id: str) -> tuple[Pin, ...]:
        query = (
            select(PIN.c.application, PIN.c.verdict, PIN.c.by, PIN.c.reason, PIN.c.at)
            .where(PIN.c.cycle_id == cycle_id)
            .order_by(PIN.c.application)
        )
        with self._database.reading() as connection:
            return tuple(Pin(**row._asdict()) for row in connection.execute(query))

    @override
    def set_pin(
        self, cycle_id: str, application: int, *, verdict: str, by: str, reason: str
    ) -> None:
        key: dict[str, Any] = {"cycle_id": cycle_id, "application": application}
        with self._database.writing() as connection:
            connection.execute(delete(PIN).filter_by(**key))
            if verdict:
                row = {**key, "verdict": verdict, "by": by, "reason": reason}
                connection.execute(insert(PIN), {**row, "at": self._database.now(connection)})
