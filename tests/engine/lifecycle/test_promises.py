"""A late applicant whose promised reviews the free budget cannot pay is named, and can be paid."""

from dataclasses import replace

import pytest

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.rules import DispatchMode, Floor, KindRules, Purpose, SeatLine
from swapflow.errors import ConflictError, InvalidInputError
from tests.engine.cycle_by_hand import CYCLE, RULES, World, applicant, reviewer


PAID = replace(
    RULES,
    purpose=Purpose.REAL,
    lines=(SeatLine(name="all", places=1),),
    kinds=(KindRules(name="review", cost=20, gain=1.0, maximum=2),),
    floors=(Floor(kind="review", count=2),),
    budget=4 * 2 * 20 + 15 + 225,
    reserve=225 / (4 * 2 * 20 + 15 + 225),
    quotas=(),
)
"""Four applicants' promises, 15 free and 225 kept for staff."""


def late(world: World) -> None:
    """Answer all reviews, and admit one more applicant."""
    world.turn()
    world.run()
    world.admit([applicant("LATE")])
    world.turn()


def test_what_a_late_applicant_is_promised_is_reckoned_before_and_after_the_import() -> None:
    world = World(rules=PAID, applications=4, roster=4)
    world.turn()

    before = world.product.cycles.promises(CYCLE)
    coming = world.product.cycles.promises(CYCLE, [applicant("LATE")])
    world.admit([applicant("LATE")])
    world.turn()
    after = world.product.cycles.promises(CYCLE)

    assert before is not None
    assert coming is not None
    assert (before.short, before.message) == (0, None)
    assert (coming.applicants, coming.needed, coming.free, coming.reserve) == (
        ("LATE",),
        40,
        15,
        225,
    )
    assert after == coming
    assert str(coming.message) == (
        "1 applicant lacks promised reviews that cost 40 minutes: 15 are free, and 25 of the 225 "
        "kept for staff would pay the rest (`swapflow cycle reserve CYCLE --take`)"
    )
    assert "LATE" not in {name for name, _ in world.asked()}, "the reserve is not spent unasked"


def test_the_reserve_pays_what_is_missing_and_no_more() -> None:
    world = World(rules=PAID, applications=4, roster=4)
    late(world)

    with pytest.raises(ConflictError, match="not 24"):
        world.product.cycles.take_from_reserve(CYCLE, by="ops", reason="late", shown=24)
    taken = world.product.cycles.take_from_reserve(CYCLE, by="ops", reason="late", shown=25)
    world.turn()

    found = world.product.cycles.promises(CYCLE)
    assert taken == 25
    assert found is not None
    assert (found.short, found.reserve) == (0, 200)
    assert "LATE" in {name for name, _ in world.asked()}
    assert world.stands(CycleStatus.RUNNING), "a stop that was proposed is lifted"
    with pytest.raises(InvalidInputError, match="nothing was changed"):
        world.product.cycles.take_from_reserve(CYCLE, by="ops", reason="again")
    world.run()
    world.verify()


def test_a_stop_with_money_left_says_what_the_money_is_for() -> None:
    world = World(rules=PAID, applications=4, roster=4)
    late(world)

    seen = world.product.reports.progress(CYCLE)

    assert seen.stop_reason
    assert seen.budget - seen.spent - seen.committed > 0
    assert "used up" not in seen.stop_sentence
    assert "kept for requests of staff" in seen.stop_sentence


def test_a_stop_with_nothing_left_says_that_the_budget_was_used_up() -> None:
    more = (replace(PAID.kinds[0], maximum=4),)
    spent = replace(PAID, kinds=more, reserve=0.0, budget=4 * 2 * 20)
    world = World(rules=spent, applications=4, roster=4)
    world.run()

    seen = world.product.reports.progress(CYCLE)

    assert seen.stop_reason == "budget"
    assert seen.budget == seen.spent
    assert seen.stop_sentence == "The budget was used up."
    assert world.product.cohort.propose(CYCLE).sheet.stop_sentence == seen.stop_sentence


def test_what_the_reserve_cannot_pay_needs_a_larger_budget() -> None:
    world = World(rules=replace(PAID, reserve=0.0, budget=175), applications=4, roster=4)
    world.turn()

    found = world.product.cycles.promises(CYCLE, [applicant("LATE"), applicant("LATER")])

    assert found is not None
    assert (found.short, found.from_reserve, found.beyond) == (65, 0, 65)
    assert "the budget is short by 65" in str(found.message)


def test_before_the_launch_nothing_is_owed() -> None:
    world = World(rules=PAID, applications=4, roster=4, launch=False)
    assert world.product.cycles.promises(CYCLE) is None


@pytest.mark.parametrize("dispatch", list(DispatchMode))
def test_requests_that_wait_for_approval_say_that_they_hold_the_rest_up(
    dispatch: DispatchMode,
) -> None:
    kinds = (
        KindRules(name="review", cost=20, gain=1.0, maximum=2),
        KindRules(
            name="interview", cost=20, gain=3.0, maximum=1, approval=True, requires="review"
        ),
    )
    floors = (Floor(kind="review", count=1), Floor(kind="interview", count=1))
    rules = replace(PAID, kinds=kinds, floors=floors, budget=900, dispatch=dispatch)
    both = {"review": None, "interview": None}
    roster = [reviewer(f"R{n}", capacity=both) for n in range(1, 5)]
    world = World(rules=rules, applications=2, roster=roster)
    world.turn()
    assert world.product.cycles.held_by_approvals(CYCLE) is None
    while world.waiting():
        world.answer_all()
        world.turn()

    held = str(world.product.cycles.held_by_approvals(CYCLE))
    waiting = world.product.approvals.proposed(CYCLE)
    assert waiting
    word = (
        "the next decision waits" if dispatch is DispatchMode.LOCKSTEP else "nothing else is out"
    )
    assert word in held

    world.product.approvals.approve(CYCLE, [one[0] for one in waiting], by="ops")
    world.turn()
    assert world.product.cycles.held_by_approvals(CYCLE) is None
