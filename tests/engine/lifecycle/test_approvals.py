"""Requests that wait for approval: the reasons for each, and another in its place."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.reviewing.assignment import PullStatus
from swapflow.engine.lifecycle.approvals import PendingApproval
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.read_models.snapshot import Snapshot, SnapshotCache
from swapflow.errors import ConflictError, InvalidInputError, NotFoundError, NotReadyError
from tests.engine.cycle_by_hand import CYCLE, World, reviewers
from tests.engine.intake.rosters import APPROVED, BOTH


FEW = replace(APPROVED, kinds=(APPROVED.kinds[0], replace(APPROVED.kinds[1], total=2)))


def with_proposals() -> World:
    """A cycle in which two interviews wait for approval, and more applicants could have one."""
    world = World(rules=FEW, roster=reviewers(4, capacity=BOTH))
    for _ in range(6):
        world.turn()
        world.answer_all()
    return world


def first(world: World) -> PendingApproval:
    return world.product.approvals.pending(CYCLE)[0]


def test_each_request_says_which_decision_wanted_it_and_in_which_turn() -> None:
    world = with_proposals()

    waiting = world.product.approvals.pending(CYCLE)

    assert {one.kind for one in waiting} == {"interview"}
    assert {one.why for one in waiting} == {"rule"}
    assert all(one.decision > 0 and 1 <= one.turn <= one.of for one in waiting)
    assert any(one.contested_then for one in waiting)


def test_another_applicant_takes_the_place_at_the_same_cost_and_goes_out() -> None:
    world = with_proposals()
    one, committed = first(world), world.cycle.committed
    other = world.product.approvals.choices(CYCLE, one.pull.id).applicants[0]

    world.product.approvals.swap(
        CYCLE, one.pull.id, application=other.number, reviewer=None, by="chair", reason="away"
    )
    world.turn()

    assert world.cycle.committed == committed
    pulls = {p.id: p for p in world.ledger.pulls(CYCLE)}
    assert pulls[one.pull.id].status is PullStatus.CANCELLED
    assert [a.application for a in world.waiting()] == [other.number]
    assert one.pull.application not in {
        a.pull.application for a in world.product.approvals.pending(CYCLE)
    }
    world.check()
    world.verify()


def test_what_was_looked_at_before_the_cycle_moved_on_is_not_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = with_proposals()
    one = first(world)
    other, third = world.product.approvals.choices(CYCLE, one.pull.id).applicants[:2]
    folded = SnapshotCache.at_head

    @contextmanager
    def moved_on(cache: SnapshotCache, cycle_id: str, *, ledger: Ledger) -> Iterator[Snapshot]:
        with folded(cache, cycle_id, ledger=ledger) as seen:
            world.product.applicants.move(
                CYCLE, third.external_id, ApplicationStatus.WITHDRAWN, by="ops", reason="x"
            )
            yield seen

    monkeypatch.setattr(SnapshotCache, "at_head", moved_on)
    with pytest.raises(ConflictError):
        world.product.approvals.swap(
            CYCLE, one.pull.id, application=other.number, reviewer=None, by="chair", reason="away"
        )
    monkeypatch.undo()

    assert one.pull.id in {p.pull.id for p in world.product.approvals.pending(CYCLE)}
    world.verify()


def test_a_chosen_reviewer_is_the_one_who_is_asked() -> None:
    world = with_proposals()
    one = first(world)
    chosen = world.product.approvals.choices(CYCLE, one.pull.id).reviewers[-1]

    world.product.approvals.swap(
        CYCLE, one.pull.id, application=None, reviewer=chosen.number, by="chair", reason="expert"
    )
    world.turn()

    assert [(a.pull_id, a.reviewer) for a in world.waiting()] == [(one.pull.id, chosen.number)]
    world.check()
    world.verify()


def test_whoever_judged_the_applicant_before_is_not_offered_and_is_refused() -> None:
    world = with_proposals()
    one = first(world)
    asked = {a.reviewer for a in world.ledger.assignments(CYCLE, application=one.pull.application)}
    offered = {r.number for r in world.product.approvals.choices(CYCLE, one.pull.id).reviewers}
    seq = world.cycle.position

    assert asked
    assert not offered & asked
    for number in (*asked, -1, 99):
        with pytest.raises(InvalidInputError, match="may not be asked"):
            world.product.approvals.swap(
                CYCLE, one.pull.id, application=None, reviewer=number, by="chair", reason="no"
            )
    assert world.cycle.position == seq


def test_nobody_can_be_put_in_the_place_who_may_not_be_asked_about() -> None:
    world = with_proposals()
    one = first(world)
    seq = world.cycle.position
    offered = {a.number for a in world.product.approvals.choices(CYCLE, one.pull.id).applicants}
    others = {a.number for a in world.ledger.applications(CYCLE)} - offered

    for number in (*sorted(others - {one.pull.application}), 999):
        with pytest.raises(InvalidInputError, match="cannot be asked about"):
            world.product.approvals.swap(
                CYCLE, one.pull.id, application=number, reviewer=None, by="chair", reason="no"
            )
    with pytest.raises(InvalidInputError, match="choose another applicant"):
        world.product.approvals.swap(
            CYCLE, one.pull.id, application=None, reviewer=None, by="chair", reason="no"
        )
    assert world.cycle.position == seq


def test_what_was_approved_or_never_was_cannot_be_exchanged() -> None:
    world = with_proposals()
    one = first(world)
    world.product.approvals.approve(CYCLE, [one.pull.id], by="chair")

    with pytest.raises(NotReadyError):
        world.product.approvals.swap(
            CYCLE, one.pull.id, application=0, reviewer=None, by="chair", reason="late"
        )
    for what in (one.pull.id, "fall:0:interview:9"):
        with pytest.raises(NotFoundError):
            world.product.approvals.choices(CYCLE, what)
    with pytest.raises(NotFoundError):
        world.product.approvals.swap(
            CYCLE, "elsewhere:0:interview:1", application=0, reviewer=None, by="c", reason="r"
        )
