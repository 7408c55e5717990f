"""Dates of interviews: set by staff, kept by calendars, and not everybody comes."""

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from starlette.testclient import TestClient

from swapflow.domain.people.calendar_invitation import Guest, invitation
from swapflow.domain.people.interview import Interview
from swapflow.domain.people.reviewer import DeclineKind
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus
from swapflow.domain.rules import KindRules, SeatLine
from swapflow.identity.permissions import Role
from tests.web.forms import fields_of
from tests.web.site import SITE_RULES, Site


LINES = (SeatLine(name="all", places=1),)
PANEL = KindRules(name="review", cost=1, gain=1.0, maximum=1, seats=3, quorum=3)
SLOT = {"starts": "2031-03-10T14:00", "minutes": "45", "place": "Room 2; hall, B"}


def panel(site: Site, **changes: object) -> Assignment:
    rules = replace(SITE_RULES, kinds=(PANEL,), lines=LINES, zone="Europe/Paris", **changes)  # type: ignore[arg-type]  # tests name fields
    site.launched(rules=rules, applicants=2, roster=6)
    return site.assigned()[1]


def test_setting_a_date_protects_the_seats_and_invites_everybody(site: Site) -> None:
    assignment = panel(site)
    staff = site.signed_in(Role.OPERATIONS)
    before = len(site.mails)

    answer = staff.post("/applicants/fall/slots", data=SLOT | {"pull": assignment.pull_id})
    site.turn()

    assert answer.headers["location"].endswith("changed=1")
    seats = site.product.context.ledger.assignments("fall")
    assert {a.status for a in seats if a.pull_id == assignment.pull_id} == {
        AssignmentStatus.OPENED
    }
    invitations = [mail for mail in site.mails[before:] if mail.calendar]
    # The panel, and the applicant.
    assert len(invitations) == 3 + 1
    assert all("DTSTART:20310310T130000Z" in mail.calendar for mail in invitations)
    assert not any(assignment.pull_id in repr(mail) for mail in invitations)
    assert "Mon 10 Mar 2031, 14:00 CET" in staff.get("/applicants/fall/slots").text


def test_the_reviewer_sees_date_place_and_panel_and_takes_the_date_along(site: Site) -> None:
    assignment = panel(site, blind=False)
    site.signed_in(Role.OPERATIONS).post(
        "/applicants/fall/slots", data=SLOT | {"pull": assignment.pull_id}
    )
    client, _ = site.assigned()
    task = f"/tasks/{site.product.tasks.code(assignment.id)}"

    page = client.get(task).text
    calendar = client.get(f"{task}/invitation.ics")

    assert "Mon 10 Mar 2031, 14:00 CET" in page
    assert "One of 3 on this panel, with Reviewer" in page
    assert calendar.headers["content-type"].startswith("text/calendar")
    assert "LOCATION:Room 2\\; hall\\, B\r\n" in calendar.text


def test_the_list_offers_first_what_waits_for_no_later_date(site: Site) -> None:
    rules = replace(SITE_RULES, kinds=(PANEL,), lines=LINES)
    site.launched(rules=rules, applicants=2, roster=3)
    client, _ = site.assigned()
    offered = re.compile(r'class="button primary wide" href="/tasks/([^"]+)"')
    waiting = {site.product.tasks.code(a.id): a for a in site.product.tasks.inbox("fall", "R1")}
    assert len(waiting) == 2

    (before,) = offered.findall(client.get("/inbox").text)
    slot = SLOT | {"pull": waiting[before].pull_id}
    site.signed_in(Role.OPERATIONS).post("/applicants/fall/slots", data=slot)

    assert offered.findall(client.get("/inbox").text) == [one for one in waiting if one != before]


def told(staff: TestClient, pull: str) -> dict[str, str]:
    """Return what the forms about a request's date carry."""
    page = staff.get("/applicants/fall/slots").text
    found = re.search(rf'<input[^>]*value="{re.escape(pull)}"><input[^>]*>', page)
    assert found is not None
    return fields_of(found[0])


def test_moving_a_date_keeps_the_entry_and_counts_up(site: Site) -> None:
    assignment = panel(site)
    client, _ = site.assigned()
    staff = site.signed_in(Role.OPERATIONS)
    task = f"/tasks/{site.product.tasks.code(assignment.id)}/invitation.ics"
    seen = []

    for starts in ("2031-03-10T14:00", "2031-03-11T09:00"):
        moved = told(staff, assignment.pull_id) | SLOT | {"starts": starts}
        staff.post("/applicants/fall/slots", data=moved)
        seen.append(client.get(task).text)
    staff.post("/applicants/fall/slots/cancel", data=told(staff, assignment.pull_id))
    seen.append(client.get(task).text)

    uids = {line for text in seen for line in text.split("\r\n") if line.startswith("UID:")}
    assert len(uids) == 1
    assert [f"SEQUENCE:{n}\r\n" in text for n, text in enumerate(seen)] == [True] * 3
    assert "METHOD:REQUEST" in seen[1]
    assert "METHOD:CANCEL" in seen[2]


