"""The JSON API: keys and their scopes, whose is what, writes sent twice, pages of lists."""

import hashlib
import json
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from swapflow.files.rules.rules_file import rules_text
from swapflow.identity.account import Method
from swapflow.identity.permissions import Role, Scope
from swapflow.web.api import idempotency, openapi
from tests.web.api.programs import GOOD, V1, program
from tests.web.site import SITE_RULES, Site


NAMED_ALIKE = {
    (method, f"{V1}/cycles/{{cycle_id}}/interviews/import") for method in ("put", "delete")
}
"""A request's id is any text, so this may be one; a number may not."""


def test_the_committed_description_is_what_the_routes_say() -> None:
    committed = Path(__file__).parents[3] / "docs" / "openapi.json"
    assert committed.read_text("utf-8") == openapi.text(), (
        "run `make openapi` and look at the diff"
    )


def test_every_operation_has_a_name_of_its_own_words_and_its_refusals() -> None:
    operations = [
        operation for path in openapi.document()["paths"].values() for operation in path.values()
    ]
    names = [operation["operationId"] for operation in operations]
    assert len(set(names)) == len(names) > 60
    assert all(operation["description"] for operation in operations)
    refusals = {"401", "403", "404", "422", "429", "503"}
    assert all(refusals <= set(operation["responses"]) for operation in operations)
    assert openapi.document()["openapi"].startswith("3.1")


def test_a_method_that_is_not_described_is_no_other_routes_business(site: Site) -> None:
    site.launched()
    client = program(site)
    for path, operations in openapi.document()["paths"].items():
        address = re.sub(r"\{[^}]+\}", "1", path.replace("{cycle_id}", "fall"))
        for method in {"get", "post", "put", "patch", "delete"} - set(operations):
            if (method, path) in NAMED_ALIKE:
                continue
            answer = client.request(method, address, json={})
            assert answer.status_code in {404, 405}, (method, path, answer.text)


def test_the_description_is_served_with_a_page_that_asks_no_other_host(site: Site) -> None:
    anybody = site.anonymous()
    assert anybody.get(f"{V1}/openapi.json").json() == openapi.document()
    page = anybody.get("/api/docs")
    assert page.status_code == 200
    assert "http" not in page.text.replace("http-equiv", "")


# Who asks


@pytest.mark.parametrize(
    "header", ["Bearer sf_wrong", "Bearer ", "Bearer", "Basic YTpi", "sf_x", "Bearer \u00e9"]
)
def test_a_key_that_is_none_is_refused_even_beside_a_good_cookie(site: Site, header: str) -> None:
    client = site.signed_in(Role.ADMINISTRATOR)
    assert client.get(f"{V1}/cycles").status_code == 200

    refused = client.get(f"{V1}/cycles", headers={b"Authorization": header.encode("latin-1")})

    assert refused.status_code == 401
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.headers["www-authenticate"].startswith("Bearer")


def test_a_key_is_shown_once_kept_as_a_digest_and_ends_when_it_is_revoked(site: Site) -> None:
    person = site.signed_in(Role.OPERATIONS)
    made = person.post(f"{V1}/keys", json={"name": "export", "scopes": ["read"]}).json()
    client = TestClient(site.app, headers={"Authorization": f"Bearer {made['key']}"})
    assert client.get(f"{V1}/me").json()["scopes"] == ["read"]

    stored = site.office.context.ledger.tokens()[0]
    assert made["key"] not in json.dumps([stored.digest, stored.name, *stored.scopes])
    assert "key" not in person.get(f"{V1}/keys").json()["items"][0]

    assert person.delete(f"{V1}/keys/{made['id']}").status_code == 204
    assert client.get(f"{V1}/me").status_code == 401


def test_an_expired_key_and_that_of_a_closed_account_are_refused(site: Site) -> None:
    client = program(site, Role.OPERATIONS)
    assert client.get(f"{V1}/me").status_code == 200
    site.later(31 * 86_400)
    assert client.get(f"{V1}/me").status_code == 401
    site.later(0)
    site.office.users.deactivate(site.account("operations@example.org"), by="test")
    assert client.get(f"{V1}/me").status_code == 401


