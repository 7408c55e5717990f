"""A conflict that was none, and the bar that a voided review makes, end by a further event."""

from dataclasses import replace

import pytest

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.people.reviewer import DeclineKind
from swapflow.domain.rules_versions import FIRST_ASKING
from swapflow.engine.lifecycle.launch import read_projection
from swapflow.errors import ConflictError, InvalidInputError, NotFoundError
from tests.engine.cycle_by_hand import CYCLE, World, applicant, reviewer, rules


def is_barred(world: World, application: int, judge: int) -> bool:
    projection = read_projection(CYCLE, ledger=world.ledger)
    pairs = set(zip(*(column.tolist() for column in projection.barred_pairs()), strict=True))
    assert projection.is_barred(application, judge) is ((application, judge) in pairs)
    return projection.is_barred(application, judge)


def voided() -> tuple[World, int, int, str]:
    """A program in which R1's first review was voided: the world, applicant, reviewer, request."""
    world = World(rules=rules(budget=60), roster=[reviewer(f"R{n}") for n in range(1, 4)])
    world.turn()
    task = world.waiting("R1")[0]
    world.submit(task, 0.7)
    world.product.scores.void([task.id], by="ops", reason="the wrong file")
    world.turn()
    return world, task.application, task.reviewer, task.id


def test_a_conflict_that_was_none_is_taken_back_and_the_reviewer_may_be_asked() -> None:
    world = World(rules=rules(budget=60), roster=3)
    world.turn()
    a, r = 4, 2
    name, judge = world.names()[a], world.people()[r]
    world.product.reviewers.add_conflicts(CYCLE, [(name, judge)], source="test")
    assert is_barred(world, a, r)

    world.product.reviewers.remove_conflict(CYCLE, name, judge, by="ops", reason="a namesake")

    assert not is_barred(world, a, r)
    assert (a, r) not in world.ledger.conflicts(CYCLE)
    (event,) = world.events(EventType.CONFLICT_REMOVED)
    assert dict(event.payload) == {"a": a, "r": r}
    with pytest.raises(InvalidInputError, match="no conflict"):
        world.product.reviewers.remove_conflict(CYCLE, name, judge, by="ops", reason="again")
    world.run()
    world.check()
    world.verify()


def test_a_conflict_that_a_reviewer_declared_is_taken_back_too() -> None:
    world = World(rules=rules(budget=60), roster=3)
    world.turn()
    task = world.waiting("R1")[0]
    world.product.tasks.decline(task.id, DeclineKind.CONFLICT, by="R1")
    name = world.names()[task.application]

    world.product.reviewers.remove_conflict(CYCLE, name, "R1", by="ops", reason="misread a name")

    assert not is_barred(world, task.application, task.reviewer)
    world.run()
    world.verify()


def test_a_review_that_counts_bars_whatever_becomes_of_a_conflict() -> None:
    world = World(rules=rules(budget=60), roster=3)
    world.turn()
    task = world.waiting("R1")[0]
    world.submit(task, 0.7)
    name = world.names()[task.application]
    world.product.reviewers.add_conflicts(CYCLE, [(name, "R1")], source="test")

    world.product.reviewers.remove_conflict(CYCLE, name, "R1", by="ops", reason="none")

    assert is_barred(world, task.application, task.reviewer)
    world.verify()


def test_a_conflict_of_one_address_stays_until_the_address_is_corrected() -> None:
    world = World(rules=rules(budget=60), roster=0, applications=0, launch=False)
    world.hire([reviewer(f"R{n}", email=f"r{n}@x.example.org") for n in range(1, 4)])
    world.admit([applicant(f"A{n:03d}", email=f"r{n}@x.example.org") for n in range(1, 10)])
    assert (0, 0) in world.ledger.conflicts(CYCLE)

    with pytest.raises(ConflictError, match="mail address"):
        world.product.reviewers.remove_conflict(CYCLE, "A001", "R1", by="ops", reason="none")


