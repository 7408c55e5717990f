"""Letters to applicants at the screen and at the API."""

import pytest

from swapflow.domain.cohort.announcement import LetterState
from swapflow.domain.cohort.offer import OfferAnswer
from swapflow.identity.permissions import Role
from tests.web.cohort.fixed_cohorts import LETTERS, looked, offers_out, typed
from tests.web.site import Site


API = "/api/v1/cycles/fall/letters"


def states(site: Site) -> set[LetterState]:
    return {
        letter.state for one in site.product.announcements.list("fall") for letter in one.letters
    }


def test_before_the_list_is_fixed_nobody_can_be_written_to(site: Site) -> None:
    site.launched()

    page = site.signed_in(Role.CHAIR).get(LETTERS).text

    assert "once the list is final and signed" in page
    assert "<textarea" not in page


def test_letters_are_looked_at_then_held_then_sent(site: Site) -> None:
    client = offers_out(site)
    form, page = looked(client, waitlist="2")
    assert "The letters as they would leave" in page
    assert "Dear Applicant" in page
    assert states(site) == set()

    assert client.post(f"{LETTERS}/announce", data=form).status_code == 303

    page = client.get(LETTERS).text
    assert "They leave on" in page
    assert "Take back " in page
    site.later(31 * 60)
    site.turn()
    assert states(site) == {LetterState.SENT}
    letters = [mail for mail in site.mails if mail.to.endswith("@example.com")]
    assert len(letters) == 12
    page = client.get(LETTERS).text
    assert "12 sent" in page
    assert "Take back " not in page


def test_held_letters_are_taken_back_with_one_press(site: Site) -> None:
    client = offers_out(site)
    client.post(f"{LETTERS}/announce", data=looked(client)[0])

    assert client.post(f"{LETTERS}/take-back").status_code == 303

    site.later(3600)
    site.turn()
    assert states(site) == {LetterState.TAKEN_BACK}
    assert "Undone by" in client.get(LETTERS).text
    again = client.post(f"{LETTERS}/take-back")
    assert (again.status_code, "No letter is waiting" in again.text) == (422, True)


def test_nothing_is_sent_that_was_not_shown(site: Site) -> None:
    client = offers_out(site)
    form, _ = looked(client)

    without = client.post(f"{LETTERS}/announce", data=typed())
    changed = client.post(f"{LETTERS}/announce", data=form | {"offered_text": "Come!"})

    assert (without.status_code, changed.status_code) == (422, 409)
    assert "look at them once more" in changed.text
    assert "Come!" in changed.text, "what was typed is kept"
    assert states(site) == set()


@pytest.mark.parametrize(
    ("changes", "field", "says"),
    [
        ({"offered_subject": ""}, "offered-subject", "Write a subject"),
        ({"offered_text": "Dear {nmae}"}, "", "{nmae}"),
        ({"waitlist": "many"}, "waitlist", "whole number"),
        ({"minutes": ""}, "minutes", "number of minutes"),
        ({"minutes": "99999"}, "minutes", "from 0 to 43,200"),
        ({"offered_text": "a\x00b"}, "offered-text", "invisible control characters"),
        ({"offered": "", "waitlisted": "", "declined": ""}, "offered", "at least one group"),
    ],
)
def test_what_cannot_be_sent_is_refused_beside_its_field_and_kept(
    site: Site, changes: dict[str, str], field: str, says: str
) -> None:
    client = offers_out(site)

    page = client.post(f"{LETTERS}/look", data=typed(**changes))

    assert page.status_code == 422
    assert says in page.text
    assert not field or f'id="letters-{field}-problem"' in page.text


def test_an_erased_applicant_is_written_no_letter(site: Site) -> None:
    client = offers_out(site)
    site.product.applicants.erase("fall", "A012", by="ops")

    _, page = looked(client)

    assert "A012" not in page


def test_a_committee_reads_what_was_told_and_writes_to_nobody(site: Site) -> None:
    client = offers_out(site)
    client.post(f"{LETTERS}/announce", data=looked(client)[0])

    page = site.signed_in(Role.COMMITTEE).get(LETTERS).text

    assert "They leave on" in page
    assert "<textarea" not in page
    assert "Take back " not in page


def test_the_api_drafts_writes_and_takes_back(site: Site) -> None:
    client = offers_out(site)
    words = {"subject": "{program}", "text": "Dear {name},\n\nyes."}
    new = {"offered": words, "waitlist": 1, "not_selected": {**words, "text": "No."}}

    draft = client.post(f"{API}/draft", json=new).json()
    refused = client.post(API, json={**new, "seen": "0" * 64})
    made = client.post(API, json={**new, "seen": draft["digest"], "hold_minutes": 5})

    assert (refused.status_code, made.status_code) == (409, 200)
    assert made.json()["letters"] == draft["letters"]
    assert {letter["group"] for letter in draft["letters"]} == {"offered", "not selected"}
    taken = client.post(f"{API}/take-back").json()
    assert {letter["state"] for letter in taken["letters"]} == {"taken back"}
    assert client.get(API).json() == [taken]
    assert {o.answer for o in site.product.offers.standing("fall").offers} == {
        OfferAnswer.TAKEN_BACK
    }


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"offered": {"subject": "x", "text": ""}},
        {"offered": {"subject": "x", "text": "{x}"}},
        {"offered": {"subject": "x", "text": "y"}, "hold_minutes": -1},
        {"offered": {"subject": "x", "text": "y\x00"}},
    ],
)
def test_what_the_api_cannot_use_is_refused_and_nothing_is_written(
    site: Site, body: dict[str, object]
) -> None:
    client = offers_out(site)

    assert client.post(API, json=body).status_code == 422
    assert states(site) == set()
