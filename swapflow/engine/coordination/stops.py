"""How a cycle comes to its stop: at its deadline, or, when it is simulated, by itself."""

from datetime import datetime

from swapflow.bandit.situation import StopReason
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.rules import Purpose
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.records import Lease
from swapflow.engine.projection.cycle_projection import CycleProjection


def time_is_up(projection: CycleProjection, *, now: datetime) -> bool:
    """Whether the deadline of a running cycle has passed."""
    deadline = projection.rules.deadline
    if (
        deadline is None
        or projection.status is not CycleStatus.RUNNING
        or not projection.applications
    ):
        return False
    return now >= deadline


def end_simulation(projection: CycleProjection, *, ledger: CycleReads, lease: Lease) -> int:
    """End a simulated cycle whose stop is proposed; a real one waits for a person.

    Returns:
        1 when the cycle was ended, else 0.
    """
    if projection.rules.purpose is Purpose.REAL:
        return 0
    with ledger.write(lease.cycle_id, epoch=lease.epoch) as tx:
        # Read again under the lock:
        # staff may have resumed since the projection was brought up to date.
        if tx.cycle.status is not CycleStatus.PROPOSED:
            return 0
        reason = tx.cycle.stop_reason or StopReason.EXHAUSTED.value
        tx.record(EventType.ENDED, {"reason": reason})
        tx.set_status(CycleStatus.ENDED, stop_reason=reason)
        return 1
