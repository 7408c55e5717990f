"""A typed review is never lost and never doubled, and shows nobody what they may not see."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus
from swapflow.domain.rules import KindRules
from swapflow.engine.reviewing.documents import DocumentUpload
from swapflow.identity.permissions import Role
from swapflow.ledger.schema.base import METADATA
from tests.web.forms import revision_in
from tests.web.site import SITE_RULES, Site


GOOD = {"c0": "3", "c1": "3", "remark": "Well prepared."}
PDF = b"%PDF-1.4\n%%EOF\n"


def task_of(site: Site, **changes: object) -> tuple[TestClient, Assignment, str]:
    rules = replace(SITE_RULES, **changes)  # type: ignore[arg-type]  # tests name fields
    site.launched(rules=rules)
    client, assignment = site.assigned()
    return client, assignment, f"/tasks/{site.product.tasks.code(assignment.id)}"


def dump(site: Site) -> dict[str, list[tuple[object, ...]]]:
    """Every row of the record, but for when devices were last used."""
    seen = {}
    with site.ledger._database.reading() as connection:
        for table in METADATA.sorted_tables:
            if table.name not in {"session", "account"}:
                rows = connection.execute(select(table)).all()
                seen[table.name] = sorted((tuple(row) for row in rows), key=repr)
    return seen


# Submitting


def test_what_is_submitted_is_stored_and_echoed(site: Site) -> None:
    client, assignment, task = task_of(site)

    answer = client.post(task, data=GOOD | {"then": "stay", "note0": "strong maths"})
    page = client.get(answer.headers["location"]).text

    given = site.product.tasks.score(assignment.id)
    assert given is not None
    assert given.marks == {"Preparation": 3.0, "Promise": 3.0}
    assert given.notes == {"criterion:Preparation": "strong maths"}
    assert f"{given.score.value / 10_000:.0f} of 100" in page
    assert "Well prepared." in page
    assert "strong maths" in page


def test_submit_and_next_leads_to_the_next_task_and_echoes_the_last(site: Site) -> None:
    client, _, task = task_of(site)

    answer = client.post(task, data=GOOD | {"then": "next"})

    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/tasks/fall:")
    assert "of 100 for Applicant " in client.get(answer.headers["location"]).text


def test_a_receipt_names_the_deadline_until_it_has_passed(site: Site) -> None:
    client, _, task = task_of(site, deadline=site.ledger.now() + timedelta(days=3))
    client.post(task, data=GOOD | {"then": "stay"})

    assert "planned after" in client.get(f"{task}/receipt").text
    site.later(4 * 86_400)
    page = client.get(f"{task}/receipt").text
    assert "planned after" not in page
    assert "You can change it until the decision is final." in page


def test_a_double_submit_gives_the_same_receipt_and_one_score(site: Site) -> None:
    client, assignment, task = task_of(site)

    first = client.post(task, data=GOOD | {"then": "stay"})
    second = client.post(task, data=GOOD | {"then": "stay"})

    assert first.headers["location"] == second.headers["location"]
    scores = [s for s in site.product.scores.list("fall") if s.assignment_id == assignment.id]
    assert [s.revision for s in scores] == [1]


def test_a_stale_tab_cannot_overwrite_what_was_submitted(site: Site) -> None:
    client, assignment, task = task_of(site)
    client.post(task, data=GOOD | {"then": "stay"})

    stale = client.post(task, data={"c0": "1", "c1": "1", "then": "stay"})

    assert stale.status_code == 409
    assert assignment.id not in stale.text
    given = site.product.tasks.score(assignment.id)
    assert given is not None
    assert given.marks["Preparation"] == 3.0


def test_a_missing_mark_is_said_beside_its_row_and_nothing_typed_is_lost(site: Site) -> None:
    client, assignment, task = task_of(site)

    answer = client.post(task, data={"c0": "2", "remark": "مرحبا 🎓", "then": "next"})

    assert answer.status_code == 422
    assert 'id="c1-problem"' in answer.text
    assert "مرحبا 🎓" in answer.text
    assert re.search(r'value="2" autocomplete="off"[^>]* checked', answer.text)
    assert site.product.tasks.score(assignment.id) is None


def test_all_not_applicable_is_refused_and_one_mark_suffices(site: Site) -> None:
    client, assignment, task = task_of(site)

    assert client.post(task, data={"c0": "na", "c1": "na"}).status_code == 422
    assert client.post(task, data={"c0": "na", "c1": "3"}).status_code == 303
    given = site.product.tasks.score(assignment.id)
    assert given is not None
    assert given.marks == {"Preparation": None, "Promise": 3.0}


@pytest.mark.parametrize("bad", ["", "101", "-1", "nan", "inf", "many"])
def test_a_kind_without_a_form_takes_a_number_from_0_to_100(site: Site, bad: str) -> None:
    client, assignment, task = task_of(site, rubrics=())

    assert client.post(task, data={"score": bad}).status_code == 422
    assert site.product.tasks.score(assignment.id) is None
    assert client.post(task, data={"score": "70,5"}).status_code == 303
    given = site.product.tasks.score(assignment.id)
    assert given is not None
    assert given.score.value == 705_000


def test_control_characters_and_endless_texts_are_refused(site: Site) -> None:
    client, assignment, task = task_of(site)

    for remark in ("a\x07b", "x" * 8001):
        assert client.post(task, data=GOOD | {"remark": remark}).status_code == 422
    assert site.product.tasks.score(assignment.id) is None


def test_a_late_answer_is_still_taken(site: Site) -> None:
    client, assignment, task = task_of(site)
    site.later(15 * 86_400)
    site.turn()
    assert site.product.context.ledger.assignment(assignment.id).status is AssignmentStatus.EXPIRED

    assert "overdue" in client.get(task).text
    assert client.post(task, data=GOOD | {"then": "stay"}).status_code == 303
    assert site.product.tasks.score(assignment.id) is not None


def test_an_answer_is_corrected_on_the_same_page_until_the_decision(site: Site) -> None:
    client, assignment, task = task_of(site)
    client.post(task, data=GOOD | {"then": "stay"})

    page = client.get(f"{task}?correct=1").text
    revision = revision_in(page, f"{task}/correct")
    answer = client.post(f"{task}/correct", data=GOOD | {"c1": "1", "revision": revision})

    assert "Well prepared." in page
    assert answer.headers["location"] == f"{task}/receipt"
    given = site.product.tasks.score(assignment.id)
    assert given is not None
    assert given.marks["Promise"] == 1.0
    assert (given.score.revision, given.score.counts) == (2, True)


# Drafts


def test_a_draft_is_kept_and_found_again_and_gone_once_submitted(site: Site) -> None:
    client, assignment, task = task_of(site)

    saved = client.post(f"{task}/draft", json={"version": 0, "body": {"remark": "half a"}})

    assert saved.json()["version"] == 1
    assert "half a" in client.get(task).text
    assert "Draft" in client.get("/inbox").text
    client.post(task, data=GOOD | {"then": "stay"})
    assert site.product.context.ledger.drafts([assignment.id]) == {}


def test_a_draft_from_a_second_tab_is_refused_with_both_texts(site: Site) -> None:
    client, _, task = task_of(site)
    client.post(f"{task}/draft", json={"version": 0, "body": {"remark": "first tab"}})

    stale = client.post(f"{task}/draft", json={"version": 0, "body": {"remark": "second tab"}})
    by_form = client.post(task, data={"version": "0", "remark": "second tab", "then": "draft"})

    assert stale.status_code == 409
    assert stale.json()["body"] == {"remark": "first tab"}
    assert by_form.status_code == 409
    assert "first tab" in by_form.text
    assert "second tab" in by_form.text


def test_the_same_draft_sent_twice_is_saved_once(site: Site) -> None:
    client, _, task = task_of(site)
    draft = {"version": 0, "body": {"remark": "same"}}

    versions = [client.post(f"{task}/draft", json=draft).json()["version"] for _ in range(2)]

    assert versions == [1, 1]


def test_an_ended_session_answers_401_and_the_same_draft_is_taken_afterwards(site: Site) -> None:
    client, assignment, task = task_of(site)
    cookies = dict(client.cookies)
    client.cookies.clear()
    draft = {"version": 0, "body": {"remark": "typed while signed out"}}

    assert client.post(f"{task}/draft", json=draft).status_code == 401
    assert client.post(task, data=GOOD).status_code == 401
    client.cookies.update(cookies)

    assert client.post(f"{task}/draft", json=draft).status_code == 200
    assert site.product.tasks.score(assignment.id) is None


@pytest.mark.parametrize(
    "body", [b"[]", b"{", b'{"version": 0}', b'{"version": 0, "body": {"a": 1}}']
)
def test_what_is_no_draft_is_refused(site: Site, body: bytes) -> None:
    client, _, task = task_of(site)
    client.headers["Content-Type"] = "application/json"

    assert client.post(f"{task}/draft", content=body).status_code == 422


# Nothing happens by looking


def test_looking_changes_nothing(site: Site) -> None:
    client, _, task = task_of(site)
    before = dump(site)

    for path in ("/inbox", task, f"{task}/decline", f"{task}/receipt", f"{task}?after=fall:x"):
        client.get(path)

    assert dump(site) == before


def test_declining_needs_a_press_of_the_button(site: Site) -> None:
    client, assignment, task = task_of(site)

    assert client.get(f"{task}/decline").status_code == 200
    assert site.product.context.ledger.assignment(assignment.id).status.is_open
    assert client.post(f"{task}/decline", data={"kind": "sideways"}).status_code == 422
    assert client.post(f"{task}/decline", data={"kind": "busy"}).status_code == 422
    done = client.post(f"{task}/decline", data={"kind": "conflict", "reason": "my cousin"})

    assert done.status_code == 303
    status = site.product.context.ledger.assignment(assignment.id).status
    assert status is AssignmentStatus.DECLINED


def test_opening_is_noted_by_a_press_and_pins_the_form(site: Site) -> None:
    client, assignment, task = task_of(site)

    assert client.post(f"{task}/open").status_code == 204

    opened = site.product.context.ledger.assignment(assignment.id)
    assert (opened.status, opened.rubric_version) == (AssignmentStatus.OPENED, 1)


# Who sees what


def test_a_task_of_somebody_else_is_not_there_at_all(site: Site) -> None:
    client, assignment, task = task_of(site)
    others = [r for r in site.product.reviewers.list("fall") if r.number != assignment.reviewer]
    stranger = site.signed_in(email=others[0].email)

    for path in ("", "/decline", "/receipt", "/files/1", "/invitation.ics"):
        assert stranger.get(task + path).status_code == 404
    for path in ("", "/open", "/skip", "/decline", "/missed", "/correct"):
        assert stranger.post(task + path, data=GOOD).status_code == 404
    assert site.signed_in(Role.ADMINISTRATOR).get(task).status_code == 404
    assert client.get(task).status_code == 200


def test_no_page_of_a_reviewer_holds_an_assignment_id(site: Site) -> None:
    client, assignment, task = task_of(site)

    pages = [client.get("/inbox"), client.get(task), client.get(f"{task}/decline")]
    client.post(task, data=GOOD | {"then": "stay"})
    pages.append(client.get(f"{task}/receipt"))

    assert all(page.status_code == 200 for page in pages)
    assert not any(assignment.pull_id in page.text for page in pages)


def test_a_blind_round_shows_neither_name_nor_address(site: Site) -> None:
    client, assignment, task = task_of(site, blind=True)
    name = site.product.context.ledger.application("fall", assignment.application).name

    text = client.get("/inbox").text + client.get(task).text

    # As a whole: the number that is shown instead may begin with the same digits.
    assert not re.search(rf"{re.escape(name)}\b", text)
    assert "@example.com" not in text


def test_an_open_round_shows_the_name(site: Site) -> None:
    client, assignment, task = task_of(site, blind=False)
    name = site.product.context.ledger.application("fall", assignment.application).name

    assert name in client.get(task).text
    assert name in client.get("/inbox").text


@pytest.mark.parametrize("blind", [True, False])
def test_a_blind_round_shows_redacted_files_only_under_neutral_names(
    site: Site, *, blind: bool
) -> None:
    client, assignment, task = task_of(site, blind=blind)
    external_id = site.product.context.ledger.application(
        "fall", assignment.application
    ).external_id
    open_, hidden = f"{external_id}_Ada_Lovelace.pdf", f"{external_id}_portrait.pdf"
    site.product.applicants.attach_documents(
        "fall", [DocumentUpload(path=open_, body=PDF)], redacted=True
    )
    site.product.applicants.attach_documents(
        "fall", [DocumentUpload(path=hidden, body=PDF)], redacted=False
    )

    page = client.get(task).text
    file = client.get(f"{task}/files/1")

    assert (open_ in page, hidden in page) == (not blind, not blind)
    assert client.get(f"{task}/files/2").status_code == (404 if blind else 200)
    assert file.content == PDF
    assert file.headers["content-type"] == "application/pdf"
    assert file.headers["content-disposition"] == 'inline; filename="file-1.pdf"'
    assert file.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in file.headers["content-security-policy"]


def test_what_was_typed_is_never_taken_for_markup(site: Site) -> None:
    client, _, task = task_of(site)

    client.post(f"{task}/draft", json={"version": 0, "body": {"remark": "</textarea><b>x"}})

    assert "</textarea><b>x" not in client.get(task).text


# Kinds with more to say


KIT = KindRules(
    name="review",
    cost=1,
    gain=1.0,
    maximum=4,
    guidance="Read the essay twice.",
    questions=("Why here?", "What would you build?"),
    confidence=True,
    link="https://files.example.edu/{external_id}",
)


def test_a_kit_asks_its_questions_and_keeps_every_note(site: Site) -> None:
    client, assignment, task = task_of(site, kinds=(KIT,))
    page = client.get(task).text

    client.post(
        task,
        data=GOOD
        | {"question2": "A bridge", "recommendation": "strong yes", "confidence": "4"}
        | {"private": "late by ten minutes", "then": "stay"},
    )

    assert "Read the essay twice." in page
    assert "2. What would you build?" in page
    assert "https://files.example.edu/A0" in page
    given = site.product.tasks.score(assignment.id)
    assert given is not None
    assert given.notes == {
        "question:2": "A bridge",
        "recommendation": "strong yes",
        "confidence": "4",
        "private": "late by ten minutes",
    }
    assert "late by ten minutes" in client.get(f"{task}?correct=1").text


# Staff who type for a reviewer


def test_staff_enter_a_review_under_both_names(site: Site) -> None:
    _, assignment, task = task_of(site)
    staff = site.signed_in(Role.OPERATIONS)
    path = f"/reviewers/fall/{assignment.reviewer}{task}"

    assert staff.get(path).status_code == 200
    assert staff.post(path, data={"c0": "9"}).status_code == 422
    assert staff.post(path, data=GOOD).status_code == 303

    given = site.product.tasks.score(assignment.id)
    assert given is not None
    assert given.score.typed_by == "operations@example.org"
    assert site.signed_in(Role.OBSERVER).get(path).status_code == 403
