"""Ledgers for the engine: in memory where speed counts, everywhere where promises are kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.cycle_by_hand import close_ledgers
from tests.support.migrated import new_database
from tests.support.postgres import PostgresServer


@pytest.fixture(params=["memory", "file", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database of each kind, set up and empty; no connection to it outlives the test."""
    if request.param == "memory":
        yield "sqlite://"
    elif request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        yield server.clean_database()
    else:
        yield new_database(tmp_path / "ledger.db")
    close_ledgers()
