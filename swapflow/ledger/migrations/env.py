"""What Alembic runs: every migration inside one transaction, on the connection it is handed."""

import sqlite3

from alembic import context
from sqlalchemy import Connection

from swapflow.ledger.schema.base import METADATA


def run(connection: Connection) -> None:
    """Migrate, with foreign keys off on SQLite while tables are rebuilt.

    A batch migration copies a table, drops it and renames the copy. With foreign keys on, the
    drop deletes or refuses the rows that point to it; and the switch does nothing once a
    transaction has begun.
    """
    driver = connection.connection.driver_connection
    sqlite = driver if isinstance(driver, sqlite3.Connection) else None
    if sqlite is not None:
        sqlite.execute("PRAGMA foreign_keys = OFF")
    try:
        context.configure(
            connection=connection,
            target_metadata=METADATA,
            render_as_batch=True,
            compare_type=True,
        )
        with connection.begin():
            context.run_migrations()
            if (
                sqlite is not None
                and connection.exec_driver_sql("PRAGMA foreign_key_check").first()
            ):
                raise RuntimeError("the migration left rows that point to nothing")
    finally:
        if sqlite is not None:
            sqlite.execute("PRAGMA foreign_keys = ON")


run(context.config.attributes["connection"])
