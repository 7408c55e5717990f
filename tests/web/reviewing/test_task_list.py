"""The reviewer's list says what waits, what is next, and what happens when nothing is."""

from dataclasses import replace
from typing import Any

import pytest

from swapflow.domain.rules import SeatLine, SignInPolicy
from swapflow.identity.account import Account
from tests.web.forms import send_form
from tests.web.site import SITE_RULES, Site


SMALL = replace(SITE_RULES, lines=(SeatLine(name="all", places=1),))


def test_the_headline_counts_what_waits_and_leads_to_the_first(site: Site) -> None:
    site.launched(rules=SMALL, applicants=4, roster=2)
    client, assignment = site.assigned()

    page = client.get("/inbox").text

    waiting = site.product.tasks.inbox("fall", "R1")
    assert f"0 of {len(waiting)} done" in page
    assert ", in 1" in page
    assert page.index("Start applicant ") > page.index("Next due")
    assert all(f"/tasks/{site.product.tasks.code(a.id)}" in page for a in waiting)
    assert assignment.id not in page


def test_tasks_of_all_programs_stand_in_one_list(site: Site) -> None:
    site.launched("fall", rules=SMALL, applicants=2, roster=1)
    site.launched("spring", rules=SMALL, applicants=2, roster=1)
    client = site.signed_in(email="r1@example.org")

    page = client.get("/inbox").text

    assert "MS fall" in page
    assert "MS spring" in page
    assert "0 of 4 done" in page


def test_what_is_due_soon_stands_before_what_is_new_and_overdue_before_all(site: Site) -> None:
    site.launched(rules=SMALL, applicants=2, roster=1)
    client = site.signed_in(email="r1@example.org")

    assert '<span class="due">' in client.get("/inbox").text
    site.later(12 * 86_400)
    assert '<span class="due soon">' in client.get("/inbox").text
    site.later(15 * 86_400)
    assert '<span class="due late"><small>Overdue</small>' in client.get("/inbox").text


def test_what_went_to_another_after_the_due_date_is_told_apart(site: Site) -> None:
    site.launched(rules=SMALL, applicants=2, roster=2)
    client, assignment = site.assigned()
    draft = {"version": 0, "body": {"remark": "begun"}}
    client.post(f"/tasks/{site.product.tasks.code(assignment.id)}/draft", json=draft)
    site.later(15 * 86_400)
    site.turn()

    page = client.get("/inbox").text

    assert "<small>Overdue</small>" in page
    assert site.product.tasks.code(assignment.id) in page.split("went to another reviewer")[0]


def test_a_skipped_task_goes_to_the_end_and_stays_there(site: Site) -> None:
    site.launched(rules=SMALL, applicants=3, roster=1)
    client = site.signed_in(email="r1@example.org")
    first = site.product.tasks.list(site.product.tasks.seats([("fall", 0)])).waiting[0].code

    assert client.post(f"/tasks/{first}/skip").headers["location"] == "/inbox"

    seats = site.product.tasks.seats([("fall", 0)])
    order = [task.code for task in site.product.tasks.list(seats).waiting]
    assert order[-1] == first
    assert "Skipped" in client.get("/inbox").text


def test_skipping_with_a_mark_typed_puts_the_request_last_and_keeps_the_mark(site: Site) -> None:
    site.launched(rules=SMALL, applicants=4, roster=1)
    client = site.signed_in(email="r1@example.org")
    first, second, other, *_ = _waiting(site)

    client.post(f"/tasks/{first}", data={"c0": "3", "version": "0", "then": "skip"})
    client.post(f"/tasks/{second}", data={"c0": "1", "version": "0", "then": "skip"})

    assert _waiting(site)[-2:] == [first, second]
    page = client.get("/inbox").text
    where = [page.index(f"/tasks/{code}") for code in (other, first, second)]
    assert where == sorted(where)
    assert page.count("Draft · Skipped") == 2
    # A second press on the one before puts that one last.
    client.post(f"/tasks/{first}/skip")
    assert _waiting(site)[-2:] == [second, first]


def test_a_skipped_task_comes_to_the_front_when_it_is_due_soon_and_can_be_skipped_again(
    site: Site,
) -> None:
    site.launched(rules=SMALL, applicants=3, roster=1)
    client = site.signed_in(email="r1@example.org")
    first = _waiting(site)[0]
    client.post(f"/tasks/{first}/skip")

    site.later(12 * 86_400)
    assert "Skipped" not in client.get("/inbox").text

    client.post(f"/tasks/{first}/skip")
    assert _waiting(site)[-1] == first
    assert "Next due" in client.get("/inbox").text


def _waiting(site: Site) -> list[str]:
    seats = site.product.tasks.seats([("fall", 0)])
    return [task.code for task in site.product.tasks.list(seats).waiting]


