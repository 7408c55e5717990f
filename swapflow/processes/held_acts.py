"""Carries out what people can no longer undo, beside a coordinator's turns."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from swapflow.engine.services import Swapflow
from swapflow.errors import SwapflowError


LOOK_EVERY = 2.0
"""Seconds between two looks at what is due."""

log = structlog.get_logger()


@dataclass(slots=True, kw_only=True)
class HeldActs:
    """Looks now and then for acts that are due; several coordinators may look at the same.

    Attributes:
        clock: Seconds of a clock that never goes back.
    """

    product: Swapflow
    clock: Callable[[], float] = time.monotonic
    _due: float = 0.0

    def look(self) -> None:
        """Carry out what is due; what keeps one from being done must stop no coordinator."""
        now = self.clock()
        if now < self._due:
            return
        self._due = now + LOOK_EVERY
        try:
            self.product.held_acts.carry_out_due()
        except SwapflowError as error:
            log.warning("an act was not carried out", event_name="held_act", why=str(error))