@pytest.mark.parametrize(
    ("applicant_id", "judge", "reason", "error"),
    [
        ("A001", "R1", " ", InvalidInputError),
        ("A999", "R1", "none", NotFoundError),
        ("A001", "R9", "none", NotFoundError),
    ],
)
def test_what_cannot_be_taken_back_writes_nothing(
    applicant_id: str, judge: str, reason: str, error: type[Exception]
) -> None:
    world = World(rules=rules(budget=60), roster=3)
    before = world.cycle.position

    for act in (world.product.reviewers.remove_conflict, world.product.reviewers.lift_bar):
        with pytest.raises(error):
            act(CYCLE, applicant_id, judge, by="ops", reason=reason)

    assert world.cycle.position == before


def test_a_voided_review_bars_until_staff_lift_it_and_once_is_enough() -> None:
    world, a, r, _ = voided()
    name = world.names()[a]
    assert is_barred(world, a, r)

    first = world.product.reviewers.lift_bar(CYCLE, name, "R1", by="ops", reason="may look anew")
    again = world.product.reviewers.lift_bar(CYCLE, name, "R1", by="ops", reason="may look anew")

    assert (first, again) == (True, False)
    assert len(world.events(EventType.BAR_LIFTED)) == 1
    assert not is_barred(world, a, r)
    world.run()
    world.check()
    world.verify()


def test_after_the_bar_is_lifted_the_reviewer_is_asked_again_where_nobody_else_is() -> None:
    world = World(rules=rules(budget=60), roster=[reviewer("R1")])
    world.turn()
    task = world.waiting("R1")[0]
    world.submit(task, 0.7)
    world.product.scores.void([task.id], by="ops", reason="the wrong file")
    name = world.names()[task.application]

    world.product.reviewers.lift_bar(CYCLE, name, "R1", by="ops", reason="may look anew")
    world.product.applicants.ask(CYCLE, name, "review", by="ops", reason="anew")
    world.run()

    asked = world.ledger.assignments(CYCLE, reviewer=0, application=task.application)
    assert len(asked) == 2
    world.check()
    world.verify()


def test_a_restored_review_bars_anew_and_so_does_another_void() -> None:
    world, a, r, task = voided()
    name = world.names()[a]
    world.product.reviewers.lift_bar(CYCLE, name, "R1", by="ops", reason="may look anew")

    world.product.scores.restore([task], by="ops", reason="the right file")
    assert is_barred(world, a, r)
    with pytest.raises(InvalidInputError, match="nothing to lift"):
        world.product.reviewers.lift_bar(CYCLE, name, "R1", by="ops", reason="may look anew")
    world.later(minutes=1)
    world.product.scores.void([task], by="ops", reason="wrong all the same")

    assert is_barred(world, a, r)
    assert world.product.reviewers.lift_bar(CYCLE, name, "R1", by="ops", reason="anew")
    assert not is_barred(world, a, r)
    world.verify()


def test_the_bar_stays_where_another_one_stands_beside_it() -> None:
    world, a, r, _ = voided()
    name = world.names()[a]
    world.product.reviewers.add_conflicts(CYCLE, [(name, "R1")], source="test")

    with pytest.raises(ConflictError, match="in conflict"):
        world.product.reviewers.lift_bar(CYCLE, name, "R1", by="ops", reason="anew")

    assert is_barred(world, a, r)


def test_programs_that_ask_nobody_twice_go_on_so() -> None:
    first = replace(rules(budget=60), asking=FIRST_ASKING)
    world = World(rules=first, roster=[reviewer(f"R{n}") for n in range(1, 4)], launch=False)
    with world.ledger.write(CYCLE) as tx:  # as the release before launched it
        tx.record(EventType.LAUNCHED, {"rules": 1})
        tx.set_status(CycleStatus.RUNNING)
    world.turn()
    task = world.waiting("R1")[0]
    world.submit(task, 0.7)
    world.product.scores.void([task.id], by="ops", reason="x")
    name = world.names()[task.application]
    world.product.reviewers.add_conflicts(CYCLE, [(name, "R1")], source="test")
    world.product.reviewers.remove_conflict(CYCLE, name, "R1", by="ops", reason="none")

    with pytest.raises(ConflictError, match="no reviewer was asked twice"):
        world.product.reviewers.lift_bar(CYCLE, name, "R1", by="ops", reason="anew")

    assert is_barred(world, task.application, task.reviewer)
    world.verify()