@pytest.mark.parametrize(
    ("scopes", "reads", "writes", "tasks", "hooks"),
    [
        (("read",), 200, 403, 403, 403),
        (("write",), 403, 200, 403, 403),
        (("review",), 403, 403, 200, 403),
        (("webhooks",), 403, 403, 403, 200),
    ],
)
def test_a_key_does_no_more_than_its_scopes(
    site: Site, scopes: tuple[str, ...], reads: int, writes: int, tasks: int, hooks: int
) -> None:
    site.launched()
    client = program(site, scopes=scopes)

    assert client.get(f"{V1}/cycles/fall/applicants").status_code == reads
    assert client.post(f"{V1}/cycles/fall/pause", json={}).status_code == writes
    assert client.get(f"{V1}/tasks").status_code == tasks
    assert client.get(f"{V1}/webhooks").status_code == hooks


def test_a_key_does_no_more_than_its_account(site: Site) -> None:
    site.launched()
    site.launched("other")
    observer = program(site, Role.OBSERVER, cycle="fall")

    assert observer.get(f"{V1}/cycles/fall/progress").status_code == 200
    assert observer.get(f"{V1}/cycles/fall/applicants").status_code == 403
    assert observer.post(f"{V1}/cycles/fall/pause", json={}).status_code == 403
    assert observer.get(f"{V1}/cycles/other/progress").status_code == 404
    assert observer.get(f"{V1}/cycles/none/progress").status_code == 404
    assert [row["id"] for row in observer.get(f"{V1}/cycles").json()["items"]] == ["fall"]


def test_a_key_makes_no_keys_and_signs_nothing(site: Site) -> None:
    site.launched()
    client = program(site)
    made = client.post(f"{V1}/keys", json={"name": "child", "scopes": ["read"]})
    assert made.status_code == 403
    signed = client.post(f"{V1}/cycles/fall/decision/signatures", json={"digest": "0" * 64})
    assert signed.status_code == 403


def test_a_key_that_asks_too_often_is_told_when_to_go_on(site: Site) -> None:
    client = program(site, Role.OBSERVER)
    key = client.headers["Authorization"].removeprefix("Bearer ")
    # Most of them without a page around them: on a busy machine 600 pages take over a minute.
    for _ in range(599):
        site.office.api_clients.principal(key)
    allowed, refused = client.get(f"{V1}/me"), client.get(f"{V1}/me")

    assert (allowed.status_code, refused.status_code) == (200, 429)
    assert 0 < int(refused.headers["retry-after"]) <= 60


