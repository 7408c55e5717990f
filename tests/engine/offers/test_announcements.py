"""Letters to applicants: shown as sent, held, taken back whole, and never against a fact."""

from datetime import timedelta

import pytest

from swapflow.domain.cohort.announcement import Group, LetterState, Wording
from swapflow.domain.cohort.offer import OfferAnswer
from swapflow.domain.event import EventType
from swapflow.domain.people.application import ApplicationStatus
from swapflow.engine.offers.announcement_wording import usual_wording
from swapflow.engine.offers.announcements import USUAL_HOLD
from swapflow.errors import ConflictError, InvalidInputError, NotReadyError
from tests.engine.cycle_by_hand import CYCLE, World, applicant
from tests.engine.offers.fixed_cohorts import NAMED as PEOPLE
from tests.engine.offers.fixed_cohorts import Office


@pytest.fixture
def office() -> Office:
    made = Office()
    made.offer()
    return made


def test_everybody_is_told_once_what_was_decided_when_the_time_to_undo_is_over(
    office: Office,
) -> None:
    told = office.announce(waitlist=2)

    assert told == {
        **dict.fromkeys(("A008", "A007", "A006"), "offered"),
        **dict.fromkeys(("A005", "A004"), "waitlisted"),
        **dict.fromkeys(("A003", "A002"), "not selected"),
    }
    assert office.send() == {}, "they are held"
    office.world.later(minutes=31)
    sent = office.send()
    assert set(sent) == {f"a{n}@example.org" for n in range(2, 9)}
    assert "Dear Person 8," in sent["a8@example.org"]
    assert "offer you a place" in sent["a8@example.org"]
    assert "waitlist" in sent["a5@example.org"]
    assert "cannot offer you a place" in sent["a2@example.org"]
    assert set(office.states().values()) == {LetterState.SENT}
    assert office.send() == {}
    with pytest.raises(NotReadyError, match="no letter to send"):
        office.announce(waitlist=2)
    office.world.verify()


def test_what_is_shown_is_what_is_sent_and_nothing_else(office: Office) -> None:
    shown = office.product.announcements.draft(CYCLE, usual_wording())
    assert [a.external_id for a in shown.unreachable] == ["A001"]
    office.product.offers.answer(CYCLE, "A007", OfferAnswer.DECLINED, by="ops", reason="by phone")

    with pytest.raises(ConflictError, match="look at them once more"):
        office.announce(seen=shown.digest)
    assert office.states() == {}

    again = office.product.announcements.draft(CYCLE, usual_wording())
    assert set(office.announce(seen=again.digest)) == {a.external_id for a in again.letters}


def test_until_they_leave_letters_and_their_offers_are_taken_back_all_together(
    office: Office,
) -> None:
    office.announce()
    office.world.later(minutes=29)
    office.send()

    office.product.announcements.take_back(CYCLE, by="ops")

    office.world.later(days=1)
    assert office.send() == {}
    assert set(office.states().values()) == {LetterState.TAKEN_BACK}
    stands = office.product.offers.standing(CYCLE)
    assert {offer.answer for offer in stands.offers} == {OfferAnswer.TAKEN_BACK}
    assert len(office.world.events(EventType.ANNOUNCEMENT_TAKEN_BACK)) == 1
    with pytest.raises(NotReadyError, match="no letter is waiting"):
        office.product.announcements.take_back(CYCLE, by="ops")
    # As if nothing had been: the same people are offered the same places, and told.
    office.offer()
    assert [name for name, told in office.announce().items() if told == "offered"] == [
        "A008",
        "A007",
        "A006",
    ]
    office.world.verify()


def test_once_they_have_left_nothing_is_taken_back(office: Office) -> None:
    office.announce(hold=timedelta())
    office.world.coordinator.relay()

    with pytest.raises(NotReadyError):
        office.product.announcements.take_back(CYCLE, by="ops")
    assert len(office.send()) == 7


def test_an_announcement_of_which_some_letters_have_left_is_not_taken_back(
    office: Office,
) -> None:
    office.announce()
    first = office.product.announcements.list(CYCLE)[0].letters[0]
    office.world.ledger.mark_mail(first.mail_id, "sent")

    with pytest.raises(ConflictError, match="1 of 7 letters have left"):
        office.product.announcements.take_back(CYCLE, by="ops")

    assert {offer.answer for offer in office.product.offers.standing(CYCLE).offers} == {
        OfferAnswer.WAITING
    }
    assert office.product.announcements.list(CYCLE)[0].taken_back_by == ""


def test_reopening_the_list_takes_back_what_nobody_was_told(office: Office) -> None:
    office.announce()

    office.product.cohort.reopen(CYCLE, names=("ann", "bob"), reason="a mark was entered wrongly")

    office.world.later(days=1)
    assert office.send() == {}
    assert set(office.states().values()) == {LetterState.TAKEN_BACK}
    assert office.product.cohort.propose(CYCLE).promised == frozenset()


def test_reopening_after_letters_have_left_keeps_what_was_promised(office: Office) -> None:
    office.announce(hold=timedelta())
    office.send()

    office.product.cohort.reopen(CYCLE, names=("ann", "bob"), reason="a mark was entered wrongly")

    numbers = {office.world.number(name) for name in ("A006", "A007", "A008")}
    assert office.product.cohort.propose(CYCLE).promised == numbers


