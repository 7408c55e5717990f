"""Slots for calls to other systems: fewer than a worker has threads, so that some stay free.

A slot is a locked file: pool processes and threads share them, and a process that is killed gives
its slot back.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path


def call_slots(folder: Path, *, slots: int) -> Callable[[], AbstractContextManager[bool]]:
    """Build the function that takes one of the slots, if one is free, without waiting.

    Args:
        folder: Where the files lie; all processes that share it share the slots.
        slots: How many there are.
    """

    @contextmanager
    def slot() -> Iterator[bool]:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for number in range(slots):
            # Opened every time: threads and forked processes that share an open file share its
            # lock.
            descriptor = os.open(folder / f"{number}.slot", os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                continue
            try:
                yield True
            finally:
                os.close(descriptor)
            return
        yield False

    return slot
