"""What staff see of reviewers, and what they may do about them."""

from dataclasses import replace
from datetime import timedelta

import pytest
from starlette.testclient import TestClient

from swapflow.domain.event import EventType
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.domain.reviewing.score import Answer
from swapflow.identity.account import Method
from swapflow.identity.permissions import Role
from tests.engine.cycle_by_hand import reviewer
from tests.web.api.programs import V1, program
from tests.web.everyone import busy
from tests.web.site import Site


HERE = "/reviewers/fall/0"


def staff(site: Site) -> TestClient:
    return busy(site).signed_in(Role.ADMINISTRATOR)


@pytest.mark.parametrize(
    "bad", ["", "   ", "x" * 3000, "a\x07b"], ids=["none", "blank", "long", "control"]
)
@pytest.mark.parametrize("what", ["release", "leave", "void", "reassign", "reviews/void"])
def test_a_refused_reason_comes_back_beside_its_field_with_what_was_typed(
    site: Site, what: str, bad: str
) -> None:
    client = staff(site)
    task = site.product.reports.waiting_for("fall", 0)[0].id
    if what == "reviews/void":
        task = site.product.reports.reviews_by("fall", 0)[0].id
    before = site.product.cycles.get("fall").position

    page = client.post(f"{HERE}/{what}", data={"reason": bad, "task": task})

    assert page.status_code == 422
    assert "<h1>Reviewer 1</h1>" in page.text
    assert page.text.count('aria-invalid="true"') == 1
    assert 'class="problem"' in page.text
    assert f'value="{bad}"' in page.text
    assert site.product.cycles.get("fall").position == before


def test_one_review_is_voided_and_the_others_stand(site: Site) -> None:
    client = staff(site)
    first, second = (one.id for one in site.product.reports.reviews_by("fall", 0)[:2])

    answer = client.post(
        f"{HERE}/reviews/void", data={"task": first, "reason": "a mix-up", "revision": "1"}
    )

    assert answer.status_code == 303
    counting = {s.assignment_id for s in site.product.scores.list("fall") if s.counts}
    standing = {a: site.product.tasks.score(a) for a in (first, second)}
    assert second in counting
    assert [given is not None and given.score.counts for given in standing.values()] == [
        False,
        True,
    ]
    page = client.get(HERE).text
    assert "does not count" in page
    assert page.count("Void this review") == len(site.product.reports.reviews_by("fall", 0)) - 1


def test_somebody_elses_review_is_not_voided_from_this_page(site: Site) -> None:
    client = staff(site)
    other = site.product.reports.reviews_by("fall", 1)[0].id

    page = client.post(f"{HERE}/reviews/void", data={"task": other, "reason": "no"})

    assert page.status_code == 422
    given = site.product.tasks.score(other)
    assert given is not None
    assert given.score.counts


def test_a_pause_keeps_new_requests_away_and_can_be_taken_back(site: Site) -> None:
    client = staff(site)
    today = site.product.cycles.now().date()
    days = {"first": today.isoformat(), "last": (today + timedelta(days=9)).isoformat()}

    assert client.post(f"{HERE}/away", data=days).status_code == 303
    site.turn()
    assert "paused until" in client.get("/reviewers/fall").text
    assert len(site.product.reviewers.list("fall")[0].absences) == 1
    assert client.post(f"{HERE}/back", data=days).status_code == 303
    assert site.product.reviewers.list("fall")[0].absences == ()


@pytest.mark.parametrize(
    ("first", "last", "field"),
    [
        ("soon", "2031-01-02", "first"),
        ("2031-01-02", "never", "last"),
        ("2031-01-02", "2031-01-01", "last"),
    ],
)
def test_days_that_cannot_be_are_refused_beside_their_field(
    site: Site, first: str, last: str, field: str
) -> None:
    page = staff(site).post(f"{HERE}/away", data={"first": first, "last": last})

    assert page.status_code == 422
    assert f'id="away-{field}-problem"' in page.text
    assert f'value="{first}"' in page.text
    assert site.product.reviewers.list("fall")[0].absences == ()


