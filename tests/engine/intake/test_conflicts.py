"""Conflicts and panels that are recorded late: what is out, and what is done."""

from dataclasses import replace

import pytest

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.people.reviewer import DeclineKind
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus
from swapflow.domain.rules import Purpose
from swapflow.engine.scoring.volunteered import Volunteered
from swapflow.errors import CycleFinalizedError, InvalidInputError
from tests.engine.cycle_by_hand import CYCLE, REVIEW, World, reviewer, reviewers, rules


ONCE = replace(REVIEW, maximum=1, window_days=7)
REAL = rules(kinds=(ONCE,), purpose=Purpose.REAL, budget=20)


def asked(world: World) -> tuple[Assignment, str, str]:
    """The first request that waits, with the ids of its applicant and reviewer."""
    first = world.waiting()[0]
    return first, world.names()[first.application], world.people()[first.reviewer]


def conflict(world: World, applicant: str, whom: str) -> int:
    return world.product.reviewers.add_conflicts(CYCLE, [(applicant, whom)], source="staff")


def named(world: World) -> list[tuple[str, str, str]]:
    return [
        (one.external_id, one.reviewer, one.source)
        for one in world.product.reviewers.conflicting_scores(CYCLE)
    ]


def test_a_late_conflict_takes_back_the_open_request_and_another_is_asked(url: str) -> None:
    world = World(url=url, rules=REAL)
    world.turn()
    first, applicant, whom = asked(world)

    taken_back = conflict(world, applicant, whom)

    assert taken_back == 1
    assert world.ledger.assignment(first.id).status is AssignmentStatus.CANCELLED
    world.turn()
    (again,) = [a for a in world.waiting() if a.pull_id == first.pull_id]
    assert again.reviewer != first.reviewer
    world.check()
    world.verify()
    world.ledger.dispose()


@pytest.mark.parametrize("imported", [True, False])
def test_a_review_that_a_person_admitted_is_not_complained_about_for_its_panel(
    imported: bool,
) -> None:
    world = World(rules=REAL, roster=reviewers(3))
    world.turn()
    known = {(a.application, a.reviewer) for a in world.ledger.assignments(CYCLE)}
    free = next(n for n in range(3) if (0, n) not in known)
    score = Volunteered(application=0, kind=0, reviewer=free, utility=0.5, typed_by="ops")
    (given,) = world.product.scores.volunteer(CYCLE, [score], imported=imported)
    world.product.scores.admit(given, by="ops", reason="of last year")
    panel = [(world.names()[0], world.people()[n]) for n in range(3) if n != free]

    world.product.reviewers.set_panel(CYCLE, panel)

    assert world.standing()[given].counts
    assert named(world) == []


def test_an_answer_after_the_conflict_is_kept_and_does_not_count() -> None:
    world = World(rules=REAL)
    world.turn()
    first, applicant, whom = asked(world)
    conflict(world, applicant, whom)
    world.turn()

    receipt = world.submit(first, 0.9)

    assert not receipt.counts
    assert world.standing()[first.id].value == 900_000
    assert named(world) == []
    world.check()
    world.verify()


def test_an_answer_to_a_lapsed_request_does_not_count_after_a_conflict() -> None:
    world = World(rules=REAL)
    world.turn()
    first, applicant, whom = asked(world)
    world.later(days=8)
    world.turn()
    assert world.ledger.assignment(first.id).status is AssignmentStatus.EXPIRED

    conflict(world, applicant, whom)

    assert not world.submit(first, 0.9).counts
    world.check()
    world.verify()


def test_a_score_given_before_the_conflict_is_named_until_it_is_voided() -> None:
    world = World(rules=REAL)
    world.turn()
    first, applicant, whom = asked(world)
    world.submit(first, 0.9)

    assert conflict(world, applicant, whom) == 0

    assert named(world) == [(applicant, whom, "staff")]
    world.product.scores.void([first.id], by="ops", reason="in conflict")
    assert named(world) == []
    world.verify()


def test_a_score_is_named_no_more_once_it_is_waived_with_a_reason() -> None:
    world = World(rules=REAL)
    world.turn()
    first, applicant, whom = asked(world)
    world.submit(first, 0.9)
    conflict(world, applicant, whom)

    with pytest.raises(InvalidInputError):
        world.product.reviewers.waive_conflict(CYCLE, applicant, whom, by="ops", reason=" ")
    world.product.reviewers.waive_conflict(CYCLE, applicant, whom, by="ops", reason="met once")

    assert named(world) == []
    assert world.standing()[first.id].counts
    world.run()
    assert (first.application, first.reviewer) not in {
        (a.application, a.reviewer) for a in world.waiting()
    }
    world.verify()


def test_nothing_is_waived_once_the_list_is_final() -> None:
    world = World(rules=REAL)
    world.turn()
    first, applicant, whom = asked(world)
    world.submit(first, 0.9)
    conflict(world, applicant, whom)
    world.run()
    assert world.stands(CycleStatus.PROPOSED)
    world.product.cohort.finalize(CYCLE, by="chair")

    with pytest.raises(CycleFinalizedError):
        world.product.reviewers.waive_conflict(CYCLE, applicant, whom, by="ops", reason="late")


def test_a_decline_as_conflict_names_nothing_and_bars_the_pair() -> None:
    world = World(rules=REAL)
    world.turn()
    first, _, _ = asked(world)

    world.product.tasks.decline(first.id, DeclineKind.CONFLICT, by="themselves")

    assert world.ledger.assignment(first.id).status is AssignmentStatus.DECLINED
    assert named(world) == []
    world.turn()
    world.check()
    world.verify()


def test_a_late_panel_takes_back_what_others_have_and_names_what_they_said() -> None:
    world = World(rules=REAL)
    world.turn()
    first, applicant, whom = asked(world)
    second = next(a for a in world.waiting() if a.application != first.application)
    other, answered_by = world.names()[second.application], world.people()[second.reviewer]
    world.submit(second, 0.4)
    members = [p for p in world.people().values() if p not in {whom, answered_by}]

    taken_back = world.product.reviewers.set_panel(
        CYCLE, [(applicant, members[0]), (other, members[0])]
    )

    assert taken_back == 1
    assert world.ledger.assignment(first.id).status is AssignmentStatus.CANCELLED
    assert named(world) == [(other, answered_by, "panel")]
    world.turn()
    (again,) = [a for a in world.waiting() if a.pull_id == first.pull_id]
    assert world.people()[again.reviewer] == members[0]
    world.check()
    world.verify()


def test_a_panel_that_takes_none_of_a_kind_leaves_its_requests_where_they_are() -> None:
    roster = [reviewer("R1"), reviewer("R2"), reviewer("R3", capacity={})]
    world = World(rules=REAL, roster=roster)
    world.turn()
    _, applicant, _ = asked(world)

    assert world.product.reviewers.set_panel(CYCLE, [(applicant, "R3")]) == 0
    world.check()
