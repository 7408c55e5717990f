"""Counting of tries: in Redis, and in this process while Redis is away."""

import math
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from limits import RateLimitItem, RateLimitItemPerSecond
from limits.errors import StorageError
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import SlidingWindowCounterRateLimiter
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from typing_extensions import override

from swapflow.identity.ports.identity_store import Limiter
from swapflow.state.redis import connect


T = TypeVar("T")

PREFIX = "swapflow:limits"

FLUSH_EVERY = 5.0
"""Seconds between two times at which what was counted is sent to Redis."""

NOTED = "noted"
NOTED_PREFIX = f"{PREFIX}:{NOTED}/"
"""Prefix of the keys of what is only counted."""

NOTED_FOR = 30 * 24 * 3600
"""Seconds after which a count begins anew."""


class RedisLimiter(Limiter):
    """The port `Limiter`: one count for all processes, or each its own while Redis is away.

    An outage thus never prevents sign-in, nor permits guessing.
    """

    def __init__(self, url: str, *, timeout: float = 1.0) -> None:
        client = connect(url, timeout=timeout, retry=Retry(NoBackoff(), 1))
        # The library asks for an address and uses the pool, which may follow a master.
        shared = RedisStorage("redis://", client.connection_pool, key_prefix=PREFIX)
        self._shared = SlidingWindowCounterRateLimiter(shared)
        self._own = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._storage = shared
        self._noted: Counter[str] = Counter()
        self._flushed = -math.inf
        self._flushing = threading.Lock()

    @override
    def note(self, name: str) -> None:
        self._noted[name] += 1
        if time.monotonic() - self._flushed >= FLUSH_EVERY and self._flushing.acquire(
            blocking=False
        ):
            # In a thread of its own: a request must not wait for a Redis that is away.
            threading.Thread(target=self._flush, daemon=True).start()

    def _flush(self) -> None:
        try:
            self._flushed = time.monotonic()
            for name, count in list(self._noted.items()):
                with suppress(RedisError, OSError, StorageError):
                    self._storage.incr(f"{NOTED}/{name}", NOTED_FOR, amount=count)
                    self._noted[name] -= count
        finally:
            self._flushing.release()

    @override
    def hit(self, name: str, key: str, *, times: int, seconds: int) -> int:
        item = RateLimitItemPerSecond(times, seconds)
        return self._either(lambda limiter: _hit(limiter, item, name, key))

    @override
    def give_back(self, name: str, key: str, *, times: int, seconds: int) -> None:
        item = RateLimitItemPerSecond(times, seconds)
        self._either(lambda limiter: _give_back(limiter, item, name, key))

    @override
    def forget(self, name: str, key: str, *, times: int, seconds: int) -> None:
        item = RateLimitItemPerSecond(times, seconds)
        # Both counts: an outage may begin or end between two tries.
        self._own.clear(item, name, key)
        self._either(lambda limiter: limiter.clear(item, name, key))

    def _either(self, do: Callable[[SlidingWindowCounterRateLimiter], T]) -> T:
        try:
            return do(self._shared)
        except (RedisError, OSError):
            return do(self._own)


class MemoryLimiter(Limiter):
    """The port `Limiter` within one process."""

    def __init__(self) -> None:
        self._own = SlidingWindowCounterRateLimiter(MemoryStorage())
        self.noted: Counter[str] = Counter()

    @override
    def note(self, name: str) -> None:
        self.noted[name] += 1

    @override
    def hit(self, name: str, key: str, *, times: int, seconds: int) -> int:
        return _hit(self._own, RateLimitItemPerSecond(times, seconds), name, key)

    @override
    def give_back(self, name: str, key: str, *, times: int, seconds: int) -> None:
        _give_back(self._own, RateLimitItemPerSecond(times, seconds), name, key)

    @override
    def forget(self, name: str, key: str, *, times: int, seconds: int) -> None:
        self._own.clear(RateLimitItemPerSecond(times, seconds), name, key)


def _hit(
    limiter: SlidingWindowCounterRateLimiter, item: RateLimitItem, name: str, key: str
) -> int:
    if limiter.hit(item, name, key):
        return 0
    reset = limiter.get_window_stats(item, name, key).reset_time
    return max(1, math.ceil(reset - time.time()))


def _give_back(
    limiter: SlidingWindowCounterRateLimiter, item: RateLimitItem, name: str, key: str
) -> None:
    if limiter.get_window_stats(item, name, key).remaining < item.amount:
        limiter.hit(item, name, key, cost=-1)
