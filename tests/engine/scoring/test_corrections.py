"""Scores that are corrected or voided."""

import pytest

from swapflow.domain.reviewing.score import Answer, NotCounted
from swapflow.domain.rules import DispatchMode
from swapflow.errors import (
    CycleFinalizedError,
)
from tests.engine.answered_cycles import RIGHT, answered
from tests.engine.cycle_by_hand import (
    CYCLE,
    World,
    assert_same_numbers,
    rules,
)


def test_corrections_end_in_the_same_integers_as_if_given_right_the_first_time(
    url: str,
) -> None:
    wrong = World(url=url, rules=rules(dispatch=DispatchMode.LOCKSTEP, budget=8))
    wrong.turn()
    wrong.answer_all(lambda *_: 0.123)
    for name, score in list(wrong.standing().items()):
        right = RIGHT[wrong.names()[score.application]]
        answer = Answer(assignment_id=name, utility=right)
        wrong.product.scores.correct(answer, by="ops", reason="typo")
    wrong.turn()

    right_world = answered(RIGHT)
    assert_same_numbers(wrong.arms(), right_world.arms())
    assert wrong.cohort() == right_world.cohort() == ["A006", "A007", "A008"]
    assert len(wrong.ledger.scores(CYCLE)) == 16
    wrong.verify()
    wrong.ledger.dispose()


def test_a_voided_score_counts_no_more_and_stays_on_record_and_its_cost_stays_spent() -> None:
    world = answered(RIGHT)
    victim = next(iter(world.standing()))

    assert world.product.scores.void([victim], by="ops", reason="wrong person") == 1
    assert world.product.scores.void([victim], by="ops", reason="again") == 0

    assert [s.counts for s in world.ledger.scores(CYCLE) if s.assignment_id == victim] == [
        True,
        False,
    ]
    number = world.standing()[victim].application
    assert world.tally().information[number] == 0
    assert world.cycle.spent == 8


def test_voiding_a_reviewer_voids_all_their_scores_and_nobody_elses() -> None:
    world = World(rules=rules(budget=16, dispatch=DispatchMode.LOCKSTEP))
    world.run()
    scores = world.standing().values()
    theirs = {s.assignment_id for s in scores if world.people()[s.reviewer] == "R2"}

    voided = world.product.scores.void_reviewer(
        CYCLE, "R2", by="ops", reason="undeclared conflict"
    )

    assert voided == len(theirs) > 0
    assert {n for n, s in world.standing().items() if not s.counts} == theirs
    world.check()


def test_a_mark_changed_after_others_were_seen_is_kept_and_does_not_count() -> None:
    world = answered(RIGHT)
    name = next(iter(world.standing()))
    answer = Answer(assignment_id=name, utility=1.0)

    world.product.scores.correct(answer, by="ops", reason="second thoughts", saw_others=True)

    score = world.standing()[name]
    assert (score.value, score.counts, score.reason) == (1_000_000, False, NotCounted.SAW_OTHERS)


def test_corrections_and_voids_are_refused_after_the_freeze() -> None:
    world = answered(RIGHT)
    world.product.cohort.finalize(CYCLE, by="chair")
    name = next(iter(world.standing()))

    with pytest.raises(CycleFinalizedError):
        world.product.scores.correct(
            Answer(assignment_id=name, utility=0.1), by="ops", reason="late"
        )
    with pytest.raises(CycleFinalizedError):
        world.product.scores.void([name], by="ops", reason="late")
