"""Which migration a database stands at, asked without Alembic: every process asks at its start."""

from pathlib import Path

from sqlalchemy import inspect, text

from swapflow.ledger.database import Database


VERSIONS = Path(__file__).parent / "migrations" / "versions"


def newest_revision() -> str:
    """Name the last migration of this code: the highest number of a file in `VERSIONS`."""
    return max(file.name.partition("_")[0] for file in VERSIONS.glob("[0-9]*.py"))


def is_current(url: str) -> bool:
    """Say whether a database has seen exactly the migrations of this code.

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
            return list(seen.scalars()) == [newest_revision()]
    finally:
        database.dispose()
