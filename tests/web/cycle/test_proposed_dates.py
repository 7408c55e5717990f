"""Dates for all interviews at once, the week that they make, and hours that are taken already."""

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from swapflow.domain.people.reviewer import Absence
from swapflow.domain.rules import KindRules, SeatLine
from swapflow.engine.interviews.slots import Requested
from swapflow.identity.permissions import Role
from swapflow.settings import Settings
from tests.support.migrated import new_database
from tests.web.api.programs import program
from tests.web.site import SITE_RULES, Site


DATES, PROPOSAL = "/applicants/fall/slots", "/applicants/fall/slots/proposal"
LINES = (SeatLine(name="all", places=1),)
PANEL = KindRules(name="review", cost=1, gain=1.0, maximum=1, seats=2, quorum=2)
TEN = "2031-03-10T10:00"


def panels(site: Site, *, applicants: int = 12, roster: int = 6) -> TestClient:
    """A program in which every applicant is asked to an interview with two people."""
    rules = replace(SITE_RULES, kinds=(PANEL,), lines=LINES, zone="Europe/Paris", packet=12)
    site.launched(rules=rules, applicants=applicants, roster=roster)
    site.turn()
    return site.signed_in(Role.OPERATIONS)


def asked(site: Site) -> tuple[Requested, ...]:
    return site.product.reviewers.interview_requests("fall")


def dated(site: Site) -> list[Requested]:
    return [one for one in asked(site) if one.interview is not None and one.interview.stands]


def proposed(staff: TestClient) -> dict[str, list[str]]:
    """Return the fields of the form of proposed dates, as a browser would send them."""
    page = staff.get(PROPOSAL).text.partition("<main")[2]
    (form,) = re.findall(r'<form method="post".*?</form>', page, re.DOTALL)
    found: dict[str, list[str]] = {}
    for field in re.findall(r"<input[^>]*>", form):
        name, value = (re.search(rf'\b{at}="([^"]*)"', field) for at in ("name", "value"))
        assert name is not None
        if 'type="checkbox"' not in field or " checked" in field:
            found.setdefault(name[1], []).append(value[1] if value else "")
    return found


def test_twelve_interviews_are_dated_in_three_acts(site: Site) -> None:
    staff = panels(site)
    assert len(asked(site)) == 12

    page = staff.get(DATES).text
    assert f'href="{PROPOSAL}">Set 12 dates that fit</a>' in page
    form = proposed(staff)
    answer = staff.post(PROPOSAL, data=form | {"place": ["Room 2"]})

    assert answer.headers["location"] == f"{DATES}?changed=12"
    assert len(dated(site)) == 12
    assert {one.interview.place for one in dated(site) if one.interview} == {"Room 2"}
    page = staff.get(answer.headers["location"]).text
    assert "12 dates changed." in page
    assert "without a date" not in page
    assert page.count("invited, no answer") >= 12
    # The same form again, later and in another browser, changes nothing.
    again = site.signed_in(Role.ADMINISTRATOR).post(PROPOSAL, data=form | {"place": ["Room 2"]})
    assert again.headers["location"] == f"{DATES}?changed=0"


def test_the_dates_of_one_press_are_undone_together(tmp_path: Path, settings: Settings) -> None:
    new_database(tmp_path / "swapflow.db")
    site = Site(tmp_path / "swapflow.db", settings=settings, undo=timedelta(minutes=5))
    staff = panels(site, applicants=4)
    staff.post(PROPOSAL, data=proposed(staff))
    assert len(dated(site)) == 4
    (act,) = site.product.held_acts.waiting("fall")
    assert f"/today/fall/undo/{act.number}" in staff.get(DATES).text

    undone = staff.post(f"/today/fall/undo/{act.number}", data={"back": "dates"})

    assert undone.headers["location"] == DATES
    assert dated(site) == []
    assert not [mail for mail in site.mails if mail.calendar]
    site.ledger.dispose()


