"""Looks at the drop folders beside a coordinator's turns; a process of its own does the reading.

A look lists a few folders. What is found there may be 1 GB and take minutes, and a damaged file
may take its reader down: so no coordinator reads it.
"""

import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import structlog

from swapflow.engine.services import Swapflow
from swapflow.files.intake.results import results_due
from swapflow.files.intake.run import Drops, with_folders
from swapflow.processes.beside.now_and_then import Clock, NowAndThen
from swapflow.processes.parent_watch import dies_with_this_process


LOOK_EVERY = 5.0
"""Seconds between two looks."""

AGAIN_AFTER = 60.0
"""Seconds after a reader failed until it is started again."""

log = structlog.get_logger()


def drop_folders(
    product: Swapflow, drops: Drops, *, argv: Sequence[str], clock: Clock = time.monotonic
) -> NowAndThen:
    """Return the look at drop folders; one reader at a time holds the lock.

    Args:
        product: The deployment.
        drops: The drop folders.
        argv: The command that reads what is there.
        clock: What seconds are counted on.
    """
    return NowAndThen(
        look=_Folders(product=product, drops=drops, argv=argv, clock=clock).look,
        every=LOOK_EVERY,
        event="drop_folder",
        failed="drop folders were not read",
        clock=clock,
    )


@dataclass(slots=True, kw_only=True)
class _Folders:
    """Starts the reader where something is to be done."""

    product: Swapflow
    drops: Drops
    argv: Sequence[str]
    clock: Clock
    _not_before: float = 0.0
    _reader: "subprocess.Popen[bytes] | None" = field(default=None)

    def look(self) -> None:
        """Start the reader, unless one is at work or has failed a moment ago."""
        if self._is_reading() or self.clock() < self._not_before or not self._something():
            return
        self._reader = subprocess.Popen(  # noqa: S603 - our own command
            list(self.argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            preexec_fn=dies_with_this_process(),  # noqa: PLW1509 - it calls the kernel alone
        )

    def _something(self) -> bool:
        cycles = with_folders(self.product)
        names = [cycle.id for cycle in cycles]
        if self.drops.ready(names):
            return True
        final = [cycle.id for cycle in cycles if cycle.cohort_version]
        return any(results_due(self.product, name) for name in self.drops.folders(final))

    def _is_reading(self) -> bool:
        if self._reader is None:
            return False
        code = self._reader.poll()
        if code is None:
            return True
        self._reader = None
        if code:
            self._not_before = self.clock() + AGAIN_AFTER
            log.warning("the reader of drop folders failed", event_name="drop_folder", code=code)
        return False
