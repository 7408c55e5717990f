"""`swapflow doctor` finds each of these planted faults, and names its cure.

Each test plants one fault in a deployment with a real Redis and a real database file.
"""

import os
import shutil
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import redis

from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.settings import load_settings
from tests.cli.office import Office
from tests.support.postgres import PostgresServer
from tests.support.redis_server import RedisServer
from tests.support.waiting import wait_until
from tests.web.api.programs import V1, program
from tests.web.site import ADDRESS, Site


Findings = dict[str, tuple[str, str, str]]


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with RedisServer() as started:
        yield started


@pytest.fixture
def sound(office: Office, server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> Office:
    """A deployment without a cycle, in order but for what its young age explains."""
    server.flush()
    monkeypatch.setenv("SWAPFLOW_REDIS_URL", server.url)
    office.do("db", "upgrade")
    office.run("user", "add", "ana@example.org", "--role", "administrator")
    return office


def examined(office: Office) -> Findings:
    said = office.run("doctor", "--json")
    found = {
        one["check"]: (one["grade"], one["says"], one["cure"]) for one in said.json["findings"]
    }
    faults = sum(grade == "fault" for grade, _, _ in found.values())
    assert said.code == (1 if faults else 0)
    assert said.json["faults"] == faults
    assert all(cure for grade, _, cure in found.values() if grade != "good"), found
    return found


def set_in(database: Path, *statements: str) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_a_sound_deployment_has_no_fault(sound: Office) -> None:
    found = examined(sound)
    assert [check for check, (grade, _, _) in found.items() if grade == "fault"] == []
    assert found["outboxes"][0] == found["queues"][0] == found["tables"][0] == "good"


def test_people_read_what_is_wrong_and_the_cure_below_it(sound: Office) -> None:
    said = sound.run("doctor")
    assert "! mail: no mail leaves" in said.out
    assert "    → set SWAPFLOW_SMTP_HOST" in said.out
    assert said.out.rstrip().endswith("0 faults, 2 warnings")


def test_a_setting_that_cannot_be_used(sound: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWAPFLOW_LEASE_SECONDS", "soon")
    grade, says, _ = examined(sound)["settings"]
    assert grade == "fault"
    assert "SWAPFLOW_LEASE_SECONDS" in says


def test_a_web_process_open_to_the_network_without_tls(
    sound: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SWAPFLOW_WEB_HOST", "0.0.0.0")
    grade, says, _ = examined(sound)["settings"]
    assert (grade, "TLS" in says) == ("fault", True)


def test_a_database_that_does_not_answer(sound: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWAPFLOW_DATABASE_URL", "postgresql://swapflow:secret@127.0.0.1:1/none")
    found = examined(sound)
    grade, says, _ = found["database"]
    assert grade == "fault"
    assert "secret" not in says
    assert found["Redis"][0] == "good"  # the rest is looked at all the same


def test_migrations_that_wait(sound: Office) -> None:
    sound.database.unlink()
    grade, _, cure = examined(sound)["tables"]
    assert (grade, cure) == ("fault", "swapflow db upgrade")
    assert not sound.database.exists()


def test_a_database_newer_than_the_program(sound: Office) -> None:
    set_in(sound.database, "UPDATE alembic_version SET version_num = '9999'")
    grade, says, cure = examined(sound)["tables"]
    assert (grade, "9999" in says) == ("fault", True)
    assert "backup" in cure


def test_a_redis_that_does_not_answer(sound: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWAPFLOW_REDIS_URL", "redis://:secret@127.0.0.1:1/0")
    grade, says, _ = examined(sound)["Redis"]
    assert (grade, "secret" in says) == ("fault", False)


@pytest.mark.parametrize(
    ("setting", "value", "check", "grade"),
    [
        ("maxmemory-policy", "allkeys-lru", "Redis' eviction", "fault"),
        ("maxmemory", "1", "Redis' memory", "fault"),
        ("appendonly", "no", "Redis' file", "warning"),
    ],
    ids=["it may drop queues", "it refuses writes", "it keeps nothing over a restart"],
)
def test_a_redis_that_is_set_wrongly(
    sound: Office, server: RedisServer, setting: str, value: str, check: str, grade: str
) -> None:
    with redis.Redis.from_url(server.url) as client:
        before = {"save": client.config_get("save")["save"]}
        before[setting] = client.config_get(setting)[setting]
        client.config_set("save", "")
        client.config_set(setting, value)
        try:
            assert examined(sound)[check][0] == grade
        finally:
            for name, old in before.items():
                client.config_set(name, old)


@pytest.mark.parametrize("seconds", [-3600.0, 3600.0])
def test_a_clock_that_goes_wrong(
    sound: Office, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    right = time.time
    monkeypatch.setattr("swapflow.state.health.time.time", lambda: right() + seconds)
    grade, says, _ = examined(sound)["Redis' clock"]
    assert grade == "fault"
    assert ("behind" if seconds > 0 else "ahead of") in says


def test_a_clock_that_a_test_left_moved(sound: Office) -> None:
    set_in(sound.database, "UPDATE clock SET offset_seconds = 86400")
    assert examined(sound)["test clock"][0] == "fault"


def test_a_queue_without_a_worker(sound: Office, server: RedisServer) -> None:
    with redis.Redis.from_url(server.url) as client:
        client.rpush("sfq:pull.strong", "{}")
    grade, says, cure = examined(sound)["queues"]
    assert (grade, "pull.strong (1)" in says) == ("fault", True)
    assert cure == "swapflow worker --queues pull.strong"


def test_who_leads_what(
    office: Office, server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.launched()
    monkeypatch.setenv("SWAPFLOW_REDIS_URL", server.url)
    ledger = SqlLedger(f"sqlite:///{office.database}")
    assert ledger.take_lease("ms", holder="host-1", seconds=60)
    for holder in ("host-1", "host-2"):
        ledger.announce(holder, seconds=60)
    ledger.dispose()
    grade, says, _ = examined(office)["coordinators"]
    assert grade == "good"
    assert "host-1 leads ms, here since 20" in says
    assert "host-2 leads none, here since 20" in says


def test_a_cycle_without_a_coordinator(
    office: Office, server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.launched()
    monkeypatch.setenv("SWAPFLOW_REDIS_URL", server.url)
    set_in(office.database, "UPDATE cycle SET lease_until = '2020-01-01 00:00:00.000000'")
    grade, says, cure = examined(office)["coordinator"]
    assert (grade, "ms" in says) == ("fault", True)
    assert "swapflow coordinator" in cure


def test_rosters_that_name_what_they_may_no_longer_name(
    office: Office, server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.launched()
    monkeypatch.setenv("SWAPFLOW_REDIS_URL", server.url)
    set_in(
        office.database,
        "UPDATE roster SET automatic = 'truth:/etc/passwd' WHERE number = 0",
        "UPDATE roster SET automatic = 'https://10.0.0.1/score' WHERE number IN (1, 2)",
    )

    said = office.run("doctor").out

    assert "✗ programs on the roster of ms: ada: nothing is asked of them, for" in said
    assert "a roster may not name '/etc/passwd'" in said
    assert "10.0.0.1 is inside a private network" in said


def test_numbers_in_redis_that_were_changed_from_outside(
    office: Office, server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.launched()
    monkeypatch.setenv("SWAPFLOW_REDIS_URL", server.url)
    assert "live state" not in examined(office)
    set_in(
        office.database,
        'INSERT INTO note (cycle_id, subject, "by", text, salt, digest, at) VALUES '
        "('ms', 'live state altered', 'coordinator', 'event 3: spent', '', '', "
        "strftime('%Y-%m-%d %H:%M:%f000', 'now'))",
    )
    grade, says, cure = examined(office)["live state"]
    assert (grade, "ms" in says) == ("warning", True)
    assert "Redis" in cure


def test_requests_that_never_left_and_requests_that_nobody_took(
    office: Office, server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.launched()
    monkeypatch.setenv("SWAPFLOW_REDIS_URL", server.url)
    long_ago = "'2020-01-01 00:00:00.000000'"
    set_in(
        office.database,
        f"UPDATE assignment SET status = 'queued', sent_at = {long_ago}, created_at = {long_ago}",
        "UPDATE assignment SET sent_at = NULL WHERE id = (SELECT min(id) FROM assignment)",
    )
    found = examined(office)
    assert found["reviews to send"][0] == found["reviews on their way"][0] == "fault"


def test_mail_that_is_stuck_and_mail_that_failed(sound: Office) -> None:
    row = (
        'INSERT INTO message (id, "to", subject, text, html, calendar, state, detail, created_at, '
        "attempts) VALUES ('{0}', 'a@example.org', 's', 't', 'h', '', '{1}', '', "
        "'2020-01-01 00:00:00.000000', 0)"
    )
    set_in(sound.database, row.format("one", "queued"), row.format("two", "failed"))
    found = examined(sound)
    assert found["mail that waits"][0] == "fault"
    assert found["mail that failed"][0] == "warning"


def test_a_mail_server_that_does_not_answer(
    sound: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("SWAPFLOW_SMTP_HOST", "127.0.0.1")
        monkeypatch.setenv("SWAPFLOW_SMTP_PORT", str(unused.getsockname()[1]))
        assert examined(sound)["mail"][0] == "fault"


def test_a_database_file_that_everybody_can_read(sound: Office) -> None:
    sound.database.parent.chmod(0o755)
    sound.database.chmod(0o644)
    grade, _, cure = examined(sound)["privacy of the database"]
    assert (grade, cure) == ("warning", f"chmod 700 {sound.database.parent}")
    sound.database.parent.chmod(0o700)
    assert "privacy of the database" not in examined(sound)


def test_a_new_data_folder_is_closed_to_others(sound: Office) -> None:
    assert sound.database.parent.stat().st_mode & 0o077 == 0


def test_a_disk_without_room(sound: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a small disk needs root")
    small = sound.folder / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", str(small)], check=False
    )
    if mounted.returncode != 0:
        pytest.skip("this machine lets nobody mount a small disk")
    try:
        monkeypatch.setenv("SWAPFLOW_DATA_DIR", str(small / "var"))
        assert examined(sound)["disk"][0] == "fault"
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_nobody_who_could_sign_in(office: Office, server: RedisServer) -> None:
    office.do("db", "upgrade")
    assert examined(office)["accounts"][0] == "warning"


def test_postgresql_is_looked_at_as_well(
    sound: Office, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SWAPFLOW_DATABASE_URL", postgres.new_database())

    found = examined(sound)

    assert found["database"][1].startswith("PostgreSQL")
    assert found["the database's clock"][0] == found["tables"][0] == "good"


def test_clients_that_overwrite_without_saying_from_what_are_counted_and_named(
    sound: Office, server: RedisServer, tmp_path: Path
) -> None:
    assert "API clients" not in examined(sound)
    settings = load_settings(data_dir=tmp_path, public_url=ADDRESS)
    site = Site(sound.database, settings=settings, redis=server.url)
    site.launched()
    api, path = program(site), f"{V1}/cycles/fall/applicants/1"
    read = api.get(path).headers["etag"]
    hold = {"status": "held", "reason": "papers are missing"}

    api.post(f"{path}/status", json=hold, headers={"If-Match": read})
    assert "API clients" not in examined(sound)
    api.post(f"{path}/contact", json={"name": "Ann Lee", "reason": "she wrote"})

    wait_until(lambda: "API clients" in examined(sound), what="the write is counted")
    grade, says, cure = examined(sound)["API clients"]
    site.ledger.dispose()
    assert grade == "warning"
    assert "about 1 writes in 30 days did not say what they were made from" in says
    assert "If-Match" in cure
    assert "428" in cure
