"""A look at what is due that is taken now and then, beside a coordinator's turns."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from swapflow.errors import SwapflowError


Clock = Callable[[], float]
"""Seconds of a clock that never goes back."""

log = structlog.get_logger()


@dataclass(slots=True, kw_only=True)
class NowAndThen:
    """Takes a look at most once in a span; what fails stops no coordinator, and is tried again.

    Attributes:
        look: The look; several coordinators may take it, so twice must have the effect of once.
        every: Seconds between the begins of two looks; the first is due at once.
        event: Name of a failure in the log.
        failed: What did not happen then, in a sentence of the log.
        in_thread: Whether a turn must not wait for it; a look that takes longer is not begun anew.
        clock: What seconds are counted on.
    """

    look: Callable[[], object]
    every: float
    event: str
    failed: str
    in_thread: bool = False
    clock: Clock = time.monotonic
    _due: float = 0.0
    _thread: threading.Thread | None = field(default=None)

    def __call__(self) -> None:
        """Take the look, or begin it, where it is due."""
        now = self.clock()
        if now < self._due or (self._thread is not None and self._thread.is_alive()):
            return
        self._due = now + self.every
        if not self.in_thread:
            self._take()
            return
        # It ends with its process: what it had not recorded is found again.
        self._thread = threading.Thread(target=self._take, name=self.event, daemon=True)
        self._thread.start()

    def _take(self) -> None:
        try:
            self.look()
        except (SwapflowError, OSError) as error:
            log.warning(self.failed, event_name=self.event, why=str(error))
