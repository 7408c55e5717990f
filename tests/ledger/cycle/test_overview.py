"""What the long lists read, on every database."""

from dataclasses import replace
from datetime import timedelta

import pytest

from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.ledger.sql_ledger import SqlLedger
from tests.ledger.examples import NOON, applicant, pull, reviewer, score, seat


def test_the_last_move_of_an_applicant_is_the_later_of_asking_and_answering(
    ledger: SqlLedger,
) -> None:
    first, second = pull(0), pull(1)
    answered, waiting = seat(first), seat(second)
    with ledger.write("fall") as tx:
        tx.add_applications([applicant(f"a{n}") for n in range(3)], [1, 2, 3], wave=1)
        tx.add_reviewers([reviewer("r0")])
        tx.insert_pulls([first, second])
        tx.insert_assignments([answered, waiting])
        tx.insert_scores([score(answered)], marks=[{}], remarks=[""])

    moves = ledger.last_moves("fall", [0, 1, 2])

    assert {number: answer for number, (_, answer) in moves.items()} == {0: True, 1: False}
    assert moves[1][0] == waiting.created_at
    assert all(at.utcoffset() is not None for at, _ in moves.values())
    assert ledger.last_moves("fall", []) == {}
    assert ledger.last_moves("elsewhere", [0]) == {}


@pytest.mark.parametrize(("days", "median"), [([3, 1, 9], 3), ([3, 1, 9, 4], 3.5), ([2], 2)])
def test_the_median_of_a_reviewer_is_of_the_days_that_answers_took(
    ledger: SqlLedger, days: list[int], median: float
) -> None:
    pulls = [pull(number) for number in range(len(days) + 1)]
    late = NOON - timedelta(days=400)
    seats = [
        seat(one, created_at=NOON - timedelta(days=took))
        for one, took in zip(pulls, days, strict=False)
    ]
    waiting = seat(pulls[-1], due_at=late)
    with ledger.write("fall") as tx:
        names = [applicant(f"a{n}") for n in range(len(pulls))]
        tx.add_applications(names, list(range(1, len(pulls) + 1)), wave=1)
        tx.add_reviewers([reviewer("r0"), reviewer("r1")])
        tx.insert_pulls(pulls)
        tx.insert_assignments([*seats, waiting])
        tx.insert_scores(
            [score(one) for one in seats], marks=[{} for _ in seats], remarks=["" for _ in seats]
        )
        # Corrections say nothing about how long an answer took.
        corrected = [
            replace(score(one, revision=2), submitted_at=NOON + timedelta(days=30))
            for one in seats
        ]
        tx.insert_scores(corrected, marks=[{} for _ in seats], remarks=["" for _ in seats])
        tx.move_assignments(
            [one.id for one in seats],
            AssignmentStatus.SCORED,
            allowed={AssignmentStatus.QUEUED},
        )

    (load,) = ledger.loads("fall").values()

    assert (load.median_days, load.done, load.last_at) == (median, len(days), NOON)
    assert (load.waiting, load.overdue) == (1, 1)
    assert ledger.loads("elsewhere") == {}


def test_names_are_read_of_those_asked_for_alone(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.add_applications([applicant(f"a{n}") for n in range(3)], [1, 2, 3], wave=1)

    assert [one.external_id for one in ledger.named("fall", {2, 0, 7})] == ["a0", "a2"]
    assert [one.external_id for one in ledger.named("fall")] == ["a0", "a1", "a2"]
    assert ledger.named("fall", ()) == ()
