"""What only a server can do to the live state: die, freeze, forget, be full, be the wrong one."""

import contextlib
import os
import threading
import time
from collections.abc import Iterator

import pytest
import redis

from swapflow.domain.cycle import START, Position
from swapflow.domain.fixed_point import Delta
from swapflow.engine.ports.live_state import Applied, Changes
from swapflow.errors import InvalidInputError, UnavailableError
from swapflow.state.keys import BELL, BELL_RINGS, cycle_keys, dashboard_key
from swapflow.state.redis import RedisCycleState, RedisDoorbell
from tests.support.redis_server import RedisServer
from tests.support.waiting import CAP


FIRST = Position(1, "aa")
SECOND = Position(2, "bb")
STEP = Changes(deltas=(Delta(application=1, numerator=7, pending=-1),), spent=3, committed=-3)


@pytest.fixture
def server() -> Iterator[RedisServer]:
    with RedisServer() as running:
        yield running


@pytest.fixture
def store(server: RedisServer) -> Iterator[RedisCycleState]:
    state = RedisCycleState(server.url)
    yield state
    state.close()


def test_what_was_applied_survives_the_death_of_the_server(
    server: RedisServer, store: RedisCycleState
) -> None:
    store.apply("fall", STEP, before=START, after=FIRST)

    server.restart()

    assert store.apply("fall", STEP, before=START, after=FIRST) is Applied.DUPLICATE
    assert store.arms("fall").numerator.tolist() == [0, 7]


def test_a_server_that_lost_everything_says_so_by_its_position(
    server: RedisServer, store: RedisCycleState
) -> None:
    store.apply("fall", STEP, before=START, after=FIRST)

    server.restart(keep_file=False)

    assert store.position("fall") == START
    assert store.apply("fall", STEP, before=FIRST, after=SECOND) is Applied.GAP


def test_an_emptied_server_starts_over_and_runs_the_scripts_it_has_forgotten(
    server: RedisServer, store: RedisCycleState
) -> None:
    store.apply("fall", STEP, before=START, after=FIRST)
    server.flush()
    redis.Redis.from_url(server.url).script_flush()

    assert store.position("fall") == START
    assert store.apply("fall", STEP, before=START, after=FIRST) is Applied.APPLIED
    assert store.arms("fall").numerator.tolist() == [0, 7]


def test_killing_the_server_over_and_over_never_leaves_half_a_change(
    server: RedisServer, store: RedisCycleState
) -> None:
    step = Changes(
        deltas=tuple(Delta(application=a, numerator=1, pending=1) for a in range(600)),
        spent=1,
        committed=0,
    )
    deaths = iter([0.1, 0.1, 0.1])
    killer: threading.Timer | None = None
    seq = 0
    while killer is None or killer.is_alive() or seq < 30:
        if killer is None or not killer.is_alive():
            pause = next(deaths, None)
            if pause is not None:
                killer = threading.Timer(pause, server.restart)
                killer.start()
        with contextlib.suppress(UnavailableError):
            now = store.position("fall")
            seq = now.seq
            store.apply("fall", step, before=now, after=Position(seq + 1, f"h{seq + 1}"))

    arms = store.arms("fall")
    assert arms.position.seq >= 30
    assert set(arms.numerator.tolist()) == {arms.position.seq}
    assert set(arms.pending.tolist()) == {arms.position.seq}
    assert arms.spent == arms.position.seq


def test_a_change_sent_to_a_frozen_server_counts_once(
    server: RedisServer, store: RedisCycleState
) -> None:
    # redis-py gives up after 5 s and sends the change again: both arrive when the server thaws.
    store.apply("fall", STEP, before=START, after=FIRST)
    server.stop()
    thaw = threading.Timer(6.0, server.cont)
    thaw.start()

    answer = store.apply("fall", STEP, before=FIRST, after=SECOND)

    thaw.join()
    assert answer in {Applied.APPLIED, Applied.DUPLICATE}
    assert store.arms("fall").numerator.tolist() == [0, 14]
    assert store.arms("fall").spent == 6


def test_a_server_that_is_not_there_is_named_with_what_to_check(
    server: RedisServer, store: RedisCycleState
) -> None:
    server.kill9()

    for call in (
        lambda: store.position("fall"),
        lambda: store.apply("fall", STEP, before=START, after=FIRST),
        lambda: store.arms("fall"),
        lambda: store.forget("fall"),
        store.check,
    ):
        with pytest.raises(UnavailableError, match="check that it runs"):
            call()


