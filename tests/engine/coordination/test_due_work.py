"""One look a turn at what waits beside the events: what arises after it is not lost."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, cast

import pytest

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.people.reviewer import Absence
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.engine.coordination.coordinator import Coordinator
from swapflow.engine.coordination.expire import expire
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import DueWork
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.state.memory import MemoryDoorbell
from tests.engine.cycle_by_hand import CYCLE, REVIEW, World, rules


@dataclass
class Interrupted:
    """A ledger in which something happens right after a turn's look at what is due."""

    ledger: Ledger
    happens: Callable[[], object] | None = None
    looks: list[DueWork] = field(default_factory=list)

    def due_work(self, cycle_id: str) -> DueWork:
        due = self.ledger.due_work(cycle_id)
        self.looks.append(due)
        if self.happens is not None:
            happens, self.happens = self.happens, None
            happens()
        return due

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the ledger has
        return getattr(self.ledger, name)


def interrupted(world: World) -> tuple[Coordinator, Interrupted]:
    """A coordinator that has nothing to do, on a ledger that can be interrupted."""
    ledger = Interrupted(world.ledger)
    coordinator = Coordinator(
        ledger=cast("Ledger", ledger),
        state=world.state,
        dispatcher=world.product.context.dispatcher,
        doorbell=world.product.context.doorbell,
        lease_seconds=3600.0,
    )
    world.turn(coordinator)
    return coordinator, ledger


def _ask(world: World) -> None:
    world.product.applicants.ask(CYCLE, "A001", "review", by="ops", reason="a second look")


def _let_time_pass(world: World) -> None:
    world.later(days=30)


def _go_away(world: World) -> None:
    today = world.ledger.now().date()
    absence = Absence(first=today - timedelta(days=1), last=today + timedelta(days=3))
    world.product.tasks.add_absence(CYCLE, 0, absence)


def _is_answered(world: World) -> bool:
    return not world.ledger.wishes(CYCLE)


def _has_expired(world: World) -> bool:
    return bool(world.ledger.assignments(CYCLE, statuses={AssignmentStatus.EXPIRED}))


def _is_noted(world: World) -> bool:
    return bool(world.events(EventType.REVIEWER_AWAY))


def _has_stopped(world: World) -> bool:
    return world.stands(CycleStatus.PROPOSED)


@pytest.mark.parametrize(
    ("happens", "served"),
    [(_ask, _is_answered), (_let_time_pass, _has_expired), (_go_away, _is_noted)],
    ids=["a request of staff", "a due time", "an absence"],
)
def test_what_arises_after_the_look_is_served_by_the_next_turn(
    happens: Callable[[World], None], served: Callable[[World], bool]
) -> None:
    """A turn looks once; what comes just after the look waits no longer than one turn."""
    world = World(roster=24)
    coordinator, ledger = interrupted(world)
    ledger.happens = lambda: happens(world)

    coordinator.turn()
    missed = not served(world)
    coordinator.turn()

    assert missed, "the look saw what had not happened yet"
    assert served(world)


def test_a_deadline_that_passes_after_the_look_stops_the_next_turn() -> None:
    """The time is read once a turn; the turn after the deadline proposes to stop."""
    world = World(launch=False)
    deadline = world.ledger.now() + timedelta(days=10)
    world = World(rules=rules(deadline=deadline))
    coordinator, ledger = interrupted(world)
    ledger.happens = lambda: world.later(days=11)

    coordinator.turn()
    assert not _has_stopped(world)
    coordinator.turn()

    assert _has_stopped(world)


def test_the_doorbell_wakes_the_coordinator_that_did_not_see_a_request() -> None:
    """Who asks rings after the write, so a request that a turn missed is not waited for."""
    world = World(roster=24)
    coordinator, ledger = interrupted(world)
    assert isinstance(world.product.context.doorbell, MemoryDoorbell)
    while coordinator.wait(0.0):
        pass
    ledger.happens = lambda: _ask(world)

    coordinator.turn()

    assert coordinator.wait(0.0), "the bell was not rung"
    coordinator.turn()
    assert _is_answered(world)


def test_an_idle_turn_looks_once_and_reads_no_events(monkeypatch: pytest.MonkeyPatch) -> None:
    """A coordinator that stands where the cycle stands reads none of its events again."""
    world = World()
    coordinator, ledger = interrupted(world)
    read: list[str] = []
    events = SqlLedger.events

    def noted(self: SqlLedger, cycle_id: str, **asked: Any) -> Any:  # noqa: ANN401 - as it is
        read.append(cycle_id)
        return events(self, cycle_id, **asked)

    monkeypatch.setattr(SqlLedger, "events", noted)
    ledger.looks.clear()

    assert coordinator.turn() == 0

    assert len(ledger.looks) == 1
    assert read == []


def test_a_coordinator_that_takes_the_lease_reads_what_was_written_meanwhile() -> None:
    """What it saw of a cycle before it had the lease may be old: it reads to the end then."""
    world = World(roster=24)
    world.turn()
    other = world.product.cycles.coordinator("two")
    other.turn()  # follows without the lease
    seen = world.cycle.position
    _ask(world)
    world.turn()
    world.coordinator.stop()

    other.serve(CYCLE, seen=seen)

    assert other._workspaces[CYCLE].projection.position == world.cycle.position


def test_what_is_overdue_expires_only_while_the_program_asks() -> None:
    """A coordinator looks before it takes the lock: staff may have paused the program since."""
    world = World(rules=rules(kinds=(replace(REVIEW, window_days=7),)))
    world.turn()
    asked = len(world.waiting())
    world.later(days=8)
    world.product.cycles.pause(CYCLE, by="ops")

    while_paused = expire(cycle_id=CYCLE, epoch=world.cycle.epoch, ledger=world.ledger)

    assert (while_paused, len(world.waiting())) == (0, asked)
    with world.ledger.write(CYCLE) as tx:
        tx.set_status(CycleStatus.RUNNING)
    assert expire(cycle_id=CYCLE, epoch=world.cycle.epoch, ledger=world.ledger) == asked
