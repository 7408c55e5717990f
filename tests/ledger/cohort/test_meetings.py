"""Meetings, words in favour and conflicts in the ledger: on every kind of database."""

import pytest

from swapflow.domain.cohort.meeting import Word
from swapflow.domain.cycle import Round
from swapflow.ledger.core.database import RefusedStatementError
from swapflow.ledger.maintenance.upgrade import downgrade, drift, upgrade
from swapflow.ledger.sql_ledger import SqlLedger
from tests.ledger.examples import RULES, people


def test_a_meeting_is_opened_once_and_keeps_who_opened_it(ledger: SqlLedger) -> None:
    assert ledger.meeting("fall", 1) is None

    with ledger.write("fall") as tx:
        first = tx.open_meeting(1, by="ann")
    with ledger.write("fall") as tx:
        again = tx.open_meeting(1, by="bob")

    meeting = ledger.meeting("fall", 1)
    assert (first, again) == (True, False)
    assert meeting is not None
    assert (meeting.by, meeting.said) == ("ann", ())
    assert ledger.meeting("fall", 2) is None


def test_what_is_said_later_holds_and_what_was_said_before_is_kept(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.open_meeting(1, by="ann")
        tx.insert_said(1, [3], Word.DISCUSS, line="", reason="", by="ann")
        tx.insert_said(1, [4], Word.OUT, line="", reason="too late", by="bob")
        tx.insert_said(1, [3], Word.IN, line="", reason="a strong essay é", by="bob")
        within = tx.meeting(1)

    meeting = ledger.meeting("fall", 1)
    assert meeting is not None
    assert meeting == within
    assert [(s.application, s.word, s.by) for s in meeting.said] == [
        (3, Word.DISCUSS, "ann"),
        (4, Word.OUT, "bob"),
        (3, Word.IN, "bob"),
    ]
    assert meeting.words[3].reason == "a strong essay é"
    assert meeting.words[4].word is Word.OUT


def test_a_meeting_is_closed_and_reopened_as_often_as_it_must_be(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.open_meeting(1, by="ann")
        tx.insert_turn(1, closed=True, reason="", by="ann")
        within = tx.meeting(1)
    assert within is not None
    assert within.closed is not None
    assert (within.closed.by, within.closed.reason) == ("ann", "")

    with ledger.write("fall") as tx:
        tx.insert_turn(1, closed=False, reason="a letter é", by="bob")
    again = ledger.meeting("fall", 1)
    assert again is not None
    assert again.closed is None
    assert [(t.closed, t.reason, t.by) for t in again.turns] == [
        (True, "", "ann"),
        (False, "a letter é", "bob"),
    ]


def test_nothing_is_recorded_where_no_meeting_was_opened(ledger: SqlLedger) -> None:
    with pytest.raises(RefusedStatementError), ledger.write("fall") as tx:
        tx.insert_said(1, [3], Word.IN, line="", reason="x", by="ann")

    assert ledger.meeting("fall", 1) is None


def test_words_in_favour_and_conflicts_come_back_in_order(ledger: SqlLedger) -> None:
    people(ledger)
    with ledger.write("fall") as tx:
        tx.insert_endorsement(2, text="a builder", by="ann")
        tx.insert_endorsement(1, text="writes well", by="bob")
        tx.add_conflicts([(2, 1), (0, 1), (2, 0)], source="test")

    said = [(e.application, e.text, e.by) for e in ledger.endorsements("fall")]
    assert said == [(2, "a builder", "ann"), (1, "writes well", "bob")]
    assert ledger.conflicts("fall") == ((0, 1), (2, 0), (2, 1))


def test_a_ledger_of_the_release_before_gets_its_tables_and_keeps_what_it_holds(
    shared_url: str,
) -> None:
    downgrade(shared_url, "0002")
    before = SqlLedger(shared_url)
    before.create_round(Round(id="2027", name="Season", unit="minutes", zone="UTC"))
    before.create_cycle("fall", round_id="2027", name="Fall", rules=RULES, by="ops")
    before.dispose()

    upgrade(shared_url)

    after = SqlLedger(shared_url)
    with after.write("fall") as tx:
        assert tx.open_meeting(1, by="ann")
    assert after.rules("fall") == RULES
    assert drift(shared_url) == []
    after.dispose()
