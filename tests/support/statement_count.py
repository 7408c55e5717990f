"""The SQL statements that a piece of work runs, for tests that hold it to a budget."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, event

from swapflow.ledger.sql_ledger import SqlLedger


FRAME = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE")
"""What surrounds statements and is not counted."""


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
