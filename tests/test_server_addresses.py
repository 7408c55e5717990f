"""Addresses that name several servers, of which one serves: read, or refused with a cure."""

import pytest
from sqlalchemy import make_url

from swapflow.engine.ports.health_facts import Grade, SentinelFacts, StandbyFacts
from swapflow.ledger.core.engines import new_engine
from swapflow.processes.doctor_findings import sentinels, standbys
from swapflow.queues.celery import broker_url, celery_app
from swapflow.server_addresses import Sentinels, known_database, known_redis, read_sentinels
from swapflow.state.redis import without_password


SENTINELS = "sentinel://me:gehe%40im@a:1,b:2,[::1]/3?master=sf&sentinel_password=auch&tls=yes"


@pytest.mark.parametrize(
    "written",
    [
        "postgresql://me:pw@a:1,b/books?sslmode=require",
        "postgres://me:pw@/books?host=a:1,b&sslmode=require",
        "postgresql+psycopg://me:pw@/books?host=a:1&host=b:5432&sslmode=require",
        "postgresql://me:pw@/books?host=a,b&port=1,5432&sslmode=require",
        "postgresql://me:pw@a:1,b/books?target_session_attrs=read-write&sslmode=require",
    ],
)
def test_of_several_hosts_the_driver_asks_for_the_one_that_takes_writes(written: str) -> None:
    address = known_database(written)

    engine = new_engine(make_url(address), in_memory=False, busy=1.0)
    _, options = engine.dialect.create_connect_args(engine.url)
    options.pop("context")
    assert options == {
        "user": "me",
        "password": "pw",
        "dbname": "books",
        "host": "a,b",
        "port": "1,5432",
        "target_session_attrs": "read-write",
        "sslmode": "require",
    }
    assert known_database(address) == address


def test_one_host_stays_as_it_was_written() -> None:
    written = "postgresql+psycopg://me@/books?host=%2Ftmp%2Fsockets"

    assert known_database(written) == written


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("postgresql://me:geheim@a:x,b/books", "'x' is no port"),
        ("postgresql://me:geheim@a,b/books?target_session_attrs=any", "leads to a replica"),
        ("postgresql://me:geheim@/books?host=a,b,c&port=1,2", "3 hosts and 2 ports"),
    ],
)
def test_an_address_that_would_lead_nowhere_is_refused_with_a_cure(written: str, why: str) -> None:
    with pytest.raises(ValueError, match=why) as refused:
        known_database(written)

    assert "write " in str(refused.value)
    assert "geheim" not in str(refused.value)


def test_redis_by_sentinel_is_read_with_its_secrets_which_are_never_shown() -> None:
    assert known_redis(SENTINELS) == SENTINELS
    assert read_sentinels(SENTINELS) == Sentinels(
        places=(("a", 1), ("b", 2), ("::1", 26379)),
        master="sf",
        database=3,
        username="me",
        password="gehe@im",
        sentinel_password="auch",
        tls=True,
    )
    assert without_password(SENTINELS) == "sentinel://a:1,b:2,[::1]:26379/3?master=sf"
    assert read_sentinels("sentinel://a;sentinel://b:2/?master=sf").places == (
        ("a", 26379),
        ("b", 2),
    )


def test_the_broker_learns_from_the_same_address_what_it_needs() -> None:
    conf = celery_app(broker_url(SENTINELS)).conf

    assert conf.broker_url.split(";")[:2] == [
        "sentinel://me:gehe%40im@a:1/3",
        "sentinel://me:gehe%40im@b:2/3",
    ]
    options = conf.broker_transport_options
    assert options["master_name"] == "sf"
    assert options["sentinel_kwargs"]["password"] == "auch"
    assert options["sentinel_kwargs"]["ssl"]


@pytest.mark.parametrize(
    "written",
    [
        "sentinel://:geheim@a,b,c/0",
        "sentinel://:geheim@a:x/0?master=sf",
        "sentinel://:geheim@a/zero?master=sf",
        "sentinel://:geheim@a/0?master=sf&tsl=yes",
        "sentinel:///0?master=sf",
    ],
)
def test_an_address_of_sentinels_that_cannot_be_read_is_refused_with_a_cure(written: str) -> None:
    with pytest.raises(ValueError, match="write sentinel://host1:26379") as refused:
        known_redis(written)

    assert "geheim" not in str(refused.value)


@pytest.mark.parametrize(
    ("streaming", "named", "commit", "grade", "said"),
    [
        (1, "ANY 1 (*)", "on", Grade.GOOD, "acknowledged once a replica has it"),
        (1, "", "on", Grade.WARNING, "synchronous_standby_names is empty"),
        (1, "*", "local", Grade.WARNING, "synchronous_commit is local"),
        (0, "*", "on", Grade.FAULT, "nothing is stored"),
    ],
)
def test_the_doctor_says_whether_a_receipt_outlives_the_primary(
    streaming: int, named: str, commit: str, grade: Grade, said: str
) -> None:
    waits = bool(named) and commit == "on"
    found = standbys(
        StandbyFacts(hosts=2, streaming=streaming, waits=waits, named=named, commit=commit)
    )

    assert (found.grade, said in found.says) == (grade, True), found.says
    assert bool(found.cure) == (grade is not Grade.GOOD)


@pytest.mark.parametrize(
    ("named", "answering", "replicas", "grade"),
    [
        (3, 3, 1, Grade.GOOD),
        (3, 1, 1, Grade.WARNING),
        (3, 3, 0, Grade.WARNING),
        (2, 2, 1, Grade.WARNING),
    ],
)
def test_the_doctor_says_whether_another_redis_can_take_over(
    named: int, answering: int, replicas: int, grade: Grade
) -> None:
    found = sentinels(SentinelFacts(named=named, answering=answering, replicas=replicas))

    assert found.grade is grade
    assert bool(found.cure) == (grade is not Grade.GOOD)
