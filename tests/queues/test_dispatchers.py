"""The two ways out: what is sent arrives on the right queue, holding one id."""

import base64
import json
import time

import pytest
import redis

from swapflow.engine.ports.dispatcher import QueueMessage, Topic
from swapflow.errors import UnavailableError
from swapflow.queues.celery import BATCH, CeleryDispatcher, broker_url, celery_app
from swapflow.queues.inline import InlineDispatcher
from tests.support.redis_server import RedisServer


def deliver(number: int, tier: int = 0) -> QueueMessage:
    return QueueMessage(topic=Topic.DELIVER, id=f"fall:{number}:review:1:1.1", tier=tier)


def waiting(server: RedisServer, queue: str) -> list[tuple[str, list[str]]]:
    """Task and arguments of the messages in a queue, oldest first."""
    raw = redis.Redis.from_url(server.url).lrange(f"sfq:{queue}", 0, -1)
    messages = [json.loads(text) for text in reversed(raw)]
    found = []
    for message in messages:
        args, kwargs, _ = json.loads(base64.b64decode(message["body"]))
        assert kwargs == {}
        found.append((message["headers"]["task"], args))
    return found


@pytest.mark.parametrize(
    ("address", "broker"),
    [
        ("redis://host:6379/1", "redis://host:6379/1"),
        ("rediss://u:p@host", "rediss://u:p@host"),
        ("unix:///run/redis.sock", "redis+socket:///run/redis.sock?virtual_host=0"),
        ("unix:///run/redis.sock?db=3", "redis+socket:///run/redis.sock?virtual_host=3"),
        ("unix://:pw@/run/redis.sock", "redis+socket://:pw@/run/redis.sock?virtual_host=0"),
    ],
)
def test_a_redis_address_is_spelled_as_the_broker_wants_it(address: str, broker: str) -> None:
    assert broker_url(address) == broker


def test_each_kind_travels_on_its_own_queue_and_a_message_is_one_id(server: RedisServer) -> None:
    app = celery_app(broker_url(server.url))
    dispatcher = CeleryDispatcher(app)

    dispatcher.send(
        [
            deliver(1),
            deliver(2, tier=1),
            deliver(3),
            deliver(4, tier=5),
            deliver(5, tier=11),
            QueueMessage(topic=Topic.MAIL, id="mail-7"),
            QueueMessage(topic=Topic.SIGN_IN, id="sign-in:8"),
            QueueMessage(topic=Topic.WEBHOOK, id="hook:fall:1"),
        ]
    )

    task = "swapflow.deliver"
    assert waiting(server, "pull.weak") == [(task, [deliver(1).id]), (task, [deliver(3).id])]
    assert waiting(server, "pull.strong") == [(task, [deliver(2).id])]
    assert waiting(server, "pull.tier6") == [(task, [deliver(4).id]), (task, [deliver(5).id])]
    assert waiting(server, "mail") == [("swapflow.send_mail", ["mail-7"])]
    assert waiting(server, "sign_in") == [("swapflow.send_mail", ["sign-in:8"])]
    assert waiting(server, "webhook") == [("swapflow.call_webhook", ["hook:fall:1"])]
    dispatcher.close()


def test_more_messages_than_a_batch_all_arrive_in_order(server: RedisServer) -> None:
    dispatcher = CeleryDispatcher(celery_app(broker_url(server.url)))
    messages = [deliver(number) for number in range(2 * BATCH + 3)]

    dispatcher.send(messages)
    dispatcher.send([])

    assert [args for _, args in waiting(server, "pull.weak")] == [[m.id] for m in messages]
    dispatcher.close()


def test_everything_celery_keeps_stands_under_its_own_prefix(server: RedisServer) -> None:
    dispatcher = CeleryDispatcher(celery_app(broker_url(server.url)))

    dispatcher.send([deliver(1)])

    keys = [
        str(key) for key in redis.Redis.from_url(server.url, decode_responses=True).scan_iter()
    ]
    assert keys
    assert [key for key in keys if not key.startswith("sfq:")] == []
    dispatcher.close()


def test_a_dead_broker_is_named_with_what_to_check_and_works_again_when_it_is_back(
    server: RedisServer,
) -> None:
    dispatcher = CeleryDispatcher(celery_app(broker_url(server.url)))
    dispatcher.send([deliver(1)])
    server.kill9()
    started = time.monotonic()

    with pytest.raises(UnavailableError, match="check that Redis runs"):
        dispatcher.send([deliver(2)])
    took = time.monotonic() - started
    server.start()
    dispatcher.send([deliver(3)])

    assert took < 15
    assert waiting(server, "pull.weak")[-1] == ("swapflow.deliver", [deliver(3).id])
    dispatcher.close()


def test_a_broker_that_was_restarted_in_between_takes_messages_at_once(
    server: RedisServer,
) -> None:
    dispatcher = CeleryDispatcher(celery_app(broker_url(server.url)))
    dispatcher.send([deliver(1)])

    server.restart()
    dispatcher.send([deliver(2)])

    assert [args for _, args in waiting(server, "pull.weak")] == [[deliver(1).id], [deliver(2).id]]
    dispatcher.close()


@pytest.mark.long
def test_a_broker_that_was_never_there_is_unavailable_too() -> None:
    dispatcher = CeleryDispatcher(celery_app("redis://:geheim@127.0.0.1:1/0"))

    with pytest.raises(UnavailableError) as caught:
        dispatcher.send([deliver(1)])

    assert "geheim" not in str(caught.value)
    dispatcher.close()


def test_a_frozen_broker_is_given_up_in_time(server: RedisServer) -> None:
    dispatcher = CeleryDispatcher(celery_app(broker_url(server.url), socket_timeout=0.2))
    dispatcher.send([deliver(1)])
    server.stop()
    started = time.monotonic()

    with pytest.raises(UnavailableError):
        dispatcher.send([deliver(2)])

    assert time.monotonic() - started < 15
    server.cont()
    dispatcher.close()


def test_a_full_broker_is_unavailable(server: RedisServer) -> None:
    dispatcher = CeleryDispatcher(celery_app(broker_url(server.url)))
    redis.Redis.from_url(server.url).config_set("maxmemory", "1")

    with pytest.raises(UnavailableError, match="memory"):
        dispatcher.send([deliver(1)])
    dispatcher.close()


def test_in_process_messages_wait_until_they_are_run_and_keep_their_order() -> None:
    handled: list[list[str]] = []
    dispatcher = InlineDispatcher(lambda messages: handled.append([m.id for m in messages]))
    dispatcher.send([deliver(1), deliver(2)])
    dispatcher.send([deliver(3)])
    assert handled == []

    counted = dispatcher.run_pending(), dispatcher.run_pending()

    assert counted == (3, 0)
    assert handled == [[deliver(1).id, deliver(2).id, deliver(3).id]]


def test_what_a_handler_sends_in_process_waits_for_the_next_run() -> None:
    sent = iter([[deliver(2)], []])
    dispatcher = InlineDispatcher(lambda _: dispatcher.send(next(sent)))
    dispatcher.send([deliver(1)])

    counts = [dispatcher.run_pending() for _ in range(3)]

    assert counts == [1, 1, 0]
