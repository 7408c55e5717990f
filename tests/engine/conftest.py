"""Ledgers for the engine: in memory where speed counts, everywhere where promises are kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from swapflow.ledger.maintenance.upgrade import upgrade
from tests.support.postgres import PostgresServer


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.stop()


@pytest.fixture(params=["memory", "file", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database of each kind, set up and empty."""
    if request.param == "memory":
        return "sqlite://"
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        return server.new_database()
    return file_url(tmp_path)


def file_url(folder: Path) -> str:
    """A fresh SQLite file."""
    made = f"sqlite:///{folder / 'ledger.db'}"
    upgrade(made)
    return made