@pytest.mark.parametrize(
    "change",
    [
        {"starts": "tomorrow"},
        {"starts": "2031-03-30T02:30"},
        {"minutes": "0"},
        {"minutes": "-5"},
        {"minutes": "9999"},
        {"link": "javascript:alert(1)"},
        {"place": "a\x07b"},
    ],
)
def test_a_date_that_cannot_be_is_refused_and_kept_in_the_form(
    site: Site, change: dict[str, str]
) -> None:
    assignment = panel(site)
    staff = site.signed_in(Role.OPERATIONS)

    answer = staff.post(
        "/applicants/fall/slots", data=SLOT | {"pull": assignment.pull_id} | change
    )

    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert site.product.context.ledger.interviews([assignment.pull_id]) == {}


def test_a_table_of_dates_is_set_whole_or_not_at_all(site: Site) -> None:
    panel(site)
    pull = "fall:0:review:1"
    staff = site.signed_in(Role.OPERATIONS)
    good = b"applicant,starts,minutes\nA001,2031-03-10 14:00,45\n"

    def send(body: bytes) -> int:
        path = "/applicants/fall/slots/import"
        return staff.post(path, files={"file": ("dates.csv", body)}).status_code

    assert send(good + b"A999,2031-03-10 15:00,45\n") == 422
    assert site.product.context.ledger.interviews([pull]) == {}
    assert send(b"who,when\nA001,now\n") == 422
    assert send(good) == 303
    assert send(good) == 303
    assert site.product.context.ledger.interviews([pull])[pull].sequence == 0


def test_when_nobody_came_others_are_asked_and_staff_see_it(site: Site) -> None:
    site.launched(rules=replace(SITE_RULES, lines=LINES), applicants=2, roster=8)
    client, assignment = site.assigned()
    staff = site.signed_in(Role.OPERATIONS)
    staff.post("/applicants/fall/slots", data=SLOT | {"pull": assignment.pull_id})

    answer = client.post(
        f"/tasks/{site.product.tasks.code(assignment.id)}/missed", data={"note": "waited"}
    )
    site.turn()

    assert answer.headers["location"] == "/inbox?missed=1"
    seats = site.product.context.ledger.assignments("fall")
    assert [a.status.is_open for a in seats if a.pull_id == assignment.pull_id] == [False, True]
    assert "The applicant did not come" in staff.get("/applicants/fall/slots").text
    assert site.product.reports.verify("fall", live=False).findings == ()


def test_long_lines_are_folded_inside_no_character() -> None:
    slot = Interview(
        pull_id="p",
        starts_at=datetime(2031, 1, 1, tzinfo=UTC),
        minutes=30,
        zone="UTC",
        place="ü" * 90,
    )

    text = invitation(
        slot,
        uid="u@x",
        title="Interview\nEND:VCALENDAR",
        guest=Guest(name='Q "R" ü', email="q@example.org"),
        organiser="",
        stamp=slot.starts_at,
    )

    lines = text.split("\r\n")
    assert all(len(line.encode()) <= 75 for line in lines)
    assert text.replace("\r\n ", "").count("ü") == 91
    assert lines.count("END:VCALENDAR") == 1
    assert "SUMMARY:Interview\\nEND:VCALENDAR" in lines


def test_who_declines_an_agreed_date_loses_it_from_the_calendar_and_the_others_are_told(
    site: Site,
) -> None:
    assignment = panel(site)
    staff = site.signed_in(Role.OPERATIONS)
    staff.post("/applicants/fall/slots", data=SLOT | {"pull": assignment.pull_id})
    site.turn()
    before = len(site.mails)

    site.product.tasks.decline(assignment.id, DeclineKind.CONFLICT, by="R1")
    site.turn()

    people = {r.number: r.email for r in site.product.reviewers.list("fall")}
    mine = people[assignment.reviewer]
    told = [m for m in site.mails[before:] if "excused" in m.id or ":without:" in m.id]
    cancelled = [m for m in told if m.calendar]
    assert [m.to for m in cancelled] == [mine]
    assert "METHOD:CANCEL" in cancelled[0].calendar
    assert "SEQUENCE:1\r\n" in cancelled[0].calendar
    others = [m for m in told if not m.calendar]
    assert len(others) == 2
    assert mine not in {m.to for m in others}
    assert all("The date stays" in m.text for m in others)


def test_who_declines_without_a_date_gets_no_calendar_mail(site: Site) -> None:
    assignment = panel(site)
    before = len(site.mails)

    site.product.tasks.decline(assignment.id, DeclineKind.UNQUALIFIED, by="R1")
    site.turn()

    assert not any("slot" in m.id for m in site.mails[before:])


def test_reading_alone_is_no_interview_until_staff_give_it_a_date(site: Site) -> None:
    site.launched()
    assignment = site.assigned()[1]
    staff = site.signed_in(Role.OPERATIONS)

    assert "This program has no interviews." in staff.get("/applicants/fall/slots").text
    assert not site.product.reviewers.interview_kinds("fall")
    staff.post("/applicants/fall/slots", data=SLOT | {"pull": assignment.pull_id})

    assert "1 interview with a date" in staff.get("/applicants/fall/slots").text
    assert site.ledger.undated("fall", site.product.reviewers.interview_kinds("fall"))


def test_a_date_shows_at_once_in_the_table_of_applicants(site: Site) -> None:
    assignment = panel(site)
    staff = site.signed_in(Role.OPERATIONS)
    before = site.product.reports.applicant_table("fall").undated.sum()

    staff.post("/applicants/fall/slots", data=SLOT | {"pull": assignment.pull_id})

    assert site.product.reports.applicant_table("fall").undated.sum() == before - 1
