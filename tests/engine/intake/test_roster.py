"""What reviewers and staff do in mid-cycle: decline, pause, approve, ask, come and go."""

from dataclasses import replace
from datetime import timedelta

import pytest

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.reviewer import Absence, DeclineKind
from swapflow.domain.reviewing.assignment import AssignmentStatus, PullReason, PullStatus
from swapflow.domain.rules import Purpose
from swapflow.engine.projection.pull_events import NOBODY_LEFT
from swapflow.engine.selection.assign import NoReviewer
from swapflow.errors import (
    AssignmentClosedError,
    InvalidInputError,
    InvalidRulesError,
    NotFoundError,
    NotReadyError,
)
from tests.engine.cycle_by_hand import CYCLE, INTERVIEW, REVIEW, World, reviewers, rules
from tests.engine.intake.rosters import APPROVED, BOTH


ONCE = replace(REVIEW, maximum=1, window_days=7)
REAL = rules(kinds=(ONCE,), purpose=Purpose.REAL, budget=20)


# Declines and expiry


def test_a_declined_request_goes_to_another_with_the_next_attempt(url: str) -> None:
    world = World(url=url, rules=REAL)
    world.turn()
    first = world.waiting()[0]

    world.product.tasks.decline(
        first.id, DeclineKind.UNQUALIFIED, by="themselves", reason="not me"
    )
    world.turn()

    (again,) = [a for a in world.waiting() if a.pull_id == first.pull_id]
    assert again.attempt == 2
    assert again.reviewer != first.reviewer
    assert world.cycle.committed == 8
    world.check()
    world.verify()
    world.ledger.dispose()


@pytest.mark.parametrize("kind", [kind for kind in DeclineKind if kind is not DeclineKind.MISSED])
def test_whoever_declined_is_never_asked_about_the_same_application_again(
    kind: DeclineKind,
) -> None:
    world = World(rules=rules(budget=30), roster=3)
    world.turn()
    first = world.waiting("R1")[0]
    pair = (first.application, first.reviewer)
    world.product.tasks.decline(first.id, kind, by="R1")

    world.run()

    asked = [(a.application, a.reviewer) for a in world.ledger.assignments(CYCLE)]
    assert asked.count(pair) == 1


def test_a_conflict_is_recorded_for_good() -> None:
    world = World(rules=REAL)
    world.turn()
    first = world.waiting()[0]

    world.product.tasks.decline(first.id, DeclineKind.CONFLICT, by="themselves")

    (event,) = world.events(EventType.CONFLICTS_ADDED)
    assert event.payload["pairs"] == [[first.application, first.reviewer]]


def test_whoever_is_busy_gets_nothing_new_until_that_day() -> None:
    world = World(rules=rules(budget=30, packet=1), roster=2)
    world.turn()
    (first,) = world.waiting("R1")
    today = world.ledger.now().date()
    busy = Absence(first=today, last=today + timedelta(days=3))
    world.product.tasks.decline(first.id, DeclineKind.BUSY, by="R1", busy=busy)

    for _ in range(3):
        world.turn()
        for assignment in world.waiting("R2"):
            world.submit(assignment, 0.5)
    assert world.waiting("R1") == ()
    world.later(days=4)
    world.turn()

    assert len(world.waiting("R1")) == 1


def test_what_was_declined_can_be_neither_answered_nor_declined() -> None:
    world = World(rules=REAL)
    world.turn()
    first = world.waiting()[0]
    world.product.tasks.decline(first.id, DeclineKind.BUSY, by="themselves")

    with pytest.raises(AssignmentClosedError):
        world.submit(first, 0.5)
    with pytest.raises(AssignmentClosedError):
        world.product.tasks.decline(first.id, DeclineKind.BUSY, by="themselves")


def test_with_nobody_left_to_ask_the_request_is_cancelled_released_and_named() -> None:
    world = World(rules=REAL, roster=2)
    world.turn()
    pull = world.waiting()[0].pull_id
    for _ in range(2):
        (live,) = [a for a in world.waiting() if a.pull_id == pull]
        world.product.tasks.decline(live.id, DeclineKind.CONFLICT, by="themselves")
        world.turn()

    assert world.ledger.pulls(CYCLE, application=0)[0].status is PullStatus.CANCELLED
    assert world.cycle.committed == 7
    assert world.product.reports.progress(CYCLE).blocked == (
        ("A001", "review", NoReviewer.CONFLICTS.value),
    )
    world.check()


def test_after_so_many_attempts_the_request_is_given_up() -> None:
    world = World(rules=replace(REAL, attempts=2), roster=6)
    world.turn()
    pull = world.waiting()[0].pull_id
    for _ in range(2):
        (live,) = [a for a in world.waiting() if a.pull_id == pull]
        world.product.tasks.decline(live.id, DeclineKind.UNQUALIFIED, by="themselves")
        world.turn()

    assert world.ledger.pulls(CYCLE, application=0)[0].status is PullStatus.CANCELLED
    assert world.events(EventType.PULLS_CANCELLED)[0].payload["why"] == NOBODY_LEFT
    world.check()


