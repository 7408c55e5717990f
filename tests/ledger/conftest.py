"""The ledgers that every promise is tested on: in memory, in a SQLite file, in PostgreSQL."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from swapflow.domain.cycle import Round
from swapflow.ledger.sql_ledger import SqlLedger
from tests.ledger.examples import RULES
from tests.support.migrated import new_database
from tests.support.postgres import PostgresServer


Opened = Callable[[str], SqlLedger]


@pytest.fixture(params=["file", "postgresql"])
def shared_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that several processes can open."""
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        return server.clean_database()
    return new_database(tmp_path / "ledger.db")


@pytest.fixture(params=["memory", "file", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "memory":
        return "sqlite://"
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        return server.clean_database()
    return new_database(tmp_path / "ledger.db")


@pytest.fixture
def ledger(url: str) -> Iterator[SqlLedger]:
    """A ledger with one round and one empty cycle, `fall`."""
    made = SqlLedger(url)
    made.create_round(Round(id="2027", name="Season 2027", unit="minutes", zone="Europe/Paris"))
    made.create_cycle("fall", round_id="2027", name="Fall", rules=RULES, by="ops")
    yield made
    made.dispose()


@pytest.fixture
def opened() -> Iterator[Opened]:
    """Opens ledgers and closes them after the test."""
    made: list[SqlLedger] = []

    def open_(url: str) -> SqlLedger:
        made.append(SqlLedger(url))
        return made[-1]

    yield open_
    for ledger in made:
        ledger.dispose()


@pytest.fixture
def file_ledger(tmp_path: Path) -> Iterator[SqlLedger]:
    made = SqlLedger(new_database(tmp_path / "ledger.db"))
    made.create_round(Round(id="2027", name="Season 2027", unit="minutes", zone="Europe/Paris"))
    made.create_cycle("fall", round_id="2027", name="Fall", rules=RULES, by="ops")
    yield made
    made.dispose()
