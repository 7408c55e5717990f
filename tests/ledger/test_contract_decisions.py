"""What the ledger promises of decisions, the rule's and people's, on every database."""

from swapflow.domain.cohort.proposal import Outcome, Verdict, Waiver
from swapflow.ledger.sql_ledger import SqlLedger
from tests.ledger.examples import (
    NOON,
    decision,
    people,
    place,
    sheet,
)


def test_decisions_come_back_whole_and_the_last_fit_is_found(ledger: SqlLedger) -> None:
    nan = float("nan")
    fitted = decision(1, {"prior_variance": 0.1 + 0.2, "gap": float("inf")})
    with ledger.write("fall") as tx:
        tx.insert_decision(fitted)
        tx.insert_decision(decision(2, {"expected_loss": nan}))

    found = ledger.decisions("fall")
    assert found[0] == fitted
    assert found[1].look["expected_loss"] != found[1].look["expected_loss"]
    assert ledger.cycle("fall").decisions == 2
    assert ledger.last_look("fall") == fitted.look


def test_proposals_get_versions_and_take_names_from_the_applications(ledger: SqlLedger) -> None:
    people(ledger)
    places = [
        place(2, 1, external_id="a2", name="Name of a2"),
        place(0, 2, external_id="a0", name="Name of a0"),
    ]
    with ledger.write("fall") as tx:
        assert tx.insert_proposal(places, sheet()) == 1
        assert tx.insert_proposal(places[:1], sheet(0.5)) == 2

    assert ledger.proposals("fall") == (
        (1, tuple(places), sheet()),
        (2, tuple(places[:1]), sheet(0.5)),
    )


def test_the_last_word_on_an_application_is_its_outcome(ledger: SqlLedger) -> None:
    people(ledger)
    outcomes = [
        Outcome(application=1, verdict=Verdict.SELECTED, by="chair", reason="", at=NOON),
        Outcome(application=0, verdict=Verdict.NOT_SELECTED, by="chair", reason="", at=NOON),
        Outcome(application=1, verdict=Verdict.WAITLISTED, by="chair", reason="full", at=NOON),
    ]
    with ledger.write("fall") as tx:
        tx.insert_outcomes(1, outcomes)
        tx.insert_signature(1, by="Ada", role="chair")
        tx.insert_signature(1, by="Ada", role="chair")
        tx.insert_waiver(1, 0, Waiver(by="Ada", reason="ill"))
        tx.set_cohort_version(1)

    assert ledger.outcomes("fall", 1) == (outcomes[1], outcomes[2])
    assert ledger.outcomes("fall", 2) == ()
    assert ledger.signatures("fall", 1) == (("Ada", "chair"),)
    assert ledger.cycle("fall").cohort_version == 1


def test_wishes_are_open_until_they_are_closed(ledger: SqlLedger) -> None:
    people(ledger)
    with ledger.write("fall") as tx:
        one = tx.add_staff_request(what="pull", application=0, kind=0, by="ops", reason="unsure")
        two = tx.add_staff_request(what="pull", application=1, kind=1, by="ops", reason="")
    assert [w.id for w in ledger.wishes("fall")] == [one, two]
    with ledger.write("fall") as tx:
        tx.close_staff_request(one, "decision 4")

    assert [(w.id, w.application, w.kind) for w in ledger.wishes("fall")] == [(two, 1, 1)]
