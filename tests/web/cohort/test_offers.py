"""Offers at the screen and at the API: who is next, answers, the over-offer with its risk."""

import re
from datetime import timedelta
from zoneinfo import ZoneInfo

from starlette.testclient import TestClient

from swapflow.domain.cohort.offer import OfferAnswer
from tests.web.cohort.fixed_cohorts import OFFERS, chair, ended, fixed, offered, shown
from tests.web.forms import fields_of
from tests.web.site import Site


API = "/api/v1/cycles/fall"


def answers(client: TestClient, number: int, said: str) -> int:
    data = {"applicant": str(number), "answer": said, "reason": "by phone"}
    # Each offer has a form of its own to the same address.
    form = re.search(rf'name="applicant" value="{number}"><input[^>]*>', client.get(OFFERS).text)
    if form is not None:
        data["revision"] = fields_of(form[0])["revision"]
    return client.post(f"{OFFERS}/answer", data=data).status_code


def test_before_the_list_is_fixed_the_page_leads_to_it(site: Site) -> None:
    ended(site)

    page = chair(site).get(OFFERS)

    assert page.status_code == 200
    assert "Places can be offered once the list is final" in page.text
    assert "/offers/make" not in page.text


def test_places_are_offered_answered_and_passed_on_at_the_screen(site: Site) -> None:
    client = fixed(site)
    places = site.product.offers.standing("fall").places
    assert f'href="{OFFERS}"' in client.get("/decide/fall").text

    assert offered(client, until="2030-04-15") == 303
    first, second, *_ = site.product.offers.standing("fall").offers
    assert first.until is not None
    # The whole of the day counts, where the program is.
    zone = ZoneInfo(site.product.cycles.rules("fall").zone)
    assert f"{first.until.astimezone(zone):%Y-%m-%d %H:%M:%S}" == "2030-04-15 23:59:59"
    assert answers(client, first.application, "accepted") == 303
    assert answers(client, second.application, "declined") == 303
    heir = site.product.offers.standing("fall").waitlist[0]
    assert shown(client) == str(heir)
    assert offered(client) == 303

    made = site.product.offers.standing("fall").offers
    assert len(made) == places + 1
    assert (made[-1].application, made[-1].by) == (heir, "chair@example.org")
    page = client.get(OFFERS).text
    assert "1 accepted" in page
    assert "1 declined" in page
    said = [(line.what, line.who) for _, line in site.ledger.office().audit(cycle_id="fall")]
    assert said.count(("offered places", "chair@example.org")) == 2
    assert said.count(("recorded an answer", "chair@example.org")) == 2


def test_a_form_that_was_shown_before_others_acted_offers_nothing(site: Site) -> None:
    client = fixed(site)
    before = shown(client)
    client.post(f"{OFFERS}/make", data={"seen": before})
    site.later(11)  # sooner, it would be the same press

    again = client.post(f"{OFFERS}/make", data={"seen": before})

    assert again.status_code == 409
    assert "another applicant may be next" in again.text
    assert len(site.product.offers.standing("fall").offers) == len(before.split(","))


def test_an_offer_without_an_answer_by_its_date_is_named_and_passed_on(site: Site) -> None:
    client = fixed(site)
    product = site.product
    until = product.context.ledger.now() + timedelta(days=2)
    product.offers.make("fall", by="ops", until=until, at_most=1)
    late = product.offers.standing("fall").offers[0].application
    site.later(3 * 86_400)

    page = client.get(OFFERS).text
    assert "1 offer had no answer by the date" in page
    assert offered(client, at_most="1") == 303

    answer = {o.application: o.answer for o in product.offers.standing("fall").offers}
    assert answer[late] is OfferAnswer.NO_ANSWER


def test_more_offers_than_places_go_out_only_with_a_rate_and_its_risk_is_said(site: Site) -> None:
    client = fixed(site)
    places = site.product.offers.standing("fall").places
    assert len(shown(client).split(",")) == places

    data = {"accepted": "5", "of": "50", "risk": "20"}
    assert client.post(f"{OFFERS}/rate", data=data).status_code == 303

    page = client.get(OFFERS).text
    assert len(shown(client).split(",")) > places
    assert "at most 20 % over all offers" in page
    assert "to the chance that more accept than there are places" in page


def test_what_cannot_be_used_is_said_beside_its_field_and_stores_nothing(site: Site) -> None:
    client = fixed(site)
    wrong = [
        ("make", {"seen": shown(client), "until": "soon"}, "make-until"),
        ("make", {"seen": shown(client), "until": "2020-01-01"}, "make-until"),
        ("make", {"seen": shown(client), "at_most": "many"}, "make-at-most"),
        ("rate", {"accepted": "9", "of": "5", "risk": "5"}, "rate-accepted"),
        ("rate", {"accepted": "9", "risk": "5"}, "rate-of"),
        ("rate", {"low": "60", "high": "50", "risk": "5"}, "rate-low"),
        ("rate", {"low": "50", "high": "60", "risk": "60"}, "rate-risk"),
        ("rate", {"risk": "5"}, "rate-accepted"),
    ]
    for form, data, field in wrong:
        page = client.post(f"{OFFERS}/{form}", data=data)
        assert page.status_code == 422, (form, data)
        assert f'id="{field}-problem"' in page.text, (form, data)
    assert site.product.offers.standing("fall").offers == ()
    assert site.product.context.ledger.yield_rate("fall") is None

    offered(client)
    first = site.product.offers.standing("fall").offers[0]
    stranger = site.product.offers.standing("fall").waitlist[0]
    assert answers(client, stranger, "accepted") == 422
    assert answers(client, first.application, "perhaps") == 422
    assert site.product.offers.standing("fall").count(OfferAnswer.WAITING) == 3


def test_programs_do_the_same_at_the_api(site: Site) -> None:
    client = fixed(site)
    nobody = client.put(f"{API}/yield-rate", json={"accepted": 5, "low": 0.5})
    rate = client.put(f"{API}/yield-rate", json={"low": 0.5, "high": 0.7, "risk": 0.1})
    following = client.get(f"{API}/offers/next").json()
    seen = [one["applicant"] for one in following["offers"]]

    made = client.post(f"{API}/offers", json={"seen": seen, "until": "2030-01-01T00:00:00Z"})
    again = client.post(f"{API}/offers", json={"seen": seen})
    said = client.put(f"{API}/applicants/{seen[0]}/offer/answer", json={"answer": "accepted"})
    twice = client.put(f"{API}/applicants/{seen[0]}/offer/answer", json={"answer": "accepted"})
    missing = client.put(f"{API}/applicants/9999/offer/answer", json={"answer": "accepted"})

    assert (nobody.status_code, rate.status_code) == (422, 200)
    assert 0.5 < rate.json()["expected"] < 0.7
    assert (made.status_code, again.status_code) == (200, 409)
    assert made.json() == following
    assert (said.json()["answer"], twice.status_code) == ("accepted", 422)
    assert missing.status_code == 404
    stands = client.get(f"{API}/offers").json()
    assert stands["rate"]["source"] == "between 0.5 and 0.7"
    assert 0 <= stands["risk"] <= 0.1
    assert [one["applicant"] for one in stands["offers"]] == seen
