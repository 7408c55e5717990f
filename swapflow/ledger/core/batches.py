"""Small writes in batches: what comes during one is written together by the next."""

import logging
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar


log = logging.getLogger(__name__)

T = TypeVar("T")


class Batches(Generic[T]):
    """What waits to be written in one process, and one thread that writes it.

    Safe for threads and for forks.
    """

    def __init__(
        self, write: Callable[[list[T]], None], *, name: str, most: int, pause: float
    ) -> None:
        """Prepare; the thread begins with the first write.

        Args:
            write: Writes a batch; what it raises is logged.
            name: The thread's name.
            most: Most in one batch.
            pause: Least seconds from one batch to the next: a single one is written at once, and
                of many more share a batch.
        """
        self._write = write
        self._name = name
        self._most = most
        self._pause = pause
        self._start()

    def _start(self) -> None:
        """Create the queue and the thread of this process, which a fork does not inherit."""
        self._process = os.getpid()
        self._mutex = threading.Lock()
        self._waiting: list[T] = []
        self._writing = False
        self._writer = ThreadPoolExecutor(1, thread_name_prefix=self._name)

    def add(self, one: T) -> None:
        """Have one more written; returns at once."""
        # A worker that was forked has none of its parent's threads.
        if os.getpid() != self._process:
            self._start()
        with self._mutex:
            self._waiting.append(one)
            # Set under the lock together with the append: what comes between the last look and the
            # end of the thread would otherwise wait for the next one.
            idle, self._writing = not self._writing, True
        if idle:
            self._writer.submit(self._write_all)

    def _write_all(self) -> None:
        """Write until nothing waits."""
        while batch := self._next():
            try:
                self._write(batch)
            except Exception:
                # The thread must go on: without it nothing would be written until a new start.
                log.exception("a batch was not written")
            time.sleep(self._pause)

    def _next(self) -> list[T]:
        """Take what has waited longest; an empty batch ends the writing."""
        with self._mutex:
            batch, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            self._writing = bool(batch)
        return batch
