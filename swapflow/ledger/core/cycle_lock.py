"""The core of a write: the lock of the cycle's row, the chain of events, the rules."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Column, Connection, Table, bindparam, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from typing_extensions import override

from swapflow.domain.cycle import Cycle, CycleStatus, Position
from swapflow.domain.event import EVENT_VERSION, EventType, Json, body, chain_hash
from swapflow.domain.fixed_point import Delta, gain_units
from swapflow.domain.rules import Rules
from swapflow.domain.rules_text import to_text
from swapflow.engine.ports.writes.cycle import CycleWrites
from swapflow.errors import InvalidInputError, LeaseLostError
from swapflow.ledger.core.carried_rows import CarriedRows
from swapflow.ledger.core.clock import CLOCK_COLUMNS
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.known_rules import rules_of
from swapflow.ledger.core.row_mapping import Values, to_cycle
from swapflow.ledger.core.statements import insert_all, insert_keyed, no_cycle
from swapflow.ledger.schema import CYCLE, EVENT, PULL_KIND, RUBRIC, RULES, SEAL, SEAT_LINE


# Every transaction takes this lock first and no other before it: one order, so no deadlock.
# SQLite ignores FOR UPDATE; there BEGIN IMMEDIATE has locked the whole file already.
_LOCKED = (
    select(CYCLE)
    .where(CYCLE.c.id == bindparam("cycle"))
    .with_for_update(key_share=True)
    .cte("locked")
    .prefix_with("MATERIALIZED", dialect="postgresql")
)
LOCK_CYCLE = select(
    _LOCKED,
    *CLOCK_COLUMNS,
    select(RULES.c.digest)
    .where(RULES.c.cycle_id == _LOCKED.c.id, RULES.c.version == _LOCKED.c.rules_version)
    .scalar_subquery()
    .label("rules_digest"),
)
"""Lock a cycle's row, then read the clock beside it, and the digest of the rules in force.

