"""People who are no administrators back up, and rehearse restoring what they have."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from swapflow.engine.ports.backups import RunKind, RunState
from swapflow.errors import ConflictError, NotFoundError
from swapflow.identity.permissions import Role, Scope
from swapflow.settings import Settings
from tests.support.migrated import new_database
from tests.support.postgres import PostgresServer
from tests.support.waiting import wait_until
from tests.web.site import Site


PAGE, API = "/setup/backups", "/api/v1/backups"
DAY = 86_400.0


@pytest.fixture(params=["file", "postgresql"])
def backed(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Site]:
    """A site with a folder of backups and a running program, on each database."""
    database: Path | str = tmp_path / "swapflow.db"
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        database = server.new_database()
        # The server's own tools: those of the system may be older than it.
        monkeypatch.setenv("PATH", f"{server.programs}:{os.environ['PATH']}")
    else:
        new_database(tmp_path / "swapflow.db")
    made = Site(database, settings=settings, backups=True)
    made.launched()
    yield made
    made.ledger.dispose()


@pytest.fixture
def filed(tmp_path: Path, settings: Settings) -> Iterator[Site]:
    """The same on a file alone."""
    new_database(tmp_path / "swapflow.db")
    made = Site(tmp_path / "swapflow.db", settings=settings, backups=True)
    made.launched()
    yield made
    made.ledger.dispose()


def ended(site: Site) -> None:
    """Wait for the run that a page began."""
    wait_until(
        lambda: site.product.backups.runs()[0].state is not RunState.RUNNING,
        what="the run ends",
    )


def test_operations_back_up_and_rehearse_on_the_page_and_it_is_on_record(backed: Site) -> None:
    staff = backed.signed_in(Role.OPERATIONS)
    page = staff.get(PAGE).text
    assert "! none yet" in page
    assert "No backup is on record." in page

    assert staff.post(PAGE).status_code == 303
    ended(backed)
    page = staff.get(PAGE).text
    assert "✓ today" in page
    copy = backed.product.backups.copies()[0]
    assert copy.name in page
    assert copy.size > 10_000

    before = sorted(path.name for path in (backed.settings.data_dir / "backups").iterdir())
    assert staff.post(f"{PAGE}/rehearsal").status_code == 303
    ended(backed)
    page = staff.get(PAGE).text
    assert "✓ opens and verifies" in page
    events = backed.product.reports.verify("fall", live=False).events
    assert f"<strong>fall</strong>: verifies; {events} events" in page
    after = sorted(path.name for path in (backed.settings.data_dir / "backups").iterdir())
    assert after == before == [copy.name], "the copy beside is deleted again"
    log = [(entry.who, entry.what) for _, entry in backed.office.audit_log.entries()]
    assert ("operations@example.org", "began a backup") in log


def test_the_api_backs_up_and_tells_what_a_rehearsal_saw(backed: Site) -> None:
    staff = backed.signed_in(Role.OPERATIONS)
    assert staff.post(f"{API}/rehearsal").status_code == 404
    begun = staff.post(API)
    assert (begun.status_code, begun.json()["by"]) == (202, "operations@example.org")
    ended(backed)

    assert staff.post(f"{API}/rehearsal").status_code == 202
    ended(backed)

    told = staff.get(API).json()
    rehearsal, backup = told["runs"]
    assert told["last"] == backup["ended_at"]
    assert told["copies"][0]["file"] == backup["file"] == rehearsal["file"]
    assert [(one["program"], one["passed"]) for one in rehearsal["saw"]] == [("fall", True)]
    assert rehearsal["passed"]
    assert backup["done"] == told["copies"][0]["size"]


def test_a_backup_whose_record_was_changed_does_not_verify(filed: Site) -> None:
    import sqlite3  # noqa: PLC0415 - spoils one file

    name = filed.product.backups.make(by="ops").file
    with sqlite3.connect(filed.settings.data_dir / "backups" / name) as copy:
        copy.execute("UPDATE event SET body = replace(body, '1', '2') WHERE seq = 3")
    copy.close()

    run = filed.product.backups.rehearse(by="ops")

    assert run.state is RunState.DONE
    assert not run.passed
    assert run.saw[0].problem
    page = filed.signed_in(Role.OPERATIONS).get(PAGE).text
    assert "! does not verify" in page


def test_a_damaged_backup_fails_the_rehearsal_and_says_so(filed: Site) -> None:
    name = filed.product.backups.make(by="ops").file
    (filed.settings.data_dir / "backups" / name).write_bytes(b"SQLite format 3\x00" + b"x" * 9000)
    staff = filed.signed_in(Role.OPERATIONS)

    staff.post(f"{PAGE}/rehearsal")
    ended(filed)

    run = filed.product.backups.runs()[0]
    assert run.state is RunState.FAILED
    assert "is damaged" in run.problem
    assert "is damaged" in staff.get(PAGE).text
    left = [path.name for path in (filed.settings.data_dir / "backups").iterdir()]
    assert left == [name]


def test_after_seven_days_without_a_backup_it_is_a_line_of_those_who_may(filed: Site) -> None:
    staff, chair = filed.signed_in(Role.OPERATIONS), filed.signed_in(Role.CHAIR)
    filed.later(6 * DAY)
    assert "no backup for" not in staff.get("/today").text.lower()
    filed.later(8 * DAY)
    assert "No backup for 8 days" in staff.get("/today").text
    assert 'href="/setup/backups"' in staff.get("/today").text
    assert "No backup for" not in chair.get("/today").text
    todo = staff.get("/api/v1/me/to-do").json()
    assert "back_up" in {one["code"] for one in todo}

    filed.product.backups.make(by="ops")

    assert "No backup for" not in staff.get("/today").text
    filed.later(16 * DAY)
    staff = filed.signed_in(Role.OPERATIONS)
    assert "No backup for 8 days" in staff.get("/today").text
    assert "It is older than 7 days" in staff.get(PAGE).text


def test_one_backup_at_a_time_and_an_interrupted_one_is_told(filed: Site) -> None:
    ledger = filed.ledger
    now = ledger.now()
    begun = ledger.begin_run(RunKind.BACKUP, "x.backup", by="ops", total=100, stale_before=now)
    assert begun is not None
    ledger.touch_run(begun, done=40)
    staff = filed.signed_in(Role.OPERATIONS)

    page = staff.get(PAGE).text
    assert "A backup is under way" in page
    assert 'max="100" value="40"' in page
    assert staff.post(API).json()["run"] == begun, "the one that goes on is returned"
    with pytest.raises(ConflictError, match="under way"):
        filed.product.backups.make(by="ops")

    filed.later(120)
    assert "interrupted" in staff.get(PAGE).text
    assert filed.product.backups.make(by="ops").passed
    states = [one.state for one in filed.product.backups.runs()]
    assert states == [RunState.DONE, RunState.INTERRUPTED]


def test_a_backup_is_for_those_with_the_right_in_the_office(filed: Site) -> None:
    for role in (Role.COORDINATOR, Role.CHAIR, Role.COMPLIANCE):
        assert filed.signed_in(role).get(PAGE).status_code == 403
        assert filed.signed_in(role).post(PAGE).status_code == 403
        assert filed.signed_in(role).post(API).status_code == 403
    one = filed.signed_in(
        Role.OPERATIONS, email="one@example.org", scope=Scope.ROUND, scope_id="round"
    )
    assert one.post(PAGE).status_code == 403
    assert filed.product.backups.runs() == ()


def test_a_name_outside_the_folder_is_no_backup(filed: Site) -> None:
    filed.product.backups.make(by="ops")
    for name in ("../swapflow.db", "nothing.backup"):
        with pytest.raises(NotFoundError, match="there is no backup"):
            filed.product.backups.rehearse(by="ops", file=name)


def test_without_a_place_for_backups_the_page_says_so(site: Site) -> None:
    staff = site.signed_in(Role.OPERATIONS)

    assert "in memory" in staff.get(PAGE).text
    assert staff.post(PAGE).status_code == 409
