"""Coordinators: never busy for nothing, never two at once, none of them needed for long."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from swapflow.domain.cycle import START, CycleStatus
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.reviewing.assignment import PullReason
from swapflow.domain.rules import DispatchMode, Purpose
from swapflow.engine.coordination import kept_cycles
from swapflow.engine.coordination.coordinator import Coordinator
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import Lease
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.errors import LeaseLostError, UnavailableError
from swapflow.simulation.replay import decisions_digest
from swapflow.state.memory import MemoryDoorbell
from tests.engine.cycle_by_hand import (
    CYCLE,
    World,
    applicants,
    assert_same_numbers,
    reviewers,
    rules,
)


LOCKSTEP = rules(dispatch=DispatchMode.LOCKSTEP, budget=24, batch=4)


@dataclass
class Watched:
    """A ledger that counts how often it is written to, and may fail on the way."""

    ledger: Ledger
    writes: int = 0
    leases: int = 0
    fail_after: int | None = None
    failures: list[str] = field(default_factory=list)

    @contextmanager
    def write(self, cycle_id: str, *, epoch: int | None = None) -> Iterator[Transaction]:
        self.writes += 1
        with self.ledger.write(cycle_id, epoch=epoch) as transaction:
            yield transaction
        if self.fail_after is not None and self.writes >= self.fail_after:
            self.failures.append("committed, and died")
            raise UnavailableError("the process dies here")

    def take_lease(self, cycle_id: str, *, holder: str, seconds: float) -> Lease | None:
        self.leases += 1
        return self.ledger.take_lease(cycle_id, holder=holder, seconds=seconds)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the ledger has
        return getattr(self.ledger, name)


def watched(world: World, *, lease_seconds: float = 60.0) -> tuple[Coordinator, Watched]:
    ledger = Watched(world.ledger)
    return coordinator(world, ledger, lease_seconds=lease_seconds), ledger


def coordinator(
    world: World,
    ledger: Ledger | Watched,
    *,
    lease_seconds: float = 60.0,
    holder: str = "watched",
) -> Coordinator:
    return Coordinator(
        ledger=cast("Ledger", ledger),
        state=world.state,
        dispatcher=world.product.context.dispatcher,
        doorbell=MemoryDoorbell(),
        lease_seconds=lease_seconds,
        holder=holder,
    )


def test_a_turn_with_nothing_to_do_says_so_and_writes_nothing() -> None:
    world = World(rules=replace(LOCKSTEP, purpose=Purpose.REAL))
    busy, ledger = watched(world)
    world.turn(busy)
    ledger.writes = ledger.leases = 0

    assert [busy.turn() for _ in range(5)] == [0] * 5

    assert (ledger.writes, ledger.leases) == (0, 0)


def test_the_lease_is_renewed_when_half_of_it_is_gone() -> None:
    world = World(rules=replace(LOCKSTEP, purpose=Purpose.REAL))
    busy, ledger = watched(world, lease_seconds=3600.0)
    world.turn(busy)
    taken, workspace = ledger.leases, busy._workspaces[CYCLE]
    first = workspace.lease

    workspace.lease_taken -= 1700
    busy.turn()
    assert ledger.leases == taken
    workspace.lease_taken -= 200
    busy.turn()

    assert ledger.leases == taken + 1
    assert first is not None
    assert workspace.lease is not None
    assert (workspace.lease.epoch, workspace.lease.until > first.until) == (first.epoch, True)


def test_without_the_lease_a_coordinator_neither_reads_nor_decides() -> None:
    world = World()
    world.ledger.take_lease(CYCLE, holder="other", seconds=3600)

    world.turn()

    assert world.cycle.decisions == 0
    assert world.arms().position == START, "its leader reads it"


def test_a_coordinator_that_lost_its_lease_writes_nothing_any_more(url: str) -> None:
    world = World(url=url, rules=rules(budget=24, out=4))
    first, ledger = watched(world, lease_seconds=3600)
    world.turn(first)
    # It sleeps beyond its lease, which here another process simply ends and takes.
    held = first._workspaces[CYCLE].lease
    assert held is not None
    world.ledger.release_lease(held)
    second = coordinator(world, world.ledger, holder="second")
    world.turn(second)
    for assignment in world.waiting():
        world.submit(assignment, 0.5)
    before = world.cycle.position

    ledger.writes = 0
    # It was frozen within a turn, after its look at who leads what.
    assert first.serve(CYCLE) >= 0
    assert ledger.writes >= 1, "it tried"
    assert world.cycle.position == before
    with pytest.raises(LeaseLostError), world.ledger.write(CYCLE, epoch=held.epoch):
        pass
    world.turn(second)
    assert world.cycle.position.seq > before.seq
    world.check()
    world.verify()
    world.ledger.dispose()


def test_coordinators_taking_turns_decide_as_one_alone_would(url: str) -> None:
    alone = World(rules=LOCKSTEP)
    alone.run()

    world = World(url=url, rules=LOCKSTEP)
    several = [coordinator(world, world.ledger, holder=f"c{n}") for n in range(3)]
    for busy in itertools.cycle(several):
        world.turn(busy)
        busy.stop()
        if not world.answer_all():
            break
    world.turn(several[0])

    assert decisions_digest(world.product, CYCLE) == decisions_digest(alone.product, CYCLE)
    assert world.cohort() == alone.cohort()
    assert world.stands(CycleStatus.ENDED)
    world.check()
    world.verify()
    world.ledger.dispose()


def test_a_coordinator_that_comes_back_goes_on_with_the_others_fit() -> None:
    world = World(rules=rules(budget=52, out=3), applications=30, roster=6)
    one, two = (coordinator(world, world.ledger, holder=f"c{n}") for n in range(2))
    for busy in itertools.cycle([one, two, two]):
        world.turn(busy)
        busy.stop()
        if busy._workspaces.get(CYCLE):
            busy._workspaces[CYCLE].lease = None
        waiting = world.waiting()
        if not waiting:
            break
        world.submit(waiting[0], 0.1 + 0.02 * waiting[0].application)

    fitted_to = [
        d.look["count"] for d in world.product.reports.decisions(CYCLE) if "count" in d.look
    ]
    fits = sorted(set(fitted_to))
    assert fitted_to == sorted(fitted_to)
    assert len(fits) > 2
    assert all(later >= 1.1 * earlier for earlier, later in itertools.pairwise(fits))
    world.verify()


def test_dying_after_any_commit_changes_no_decision() -> None:
    alone = World(rules=LOCKSTEP)
    alone.run()
    expected = decisions_digest(alone.product, CYCLE), alone.cohort()

    for fail_after in range(1, 4):
        world = World(rules=LOCKSTEP)
        for life in itertools.count():
            busy, ledger = watched(world)
            busy.holder = f"life-{life}"
            ledger.fail_after = fail_after
            try:
                world.turn(busy)
            except UnavailableError:
                held = busy._workspaces[CYCLE].lease
                assert held is not None
                world.ledger.release_lease(held)
                continue
            busy.stop()
            if not world.answer_all():
                break
        assert (decisions_digest(world.product, CYCLE), world.cohort()) == expected
        world.check()
        world.verify()


def test_losing_the_live_state_at_any_moment_changes_no_decision() -> None:
    alone = World(rules=LOCKSTEP)
    alone.run()

    world = World(rules=LOCKSTEP)
    while True:
        world.forget_live_state()
        world.turn()
        assert_same_numbers(world.arms(), world.tally())
        if not world.answer_all():
            break

    assert decisions_digest(world.product, CYCLE) == decisions_digest(alone.product, CYCLE)
    assert world.cohort() == alone.cohort()
    world.verify()


def test_a_live_state_from_another_history_is_made_anew() -> None:
    world, other = World(), World(rules=rules(seed=99))
    for played in (world, other):
        played.turn()
        played.answer_all()
        played.turn()
    world.state.replace(CYCLE, other.arms())

    world.turn()

    assert world.arms().position == world.cycle.position
    assert_same_numbers(world.arms(), world.tally())


def test_a_coordinator_whose_ledger_was_restored_from_a_backup_goes_on_from_there() -> None:
    long, short = World(), World()
    long.turn()
    long.answer_all()
    long.turn()
    moved = coordinator(short, short.ledger)
    moved._workspaces = dict(long.coordinator._workspaces)
    moved._workspaces[CYCLE].lease = None
    short.state.replace(CYCLE, long.arms())

    short.turn(moved)

    assert short.cycle.decisions >= 1
    assert_same_numbers(short.arms(), short.tally())
    short.check()
    short.verify()


def test_a_broken_broker_loses_no_request() -> None:
    world = World()
    send = world.product.context.dispatcher.send
    broken = coordinator(world, world.ledger)

    class Broken:
        def send(self, _messages: object) -> None:
            raise UnavailableError("no broker")

    broken.outgoing._dispatcher = Broken()
    with pytest.raises(UnavailableError):
        world.turn(broken)
    assert world.sent == []
    broken.stop()
    world.product.context.dispatcher.send = send  # type: ignore[method-assign]  # it is back

    world.turn()

    assert set(world.sent) == {a.id for a in world.waiting()}


def test_several_cycles_are_served_side_by_side() -> None:
    world = World()
    world.product.cycles.new("spring", round_id="round", rules=rules(seed=3), by="ops")

    world.product.applicants.import_all("spring", applicants(8))
    world.product.reviewers.import_all("spring", reviewers(4))
    world.product.cycles.launch("spring", by="ops")

    world.turn()

    for cycle in (CYCLE, "spring"):
        floors = [p for p in world.ledger.pulls(cycle) if p.why is PullReason.FLOOR]
        assert len(floors) == 8


def test_a_cycle_without_any_candidate_left_waits_without_harm() -> None:

    world = World()
    world.turn()
    for name in list(world.names().values()):
        world.product.applicants.move(CYCLE, name, ApplicationStatus.WITHDRAWN, by="ops")

    assert world.turn() <= 2
    assert world.cycle.committed == 0
    world.check()


def test_the_live_state_of_a_fixed_cycle_is_let_go_and_made_again_when_it_is_reopened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept_cycles, "RETIRED_FOR", 0.0)
    world = World(rules=rules(purpose=Purpose.REAL, budget=8))
    world.run()
    world.product.cohort.finalize(CYCLE, by="chair")
    world.turn()
    assert world.state.position(CYCLE) == START
    assert world.product.reports.dashboard(CYCLE)[0].application.size == 8, "pages read the ledger"

    world.product.cohort.reopen(CYCLE, names=("ann", "bob"), reason="a mark was entered wrongly")
    world.turn()

    assert world.state.position(CYCLE) == world.cycle.position
    world.check()
