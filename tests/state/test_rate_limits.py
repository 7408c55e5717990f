"""Tries are counted for all processes in Redis, and in each of them while Redis is away."""

import time
from itertools import pairwise
from pathlib import Path

import pytest

from swapflow.identity.ports.identity_store import Limiter
from swapflow.identity.services.one_time_links import LINK_MINUTES
from swapflow.identity.services.tries import mailed_links
from swapflow.state.rate_limits import MemoryLimiter, RedisLimiter
from tests.support.redis_server import RedisServer


@pytest.fixture(params=["memory", "nothing listens", "no such socket"])
def limiter(request: pytest.FixtureRequest, tmp_path: Path) -> Limiter:
    if request.param == "memory":
        return MemoryLimiter()
    if request.param == "nothing listens":
        return RedisLimiter("redis://127.0.0.1:9/0", timeout=0.2)
    return RedisLimiter(f"unix://{tmp_path / 'redis.sock'}", timeout=0.2)


def test_tries_beyond_the_limit_wait_for_one_key_and_no_other(limiter: Limiter) -> None:
    waits = [limiter.hit("password", "boss", times=3, seconds=60) for _ in range(4)]

    assert waits[:3] == [0, 0, 0]
    assert 1 <= waits[3] <= 120
    assert limiter.hit("password", "other", times=3, seconds=60) == 0
    assert limiter.hit("link", "boss", times=3, seconds=60) == 0


def test_a_try_that_was_none_is_given_back_once(limiter: Limiter) -> None:
    for _ in range(4):
        limiter.give_back("password", "boss", times=3, seconds=60)
    waits = [limiter.hit("password", "boss", times=3, seconds=60) for _ in range(3)]
    limiter.give_back("password", "boss", times=3, seconds=60)

    assert waits == [0, 0, 0]
    assert limiter.hit("password", "boss", times=3, seconds=60) == 0
    assert limiter.hit("password", "boss", times=3, seconds=60) >= 1


def test_forgotten_tries_are_there_again(limiter: Limiter) -> None:
    for _ in range(4):
        limiter.hit("password", "boss", times=3, seconds=60)
    limiter.forget("password", "boss", times=3, seconds=60)
    limiter.forget("password", "nobody", times=3, seconds=60)

    assert limiter.hit("password", "boss", times=3, seconds=60) == 0


def test_a_mail_is_counted_for_less_time_than_its_link_is_good(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else a stranger who asks again and again could leave a person without any good link."""
    limiter, allowed = MemoryLimiter(), mailed_links("boss@example.org", "")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    mailed = []
    for _ in range(12 * 60):  # a stranger asks once a minute for half a day
        now += 60
        if not limiter.hit("m", "boss", times=allowed.times, seconds=allowed.seconds):
            mailed.append(now)

    assert max(b - a for a, b in pairwise(mailed)) < LINK_MINUTES * 60 - 600
    assert len(mailed) <= (12 * 60 / 30 + 1) * allowed.times


def test_processes_share_one_count_in_redis(valkey: RedisServer) -> None:
    one, other = RedisLimiter(valkey.url), RedisLimiter(valkey.url)

    waits = [who.hit("shared", "boss", times=3, seconds=60) for who in (one, other, one, other)]

    assert waits[:3] == [0, 0, 0]
    assert waits[3] >= 1
    other.give_back("shared", "boss", times=3, seconds=60)
    assert [who.hit("shared", "boss", times=3, seconds=60) > 0 for who in (one, other)] == [
        False,
        True,
    ]
    one.forget("shared", "boss", times=3, seconds=60)
    assert other.hit("shared", "boss", times=3, seconds=60) == 0
