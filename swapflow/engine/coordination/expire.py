"""Expiry of requests past their due time."""

from swapflow.domain.cycle import ASKING
from swapflow.domain.event import EventType
from swapflow.domain.reviewing.assignment import (
    OPEN_ASSIGNMENT,
    AssignmentStatus,
    seat_items,
)
from swapflow.engine.ports.cycles import CycleReads


def expire(*, cycle_id: str, epoch: int, ledger: CycleReads, at_most: int = 500) -> int:
    """End assignments past their due time, so that their pulls go to others; return how many."""
    with ledger.write(cycle_id, epoch=epoch) as tx:
        if tx.cycle.status not in ASKING:
            return 0
        overdue = tx.overdue(at_most=at_most)
        if not overdue:
            return 0
        tx.move_assignments(
            [a.id for a in overdue], AssignmentStatus.EXPIRED, allowed=OPEN_ASSIGNMENT
        )
        tx.record(
            EventType.EXPIRED,
            {"items": seat_items(overdue)},
        )
        return len(overdue)