def test_what_was_not_begun_is_taken_back_and_what_was_begun_stays(site: Site) -> None:
    client = staff(site)
    kept, *rest = site.product.reports.waiting_for("fall", 0)
    site.product.tasks.open(kept.id)

    assert client.post(f"{HERE}/release", data={"reason": "on leave"}).status_code == 303

    left = {a.id for a in site.product.reports.waiting_for("fall", 0)}
    assert kept.id in left
    assert left.isdisjoint(a.id for a in rest)


def test_a_second_reminder_on_one_day_is_refused_on_the_page(site: Site) -> None:
    client = staff(site)

    assert client.post(f"{HERE}/nudge").status_code == 303
    site.later(11)  # sooner, it would be the same press
    again = client.post(f"{HERE}/nudge")

    assert again.status_code == 409
    assert "asked today already" in again.text
    assert "<h1>Reviewer 1</h1>" in again.text


def test_a_reviewer_who_marks_higher_is_shown_as_more_generous(site: Site) -> None:
    site.launched(applicants=12, roster=3)
    with site.ledger.write("fall") as tx:
        # As programs that were launched before rules said how such figures are told.
        old = replace(tx.rules(), reviewer_figures=None, version=tx.cycle.rules_version + 1)
        tx.set_rules(old, by="x", reason="")
        tx.record(EventType.RULES_CHANGED, {"rules": old.version})
    for _ in range(4):
        for known in site.product.reviewers.list("fall"):
            high = known.number == 0
            for task in site.product.tasks.inbox("fall", known.external_id):
                marks: dict[str, float | None] = {
                    "Preparation": 4.0 if high else 1.0 + task.application % 2,
                    "Promise": 3.0 if high else 1.0,
                }
                site.product.tasks.submit([Answer(assignment_id=task.id, marks=marks)])
        site.turn()

    dashboard, _ = site.product.reports.dashboard("fall")
    table = site.signed_in(Role.OPERATIONS).get("/reviewers/fall").text

    assert dashboard.severity.severity.argmax() == 0
    assert "Marks high or low" in table
    assert " ± " in table


def test_last_seen_comes_from_sign_in_and_last_answer_from_the_reviews(site: Site) -> None:
    client = staff(site)
    assert "never signed in" in client.get(HERE).text

    site.signed_in(email="r1@example.org", method=Method.LINK).get("/inbox")

    assert "never signed in" not in client.get(HERE).text


def test_staff_find_the_page_to_enter_a_review_and_an_observer_finds_none(site: Site) -> None:
    client = staff(site)
    task = site.product.reports.waiting_for("fall", 0)[0]
    code = site.product.cycles.get("fall").task_code(task.id)

    assert f"{HERE}/tasks/{code}" in client.get(HERE).text
    assert client.get(f"{HERE}/tasks/{code}").status_code == 200
    assert task.status is not AssignmentStatus.SCORED
    assert site.signed_in(Role.OBSERVER).get(HERE).status_code == 403


def test_reviewers_are_found_without_their_accents_on_the_page_and_by_the_api(site: Site) -> None:
    roster = [
        reviewer("r1", name="Jörg Müller", email="r1@example.org"),
        reviewer("r2", name="Ada", email="r2@example.org"),
    ]
    site.launched(launch=False, roster=roster)
    client, api = site.signed_in(Role.ADMINISTRATOR), program(site)

    page = client.get("/reviewers/fall?q=mueller").text
    rows = api.get(f"{V1}/cycles/fall/reviewers", params={"q": "muller"}).json()

    assert "Jörg Müller" in page
    assert ">Ada<" not in page
    assert [row["external_id"] for row in rows["items"]] == ["r1"]
    assert "No reviewer fits." in client.get("/reviewers/fall?q=nobody").text