def test_what_is_overdue_goes_to_another_and_the_budget_stays_as_it_is() -> None:
    world = World(rules=REAL, roster=4)
    world.turn()
    before = {a.pull_id: a.reviewer for a in world.waiting()}
    world.later(days=8)
    world.turn()

    after = {a.pull_id: a for a in world.waiting()}
    assert set(after) == set(before)
    assert all(a.attempt == 2 and a.reviewer != before[p] for p, a in after.items())
    assert world.cycle.committed == 8
    world.verify()


# Pause


def test_while_paused_nothing_is_sent_or_expired_and_scores_are_taken() -> None:
    world = World(rules=rules(kinds=(replace(REVIEW, window_days=7),), budget=20))
    world.turn()
    waiting = world.waiting()
    sent = len(world.sent)
    world.product.cycles.pause(CYCLE, by="ops", reason="holidays")
    world.later(days=30)

    world.turn()
    world.submit(waiting[0], 0.5)
    world.product.tasks.decline(waiting[1].id, DeclineKind.UNQUALIFIED, by="themselves")
    world.turn()

    assert len(world.sent) == sent
    assert len(world.waiting()) == len(waiting) - 2
    assert not world.events(EventType.EXPIRED)
    assert world.arms().information.sum() == 1_000


def test_on_resume_due_times_have_moved_by_the_length_of_the_pause() -> None:
    world = World(rules=REAL)
    world.turn()
    before = {a.id: a.due_at for a in world.waiting()}
    world.later(days=2)
    world.product.cycles.pause(CYCLE, by="ops")
    world.later(days=30)

    world.product.cycles.resume(CYCLE, by="ops")

    (event,) = world.events(EventType.RESUMED)
    shift = timedelta(seconds=float(str(event.payload["shift"])))
    assert timedelta(days=30) <= shift + timedelta(seconds=1) <= timedelta(days=30, minutes=1)
    for assignment in world.waiting():
        old, new = before[assignment.id], assignment.due_at
        assert old is not None
        assert new is not None
        assert abs(new - old - timedelta(days=30)) < timedelta(minutes=1)
    world.turn()
    assert not world.events(EventType.EXPIRED)
    world.later(days=6)
    world.turn()
    assert len(world.events(EventType.EXPIRED)) == 1


@pytest.mark.parametrize("verb", ["pause", "resume"])
def test_what_cannot_be_paused_or_resumed_says_why(verb: str) -> None:
    world = World(launch=verb == "resume")
    with pytest.raises(NotReadyError, match="only a program that is"):
        getattr(world.product.cycles, verb)(CYCLE, by="ops")


# Approval


def proposed(world: World) -> list[str]:
    return [request for request, *_ in world.product.approvals.proposed(CYCLE)]


def with_proposals() -> World:
    world = World(rules=APPROVED, roster=reviewers(4, capacity=BOTH))
    for _ in range(6):
        world.turn()
        world.answer_all()
    assert proposed(world)
    return world


def test_a_kind_that_needs_approval_waits_for_a_person_with_its_cost_reserved() -> None:
    world = with_proposals()

    waiting = [p for p in world.ledger.pulls(CYCLE) if p.status is PullStatus.PROPOSED]
    assert {p.kind for p in waiting} == {1}
    assert all(a.kind == 0 for a in world.ledger.assignments(CYCLE))
    assert world.cycle.committed == 3 * len(waiting)
    assert world.stands(CycleStatus.RUNNING)
    assert world.turn() == 0


def test_what_is_approved_goes_out() -> None:
    world = with_proposals()
    request = proposed(world)[0]

    assert world.product.approvals.approve(CYCLE, [request], by="chair") == 1
    world.turn()

    assert [a.pull_id for a in world.waiting()] == [request]
    world.check()
    world.verify()


def test_what_is_struck_is_released_and_not_proposed_again() -> None:
    world = with_proposals()
    requests = proposed(world)
    committed = world.cycle.committed

    assert world.product.approvals.strike(CYCLE, requests, by="chair", reason="no") == len(
        requests
    )
    assert world.cycle.committed == committed - 3 * len(requests) == 0
    world.turn()

    assert not set(proposed(world)) & set(requests)
    again = {request.rsplit(":", 1)[0] for request in proposed(world)}
    assert not again & {request.rsplit(":", 1)[0] for request in requests}
    world.verify()


def test_only_what_is_proposed_can_be_approved_or_struck() -> None:
    world = with_proposals()
    request = proposed(world)[0]
    world.product.approvals.approve(CYCLE, [request], by="chair")

    with pytest.raises(NotReadyError):
        world.product.approvals.approve(CYCLE, [request], by="chair")
    with pytest.raises(NotReadyError):
        world.product.approvals.strike(CYCLE, [request], by="chair", reason="too late")
    with pytest.raises(NotFoundError):
        world.product.approvals.approve(CYCLE, ["fall:0:review:77"], by="chair")


# Extra requests of staff


def ask(world: World, name: str = "A001", kind: str = "review") -> None:
    world.product.applicants.ask(CYCLE, name, kind, by="chair", reason="appeal")