PostgreSQL reads the outer columns of a row when the inner query, which waits for the lock, has
returned it: so the time is one after the lock was had. Of two columns in one query it might read
the clock first. The digest is NULL where the predecessor stored these rules while this statement
waited, since a statement sees other tables as they were when it began.
"""

_STATUS_WITHOUT_REASON = frozenset({CycleStatus.DRAFT, CycleStatus.RUNNING, CycleStatus.PAUSED})
_CHANGED = (
    "status",
    "seq",
    "head_hash",
    "spent",
    "committed",
    "decisions",
    "rules_version",
    "cohort_version",
    "purpose",
    "paused_at",
    "stop_reason",
)
_SAVE_CYCLE = (
    update(CYCLE)
    .where(CYCLE.c.id == bindparam("cycle"))
    .values({name: bindparam(f"new_{name}") for name in _CHANGED})
)
_PAYLOADS = (
    select(EVENT.c.body)
    .where(EVENT.c.cycle_id == bindparam("cycle"), EVENT.c.type == bindparam("type"))
    .order_by(EVENT.c.seq)
)
_TYPES_AFTER = (
    select(EVENT.c.type)
    .where(EVENT.c.cycle_id == bindparam("cycle"), EVENT.c.seq > bindparam("seq"))
    .distinct()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _OpenEvent:
    """An event that has its number and not yet its hash."""

    type: EventType
    payload: Mapping[str, Json]
    carried: CarriedRows
    deltas: tuple[Delta, ...]
    spent: int
    committed: int


class CycleLock(CycleWrites):
    """A transaction that holds the lock of its cycle's row; `save` writes the collected changes.

    Events are written together at the end, with one update of the cycle's row: number, head of
    the chain, cost spent and committed. An event carries the rows that were stored since the one
    before it; the last one is hashed when its hash is asked for, and carries those after it too.
    """

    def __init__(
        self, connection: Connection, database: Database, cycle_id: str, epoch: int | None
    ) -> None:
        """Take the lock.

        Raises:
            NotFoundError: If the cycle does not exist.
            LeaseLostError: If the cycle's epoch is another one.
        """
        self._connection = connection
        row = connection.execute(LOCK_CYCLE, {"cycle": cycle_id}).mappings().one_or_none()
        if row is None:
            raise no_cycle(cycle_id)
        # Checked under the lock, so that a coordinator whose lease has passed on cannot write any
        # more.
        if epoch is not None and row["lease_epoch"] != epoch:
            raise LeaseLostError(
                "cycle_under_other_lease", cycle=cycle_id, lease=row["lease_epoch"], given=epoch
            )
        # Read after the lock was had: a transaction that waited for it must not be dated before
        # its predecessor.
        self._now = database.time_in(row)
        self._in_force: str | None = row["rules_digest"]
        self._row: Values = dict(row)
        self._stored = {name: row[name] for name in _CHANGED}
        self._events: list[Values] = []
        self._open: _OpenEvent | None = None
        self._carried = CarriedRows(cycle_id, self._now)
        self._salts: list[Values] = []
        self._numbers: dict[tuple[str, ...], dict[str, int]] = {}
        self._id = cycle_id

    @override
    @property
    def cycle(self) -> Cycle:
        self._close_event()
        return to_cycle(self._row)

    @override
    @property
    def now(self) -> datetime:
        return self._now

    @override
    def payloads(self, event_type: EventType) -> tuple[Mapping[str, Json], ...]:
        rows = self._connection.scalars(_PAYLOADS, {"cycle": self._id, "type": event_type.value})
        return tuple(json.loads(body)["payload"] for body in rows)

    @override
    def record(
        self,
        event_type: EventType,
        payload: Mapping[str, Json],
        *,
        deltas: Sequence[Delta] = (),
        spent: int = 0,
        committed: int = 0,
    ) -> int:
        self._close_event(keeps=True)
        if event_type is EventType.LAUNCHED:
            self._carry_rules()
        seq = self._row["seq"] + 1
        self._open = _OpenEvent(
            type=event_type,
            payload=payload,
            carried=self._carried,
            deltas=tuple(deltas),
            spent=spent,
            committed=committed,
        )
        self._carried = CarriedRows(self._id, self._now)
        self._row["seq"] = seq
        self._row["spent"] += spent
        self._row["committed"] += committed
        return int(seq)

    def _carry(self, table: Table, rows: Sequence[Values]) -> list[Values]:
        """Store rows and let an event carry them; return them with their numbers."""
        stored = insert_keyed(self._connection, table, rows)
        self._carried.add(table, stored)
        return stored

    def _seal_stored(self) -> None:
        """Seal the texts that the last event carries, before an erasure takes some of them."""
        event = self._open
        if event is None:
            return
        event.carried.join(self._carried)
        payload = {**event.payload, **event.carried.payload()}
        self._salts += event.carried.salts
        fresh = CarriedRows(self._id, self._now)
        self._open = replace(event, payload=payload, carried=fresh)
        self._carried = CarriedRows(self._id, self._now)

    def _forget_salts(self, digests: Collection[str]) -> None:
        """Store no salts of these digests, which this transaction has made."""
        self._salts = [salt for salt in self._salts if salt["digest"] not in digests]

    def _carry_again(self, table: Table, number: int) -> None:
        """Hand the next event a row that was changed, as it is now."""
        row = self._connection.execute(select(table).where(table.c.id == number)).mappings().one()
        self._carried.add(table, [dict(row)])

    def _carry_rules(self, version: int | None = None) -> None:
        """Hand the next event a version of the rules, or all that there are."""
        query = select(RULES).filter_by(cycle_id=self._id).order_by(RULES.c.version)
        if version is not None:
            query = query.where(RULES.c.version == version)
        self._carried.add(RULES, [dict(row) for row in self._connection.execute(query).mappings()])

    def _close_event(self, *, keeps: bool = False) -> None:
        """Hash the last event.

        Args:
            keeps: Whether rows that were stored after it are left to the next one.
        """
        event, self._open = self._open, None
        if event is None:
            return
        if not keeps:
            event.carried.join(self._carried)
            self._carried = CarriedRows(self._id, self._now)
        payload = {**event.payload, **event.carried.payload()}
        self._salts += event.carried.salts
        text = body(
            payload, event.deltas, spent=event.spent, committed=event.committed, at=self._now
        )
        kind, seq = event.type.value, self._row["seq"]
        digest = chain_hash(
            self._row["head_hash"], cycle_id=self._id, seq=seq, kind=kind, text=text
        )
        self._events.append(
            {
                "cycle_id": self._id,
                "seq": seq,
                "type": kind,
                "version": EVENT_VERSION,
                "body": text,
                "hash": digest,
                "at": self._now,
            }
        )
        self._row["head_hash"] = digest

    @override
    def event_types_after(self, seq: int) -> frozenset[EventType]:
        rows = self._connection.execute(_TYPES_AFTER, {"cycle": self._id, "seq": seq})
        return frozenset(EventType(row[0]) for row in rows)

    @override
    def set_status(
        self, status: CycleStatus, *, paused_at: datetime | None = None, stop_reason: str = ""
    ) -> None:
        """Move the cycle to another status.

        Without a reason, one given before stays, unless the cycle runs (or is paused) again.
        """
        self._row["status"] = status.value
        self._row["paused_at"] = paused_at
        if stop_reason or status in _STATUS_WITHOUT_REASON:
            self._row["stop_reason"] = stop_reason or None

    @override
    def set_rules(self, rules: Rules, *, by: str, reason: str) -> None:
        store_rules(self._connection, self._id, rules, by=by, reason=reason, at=self._now)
        self._in_force = None
        # A draft's rules may be replaced without an event; its launch carries every version.
        if self._row["status"] != CycleStatus.DRAFT.value:
            self._carry_rules(rules.version)
        self._row["rules_version"] = rules.version
        self._row["purpose"] = rules.purpose.value

    @override
    def rules(self, version: int = 0) -> Rules:
        current = self._row["rules_version"]
        digest = self._in_force if version in {0, current} else None
        return rules_of(self._connection, self._id, version or current, digest)

    @property
    def position(self) -> Position:
        """The last event, this transaction's included."""
        self._close_event()
        return Position(self._row["seq"], self._row["head_hash"])

    def save(self) -> None:
        """Write the events and the cycle's row; the last act before the commit.

        Rows that were stored without any event are on no chain: `check_rows` names them.
        """
        self._close_event()
        insert_all(self._connection, EVENT, self._events)
        insert_all(self._connection, SEAL, self._salts)
        # A transaction that only read, or changed other tables, leaves the row alone.
        if any(self._row[name] != self._stored[name] for name in _CHANGED):
            changes = {f"new_{name}": self._row[name] for name in _CHANGED}
            self._connection.execute(_SAVE_CYCLE, {"cycle": self._id, **changes})

    def _next_number(self, column: Column[int]) -> int:
        """Return the next free number in a column that numbers the cycle's rows from 0."""
        query = select(func.max(column)).where(column.table.c.cycle_id == self._id)
        highest: int | None = self._connection.execute(query).scalar_one()
        return 0 if highest is None else highest + 1


