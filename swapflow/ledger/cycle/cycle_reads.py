"""Reads of the ledger outside a transaction: for pages, reports, exports and replays."""

from collections.abc import Collection, Sequence

from sqlalchemy import Text, bindparam, select, type_coerce
from typing_extensions import override

from swapflow.domain.cycle import START, Position
from swapflow.domain.event import EVENT_VERSION, HOLDS_TIME, Event, chain_hash
from swapflow.domain.people.application import Application
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.recorded_rows import plain_value
from swapflow.domain.reviewing.assignment import (
    OPEN_ASSIGNMENT,
    Assignment,
    AssignmentStatus,
    Pull,
    PullStatus,
)
from swapflow.domain.reviewing.score import Score
from swapflow.domain.rules import Rules
from swapflow.engine.ports.coordination import Coordination
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.records import DecisionRecord, DueWork, RowCheck, StaffRequest
from swapflow.engine.ports.requests import RequestReads
from swapflow.errors import NotFoundError
from swapflow.ledger.core import queries
from swapflow.ledger.core.known_rules import CURRENT, read_rules, rules_of
from swapflow.ledger.core.row_check import check_rows
from swapflow.ledger.core.row_mapping import (
    WISH_COLUMNS,
    AnyRow,
    to_assignment,
    to_decision,
    to_events,
    to_pull,
    to_score,
    to_staff_request,
)
from swapflow.ledger.core.statements import no_cycle, require_cycle
from swapflow.ledger.cycle.record_reads import SqlRecordReads
from swapflow.ledger.schema import (
    ASSIGNMENT,
    CYCLE,
    DECISION,
    EVENT,
    PULL,
    ROSTER_ABSENCE,
    RULES,
    SCORE,
    SEAL,
    WISH,
)
from swapflow.ledger.schema.reviewing import OPEN_ONLY, UNFINISHED_ONLY


_EVENT_COLUMNS = (
    EVENT.c.seq,
    EVENT.c.type,
    EVENT.c.version,
    EVENT.c.body,
    EVENT.c.hash,
    EVENT.c.at,
)
LONGEST_READ = 300_000
"""Characters of events after which one read stops."""

_EVENTS_FROM = (
    select(*_EVENT_COLUMNS)
    .where(EVENT.c.cycle_id == bindparam("cycle"), EVENT.c.seq >= bindparam("seq"))
    .order_by(EVENT.c.seq)
    .limit(bindparam("at_most"))
)
_CURRENT_RULES = (
    select(RULES.c.version, RULES.c.digest)
    .join(CYCLE, CURRENT)
    .where(CYCLE.c.id == bindparam("cycle"))
)
_OWN_IDS = select(ASSIGNMENT.c.id).where(
    ASSIGNMENT.c.cycle_id == bindparam("cycle"), ASSIGNMENT.c.reviewer == bindparam("reviewer")
)
_DUE_WORK = select(
    select(ASSIGNMENT.c.id)
    .where(ASSIGNMENT.c.cycle_id == CYCLE.c.id, ASSIGNMENT.c.due_at < bindparam("moment"))
    .where(OPEN_ONLY)
    .exists()
    .label("overdue"),
    select(ROSTER_ABSENCE.c.reviewer)
    .where(ROSTER_ABSENCE.c.cycle_id == CYCLE.c.id)
    .exists()
    .label("absences"),
    select(WISH.c.id)
    .where(WISH.c.cycle_id == CYCLE.c.id, WISH.c.done == "")
    .exists()
    .label("staff_requests"),
).where(CYCLE.c.id == bindparam("cycle"))
"""One look at what a turn may find: overdue requests, absences, open staff requests."""

FITTED = "prior_variance"
"""The number that a decision records only when a model was fitted."""

_CHAIN_BATCH = 2000


_UNFINISHED = frozenset((PullStatus.PROPOSED, PullStatus.OPEN))


