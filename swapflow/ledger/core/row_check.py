"""Compares the rows that events carry with the rows that are stored, column by column."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Column, Connection, String, Table, select

from swapflow.domain.event import HOLDS_TIME, EventType
from swapflow.domain.recorded_rows import RecordedTable, plain_value, read_table, sealed_digest
from swapflow.engine.ports.records import RowCheck
from swapflow.ledger.core.carried_rows import ACTORS, digest_of, json_text
from swapflow.ledger.core.row_mapping import AnyRow, Values
from swapflow.ledger.schema import (
    ANNOUNCED,
    ANNOUNCEMENT,
    APPLICANT_ANSWER,
    APPROVAL,
    APPROVAL_PULL,
    COHORT_VERSION,
    DECISION,
    EVENT,
    MEETING,
    MEETING_LOOK,
    MEETING_OUTCOME,
    MEETING_TURN,
    OFFER,
    OFFER_ANSWER,
    OUTCOME,
    PLACE,
    PROPOSAL,
    RECONSIDERATION,
    RULES,
    SEAL,
    SIGNATURE,
    WAIVER,
    YIELD_RATE,
    ZONE_CONFIRMATION,
)
from swapflow.ledger.schema.base import METADATA, JsonText


CARRIED = (
    RULES, DECISION, APPROVAL, APPROVAL_PULL, PROPOSAL, PLACE, OUTCOME, SIGNATURE, WAIVER,
    MEETING, MEETING_OUTCOME, MEETING_TURN, RECONSIDERATION, OFFER, OFFER_ANSWER, YIELD_RATE,
    ANNOUNCEMENT, ANNOUNCED, MEETING_LOOK, ZONE_CONFIRMATION, APPLICANT_ANSWER,
)  # fmt: skip
"""Tables whose rows events carry; a row of one that no event carries is a finding."""

_READ = frozenset({EventType.FINALIZED.value, EventType.PURGED.value})

_PARENTS = {OFFER_ANSWER: OFFER_ANSWER.c.offer_id, APPROVAL_PULL: APPROVAL_PULL.c.approval_id}
"""Tables without the cycle's id, and the column that leads to a table with it."""

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recorded:
    """A row as the last event that carries it has it; a sealed text is its digest."""

    seq: int
    at: str
    now: tuple[str, ...]
    plain: Mapping[str, object]
    sealed: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Digest:
    """Rows that an event carries as a digest."""

    seq: int
    at: str
    table: RecordedTable


@dataclass(slots=True, kw_only=True)
class _Events:
    """What the events of a cycle carry.

    Attributes:
        salts: The salts that are left, by digest.
        rows: By table, each row by its key.
        digests: By table, each digest.
        lists: Number, hash and time of the event that made each version of the list final.
        erased: Digests whose salts an erasure took.
        purged: Applications that were erased.
        old: Whether some event is of a version that carried nothing.
    """

    salts: Mapping[str, str]
    rows: dict[str, dict[Key, _Recorded]] = field(default_factory=dict)
    digests: dict[str, list[_Digest]] = field(default_factory=dict)
    lists: dict[int, tuple[int, str, str]] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)
    purged: set[int] = field(default_factory=set)
    old: bool = False


class _Check:
    """Compares one cycle, table by table."""

    def __init__(self, events: _Events) -> None:
        self._events = events
        self.findings: list[str] = []
        self.uncovered: dict[str, int] = {}
        self.erased = 0

    def compare(self, table: Table, rows: Sequence[Values]) -> None:
        """Compare the rows of a table with those that events carry."""
        recorded = self._events.rows.get(table.name, {})
        stored = {self._key(table, row, recorded): row for row in rows}
        for key, wanted in recorded.items():
            if key in stored:
                self._columns(table, key, stored[key], wanted)
            else:
                self.findings.append(f"{_name(table, key)} of event {wanted.seq} is gone")
        covered = set(recorded)
        for digest in self._events.digests.get(table.name, ()):
            same = digest.table.same
            theirs = {
                key: row
                for key, row in stored.items()
                if all(row[name] == value for name, value in same.items())
            }
            covered |= set(theirs)
            if not _agrees(table, list(theirs.values()), digest):
                name = _name(table, tuple(same.values()))
                self.findings.append(f"{name} is not what event {digest.seq} recorded")
        extra = [key for key in stored if key not in covered]
        if table is RULES:  # a draft's rules were never in force
            first = min((key[0] for key in covered), default=None)  # type: ignore[type-var]  # ints
            extra = [key for key in extra if first is not None and key[0] > first]  # type: ignore[operator]  # ints
        if self._events.old:
            self.uncovered |= {table.name: len(extra)} if extra else {}
        else:
            self.findings += [f"{_name(table, key)} stands in no event" for key in extra]

    def versions(self, rows: Sequence[Values]) -> None:
        """Compare the versions of the list with the events that made them final."""
        stored = {
            row["version"]: (row["seq"], row["head_hash"], plain_value(row["at"])) for row in rows
        }
        for version in sorted({*stored, *self._events.lists}):
            if stored.get(version) != self._events.lists.get(version):
                self.findings.append(f"cohort_version {version} is not what its event says")

    def _key(self, table: Table, row: Values, recorded: Mapping[Key, _Recorded]) -> Key:
        """Return a stored row's key; a sealed part of it is the digest that it answers to."""
        key = tuple(row[column.name] for column in _keys(table))
        if key in recorded or not any(isinstance(part, str) for part in key):
            return key
        return next((known for known in recorded if self._is_key(known, key)), key)

    def _is_key(self, known: Key, key: Key) -> bool:
        return all(
            one == other or (isinstance(other, str) and self._fits(str(one), other))
            for one, other in zip(known, key, strict=True)
        )

    def _fits(self, digest: str, text: str) -> bool:
        salt = self._events.salts.get(digest)
        return salt is not None and sealed_digest(salt, text) == digest

    def _columns(self, table: Table, key: Key, row: Values, wanted: _Recorded) -> None:
        """Compare one row, column by column."""
        wrong = [name for name in wanted.now if plain_value(row[name]) != wanted.at]
        for name, digest in wanted.sealed.items():
            if self._fits(digest, _text(row[name])):
                continue
            purged = row.get("application") in self._events.purged
            known = digest in self._events.erased or (purged and name not in ACTORS)
            if known and digest not in self._events.salts:
                self.erased += 1
            else:
                wrong.append(name)
        for name, value in wanted.plain.items():
            json_column = isinstance(table.c[name].type, JsonText)
            there = _text(row[name]) if json_column else plain_value(row[name])
            if there == value:
                continue
            if there in {"", "[]"} and row.get("application") in self._events.purged:
                self.erased += 1
            else:
                wrong.append(name)
        self.findings += [
            f"{_name(table, key)}: {name} is not what event {wanted.seq} recorded"
            for name in sorted(wrong)
        ]


