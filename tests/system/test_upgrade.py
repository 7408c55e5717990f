"""A cycle begun by version 0.1.0, on its database and its Redis, goes on with this one.

In one step, and process by process: 0.1.0's own code works on while the tables change under it.
`tests/system/first_release/make.py` says how the files were made.
"""

import gzip
import json
import shutil
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TypeAlias

import pytest
from sqlalchemy import Boolean, Integer, MetaData, create_engine, text

from swapflow.bootstrap import build, upgrade_database
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.engine.services import Swapflow
from swapflow.ledger.maintenance.upgrade import drift, pending_migrations, upgrade
from swapflow.processes.deployment import coordinator_spec, running
from swapflow.processes.process_specs import redis_spec, worker_spec
from swapflow.processes.supervisor import ProcessSpec
from swapflow.settings import Settings, load_settings
from tests.support.ports import free_port
from tests.support.postgres import PostgresServer
from tests.support.process import Process
from tests.support.waiting import wait_until
from tests.system.crowd import Crowd
from tests.system.rounds import unsound


pytestmark = [pytest.mark.system, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
LEFT = Path(__file__).parent / "first_release"
CYCLE = "fall"
Starter: TypeAlias = Callable[..., Process]
FIRST = "0001"
"""The migration at which the first release left a database."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder as version 0.1.0 left it in the middle of a cycle."""
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    with closing(sqlite3.connect(data / "swapflow.db")) as database:
        database.executescript(gzip.decompress((LEFT / "ledger.sql.gz").read_bytes()).decode())
    (data / "redis").mkdir(mode=0o700)
    shutil.copytree(LEFT / "redis", data / "redis" / "appendonlydir")
    return data


@pytest.fixture(scope="module")
def old_code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages of version 0.1.0."""
    folder = tmp_path_factory.mktemp("first-release")
    with tarfile.open(LEFT / "code.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


def test_a_cycle_begun_by_the_first_release_ends_with_this_one_as_it_would_have_there(
    folder: Path,
) -> None:
    settings = load_settings(
        data_dir=folder, web_port=free_port(), database_url=None, redis_url=None
    )

    _goes_on(settings)

    assert list(folder.glob("swapflow.*.backup")), "the old file is copied before it is changed"


def test_a_cycle_begun_by_the_first_release_on_postgresql_ends_as_well(
    folder: Path, postgres: PostgresServer
) -> None:
    url = postgres.new_database(migrated=False)
    _carry_over(folder / "swapflow.db", url)
    settings = load_settings(
        data_dir=folder, web_port=free_port(), database_url=url, redis_url=None
    )

    _goes_on(settings)

    assert drift(url) == [], "its tables are now as the code has them"


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_processes_of_the_first_release_work_on_while_the_tables_change_until_they_are_replaced(
    folder: Path, old_code: Path, database: str, request: pytest.FixtureRequest
) -> None:
    url = None
    if database == "postgresql":
        url = request.getfixturevalue("postgres").new_database(migrated=False)
        _carry_over(folder / "swapflow.db", url)
    settings = load_settings(data_dir=folder, database_url=url, redis_url=None)
    expected = json.loads((LEFT / "expected.json").read_text("utf-8"))
    with ExitStack() as stack:
        started = _starter(stack, settings, old_code)
        redis = redis_spec(settings)
        started(redis)
        assert redis.ready is not None
        wait_until(redis.ready, what="Redis")
        coordinator = started(coordinator_spec(settings, "coordinator"), old=True)
        worker = started(worker_spec(settings), old=True)
        coordinator.wait_for(
            lambda: "coordinator started" in coordinator.output(),
            what="the old coordinator",
        )

        upgrade_database(settings)

        product = build(settings)
        crowd = Crowd(product, CYCLE)
        before = product.cycles.get(CYCLE).decisions

        def decided() -> bool:
            crowd.answer()
            return product.cycles.get(CYCLE).decisions > before + 1

        coordinator.wait_for(decided, what="decisions on the new tables")
        assert worker.code is None, worker.tail()
        # A process that dies meanwhile is replaced by the new version; the old one says why.
        again = started(coordinator_spec(settings, "coordinator"), old=True)
        again.wait_for(lambda: again.code is not None, what="a refusal")
        assert again.code != 0
        started(worker_spec(settings, name="new"))
        assert worker.terminate() == 0, worker.tail()
        started(coordinator_spec(settings, "new"))
        assert coordinator.terminate() == 0, coordinator.tail()
        wait_until(crowd.answer_until_over, what="the end")

        assert unsound(product, CYCLE) == []
        assert product.reports.verify(CYCLE).passed
        assert _came_to(product) == expected
        _close(product)


def _starter(stack: ExitStack, settings: Settings, old_code: Path) -> Starter:
    """Return what starts a process of this version, or of the old one, until the test ends."""

    def started(spec: ProcessSpec, *, old: bool = False) -> Process:
        code = str(old_code if old else ROOT)
        environment = {**spec.env, "SWAPFLOW_DATA_DIR": str(settings.data_dir), "PYTHONPATH": code}
        if settings.database_url is not None:
            environment["SWAPFLOW_DATABASE_URL"] = settings.database_url
        # `-m` looks into the working folder first, which is this checkout.
        return stack.enter_context(Process(["env", "-C", code, *spec.argv], env=environment))

    return started


def _came_to(product: Swapflow) -> dict[str, object]:
    cycle = product.cycles.get(CYCLE)
    return {
        "cohort": sorted(place.external_id for place in product.cohort.propose(CYCLE).cohort),
        "stop": cycle.stop_reason,
        "decisions": cycle.decisions,
    }


def _goes_on(settings: Settings) -> None:
    """Start this version on what the first one left, and let the cycle come to its end."""
    expected = json.loads((LEFT / "expected.json").read_text("utf-8"))
    assert pending_migrations(settings.database)
    scores, events, waiting = _left(settings.data_dir)
    assert len(scores) > 40
    assert len(waiting) > 5

    with running(settings, SWAPFLOW_WEB_PORT=str(settings.web_port)):
        assert not pending_migrations(settings.database)
        product = build(settings)
        kept = {
            score.assignment_id: (score.seq, score.value) for score in product.scores.list(CYCLE)
        }
        assert {one: kept.get(one) for one in scores} == scores
        assert _events(product)[: len(events)] == events
        # Only the old version's messages bring them: ours would be sent after ten minutes.
        wait_until(
            lambda: (
                not any(
                    one.status is AssignmentStatus.QUEUED
                    for one in product.context.ledger.assignments(CYCLE)
                    if one.id in waiting
                )
            ),
            what="the messages that the old version had sent",
        )
        assert unsound(product, CYCLE) == []

        crowd = Crowd(product, CYCLE)
        wait_until(crowd.answer_until_over, what="the end")
        assert unsound(product, CYCLE) == []
        came_to = _came_to(product)
        _close(product)

    assert came_to == expected


def _carry_over(file: Path, url: str) -> None:
    """Put the rows of the first release's SQLite file into its tables on PostgreSQL.

    Migrations are never changed, so the tables are those that it made there itself.
    """
    upgrade(url, FIRST)
    tables = MetaData()
    engine = create_engine(url)
    with closing(sqlite3.connect(file)) as old, engine.begin() as new:
        old.row_factory = sqlite3.Row
        new.execute(text("SET LOCAL session_replication_role = replica"))  # rows in any order
        new.execute(text("SET LOCAL TIME ZONE 'UTC'"))
        tables.reflect(new)
        for table in tables.sorted_tables:
            rows = [dict(row) for row in old.execute(f'SELECT * FROM "{table.name}"')]
            new.execute(table.delete())
            flags = [column.name for column in table.c if isinstance(column.type, Boolean)]
            for row in rows:
                row |= {name: bool(row[name]) for name in flags}
            if rows:
                new.execute(table.insert(), rows)
            numbered = table.c.get("id")
            if numbered is not None and isinstance(numbered.type, Integer):
                new.execute(
                    text(
                        f"SELECT setval(pg_get_serial_sequence('\"{table.name}\"', 'id'), "
                        f'coalesce(max(id), 1)) FROM "{table.name}"'
                    )
                )
    engine.dispose()


def _left(
    folder: Path,
) -> tuple[dict[str, tuple[int, int]], list[tuple[int, str]], set[str]]:
    """What the old version had recorded: scores, the chain, and what waited to be delivered."""
    with closing(sqlite3.connect(folder / "swapflow.db")) as database:
        scores = database.execute("SELECT assignment_id, seq, value FROM score").fetchall()
        events = database.execute("SELECT seq, hash FROM event ORDER BY seq").fetchall()
        waiting = database.execute("SELECT id FROM assignment WHERE status = 'queued'").fetchall()
    return {one: (seq, value) for one, seq, value in scores}, events, {row[0] for row in waiting}


def _events(product: Swapflow) -> list[tuple[int, str]]:
    return [(event.position.seq, event.position.hash) for event in product.reports.events(CYCLE)]


def _close(product: Swapflow) -> None:
    for part in (product.context.dispatcher, product.context.state, product.context.doorbell):
        part.close()  # type: ignore[union-attr]  # the real ones, all of which close
    product.context.ledger.dispose()  # type: ignore[attr-defined]  # an SqlLedger
