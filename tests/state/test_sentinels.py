"""Redis behind sentinels: clients go on with the server that takes over when the master dies."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from swapflow.domain.cycle import START, Position
from swapflow.domain.fixed_point import Delta
from swapflow.engine.ports.health_facts import SentinelFacts
from swapflow.engine.ports.live_state import Applied, Changes
from swapflow.state.health import look_at_redis
from swapflow.state.rate_limits import RedisLimiter
from swapflow.state.redis import RedisCycleState, RedisDoorbell
from tests.support.sentinels import PATIENT, WatchedRedis
from tests.support.waiting import wait_until


FIRST = Position(1, "aa")
SECOND = Position(2, "bb")
STEP = Changes(deltas=(Delta(application=1, numerator=7, pending=-1),), spent=3, committed=-3)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedOver:
    """Clients that knew a master which has died since, and the servers that are left."""

    servers: WatchedRedis
    state: RedisCycleState
    bell: RedisDoorbell
    limiter: RedisLimiter


def heard(bell: RedisDoorbell) -> bool:
    bell.ring("fall")
    return bell.wait(0.1)


@pytest.fixture(scope="module")
def failed_over() -> Iterator[FailedOver]:
    with WatchedRedis(password="geheim") as servers:
        state, bell = RedisCycleState(servers.url), RedisDoorbell(servers.url)
        limiter = RedisLimiter(servers.url)
        state.apply("fall", STEP, before=START, after=FIRST)
        wait_until(lambda: heard(bell), what="a ring that is heard")
        for _ in range(3):
            limiter.hit("password", "boss", times=3, seconds=86_400)
        servers.copy_all()
        servers.fail_over()
        yield FailedOver(servers=servers, state=state, bell=bell, limiter=limiter)
        state.close()
        bell.close()


def sentinels_of(servers: WatchedRedis) -> SentinelFacts | None:
    """What the doctor learns of those who watch over the server."""
    return look_at_redis(servers.url, queues=(), prefix="").sentinels


@pytest.mark.long
def test_the_live_state_goes_on_with_what_the_new_master_was_told_by_the_old(
    failed_over: FailedOver,
) -> None:
    again = failed_over.state.apply("fall", STEP, before=START, after=FIRST)
    further = failed_over.state.apply("fall", STEP, before=FIRST, after=SECOND)

    assert (again, further) == (Applied.DUPLICATE, Applied.APPLIED)
    arms = failed_over.state.arms("fall")
    assert (arms.position, arms.numerator.tolist(), arms.pending.tolist()) == (
        SECOND,
        [0, 14],
        [0, -2],
    )
    assert (arms.spent, arms.committed) == (6, -6)


@pytest.mark.long
def test_a_doorbell_that_rang_at_the_old_master_rings_at_the_new_one(
    failed_over: FailedOver,
) -> None:
    wait_until(lambda: heard(failed_over.bell), what="a ring that is heard")


@pytest.mark.long
def test_tries_that_were_counted_before_a_fail_over_still_count(failed_over: FailedOver) -> None:
    later = RedisLimiter(failed_over.servers.url)

    asked = (failed_over.limiter, later)
    waits = [who.hit("password", "boss", times=3, seconds=86_400) > 0 for who in asked]

    assert waits == [True, True]


@pytest.mark.long
def test_the_doctor_sees_which_sentinels_answer_and_whether_a_copy_could_take_over(
    failed_over: FailedOver,
) -> None:
    with WatchedRedis(down_after=PATIENT) as whole:
        before = sentinels_of(whole)
        whole.kill_sentinel()
        fewer = sentinels_of(whole)

    assert before == SentinelFacts(named=3, answering=3, replicas=1)
    assert fewer == SentinelFacts(named=3, answering=2, replicas=1)
    assert sentinels_of(failed_over.servers) == SentinelFacts(named=3, answering=3, replicas=0)
