"""Ledgers for the engine: in memory where speed counts, everywhere where promises are kept."""

from pathlib import Path

import pytest

from tests.support.migrated import new_database
from tests.support.postgres import PostgresServer


@pytest.fixture(params=["memory", "file", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database of each kind, set up and empty."""
    if request.param == "memory":
        return "sqlite://"
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        return server.clean_database()
    return new_database(tmp_path / "ledger.db")
