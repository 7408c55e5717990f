"""Counting of tries: in Redis, and in this process while Redis is away."""

import math
import time

from limits import RateLimitItem, RateLimitItemPerSecond
from limits.storage import MemoryStorage, storage_from_string
from limits.strategies import SlidingWindowCounterRateLimiter
from redis.exceptions import RedisError
from typing_extensions import override

from swapflow.identity.ports.identity_store import Limiter


class RedisLimiter(Limiter):
    """The port `Limiter`: one count for all processes, or each its own while Redis is away.

    An outage thus never prevents sign-in, nor permits guessing.
    """

    def __init__(self, url: str, *, timeout: float = 1.0) -> None:
        shared = storage_from_string(
            url.replace("unix://", "redis+unix://", 1),
            socket_timeout=timeout,
            socket_connect_timeout=timeout,
            key_prefix="swapflow:limits",
        )
        self._shared = SlidingWindowCounterRateLimiter(shared)
        self._own = SlidingWindowCounterRateLimiter(MemoryStorage())

    @override
    def hit(self, name: str, key: str, *, times: int, seconds: int) -> int:
        item = RateLimitItemPerSecond(times, seconds)
        try:
            return _hit(self._shared, item, name, key)
        except (RedisError, OSError):
            return _hit(self._own, item, name, key)


class MemoryLimiter(Limiter):
    """The port `Limiter` within one process."""

    def __init__(self) -> None:
        self._own = SlidingWindowCounterRateLimiter(MemoryStorage())

    @override
    def hit(self, name: str, key: str, *, times: int, seconds: int) -> int:
        return _hit(self._own, RateLimitItemPerSecond(times, seconds), name, key)


def _hit(
    limiter: SlidingWindowCounterRateLimiter, item: RateLimitItem, name: str, key: str
) -> int:
    if limiter.hit(item, name, key):
        return 0
    reset = limiter.get_window_stats(item, name, key).reset_time
    return max(1, math.ceil(reset - time.time()))