def test_what_is_unticked_stays_without_a_date_and_what_is_changed_is_taken(site: Site) -> None:
    staff = panels(site, applicants=3)
    form = proposed(staff)
    left, moved, _ = form["pull"]
    form["pick"].remove(left)
    form["starts"][1], form["minutes"][1] = TEN, "50"

    staff.post(PROPOSAL, data=form)

    found = {one.pull.id: one.interview for one in asked(site)}
    assert found[left] is None
    changed = found[moved]
    assert changed is not None
    assert (changed.minutes, f"{changed.starts_at:%H:%M}") == (50, "09:00")
    assert "1 interview without a date" in staff.get(DATES).text


@pytest.mark.parametrize(
    ("field", "typed", "status", "said"),
    [
        ("starts", "soon", 422, "e.g. 2027-01-31 14:00"),
        ("minutes", "long", 422, "length in minutes"),
        ("revision", "7", 409, "changed after the form was opened"),
        ("pick", "fall:9:review:1", 409, "was cancelled; reload"),
    ],
)
def test_a_form_that_cannot_be_taken_comes_back_and_nothing_is_set(
    site: Site, field: str, typed: str, status: int, said: str
) -> None:
    staff = panels(site, applicants=3)
    form = proposed(staff)
    form[field][0] = typed

    answer = staff.post(PROPOSAL, data=form | {"place": ["Room 5"]})

    assert answer.status_code == status
    assert said in answer.text
    assert 'value="Room 5"' in answer.text
    assert dated(site) == []


def test_nothing_ticked_is_said(site: Site) -> None:
    staff = panels(site, applicants=3)

    answer = staff.post(PROPOSAL, data=proposed(staff) | {"pick": []})

    assert answer.status_code == 422
    assert "No date was set: choose at least one interview." in answer.text


@pytest.mark.parametrize("notice", ["-1", "41", "many", "9999", "²"])
def test_a_notice_that_no_one_means_is_refused_in_words(site: Site, notice: str) -> None:
    staff = panels(site, applicants=2)

    answer = staff.get(PROPOSAL, params={"notice": notice})

    assert answer.status_code == 422
    assert "Notice is 0 to 40 working days." in answer.text


def test_an_hour_that_is_taken_is_refused_and_free_ones_are_buttons(site: Site) -> None:
    staff = panels(site, applicants=2, roster=2)
    one, other = asked(site)
    staff.post(DATES, data={"pull": one.pull.id, "starts": TEN, "minutes": "30"})
    wish = {"pull": other.pull.id, "starts": "2031-03-10T10:15", "minutes": "30", "place": "R 9"}

    refused = staff.post(DATES, data=wish)

    assert refused.status_code == 409
    assert "has another interview on Mon 10 Mar 2031, 10:00 (30 min)" in refused.text
    assert 'value="R 9"' in refused.text
    offered = re.findall(r'name="fit" value="(2031-03-10T[^"]*)"', refused.text)
    assert offered == ["2031-03-10T09:00", "2031-03-10T09:30", "2031-03-10T10:30"]
    assert staff.post(DATES, data=wish | {"fit": offered[2]}).status_code == 303
    assert len(dated(site)) == 2


def test_a_table_with_an_hour_twice_is_refused_as_a_whole(site: Site) -> None:
    staff = panels(site, applicants=2, roster=2)
    rows = [f"{one.external_id},2031-03-10 10:00,30" for one in asked(site)]
    table = "\n".join(["applicant,starts,minutes", *rows]).encode()

    answer = staff.post(f"{DATES}/import", files={"file": ("dates.csv", table)})

    assert answer.status_code == 409
    assert "has another interview" in answer.text
    assert dated(site) == []


def test_one_press_sets_the_hour_that_fits_one_interview(site: Site) -> None:
    staff = panels(site, applicants=2)
    pull = asked(site)[0].pull.id
    form = staff.get(DATES).text.split(f'value="{pull}"')[1]
    fit = re.search(r'name="fit" value="([^"]*)"', form)
    assert fit is not None

    answer = staff.post(
        DATES, data={"pull": pull, "starts": "", "fit": fit[1], "minutes": "30", "revision": "0"}
    )

    assert answer.headers["location"] == f"{DATES}?changed=1"
    assert [one.pull.id for one in dated(site)] == [pull]


