"""The Celery dispatcher, and the app that dispatchers and workers share."""

import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from celery import Celery
from kombu import Queue
from kombu.exceptions import (  # type: ignore[attr-defined]  # newer than its stubs
    BatchPublishError,
    KombuError,
)
from redis.backoff import NoBackoff
from redis.retry import Retry
from typing_extensions import override

from swapflow.engine.ports.dispatcher import Dispatcher, QueueMessage, Topic
from swapflow.errors import UnavailableError
from swapflow.queues.names import (
    ALL_QUEUES,
    KEY_PREFIX,
    MAIL_QUEUE,
    SIGN_IN_QUEUE,
    STUDY_QUEUE,
    WEBHOOK_QUEUE,
    TaskName,
    pull_queue,
)
from swapflow.server_addresses import SENTINEL_SECONDS, Sentinels, is_sentinel, read_sentinels


BATCH = 500
"""Messages per round trip to the broker."""

TASK_SECONDS = 60
"""Longest life of a task, seconds; the visibility timeout must be longer."""


def broker_url(redis_url: str) -> str:
    """Return the address of a Redis server in the form that kombu needs.

    Args:
        redis_url: `redis://…`, `rediss://…`, `unix:///path/to/socket?db=0`, or `sentinel://…`,
            which `celery_app` takes apart: kombu wants the master's name beside the address.
    """
    parts = urlsplit(redis_url)
    if parts.scheme != "unix":
        return redis_url
    database = parse_qs(parts.query).get("db", ["0"])[0]
    login = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    return f"redis+socket://{login}{quote(parts.path)}?virtual_host={database}"


def celery_app(
    broker: str,
    *,
    visibility_timeout: float = 300.0,
    include: Sequence[str] = (),
    socket_timeout: float = 10.0,
    restore_interval: float = 5.0,
) -> Celery:
    """Build the Celery app; dispatchers and workers must build it alike.

    Args:
        broker: As from `broker_url`.
        visibility_timeout: Seconds after which a message that a dead worker held is handed to
            another; the shortest of all apps on one broker wins.
        include: Modules that hold the tasks, for workers.
        socket_timeout: Seconds that an answer may take. A worker's half-open connection is
            given up after about twice that (kombu: brpop_timeout + 2 health_check_interval).
        restore_interval: Seconds between two searches for messages that dead workers held.

    Source:
        kombu 5.7 looks for lost messages every `unacked_restore_interval` times
        `unacked_restore_throttle` (10 x 10) seconds by default: measured 100 s to redelivery at
        a visibility timeout of 10 s, 10.6 s with a throttle of 1.
    """
    sentinels = read_sentinels(broker) if is_sentinel(broker) else None
    app = Celery(
        "swapflow",
        broker=_broker_of(sentinels) if sentinels else broker,
        include=list(include),
        set_as_current=False,
    )
    app.conf.update(
        # Broker. A message is a hint and short-lived: nothing here waits for people.
        broker_transport_options={
            "visibility_timeout": visibility_timeout,
            "unacked_restore_interval": restore_interval,
            "unacked_restore_throttle": 1,
            # Without these a half-open connection hangs every pool for ever.
            "socket_timeout": socket_timeout,
            "socket_connect_timeout": min(5.0, socket_timeout),
            "socket_keepalive": True,
            "health_check_interval": socket_timeout,
            "max_connections": 50,
            # Round robin: a long queue of requests must not hold up the mails.
            "queue_order_strategy": "round_robin",
            # One list per queue: kombu would otherwise keep and poll one for each of four
            # priorities.
            "priority_steps": [0],
            "global_keyprefix": KEY_PREFIX,
            "client_name": "swapflow-celery",
            **(_sentinel_options(sentinels, socket_timeout=socket_timeout) if sentinels else {}),
        },
        broker_use_ssl=_tls(sentinels) if sentinels and sentinels.tls else None,
        visibility_timeout=visibility_timeout,
        broker_connection_retry=True,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_pool_limit=10,
        broker_pool_acquire_timeout=10,
        # Results are rows of the ledger.
        result_backend=None,
        task_ignore_result=True,
        task_store_errors_even_if_ignored=False,
        # Late acknowledgement alone still loses a task whose pool process is killed.
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_acks_on_failure=True,
        task_acks_on_timeout=True,
        task_time_limit=TASK_SECONDS,
        task_soft_time_limit=TASK_SECONDS * 3 // 4,
        task_publish_retry=True,
        task_publish_retry_policy={
            "max_retries": 3,
            "interval_start": 0.2,
            "interval_step": 0.5,
            "interval_max": 2,
        },
        # A busy worker must not hold messages that an idle one could take.
        worker_prefetch_multiplier=1,
        worker_eta_task_limit=100,
        worker_max_tasks_per_child=1000,
        # Without it 4 of 29 workers died with their broker (kombu 5.7.0), with it 0 of 30.
        worker_cancel_long_running_tasks_on_connection_loss=True,
        worker_soft_shutdown_timeout=10,
        worker_enable_soft_shutdown_on_idle=False,
        worker_enable_remote_control=False,
        worker_hijack_root_logger=False,
        task_serializer="json",
        result_serializer="json",
        accept_content=["json"],
        enable_utc=True,
        timezone="UTC",
        task_queues=[Queue(name, routing_key=name) for name in ALL_QUEUES],
        task_default_queue=MAIL_QUEUE,
        task_default_exchange="swapflow",
        task_create_missing_queues=False,
    )
    return app


