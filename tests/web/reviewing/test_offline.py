"""A review that waited on a device is stored once, for its author, and never over another one."""

from datetime import UTC, datetime, timedelta

from starlette.testclient import TestClient

from swapflow.domain.people.reviewer import DeclineKind
from swapflow.domain.reviewing.assignment import Assignment
from tests.web.site import Site


GOOD = {"c0": "3", "c1": "3", "remark": "Typed in the train.", "revision": "0"}


def task_of(site: Site) -> tuple[TestClient, Assignment, str]:
    site.launched()
    client, assignment = site.assigned()
    return client, assignment, f"/tasks/{site.product.tasks.code(assignment.id)}"


def account_of(client: TestClient) -> str:
    account: str = client.get("/inbox/kept").json()["account"]
    return account


def test_a_review_that_waited_is_stored_once_however_often_it_is_sent(site: Site) -> None:
    client, assignment, task = task_of(site)
    sent = {"account": account_of(client), "fields": GOOD}

    answers = [client.post(f"{task}/waiting", json=sent) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert answers[0].json() == {"receipt": f"{task}/receipt"}
    scores = [s for s in site.product.scores.list("fall") if s.assignment_id == assignment.id]
    assert [s.revision for s in scores] == [1]


def test_another_stored_review_is_shown_beside_the_one_that_waited(site: Site) -> None:
    client, assignment, task = task_of(site)
    client.post(task, data={"c0": "1", "c1": "1", "remark": "Typed at the desk."})

    answer = client.post(f"{task}/waiting", json={"account": account_of(client), "fields": GOOD})

    assert answer.status_code == 409
    said = answer.json()
    assert said["refused"] == "stored"
    assert ["Remark", "Typed in the train."] in said["mine"]
    assert ["Remark", "Typed at the desk."] in said["stored"]
    given = site.product.tasks.score(assignment.id)
    assert given is not None
    assert given.marks == {"Preparation": 1.0, "Promise": 1.0}


def test_a_correction_that_waited_replaces_what_it_was_made_from_and_nothing_newer(
    site: Site,
) -> None:
    client, assignment, task = task_of(site)
    client.post(task, data=GOOD)
    mine = {"account": account_of(client), "fields": GOOD | {"c0": "4", "revision": "1"}}

    assert client.post(f"{task}/waiting", json=mine).status_code == 200
    later = {"account": account_of(client), "fields": GOOD | {"c0": "2", "revision": "1"}}
    assert client.post(f"{task}/waiting", json=later).json()["refused"] == "stored"

    given = site.product.tasks.score(assignment.id)
    assert given is not None
    assert given.marks["Preparation"] == 4.0


def test_a_review_that_waited_is_taken_from_its_author_alone(site: Site) -> None:
    client, assignment, task = task_of(site)
    sent = {"account": "another", "fields": GOOD}

    assert client.post(f"{task}/waiting", json=sent).status_code == 403
    client.cookies.clear()
    assert client.post(f"{task}/waiting", json=sent).status_code == 401
    assert site.product.tasks.score(assignment.id) is None


def test_what_is_missing_in_a_review_that_waited_is_named_and_its_text_comes_back(
    site: Site,
) -> None:
    client, _, task = task_of(site)
    fields = {"c0": "3", "remark": "Half of it"}

    answer = client.post(f"{task}/waiting", json={"account": account_of(client), "fields": fields})

    assert answer.status_code == 422
    assert answer.json()["refused"] == "incomplete"
    assert ["Remark", "Half of it"] in answer.json()["mine"]


def test_a_review_of_a_task_that_was_declined_meanwhile_is_called_no_longer_needed(
    site: Site,
) -> None:
    client, assignment, task = task_of(site)
    sent = {"account": account_of(client), "fields": GOOD}
    site.product.tasks.decline(assignment.id, DeclineKind.CONFLICT, by="r1@example.org")

    answer = client.post(f"{task}/waiting", json=sent)

    assert answer.status_code == 409
    assert answer.json()["refused"] == "closed"
    assert "no longer needed" in answer.json()["detail"]


def test_a_page_says_for_whom_and_until_when_a_device_may_keep_it(site: Site) -> None:
    client, assignment, task = task_of(site)
    account = account_of(client)

    for path in ("/inbox", task):
        rule = client.get(path).headers["swapflow-keep"]
        assert rule.startswith(f"account={account}; until=")
        until = datetime.fromisoformat(rule.partition("until=")[2])
        assert datetime.now(UTC) < until <= datetime.now(UTC) + timedelta(days=14)
    assert assignment.due_at is not None
    assert "swapflow-keep" not in client.get("/me").headers
    assert task.removeprefix("/tasks/") in client.get("/inbox/kept").json()["open"]


def test_signing_out_clears_what_the_device_kept(site: Site) -> None:
    site.launched()
    client, _ = site.assigned()

    assert client.post("/sign-out").headers["clear-site-data"] == '"storage"'


def test_the_page_without_a_connection_and_the_manifest_name_nobody(site: Site) -> None:
    site.launched()
    client, _ = site.assigned()
    client.cookies.clear()

    assert "You are offline" in client.get("/offline").text
    manifest = client.get("/manifest.webmanifest")
    assert manifest.headers["content-type"].startswith("application/manifest+json")
    for icon in manifest.json()["icons"]:
        assert client.get(icon["src"]).status_code == 200
    worker = client.get("/service-worker.js")
    assert worker.headers["content-type"].startswith("text/javascript")
