"""People of a final list who withdraw, and whose names and addresses are corrected."""

import pytest

from swapflow.domain.cohort.announcement import LetterState
from swapflow.domain.cohort.offer import OfferAnswer
from swapflow.domain.people.application import ApplicationStatus
from swapflow.errors import ConflictError, CycleFinalizedError, InvalidInputError
from tests.engine.cycle_by_hand import CYCLE, applicant
from tests.engine.offers.fixed_cohorts import NAMED as PEOPLE
from tests.engine.offers.fixed_cohorts import Office


WITHDRAWN, READY = ApplicationStatus.WITHDRAWN, ApplicationStatus.READY


def offered(office: Office) -> list[str]:
    names = office.world.names()
    return [names[o.application] for o in office.product.offers.standing(CYCLE).offers]


def test_who_withdraws_from_the_waitlist_is_skipped_and_gets_no_letter() -> None:
    office = Office()
    office.offer()
    office.announce()

    office.product.applicants.move(CYCLE, "A005", WITHDRAWN, by="ops", reason="elsewhere")
    office.product.offers.answer(CYCLE, "A007", OfferAnswer.DECLINED, by="ops")
    office.offer()
    office.world.later(minutes=31)
    sent = office.send()

    assert offered(office)[-1] == "A004"
    assert "a5@example.org" not in sent
    assert "a4@example.org" in sent or office.states()["A004"] is LetterState.VOID
    office.world.verify()


def test_who_comes_back_to_the_waitlist_is_next_again() -> None:
    office = Office()
    office.offer()
    move = office.product.applicants.move
    move(CYCLE, "A005", WITHDRAWN, by="ops", reason="elsewhere")

    move(CYCLE, "A005", READY, by="ops", reason="a mistake")
    office.product.offers.answer(CYCLE, "A007", OfferAnswer.DECLINED, by="ops")
    office.offer()

    assert offered(office)[-1] == "A005"
    office.world.verify()


def test_who_has_an_offer_answers_it_instead() -> None:
    office = Office()
    office.offer()

    with pytest.raises(ConflictError, match="record their answer instead"):
        office.product.applicants.move(CYCLE, "A008", WITHDRAWN, by="ops", reason="elsewhere")


@pytest.mark.parametrize("status", [ApplicationStatus.HELD, ApplicationStatus.INELIGIBLE])
def test_no_other_move_touches_a_final_list(status: ApplicationStatus) -> None:
    office = Office()

    with pytest.raises(CycleFinalizedError):
        office.product.applicants.move(CYCLE, "A005", status, by="ops", reason="late")


def test_held_letters_go_to_a_corrected_address_and_nobody_elses_move() -> None:
    shared = [*PEOPLE[:4], applicant("A005", name="Person 5", email="a6@example.org"), *PEOPLE[5:]]
    office = Office(shared)
    office.offer()
    office.announce()

    office.product.applicants.correct(
        CYCLE, "A005", {"name": "Person Five", "email": "five@example.org"}, by="ops", reason="new"
    )
    office.world.later(minutes=31)
    sent = office.send()

    assert "five@example.org" in sent
    assert "a6@example.org" in sent
    office.world.verify()


def test_a_list_may_bring_new_addresses_after_the_decision_and_nothing_else() -> None:
    office = Office()
    bring = office.product.applicants.import_list

    bring(CYCLE, [applicant("A005", email="five@example.org")])
    with pytest.raises(CycleFinalizedError):
        bring(CYCLE, [applicant("A005", fields={"city": "Bonn"})])

    (five,) = [a for a in office.product.applicants.list(CYCLE) if a.external_id == "A005"]
    assert five.email == "five@example.org"
    with pytest.raises(CycleFinalizedError):
        office.product.applicants.correct(
            CYCLE, "A005", {"field:city": "Bonn"}, by="ops", reason="late"
        )


def test_an_address_that_no_mail_reaches_is_no_correction() -> None:
    office = Office()

    with pytest.raises(InvalidInputError, match="no address"):
        office.product.applicants.correct(CYCLE, "A005", {"email": "a@b..c"}, by="ops", reason="x")
