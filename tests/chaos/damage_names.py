"""Names of the faults that aim at one guard each, and whether that guard is there."""

from collections.abc import Callable
from importlib.util import find_spec

from swapflow.engine.projection.live_totals import LiveTotals


CHANGED = "integers in redis changed from outside"
DAMAGED = "one program's record damaged"
SIGNED = "a list signed while a score is corrected"


class NoTargetError(Exception):
    """Nothing was there that the fault could hit, for as long as it waited."""


GUARDS: dict[str, Callable[[], bool]] = {
    CHANGED: lambda: hasattr(LiveTotals, "differences"),
    DAMAGED: lambda: find_spec("swapflow.engine.coordination.quarantine") is not None,
    SIGNED: lambda: find_spec("swapflow.engine.confirmation") is not None,
}
"""For each of these faults, whether the guard that it aims at is there."""