def store_rules(
    connection: Connection, cycle_id: str, rules: Rules, *, by: str, reason: str, at: datetime
) -> None:
    """Insert a rules version, and its kinds, lines and rubrics as rows of their own.

    Raises:
        InvalidInputError: If the version exists, or a rubric's version with other criteria.
    """
    text = to_text(rules)
    row = {
        "cycle_id": cycle_id,
        "version": rules.version,
        "body": text,
        "digest": hashlib.sha256(text.encode()).hexdigest(),
        "by": by,
        "reason": reason,
        "at": at,
    }
    try:
        connection.execute(insert(RULES), row)
    # The key decides, not a query beforehand: two people may change the rules at the same moment.
    except IntegrityError as error:
        raise InvalidInputError(
            "rules_version_taken", cycle=cycle_id, version=rules.version
        ) from error
    version = {"cycle_id": cycle_id, "rules_version": rules.version}
    insert_all(connection, PULL_KIND, [version | values for values in _kinds(rules)])
    insert_all(connection, SEAT_LINE, [version | values for values in _lines(rules)])
    _store_rubrics(connection, cycle_id, rules)


def _kinds(rules: Rules) -> list[Values]:
    return [
        {
            "kind": index,
            "name": kind.name,
            "cost": kind.cost,
            "gain": gain_units(kind.gain),
            "requires": kind.requires,
            "maximum": kind.maximum,
            "total": kind.total,
            "seats": kind.seats,
            "quorum": kind.quorum,
            "approval": kind.approval,
            "window_days": kind.window_days,
        }
        for index, kind in enumerate(rules.kinds)
    ]


def _lines(rules: Rules) -> list[Values]:
    return [
        {"position": index, "name": line.name, "places": line.places, "funded": line.funded}
        for index, line in enumerate(rules.lines)
    ]


def _store_rubrics(connection: Connection, cycle_id: str, rules: Rules) -> None:
    """Insert the rubrics that are new; a version, once stored, never changes."""
    for rubric in rules.rubrics:
        criteria = [[c.name, [list(mark) for mark in c.marks], c.weight] for c in rubric.criteria]
        key = {"cycle_id": cycle_id, "kind": rubric.kind, "version": rubric.version}
        known = connection.execute(select(RUBRIC.c.criteria).filter_by(**key)).scalar_one_or_none()
        if known is None:
            connection.execute(insert(RUBRIC), {**key, "criteria": criteria})
        elif known != criteria:
            raise InvalidInputError(
                "rubric_version_taken", kind=rubric.kind, version=rubric.version
            )
