"""The product's own worker, as `celery -A workers.app worker` starts it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from swapflow.engine.ports.dispatcher import QueueMessage, Topic
from swapflow.processes.celery_worker import WORKER_ENVIRONMENT, worker_argv
from swapflow.processes.heartbeat import HEARTBEAT_VARIABLE, is_alive
from swapflow.queues.celery import CeleryDispatcher, broker_url, celery_app
from swapflow.queues.names import ALL_QUEUES
from tests.support.migrated import new_database
from tests.support.process import Process
from tests.support.redis_server import RedisServer


pytestmark = pytest.mark.system


@pytest.fixture
def server() -> Iterator[RedisServer]:
    with RedisServer() as running:
        yield running


def settings(server: RedisServer, folder: Path) -> dict[str, str]:
    return {
        **WORKER_ENVIRONMENT,
        "SWAPFLOW_REDIS_URL": server.url,
        "SWAPFLOW_DATA_DIR": str(folder),
        "SWAPFLOW_DATABASE_URL": "",
        HEARTBEAT_VARIABLE: str(folder / "beat"),
    }


def test_the_worker_serves_every_queue_and_survives_messages_about_nothing(
    server: RedisServer, tmp_path: Path
) -> None:
    new_database(tmp_path / "swapflow.db")
    app = celery_app(broker_url(server.url))
    dispatcher = CeleryDispatcher(app)
    messages = [
        *(
            QueueMessage(topic=Topic.DELIVER, id=f"gone:{n}:review:1:1.1", tier=n)
            for n in range(6)
        ),
        QueueMessage(topic=Topic.MAIL, id="gone"),
        QueueMessage(topic=Topic.WEBHOOK, id="gone"),
    ]
    argv = worker_argv(log_level="INFO")
    with Process(argv, env=settings(server, tmp_path)) as worker:
        worker.wait_for(lambda: is_alive(tmp_path / "beat"), what="the heartbeat")

        dispatcher.send(messages)

        # Each message is about something that the database does not know: that is a plain
        # answer, not a crash, and nothing is tried again.
        def all_answered() -> bool:
            output = worker.output()
            refused = output.count("raised expected: NotFoundError(\"there is no review 'gone:")
            return refused == 6 and output.count("succeeded in") == 2

        worker.wait_for(all_answered, what="an answer to every message")
        assert worker.code is None
        # Celery 5.7 may miss a stop in the very moment of its start, which the supervisor's grace
        # ends (its own tests show that); here the worker is to be past that moment.
        worker.wait_for(lambda: " ready." in worker.output(), what="the end of its start")
        assert worker.terminate() == 0
    dispatcher.close()
    assert set(app.amqp.queues) == set(ALL_QUEUES)


def test_a_worker_with_settings_that_cannot_be_used_says_which(
    server: RedisServer, tmp_path: Path
) -> None:
    env = {**settings(server, tmp_path), "SWAPFLOW_REDIS_URL": "http://nowhere"}
    with Process(worker_argv(), env=env) as worker:
        worker.wait_for(lambda: worker.code is not None, what="the end")

        assert worker.code != 0
        assert "SWAPFLOW_REDIS_URL: write redis://" in worker.output()


FORKED = """
from celery.signals import worker_process_init

import workers.app
from swapflow import bootstrap

bootstrap.swapflow()
assert bootstrap.is_built()
worker_process_init.send(sender=None)
print("built anew" if not bootstrap.is_built() else "shared")
"""
"""What a process of a pool does before its first task."""


def test_a_process_of_a_pool_keeps_no_connection_of_its_parent(
    server: RedisServer, tmp_path: Path
) -> None:
    new_database(tmp_path / "swapflow.db")

    done = subprocess.run(
        [sys.executable, "-c", FORKED],
        env={**os.environ, **settings(server, tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.strip() == "built anew", done.stderr
