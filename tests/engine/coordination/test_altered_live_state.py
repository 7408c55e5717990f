"""Numbers of the live state changed from outside: nothing follows them, and it is told."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
import redis

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.rules import RuleName
from swapflow.engine.coordination import checked_state
from swapflow.engine.ports.live_state import ALTERED, CycleState
from swapflow.ledger.maintenance.health import look_at_database
from swapflow.simulation.replay import decisions_digest
from swapflow.state.keys import cycle_keys
from swapflow.state.memory import MemoryCycleState
from swapflow.state.redis import RedisCycleState
from tests.engine.cycle_by_hand import CYCLE, World, assert_same_numbers, rules
from tests.support.migrated import new_database
from tests.support.redis_server import RedisServer


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with RedisServer() as running:
        yield running


@pytest.fixture(params=["memory", "redis"])
def state(request: pytest.FixtureRequest) -> Iterator[CycleState]:
    """The live state on each store, without the cycle."""
    if request.param == "memory":
        yield MemoryCycleState()
        return
    store = RedisCycleState(request.getfixturevalue("server").url)
    store.forget(CYCLE)
    yield store
    store.close()


def settled(state: CycleState) -> None:
    """Make half of the applicants look so good, and so well known, that asking could stop."""
    arms = state.arms(CYCLE)
    gains = np.where(np.arange(arms.numerator.size) < 3, 900_000, 100_000)
    state.replace(
        CYCLE,
        replace(
            arms,
            numerator=gains * 400_000,
            information=np.full(arms.numerator.size, 400_000, dtype=np.int64),
            pending=np.zeros(arms.numerator.size, dtype=np.int64),
        ),
    )


def rich(state: CycleState) -> None:
    """Make it look as if nothing had been spent."""
    state.replace(CYCLE, replace(state.arms(CYCLE), spent=0, committed=0))


def stopped_by(world: World, alter: Callable[[CycleState], None]) -> World:
    """Play to the end; the numbers are altered before each turn."""
    for _ in range(200):
        if world.arms().numerator.size:
            alter(world.state)
        world.turn()
        if not world.answer_all():
            return world
    raise AssertionError("the cycle does not come to an end")


def says_otherwise(world: World) -> list[str]:
    """What verify finds in the record, the live state left out."""
    return [f.what for f in world.product.reports.verify(CYCLE, live=False).findings if f.fatal]


@pytest.mark.parametrize("rule", [RuleName.BUDGET, RuleName.CERTIFIED])
@pytest.mark.parametrize("alter", [settled, rich])
def test_altered_numbers_steer_no_decision_and_no_stop_on_either_store(
    state: CycleState, alter: Callable[[CycleState], None], rule: RuleName
) -> None:
    wanted = rules(rule=rule, budget=26, settled=0.001, sigma=0.1, out=5)
    alone = World(rules=wanted)
    alone.run()

    world = stopped_by(World(rules=wanted, state=state), alter)

    assert decisions_digest(world.product, CYCLE) == decisions_digest(alone.product, CYCLE)
    assert world.cycle.stop_reason == alone.cycle.stop_reason
    assert world.stands(CycleStatus.ENDED)
    assert world.cycle.decisions > 4
    assert not says_otherwise(world)


def test_numbers_changed_in_redis_steer_no_decision_and_no_stop_and_are_told(
    server: RedisServer,
) -> None:
    wanted = rules(rule=RuleName.BUDGET, settled=0.001, sigma=0.1, out=5)
    alone = World(rules=wanted)
    alone.run()
    store = RedisCycleState(server.url)
    store.forget(CYCLE)
    keys = cycle_keys(CYCLE)

    def outside(_: CycleState) -> None:
        with redis.Redis.from_url(server.url) as client:
            client.execute_command("BITFIELD", keys.numerator, "SET", "i64", "#0", 10**12)
            client.execute_command("BITFIELD", keys.information, "SET", "i64", "#0", 10**6)
            client.hset(keys.meta, "spent", 0)

    world = stopped_by(World(rules=wanted, state=store), outside)

    assert decisions_digest(world.product, CYCLE) == decisions_digest(alone.product, CYCLE)
    assert world.cycle.stop_reason == alone.cycle.stop_reason
    assert world.product.reports.process_health(CYCLE).altered_at is not None
    assert not says_otherwise(world)
    store.close()


def test_an_altered_live_state_is_told_once_with_what_was_altered_and_never_without_cause(
    tmp_path: Path,
) -> None:
    url = new_database(tmp_path / "ledger.db")
    world = World(url=url, rules=rules(out=5))
    world.turn()
    world.answer_all()
    assert world.product.reports.process_health(CYCLE).altered_at is None
    facts = look_at_database(url).outboxes
    assert facts is not None
    assert facts.altered == ()

    for _ in range(2):
        world.turn()
        rich(world.state)
        world.answer_all()
    world.turn()

    found = look_at_database(url).outboxes
    assert found is not None
    assert found.altered == (CYCLE,)
    with world.ledger._database.reading() as connection:
        query = "SELECT text FROM note WHERE subject = ?"
        notes = connection.exec_driver_sql(query, (ALTERED,)).scalars().all()
    assert len(notes) == 1, "at most one a minute"
    assert notes[0].endswith(": spent, committed")
    world.later(days=8)
    later = look_at_database(url).outboxes
    assert later is not None
    assert later.altered == ()
    world.ledger.dispose()


def test_an_idle_program_is_compared_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    world.turn()
    rich(world.state)
    assert world.turn() == 0
    assert world.arms().spent + world.arms().committed == 0, "nothing was decided from it"

    monkeypatch.setattr(checked_state, "COMPARE_EVERY", 0.0)
    world.turn()

    assert_same_numbers(world.arms(), world.tally())
    told = world.product.reports.process_health(CYCLE).altered_at
    assert told is not None
    assert world.product.cycles.now() - told < timedelta(minutes=1)
