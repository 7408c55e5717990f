"""A program in which nothing happens costs a coordinator next to nothing, and wakes in time."""

import itertools
from dataclasses import replace
from datetime import timedelta

import pytest

from swapflow.domain.rules import Purpose
from swapflow.engine.coordination import resting
from swapflow.engine.coordination.coordinator import Coordinator
from swapflow.state.memory import MemoryDoorbell
from tests.engine.cycle_by_hand import World, applicants, reviewers, rules
from tests.support.statement_count import statements_run


MANY = 12
RULES = rules(purpose=Purpose.REAL)


def several(count: int = MANY) -> World:
    """Make programs that all wait for their reviewers."""
    world = World(rules=RULES)
    for number in range(1, count):
        name = f"p{number}"
        world.product.cycles.new(
            name, round_id="round", rules=replace(RULES, seed=number), by="ops"
        )
        world.product.applicants.import_all(name, applicants(6))
        world.product.reviewers.import_all(name, reviewers(4))
        world.product.cycles.launch(name, by="ops")
    until_idle(world.coordinator, world)
    return world


def until_idle(coordinator: Coordinator, world: World) -> None:
    world.turn(coordinator)
    # The dashboards of idle programs follow at once, but not in the turn that made the news.
    for _ in range(3):
        coordinator.turn()


