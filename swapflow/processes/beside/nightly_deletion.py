"""Deletes each night what the rules of rounds keep no longer, beside a coordinator's turns."""

import time
from dataclasses import dataclass
from datetime import date

import structlog

from swapflow.engine.services import Swapflow
from swapflow.processes.beside.now_and_then import Clock, NowAndThen


LOOK_EVERY = 600.0
"""Seconds between two looks at the clock."""

NIGHT_HOUR = 2
"""The hour, in UTC, from which a day's deletion is done."""

log = structlog.get_logger()


def nightly_deletion(product: Swapflow, *, clock: Clock = time.monotonic) -> NowAndThen:
    """Return the look for a night's deletion; what is gone is not deleted again."""
    return NowAndThen(
        look=_Nights(product).look,
        every=LOOK_EVERY,
        event="nightly_deletion",
        failed="nothing was deleted",
        clock=clock,
    )


@dataclass(slots=True)
class _Nights:
    """Deletes once a night."""

    product: Swapflow
    done: date | None = None

    def look(self) -> None:
        """Delete what is due, once a day."""
        at = self.product.cycles.now()
        # A machine that sleeps at night does it when it is started.
        if at.hour < NIGHT_HOUR or self.done == at.date():
            return
        deleted = self.product.retention.delete_due()
        self.done = at.date()
        if deleted:
            log.info("deleted by rules", event_name="nightly_deletion", deletions=len(deleted))
