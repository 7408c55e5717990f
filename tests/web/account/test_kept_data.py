"""Rules delete what is due, holds keep it, and staff see both: no byte is left anywhere."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from sqlalchemy import insert, update
from starlette.testclient import TestClient

from swapflow.domain.cohort.proposal import Waiver
from swapflow.domain.people.kept_data import KeptData
from swapflow.engine.audit.finished_cycle import gather_finished_cycle
from swapflow.files.bundles.bundle import bundle
from swapflow.files.bundles.signing_keys import signer_from
from swapflow.identity.permissions import Role, Scope
from swapflow.ledger.schema import MESSAGE, SCORE_NOTE
from swapflow.settings import Settings
from tests.engine.cycle_by_hand import applicant
from tests.support.migrated import new_database
from tests.support.postgres import PostgresServer
from tests.support.redis_server import RedisServer
from tests.web.site import Site


DAY = 86_400.0
DRAFT, REMARK, NOTE, MAIL = "Quibbledraft", "Quarkremark", "Quirknote", "Quillmail"
GROUP, PRACTICE = "Quotagroup", "Quaintpractice"
MARKED = (DRAFT, REMARK, NOTE, MAIL, GROUP, PRACTICE)
GOOD = {"c0": "2", "c1": "1", "then": "stay"}
KINDS = tuple(kind for kind in KeptData if kind is not KeptData.FIGURES)
EXPORTS = ("/applicants/fall/table.csv", "/decide/fall/defence/json", "/today/fall/data.csv")
PAGE, API = "/setup/rounds/round/retention", "/api/v1/rounds/round"


@pytest.fixture(scope="module")
def valkey() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


@pytest.fixture(params=["file", "postgresql"])
def kept(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    settings: Settings,
    valkey: RedisServer,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Site]:
    """A site with a real Redis and a folder of backups, on each database."""
    with redis.Redis.from_url(valkey.url) as server:
        server.flushall()
    database: Path | str = tmp_path / "swapflow.db"
    if request.param == "postgresql":
        server_: PostgresServer = request.getfixturevalue("postgres")
        database = server_.new_database()
        # The server's own tools: those of the system may be older than it.
        monkeypatch.setenv("PATH", f"{server_.programs}:{os.environ['PATH']}")
    else:
        new_database(tmp_path / "swapflow.db")
    made = Site(database, settings=settings, redis=valkey.url, backups=True)
    yield made
    made.ledger.dispose()


def final(site: Site) -> None:
    """Run a program to its list, with marked words in each kind of data, and back up."""
    site.launched(applicants=0, launch=False)
    site.product.practice.add_file("fall", "A file", "Papers.", by="ops")
    site.product.practice.mark(
        "fall", 0, 0, marks={"Preparation": 2.0, "Promise": 1.0}, value=None, remark=PRACTICE
    )
    people = [
        applicant(f"A{n}", name=f"Name {n}", email=f"a{n}@example.com", monitor={"sex": GROUP})
        for n in range(6)
    ]
    site.product.applicants.import_all("fall", people)
    site.product.cycles.launch("fall", by="ops")
    site.turn()
    browser, task = site.assigned()
    code = site.product.cycles.get("fall").task_code(task.id)
    answered = browser.post(f"/tasks/{code}", data=GOOD | {"remark": REMARK})
    assert answered.status_code == 303
    waiting = next(t for t in site.ledger.assignments("fall") if t.id != task.id)
    roster = {one.number: one.email for one in site.product.reviewers.list("fall")}
    other = site.signed_in(email=roster[waiting.reviewer])
    drafted = other.post(
        f"/tasks/{site.product.cycles.get('fall').task_code(waiting.id)}/draft",
        json={"version": 0, "body": {"remark": DRAFT}},
    )
    assert drafted.status_code == 200
    site.turn()
    site.product.cycles.stop("fall", by="ops", reason="enough")
    with site.ledger._database.writing() as connection:
        mails = update(MESSAGE).values(text=MESSAGE.c.text + MAIL)
        assert connection.execute(mails).rowcount > 0
        row = {"assignment_id": task.id, "revision": 1}
        connection.execute(insert(SCORE_NOTE), row | {"name": "private", "text": NOTE})
    site.product.cohort.finalize("fall", by="Chair", waiver=Waiver(by="dean", reason="known"))
    site.product.backups.make(by="ops")


def in_folder(site: Site) -> set[str]:
    """Which marked words are in a byte of database file, its log, backups or anything beside."""
    files = [file for file in site.settings.data_dir.rglob("*") if file.is_file()]
    return {word for word in MARKED for file in files if word.encode() in file.read_bytes()}


def in_database(site: Site) -> set[str]:
    """Which words a dump of PostgreSQL holds; a SQLite file is read with the folder."""
    database = site.ledger._database
    if database.is_sqlite:
        return set()
    url = database.url
    socket = {"PGHOST": str(url.query["host"]), "PGUSER": str(url.username)}
    dump = subprocess.run(
        ["pg_dump", f"--dbname={url.database}"],
        env=os.environ | socket,
        capture_output=True,
        check=True,
    ).stdout
    assert b"CREATE TABLE" in dump
    return {word for word in MARKED if word.encode() in dump}


def in_backup(site: Site, name: str) -> set[str]:
    """Which words a backup holds, whatever its form packs."""
    file = site.settings.data_dir / "backups" / name
    content = file.read_bytes()
    if content.startswith(b"PGDMP"):
        content = subprocess.run(
            ["pg_restore", "--file=-", file], capture_output=True, check=True
        ).stdout
    return {word for word in MARKED if word.encode() in content}


def in_redis(valkey: RedisServer) -> set[str]:
    """Which words are in a key or value of Redis, or in the file that it writes."""
    words = bytearray()
    with redis.Redis.from_url(valkey.url) as server:
        keys = server.keys("*")
        assert keys, "the live state is there, or nothing is searched"
        for key in keys:
            words += key + (server.dump(key) or b"")
        server.save()
    for file in valkey.folder.rglob("*"):
        if file.is_file():
            words += file.read_bytes()
    return {word for word in MARKED if word.encode() in words}


def in_exports(site: Site, tmp_path: Path) -> set[str]:
    """Which words the office's files and the bundle of the program hold."""
    administrator = site.signed_in(Role.ADMINISTRATOR)
    content = bundle(
        gather_finished_cycle("fall", ledger=site.ledger), signer_from(tmp_path / "key.pem")
    )
    for path in (
        "/applicants/fall/table.csv",
        "/decide/fall/defence/json",
        "/today/fall/data.csv",
    ):
        answer = administrator.get(path)
        assert answer.status_code == 200, path
        content += answer.content
    return {word for word in MARKED if word.encode() in content}


