"""Caring for the database: migrations, backups, traces, tampering, clear words on failure."""

import shutil
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text, update

from swapflow.domain.cycle import START, Round
from swapflow.domain.event import EventType
from swapflow.errors import InvalidInputError, UnavailableError
from swapflow.ledger.core.schema_revision import is_current
from swapflow.ledger.maintenance.upgrade import (
    back_up_before_upgrade,
    downgrade,
    drift,
    pending_migrations,
    upgrade,
)
from swapflow.ledger.schema import EVENT
from swapflow.ledger.sql_ledger import SqlLedger
from tests.ledger.conftest import Opened
from tests.ledger.examples import RULES, applicant, mail
from tests.support.postgres import PostgresServer


@pytest.fixture(params=["file", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        return server.new_database(migrated=False)
    return f"sqlite:///{tmp_path / 'ledger.db'}"


def _bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.glob("ledger.db*")))


def test_migrations_run_up_down_and_up_and_leave_no_drift(empty_url: str, opened: Opened) -> None:
    pending = [m.split()[0] for m in pending_migrations(empty_url)]
    assert pending == [
        "0001",
        "0002",
        "0003",
        "0004",
        "0005",
        "0006",
        "0007",
        "0008",
        "0009",
        "0010",
        "0011",
        "0012",
        "0013",
        "0014",
        "0015",
        "0016",
        "0017",
        "0018",
        "0019",
        "0020",
        "0021",
    ]
    assert drift(empty_url) != []

    upgrade(empty_url)
    upgrade(empty_url)
    assert pending_migrations(empty_url) == ()
    assert drift(empty_url) == []

    downgrade(empty_url)
    assert pending_migrations(empty_url) != ()

    upgrade(empty_url)
    assert drift(empty_url) == []
    assert opened(empty_url).cycles() == ()


def test_cycles_that_were_there_get_secrets_of_their_own_for_their_task_codes(
    empty_url: str, opened: Opened
) -> None:
    upgrade(empty_url)
    ledger = opened(empty_url)
    ledger.create_round(Round(id="2027", name="2027", unit="minutes", zone="UTC"))
    for name in ("fall", "spring"):
        ledger.create_cycle(name, round_id="2027", name=name, rules=RULES, by="ops")
    ledger.dispose()
    downgrade(empty_url, "0001")

    upgrade(empty_url)

    codes = [cycle.task_code("one:1:review:1:1.1") for cycle in opened(empty_url).cycles()]
    assert len(set(codes)) == 2


def test_a_database_without_tables_says_which_command_makes_them(
    empty_url: str, opened: Opened
) -> None:
    with pytest.raises(UnavailableError, match="run `swapflow db upgrade`"):
        opened(empty_url).cycles()


@pytest.mark.parametrize(
    "url",
    ["sqlite:////nowhere/at/all/ledger.db", "postgresql://u:secret@127.0.0.1:1/swapflow"],
)
def test_a_database_out_of_reach_is_unavailable_and_keeps_its_password(
    url: str, opened: Opened
) -> None:
    ledger = opened(url)

    for act in (ledger.cycles, ledger.now, lambda: ledger.mark_delivered(["a:1:review:1:1.1"])):
        with pytest.raises(UnavailableError, match="check that") as caught:
            act()
        assert "secret" not in str(caught.value)


def test_a_database_of_another_make_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="SQLite or PostgreSQL"):
        SqlLedger("mysql://host/db")
    with pytest.raises(InvalidInputError, match="cannot be read"):
        SqlLedger("ledger.db")


def test_a_backup_is_a_whole_ledger_and_never_overwrites(
    file_ledger: SqlLedger, tmp_path: Path, opened: Opened
) -> None:
    with file_ledger.write("fall") as tx:
        tx.record(EventType.LAUNCHED, {"rules": 1})
    copy = tmp_path / "copy.db"

    file_ledger.backup(copy)

    assert opened(f"sqlite:///{copy}").cycle("fall") == file_ledger.cycle("fall")
    with pytest.raises(InvalidInputError, match="exists already"):
        file_ledger.backup(copy)


