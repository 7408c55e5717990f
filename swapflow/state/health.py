"""Facts about a Redis or Valkey server, for the health checks."""

import time
from collections.abc import Collection
from typing import cast

import redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError
from redis.retry import Retry

from swapflow.engine.ports.health_facts import RedisFacts, SentinelFacts
from swapflow.server_addresses import is_sentinel, read_sentinels
from swapflow.state.keys import QUARANTINE
from swapflow.state.quarantine_notes import decoded_notes
from swapflow.state.rate_limits import NOTED_PREFIX
from swapflow.state.redis import OLDEST_SERVER, answering, connect, sentinels_of
from swapflow.state.untrusted_proxies import read_untrusted_proxy


def look_at_redis(
    url: str, *, queues: Collection[str], prefix: str, watch: float = 1.0
) -> RedisFacts:
    """Read a server's facts; nothing that swapflow uses is changed.

    Args:
        url: Its address.
        queues: Names of the queues whose length is wanted.
        prefix: Prefix of their keys.
        watch: Seconds between two looks at the queues, if any holds a message.

    Raises:
        UnavailableError: If it does not answer.
    """
    client = connect(url, timeout=5.0, retry=Retry(NoBackoff(), 0))
    try:
        with answering(url):
            info = client.info()
            ahead = _ahead(client)
            first = _lengths(client, queues, prefix)
            if any(first.values()):
                time.sleep(watch)
            second = _lengths(client, queues, prefix)
            on_disk = _persistence(client, info)
            refused = _try_to_write(client)
            untrusted = read_untrusted_proxy(client)
            noted = _noted(client)
            quarantined = decoded_notes(cast("dict[bytes, bytes]", client.hgetall(QUARANTINE)))
    finally:
        client.close()
    version = str(info["redis_version"])
    return RedisFacts(
        version=version,
        too_old=tuple(int(part) for part in version.split(".")[:2]) < OLDEST_SERVER,
        eviction=str(info["maxmemory_policy"]),
        on_disk=on_disk,
        save_failed="err"
        in {info.get("rdb_last_bgsave_status"), info.get("aof_last_write_status")},
        memory_used=int(info["used_memory"]),
        memory_most=int(info.get("maxmemory", 0)),
        refused=refused,
        quarantined=quarantined,
        ahead=ahead,
        untrusted_proxy=untrusted,
        waiting=second,
        moving=frozenset(
            name for name in queues if second[name] == 0 or second[name] < first[name]
        ),
        noted=noted,
        sentinels=_sentinels(url, info) if is_sentinel(url) else None,
    )


def _sentinels(url: str, info: dict[str, object]) -> SentinelFacts:
    place = read_sentinels(url)
    asked = sentinels_of(place)
    answering = 0
    for one in asked.sentinels:
        try:
            answering += place.master in one.sentinel_masters()
        except RedisError:
            continue
    asked.close()
    return SentinelFacts(
        named=len(place.places),
        answering=answering,
        replicas=int(str(info.get("connected_slaves", 0))),
    )


def _ahead(client: redis.Redis) -> float:
    before = time.time()
    seconds, micros = client.time()
    return float(seconds + micros / 1e6 - (before + time.time()) / 2)


def _lengths(client: redis.Redis, queues: Collection[str], prefix: str) -> dict[str, int]:
    with client.pipeline(transaction=False) as pipeline:
        for name in queues:
            pipeline.llen(prefix + name)
        return dict(zip(queues, map(int, pipeline.execute()), strict=True))


def _noted(client: redis.Redis) -> dict[str, int]:
    """Read what was only counted, by its name."""
    keys = list(client.scan_iter(match=f"{NOTED_PREFIX}*", count=1000))
    return {
        key.decode().removeprefix(NOTED_PREFIX): int(client.get(key) or 0) for key in sorted(keys)
    }


def _try_to_write(client: redis.Redis) -> str:
    """Write a short-lived key of its own: a full or read-only server refuses it here."""
    try:
        client.set("sf:checkup", "1", px=1000)
    except ResponseError as error:
        return str(error)
    return ""


def _persistence(client: redis.Redis, info: dict[str, object]) -> str:
    if info.get("aof_enabled"):
        return "append-only file"
    try:
        rule = client.config_get("save").get("save", "")
    except ResponseError:  # a hosted server may hide its settings
        return "unknown"
    return "snapshots" if str(rule).strip() else ""
