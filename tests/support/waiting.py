"""Waiting for real processes: as long as they live, never for a time that a busy machine takes."""

import time
from collections.abc import Callable, Sequence
from typing import Protocol


CAP = 900.0
"""Seconds after which a process that lives and gets nowhere is taken for stuck."""


class Watched(Protocol):
    """A process that a wait depends on."""

    @property
    def code(self) -> int | None:
        """Its exit status; None while it runs."""
        ...


def wait_until(
    claim: Callable[[], bool], *, what: str, watched: Sequence[Watched] = (), cap: float = CAP
) -> float:
    """Wait until a claim holds; returns the seconds it took.

    Args:
        claim: Asked again and again, the less often the longer it takes.
        what: Names the claim when it fails.
        watched: Fails at once when one of these ran at the beginning and has ended.
        cap: Seconds for a claim that is to fail earlier than what is stuck.
    """
    began = time.monotonic()
    running = [one for one in watched if one.code is None]
    while not claim():
        ended = [one.code for one in running if one.code is not None]
        if ended and not claim():
            raise AssertionError(f"a process ended with {ended[0]} before this held: {what}")
        waited = time.monotonic() - began
        assert waited < cap, f"not within {cap:g} s: {what}"
        time.sleep(min(0.25, max(0.01, waited / 20)))
    return time.monotonic() - began
