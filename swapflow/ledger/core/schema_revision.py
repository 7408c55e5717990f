"""The migration that a database is at, read without Alembic: every process asks at its start."""

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import inspect, text

from swapflow.ledger.core.database import Database


VERSIONS = Path(__file__).parents[1] / "migrations" / "versions"


def newest_revision() -> str:
    """Return the last migration of this code: the highest number of a file in `VERSIONS`."""
    return max(file.name.partition("_")[0] for file in VERSIONS.glob("[0-9]*.py"))


def is_later(heads: Sequence[str]) -> bool:
    """Whether a database is at a migration of a later release."""
    return len(heads) == 1 and heads[0].isdecimal() and heads[0] > newest_revision()


def is_current(url: str) -> bool:
    """Whether a database has this code's migrations, and possibly later ones.

    While a new release is rolled out, processes of the old one run and start on newer tables: a
    migration only adds what old code can ignore.

    Alembic is not imported: that takes longer than the rest of a process's start.

    Raises:
        UnavailableError: If the database does not answer.
    """
    database = Database(url)
    try:
        with database.reading() as connection:
            if not inspect(connection).has_table("alembic_version"):
                return False
            seen = connection.execute(text("SELECT version_num FROM alembic_version"))
            heads = list(seen.scalars())
            return heads == [newest_revision()] or is_later(heads)
    finally:
        database.dispose()
