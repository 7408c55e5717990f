"""The broker behind sentinels: messages go to the server that takes over when the master dies."""

import json

import pytest

from swapflow.engine.ports.dispatcher import QueueMessage, Topic
from swapflow.queues.celery import CeleryDispatcher, broker_url, celery_app
from tests.support.sentinels import WatchedRedis


def waiting_mails(servers: WatchedRedis) -> list[str]:
    """The ids in the queue of mails on the master of the moment, oldest first."""
    with servers.client() as client:
        messages = [json.loads(text) for text in reversed(client.lrange("sfq:mail", 0, -1))]
    return [message["headers"]["argsrepr"] for message in messages]


@pytest.mark.long
def test_a_message_sent_after_a_fail_over_waits_behind_those_sent_before() -> None:
    with WatchedRedis(password="geheim") as servers:
        dispatcher = CeleryDispatcher(celery_app(broker_url(servers.url)))
        dispatcher.send([QueueMessage(topic=Topic.MAIL, id="mail-1")])
        servers.copy_all()
        servers.fail_over()

        dispatcher.send([QueueMessage(topic=Topic.MAIL, id="mail-2")])

        assert waiting_mails(servers) == ["mail-1", "mail-2"]
        dispatcher.close()
