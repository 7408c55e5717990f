"""Reviews that nobody asked for: stored, and counted once staff admit them."""

from dataclasses import replace

import pytest

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.reviewing.score import NotCounted
from swapflow.engine.scoring.volunteered import Volunteered
from swapflow.errors import (
    InvalidInputError,
)
from tests.engine.answered_cycles import RIGHT, WEEKLY, answered, expired
from tests.engine.cycle_by_hand import (
    CYCLE,
    World,
    assert_same_numbers,
    marks,
    reviewers,
    rules,
)


def volunteered(world: World, *, application: int = 0, reviewer: int = 0) -> str:
    score = Volunteered(
        application=application, kind=0, reviewer=reviewer, utility=0.9, typed_by="ops"
    )
    return world.product.scores.volunteer(CYCLE, [score], imported=False)[0]


def test_a_volunteered_score_enters_no_estimate_until_staff_admit_it() -> None:
    world = answered(RIGHT)
    asked = {(a.application, a.reviewer) for a in world.ledger.assignments(CYCLE)}
    free = next(r for r in range(4) if (0, r) not in asked)
    before = world.tally()

    name = volunteered(world, reviewer=free)
    assert_same_numbers(world.tally(), before)
    world.product.scores.admit(name, by="ops", reason="knows the field")

    assert world.tally().information[0] == before.information[0] + 1_000
    assert world.tally().spent == before.spent
    with pytest.raises(InvalidInputError):
        world.product.scores.admit(name, by="ops", reason="again")
    world.turn()
    world.check()
    world.verify()


def test_an_asked_score_cannot_be_admitted() -> None:
    world = answered(RIGHT)
    with pytest.raises(InvalidInputError, match="volunteered"):
        world.product.scores.admit(next(iter(world.standing())), by="ops", reason="why not")


def test_nobody_counts_twice_by_volunteering_what_they_were_asked_for() -> None:
    world = answered(RIGHT)
    asked = next(a for a in world.ledger.assignments(CYCLE) if a.application == 0)
    name = volunteered(world, reviewer=asked.reviewer)

    with pytest.raises(InvalidInputError, match="only one score of a reviewer counts"):
        world.product.scores.admit(name, by="ops", reason="again")


def test_nobody_counts_twice_by_answering_late_what_they_volunteered() -> None:
    world = World(rules=replace(WEEKLY, budget=1000))
    late = expired(world)
    name = volunteered(world, application=late.application, reviewer=late.reviewer)
    world.product.scores.admit(name, by="ops", reason="came by mail")

    assert not world.submit(late, 0.9).counts
    assert world.standing()[late.id].reason == NotCounted.TWICE
    world.check()


def test_a_late_answer_counts_where_the_reviewers_other_score_was_voided() -> None:
    world = World(rules=replace(WEEKLY, budget=1000))
    late = expired(world)
    name = volunteered(world, application=late.application, reviewer=late.reviewer)
    world.product.scores.admit(name, by="ops", reason="came by mail")
    world.product.scores.void([name], by="ops", reason="another applicant's")

    assert world.submit(late, 0.9).counts
    world.check()
    world.verify()


def test_whoever_volunteered_is_not_asked_about_the_same_application() -> None:
    world = World(roster=reviewers(2), rules=rules(budget=8), launch=False)
    volunteered(world, application=0, reviewer=0)
    world.product.cycles.launch(CYCLE, by="ops")
    world.run(marks)

    by_r1 = [a for a in world.ledger.assignments(CYCLE) if (a.application, a.reviewer) == (0, 0)]
    assert len(by_r1) == 1  # the volunteered one
    assert ("A001", "R2") in world.asked()
    assert world.stands(CycleStatus.ENDED)
