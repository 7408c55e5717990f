"""The live state and the doorbell on a Redis or Valkey server."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib.resources import files
from typing import Any, cast

import redis
from redis.backoff import ExponentialBackoff, NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from redis.sentinel import Sentinel
from typing_extensions import override

from swapflow.domain.cycle import START, Position
from swapflow.engine.ports.live_state import (
    Applied,
    Arms,
    Changes,
    CycleState,
    Doorbell,
    QuarantineNote,
)
from swapflow.errors import InvalidInputError, UnavailableError
from swapflow.server_addresses import SENTINEL_SECONDS, Sentinels, is_sentinel, read_sentinels
from swapflow.state.codec import changes_arguments, check_changes, pack, unpack
from swapflow.state.keys import BELL, BELL_RINGS, QUARANTINE, cycle_keys, dashboard_key
from swapflow.state.memory import no_arms
from swapflow.state.quarantine_notes import decoded_notes, encoded_note


OLDEST_SERVER = (6, 2)
"""kombu needs ZRANGE BYSCORE and ZADD GT, redis-py needs HELLO."""

LONGEST_WAIT = 2.0
"""Longest wait at the doorbell, seconds: well under the socket's timeout, after which redis-py
would take the silence for a fault.
"""

QUIET_AFTER_FAILURE = 1.0
"""Seconds without rings after a failed one, so that a dead server cannot slow submits."""

_OVERFLOW = "overflow"


class RedisCycleState(CycleState):
    """The `CycleState` port on a server that all processes share.

    Every write is one script, which runs alone and may be repeated, so redis-py may safely repeat
    a command without an answer. It does so silently: a plain INCR sent to a frozen server was seen
    to count twice.
    """

    def __init__(self, url: str) -> None:
        """Prepare; nothing is sent before the first call.

        Args:
            url: `redis://host:port/db`, `rediss://…`, `unix:///path/to/socket`, or `sentinel://…`.

        Raises:
            InvalidInputError: If the address cannot be read.
        """
        self._url = url
        self._client = connect(url, timeout=5.0, retry=Retry(ExponentialBackoff(cap=1.0), 3))
        self._apply = _Script(self._client, "apply.lua")
        self._replace = _Script(self._client, "replace.lua")
        self._arms = _Script(self._client, "arms.lua")

    @override
    def position(self, cycle_id: str) -> Position:
        keys = cycle_keys(cycle_id)
        with self._answering(), self._client.pipeline(transaction=True) as pipeline:
            pipeline.hmget(keys.meta, ["seq", "hash", "arms"])
            for key in keys[1:]:
                pipeline.strlen(key)
            (seq, digest, arms), *lengths = pipeline.execute()
        # Strings of another length were damaged from outside: an unknown state is rebuilt.
        if seq is None or lengths != [8 * int(arms)] * 3:
            return START
        return Position(int(seq), digest.decode())

    @override
    def apply(
        self, cycle_id: str, changes: Changes, *, before: Position, after: Position
    ) -> Applied:
        """Fold in the changes after `before` up to `after`, if the state is at `before`.

        Raises:
            InvalidInputError: If a sum would leave 64 bits; nothing has changed.
        """
        check_changes(changes)
        arguments = changes_arguments(changes, before=before, after=after)
        with self._answering():
            answer = self._apply.word(cycle_keys(cycle_id), arguments)
        if answer == _OVERFLOW:
            raise InvalidInputError("live_sum_too_large", cycle=cycle_id)
        return Applied(answer)

    @override
    def replace(self, cycle_id: str, arms: Arms) -> None:
        arguments: list[str | bytes] = [
            str(arms.position.seq),
            arms.position.hash,
            str(arms.spent),
            str(arms.committed),
            str(arms.numerator.size),
            pack(arms.numerator),
            pack(arms.information),
            pack(arms.pending),
        ]
        with self._answering():
            self._replace.word(cycle_keys(cycle_id), arguments)

    @override
    def arms(self, cycle_id: str) -> Arms:
        with self._answering():
            answer = self._arms.parts(cycle_keys(cycle_id))
        if not answer:
            return no_arms()
        seq, digest, spent, committed, numerator, information, pending = answer
        return Arms(
            position=Position(int(seq), digest.decode()),
            numerator=unpack(numerator),
            information=unpack(information),
            pending=unpack(pending),
            spent=int(spent),
            committed=int(committed),
        )

    @override
    def forget(self, cycle_id: str) -> None:
        with self._answering():
            self._client.delete(*cycle_keys(cycle_id), dashboard_key(cycle_id))

    @override
    def retire(self, cycle_id: str, *, seconds: float) -> None:
        with self._answering(), self._client.pipeline(transaction=True) as pipeline:
            for key in (*cycle_keys(cycle_id), dashboard_key(cycle_id)):
                pipeline.pexpire(key, math.ceil(1000 * seconds))
            pipeline.execute()

    @override
    def publish(self, cycle_id: str, dashboard: bytes) -> None:
        with self._answering():
            self._client.set(dashboard_key(cycle_id), dashboard)

    @override
    def dashboard(self, cycle_id: str) -> bytes | None:
        with self._answering():
            return cast("bytes | None", self._client.get(dashboard_key(cycle_id)))

    @override
    def quarantine(self, cycle_id: str, note: QuarantineNote) -> None:
        with self._answering():
            self._client.hset(QUARANTINE, cycle_id, encoded_note(note))

    @override
    def end_quarantine(self, cycle_id: str) -> None:
        with self._answering():
            self._client.hdel(QUARANTINE, cycle_id)

    @override
    def quarantined(self) -> Mapping[str, QuarantineNote]:
        with self._answering():
            return decoded_notes(cast("dict[bytes, bytes]", self._client.hgetall(QUARANTINE)))

    def check(self) -> None:
        """Raise for a server that would lose data or lacks commands; called before work starts.

        Raises:
            UnavailableError: If the server does not answer, is older than 6.2, or may evict keys
                when its memory is full (queues and live state would vanish without an error).
        """
        with self._answering():
            info = self._client.info()
        version = str(info["redis_version"])
        if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_SERVER:
            raise UnavailableError("redis_too_old", server=self._shown, version=version)
        policy = str(info["maxmemory_policy"])
        if policy != "noeviction":
            raise UnavailableError("redis_drops_queues", server=self._shown, policy=policy)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    @property
    def _shown(self) -> str:
        """The address without a password."""
        return without_password(self._url)

    def _answering(self) -> AbstractContextManager[None]:
        return answering(self._url)


class RedisDoorbell(Doorbell):
    """The `Doorbell` port: one short list that coordinators wait on.

    A ring wakes one of them. The others read the ledger within `LONGEST_WAIT` anyway.
    """

    def __init__(self, url: str) -> None:
        """Prepare; nothing is sent before the first call.

        Raises:
            InvalidInputError: If the address cannot be read.
        """
        # Never repeated: a ring that may have arrived is not worth the wait.
        never = Retry(NoBackoff(), 0)
        self._ringer = connect(url, timeout=0.5, retry=never)
        self._waiter = connect(url, timeout=LONGEST_WAIT + 3.0, retry=never)
        self._quiet_until = 0.0

    @override
    def ring(self, cycle_id: str) -> None:
        if time.monotonic() < self._quiet_until:
            return
        try:
            with self._ringer.pipeline(transaction=False) as pipeline:
                pipeline.lpush(BELL, cycle_id)
                # Without a waiting coordinator the list would grow with every answer.
                pipeline.ltrim(BELL, 0, BELL_RINGS - 1)
                pipeline.execute()
        except RedisError:
            self._quiet_until = time.monotonic() + QUIET_AFTER_FAILURE

    @override
    def wait(self, seconds: float) -> bool:
        seconds = min(max(seconds, 0.01), LONGEST_WAIT)  # 0 would wait for ever
        until = time.monotonic() + seconds
        try:
            return self._waiter.blpop([BELL], timeout=seconds) is not None
        except RedisError:
            time.sleep(max(0.0, until - time.monotonic()))
            return False

    def close(self) -> None:
        """Close the connections."""
        self._ringer.close()
        self._waiter.close()


class _Script:
    """A script that the server keeps; it is sent again when the server has lost it."""

    def __init__(self, client: redis.Redis, name: str) -> None:
        text = files("swapflow.state").joinpath("scripts", name).read_text("utf-8")
        self._script = client.register_script(text)

    def word(self, keys: Sequence[str], arguments: Sequence[str | bytes]) -> str:
        """Run a script that answers one word."""
        return cast("bytes", self._script(keys=keys, args=arguments)).decode()

    def parts(self, keys: Sequence[str]) -> list[bytes]:
        """Run a script that takes no arguments and answers a list."""
        return cast("list[bytes]", self._script(keys=keys, args=[]))


@contextmanager
def answering(url: str) -> Iterator[None]:
    """Convert the library's errors into UnavailableError.

    Raises:
        UnavailableError: If the server does not answer, or refuses.
    """
    try:
        yield
    except RedisError as error:
        raise UnavailableError(
            "redis_away",
            server=without_password(url),
            problem=error,
            outside="live_state_away",
        ) from error


def without_password(url: str) -> str:
    """Return an address without its password, for messages."""
    if is_sentinel(url):
        return read_sentinels(url).shown
    scheme, separator, rest = url.partition("://")
    return scheme + separator + rest.rpartition("@")[2]


def connect(url: str, *, timeout: float, retry: Retry) -> redis.Redis:
    """Prepare a client; its first command connects.

    Args:
        url: The server's address, or that of its sentinels: the client then asks them, at each
            new connection, which server is the master.
        timeout: Seconds that connecting, and an answer, may take.
        retry: The policy of repetition after a timeout.

    Raises:
        InvalidInputError: If the address cannot be read.
    """
    try:
        if is_sentinel(url):
            return _of_sentinels(read_sentinels(url), timeout=timeout, retry=retry)
        return redis.Redis.from_url(url, **_patience(timeout, retry))
    except ValueError as error:
        place = url.partition("://")[0] + "://…" if is_sentinel(url) else without_password(url)
        raise InvalidInputError("redis_url_unreadable", url=place, problem=error) from error


def sentinels_of(place: Sentinels, *, timeout: float = SENTINEL_SECONDS) -> Sentinel:
    """Prepare what asks the sentinels of an address.

    Args:
        place: The address.
        timeout: Seconds that each may take.
    """
    never = Retry(NoBackoff(), 0)
    asked: dict[str, Any] = _patience(min(timeout, SENTINEL_SECONDS), never) | _tls(place)
    if place.sentinel_password:
        asked["password"] = place.sentinel_password
    return Sentinel(place.places, sentinel_kwargs=asked)  # type: ignore[no-untyped-call]


def _of_sentinels(place: Sentinels, *, timeout: float, retry: Retry) -> redis.Redis:
    """Prepare a client that follows the master."""
    asked = sentinels_of(place, timeout=timeout)
    client: redis.Redis = asked.master_for(  # type: ignore[no-untyped-call]
        place.master,
        db=place.database,
        username=place.username or None,
        password=place.password or None,
        **_patience(timeout, retry),
        **_tls(place),
    )
    return client


def _patience(timeout: float, retry: Retry) -> dict[str, Any]:
    return {
        "socket_timeout": timeout,
        "socket_connect_timeout": timeout,
        "health_check_interval": 30,
        "retry": retry,
        "client_name": "swapflow",
    }


def _tls(place: Sentinels) -> dict[str, Any]:
    if not place.tls:
        return {}
    return {"ssl": True} | ({"ssl_ca_certs": place.authorities} if place.authorities else {})
