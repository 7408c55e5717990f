"""Panels: several seats, a quorum, one score."""

from dataclasses import replace

from swapflow.domain.people.reviewer import DeclineKind
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus, PullStatus
from swapflow.domain.reviewing.score import Late
from swapflow.domain.rules import DispatchMode, KindRules, Purpose
from swapflow.engine.lifecycle.launch import read_projection
from swapflow.engine.selection.situation import situation_of
from tests.engine.answered_cycles import pull_status
from tests.engine.cycle_by_hand import (
    CYCLE,
    World,
    rules,
)


PANEL = KindRules(name="review", cost=2, gain=3.0, maximum=2, seats=3, quorum=2)


PANELS = rules(kinds=(PANEL,), budget=16, purpose=Purpose.REAL)


def seats_of_one(world: World) -> list[Assignment]:
    world.turn()
    first = world.waiting()[0].pull_id
    return [a for a in world.waiting() if a.pull_id == first]


def test_the_quorum_closes_a_panel_and_the_seats_left_over_are_cancelled() -> None:
    world = World(rules=PANELS)
    one, two, three = seats_of_one(world)

    world.submit(one, 0.4)
    assert world.tally().information[one.application] == 0
    world.submit(two, 0.8)

    assert world.tally().information[one.application] == 3_000
    assert world.tally().numerator[one.application] == 3_000 * 600_000
    assert pull_status(world, one.pull_id) is PullStatus.CLOSED
    assert world.ledger.assignment(three.id).status is AssignmentStatus.CANCELLED
    assert not world.submit(three, 0.0).counts
    world.turn()
    world.check()
    world.verify()


def test_a_panel_is_one_score_to_the_model_and_to_the_certificate() -> None:
    world = World(rules=replace(PANELS, dispatch=DispatchMode.LOCKSTEP))
    world.run()

    situation = situation_of(read_projection(CYCLE, ledger=world.ledger), world.arms())

    assert situation.situation.scores.mark.size == 8
    assert set(situation.situation.scores.reviewer.tolist()) == {-1}
    assert (
        situation.situation.settled_information.tolist()
        == situation.situation.information.tolist()
    )
    assert situation.situation.settled_mean.tolist() == situation.situation.mean.tolist()


def test_a_panel_whose_answer_was_voided_asks_another_and_comes_to_its_end() -> None:
    world = World(rules=PANELS, roster=5)
    one, two, _ = seats_of_one(world)
    world.submit(one, 0.4)
    world.product.tasks.decline(two.id, DeclineKind.CONFLICT, by="themselves")
    world.product.scores.void([one.id], by="ops", reason="wrong person")
    world.turn()

    live = [a for a in world.waiting() if a.pull_id == one.pull_id]
    assert {a.seat for a in live} == {1, 2, 3}
    assert {a.reviewer for a in live}.isdisjoint({one.reviewer, two.reviewer})
    world.run()
    assert pull_status(world, one.pull_id) is PullStatus.CLOSED
    assert not world.standing()[one.id].counts
    assert sum(s.counts for s in world.standing().values() if s.pull_id == one.pull_id) == 2
    world.verify()


def test_a_panel_goes_on_without_a_seat_that_nobody_can_take_if_the_quorum_can_be_met() -> None:
    world = World(rules=PANELS, roster=3)
    one, two, three = seats_of_one(world)
    world.product.tasks.decline(three.id, DeclineKind.CONFLICT, by="themselves")
    world.turn()
    assert pull_status(world, one.pull_id) is PullStatus.OPEN

    world.submit(one, 0.5)
    world.submit(two, 0.5)

    assert pull_status(world, one.pull_id) is PullStatus.CLOSED


def test_a_panel_that_cannot_reach_its_quorum_is_given_up_and_named() -> None:
    world = World(rules=PANELS, roster=3)
    one, two, _ = seats_of_one(world)
    committed = world.cycle.committed
    world.product.tasks.decline(one.id, DeclineKind.CONFLICT, by="themselves")
    world.product.tasks.decline(two.id, DeclineKind.CONFLICT, by="themselves")
    world.turn()

    assert pull_status(world, one.pull_id) is PullStatus.CANCELLED
    assert world.cycle.committed == committed - 2
    assert world.names()[one.application] in {
        name for name, _, _ in world.product.reports.progress(CYCLE).blocked
    }
    world.check()


def test_a_late_answer_never_takes_the_place_of_another_one_on_the_same_seat() -> None:
    panel = replace(PANEL, window_days=7, maximum=1)
    world = World(rules=replace(PANELS, kinds=(panel,), budget=40), roster=7)
    late, *_ = seats_of_one(world)
    world.later(days=8)
    world.turn()
    other = next(a for a in world.waiting() if (a.pull_id, a.seat) == (late.pull_id, late.seat))
    world.submit(other, 0.2)
    assert pull_status(world, late.pull_id) is PullStatus.OPEN

    receipt = world.submit(late, 0.8)

    assert receipt.counts
    assert world.standing()[late.id].late is Late.EXTRA
    world.run()
    world.check()
    world.verify()
