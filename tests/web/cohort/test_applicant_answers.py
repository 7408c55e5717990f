"""Applicants answer an offer by the link in their letter: their number, a copy, and 48 hours."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from swapflow.domain.cohort.offer import OfferAnswer
from swapflow.domain.event import EventType
from swapflow.domain.personal_link import MASK
from swapflow.engine.offers.announcement_wording import usual_wording
from swapflow.engine.offers.answer_days import is_before_april_15
from swapflow.identity.permissions import Role
from tests.web.cohort.fixed_cohorts import OFFERS, fixed, offered
from tests.web.site import Site


HOUR = timedelta(hours=1).total_seconds()
NEUTRAL = "It may have been replaced or be past its day."


def letters(site: Site, **changes: object) -> TestClient:
    """Offer the places and send the letters; gives a chair's browser."""
    client = fixed(site)
    if changes:
        with site.ledger.write("fall") as tx:
            rules = tx.rules()
            new = replace(rules, version=rules.version + 1, **changes)  # type: ignore[arg-type]  # by name
            tx.set_rules(new, by="ops", reason="the dean asks for it")
            tx.record(EventType.RULES_CHANGED, {"rules": new.version})
    assert offered(client, until="2030-04-15") == 303
    site.product.announcements.send("fall", usual_wording(), by="chair", hold=timedelta())
    site.later(60)
    site.turn()
    return client


def links(site: Site) -> dict[str, str]:
    """The path of the newest link of each application number."""
    numbers = {a.email: a.external_id for a in site.ledger.applications("fall")}
    return {
        numbers[mail.to]: found[0]
        for mail in site.mails
        if (found := re.findall(r"(/answer/\S+)", mail.text))
    }


def answer(site: Site, link: str, number: str, said: str) -> int:
    return site.anonymous().post(link, data={"number": number, "answer": said}).status_code


def standing(site: Site, number: str) -> OfferAnswer:
    known = {a.number: a.external_id for a in site.ledger.applications("fall")}
    return next(o.answer for o in site.ledger.offers("fall") if known[o.application] == number)


def test_an_offer_is_accepted_by_its_link_and_a_copy_goes_out(site: Site) -> None:
    letters(site)
    number, link = next(iter(links(site).items()))
    before = len(site.mails)

    opened = [site.anonymous().request(method, link) for method in ("GET", "HEAD", "GET")]
    assert [page.status_code for page in opened] == [200, 200, 200]
    assert standing(site, number) is OfferAnswer.WAITING
    for word in ("Applicant 1", "Applicant 2", "waitlist", "rank", "score", number):
        assert word not in opened[0].text
    assert opened[0].headers["referrer-policy"] == "no-referrer"
    assert opened[0].headers["cache-control"] == "no-store"

    assert answer(site, link, number.lower(), "accepted") == 303
    assert answer(site, link, number, "accepted") == 303
    site.turn()

    assert standing(site, number) is OfferAnswer.ACCEPTED
    assert "You accepted the place." in site.anonymous().get(link).text
    (copy,) = site.mails[before:]
    assert "You accepted the place" in copy.text
    assert "/answer/" not in copy.text
    said = [(one.who, one.what) for _, one in site.ledger.office().audit(cycle_id="fall")]
    assert said.count(("the applicant", "answered by their link")) == 1
    assert site.product.reports.verify("fall").findings == ()


def test_a_declined_place_waits_48_hours_for_its_applicant(site: Site) -> None:
    client = letters(site)
    (number, link), (other, its) = list(links(site).items())[:2]
    assert answer(site, link, number, "declined") == 303
    assert answer(site, its, other, "declined") == 303

    assert site.product.offers.next_wave("fall").places == ()
    assert "They may take it back until" in client.get(OFFERS).text
    site.later(47 * HOUR)
    assert answer(site, link, number, "decline taken back") == 303
    assert standing(site, number) is OfferAnswer.WAITING
    site.later(49 * HOUR)

    assert answer(site, its, other, "decline taken back") == 422
    assert standing(site, other) is OfferAnswer.DECLINED
    assert len(site.product.offers.next_wave("fall").places) == 1
    assert site.product.reports.verify("fall").findings == ()


