"""What the doctor learns of a server: as it is, and with each thing that can be wrong."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
import redis

from swapflow.engine.ports.health_facts import RedisFacts
from swapflow.errors import UnavailableError
from swapflow.state.health import look_at_redis
from swapflow.state.rate_limits import RedisLimiter
from swapflow.state.untrusted_proxies import UntrustedProxies
from tests.support.redis_server import RedisServer


@pytest.fixture
def server() -> Iterator[RedisServer]:
    with RedisServer() as running:
        yield running


@pytest.fixture
def admin(server: RedisServer) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(server.url) as client:
        yield client


def look(server: RedisServer) -> RedisFacts:
    return look_at_redis(server.url, queues=("mail", "webhook"), prefix="q:", watch=0.01)


@contextmanager
def its_threads_awaited() -> Iterator[None]:
    """Wait at the end for what was begun beside the caller; an error there fails the test."""
    before = set(threading.enumerate())
    yield
    for begun in set(threading.enumerate()) - before:
        begun.join()


def test_a_server_as_swapflow_starts_it_has_nothing_wrong(
    server: RedisServer, admin: redis.Redis
) -> None:
    facts = look(server)

    assert facts.memory_used > 0
    assert abs(facts.ahead) < 60
    assert replace(facts, memory_used=0, ahead=0.0) == RedisFacts(
        version=admin.info()["redis_version"],
        too_old=False,
        eviction="noeviction",
        on_disk="append-only file",
        save_failed=False,
        memory_used=0,
        memory_most=0,
        refused="",
        ahead=0.0,
        waiting={"mail": 0, "webhook": 0},
        moving=frozenset({"mail", "webhook"}),
    )


def test_a_queue_that_no_worker_empties_is_told_from_one_that_is_empty(
    server: RedisServer, admin: redis.Redis
) -> None:
    admin.rpush("q:mail", "one", "two")

    facts = look(server)

    assert (facts.waiting, facts.moving) == ({"mail": 2, "webhook": 0}, frozenset({"webhook"}))


@pytest.mark.parametrize(
    ("save", "kept"), [("3600 1", "snapshots"), ("", "")], ids=["snapshots", "nothing"]
)
def test_a_server_without_an_append_only_file_says_what_a_restart_leaves(
    server: RedisServer, admin: redis.Redis, save: str, kept: str
) -> None:
    admin.config_set("appendonly", "no")
    admin.config_set("save", save)

    assert look(server).on_disk == kept


def test_a_server_that_hides_its_settings_is_not_taken_for_one_that_keeps_nothing(
    server: RedisServer, admin: redis.Redis
) -> None:
    admin.config_set("appendonly", "no")
    admin.acl_setuser(
        "hosted", enabled=True, passwords=["+pw"], keys=["*"], commands=["+@all", "-config"]
    )

    hosted = look_at_redis(f"unix://hosted:pw@{server.socket}", queues=(), prefix="q:", watch=0.01)

    assert hosted.on_disk == "unknown"


def test_a_full_server_is_seen_by_what_it_answers_to_a_write(
    server: RedisServer, admin: redis.Redis
) -> None:
    admin.config_set("maxmemory", "1")

    facts = look(server)

    assert facts.memory_most == 1
    assert "maxmemory" in facts.refused


def test_a_server_that_is_away_is_unavailable(server: RedisServer) -> None:
    server.kill9()

    with pytest.raises(UnavailableError, match="check that it runs"):
        look(server)


def test_what_was_only_counted_is_told_by_its_name(server: RedisServer) -> None:
    with its_threads_awaited():
        RedisLimiter(server.url).note("refused")

    assert look(server).noted == {"refused": 1}


def test_of_proxies_that_nobody_trusts_one_a_minute_is_noted(server: RedisServer) -> None:
    proxies = UntrustedProxies(server.url)
    noted = []
    for noting, peer in (
        (proxies, "192.0.2.1"),
        (proxies, "192.0.2.2"),
        (UntrustedProxies(server.url), "192.0.2.3"),
    ):
        with its_threads_awaited():
            noting.note(peer)
        noted.append(look(server).untrusted_proxy)

    assert noted == ["192.0.2.1", "192.0.2.1", "192.0.2.3"]


def test_a_count_or_a_proxy_that_cannot_be_noted_disturbs_nobody(server: RedisServer) -> None:
    server.kill9()
    limiter, proxies = RedisLimiter(server.url), UntrustedProxies(server.url)

    with its_threads_awaited():
        limiter.note("refused")
        proxies.note("192.0.2.1")

    server.start()
    facts = look(server)
    assert (facts.noted, facts.untrusted_proxy) == ({}, "")
