"""The SQL statements that a piece of work runs, for tests that hold it to a budget."""

from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, Executable, event

from swapflow.ledger.sql_ledger import SqlLedger


FRAME = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE")
"""What surrounds statements and is not counted."""

_KNOWN: WeakKeyDictionary[Engine, dict[int, Executable]] = WeakKeyDictionary()
"""Statements that were run, by engine and identity; held, so that no identity is used twice."""


@contextmanager
def statements_run(ledger: SqlLedger) -> Iterator[list[str]]:
    """Collect the statements that a ledger runs, in every thread, until the block ends.

    A statement that inserts several rows is one, as it is one for the driver.
    """
    engine = ledger._database._engine
    run: list[str] = []

    def note(_connection: Connection, _cursor: object, statement: str, *_: object) -> None:
        if not statement.lstrip().upper().startswith(FRAME):
            run.append(" ".join(statement.split()))

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield run
    finally:
        event.remove(engine, "before_cursor_execute", note)


def check_budget(work: str, run: list[str], most: int) -> None:
    """Fail with every statement that was run, where they are more than the budget."""
    listed = "\n".join(f"{number:3} {statement}" for number, statement in enumerate(run, start=1))
    assert len(run) <= most, f"{work}: {len(run)} statements, at most {most}\n{listed}"


@contextmanager
def statements_built(ledger: SqlLedger) -> Iterator[list[str]]:
    """Collect the statements that a ledger runs and had not run in an earlier block.

    One that is built anew for a request differs from the one before it, though its text is the
    same: building it and its key takes longer than most statements take to run.
    """
    engine = ledger._database._engine
    known: dict[int, Executable] = _KNOWN.setdefault(engine, {})
    built: list[str] = []

    def note(_connection: Connection, statement: Executable, *_: object) -> None:
        if known.setdefault(id(statement), statement) is statement and id(statement) not in seen:
            seen.add(id(statement))
            built.append(" ".join(str(statement).split()))

    seen = set(known)
    event.listen(engine, "before_execute", note)
    try:
        yield built
    finally:
        event.remove(engine, "before_execute", note)
