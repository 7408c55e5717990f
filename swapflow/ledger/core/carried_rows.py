"""Rows that a transaction stores, as its events carry them onto the chain.

What is stored through `CarriedRows` cannot be changed unseen: `row_check` compares it with the
events. Every column goes along, so that a later one is covered from its first day; strings are
sealed unless they are known to be words of the code.
"""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Table

from swapflow.domain.event import Json
from swapflow.domain.recorded_rows import plain_value, rows_digest, sealed_digest
from swapflow.ledger.core.row_mapping import Values


WORDS = frozenset(
    {
        "verdict", "outcome", "answer", "result", "role", "told", "stood", "what",
        "pull_id", "message_id", "digest", "line", "asked_on", "zone",
    }
)  # fmt: skip
"""Columns with words and ids of the code: they name nobody and stand in events as they are."""

ACTORS = frozenset({"by", "closed_by", "taken_back_by", "prepared_by"})
"""Columns that name who did something: an applicant's erasure does not concern them."""

USUAL = frozenset({"", "as proposed", "was promised a place before"})
"""Texts that the code itself writes; they stand in events as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Added:
    """Rows of one table, to be carried whole or as a digest."""

    table: Table
    rows: tuple[Values, ...]
    whole: bool


class CarriedRows:
    """Rows that one event carries."""

    def __init__(self, cycle_id: str, now: datetime) -> None:
        self._cycle_id = cycle_id
        self._now = now
        self._added: list[_Added] = []
        self._erased: list[str] = []
        self._sealed: list[str] = []
        self._places: dict[tuple[str, int | None], int] = {}
        self.salts: list[Values] = []

    def add(self, table: Table, rows: Sequence[Values]) -> None:
        """Carry rows, whole."""
        self._added.append(_Added(table=table, rows=tuple(rows), whole=True))

    def add_digest(self, table: Table, rows: Sequence[Values]) -> None:
        """Carry the digest of rows that hold numbers alone, for there may be thousands."""
        self._added.append(_Added(table=table, rows=tuple(rows), whole=False))

    def erase(self, digests: Sequence[str]) -> None:
        """Carry the digests whose salts were erased."""
        self._erased += digests

    def join(self, later: "CarriedRows") -> None:
        """Carry what was stored later too."""
        self._added += later._added  # noqa: SLF001 - of the same class
        self._erased += later._erased  # noqa: SLF001 - of the same class

    def payload(self) -> dict[str, Json]:
        """Return what is carried, as part of an event's payload; `salts` are then complete."""
        rows: dict[str, Json] = {}
        for table in dict.fromkeys(added.table for added in self._added):
            of_table = [added for added in self._added if added.table is table]
            together = [row for added in of_table for row in added.rows]
            if together:
                write = self._whole if of_table[0].whole else self._digest
                rows[table.name] = write(table, together)
        parts: dict[str, Json] = {
            "rows": rows,
            "sealed": list(self._sealed),
            "erased": sorted(self._erased),
        }
        return {name: part for name, part in parts.items() if part}

    def _whole(self, table: Table, rows: Sequence[Values]) -> dict[str, Json]:
        now, same, others = self._split(table, rows)
        return {
            "now": now,
            "same": {name: self._value(name, rows[0]) for name in same},
            "columns": others,
            "rows": [[self._value(name, row) for name in others] for row in rows],
        }

    def _digest(self, table: Table, rows: Sequence[Values]) -> dict[str, Json]:
        now, same, others = self._split(table, rows)
        keys = {column.name for column in table.primary_key}
        shared = {name for name in (*same, *others) if name in keys and _alike(name, rows)}
        columns = sorted(name for name in (*same, *others) if name not in shared)
        return {
            "now": now,
            "same": {name: self._value(name, rows[0]) for name in sorted(shared)},
            "columns": columns,
            "count": len(rows),
            "digest": digest_of(table, columns, rows),
        }

    def _split(
        self, table: Table, rows: Sequence[Values]
    ) -> tuple[list[str], list[str], list[str]]:
        """Sort the columns: those of the event's time, those equal in all rows, the others."""
        names = [c.name for c in table.c if c.name != "cycle_id" and c.name in rows[0]]
        now = [name for name in names if all(row[name] == self._now for row in rows)]
        same = [
            name
            for name in names
            if len(rows) > 1 and name not in now and _alike(name, rows) and _shared(name, rows)
        ]
        return now, same, [name for name in names if name not in (*now, *same)]

    def _value(self, name: str, row: Mapping[str, Any]) -> Json:
        value = row[name]
        if isinstance(value, list | tuple | dict):
            text = json_text(value)
            return self._seal(name, text, row) if value else text
        if isinstance(value, str) and name not in WORDS and value not in USUAL:
            return self._seal(name, value, row)
        plain: Json = plain_value(value)  # type: ignore[assignment]  # a row's plain value
        return plain

    def _seal(self, name: str, text: str, row: Mapping[str, Any]) -> int:
        """Return a text's place among the digests; the same text has one salt in an event."""
        application = None if name in ACTORS else row.get("application")
        place = self._places.get((text, application))
        if place is None:
            salt = secrets.token_hex(16)
            digest = sealed_digest(salt, text)
            place = self._places[text, application] = len(self._sealed)
            self._sealed.append(digest)
            self.salts.append(
                {
                    "cycle_id": self._cycle_id,
                    "digest": digest,
                    "salt": salt,
                    "application": application,
                }
            )
        return place


def _alike(name: str, rows: Sequence[Values]) -> bool:
    return all(row[name] == rows[0][name] for row in rows)


def _shared(name: str, rows: Sequence[Values]) -> bool:
    """Whether equal values may be told once for all rows.

    A text about several applicants is sealed with each: one seal for all would go with the first
    who is erased, and would show what was said of anyone else who is.
    """
    value = rows[0][name]
    sealed = isinstance(value, str) and name not in WORDS and value not in USUAL
    about = {row.get("application") for row in rows}
    return not sealed or name in ACTORS or len(about) == 1


def json_text(value: object) -> str:
    """Write a JSON column's value as the text that is sealed."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def digest_of(table: Table, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the digest of rows of numbers in these columns, in the order of their keys."""
    keys = [column.name for column in table.primary_key]
    ordered = sorted(rows, key=lambda row: [row[key] for key in keys])
    return rows_digest([[plain_value(row[name]) for name in columns] for row in ordered])