def rules_of(site: Site, client: TestClient, days: int = 30) -> None:
    for kind in KINDS:
        answer = client.put(f"{API}/retention/{kind.value}", json={"days": days})
        assert answer.status_code == 200, answer.text


def test_no_byte_of_what_was_due_is_left_in_database_folder_backup_redis_or_export(
    kept: Site, valkey: RedisServer, tmp_path: Path
) -> None:
    final(kept)
    old = kept.product.backups.copies()[0].name
    found = in_folder(kept) | in_database(kept) | in_backup(kept, old)
    assert found == set(MARKED), "or the test could not fail"
    rules_of(kept, kept.signed_in(Role.OPERATIONS))
    kept.later(31 * DAY)

    deleted = kept.product.retention.delete_due()

    assert {one.kind for one in deleted} == set(KINDS) - {KeptData.BACKUPS}
    assert [one.name for one in kept.product.backups.copies()] == [old], "the last one stays"
    new = kept.product.backups.make(by="ops").file
    # The database's clock is ahead of the disk's by what the test added to it.
    ahead = kept.ledger.now().timestamp()
    os.utime(kept.settings.data_dir / "backups" / new, (ahead, ahead))
    assert {one.kind for one in kept.product.retention.delete_due()} == {KeptData.BACKUPS}
    assert [one.name for one in kept.product.backups.copies()] == [new]
    assert in_backup(kept, new) == set()
    assert in_folder(kept) == set()
    assert in_database(kept) == set()
    assert in_redis(valkey) == set()
    assert in_exports(kept, tmp_path) == set()
    assert kept.product.reports.verify("fall", live=False).passed
    assert kept.product.retention.delete_due() == []


def test_a_hold_on_a_reviewer_keeps_their_words_from_rules_and_erasure(kept: Site) -> None:
    final(kept)
    staff = kept.signed_in(Role.OPERATIONS)
    rules_of(kept, staff)
    score = kept.product.scores.list("fall")[0]
    who = kept.product.reviewers.list("fall")[score.reviewer].external_id
    hold = {"program": "fall", "reviewer": who, "reason": "Case 12"}
    placed = staff.post(f"{API}/holds", json=hold)
    assert placed.status_code == 201, placed.text
    assert (placed.json()["person"], placed.json()["by"]) == (who, "operations@example.org")
    kept.later(31 * DAY)
    staff = kept.signed_in(Role.OPERATIONS)

    kept.product.retention.delete_due()

    assert kept.ledger.remarks("fall")[0][1] == REMARK
    refused = staff.delete(f"/api/v1/cycles/fall/applicants/{score.application}")
    assert refused.status_code == 409, refused.text
    assert "operations@example.org placed legal hold" in refused.text
    refused = staff.delete(f"/api/v1/cycles/fall/reviewers/{score.reviewer}")
    assert refused.status_code == 409, refused.text
    assert "operations@example.org placed legal hold" in refused.text

    number = placed.json()["hold"]
    lifted = staff.post(f"{API}/holds/{number}/lift", json={"reason": "settled"})
    assert lifted.json()["lifted_reason"] == "settled"
    kept.product.retention.delete_due()
    assert kept.ledger.remarks("fall") == ()