def test_another_site_cannot_use_a_cookie_at_the_api(site: Site) -> None:
    site.launched()
    person = site.signed_in(Role.ADMINISTRATOR)
    refused = person.post(
        f"{V1}/cycles/fall/pause", json={}, headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert refused.status_code == 403
    assert refused.headers["content-type"] == "application/problem+json"
    assert site.product.cycles.get("fall").status.value == "running"


# Staff


def test_a_whole_program_is_run_by_the_api_alone(site: Site) -> None:
    api = program(site)
    assert api.post(f"{V1}/rounds", json={"id": "r27", "name": "2027"}).status_code == 201
    rules = _rules()
    made = api.post(f"{V1}/cycles", json={"id": "ms", "round": "r27", "rules": rules})
    assert made.status_code == 201, made.text
    people = [{"external_id": f"A{n}", "name": f"Name {n}"} for n in range(6)]
    added = api.post(f"{V1}/cycles/ms/applicants", json={"applicants": people})
    assert added.json() == {"count": 6}
    roster = [
        {"external_id": f"R{n}", "email": f"r{n}@example.org", "capacity": {"review": 20}}
        for n in range(3)
    ]
    assert api.post(f"{V1}/cycles/ms/reviewers", json={"reviewers": roster}).status_code == 201
    launched = api.post(f"{V1}/cycles/ms/launch")
    assert launched.json()["status"] == "running", launched.text
    site.turn()

    for n in range(3):
        reviewer = program(site, None, email=f"r{n}@example.org", scopes=("review",))
        for task in reviewer.get(f"{V1}/tasks").json()["items"]:
            opened = reviewer.post(f"{V1}/tasks/{task['task']}/open").json()
            marks = {c["name"]: c["marks"][-1]["mark"] for c in opened["criteria"]}
            given = {"marks": marks} if marks else {"score": 80}
            receipt = reviewer.post(f"{V1}/tasks/{task['task']}/review", json=given)
            assert receipt.status_code == 201, receipt.text
    site.turn()

    assert api.get(f"{V1}/cycles/ms/progress").json()["kinds"][0]["done"] >= 6
    assert api.post(f"{V1}/cycles/ms/stop", json={"reason": "enough"}).status_code == 200
    assert len(api.get(f"{V1}/cycles/ms/proposal").json()["places"]) == 6
    prepared = api.put(f"{V1}/cycles/ms/decision", json={"waiver": "a small round"})
    assert prepared.status_code == 200, prepared.text
    chair = site.signed_in(Role.CHAIR)
    digest = {"digest": prepared.json()["digest"]}
    assert chair.post(f"{V1}/cycles/ms/decision/signatures", json=digest).json()["done"] is True
    outcomes = api.get(f"{V1}/cycles/ms/outcomes/1").json()
    assert outcomes["signed"] == ["chair@example.org"]
    assert len(outcomes["outcomes"]) == 6
    said = [line["what"] for line in api.get(f"{V1}/audit").json()["items"]]
    assert {"made a program", "launched the program", "ended asking"} <= set(said)


def _rules() -> str:
    return rules_text(replace(SITE_RULES, budget=60))


def test_a_row_that_cannot_be_used_leaves_everything_as_it_was(site: Site) -> None:
    site.launched(launch=False, applicants=2)
    api = program(site)
    for bad in (
        {"external_id": "N1", "attributes": {"sex": "f"}},
        {"external_id": "N1", "name": "a\x00b"},
        {"external_id": ""},
        {"external_id": "N1", "nmae": "misspelt"},
        {"external_id": "N1", "email": "no address"},
    ):
        rows = [{"external_id": "N0"}, bad]
        refused = api.post(f"{V1}/cycles/fall/applicants", json={"applicants": rows})
        assert refused.status_code == 422, bad
        assert refused.json()["detail"]
    assert len(site.product.applicants.list("fall")) == 2


def test_names_in_any_script_come_back_as_they_went_in(site: Site) -> None:
    site.launched(launch=False, applicants=0)
    api = program(site)
    names = ["عبد الله", "李小龍", "🙂 Zoë", "=1+1"]
    rows = [{"external_id": f"N{n}", "name": name} for n, name in enumerate(names)]
    api.post(f"{V1}/cycles/fall/applicants", json={"applicants": rows})
    listed = api.get(f"{V1}/cycles/fall/applicants").json()["items"]
    assert [row["name"] for row in listed] == names


def test_ids_of_another_program_are_not_there(site: Site) -> None:
    site.launched()
    site.launched("other")
    client, task = site.assigned("other")
    del client
    mine = program(site, Role.OPERATIONS, cycle="fall")
    correction = {"marks": {"Preparation": 3, "Promise": 2}, "reason": "x"}
    fall = f"{V1}/cycles/fall"
    for method, path, body in (
        ("POST", "proposed-requests/approve", {"requests": [task.pull_id]}),
        ("POST", "proposed-requests/strike", {"requests": [task.pull_id], "reason": "x"}),
        ("POST", f"scores/{task.id}/correction", correction),
        ("POST", f"scores/{task.id}/admission", {"reason": "x"}),
        ("POST", "scores/void", {"scores": [task.id], "reason": "x"}),
        ("PUT", f"interviews/{task.pull_id}", {"starts_at": "2027-01-01T10:00:00Z"}),
        ("DELETE", f"interviews/{task.pull_id}", None),
    ):
        answer = mine.request(method, f"{fall}/{path}", json=body)
        assert answer.status_code == 404, (method, path, answer.text)


# Reviewers


def test_a_reviewer_sees_own_tasks_by_code_and_neither_ids_nor_names_nor_others_marks(
    site: Site,
) -> None:
    site.launched()
    _, task = site.assigned()
    number = task.reviewer
    reviewer = next(r for r in site.product.reviewers.list("fall") if r.number == number)
    api = program(site, None, email=reviewer.email, scopes=("review",))

    listed = api.get(f"{V1}/tasks")
    assert listed.json()["items"]
    for item in listed.json()["items"]:
        opened = api.get(f"{V1}/tasks/{item['task']}")
        for text in (listed.text, opened.text):
            assert ":review:" not in text, "an id tells in which order somebody was asked about"
            assert "Applicant" not in text, "the program is blind"
            assert "@example.com" not in text
            assert "estimate" not in text


def test_somebody_elses_task_is_not_there(site: Site) -> None:
    site.launched()
    _, task = site.assigned()

    others = [r for r in site.product.reviewers.list("fall") if r.number != task.reviewer]
    other = program(site, None, email=others[0].email, scopes=("review",))
    staff = program(site, Role.ADMINISTRATOR)
    for client in (other, staff):
        code = site.product.tasks.code(task.id)
        for name in (code, task.id, "fall:0123456789abcdef", "nowhere:0123456789abcdef"):
            assert client.get(f"{V1}/tasks/{name}").status_code == 404
            assert client.post(f"{V1}/tasks/{name}/review", json=GOOD).status_code == 404
    assert site.product.scores.list("fall") == ()


def reviewing(site: Site) -> tuple[TestClient, str]:
    site.launched()

    _, task = site.assigned()
    reviewer = next(r for r in site.product.reviewers.list("fall") if r.number == task.reviewer)
    client = program(site, None, email=reviewer.email, scopes=("review",))
    return client, site.product.tasks.code(task.id)


def test_a_review_is_stored_once_and_corrected_in_place(site: Site) -> None:
    api, task = reviewing(site)
    first = api.post(f"{V1}/tasks/{task}/review", json=GOOD).json()
    again = api.post(f"{V1}/tasks/{task}/review", json=GOOD).json()
    lower = {**GOOD, "marks": {"Preparation": 1, "Promise": 1}}
    other = api.post(f"{V1}/tasks/{task}/review", json=lower)
    top = {**GOOD, "marks": {"Preparation": 4, "Promise": None}}
    corrected = api.put(f"{V1}/tasks/{task}/review", json=top)

    assert (first["repeated"], again["repeated"]) == (False, True)
    assert first["number"] == again["number"]
    assert other.status_code == 409
    assert corrected.json()["score"] == 100
    assert {s.assignment_id for s in site.product.scores.list("fall")} != set()


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"marks": {"Preparation": 3}},
        {"marks": {"Preparation": 9, "Promise": 2}},
        {"marks": {"Preparation": 3, "Promise": 2, "Other": 1}},
        {"marks": {"Preparation": None, "Promise": None}},
        {"marks": {"Preparation": "3x", "Promise": 2}},
        {"score": 50},
        {**GOOD, "score": 50},
        {**GOOD, "remark": "a\x00b"},
        {**GOOD, "remark": "x" * 8001},
        {**GOOD, "extra": 1},
    ],
)
def test_a_review_that_cannot_be_used_is_refused_and_nothing_is_stored(
    site: Site, bad: dict[str, Any]
) -> None:
    api, task = reviewing(site)
    refused = api.post(f"{V1}/tasks/{task}/review", json=bad)
    assert refused.status_code == 422
    assert refused.json()["detail"]
    assert site.product.scores.list("fall") == ()


