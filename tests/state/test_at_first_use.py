"""Parts that are made by their first call: nothing is reached before it."""

from swapflow.state.at_first_use import (
    CycleStateAtFirstUse,
    DoorbellAtFirstUse,
    LimiterAtFirstUse,
)
from tests.support.redis_server import RedisServer
from tests.support.waiting import CAP


NOWHERE = "redis://127.0.0.1:9/0"


def test_what_was_never_used_closes_without_a_server() -> None:
    state, bell = CycleStateAtFirstUse(NOWHERE), DoorbellAtFirstUse(NOWHERE)

    state.close()
    bell.close()

    assert [set(vars(part)) for part in (state, bell)] == [{"_url"}, {"_url"}]


def test_a_ring_of_one_process_wakes_another(valkey: RedisServer) -> None:
    ringer, waiter = DoorbellAtFirstUse(valkey.url), DoorbellAtFirstUse(valkey.url)

    ringer.ring("fall")

    assert waiter.wait(CAP)
    assert not waiter.wait(0.01)
    ringer.close()
    waiter.close()


def test_tries_are_counted_given_back_and_forgotten_for_all_processes(valkey: RedisServer) -> None:
    one, other = LimiterAtFirstUse(valkey.url), LimiterAtFirstUse(valkey.url)

    def tried() -> bool:
        """Whether the other process lets a try pass."""
        return other.hit("first-use", "boss", times=1, seconds=3600) == 0

    seen = [tried(), tried()]
    one.give_back("first-use", "boss", times=1, seconds=3600)
    seen += [tried(), tried()]
    one.forget("first-use", "boss", times=1, seconds=3600)
    seen += [tried()]

    assert seen == [True, False, True, False, True]
    one.forget("first-use", "boss", times=1, seconds=3600)
