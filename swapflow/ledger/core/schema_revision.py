"""Which migration a database stands at, asked without Alembic: every process asks at its start."""

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import inspect, text

from swapflow.ledger.core.database import Database


VERSIONS = Path(__file__).parents[1] / "migrations" / "versions"


def newest_revision() -> str:
    """Name the last migration of this code: the highest number of a file in `VERSIONS`."""
    return max(file.name.partition("_")[0] for file in VERSIONS.glob("[0-9]*.py"))


def is_later(heads: Sequence[str]) -> bool:
    """Say whether a database stands at a migration of a later release."""
    return len(heads) == 1 and heads[0].isdecimal() and heads[0] > newest_revision()


def is_current(url: str) -> bool:
    """Say whether a database has seen the migrations of this code, be it with later ones.

    While a new release is rolled out, processes of the old one work on, and start again, on
    tables that are newer already: a migration only adds what old code can leave alone.

    Importing Alembic takes longer than all else that a process does before it works.

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
