"""Redaction: a person's words are removed from rows whose other columns stay.

Columns that may hold names are found by their types, so that a later table is not forgotten.
Hashed columns, an applicant's own file, and the names of staff who decided or signed are left
alone.
"""

import html
import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, String, Table, and_, or_, select, update

from swapflow.ledger.schema import (
    APPLICATION,
    ASSIGNMENT,
    AUDIT,
    CYCLE,
    DECISION,
    DOCUMENT,
    DOCUMENT_CONTENT,
    ENDORSEMENT,
    EVENT,
    IDEMPOTENCY,
    INTERVIEW,
    MESSAGE,
    MONITORING_ATTRIBUTE,
    NOTE,
    PULL,
    PULL_KIND,
    ROSTER,
    RUBRIC,
    SCORE,
    SEAT_LINE,
    SELECTION_ATTRIBUTE,
    WEBHOOK,
    WEBHOOK_CALL,
)
from swapflow.ledger.schema.base import METADATA, JsonText


ERASED = "[erased]"

SHORTEST_TRACE = 3
"""Shortest word that is removed: a shorter one also occurs inside other words."""

ACTORS = frozenset({"by", "who", "typed_by", "prepared_by"})
"""Columns that hold who did something, and nothing else."""

_OWN_ACTS = (NOTE, SCORE, INTERVIEW, ENDORSEMENT, AUDIT)
"""Tables in which a reviewer acts as a reviewer; elsewhere the actor is staff and stays."""

_NO_WORDS = frozenset(
    {
        CYCLE, RUBRIC, PULL_KIND, SEAT_LINE, EVENT, DECISION, WEBHOOK, WEBHOOK_CALL,
        PULL, ASSIGNMENT, ROSTER, APPLICATION, DOCUMENT, DOCUMENT_CONTENT,
        SELECTION_ATTRIBUTE, MONITORING_ATTRIBUTE,
    }
)  # fmt: skip
"""Tables without free text, or with an applicant's own."""

_NEVER = frozenset({"body", "digest", "salt", "hash"})
_LETTER = "[A-Za-z0-9_]"  # ASCII only: Japanese and Chinese have no spaces between words
_FOLD = r"(?:\r?\n[ \t])?"  # calendars break their lines after 75 bytes


def cut_out(connection: Connection, cycle_id: str, words: Collection[str]) -> list[str]:
    """Remove names and addresses from every free text of a cycle, as whole words.

    Returns:
        The texts that were changed, as they were.
    """
    changed: list[str] = []
    found = [word for word in words if len(word) >= SHORTEST_TRACE]
    for table in METADATA.sorted_tables:
        rows = _rows_of_cycle(table, cycle_id)
        columns = [column for column in _texts(table) if column.name not in ACTORS]
        if rows is not None and columns and table not in _NO_WORDS:
            changed += replace_words(connection, table, columns, rows, found)
    return changed


def forget_answers(connection: Connection, words: Collection[str]) -> None:
    """Empty stored responses to API clients that name a person.

    The key stays, so that the request is not carried out again.
    """
    body = IDEMPOTENCY.c.body
    quoting = [
        body.icontains(way, autoescape=True)
        for word in words
        if len(word) >= SHORTEST_TRACE
        for way in set(_spellings(word))
    ]
    if quoting:
        connection.execute(update(IDEMPOTENCY).where(or_(*quoting)).values(body="{}"))


def rename_actor(
    connection: Connection, cycle_id: str, names: Collection[str], number: str
) -> None:
    """Replace these names with a number wherever the person acted as a reviewer."""
    for table in _OWN_ACTS:
        rows = _rows_of_cycle(table, cycle_id)
        for column in _texts(table):
            if column.name in ACTORS and rows is not None:
                connection.execute(
                    update(table).where(rows, column.in_(names)).values({column: number})
                )


def replace_words(
    connection: Connection,
    table: Table,
    columns: Collection[Column[Any]],
    rows: ColumnElement[bool] | None,
    words: Collection[str],
    instead: str = ERASED,
) -> list[str]:
    """Replace words in columns of a table, in upper or lower case, as whole words.

    Returns:
        The texts that were changed, as they were.
    """
    # Longest first, so that a name is not replaced inside a longer one that is also on the list.
    spelled = sorted({way for word in words for way in _spellings(word)}, key=len, reverse=True)
    if not spelled:
        return []
    before: list[str] = []
    ways = "|".join(_FOLD.join(map(re.escape, way)) for way in spelled)
    pattern = re.compile(f"(?<!{_LETTER})(?:{ways})(?!{_LETTER})", re.IGNORECASE)
    # The database finds substrings; the pattern then replaces whole words only.
    quoting = [c.icontains(way, autoescape=True) for c in columns for way in spelled]
    if table is MESSAGE:  # a fold in the middle of a name hides it from the database
        quoting.append(MESSAGE.c.calendar != "")
    keys = list(table.primary_key.columns)
    query = select(*keys, *columns).where(or_(*quoting))
    for row in connection.execute(query if rows is None else query.where(rows)).all():
        found = row._mapping  # noqa: SLF001 - SQLAlchemy's public way to read by column
        new = {c.name: pattern.sub(instead, found[c]) for c in columns if found[c]}
        changed = {name: text for name, text in new.items() if text != found[name]}
        if changed:
            here = and_(*(key == found[key] for key in keys))
            connection.execute(update(table).where(here).values(changed))
            before += [found[name] for name in changed]
    return before


def _spellings(word: str) -> Iterator[str]:
    """Return a word as plain text, in HTML and in JSON."""
    yield word
    yield html.escape(word)
    yield json.dumps(word)[1:-1]


def _texts(table: Table) -> list[Column[Any]]:
    """List the columns of a table that hold words of people."""
    return [
        column
        for column in table.c
        if isinstance(getattr(column.type, "impl_instance", column.type), String)
        and not isinstance(column.type, JsonText)
        and not column.primary_key
        and not column.foreign_keys
        and column.name not in _NEVER
        and not column.name.endswith("_id")
    ]


def _rows_of_cycle(table: Table, cycle_id: str) -> ColumnElement[bool] | None:
    """Build the condition for a table's rows of a cycle; None if it has none."""
    columns = table.c
    if "cycle_id" in columns:
        return columns.cycle_id == cycle_id
    if "assignment_id" in columns:
        return columns.assignment_id.in_(select(ASSIGNMENT.c.id).filter_by(cycle_id=cycle_id))
    if "pull_id" in columns:
        return columns.pull_id.in_(select(PULL.c.id).filter_by(cycle_id=cycle_id))
    return None