@pytest.mark.parametrize(
    "body",
    [
        b'{"marks": {"\\ud800": 1}}',
        b'{"remark": "\\ud800"}',
        b'{"marks": {"Preparation": NaN, "Promise": Infinity}}',
        b'{"marks": {"Preparation": 1e999, "Promise": 2}}',
        b'{"score": ' + b"9" * 5000 + b"}",
        b"[" * 50_000,
        b'{"a":' * 50_000,
        b"\xff\xfe",
        b"",
        b"null",
        b"{",
    ],
)
def test_a_body_that_is_no_json_or_hardly_any_is_refused_politely(site: Site, body: bytes) -> None:
    api, task = reviewing(site)
    refused = api.post(
        f"{V1}/tasks/{task}/review", content=body, headers={"Content-Type": "application/json"}
    )
    assert refused.status_code in {400, 422}
    assert refused.headers["content-type"] == "application/problem+json"
    assert site.product.scores.list("fall") == ()


def test_a_stale_draft_is_refused(site: Site) -> None:
    api, task = reviewing(site)
    first = api.put(f"{V1}/tasks/{task}/draft", json={"version": 0, "body": {"remark": "one"}})
    stale = api.put(f"{V1}/tasks/{task}/draft", json={"version": 0, "body": {"remark": "two"}})
    assert first.json()["version"] == 1
    assert stale.status_code == 409
    assert api.get(f"{V1}/tasks/{task}").json()["draft"]["body"] == {"remark": "one"}


# Sent twice


def test_a_write_that_is_sent_twice_under_a_key_is_done_once_and_answered_alike(
    site: Site,
) -> None:
    site.launched()
    api = program(site)
    staff_request = {"kind": "review", "reason": "a second look"}
    key = {"Idempotency-Key": "k-1"}
    first = api.post(f"{V1}/cycles/fall/applicants/0/requests", json=staff_request, headers=key)
    again = api.post(f"{V1}/cycles/fall/applicants/0/requests", json=staff_request, headers=key)
    other = api.post(f"{V1}/cycles/fall/applicants/1/requests", json=staff_request, headers=key)

    assert (first.status_code, first.content) == (again.status_code, again.content)
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert other.status_code == 422
    assert len(site.product.context.ledger.wishes("fall")) == 1


