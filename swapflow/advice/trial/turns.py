"""Turns of those who have a spreadsheet read: one for an address, and a few for all together.

A turn is a locked file, so that all web processes on the data folder share them, and one that is
killed gives its turn back.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from swapflow.advice.trial.limits import MOST_RUNNING, MOST_SECONDS
from swapflow.errors import RateLimitedError
from swapflow.identity.services.tries import network_of


TURNS = 4096
"""Turns that addresses share. What is left of one says nothing about the address."""


@contextmanager
def turn(folder: Path, address: str) -> Iterator[None]:
    """Take the turn of an address and one of all, without waiting.

    Args:
        folder: Where the files lie.
        address: Network address of the visitor.

    Raises:
        RateLimitedError: If one of them is not free.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with first_free(folder, [turn_of(address)]) as mine:
        if not mine:
            raise RateLimitedError("trial_under_way", seconds=MOST_SECONDS)
        with first_free(folder, [f"all-{number}" for number in range(MOST_RUNNING)]) as one:
            if not one:
                raise RateLimitedError("trial_busy", seconds=MOST_SECONDS)
            yield


@contextmanager
def first_free(folder: Path, names: list[str]) -> Iterator[bool]:
    """Lock the first of these files that is free; yield whether there was one."""
    for name in names:
        # Opened every time: threads that share an open file share its lock.
        descriptor = os.open(folder / name, os.O_RDWR | os.O_CREAT, 0o600)
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


def turn_of(address: str) -> str:
    """Name the turn of a client's network address."""
    return str(int(sha256(network_of(address).encode()).hexdigest(), 16) % TURNS)
