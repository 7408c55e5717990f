"""Rows of the ledger as events carry them, so that what people decided stands on the chain.

An event's `rows` map a table's name to an object:

| key | meaning |
|---|---|
| `now` | columns that hold the event's own time |
| `same` | columns in which all rows are equal, with that value |
| `columns` | the other columns |
| `rows` | the values in these columns, row by row |
| `count`, `digest` | instead of `rows` where there are many: SHA-256 over them, by their keys |

Numbers, times and words of the code stand as they are. Names and texts stand as their place in the
event's `sealed`, a list of digests: SHA-256 over a random salt and the text. The salt is a row of
its own; once it is erased, the digest cannot be tested against a guess.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from swapflow.domain.event import Event, Json


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTable:
    """The rows of one table that an event carries.

    Attributes:
        now: Columns that hold the event's time.
        same: Columns in which all rows are equal.
        columns: The other columns.
        rows: Their values, row by row; empty where only a digest was carried.
        count: How many rows there are.
        digest: SHA-256 over the values, "" where the rows themselves are carried.
    """

    now: tuple[str, ...]
    same: Mapping[str, Json]
    columns: tuple[str, ...]
    rows: tuple[tuple[Json, ...], ...]
    count: int
    digest: str

    def values(self) -> Iterator[dict[str, Json]]:
        """Return each row by column, without the columns of the event's time."""
        for row in self.rows:
            yield {**self.same, **dict(zip(self.columns, row, strict=True))}


def recorded_tables(event: Event) -> dict[str, RecordedTable]:
    """Return the rows that an event carries, by table; none for events of version 1."""
    found = cast("Mapping[str, Mapping[str, Json]]", event.payload.get("rows", {}))
    return {name: read_table(content) for name, content in found.items()}


def read_table(content: Mapping[str, Json]) -> RecordedTable:
    """Read what an event says about one table."""
    rows = tuple(map(tuple, cast("Sequence[Sequence[Json]]", content.get("rows", ()))))
    return RecordedTable(
        now=tuple(cast("Sequence[str]", content.get("now", ()))),
        same=cast("Mapping[str, Json]", content.get("same", {})),
        columns=tuple(cast("Sequence[str]", content.get("columns", ()))),
        rows=rows,
        count=cast("int", content.get("count", len(rows))),
        digest=cast("str", content.get("digest", "")),
    )


def sealed_digest(salt: str, text: str) -> str:
    """Return the digest by which an event names a person or a text."""
    return hashlib.sha256((salt + text).encode()).hexdigest()


def rows_digest(rows: Sequence[Sequence[object]]) -> str:
    """Return SHA-256 over rows of plain values, in the order given."""
    text = json.dumps(rows, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def plain_value(value: object) -> object:
    """Return a stored value as it stands in an event: times in UTC, all else as it is."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return value