def test_a_refusal_is_repeated_too_and_a_lack_of_rights_is_not_kept(site: Site) -> None:
    site.launched()
    api = program(site)
    key = {"Idempotency-Key": "k-2"}
    first = api.post(f"{V1}/cycles/fall/launch", headers=key)
    again = api.post(f"{V1}/cycles/fall/launch", headers=key)
    assert first.status_code == 422
    assert (again.status_code, again.json()) == (422, first.json())
    assert again.headers["content-type"] == "application/problem+json"

    observer = program(site, Role.OBSERVER)
    held = {"Idempotency-Key": "k-3"}
    assert observer.post(f"{V1}/cycles/fall/pause", json={}, headers=held).status_code == 403
    account = site.account("observer@example.org")
    site.office.users.grant(account, Role.OPERATIONS, Scope.OFFICE, by="test")
    assert observer.post(f"{V1}/cycles/fall/pause", json={}, headers=held).status_code == 200


def test_keys_of_different_people_do_not_meet(site: Site) -> None:
    site.launched()
    key = {"Idempotency-Key": "same"}
    one, two = program(site), program(site, Role.OPERATIONS)
    assert one.post(f"{V1}/cycles/fall/pause", json={}, headers=key).status_code == 200
    resumed = two.post(f"{V1}/cycles/fall/resume", json={}, headers=key)
    assert resumed.status_code == 200


def test_the_same_request_while_it_is_carried_out_is_told_to_wait(site: Site) -> None:
    site.launched()
    api = program(site)
    account = site.account("administrator@example.org")
    digest = _digest_of("POST", f"{V1}/cycles/fall/launch", b"")
    reserve(site, account.id, "k-4", digest)
    waiting = api.post(f"{V1}/cycles/fall/launch", headers={"Idempotency-Key": "k-4"})
    assert waiting.status_code == 409


