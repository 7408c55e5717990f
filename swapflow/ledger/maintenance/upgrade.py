"""Upgrades of a database's tables to this version, after a copy of the SQLite file."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.exc import SAWarning

from swapflow.errors import InvalidInputError
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.schema_revision import is_later
from swapflow.ledger.schema.base import METADATA
from swapflow.ledger.sql_ledger import SqlLedger


_UPGRADE_LOCK = 5_727_927  # any number, as long as every release uses the same


def upgrade(url: str, revision: str = "head") -> None:
    """Run the migrations that are missing; safe to call from several processes at once.

    A database that a later release has migrated stays as it is: this release can use it.

    Args:
        url: The database; a SQLite file is created where there is none.
        revision: Stop at this one, for tests.

    Raises:
        UnavailableError: If the database does not answer.
    """
    with _migrating(url) as config:
        connection: Connection = config.attributes["connection"]
        heads = MigrationContext.configure(connection).get_current_heads()
        connection.rollback()  # ends the transaction that this look began
        if not is_later(heads):
            command.upgrade(config, revision)


def downgrade(url: str, revision: str = "base") -> None:
    """Undo migrations down to a revision; `base` drops every table."""
    with _migrating(url) as config:
        command.downgrade(config, revision)


def pending_migrations(url: str) -> tuple[str, ...]:
    """List the migrations that `upgrade` would run, oldest first; empty when up to date.

    Raises:
        UnavailableError: If the database does not answer.
    """
    script = ScriptDirectory.from_config(_config())
    heads = _heads(Database(url))
    if is_later(heads):
        return ()
    missing = list(script.iterate_revisions("heads", heads or "base"))
    return tuple(f"{step.revision} {step.doc}" for step in reversed(missing))


def drift(url: str) -> list[object]:
    """Compare the tables of a database with the schema of the code; empty when they agree."""
    database = Database(url)
    try:
        with database.reading() as connection, warnings.catch_warnings():
            # SQLAlchemy cannot read an index over an expression back from SQLite.
            warnings.filterwarnings("ignore", "Skipped unsupported reflection", SAWarning)
            warnings.filterwarnings("ignore", "autogenerate skipping metadata", UserWarning)
            context = MigrationContext.configure(connection, opts={"compare_type": True})
            return list(compare_metadata(context, METADATA))
    finally:
        database.dispose()


def back_up_before_upgrade(url: str) -> Path | None:
    """Copy a SQLite ledger beside itself, named by the time; None if it does not exist yet."""
    database = Database(url)
    if database.file is None or not database.file.exists() or not _heads(database):
        return None
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    copy = database.file.with_name(f"{database.file.stem}.{moment}.backup")
    ledger = SqlLedger(url)
    try:
        ledger.backup(copy)
    finally:
        ledger.dispose()
    return copy


def _heads(database: Database) -> tuple[str, ...]:
    """Return the last migration that a database has seen; empty for a new one."""
    try:
        with database.reading() as connection:
            return MigrationContext.configure(connection).get_current_heads()
    finally:
        database.dispose()


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parents[1] / "migrations"))
    return config


@contextmanager
def _migrating(url: str) -> Iterator[Config]:
    """Lock out other processes from migrating, and build Alembic's configuration."""
    database = Database(url)
    if database.in_memory:
        raise InvalidInputError("memory_ledger_not_upgraded")
    config = _config()
    try:
        with database.exclusive() as connection:
            _queue_on_postgresql(connection)
            config.attributes["connection"] = connection
            yield config
    finally:
        database.dispose()


def _queue_on_postgresql(connection: Connection) -> None:
    """Wait until no other session migrates; the lock ends with this connection."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_lock(:number)"), {"number": _UPGRADE_LOCK})
        connection.commit()