class SqlCycleReads(SqlRecordReads, CycleReads, RequestReads, Coordination):
    """The reading half of the ledger; every answer is as of one moment.

    Raises:
        NotFoundError: From any method, if the cycle does not exist.
        UnavailableError: From any method, if the database does not answer.
    """

    @override
    def events(self, cycle_id: str, *, after: Position, at_most: int) -> tuple[Event, ...] | None:
        """Read the events after a position; None if the ledger never had that position.

        Long events give fewer than `at_most`: one may open a hundred thousand pulls.
        """
        # One row more, the event at the position itself, proves that this is the same history.
        proof = 0 if after == START else 1
        with self._database.reading() as connection:
            rows = connection.execute(
                _EVENTS_FROM,
                {
                    "cycle": cycle_id,
                    "seq": after.seq + 1 - proof,
                    "at_most": at_most + proof,
                },
            ).all()
            if not rows:
                require_cycle(connection, cycle_id)
        if proof and (not rows or (rows[0].seq, rows[0].hash) != (after.seq, after.hash)):
            return None
        rows = _as_long_as(rows[proof:], LONGEST_READ)
        if not rows:
            return ()
        return to_events(cycle_id, rows)

    @override
    def check_chain(self, cycle_id: str) -> str | None:
        seq, head = 0, ""
        with self._database.reading() as connection:
            cycle = connection.execute(
                select(CYCLE.c.seq, CYCLE.c.head_hash).where(CYCLE.c.id == cycle_id)
            ).one_or_none()
            if cycle is None:
                raise no_cycle(cycle_id)
            while True:
                start = {"cycle": cycle_id, "seq": seq + 1, "at_most": _CHAIN_BATCH}
                rows = connection.execute(_EVENTS_FROM, start).all()
                for row in rows:
                    if row.seq != seq + 1:
                        return f"event {seq + 1} is missing"
                    seq, text = row.seq, row.body
                    head = chain_hash(head, cycle_id=cycle_id, seq=seq, kind=row.type, text=text)
                    if head != row.hash:
                        return f"event {seq} is not what was recorded"
                    if not _is_of_its_time(row):
                        return f"event {seq}: its time or version is not what was recorded"
                if not rows:
                    break
        # Events removed at the end break no link; only the cycle's row shows that they existed.
        if (seq, head) != (cycle.seq, cycle.head_hash):
            return f"the cycle stands at event {cycle.seq}, its events end at {seq}"
        return None

    @override
    def check_rows(self, cycle_id: str) -> RowCheck:
        with self._database.reading() as connection:
            return check_rows(connection, cycle_id)

    @override
    def salts(self, cycle_id: str) -> dict[str, str]:
        # Those of texts about applicants stay in the office: no bundle holds such a text.
        query = select(SEAL.c.digest, SEAL.c.salt).where(
            SEAL.c.cycle_id == cycle_id, SEAL.c.application.is_(None)
        )
        with self._database.reading() as connection:
            return {row.digest: row.salt for row in connection.execute(query)}

    @override
    def rules(self, cycle_id: str, version: int = 0) -> Rules:
        with self._database.reading() as connection:
            if version:
                require_cycle(connection, cycle_id)
                return read_rules(connection, cycle_id, version)
            row = connection.execute(_CURRENT_RULES, {"cycle": cycle_id}).one_or_none()
            if row is None:
                raise no_cycle(cycle_id)
            return rules_of(connection, cycle_id, row.version, row.digest)

    @override
    def assignment(self, assignment_id: str) -> Assignment:
        """Read one assignment.

        Raises:
            NotFoundError: If there is none of this id.
        """
        with self._database.reading() as connection:
            found = queries.assignments_by_id(connection, [assignment_id])
        if assignment_id not in found:
            raise NotFoundError("assignment_not_found", assignment=assignment_id)
        return found[assignment_id]

    @override
    def assignment_ids(self, cycle_id: str, *, reviewer: int) -> tuple[str, ...]:
        asked = {"cycle": cycle_id, "reviewer": reviewer}
        with self._database.reading() as connection:
            return tuple(connection.execute(_OWN_IDS, asked).scalars())

    @override
    def assignments(
        self,
        cycle_id: str,
        *,
        reviewer: int | None = None,
        application: int | None = None,
        statuses: Collection[AssignmentStatus] = (),
    ) -> tuple[Assignment, ...]:
        query = queries.ASSIGNMENTS.where(ASSIGNMENT.c.cycle_id == cycle_id)
        if reviewer is not None:
            query = query.where(ASSIGNMENT.c.reviewer == reviewer)
        if application is not None:
            query = query.where(ASSIGNMENT.c.application == application)
        if statuses:
            query = query.where(ASSIGNMENT.c.status.in_([status.value for status in statuses]))
        whole = reviewer is None and application is None
        few_are_open = whole and bool(statuses) and {*statuses} <= OPEN_ASSIGNMENT
        if few_are_open:
            # In the words of a partial index, or every assignment would be read.
            query = query.where(OPEN_ONLY)
        if reviewer is None and not few_are_open:
            rows = self._all(cycle_id, query.order_by(*queries.ASSIGNMENT_ORDER))
            return tuple(to_assignment(row) for row in rows)
        # With ORDER BY, SQLite scans the whole cycle instead of the few rows.
        return tuple(sorted(map(to_assignment, self._all(cycle_id, query)), key=queries.place))

    @override
    def pulls(
        self,
        cycle_id: str,
        *,
        application: int | None = None,
        statuses: Collection[PullStatus] = (),
    ) -> tuple[Pull, ...]:
        query = queries.PULLS.where(PULL.c.cycle_id == cycle_id)
        if application is not None:
            query = query.where(PULL.c.application == application)
        if statuses:
            query = query.where(PULL.c.status.in_([status.value for status in statuses]))
        if application is None and statuses and {*statuses} <= _UNFINISHED:
            # In the words of a partial index, and sorted here: SQLite would read every pull.
            few = self._all(cycle_id, query.where(UNFINISHED_ONLY).order_by(None))
            return tuple(
                sorted(map(to_pull, few), key=lambda p: (p.application, p.kind, p.ordinal))
            )
        return tuple(to_pull(row) for row in self._all(cycle_id, query))

    @override
    def scores(self, cycle_id: str, *, application: int | None = None) -> tuple[Score, ...]:
        query = queries.SCORES.where(SCORE.c.cycle_id == cycle_id)
        if application is not None:
            query = query.where(SCORE.c.application == application)
        return tuple(to_score(row) for row in self._all(cycle_id, query))

    @override
    def applications(self, cycle_id: str) -> tuple[Application, ...]:
        with self._database.reading() as connection:
            found = queries.applications(connection, cycle_id)
            if not found:
                require_cycle(connection, cycle_id)
        return found

    @override
    def reviewers(self, cycle_id: str) -> tuple[Reviewer, ...]:
        with self._database.reading() as connection:
            found = queries.reviewers(connection, cycle_id)
            if not found:
                require_cycle(connection, cycle_id)
        return found

    @override
    def reviewer(self, cycle_id: str, number: int) -> Reviewer:
        with self._database.reading() as connection:
            found = queries.reviewers(connection, cycle_id, number)
        if not found:
            raise NotFoundError("reviewer_number_not_in_cycle", cycle=cycle_id, number=number)
        return found[0]

    @override
    def decisions(self, cycle_id: str) -> tuple[DecisionRecord, ...]:
        query = select(DECISION).filter_by(cycle_id=cycle_id).order_by(DECISION.c.number)
        return tuple(to_decision(row) for row in self._all(cycle_id, query))

    @override
    def last_look(self, cycle_id: str) -> dict[str, float] | None:
        # `type_coerce` lets the filter see the stored text, before it is parsed.
        query = (
            select(DECISION.c.look)
            .where(
                DECISION.c.cycle_id == cycle_id,
                type_coerce(DECISION.c.look, Text).like(f'%"{FITTED}":%'),
            )
            .order_by(DECISION.c.number.desc())
            .limit(1)
        )
        rows = self._all(cycle_id, query)
        return rows[0][0] if rows else None

    @override
    def wishes(self, cycle_id: str) -> tuple[StaffRequest, ...]:
        query = select(*WISH_COLUMNS).filter_by(cycle_id=cycle_id, done="").order_by(WISH.c.id)
        return tuple(to_staff_request(row) for row in self._all(cycle_id, query))

    @override
    def due_work(self, cycle_id: str) -> DueWork:
        with self._database.reading() as connection:
            now = self._database.now(connection)
            row = connection.execute(_DUE_WORK, {"cycle": cycle_id, "moment": now}).one_or_none()
            if row is None:
                raise no_cycle(cycle_id)
            return DueWork(now=now, **row._asdict())


def _as_long_as(rows: Sequence[AnyRow], most: int) -> Sequence[AnyRow]:
    """Return the first rows, up to the one whose body passes this many characters in all."""
    total = 0
    for count, row in enumerate(rows, start=1):
        total += len(row.body)
        if total > most:
            return rows[:count]
    return rows


def _is_of_its_time(row: AnyRow) -> bool:
    """Whether version and time of an event are those in its text, which the chain covers."""
    time = f'{{"at":"{plain_value(row.at)}"' if row.version >= HOLDS_TIME else '{"committed"'
    return row.version <= EVENT_VERSION and bool(row.body.startswith(time))
