"""Cycles on which answers have come, are late, or are corrected."""

from dataclasses import replace

from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus, PullStatus
from swapflow.domain.rules import DispatchMode, Purpose, Rules
from tests.engine.cycle_by_hand import CYCLE, REVIEW, World, rules


WEEKLY = rules(kinds=(replace(REVIEW, window_days=7, maximum=1),), purpose=Purpose.REAL, budget=20)


RIGHT = {f"A00{n}": n / 10 for n in range(1, 9)}


def expired(world: World) -> Assignment:
    """One assignment that expired and was given to another; everybody else has answered."""
    world.turn()
    late, *others = world.waiting()
    for assignment in others:
        world.submit(assignment, 0.5)
    world.later(days=8)
    world.turn()
    assert world.ledger.assignment(late.id).status is AssignmentStatus.EXPIRED
    return late


def pull_status(world: World, pull: str) -> PullStatus:
    return next(p.status for p in world.ledger.pulls(CYCLE) if p.id == pull)


def answered(values: dict[str, float], *, settings: Rules = WEEKLY) -> World:
    """A cycle in which everybody has answered their first request with these marks."""
    world = World(rules=replace(settings, dispatch=DispatchMode.LOCKSTEP, budget=8))
    world.turn()
    world.answer_all(lambda name, *_: values[name])
    world.turn()
    return world


def apart(external_id: str, _kind: str, _ordinal: int, _by: str) -> float:
    """Marks without noise, so far apart that a few reviews separate everyone."""
    return min(1.0, (int(external_id[1:]) - 1) / 7)
