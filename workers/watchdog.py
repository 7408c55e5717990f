"""Ends a worker that has stopped receiving messages: its supervisor starts another.

When the broker dies twice within a second, Celery 5.7 may wait for ever in its event loop without
asking for messages: 5 of 25 such deaths, measured with the pool of threads. The process lives and
sends its heartbeat, so nothing else would notice.
"""

import logging
import os
import threading
import time
from collections.abc import Callable

from celery import Celery
from celery.worker import state
from kombu.exceptions import KombuError
from kombu.transport.virtual import Channel


DEAF_SECONDS = 10.0
"""Seconds that messages may wait while the worker is idle and takes none."""

EVERY_SECONDS = 2.0
"""Seconds between two checks."""

DEAF = 70
"""Exit status of a worker that ended itself."""

log = logging.getLogger(__name__)


class Watchdog:
    """Tells a worker that takes no messages from one that has none, is busy, or is cut off.

    Args:
        waiting: Counts the messages in the worker's queues; None when the broker does not answer.
        taken: Counts the tasks begun so far.
        busy: Whether a task is running.
        clock: A monotonic clock in seconds.
    """

    def __init__(
        self,
        *,
        waiting: Callable[[], int | None],
        taken: Callable[[], int],
        busy: Callable[[], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._waiting = waiting
        self._taken = taken
        self._busy = busy
        self._clock = clock
        self._last_taken = taken()
        self._fine_at = clock()

    def is_deaf(self) -> bool:
        """Check once; return True when messages have waited in vain for `DEAF_SECONDS`."""
        taken = self._taken()
        # An outage of the broker is no reason to restart: the next worker would meet it too.
        if self._busy() or taken != self._last_taken or not self._waiting():
            self._last_taken, self._fine_at = taken, self._clock()
        return self._clock() - self._fine_at >= DEAF_SECONDS


def start_watchdog(app: Celery) -> None:
    """Watch this worker from a thread of its own until the process ends."""
    watchdog = Watchdog(
        waiting=lambda: _waiting(app),
        taken=lambda: int(state.all_total_count[0]),
        busy=lambda: bool(state.active_requests),
    )
    threading.Thread(target=_watch, args=(watchdog,), name="watchdog", daemon=True).start()


def _watch(watchdog: Watchdog) -> None:
    while not watchdog.is_deaf():
        time.sleep(EVERY_SECONDS)
    log.error("messages wait and this worker takes none: it ends, to be started again")
    os._exit(DEAF)


def _waiting(app: Celery) -> int | None:
    """Count the messages in the queues that this worker serves, on a connection of its own."""
    connection = app.connection_for_read()
    errors: tuple[type[BaseException], ...] = (KombuError, OSError, *connection.connection_errors)
    try:
        with connection:
            channel: Channel = connection.channel()  # type: ignore[assignment]  # all virtual
            return sum(
                # Not passive: kombu 5.7 loses its key prefix when it asks whether a queue exists.
                # On Redis a declaration creates nothing.
                int(channel.queue_declare(queue=queue).message_count)
                for queue in app.amqp.queues.consume_from
            )
    except errors:
        return None
