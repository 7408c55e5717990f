"""Databases to race on: a template for each page, and a copy of it for each try."""

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Protocol

from sqlalchemy import create_engine, make_url

from swapflow.ledger.maintenance.upgrade import upgrade
from tests.support.postgres import PostgresServer


class Templates(Protocol):
    """A database for each kind of page, copied for each try."""

    def make(self, name: str, fill: Callable[[str], None]) -> None:
        """Make a template, once: `fill` gets its URL and leaves no connection open."""
        ...

    def copy(self, name: str) -> str:
        """Copy a template; return the URL of the copy."""
        ...

    def drop(self, url: str) -> None:
        """Remove a copy."""
        ...


class SqliteTemplates:
    """Templates as files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count(1)

    def make(self, name: str, fill: Callable[[str], None]) -> None:
        file = self._folder / f"{name}.db"
        upgrade(f"sqlite:///{file}")
        fill(f"sqlite:///{file}")
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def copy(self, name: str) -> str:
        file = self._folder / f"{name}-{next(self._numbers)}.db"
        shutil.copyfile(self._folder / f"{name}.db", file)
        return f"sqlite:///{file}"

    def drop(self, url: str) -> None:
        file = Path(str(make_url(url).database))
        for left in file.parent.glob(f"{file.stem}.*"):
            left.unlink(missing_ok=True)  # the database removes its own as it closes


class PostgresTemplates:
    """Templates as databases of one server."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._urls: dict[str, str] = {}
        self._numbers = count(1)

    def make(self, name: str, fill: Callable[[str], None]) -> None:
        self._urls[name] = self._server.new_database()
        fill(self._urls[name])

    def copy(self, name: str) -> str:
        template = make_url(self._urls[name])
        database = f"race_{next(self._numbers)}"
        self._run(f'CREATE DATABASE "{database}" TEMPLATE "{template.database}"')
        return template.set(database=database).render_as_string(hide_password=False)

    def drop(self, url: str) -> None:
        self._run(f'DROP DATABASE "{make_url(url).database}" WITH (FORCE)')

    def _run(self, statement: str) -> None:
        some = next(iter(self._urls.values()))
        url = make_url(some).set(database="postgres")
        engine = create_engine(url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(statement)
        engine.dispose()


@contextmanager
def templates_on(database: str) -> Iterator[Templates]:
    """Open a place for templates on "sqlite" or "postgresql", and clear it away afterwards."""
    if database == "sqlite":
        with tempfile.TemporaryDirectory(prefix="sf-races-") as folder:
            yield SqliteTemplates(Path(folder))
        return
    server = PostgresServer()
    try:
        yield PostgresTemplates(server)
    finally:
        server.stop()
