from collections.abc import Iterator

import pytest

from swapflow.state.at_first_use import CycleStateAtFirstUse
from swapflow.state.memory import MemoryCycleState
from swapflow.state.redis import RedisCycleState
from tests.support.redis_server import RedisServer, debian_server
from tests.support.sentinels import PATIENT, WatchedRedis


@pytest.fixture(scope="session")
def valkey() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


@pytest.fixture(scope="session")
def redis7() -> Iterator[RedisServer]:
    with RedisServer(binary=debian_server()) as server:
        yield server


@pytest.fixture(scope="session")
def sentinels() -> Iterator[WatchedRedis]:
    with WatchedRedis(password="geheim", down_after=PATIENT) as servers:
        yield servers


@pytest.fixture(params=["memory", "valkey", "redis7", "sentinels", "first use"])
def state(
    request: pytest.FixtureRequest,
) -> Iterator[MemoryCycleState | RedisCycleState | CycleStateAtFirstUse]:
    """The live state on every store that it has, one after the other, without cycle 'fall'."""
    if request.param == "memory":
        yield MemoryCycleState()
        return
    if request.param == "first use":
        valkey: RedisServer = request.getfixturevalue("valkey")
        made = CycleStateAtFirstUse(valkey.url)
        made.forget("fall")
        yield made
        made.close()
        return
    server: RedisServer | WatchedRedis = request.getfixturevalue(request.param)
    store = RedisCycleState(server.url)
    store.forget("fall")
    yield store
    store.close()
