"""The JSON API: its description, whose is what, and the whole way of a program."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from swapflow.files.rules.rules_file import rules_text
from swapflow.identity.permissions import Role
from swapflow.web.api import openapi
from tests.web.api.programs import GOOD, V1, program
from tests.web.site import SITE_RULES, Site


NAMED_ALIKE = {
    *((method, f"{V1}/cycles/{{cycle_id}}/interviews/import") for method in ("put", "delete")),
    ("put", f"{V1}/rounds/{{round_id}}/retention/delete-due"),
}
"""A request's id is any text, so this may be one; a number may not. So is a kind of data."""


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


# Staff


def test_a_whole_program_is_run_by_the_api_alone(site: Site) -> None:
    api = program(site)
    assert api.post(f"{V1}/rounds", json={"id": "r27", "name": "2027"}).status_code == 201
    rules = _rules()
    made = api.post(f"{V1}/cycles", json={"id": "ms", "round": "r27", "rules": rules})
    assert made.status_code == 201, made.text
    people = [{"external_id": f"A{n}", "name": f"Name {n}"} for n in range(6)]
    added = api.post(f"{V1}/cycles/ms/applicants", json={"applicants": people})
    assert added.json() == {"count": 6, "held": []}
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
    proposal = api.get(f"{V1}/cycles/ms/proposal").json()
    assert len(proposal["places"]) == 6
    lacking = [p["external_id"] for p in proposal["places"] if p["reviews_missing"]]
    assert [(c["name"], c["met"], c["applicants"]) for c in proposal["checks"]] == [
        ("floors", not lacking, lacking),
        ("limits", True, []),
    ]
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
            assert not re.search(r"Applicant \d{1,3}\b|A0\d\d", text), "the program is blind"
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
    assert (other.status_code, other.json()["code"]) == (409, "assignment_answered")
    assert task in other.json()["title"] + other.json().get("detail", "")
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


# Due times


def test_a_due_time_is_told_to_the_minute_and_shows_no_order_of_requests(site: Site) -> None:
    site.launched(applicants=6)
    _, task = site.assigned()
    known = next(r for r in site.product.reviewers.list("fall") if r.number == task.reviewer)
    reviewer = program(site, None, email=known.email, scopes=("review",))

    rows = reviewer.get(f"{V1}/tasks").json()["items"]
    rows += [reviewer.get(f"{V1}/tasks/{row['task']}").json() for row in rows]
    rows += program(site).get(f"{V1}/cycles/fall/reviewers/{known.number}/tasks").json()["items"]

    assert len(rows) > 3
    for row in rows:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:00(Z|\+00:00)", row["due_at"]), row


def test_the_list_of_tasks_does_not_follow_the_order_of_requests(site: Site) -> None:
    site.launched(applicants=12, roster=2)
    _, task = site.assigned()
    known = next(r for r in site.product.reviewers.list("fall") if r.number == task.reviewer)
    seats = site.product.tasks.seats([("fall", known.number)])
    tasks = site.product.tasks.list(seats).tasks

    assert len(tasks) > 3
    places = [
        (one.due_at and one.due_at.replace(second=0, microsecond=0), one.code) for one in tasks
    ]
    assert places == sorted(places)


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


# Refusals


def test_a_refusal_names_its_code_and_what_it_is_about(site: Site) -> None:
    site.launched()
    client = program(site)

    missing = client.get(f"{V1}/cycles/nowhere")
    malformed = client.post(f"{V1}/cycles", json={"id": 3})
    stranger = program(site, None, email="stranger@example.org").get(f"{V1}/cycles/fall")
    me = client.get(f"{V1}/me").json()

    problem = missing.json()
    assert (problem["code"], problem["params"]) == ("program_not_visible", {"program": "nowhere"})
    assert problem["detail"] == "there is no program “nowhere” that you may see"
    assert (malformed.json()["code"], malformed.json()["params"]) == ("request_malformed", {})
    assert stranger.json()["code"] == "program_not_visible"
    assert "see_progress" in me["permissions"]
    assert "see how far a program is" in me["rights"]
