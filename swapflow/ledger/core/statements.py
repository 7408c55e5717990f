"""Shared SQL helpers: long lists of ids, inserts that may be repeated."""

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Executable, Insert, Select, Table, select

from swapflow.errors import NotFoundError
from swapflow.ledger.core.row_mapping import AnyRow, Values
from swapflow.ledger.schema import CYCLE


if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite


CHUNK = 900
"""Most values in one IN list: older SQLite builds take 999 parameters in all."""

_CYCLE_EXISTS = select(CYCLE.c.id)


def chunks(values: Collection[Any]) -> Iterator[list[Any]]:
    """Split values into lists that fit one IN list."""
    everything = list(values)
    for start in range(0, len(everything), CHUNK):
        yield everything[start : start + CHUNK]


def rows_in(
    connection: Connection,
    query: Select[*tuple[Any, ...]],
    values: Collection[Any],
    **parameters: object,
) -> list[AnyRow]:
    """Run a query that has an expanding parameter `values`, as often as the list needs."""
    return [
        row
        for chunk in chunks(values)
        for row in connection.execute(query, {"values": chunk, **parameters})
    ]


def moved_in(
    connection: Connection, update: Executable, values: Collection[Any], **parameters: object
) -> int:
    """Run an update that has an expanding parameter `values`; return the count of changed rows."""
    return sum(
        connection.execute(update, {"values": chunk, **parameters}).rowcount
        for chunk in chunks(values)
    )


@cache
def _insert_ignoring(table: Table, dialect: str) -> Executable:
    # Natural keys make an insert repeatable: after a crash the same rows are sent again.
    statement = _inserter(dialect)(table).on_conflict_do_nothing()
    return statement.execution_options(preserve_rowcount=True)


def _inserter(dialect: str) -> "type[sqlite.Insert | postgresql.Insert]":
    """Return what inserts in a dialect; the other one's is large, and not loaded for it."""
    if dialect == "sqlite":
        from sqlalchemy.dialects import sqlite  # noqa: PLC0415

        return sqlite.Insert
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415

    return postgresql.Insert


def insert_ignoring(connection: Connection, table: Table, rows: Sequence[Values]) -> int:
    """Insert rows, except for those whose key exists already; return the count of new ones."""
    if not rows:
        return 0
    return connection.execute(_insert_ignoring(table, connection.dialect.name), rows).rowcount


def insert_all(connection: Connection, table: Table, rows: Sequence[Values]) -> None:
    """Insert rows; an existing key is an error."""
    if rows:
        connection.execute(_insert(table), rows)


@cache
def _insert(table: Table) -> Insert:
    """Build the insertion into a table, once: every submission needs four."""
    return table.insert()


def insert_keyed(connection: Connection, table: Table, rows: Sequence[Values]) -> list[Values]:
    """Insert rows, and return them with the numbers that the database gave them."""
    key = table.primary_key.columns.values()[0]
    if not rows or table.autoincrement_column is None or key.name in rows[0]:
        insert_all(connection, table, rows)
        return list(rows)
    statement = table.insert().returning(key, sort_by_parameter_order=True)
    numbers = connection.execute(statement, rows).scalars()
    return [{**row, key.name: number} for row, number in zip(rows, numbers, strict=True)]


def require_cycle(connection: Connection, cycle_id: str) -> None:
    """Raise NotFoundError unless the cycle exists."""
    known = connection.execute(_CYCLE_EXISTS.where(CYCLE.c.id == cycle_id)).first()
    if known is None:
        raise no_cycle(cycle_id)


def no_cycle(cycle_id: str) -> NotFoundError:
    """Build the error for a missing cycle, with the command that lists all."""
    return NotFoundError("cycle_not_found_list", cycle=cycle_id)
