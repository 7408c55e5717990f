"""The last proxy that nobody trusts: noted by web processes, read by `swapflow doctor`."""

import threading
import time

import redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from swapflow.state.keys import UNTRUSTED_PROXY
from swapflow.state.redis import connect


EVERY_SECONDS = 60.0
"""Seconds between two notes of one process: one is enough for the doctor."""

KEPT_SECONDS = 7 * 86_400


class UntrustedProxies:
    """Notes proxies for one process, as well as that can be done without delaying anybody."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._next = 0.0
        self._lock = threading.Lock()

    def note(self, peer: str) -> None:
        """Note the address of a proxy, from a thread of its own; errors are of no consequence."""
        with self._lock:
            now = time.monotonic()
            if now < self._next:
                return
            self._next = now + EVERY_SECONDS
        threading.Thread(target=self._store, args=(peer,), daemon=True).start()

    def _store(self, peer: str) -> None:
        try:
            client = connect(self._url, timeout=1.0, retry=Retry(NoBackoff(), 0))
            with client:
                client.set(UNTRUSTED_PROXY, peer[:100], ex=KEPT_SECONDS)
        except (RedisError, OSError):
            return


def read_untrusted_proxy(client: redis.Redis) -> str:
    """Return the address noted last within a week; "" for none."""
    found = client.get(UNTRUSTED_PROXY)
    return found.decode(errors="replace") if isinstance(found, bytes) else str(found or "")