def test_the_week_shows_dates_days_away_and_other_programs_without_names(site: Site) -> None:
    staff = panels(site, applicants=2, roster=2)
    one, other = asked(site)
    staff.post(DATES, data={"pull": one.pull.id, "starts": TEN, "minutes": "30"})
    day = asked(site)[0].interview
    assert day is not None
    wednesday = day.starts_at.date() + timedelta(days=2)
    site.product.tasks.add_absence("fall", 0, Absence(first=wednesday, last=wednesday))

    page = staff.get(DATES, params={"week": "2031-03-13"}).text

    week = page[page.index('<section class="week"') : page.index("interview with a date")]
    assert "Mon 10 Mar to Fri 14 Mar" in week
    assert week.count('class="away"') == 1
    # Both interviewers' rows, and the agenda.
    assert week.count(f'href="#request-{one.pull.id}"') == 3
    assert f'href="#request-{other.pull.id}"' not in week
    assert "10:00" in week
    assert 'href="/applicants/fall/slots?week=2031-03-03#week"' in week
    assert one.name in week
    elsewhere = staff.get(DATES, params={"week": "2031-03-17"}).text
    assert f'class="entry" href="#request-{one.pull.id}"' not in elsewhere


@pytest.mark.parametrize("week", ["", "soon", "0001-01-01", "9999-12-31"])
def test_a_week_that_is_none_shows_the_next_one_with_a_date(site: Site, week: str) -> None:
    staff = panels(site, applicants=2)
    staff.post(DATES, data={"pull": asked(site)[0].pull.id, "starts": TEN, "minutes": "30"})

    assert "Mon 10 Mar to Fri 14 Mar" in staff.get(DATES, params={"week": week}).text


def test_an_interview_of_another_program_is_a_taken_hour_without_a_name(site: Site) -> None:
    staff = panels(site, applicants=2, roster=2)
    rules = replace(SITE_RULES, kinds=(PANEL,), lines=LINES, zone="Europe/Paris", packet=12)
    site.launched("spring", rules=rules, applicants=2, roster=2)
    site.turn()
    spring = site.product.reviewers.interview_requests("spring")[0]
    staff.post(
        "/applicants/spring/slots",
        data={"pull": spring.pull.id, "starts": TEN, "minutes": "30", "place": "Room 44"},
    )

    week = staff.get(DATES, params={"week": "2031-03-10"}).text
    refused = staff.post(
        DATES, data={"pull": asked(site)[0].pull.id, "starts": TEN, "minutes": "30"}
    )

    assert week.count("another program") == 2
    assert "Room 44" not in week
    assert spring.pull.id not in week
    assert refused.status_code == 409


def test_a_program_asks_for_dates_and_sets_one_by_its_revision(site: Site) -> None:
    panels(site, applicants=3)
    client = program(site, Role.OPERATIONS)

    answer = client.get("/api/v1/cycles/fall/interview-proposal", params={"notice": 5})

    found = answer.json()
    assert (answer.status_code, found["notice"], found["left"]) == (200, 5, [])
    assert len(found["dates"]) == 3
    first, second, _ = found["dates"]
    wish = {"starts_at": first["starts_at"], "minutes": first["minutes"]}
    path = f"/api/v1/cycles/fall/interviews/{first['request']}"
    assert client.put(path, json=wish, headers={"If-Match": "0"}).status_code == 204
    assert [one.pull.id for one in dated(site)] == [first["request"]]
    left = client.get("/api/v1/cycles/fall/interview-proposal").json()["dates"]
    assert {one["request"] for one in left} == {one["request"] for one in found["dates"][1:]}
    assert second["request"] != first["request"]