def served(coordinator: Coordinator, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note the programs of which a coordinator takes a turn of their own."""
    seen: list[str] = []
    serve = coordinator.serve

    def noted(cycle_id: str, **how: object) -> int:
        seen.append(cycle_id)
        return serve(cycle_id, **how)  # type: ignore[arg-type]  # handed on as it came

    monkeypatch.setattr(coordinator, "serve", noted)
    return seen


def test_a_turn_looks_at_two_resting_programs_however_many_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And at each of them in its turn, which mends what no head shows."""
    world = several()
    seen = served(world.coordinator, monkeypatch)

    for _ in range(MANY // 2):
        world.coordinator.turn()

    assert sorted(seen) == sorted({c.id for c in world.ledger.cycles()})


def test_statements_of_an_idle_turn_do_not_grow_with_the_programs() -> None:
    few, many = several(4), several(24)

    counts = []
    for world in (few, many):
        with statements_run(world.ledger) as run:
            world.coordinator.turn()
        counts.append(len(run))

    assert counts[0] == counts[1] <= 14


def test_a_score_wakes_its_program_in_the_next_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    world = several()
    seen = served(world.coordinator, monkeypatch)
    name = "p7"
    asked = world.ledger.assignments(name)[0]
    world.submit(asked.id, 0.5)

    world.coordinator.turn()

    assert name in seen
    assert world.ledger.cycle(name).position == world.state.arms(name).position


def test_what_is_overdue_and_what_staff_request_wake_a_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = several()
    seen = served(world.coordinator, monkeypatch)

    world.product.applicants.ask("p3", "A001", "review", by="ops", reason="look again")
    world.coordinator.turn()
    assert "p3" in seen
    assert not world.ledger.wishes("p3"), "granted, or refused with a reason"

    seen.clear()
    world.later(days=60)
    world.coordinator.turn()
    assert set(seen) == {c.id for c in world.ledger.cycles()}


def test_a_deadline_wakes_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    world = several()
    seen = served(world.coordinator, monkeypatch)
    workspace = world.coordinator._workspaces["p5"]
    projected = workspace.projection.rules
    workspace.projection.rules = replace(
        projected, deadline=world.ledger.now() + timedelta(hours=1)
    )
    world.later(hours=2)
    for _ in range(2):
        world.coordinator.turn()

    assert seen.count("p5") >= 1
    assert world.ledger.cycle("p5").stop_reason == "deadline"


def test_a_live_state_that_was_emptied_is_mended_though_its_program_rests() -> None:
    world = several()
    world.state.forget("p9")

    for _ in range(MANY // 2 + 1):
        world.coordinator.turn()

    assert world.state.arms("p9").position == world.ledger.cycle("p9").position


def test_leases_of_resting_programs_are_renewed_in_one_write() -> None:
    world = several()
    before = {}
    for name, workspace in world.coordinator._workspaces.items():
        assert workspace.lease is not None
        before[name] = workspace.lease
        workspace.lease_taken -= 3000  # of 3,600 seconds

    with statements_run(world.ledger) as run:
        world.coordinator.turn()

    renewals = [line for line in run if "lease_until" in line and line.startswith("UPDATE")]
    assert len(renewals) <= 3, "two programs were looked at, the others renewed together"
    other = second(world)
    other.turn()
    assert all(w.lease is None for w in other._workspaces.values())
    for name, workspace in world.coordinator._workspaces.items():
        assert workspace.lease is not None
        assert workspace.lease.epoch == before[name].epoch


def test_when_the_leader_goes_another_takes_every_program_over_at_once() -> None:
    world = several()
    other = second(world)
    until_idle(other, world)
    assert all(w.lease is None for w in other._workspaces.values())

    world.coordinator.stop()
    other.turn()

    assert all(w.lease is not None for w in other._workspaces.values())


def test_a_lease_that_is_lost_while_its_program_rests_is_noticed() -> None:
    world = several()
    for workspace in world.coordinator._workspaces.values():
        assert workspace.lease is not None
        world.ledger.release_lease(workspace.lease)
        workspace.lease_taken -= 3000
    taken = [
        world.ledger.take_lease(c.id, holder="other", seconds=3600)
        for c in itertools.islice(world.ledger.cycles(), 6)
    ]

    for _ in range(3):
        world.coordinator.turn()

    led = {name for name, w in world.coordinator._workspaces.items() if w.lease is not None}
    assert len(led) == MANY - len(taken)


def test_a_coordinator_that_starts_reads_no_program_that_rests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It leads all of them, and reads one when something happens there."""
    world = several()
    world.coordinator.stop()
    other = second(world)
    seen = served(other, monkeypatch)

    with statements_run(world.ledger) as run:
        other.turn()

    assert (seen, other._workspaces) == ([], {})
    heads = world.ledger.heads(lease_seconds=3600.0)
    assert {head.leader for head in heads.of.values()} == {"two"}
    assert len(run) <= 20, "however many rest"

    world.submit(world.ledger.assignments("p7")[0].id, 0.5)
    world.later(days=60)
    other.turn()
    assert world.ledger.cycle("p7").position == world.state.arms("p7").position
    assert set(seen) == set(heads.of), "requests of all are overdue"


def test_a_coordinator_that_starts_reads_what_its_live_state_or_its_deadline_asks_for() -> None:
    world = several()
    projected = world.coordinator._workspaces["p5"].projection
    projected.rules = replace(projected.rules, deadline=world.ledger.now() + timedelta(hours=1))
    world.coordinator.stop()
    world.state.forget("p3")
    other = second(world)

    other.turn()
    assert set(other._workspaces) == {"p3"}
    assert world.state.arms("p3").position == world.ledger.cycle("p3").position

    world.later(hours=2)
    other.turn()
    assert "p5" in other._workspaces


def test_programs_that_rest_longest_are_kept_as_small_records(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Looked at in their turn all the same, and now and then read again."""
    monkeypatch.setattr(resting, "KEPT_READ", 3)
    world = several()
    world.coordinator._asleep.note(world.coordinator._workspaces)

    world.coordinator.turn()

    assert len(world.coordinator._workspaces) == 3
    assert len(world.coordinator._led()) == MANY
    seen = served(world.coordinator, monkeypatch)
    for _ in range(MANY // 2 * resting.READ_EVERY):
        world.coordinator.turn()
    assert set(seen) == {c.id for c in world.ledger.cycles()}
    assert len(world.coordinator._workspaces) <= 3 + 2
    heads = world.ledger.heads(lease_seconds=3600.0)
    assert {head.leader for head in heads.of.values()} == {"one"}


def second(world: World) -> Coordinator:
    return Coordinator(
        ledger=world.ledger,
        state=world.state,
        dispatcher=world.product.context.dispatcher,
        doorbell=MemoryDoorbell(),
        lease_seconds=3600.0,
        holder="two",
    )