def test_a_wrong_number_answers_nothing_and_tries_end(site: Site) -> None:
    letters(site)
    (number, link), (other, its) = list(links(site).items())[:2]

    tries = [answer(site, link, wrong, "accepted") for wrong in ("", other, "1", "2", "3", "4")]

    assert tries == [422] * 5 + [404]
    assert answer(site, link, number, "accepted") == 404
    assert standing(site, number) is OfferAnswer.WAITING
    assert answer(site, its, other, "accepted") == 303


def test_every_link_that_is_over_answers_as_one_that_never_was(site: Site) -> None:
    letters(site)
    (_number, link), (other, its) = list(links(site).items())[:2]
    never = site.anonymous().get("/answer/never-was")
    assert (never.status_code, NEUTRAL in never.text) == (404, True)

    site.product.applicants.erase("fall", other, by="ops")
    assert site.anonymous().get(its).text == never.text
    assert site.anonymous().get(link).status_code == 200
    site.product.cohort.reopen("fall", names=["chair", "dean"], reason="a place more")

    for path in (link, its, f"{link}/interview.ics", f"/answer/{MASK}"):
        assert site.anonymous().get(path).text == never.text
    assert site.anonymous().post(its, data={"number": other}).text == never.text


def test_a_link_lapses_with_the_day_of_its_offer(site: Site) -> None:
    letters(site)
    number, link = next(iter(links(site).items()))
    ends = datetime(2030, 4, 16, tzinfo=UTC) - site.ledger.now()

    site.later(ends.total_seconds() + HOUR)

    assert site.anonymous().get(link).status_code == 404
    assert answer(site, link, number, "accepted") == 404


def test_asking_for_time_is_shown_to_staff(site: Site) -> None:
    client = letters(site)
    number, link = next(iter(links(site).items()))

    assert answer(site, link, number, "more time") == 303

    assert "Asked for more time by their link" in client.get(OFFERS).text
    assert answer(site, link, number, "accepted") == 303
    assert standing(site, number) is OfferAnswer.ACCEPTED


def test_where_the_rules_want_it_staff_confirm_an_answer(site: Site) -> None:
    client = letters(site, confirm_answers=True)
    number, link = next(iter(links(site).items()))

    assert answer(site, link, number, "accepted") == 303

    assert standing(site, number) is OfferAnswer.WAITING
    assert "It counts once you record it." in client.get(OFFERS).text
    assert "The office confirms it" in site.anonymous().get(link).text
    assert answer(site, link, number, "declined") == 422


def test_the_page_is_the_same_for_staff_who_are_signed_in(site: Site) -> None:
    letters(site)
    link = next(iter(links(site).values()))

    page = site.signed_in(Role.CHAIR).get(link).text

    assert page == site.anonymous().get(link).text


def test_a_day_before_15_april_on_a_funded_place_is_confirmed_first(site: Site) -> None:
    client = fixed(site)

    assert offered(client, until="2030-04-14") == 422
    assert site.ledger.offers("fall") == ()
    assert offered(client, until="2030-04-14", early="keep") == 303


@pytest.mark.parametrize(
    ("day", "early"),
    [
        (datetime(2026, 12, 20, tzinfo=UTC), True),
        (datetime(2027, 4, 14, 23, tzinfo=UTC), False),
        (datetime(2027, 4, 14, 21, tzinfo=UTC), True),
        (datetime(2027, 4, 15, 12, tzinfo=UTC), False),
        (datetime(2027, 8, 1, tzinfo=UTC), False),
    ],
)
def test_the_season_begins_in_september(day: datetime, early: bool) -> None:
    assert is_before_april_15(day, "Europe/Berlin") is early