def test_staff_get_an_extra_request_from_the_reserve() -> None:
    world = World(rules=rules(budget=20, reserve=0.1, purpose=Purpose.REAL))
    world.run()
    assert world.cycle.spent == 18
    world.product.cycles.resume(CYCLE, by="ops")

    ask(world)
    world.turn()

    extra = [p for p in world.ledger.pulls(CYCLE) if p.why is PullReason.STAFF]
    assert [(p.application, p.status) for p in extra] == [(0, PullStatus.OPEN)]
    assert len(world.waiting()) == 1
    assert world.product.reports.progress(CYCLE).wishes == 0
    world.verify()


def test_staffs_extra_requests_never_take_what_floors_need() -> None:
    world = World(rules=rules(budget=9, packet=1, purpose=Purpose.REAL), roster=3)
    world.turn()
    assert len(world.waiting()) == 3
    for _ in range(3):
        ask(world)

    world.run()

    assert len([p for p in world.ledger.pulls(CYCLE) if p.why is PullReason.STAFF]) <= 1
    reviewed = {p.application for p in world.ledger.pulls(CYCLE)}
    assert reviewed == set(range(8))


def test_a_wish_that_waits_for_a_busy_reviewer_keeps_nobody_busy() -> None:
    world = World(rules=rules(budget=20, packet=4, reserve=0.2), roster=2)
    world.turn()
    ask(world)

    assert world.turn() <= 1
    assert world.product.cycles.coordinator("one").turn() >= 0
    assert world.product.reports.progress(CYCLE).wishes == 1
    for assignment in world.waiting():
        world.submit(assignment, 0.5)
    world.turn()
    assert world.product.reports.progress(CYCLE).wishes == 0


def test_no_wish_reaches_an_application_that_is_held() -> None:
    world = World(rules=rules(budget=30, reserve=0.2))
    world.turn()
    world.product.applicants.move(CYCLE, "A001", ApplicationStatus.HELD, by="ops")
    before = len(world.ledger.pulls(CYCLE, application=0))
    ask(world)
    world.turn()

    assert len(world.ledger.pulls(CYCLE, application=0)) == before
    assert world.product.reports.progress(CYCLE).wishes == 0


def test_a_wish_for_a_kind_that_needs_approval_is_only_proposed() -> None:
    world = World(rules=replace(APPROVED, reserve=0.2), roster=reviewers(4, capacity=BOTH))
    ask(world, kind="interview")
    world.turn()

    assert "fall:0:interview:1" in proposed(world)
    assert all(a.kind == 0 for a in world.ledger.assignments(CYCLE))


def test_nobody_can_wish_for_what_the_rules_do_not_have() -> None:
    with pytest.raises(InvalidInputError, match="they have review"):
        ask(World(), kind="dinner")


# The roster


def test_what_was_open_with_somebody_who_leaves_goes_to_others() -> None:
    world = World(rules=REAL)
    world.turn()
    theirs = {a.pull_id for a in world.waiting("R1")}

    assert (
        world.product.reviewers.leave(CYCLE, "R1", by="ops", reason="new job") == len(theirs) > 0
    )
    world.turn()

    assert world.waiting("R1") == ()
    assert theirs <= {a.pull_id for a in world.waiting()}
    with pytest.raises(InvalidInputError, match="left already"):
        world.product.reviewers.leave(CYCLE, "R1", by="ops")
    world.check()
    world.verify()


def test_somebody_who_joins_in_mid_cycle_gets_their_share() -> None:
    world = World(rules=rules(budget=30, packet=2), roster=2)
    world.turn()
    world.hire(reviewers(3))
    world.turn()

    assert len(world.waiting("R3")) == 2


def test_a_conflict_that_staff_find_out_keeps_the_reviewer_away_from_then_on() -> None:
    world = World(rules=rules(budget=30), roster=3, launch=False)
    world.product.reviewers.add_conflicts(CYCLE, [("A001", "R1")], source="staff")
    world.product.cycles.launch(CYCLE, by="ops")
    world.run()

    assert ("A001", "R1") not in world.asked()
    assert ("A001", "R2") in world.asked()


# Rules in mid-cycle


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kinds": (INTERVIEW,)}, "not removed, renamed or moved"),
        ({"seed": 99}, "seed"),
        ({"budget": 1}, "below the"),
    ],
)
def test_a_change_that_would_undo_what_was_done_is_refused(
    changes: dict[str, object], reason: str
) -> None:
    world = World()
    world.turn()
    before = world.cycle
    changed = replace(world.product.cycles.rules(CYCLE), **changes)  # type: ignore[arg-type]

    with pytest.raises(InvalidRulesError, match=reason):
        world.product.cycles.change_rules(CYCLE, changed, by="ops", reason="try")

    assert world.cycle == before


def test_an_opened_request_is_not_taken_back_by_a_stop() -> None:
    world = World(rules=REAL)
    world.turn()
    first = world.waiting()[0]
    world.product.tasks.open(first.id)

    world.product.cycles.stop(CYCLE, by="dean")

    assert world.ledger.assignment(first.id).status is AssignmentStatus.OPENED
    assert world.submit(first, 0.5).counts