def check_rows(connection: Connection, cycle_id: str) -> RowCheck:
    """Compare what the events of a cycle carry with its rows; the chain is checked elsewhere."""
    check = _Check(_read_events(connection, cycle_id))
    for table in CARRIED:
        check.compare(table, _stored(connection, table, cycle_id))
    check.versions(_stored(connection, COHORT_VERSION, cycle_id))
    return RowCheck(findings=tuple(check.findings), erased=check.erased, uncovered=check.uncovered)


def _read_events(connection: Connection, cycle_id: str) -> _Events:
    salts = select(SEAL.c.digest, SEAL.c.salt).filter_by(cycle_id=cycle_id)
    found = _Events(salts={row.digest: row.salt for row in connection.execute(salts)})
    mine = EVENT.c.cycle_id == cycle_id
    old = select(EVENT.c.seq).where(mine, EVENT.c.version < HOLDS_TIME).limit(1)
    found.old = connection.execute(old).first() is not None
    columns = [EVENT.c[name] for name in ("seq", "type", "body", "hash", "at")]
    # Most events are scores and requests, which carry nothing.
    carries = EVENT.c.type.in_(_READ) | EVENT.c.body.contains('"rows":', autoescape=True)
    query = select(*columns).where(mine, carries).order_by(EVENT.c.seq)
    for row in connection.execute(query):
        content = json.loads(row.body)
        _read_event(found, row, content["payload"], str(content.get("at", "")))
    return found


def _read_event(found: _Events, row: AnyRow, payload: Mapping[str, Any], at: str) -> None:
    """Note what one event carries, and what it says of lists and of erased people."""
    if row.type == EventType.FINALIZED.value:
        found.lists[payload["version"]] = (row.seq, row.hash, str(plain_value(row.at)))
    if row.type == EventType.PURGED.value and "a" in payload:
        found.purged.add(payload["a"])
    found.erased.update(payload.get("erased", ()))
    for name, part in payload.get("rows", {}).items():
        recorded = read_table(part)
        if recorded.digest:
            found.digests.setdefault(name, []).append(_Digest(seq=row.seq, at=at, table=recorded))
        table, sealed = METADATA.tables[name], payload.get("sealed", [])
        for values in recorded.values():
            hidden = {c: sealed[v] for c, v in values.items() if _is_sealed(table, c, v)}
            key = tuple(hidden.get(c.name, values[c.name]) for c in _keys(table))
            found.rows.setdefault(name, {})[key] = _Recorded(
                seq=row.seq,
                at=at,
                now=recorded.now,
                plain={c: v for c, v in values.items() if c not in hidden},
                sealed=hidden,
            )


def _is_sealed(table: Table, column: str, value: object) -> bool:
    """Whether a value is a place among the digests: a number where the column holds text."""
    kind = table.c[column].type
    return isinstance(getattr(kind, "impl_instance", kind), String) and isinstance(value, int)


def _keys(table: Table) -> list[Column[Any]]:
    return [column for column in table.primary_key if column.name != "cycle_id"]


def _stored(connection: Connection, table: Table, cycle_id: str) -> list[Values]:
    parent = _PARENTS.get(table)
    if parent is None:
        query = select(table).where(table.c.cycle_id == cycle_id)
    else:
        (above,) = [key.column for key in parent.foreign_keys]
        query = select(table).where(
            parent.in_(select(above).where(above.table.c.cycle_id == cycle_id))
        )
    return [dict(row) for row in connection.execute(query).mappings()]


def _agrees(table: Table, rows: Sequence[Values], digest: _Digest) -> bool:
    """Whether stored rows are those of which an event carries the digest."""
    recorded = digest.table
    return (
        len(rows) == recorded.count
        and all(plain_value(row[name]) == digest.at for row in rows for name in recorded.now)
        and digest_of(table, recorded.columns, rows) == recorded.digest
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else json_text(value)


def _name(table: Table, key: Key) -> str:
    """Return a row's name in a finding: its table and its numbers, never a person's name."""
    numbers = [str(part) for part in key if isinstance(part, int)]
    return f"{table.name} {'/'.join(numbers)}".rstrip()
