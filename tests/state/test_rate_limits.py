"""Tries are counted for all processes in Redis, and in each of them while Redis is away."""

from pathlib import Path

import pytest

from swapflow.identity.ports.identity_store import Limiter
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


def test_processes_share_one_count_in_redis(valkey: RedisServer) -> None:
    one, other = RedisLimiter(valkey.url), RedisLimiter(valkey.url)

    waits = [who.hit("shared", "boss", times=3, seconds=60) for who in (one, other, one, other)]

    assert waits[:3] == [0, 0, 0]
    assert waits[3] >= 1