@pytest.mark.parametrize(
    ("happens", "to", "why"),
    [
        ("reopened", "A005", "the list is open again"),
        ("withdrawn", "A005", "the applicant is withdrawn"),
        ("declined", "A008", "the offer is closed"),
        ("promoted", "A005", "a place was offered since"),
    ],
)
def test_a_letter_that_is_no_longer_true_is_not_sent(
    office: Office, happens: str, to: str, why: str
) -> None:
    office.announce()
    office.world.later(minutes=31)
    office.world.coordinator.relay()  # they may go, and a slow worker has not begun
    product = office.product
    match happens:
        case "reopened":
            product.cohort.reopen(CYCLE, names=("ann", "bob"), reason="a mark was entered wrongly")
        case "withdrawn":
            product.cohort.reopen(CYCLE, names=("ann", "bob"), reason="somebody has withdrawn")
            product.applicants.move(CYCLE, to, ApplicationStatus.WITHDRAWN, by="ops")
            product.cohort.finalize(CYCLE, by="chair")
        case "declined":
            product.offers.answer(CYCLE, to, OfferAnswer.DECLINED, by="ops")
        case _:
            product.offers.answer(CYCLE, "A007", OfferAnswer.DECLINED, by="ops")
            office.offer()

    sent = office.send()

    letter = next(
        letter
        for letter in product.announcements.list(CYCLE)[0].letters
        if letter.application == office.world.number(to)
    )
    assert (letter.state, letter.detail) == (LetterState.VOID, why)
    assert f"a{int(to[1:])}@example.org" not in sent


def test_whoever_was_told_no_is_passed_no_place_and_the_next_letter_says_waitlist_no_more(
    office: Office,
) -> None:
    office.announce(waitlist=1, hold=timedelta())
    office.send()
    for name in ("A008", "A007", "A006"):
        office.product.offers.answer(CYCLE, name, OfferAnswer.DECLINED, by="ops")

    office.offer()

    names = office.world.names()
    waiting = [
        o for o in office.product.offers.standing(CYCLE).offers if o.answer is OfferAnswer.WAITING
    ]
    # A001 has no address, so nothing has told them anything.
    assert [names[offer.application] for offer in waiting] == ["A005", "A001"]
    assert office.announce() == {"A005": "offered"}


def test_whoever_waits_can_be_told_later_that_the_waitlist_is_closed(office: Office) -> None:
    office.announce(hold=timedelta())
    office.send()

    assert office.announce(waitlist=0) == dict.fromkeys(
        ("A005", "A004", "A003", "A002"), "not selected"
    )


def test_groups_that_are_left_out_are_not_written_to(office: Office) -> None:
    only = {Group.OFFERED: Wording(subject="{program}", text="Yes, {name}!\n\nBy {until}.")}

    assert set(office.announce(wording=only, hold=timedelta())) == {"A008", "A007", "A006"}
    assert "Yes, Person 8!" in office.send()["a8@example.org"]


def test_a_paragraph_about_a_date_is_left_out_where_there_is_none() -> None:
    office = Office()
    office.product.offers.make(CYCLE, by="ops")
    only = {Group.OFFERED: Wording(subject="{program}", text="Yes.\n\nBy {until}, please.")}

    office.announce(wording=only, hold=timedelta())

    written, _link, _below = office.send()["a8@example.org"].partition("Answer the offer:")
    assert written.rstrip().endswith("Yes.")


@pytest.mark.parametrize(
    ("subject", "text", "says"),
    [
        ("", "Yes", "the subject for those with an offer is empty"),
        ("Hello", "  ", "the text for those with an offer is empty"),
        ("Hello", "Dear {nmae}", r"names \{nmae\}; use \{name\}"),
        ("Hello {name", "Dear {}", r"names \{\}"),
        ("x" * 201, "Yes", "201 characters of at most 200"),
    ],
)
def test_words_that_cannot_be_used_are_refused_with_their_place(
    office: Office, subject: str, text: str, says: str
) -> None:
    with pytest.raises(InvalidInputError, match=says):
        office.announce(wording={Group.OFFERED: Wording(subject=subject, text=text)})
    assert office.states() == {}


def test_a_name_cannot_smuggle_in_a_header_or_markup() -> None:
    eve = applicant("A008", name="Eve <b>", email="a8@example.org")
    office = Office([*PEOPLE[:7], eve])
    office.offer()
    only = {Group.OFFERED: Wording(subject="For {name}", text="Dear {name},")}

    office.announce(wording=only, hold=timedelta())
    office.send()

    mail = next(mail for mail in office.posted if mail.to == "a8@example.org")
    assert "Eve &lt;b&gt;" in mail.html
    assert "\n" not in mail.subject


def test_the_time_to_undo_is_neither_negative_nor_endless(office: Office) -> None:
    for hold in (timedelta(seconds=-1), timedelta(days=31)):
        with pytest.raises(InvalidInputError, match="from 0 minutes to 30 days"):
            office.announce(hold=hold)
    assert timedelta() < USUAL_HOLD


def test_letters_speak_the_language_of_their_program() -> None:
    office = Office(language="de")
    office.offer()
    only = {Group.OFFERED: Wording(subject="{program}", text="Ja, bis {until}.")}

    office.announce(wording=only, hold=timedelta())
    office.send()

    assert all('lang="de"' in mail.html for mail in office.posted)
    assert all("Ja, bis" in mail.text for mail in office.posted)


def test_before_a_list_is_fixed_there_is_nothing_to_tell() -> None:
    world = World(applications=PEOPLE)

    with pytest.raises(NotReadyError, match="not final"):
        world.product.announcements.draft(CYCLE, usual_wording())
