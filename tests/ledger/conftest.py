"""The ledgers that every promise is tested on: in memory, in a SQLite file, in PostgreSQL."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from swapflow.domain.cycle import Round
from swapflow.ledger.maintenance.upgrade import upgrade
from swapflow.ledger.sql_ledger import SqlLedger
from tests.ledger.examples import RULES
from tests.support.postgres import PostgresServer


Opened = Callable[[str], SqlLedger]


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "ledger.db"
    upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture(params=["file", "postgresql"])
def shared_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that several processes can open."""
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        return server.clean_database()
    return f"sqlite:///{_copy_of_template(request, tmp_path)}"


@pytest.fixture(params=["memory", "file", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "memory":
        return "sqlite://"
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        return server.clean_database()
    return f"sqlite:///{_copy_of_template(request, tmp_path)}"


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
def file_ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlLedger]:
    made = SqlLedger(f"sqlite:///{_copy_of_template(request, tmp_path)}")
    made.create_round(Round(id="2027", name="Season 2027", unit="minutes", zone="Europe/Paris"))
    made.create_cycle("fall", round_id="2027", name="Fall", rules=RULES, by="ops")
    yield made
    made.dispose()


def _copy_of_template(request: pytest.FixtureRequest, folder: Path) -> Path:
    template: Path = request.getfixturevalue("sqlite_template")
    path = folder / "ledger.db"
    path.write_bytes(template.read_bytes())
    return path