def test_own_progress_is_shown(site: Site) -> None:
    site.launched(rules=SMALL, applicants=3, roster=1)
    client = site.signed_in(email="r1@example.org")
    task = site.product.tasks.list(site.product.tasks.seats([("fall", 0)])).waiting[0].code
    client.post(f"/tasks/{task}", data={"c0": "1", "c1": "1", "then": "stay"})

    assert "<h1>1 of " in client.get("/inbox").text


# When nothing waits


def test_somebody_without_a_role_is_told_whom_to_ask(site: Site) -> None:
    assert "You have no reviewer role" in site.signed_in().get("/inbox").text


def test_a_reviewer_with_nothing_to_do_is_told_what_comes(site: Site) -> None:
    once = replace(SMALL, kinds=(replace(SMALL.kinds[0], maximum=1),))
    site.launched(rules=once, applicants=2, roster=3)
    idle = next(r for r in ("R1", "R2", "R3") if not site.product.tasks.inbox("fall", r))

    page = site.signed_in(email=f"{idle.lower()}@example.org").get("/inbox").text

    assert "Nothing waits for you." in page
    assert "we mail you" in page


def test_closed_reviews_are_called_closed(site: Site) -> None:
    site.launched(rules=SMALL, applicants=2, roster=1)
    site.product.cycles.stop("fall", by="ops")

    page = site.signed_in(email="r1@example.org").get("/inbox").text

    assert "Reviews closed" in page


# Availability


def test_days_away_are_added_and_taken_back(site: Site) -> None:
    site.launched()
    client = site.signed_in(email="r1@example.org")
    days = {"first": "2031-01-05", "last": "2031-01-09"}

    client.post("/inbox/fall/absences", data=days)
    assert "Away 2031-01-05 to 2031-01-09" in client.get("/inbox").text
    client.post("/inbox/fall/absences/remove", data=days)
    assert "2031-01-05" not in client.get("/inbox").text
    assert site.product.reports.verify("fall", live=False).findings == ()


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("absences", {"first": "soon", "last": "later"}),
        ("absences", {"first": "2031-01-09", "last": "2031-01-05"}),
        ("packet", {"packet": "0"}),
        ("packet", {"packet": "many"}),
        ("packet", {"packet": "-3"}),
    ],
)
def test_availability_that_cannot_be_is_refused(
    site: Site, path: str, fields: dict[str, str]
) -> None:
    site.launched()
    before = site.product.reviewers.list("fall")
    client = site.signed_in(email="r1@example.org")

    assert client.post(f"/inbox/fall/{path}", data=fields).status_code == 422
    assert site.product.reviewers.list("fall") == before


def test_the_packet_is_changed_for_oneself_and_nobody_else(site: Site) -> None:
    site.launched(rules=replace(SITE_RULES, packet=2))
    client = site.signed_in(email="r1@example.org")

    send_form(client, "/inbox", "/inbox/fall/packet", {"packet": "7"})

    assert [r.packet for r in site.product.reviewers.list("fall")] == [7, None, None, None]
    assert site.signed_in().post("/inbox/fall/packet", data={"packet": "7"}).status_code == 404


def test_a_program_that_wants_the_provider_does_not_close_the_others_list(site: Site) -> None:
    site.launched("fall", rules=SMALL, applicants=2, roster=1)
    strict = replace(SMALL, sign_in=SignInPolicy.PROVIDER)
    site.launched("spring", rules=strict, applicants=2, roster=1)
    client = site.signed_in(email="r1@example.org")

    page = client.get("/inbox")

    assert page.status_code == 200
    assert "0 of 2 done" in page.text
    assert "/tasks/spring:" not in page.text


def test_what_comes_next_is_what_stands_first_on_the_list_and_never_what_is_done(
    site: Site,
) -> None:
    site.launched(rules=SMALL, applicants=3, roster=1)
    client = site.signed_in(email="r1@example.org")
    seats = site.product.tasks.seats([("fall", 0)])

    for _ in range(3):
        first, *rest = site.product.tasks.list(seats).waiting
        assert site.product.tasks.next(seats, after="") == first
        assert site.product.tasks.next(seats, after=first.code) == next(iter(rest), None)
        client.post(f"/tasks/{first.code}", data={"c0": "1", "c1": "1", "then": "next"})

    assert site.product.tasks.next(seats, after="") is None
    assert site.product.tasks.next([], after="") is None


def test_a_program_that_is_gone_is_no_seat_and_closes_nobodys_list(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program may be erased between the reading of a person's seats and of its rules."""
    site.launched()
    client = site.signed_in(email="r1@example.org")
    store = type(site.ledger.office())
    access = store.access

    def with_one_that_is_gone(self: Any, account: Account) -> Any:  # noqa: ANN401 - as it is
        grants, seats = access(self, account)
        return grants, (("bygone", 3), *seats, ("gone", 7))

    monkeypatch.setattr(store, "access", with_one_that_is_gone)

    page = client.get("/inbox")

    assert page.status_code == 200
    assert "MS fall" in page.text
    assert client.get("/tasks/bygone:ABCDEFGH").status_code == 404
