"""Waiting for real processes without guessing how long they take."""

import time
from collections.abc import Callable


def wait_until(
    claim: Callable[[], bool], *, seconds: float, what: str, every: float = 0.02
) -> float:
    """Wait until a claim holds; gives the seconds it took, fails when it takes too long."""
    began = time.monotonic()
    while not claim():
        assert time.monotonic() - began < seconds, f"not within {seconds:g} s: {what}"
        time.sleep(every)
    return time.monotonic() - began
