"""What the ledger promises of pulls, assignments and scores, on every database."""

from dataclasses import replace
from datetime import timedelta

import pytest

from swapflow.domain.reviewing.assignment import AssignmentStatus, PullStatus
from swapflow.errors import NotFoundError
from swapflow.ledger.sql_ledger import SqlLedger
from tests.ledger.examples import (
    NOON,
    applicant,
    people,
    pull,
    reviewer,
    score,
    seat,
)


OPEN = (AssignmentStatus.QUEUED, AssignmentStatus.DELIVERED, AssignmentStatus.OPENED)


def test_pulls_and_assignments_inserted_twice_are_there_once_and_unchanged(
    ledger: SqlLedger,
) -> None:
    people(ledger)
    one, panel = pull(0), pull(1, kind=1)
    seats = [seat(panel, 1, number=2), seat(panel, 0), seat(one, due_at=NOON)]
    with ledger.write("fall") as tx:
        tx.insert_pulls([panel, one])
        tx.insert_assignments(seats)
    with ledger.write("fall") as tx:
        tx.insert_pulls([replace(one, status=PullStatus.CLOSED), pull(2)])
        tx.insert_assignments([replace(seats[2], packet=9)])

    assert ledger.pulls("fall") == (one, panel, pull(2))
    assert ledger.assignments("fall") == (seats[2], seats[1], seats[0])
    assert ledger.assignment(seats[0].id) == seats[0]
    with pytest.raises(NotFoundError):
        ledger.assignment("fall:9:review:1:1.1")


def test_filters_choose_and_no_filter_takes_all(ledger: SqlLedger) -> None:
    people(ledger)
    pulls = [pull(0), pull(0, 2), pull(1)]
    seats = [seat(pulls[0], 0), seat(pulls[1], 1), seat(pulls[2], 1)]
    with ledger.write("fall") as tx:
        tx.insert_pulls(pulls)
        tx.insert_assignments(seats)
        tx.move_pulls([pulls[1].id], PullStatus.CLOSED, allowed=[PullStatus.OPEN])
        assert [p.id for p in tx.open_pulls()] == [pulls[0].id, pulls[2].id]
        assert [p.id for p in tx.open_pulls_of(0)] == [pulls[0].id]
        assert tx.next_ordinal(0, 0) == 3
        assert tx.next_ordinal(0, 1) == 1
        assert list(tx.pulls([pulls[2].id, "nothing"])) == [pulls[2].id]
        assert tx.assignments([seats[0].id, "nothing"]) == {seats[0].id: seats[0]}
        assert tx.assignments_of([pulls[2].id, pulls[0].id]) == (seats[0], seats[2])
        assert tx.assignments_of_reviewer(1, OPEN) == (seats[1], seats[2])
        assert tx.assignments_of_reviewer(1, [AssignmentStatus.SCORED]) == ()

    assert len(ledger.pulls("fall", application=0)) == 2
    assert ledger.pulls("fall", statuses=[PullStatus.OPEN]) == (pulls[0], pulls[2])
    assert ledger.assignments("fall", reviewer=1, application=1) == (seats[2],)
    assert ledger.assignments("fall", statuses=[AssignmentStatus.SCORED]) == ()
    assert ledger.counts("fall") == {(0, "queued"): 3}


def test_only_what_stands_in_an_allowed_status_is_moved_and_counted(ledger: SqlLedger) -> None:
    people(ledger)
    pulls = [pull(i) for i in range(3)]
    seats = [seat(p) for p in pulls]
    ids = [s.id for s in seats]
    with ledger.write("fall") as tx:
        tx.insert_pulls(pulls)
        tx.insert_assignments(seats)
        assert tx.move_assignments(ids[:1], AssignmentStatus.SCORED, allowed=OPEN) == 1
        assert tx.move_assignments(ids, AssignmentStatus.DECLINED, allowed=OPEN) == 2
        assert tx.move_assignments(ids, AssignmentStatus.EXPIRED, allowed=OPEN) == 0
        assert tx.move_assignments([], AssignmentStatus.EXPIRED, allowed=OPEN) == 0
        closing = tx.move_pulls([pulls[0].id], PullStatus.CLOSED, allowed=[PullStatus.PROPOSED])
        assert closing == 0

    assert [a.status for a in ledger.assignments("fall")] == [
        AssignmentStatus.SCORED,
        AssignmentStatus.DECLINED,
        AssignmentStatus.DECLINED,
    ]