def test_an_upgrade_can_be_undone_from_the_copy_made_before_it(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    assert back_up_before_upgrade(url) is None

    upgrade(url)
    copy = back_up_before_upgrade(url)

    assert copy is not None
    assert copy.parent == tmp_path
    assert pending_migrations(f"sqlite:///{copy}") == ()


def test_a_restored_database_is_told_from_the_one_that_was_read(
    file_ledger: SqlLedger, tmp_path: Path, opened: Opened
) -> None:
    with file_ledger.write("fall") as tx:
        tx.record(EventType.LAUNCHED, {"rules": 1})
    file_ledger.backup(tmp_path / "backup.db")
    with file_ledger.write("fall") as tx:
        tx.record(EventType.REVIEWER_LEFT, {"r": 1})
    read = file_ledger.cycle("fall").position

    shutil.copy(tmp_path / "backup.db", tmp_path / "restored.db")
    restored = opened(f"sqlite:///{tmp_path / 'restored.db'}")

    assert restored.events("fall", after=read, at_most=5) is None
    with restored.write("fall") as tx:
        tx.record(EventType.REVIEWER_LEFT, {"r": 2})
    assert restored.cycle("fall").position.seq == read.seq
    assert restored.events("fall", after=read, at_most=5) is None
    assert restored.events("fall", after=START, at_most=5) is not None


def test_a_changed_event_is_found_by_its_number(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        for number in range(4):
            tx.record(EventType.REVIEWER_LEFT, {"r": number})

    with ledger._database.writing() as connection:
        body = '{"committed":0,"deltas":[],"payload":{"r":9},"spent":0}'
        connection.execute(update(EVENT).where(EVENT.c.seq == 3).values(body=body))
    assert ledger.check_chain("fall") == "event 3 is not what was recorded"

    with ledger._database.writing() as connection:
        connection.execute(EVENT.delete().where(EVENT.c.seq == 2))
    assert ledger.check_chain("fall") == "event 2 is missing"


def test_events_cut_off_at_the_end_are_noticed(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.record(EventType.LAUNCHED, {"rules": 1})
        tx.record(EventType.PAUSED, {})

    with ledger._database.writing() as connection:
        connection.execute(EVENT.delete().where(EVENT.c.seq == 2))

    assert ledger.check_chain("fall") == "the cycle stands at event 2, its events end at 1"


def test_no_byte_of_a_purged_person_stays_in_the_files(
    file_ledger: SqlLedger, tmp_path: Path
) -> None:
    secret = applicant(
        "ext-77431",
        name="Quetzalcoatl Zyx",
        email="qzyx@nowhere.example",
        fields={"essay": "volcanoes " * 500},
        selection={"field": "vulcanology"},
        monitor={"ethnicity": "martian"},
        documents=(("cv-quetz.pdf", "/files/quetz.pdf", True),),
    )
    with file_ledger.write("fall") as tx:
        tx.add_applications([applicant("a"), secret, applicant("z")], [1, 2, 3], wave=1)
        tx.queue_mail([mail("m", text="About Quetzalcoatl Zyx")])
        tx.note(subject="application:1", by="ops", text="prefers lava")
    words = (b"ext-77431", b"Quetzal", b"qzyx", b"volcanoes", b"vulcan", b"martian", b"lava")
    assert all(word in _bytes(tmp_path) for word in words)

    with file_ledger.write("fall") as tx:
        tx.erase_application(1)
    file_ledger.compact()

    assert [word for word in (*words, b"quetz") if word in _bytes(tmp_path)] == []
    assert file_ledger.applications("fall")[2].name == "Name of z"


def test_compacting_works_while_others_read(ledger: SqlLedger) -> None:
    ledger.compact()

    assert ledger.cycle("fall").position == START


def test_sqlite_is_set_to_survive_a_power_cut_and_to_check_references(
    file_ledger: SqlLedger,
) -> None:
    settings = {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "secure_delete": 1,
        "busy_timeout": 30_000,
    }
    with file_ledger._database.reading() as connection:
        found = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in settings
        }

    assert found == settings


def test_a_reader_sees_the_last_commit_while_a_writer_is_at_work(
    file_ledger: SqlLedger, tmp_path: Path
) -> None:
    with file_ledger.write("fall") as tx:
        tx.record(EventType.LAUNCHED, {"rules": 1})
        other = sqlite3.connect(tmp_path / "ledger.db")
        seen = other.execute("SELECT seq FROM cycle").fetchone()
        other.close()

    assert seen == (0,)
    assert file_ledger.cycle("fall").position.seq == 1


def test_processes_of_an_old_release_start_on_tables_that_a_new_one_has_migrated(
    empty_url: str,
) -> None:
    upgrade(empty_url)
    engine = create_engine(empty_url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()

    assert is_current(empty_url)
    assert pending_migrations(empty_url) == ()
    upgrade(empty_url)  # as `swapflow up` of the old release does at each start
    assert is_current(empty_url)