def test_a_request_whose_process_died_is_taken_over_after_a_minute(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.launched(launch=False)
    api = program(site)
    account = site.account("administrator@example.org")
    reserve(site, account.id, "k-5", _digest_of("POST", f"{V1}/cycles/fall/launch", b""))
    monkeypatch.setattr(idempotency, "TAKEN_OVER_AFTER", timedelta(0))
    done = api.post(f"{V1}/cycles/fall/launch", headers={"Idempotency-Key": "k-5"})
    assert done.status_code == 200
    assert site.product.cycles.get("fall").status.value == "running"


def test_a_new_key_is_not_kept_with_what_was_answered(site: Site) -> None:
    person = site.signed_in(Role.OPERATIONS)
    wanted = {"name": "export", "scopes": ["read"]}
    key = {"Idempotency-Key": "k-6"}
    first = person.post(f"{V1}/keys", json=wanted, headers=key)
    again = person.post(f"{V1}/keys", json=wanted, headers=key)
    assert first.json()["key"].startswith("sf_")
    assert again.json() == {**first.json(), "key": None}
    assert len(site.office.context.ledger.tokens()) == 1


def reserve(site: Site, account: str, key: str, digest: str) -> None:
    day, minute = timedelta(days=1), timedelta(minutes=1)
    assert (
        site.office.context.ledger.begin_request(
            account, key, digest, taken_over_after=minute, kept_for=day
        )
        is None
    )


def _digest_of(method: str, path: str, body: bytes) -> str:
    return hashlib.sha256(f"{method} {path}?\n".encode() + body).hexdigest()


# Pages of lists


def test_a_list_is_read_in_pages_that_rows_coming_in_do_not_move(site: Site) -> None:
    site.launched(launch=False, applicants=7)
    api = program(site)
    seen: list[str] = []
    address: str | None = f"{V1}/cycles/fall/applicants?limit=3"
    while address:
        page = api.get(address)
        seen += [row["external_id"] for row in page.json()["items"]]
        address = page.links["next"]["url"] if "next" in page.links else None
        assert (address is None) == (page.json()["next"] is None)
        if len(seen) == 3:
            extra = {"applicants": [{"external_id": "LATE"}]}
            api.post(f"{V1}/cycles/fall/applicants", json=extra)
    assert seen == [*(f"A{n:03d}" for n in range(1, 8)), "LATE"]


def test_the_record_is_read_whole_in_pages(site: Site) -> None:
    site.launched()
    api = program(site)
    numbers: list[int] = []
    cursor = ""
    while True:
        page = api.get(f"{V1}/cycles/fall/events", params={"limit": 5, "cursor": cursor}).json()
        numbers += [row["number"] for row in page["items"]]
        if page["next"] is None:
            break
        cursor = page["next"]
    assert numbers == [event.position.seq for event in site.product.reports.events("fall")]


@pytest.mark.parametrize("cursor", ["x", "bnVsbA", "WzFd!", "W10", "WyJhIl0", "WzFlOTk5XQ", "é"])
def test_a_cursor_that_no_list_gave_is_refused(site: Site, cursor: str) -> None:
    site.launched(launch=False)
    refused = program(site).get(f"{V1}/cycles/fall/applicants", params={"cursor": cursor})
    assert refused.status_code == 422
    assert "cursor" in refused.json()["detail"]


# Webhooks


def test_webhooks_are_made_by_whoever_sets_up_and_seen_by_nobody_else(site: Site) -> None:
    site.launched()
    site.launched("other")
    office = program(site)
    fall = program(site, Role.OPERATIONS, email="fall@example.org", cycle="fall")
    wanted = {"url": "https://example.org/hook", "events": ["score.received"]}

    made = fall.post(f"{V1}/webhooks", json={**wanted, "program": "fall"})
    assert made.status_code == 201
    assert made.json()["secret"].startswith("whsec_")
    assert fall.post(f"{V1}/webhooks", json=wanted).status_code == 403
    assert fall.post(f"{V1}/webhooks", json={**wanted, "program": "other"}).status_code == 404
    everywhere = office.post(f"{V1}/webhooks", json=wanted).json()["id"]

    assert [row["id"] for row in fall.get(f"{V1}/webhooks").json()["items"]] == [made.json()["id"]]
    assert fall.get(f"{V1}/webhooks/{everywhere}").status_code == 404
    assert fall.delete(f"{V1}/webhooks/{everywhere}").status_code == 404
    assert "secret" not in fall.get(f"{V1}/webhooks/{made.json()['id']}").json()
    assert fall.delete(f"{V1}/webhooks/{made.json()['id']}").status_code == 204


@pytest.mark.parametrize(
    "url", ["http://example.org/", "https://10.0.0.1/", "https://127.0.0.1/", "nothing", ""]
)
def test_a_webhook_leads_to_no_address_behind_the_wall(site: Site, url: str) -> None:
    wanted = {"url": url, "events": ["score.received"]}
    assert program(site).post(f"{V1}/webhooks", json=wanted).status_code == 422
    assert site.office.webhooks.list() == ()


# The keys' page


def test_a_key_is_made_at_the_screen_and_shown_this_once(site: Site) -> None:
    person = site.signed_in(email="r1@example.org", method=Method.LINK)
    page = person.post("/me/keys", data={"name": "my script", "scopes": ["review"], "days": "30"})
    assert page.status_code == 200
    key = page.text.split('value="sf_')[1].split('"')[0]
    assert key not in person.get("/me/keys").text
    assert "my script" in person.get("/me/keys").text

    refused = person.post("/me/keys", data={"name": "  ", "scopes": ["all"], "days": "9"})
    assert refused.status_code == 422
    assert refused.text.count('class="problem"') == 3
    assert len(site.office.context.ledger.tokens()) == 1

    made = site.office.context.ledger.tokens()[0]
    stranger = site.signed_in(Role.ADMINISTRATOR)
    assert stranger.post(f"/me/keys/{made.id}/revoke").status_code == 404
    assert person.post(f"/me/keys/{made.id}/revoke").status_code == 303
    assert site.office.context.ledger.tokens()[0].revoked_at is not None


def test_a_refusal_names_its_code_and_what_it_is_about(site: Site) -> None:
    site.launched()
    client = program(site)

    missing = client.get(f"{V1}/cycles/nowhere")
    malformed = client.post(f"{V1}/cycles", json={"id": 3})
    stranger = program(site, None, email="stranger@example.org").get(f"{V1}/cycles/fall")
    me = client.get(f"{V1}/me").json()

    problem = missing.json()
    assert (problem["code"], problem["params"]) == ("program_not_visible", {"program": "nowhere"})
    assert problem["detail"] == "there is no program 'nowhere' that you may see"
    assert (malformed.json()["code"], malformed.json()["params"]) == ("request_malformed", {})
    assert stranger.json()["code"] == "program_not_visible"
    assert "see_progress" in me["permissions"]
    assert "see how a program stands" in me["rights"]
