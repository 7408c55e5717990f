"""Reconsiderations and the reserve in the ledger: on every kind of database."""

from dataclasses import replace
from datetime import date

import pytest

from swapflow.domain.cohort.reconsideration import Closing, NewReconsideration, Result
from swapflow.domain.cycle import Round
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.ledger.core.database import RefusedStatementError
from swapflow.ledger.maintenance.upgrade import downgrade, drift, upgrade
from swapflow.ledger.sql_ledger import SqlLedger
from tests.ledger.examples import RULES, people


OPENED = NewReconsideration(
    application=2,
    version=1,
    kind=0,
    reviews=2,
    asked_by="the applicant",
    asked_on=date(2027, 5, 4),
    reason="a wrong file é",
    stood="ready",
)
ADDED = Closing(
    result=Result.ADDED,
    version=2,
    before=0.25,
    after=0.75,
    received=2,
    beyond=True,
    exceptions=("region = North: 4 chosen, at most 3 wanted",),
    reason="as the marks say",
)


def test_what_is_opened_comes_back_and_keeps_its_cycle_awake_until_it_ends(
    ledger: SqlLedger,
) -> None:
    assert ledger.reconsiderations("fall") == ()
    assert ledger.reconsidering() == frozenset()

    with ledger.write("fall") as tx:
        first = tx.insert_reconsideration(OPENED, by="ann")
        second = tx.insert_reconsideration(replace(OPENED, application=3), by="bob")
        within = tx.reconsiderations()
    assert ledger.reconsidering() == {"fall"}
    opened = ledger.reconsiderations("fall")
    assert opened == within
    assert [(r.id, r.application, r.by, r.is_open) for r in opened] == [
        (first, 2, "ann", True),
        (second, 3, "bob", True),
    ]
    assert opened[0].new == OPENED

    with ledger.write("fall") as tx:
        tx.close_reconsideration(first, ADDED, by=["ann", "bob"])
        tx.close_reconsideration(second, Closing(result=Result.STAYS), by=["ann", "bob"])
    ended = ledger.reconsiderations("fall")
    assert ledger.reconsidering() == frozenset()
    assert (ended[0].closing, ended[0].closed_by) == (ADDED, ("ann", "bob"))
    assert [r.adds for r in ended] == [True, False]
    assert all(r.closed_at is not None for r in ended)


def test_of_one_application_one_alone_is_open(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        first = tx.insert_reconsideration(OPENED, by="ann")

    with pytest.raises(RefusedStatementError), ledger.write("fall") as tx:
        tx.insert_reconsideration(OPENED, by="bob")
    with ledger.write("fall") as tx:
        tx.close_reconsideration(first, Closing(result=Result.STAYS), by=["ann"])
        tx.insert_reconsideration(OPENED, by="bob")

    assert [r.is_open for r in ledger.reconsiderations("fall")] == [False, True]


def test_a_reconsideration_of_another_cycle_is_left_alone(ledger: SqlLedger) -> None:
    ledger.create_cycle("spring", round_id="2027", name="Spring", rules=RULES, by="ops")
    with ledger.write("fall") as tx:
        which = tx.insert_reconsideration(OPENED, by="ann")

    with ledger.write("spring") as tx:
        tx.close_reconsideration(which, ADDED, by=["ann"])
        assert tx.reconsiderations() == ()

    assert ledger.reconsiderations("spring") == ()
    assert ledger.reconsidering() == {"fall"}


def test_erasing_somebody_empties_the_words_and_keeps_the_numbers(ledger: SqlLedger) -> None:
    people(ledger)
    with ledger.write("fall") as tx:
        which = tx.insert_reconsideration(replace(OPENED, application=1), by="ann")
        tx.close_reconsideration(which, ADDED, by=["ann", "bob"])
        tx.erase_application(1)

    (left,) = ledger.reconsiderations("fall")
    assert left.closing is not None
    assert (left.new.asked_by, left.new.reason) == ("", "")
    assert (left.closing.reason, left.closing.exceptions) == ("", ())
    assert (left.closing.before, left.closing.after, left.closing.version) == (0.25, 0.75, 2)


def test_the_reserve_is_kept_with_the_roster(ledger: SqlLedger) -> None:
    new = [
        NewReviewer(external_id="r1", capacity={"review": 3}, reserve=True),
        NewReviewer(external_id="r2", capacity={"review": 3}),
    ]
    with ledger.write("fall") as tx:
        first, second = tx.add_reviewers(new)
        tx.change_reviewer(replace(second, reserve=True))
        tx.change_reviewer(replace(first, reserve=False))

    assert [r.reserve for r in ledger.reviewers("fall")] == [False, True]


def test_a_ledger_of_the_release_before_gets_its_table_and_nobody_in_the_reserve(
    shared_url: str,
) -> None:
    before = SqlLedger(shared_url)
    before.create_round(Round(id="2027", name="Season", unit="minutes", zone="UTC"))
    before.create_cycle("fall", round_id="2027", name="Fall", rules=RULES, by="ops")
    with before.write("fall") as tx:
        tx.add_reviewers([NewReviewer(external_id="r1", capacity={"review": 3})])
    before.dispose()
    downgrade(shared_url, "0003")

    upgrade(shared_url)

    after = SqlLedger(shared_url)
    assert [r.reserve for r in after.reviewers("fall")] == [False]
    with after.write("fall") as tx:
        tx.insert_reconsideration(OPENED, by="ann")
    assert drift(shared_url) == []
    after.dispose()