def _broker_of(sentinels: Sentinels) -> str:
    """Format the address of sentinels as kombu takes it: one address each, by semicolons."""
    named = f"{quote(sentinels.username, safe='')}:{quote(sentinels.password, safe='')}@"
    login = named if sentinels.username or sentinels.password else ""
    return ";".join(f"sentinel://{login}{host}/{sentinels.database}" for host in sentinels.hosts)


def _sentinel_options(sentinels: Sentinels, *, socket_timeout: float) -> dict[str, Any]:
    """Return kombu's options for a broker whose master the sentinels name."""
    asked: dict[str, Any] = {
        "socket_timeout": min(SENTINEL_SECONDS, socket_timeout),
        "socket_connect_timeout": min(SENTINEL_SECONDS, socket_timeout),
        # One that is gone must not be asked again and again: the next may know the master.
        "retry": Retry(NoBackoff(), 0),
    }
    if sentinels.sentinel_password:
        asked["password"] = sentinels.sentinel_password
    if sentinels.tls:
        asked |= {"ssl": True, **_tls(sentinels)}
    return {"master_name": sentinels.master, "sentinel_kwargs": asked}


def _tls(sentinels: Sentinels) -> dict[str, Any]:
    authorities = {"ssl_ca_certs": sentinels.authorities} if sentinels.authorities else {}
    return {"ssl_cert_reqs": ssl.CERT_REQUIRED, **authorities}


class CeleryDispatcher(Dispatcher):
    """The `Dispatcher` port: one Celery message per assignment, mail or call: its id.

    Args:
        app: The Celery app.
        headers: Returns further headers of each message, for traces.
    """

    def __init__(
        self, app: Celery, *, headers: Callable[[], dict[str, str]] | None = None
    ) -> None:
        self._app = app
        self._headers = headers

    @override
    def send(self, messages: Sequence[QueueMessage]) -> None:
        self._send([(*_address(message), message.id) for message in messages])

    def send_chunks(self, paths: Sequence[str]) -> None:
        """Send chunks of a study, which are no part of any cycle, by the paths of their files.

        Raises:
            UnavailableError: As `send`.
        """
        self._send([(TaskName.STUDY_CHUNK, STUDY_QUEUE, path) for path in paths])

    def close(self) -> None:
        """Close the connections."""
        self._app.close()

    def _send(self, addressed: Sequence[tuple[TaskName, str, str]]) -> None:
        if not addressed:
            return
        with self._answering():
            try:
                self._publish(addressed)
            except BatchPublishError:
                # The pooled connection may only be older than the broker's last restart: kombu
                # does not repeat a batch by itself. A second one makes duplicates at worst.
                self._publish(addressed)

    def _publish(self, addressed: Sequence[tuple[TaskName, str, str]]) -> None:
        headers = None if self._headers is None else self._headers()
        with (
            self._app.producer_pool.acquire(block=True, timeout=10) as producer,
            producer.batch(max_size=BATCH),  # type: ignore[attr-defined]  # newer than its stubs
        ):
            for task, queue, one_id in addressed:
                self._app.send_task(
                    task,
                    args=(one_id,),
                    queue=queue,
                    producer=producer,
                    headers=headers,
                    # A third of the time went into these two: a description of the arguments
                    # for logs, and declaring the queue again (a list needs no declaration).
                    argsrepr=one_id,
                    kwargsrepr="{}",
                    declare=[],
                )

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Translate the library's errors into ours."""
        try:
            yield
        except KombuError as error:
            raise UnavailableError(
                "broker_away",
                broker=self._app.connection_for_write().as_uri(),
                problem=error,
                outside="requests_not_sent",
            ) from error


def _address(message: QueueMessage) -> tuple[TaskName, str]:
    """Return the task that a message requests, and its queue."""
    match message.topic:
        case Topic.DELIVER:
            return TaskName.DELIVER, pull_queue(message.tier)
        case Topic.SIGN_IN:
            return TaskName.SEND_MAIL, SIGN_IN_QUEUE
        case Topic.MAIL:
            return TaskName.SEND_MAIL, MAIL_QUEUE
        case Topic.WEBHOOK:
            return TaskName.CALL_WEBHOOK, WEBHOOK_QUEUE
