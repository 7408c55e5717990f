from collections.abc import Iterator

import pytest

from tests.support.redis_server import RedisServer


@pytest.fixture
def server() -> Iterator[RedisServer]:
    with RedisServer() as running:
        yield running