def test_a_retired_cycle_is_kept_for_the_seconds_that_were_said(
    server: RedisServer, store: RedisCycleState
) -> None:
    store.apply("fall", STEP, before=START, after=FIRST)
    store.publish("fall", b"board")

    store.retire("fall", seconds=3600)

    with redis.Redis.from_url(server.url) as client:
        left = [client.pttl(key) for key in (*cycle_keys("fall"), dashboard_key("fall"))]
    # A minute less, for a machine that is busy.
    assert all(3_540_000 < milliseconds <= 3_600_000 for milliseconds in left), left


@pytest.mark.parametrize("damaged", [0, 1, 2, 3])
def test_a_cycle_with_a_key_missing_counts_as_unknown_and_can_be_rebuilt(
    server: RedisServer, store: RedisCycleState, damaged: int
) -> None:
    store.apply("fall", STEP, before=START, after=FIRST)
    whole = store.arms("fall")

    redis.Redis.from_url(server.url).delete(cycle_keys("fall")[damaged])

    assert store.position("fall") == START
    assert store.arms("fall").position == START
    assert store.apply("fall", STEP, before=START, after=FIRST) is Applied.GAP
    store.replace("fall", whole)
    assert store.apply("fall", STEP, before=FIRST, after=SECOND) is Applied.APPLIED


def test_a_full_server_refuses_a_change_whole(server: RedisServer, store: RedisCycleState) -> None:
    store.apply("fall", STEP, before=START, after=FIRST)
    admin = redis.Redis.from_url(server.url)
    admin.config_set("maxmemory", "1")

    with pytest.raises(UnavailableError, match="memory"):
        store.apply("fall", STEP, before=FIRST, after=SECOND)

    admin.config_set("maxmemory", "0")
    assert store.arms("fall").numerator.tolist() == [0, 7]
    assert store.arms("fall").spent == 3
    assert store.apply("fall", STEP, before=FIRST, after=SECOND) is Applied.APPLIED


def test_a_server_that_may_evict_is_refused(server: RedisServer, store: RedisCycleState) -> None:
    redis.Redis.from_url(server.url).config_set("maxmemory-policy", "allkeys-lru")

    with pytest.raises(UnavailableError, match=r"allkeys-lru.*noeviction"):
        store.check()


def test_a_password_never_shows_in_a_message() -> None:
    state = RedisCycleState("redis://someone:geheim@127.0.0.1:1/0")

    with pytest.raises(UnavailableError) as caught:
        state.position("fall")

    assert "geheim" not in str(caught.value)
    assert "127.0.0.1:1" in str(caught.value)


def test_an_address_of_another_kind_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="redis://host"):
        RedisCycleState("http://127.0.0.1/0")


def test_a_ring_wakes_one_who_waits(server: RedisServer) -> None:
    bell = RedisDoorbell(server.url)
    ringing = threading.Timer(0.05, bell.ring, ["fall"])
    ringing.start()

    assert bell.wait(CAP)

    ringing.join()
    bell.close()


def test_waiting_ends_in_time_without_a_ring(server: RedisServer) -> None:
    bell = RedisDoorbell(server.url)
    started = time.monotonic()

    assert not bell.wait(0.1)

    assert 0.08 < time.monotonic() - started < CAP
    bell.close()


def test_rings_that_nobody_hears_do_not_pile_up(server: RedisServer) -> None:
    bell = RedisDoorbell(server.url)
    for _ in range(50):
        bell.ring("fall")

    assert redis.Redis.from_url(server.url).llen(BELL) == BELL_RINGS
    bell.close()


def test_ringing_a_dead_or_frozen_server_neither_raises_nor_blocks_for_long(
    server: RedisServer,
) -> None:
    bell = RedisDoorbell(server.url)
    bell.ring("fall")
    server.stop()
    started = time.monotonic()
    for _ in range(20):
        bell.ring("fall")
    frozen = time.monotonic() - started
    server.cont()
    server.kill9()
    bell.ring("fall")

    assert frozen < 20
    bell.close()


def test_waiting_on_a_dead_server_keeps_the_pace(server: RedisServer) -> None:
    bell = RedisDoorbell(server.url)
    server.kill9()
    started = time.monotonic()

    assert not bell.wait(0.1)

    assert 0.08 < time.monotonic() - started < CAP
    bell.close()


def test_a_forked_process_does_not_disturb_its_parents_connection(
    store: RedisCycleState,
) -> None:
    store.apply("fall", STEP, before=START, after=FIRST)
    child = os.fork()
    if child == 0:
        for _ in range(50):
            store.position("fall")
        os._exit(0)
    positions = {store.position("fall") for _ in range(50)}

    assert os.waitpid(child, 0)[1] == 0
    assert positions == {FIRST}
