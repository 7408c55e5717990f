"""Requests that end before an answer: the record names who ended them, and why."""

import pytest

from swapflow.domain.event import Event, EventType
from swapflow.domain.people.reviewer import DeclineKind
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus, EndedWhy
from swapflow.domain.rules import Rules
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.errors import AssignmentClosedError
from tests.engine.cycle_by_hand import CYCLE, World, reviewers


def asked() -> tuple[World, Assignment]:
    """A program with more reviewers than it needs, and one open request of R1."""
    world = World(applications=6, roster=6)
    world.turn()
    return world, world.waiting("R1")[0]


def seat_of(one: Assignment) -> list[int]:
    return [one.application, one.kind, one.ordinal, one.seat, one.attempt, one.reviewer]


def test_an_applicant_who_does_not_come_is_no_refusal_of_the_reviewer() -> None:
    world, one = asked()

    world.product.tasks.no_show(one.id, by="R1", note="nobody at the door")

    (event,) = world.events(EventType.NO_SHOW)
    assert event.payload["items"] == [seat_of(one)]
    assert not world.events(EventType.DECLINED)
    assert world.ledger.assignment(one.id).status is AssignmentStatus.NO_SHOW
    name = world.names()[one.application]
    (told,) = [a for a in world.product.reports.explain(CYCLE, name).asked if a.request == one.id]
    assert told.status == "no-show"
    world.turn()
    world.check()
    world.verify()


def test_missed_as_a_reason_to_decline_is_recorded_as_a_no_show() -> None:
    world, one = asked()

    world.product.tasks.decline(one.id, DeclineKind.MISSED, by="R1")

    assert world.ledger.assignment(one.id).status is AssignmentStatus.NO_SHOW
    assert not world.events(EventType.DECLINED)


def test_work_that_staff_take_back_is_no_refusal_of_the_reviewer() -> None:
    world, one = asked()

    world.product.tasks.take_back(one.id, by="olga", reason="R1 is ill")
    with pytest.raises(AssignmentClosedError):
        world.submit(one, 0.5)
    with pytest.raises(AssignmentClosedError):
        world.product.tasks.take_back(one.id, by="olga", reason="once more")

    (event,) = world.events(EventType.TAKEN_BACK)
    assert event.payload["items"] == [seat_of(one)]
    assert not world.events(EventType.DECLINED)
    assert world.ledger.assignment(one.id).status is AssignmentStatus.TAKEN_BACK
    world.turn()
    again = [a for a in world.ledger.assignments(CYCLE) if a.pull_id == one.pull_id]
    assert [a.reviewer for a in again if a.status.is_open] not in ([], [one.reviewer])
    world.check()
    world.verify()


def test_requests_of_a_reviewer_who_left_or_is_barred_end_for_that_reason() -> None:
    world, one = asked()
    other = world.waiting("R2")[0]

    world.product.reviewers.leave(CYCLE, "R1", by="olga", reason="moved")
    pair = (world.names()[other.application], "R2")
    world.product.reviewers.add_conflicts(CYCLE, [pair], source="staff")

    left, barred = world.events(EventType.EXPIRED)
    assert left.payload["why"] == EndedWhy.LEFT.value
    assert seat_of(one) in left.payload["items"]  # type: ignore[operator]  # JSON
    assert barred.payload["why"] == EndedWhy.BARRED.value
    assert barred.payload["items"] == [seat_of(other)]
    world.verify()


def test_a_request_that_is_late_needs_no_reason() -> None:
    world, _ = asked()

    world.later(days=400)
    world.turn()

    assert {event.payload.get("why") for event in world.events(EventType.EXPIRED)} == {None}


@pytest.mark.parametrize(
    ("act", "kind"), [("no_show", DeclineKind.MISSED), ("take_back", DeclineKind.BUSY)]
)
def test_events_of_earlier_releases_stand_for_the_same(act: str, kind: DeclineKind) -> None:
    world, one = asked()
    if act == "no_show":
        world.product.tasks.no_show(one.id, by="R1")
    else:
        world.product.tasks.take_back(one.id, by="olga", reason="ill")
    events = world.events()
    new = events[-1]
    names = ("a", "k", "o", "seat", "attempt", "r")
    payload = {**dict(zip(names, seat_of(one), strict=True)), "kind": kind.value}
    old = Event(
        cycle_id=new.cycle_id,
        position=new.position,
        type=EventType.DECLINED,
        version=new.version,
        payload=payload,
        deltas=(),
        spent=0,
        committed=0,
        at=new.at,
    )

    rules = world.product.cycles.rules(CYCLE)
    was, now = (
        _after([*events[:-1], last], rules, roster=len(reviewers(6))) for last in (old, new)
    )

    assert was == now


def _after(events: list[Event], rules: Rules, *, roster: int) -> tuple[object, ...]:
    """What a projection knows of who may be asked, once it has read these events."""
    projection = CycleProjection(rules)
    for event in events:
        projection.apply(event)
    live = {key: dict(pull.live) for key, pull in projection.open.items()}
    facts = [(projection.reviewers[n].out, projection.reviewers[n].load) for n in range(roster)]
    return live, facts, {a: set(r) for a, r in projection.asked_before.items()}, projection._busy
