"""A reviewer is erased: no table, file or key names them, and what they scored still counts."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
import redis
from starlette.testclient import TestClient

from swapflow.domain.cohort.proposal import Waiver
from swapflow.domain.people.reviewer import Absence
from swapflow.engine.audit.finished_cycle import gather_finished_cycle
from swapflow.engine.audit.verify import verify
from swapflow.errors import ConflictError, NotFoundError
from swapflow.files.bundles.bundle import bundle
from swapflow.files.bundles.check import check_bundle
from swapflow.files.bundles.signing_keys import signer_from
from swapflow.identity.api_keys import make_token
from swapflow.identity.permissions import Role, Scope
from swapflow.ledger.privacy.personal_data import SqlPersonalData
from swapflow.settings import Settings
from tests.engine.cycle_by_hand import reviewer
from tests.support.migrated import new_database
from tests.support.redis_server import RedisServer
from tests.web.client import Browser
from tests.web.site import Site, named


NAME, MAIL, OWN_ID = "Quendolyn Zarathustra", "quendolyn@example.org", "q-reviewer"
TRACES = (
    "quendolyn", "zarathustra", OWN_ID, "peculiar draft", "a cousin of theirs",
    "moved to the moon", "oneiromancy",
)  # fmt: skip
GOOD = {"c0": "2", "c1": "1", "then": "stay"}
REMARK = f"A clear thesis, says {NAME} ({MAIL}), 5 of 5."


@pytest.fixture(scope="module")
def valkey() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


@pytest.fixture
def site(tmp_path: Path, settings: Settings, valkey: RedisServer) -> Iterator[Site]:
    """A site on a real Redis, in which one reviewer left traces wherever one can."""
    with redis.Redis.from_url(valkey.url) as server:
        server.flushall()
    database = tmp_path / "swapflow.db"
    new_database(database)
    made = Site(database, settings=settings, redis=valkey.url)
    one = reviewer(
        OWN_ID,
        name=NAME,
        email="Quendolyn@Example.org",
        group="oneiromancy panel",
        topics=("maths",),
        absences=(Absence(first=date(2031, 1, 1), last=date(2031, 1, 9)),),
    )
    made.launched("fall", roster=[one, named(2), named(3), named(4)], applicants=6)
    yield made
    made.ledger.dispose()


def leave_traces(site: Site) -> None:
    """Sign in, answer, decline and begin as the reviewer, and write about them as staff."""
    browser = site.anonymous()
    browser.post("/sign-in/link", data={"email": MAIL, "next": "/inbox"})
    site.turn()
    hers = site.signed_in(email=MAIL)
    make_token(
        site.office.users.get(MAIL),
        name="Quendolyn's program",
        scopes=("read",),
        days=9,
        ledger=site.office.context.ledger,
    )
    first, second, third = (f"/tasks/{code(site, n)}" for n in range(3))
    assert hers.post(first, data=GOOD | {"remark": REMARK}).status_code == 303
    said = hers.post(
        f"{second}/decline", data={"kind": "conflict", "reason": "a cousin of theirs"}
    )
    assert said.status_code == 303
    draft = {"version": 0, "body": {"remark": "peculiar draft"}}
    assert hers.post(f"{third}/draft", json=draft).status_code == 200
    program = staff(site)
    answer = program.post(
        "/api/v1/cycles/fall/reviewers/0/nudge", headers={"Idempotency-Key": "once"}
    )
    assert answer.status_code == 200, answer.text
    site.turn()
    browser.post("/sign-in/link", data={"email": MAIL, "next": "/inbox"})
    site.product.cycles.hold("fall", by="ops", reason=f"{NAME} complained")
    site.product.cycles.hold("fall", by="ops", reason="settled", release=True)


def code(site: Site, place: int) -> str:
    """The code of a task that waits for the reviewer."""
    return site.product.cycles.get("fall").task_code(
        site.product.tasks.inbox("fall", OWN_ID)[place].id
    )


def staff(site: Site) -> TestClient:
    account = site.account("administrator@example.org")
    site.office.users.grant(account, Role.ADMINISTRATOR, Scope.OFFICE, by="test")
    key, _ = make_token(
        account,
        name="a program",
        scopes=("read", "write"),
        days=9,
        ledger=site.office.context.ledger,
    )
    client = Browser(site.app, headers={"Authorization": f"Bearer {key}"})
    client.follow_redirects = False
    return client


def traces(site: Site, valkey: RedisServer) -> set[str]:
    """Which of the reviewer's words stand in any row, in any file's bytes, or in Redis."""
    found = set()
    for file in site.settings.data_dir.rglob("*"):
        if file.is_file():
            content = file.read_bytes().lower()
            found |= {word for word in TRACES if word.encode() in content}
    with redis.Redis.from_url(valkey.url) as server:
        for key in server.keys("*"):
            kind = server.type(key)
            content = {
                b"string": lambda k: [server.get(k)],
                b"hash": lambda k: [x for pair in server.hgetall(k).items() for x in pair],
                b"list": lambda k: server.lrange(k, 0, -1),
                b"set": server.smembers,
                b"zset": lambda k: server.zrange(k, 0, -1),
            }[kind](key)
            words = b"\n".join([key, *(one for one in content if one)]).lower()
            found |= {f"Redis: {word}" for word in TRACES if word.encode() in words}
    return found


def test_nothing_names_an_erased_reviewer_and_the_record_still_agrees_with_itself(
    site: Site, valkey: RedisServer
) -> None:
    leave_traces(site)
    site.product.reviewers.leave("fall", OWN_ID, by="ops", reason="moved to the moon")
    site.turn()
    scores, cycle = site.product.scores.list("fall"), site.product.cycles.get("fall")
    assert traces(site, valkey) >= set(TRACES), "or the test could not fail"

    answer = staff(site).delete("/api/v1/cycles/fall/reviewers/0")

    assert answer.status_code == 204, answer.text
    assert traces(site, valkey) == set()
    site.turn()
    assert traces(site, valkey) == set()
    after = site.product.cycles.get("fall")
    assert site.product.scores.list("fall") == scores
    assert (after.spent, after.committed) == (cycle.spent, cycle.committed)
    checked = verify("fall", ledger=site.ledger, state=site.product.context.state)
    assert checked.passed, checked.findings
    assert site.ledger.remarks("fall")[0][1] == "A clear thesis, says [erased] ([erased]), 5 of 5."
    one = site.product.reviewers.list("fall")[0]
    assert (one.external_id, one.name, one.email, one.active) == ("erased-0", "", "", False)
    with pytest.raises(NotFoundError):
        site.office.users.get(MAIL)
    log = [entry for _, entry in site.office.context.ledger.audit(cycle_id="fall")]
    assert ("erased a reviewer", "reviewer 0") in {(e.what, e.about) for e in log}


def test_an_erased_reviewer_leaves_a_bundle_that_verifies(site: Site, tmp_path: Path) -> None:
    leave_traces(site)
    site.product.reviewers.leave("fall", OWN_ID, by="ops", reason="moved to the moon")
    site.product.cycles.stop("fall", by="ops", reason="enough")
    site.product.cohort.finalize(
        "fall", by="Prof. Quill", waiver=Waiver(by="dean", reason="as known")
    )

    site.product.reviewers.erase("fall", OWN_ID, by="ops")

    signer = signer_from(tmp_path / "key.pem")
    checked = check_bundle(bundle(gather_finished_cycle("fall", ledger=site.ledger), signer))
    assert checked.passed, checked.problems


def test_a_reviewer_with_open_requests_is_not_erased_and_the_cure_is_named(site: Site) -> None:
    with pytest.raises(ConflictError, match="swapflow reviewers leave fall q-reviewer"):
        site.product.reviewers.erase("fall", OWN_ID, by="ops")

    assert site.product.reviewers.list("fall")[0].name == NAME


def test_no_reviewer_is_erased_while_a_hold_stands(site: Site) -> None:
    site.product.reviewers.leave("fall", OWN_ID, by="ops")
    site.product.cycles.hold("fall", by="ops", reason="a complaint of 3 May")

    with pytest.raises(ConflictError, match="a complaint of 3 May"):
        site.product.reviewers.erase("fall", OWN_ID, by="ops")

    assert site.product.reviewers.list("fall")[0].name == NAME


def test_who_reviews_elsewhere_keeps_account_and_name_there(site: Site) -> None:
    site.launched("spring", roster=[reviewer("q2", name=NAME, email=MAIL), named(2)])
    leave_traces(site)
    site.product.reviewers.leave("fall", OWN_ID, by="ops")

    assert site.product.reviewers.erase("fall", OWN_ID, by="ops") is False

    assert site.office.users.get(MAIL).email == MAIL
    assert site.product.reviewers.list("spring")[0].name == NAME
    assert site.product.reviewers.list("fall")[0].name == ""


def test_who_is_staff_too_keeps_the_account(site: Site) -> None:
    site.office.users.grant(site.account(MAIL), Role.CHAIR, Scope.CYCLE, "fall", by="ops")
    site.product.reviewers.leave("fall", OWN_ID, by="ops")

    assert site.product.reviewers.erase("fall", OWN_ID, by="ops") is False

    assert site.office.users.get(MAIL).email == MAIL


def test_the_page_erases_once_the_id_is_typed(site: Site) -> None:
    site.product.reviewers.leave("fall", OWN_ID, by="ops")
    client = site.signed_in(Role.ADMINISTRATOR)

    refused = client.post("/reviewers/fall/0/erase", data={"confirm": "q-review"})
    assert refused.status_code == 422
    assert 'id="confirm-problem"' in refused.text
    assert site.product.reviewers.list("fall")[0].name == NAME
    done = client.post("/reviewers/fall/0/erase", data={"confirm": OWN_ID})

    assert done.status_code == 303
    page = client.get("/reviewers/fall/0").text
    assert "erased-0" in page
    assert "Type erased-0" not in page
    assert NAME not in page
    assert client.post("/reviewers/fall/0/erase", data={"confirm": "erased-0"}).status_code == 404


def test_a_reviewers_file_names_their_keys_their_reasons_and_what_was_written_of_them(
    site: Site,
) -> None:
    leave_traces(site)
    site.product.reviewers.leave("fall", OWN_ID, by="ops", reason="moved to the moon")

    held = SqlPersonalData(site.ledger._database).reviewer("fall", OWN_ID).rows

    assert {"roster", "person", "account", "session", "api_token", "sign_in", "note"} <= set(held)
    assert {row["text"] for row in held["note"]} == {"a cousin of theirs", "moved to the moon"}
    assert [row["name"] for row in held["api_token"]] == ["Quendolyn's program"]
    assert "digest" not in held["api_token"][0]