def test_staff_set_a_rule_place_and_lift_a_hold_on_the_page(site: Site) -> None:
    site.launched()
    staff = site.signed_in(Role.OPERATIONS)
    page = staff.get(PAGE).text
    assert "This round is not over" in page
    assert "There is no legal hold." in page

    assert staff.post(f"{PAGE}/rules", data={"kind": "mails", "days": "90"}).status_code == 303
    page = staff.get(PAGE).text
    assert "90 days after the end" in page
    assert "Set how long to keep mails" in page
    typed = {"program": "fall", "applicant": "A001", "reviewer": "", "reason": "A <b>lawsuit</b>"}
    assert staff.post(f"{PAGE}/holds", data=typed).status_code == 303
    page = staff.get(PAGE).text
    assert f"Applicant A001 of {site.product.cycles.get('fall').name}" in page
    assert "A &lt;b&gt;lawsuit&lt;/b&gt;" in page
    assert "Placed by operations@example.org" in page
    number = site.product.retention.holds("round")[0].id
    lifted = staff.post(f"{PAGE}/holds/{number}/lift", data={"reason": "settled"})
    assert lifted.status_code == 303
    assert "Lifted by operations@example.org" in staff.get(PAGE).text
    log = [entry.what for _, entry in site.office.audit_log.entries()]
    assert [what for what in log if "hold" in what] == [
        f"lifted legal hold {number}", f"placed legal hold {number}"
    ]  # fmt: skip


@pytest.mark.parametrize("days", ["0", "-1", "ten", "9999999999", "1.5"])
def test_days_that_are_none_come_back_as_typed(site: Site, days: str) -> None:
    site.launched()
    staff = site.signed_in(Role.OPERATIONS)

    refused = staff.post(f"{PAGE}/rules", data={"kind": "mails", "days": days})

    assert refused.status_code == 422
    assert f'value="{days}"' in refused.text
    assert "is not between 1 and 36525" in refused.text
    assert site.product.retention.rules("round") == ()


def test_a_hold_without_a_reason_or_on_two_people_is_refused(site: Site) -> None:
    site.launched()
    staff = site.signed_in(Role.OPERATIONS)

    without = staff.post(f"{PAGE}/holds", data={"program": "fall", "reason": " "})
    two = {"program": "fall", "applicant": "A001", "reviewer": "R1", "reason": "x"}

    assert without.status_code == 422
    assert staff.post(f"{PAGE}/holds", data=two).status_code == 422
    assert staff.post(f"{API}/holds", json=two).status_code == 422
    assert site.product.retention.holds("round") == ()


def test_only_those_with_the_right_reach_the_rules_of_their_round(site: Site) -> None:
    site.launched()
    for role in (Role.COORDINATOR, Role.CHAIR, Role.OBSERVER):
        assert site.signed_in(role).get(PAGE).status_code == 403
        assert site.signed_in(role).get(f"{API}/retention").status_code == 403
    own = site.signed_in(
        Role.COMPLIANCE, email="own@example.org", scope=Scope.ROUND, scope_id="round"
    )
    assert own.get(PAGE).status_code == 200
    elsewhere = site.signed_in(
        Role.COMPLIANCE, email="far@example.org", scope=Scope.ROUND, scope_id="other"
    )
    assert elsewhere.get(PAGE).status_code == 403
    of_one = site.signed_in(Role.OPERATIONS, email="one@example.org", cycle="fall")
    assert of_one.get(PAGE).status_code == 403


def test_a_reviewer_with_the_right_does_not_learn_whom_a_hold_is_about(site: Site) -> None:
    site.launched()
    site.signed_in(Role.OPERATIONS).post(
        f"{API}/holds", json={"program": "fall", "applicant": "A003", "reason": "Quarrel"}
    )

    both = site.signed_in(Role.OPERATIONS, email="r1@example.org")

    for shown in (both.get(PAGE).text, both.get(f"{API}/retention").text):
        assert "A003" not in shown
        assert "Quarrel" not in shown


def test_what_is_due_goes_at_a_press_and_is_on_record(kept: Site) -> None:
    final(kept)
    staff = kept.signed_in(Role.OPERATIONS)
    staff.post(f"{PAGE}/rules", data={"kind": "monitoring", "days": "30"})
    assert "Delete what is due now" not in staff.get(PAGE).text
    kept.later(31 * DAY)
    staff = kept.signed_in(Role.OPERATIONS)
    assert "Delete what is due now" in staff.get(PAGE).text

    assert staff.post(f"{PAGE}/delete").status_code == 303

    page = staff.get(PAGE).text
    assert "Deleted what is due: 6 rows or files" in page
    gone = staff.get(f"{API}/retention").json()["deleted"]
    assert [(one["kind"], one["count"], one["set_by"]) for one in gone] == [
        ("monitoring", 6, "operations@example.org")
    ]