def test_the_next_ordinal_counts_what_was_inserted_before_however_often_it_is_asked(
    ledger: SqlLedger,
) -> None:
    people(ledger)
    with ledger.write("fall") as tx:
        tx.insert_pulls([pull(0), pull(0, 2), pull(1, kind=1)])
        asked = [tx.next_ordinal(0, 0) for _ in range(30)]
        tx.insert_pulls([pull(0, 3)])
        again = [tx.next_ordinal(0, 0), tx.next_ordinal(1, 1), tx.next_ordinal(2, 0)]

    assert asked == [3] * 30
    assert again == [4, 2, 1]


def test_long_lists_of_ids_are_handled_whole(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.add_applications([applicant(f"a{i}") for i in range(2000)], [1] * 2000, wave=1)
        tx.add_reviewers([reviewer("r")])
        pulls = [pull(i) for i in range(2000)]
        tx.insert_pulls(pulls)
        tx.insert_assignments([seat(p) for p in pulls])
        ids = [seat(p).id for p in pulls]
        assert tx.move_assignments(ids, AssignmentStatus.EXPIRED, allowed=OPEN) == 2000
        assert len(tx.pulls([p.id for p in pulls])) == 2000
        assert len(tx.applications(range(2000))) == 2000


def test_a_leaving_reviewer_loses_open_assignments_only(ledger: SqlLedger) -> None:
    people(ledger)
    pulls = [pull(i) for i in range(3)]
    seats = [seat(pulls[0], 0), seat(pulls[1], 0), seat(pulls[2], 1)]
    with ledger.write("fall") as tx:
        tx.insert_pulls(pulls)
        tx.insert_assignments(seats)
        tx.move_assignments([seats[0].id], AssignmentStatus.SCORED, allowed=OPEN)
    with ledger.write("fall") as tx:
        ended = tx.end_assignments_of(0)

    assert [(a.id, a.status) for a in ended] == [(seats[1].id, AssignmentStatus.EXPIRED)]
    assert [a.status.value for a in ledger.assignments("fall")] == ["scored", "expired", "queued"]


def test_overdue_assignments_come_oldest_first_and_move_with_a_pause(ledger: SqlLedger) -> None:
    people(ledger)
    now = ledger.now()
    pulls = [pull(i) for i in range(3)] + [pull(0, 2)]
    hours = [-1, -2, 1]
    seats = [
        seat(p, due_at=now + timedelta(hours=h)) for p, h in zip(pulls[:3], hours, strict=True)
    ]
    with ledger.write("fall") as tx:
        tx.insert_pulls(pulls)
        tx.insert_assignments([*seats, seat(pulls[3])])
        assert [a.application for a in tx.overdue(at_most=9)] == [1, 0]
        assert [a.application for a in tx.overdue(at_most=1)] == [1]
    assert ledger.due_work("fall").overdue

    with ledger.write("fall") as tx:
        tx.shift_due_times(timedelta(hours=1, minutes=30))
        assert [a.application for a in tx.overdue(at_most=9)] == [1]
        tx.move_assignments([seats[1].id], AssignmentStatus.EXPIRED, allowed=OPEN)

    assert not ledger.due_work("fall").overdue
    ledger.set_clock_offset(7200)
    assert ledger.due_work("fall").overdue
    assert ledger.assignment(seats[0].id).due_at == now + timedelta(minutes=30)


def test_the_highest_revision_of_a_score_stands_and_all_are_kept(ledger: SqlLedger) -> None:
    people(ledger)
    pulls = [pull(0), pull(1)]
    seats = [seat(pulls[0], 0), seat(pulls[1], 1)]
    first, second = score(seats[0], 500_000), score(seats[1], 1_000_000)
    corrected = score(seats[0], 0, revision=2)
    with ledger.write("fall") as tx:
        tx.insert_pulls(pulls)
        tx.insert_assignments(seats)
        tx.insert_scores([second], marks=[{"craft": 5.0, "care": None}], remarks=[""])
        tx.insert_scores([first], marks=[{"craft": 3.0}], remarks=["solid"])
    with ledger.write("fall") as tx:
        tx.insert_scores([corrected], marks=[{}], remarks=["solid, but late"])
        assert tx.standing_scores([p.id for p in pulls]) == (corrected, second)
        assert tx.scores_of_assignments([seats[0].id, "none"]) == (corrected,)
        assert tx.scores_of_reviewer(0) == (corrected,)

    assert ledger.scores("fall") == (second, first, corrected)
    assert ledger.scores("fall", application=1) == (second,)
    assert ledger.remarks("fall") == ((seats[0].id, "solid, but late"),)
