"""Applicants are invited to their interview by mail, and answer by the link in it."""

import re
from dataclasses import replace

from starlette.testclient import TestClient

from swapflow.domain.personal_link import MASK
from swapflow.domain.rules import KindRules, SeatLine
from swapflow.engine.ports.records import Mail
from swapflow.identity.permissions import Role
from tests.web.forms import fields_of
from tests.web.site import SITE_RULES, Site


LINES = (SeatLine(name="all", places=1),)
PANEL = KindRules(name="review", cost=1, gain=1.0, maximum=1, seats=3, quorum=3)
JOIN = "https://meet.example.org/room-7"
SLOT = {"starts": "2031-03-10T14:00", "minutes": "45", "link": JOIN}
DATES = "/applicants/fall/slots"


def dated(site: Site, **changes: str) -> tuple[TestClient, str]:
    """A first date of a panel; gives the browser of staff and the request."""
    site.launched(
        rules=replace(SITE_RULES, kinds=(PANEL,), lines=LINES, zone="Europe/Paris"),
        applicants=2,
        roster=6,
    )
    pull = site.assigned()[1].pull_id
    staff = site.signed_in(Role.OPERATIONS)
    assert staff.post(DATES, data={**SLOT, "pull": pull, **changes}).status_code == 303
    site.turn()
    return staff, pull


def to_applicants(site: Site) -> list[Mail]:
    return [mail for mail in site.mails if mail.to.endswith("@example.com")]


def link_in(mail: Mail) -> str:
    return str(re.findall(r"(/answer/\S+)", mail.text)[0])


def number_of(site: Site, pull: str) -> str:
    number = int(pull.split(":")[1])
    return next(a.external_id for a in site.ledger.applications("fall") if a.number == number)


def moved(site: Site, staff: TestClient, pull: str) -> None:
    """Move the date a day on."""
    page = staff.get(DATES).text
    forms = re.findall(rf'<form method="post" action="{DATES}">.*?</form>', page, re.DOTALL)
    (form,) = [one for one in forms if f'value="{pull}"' in one]
    data = {**fields_of(form), **SLOT, "starts": "2031-03-11T14:00"}
    assert staff.post(DATES, data=data).status_code == 303
    site.turn()


def test_a_date_invites_the_applicant_without_the_link_to_join(site: Site) -> None:
    _, pull = dated(site)

    (mail,) = to_applicants(site)

    assert "Mon 10 Mar 2031, 14:00 CET" in mail.text
    assert "METHOD:REQUEST" in mail.calendar
    for text in (mail.text, mail.html, mail.calendar):
        assert JOIN not in text
        assert pull not in text
    page = site.anonymous().get(link_in(mail))
    assert "Monday 10 March 2031" in page.text
    assert "3 interviewers" in page.text
    assert JOIN not in page.text
    assert "Applicant 1" not in page.text
    stored = site.ledger.cycle_mail("fall", mail.id)
    assert f"/answer/{MASK}" in stored.mail.text


def test_who_comes_gets_the_link_to_join_and_staff_see_it(site: Site) -> None:
    staff, pull = dated(site)
    link, number = link_in(to_applicants(site)[0]), number_of(site, pull)
    client = site.anonymous()

    assert client.post(link, data={"number": number, "answer": "coming"}).status_code == 303
    site.turn()

    assert JOIN in to_applicants(site)[-1].text
    assert JOIN in client.get(link).text
    assert JOIN in client.get(f"{link}/interview.ics").text.replace("\r\n ", "")
    assert "the applicant will come" in staff.get(DATES).text
    assert site.product.reports.verify("fall").findings == ()


def test_who_cannot_come_is_without_a_date_again(site: Site) -> None:
    staff, pull = dated(site)
    link, number = link_in(to_applicants(site)[0]), number_of(site, pull)
    before = len(site.mails)

    client = site.anonymous()
    assert client.post(link, data={"number": number, "answer": "cannot come"}).status_code == 303
    site.turn()

    page = staff.get(DATES).text
    assert "the applicant cannot come" in page
    assert "No date yet" in page
    assert "The office offers you another date." in client.get(link).text
    told = site.mails[before:]
    assert sum("METHOD:CANCEL" in mail.calendar for mail in told) == 4  # the panel and the guest
    assert client.get(f"{link}/interview.ics").status_code == 404
    moved(site, staff, pull)
    assert client.get(link).status_code == 404
    assert "the applicant cannot come" not in staff.get(DATES).text


def test_a_date_that_moves_has_another_link(site: Site) -> None:
    staff, pull = dated(site)
    old = link_in(to_applicants(site)[0])

    moved(site, staff, pull)

    new = link_in(to_applicants(site)[-1])
    client = site.anonymous()
    assert [client.get(link).status_code for link in (old, new)] == [404, 200]
    assert "Tuesday 11 March 2031" in client.get(new).text


def test_a_reviewer_with_another_role_sees_no_mail_to_an_applicant(site: Site) -> None:
    staff, _ = dated(site)
    seated = site.signed_in(Role.OPERATIONS, email="r1@example.org")

    assert "@example.com" in staff.get("/today/fall/mail").text
    assert "@example.com" not in seated.get("/today/fall/mail").text
    mails = seated.get("/api/v1/cycles/fall/mails", headers={"accept": "application/json"}).text
    assert "@example.com" not in mails
