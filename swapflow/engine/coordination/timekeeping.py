"""What the clock brings to a turn: requests expire, reminders fall due, reviewers go or return."""

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.rules import DispatchMode
from swapflow.engine.coordination.absences import note_absences
from swapflow.engine.coordination.expire import expire
from swapflow.engine.coordination.workspace import CycleWorkspace, LedCycle
from swapflow.engine.notifications.review_reminders import EVERY as REMIND_EVERY
from swapflow.engine.notifications.review_reminders import remind
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import DueWork, Lease


def serve_due(
    workspace: CycleWorkspace, *, ledger: Ledger, lease: Lease, address: str
) -> tuple[DueWork, int]:
    """Look once at what waits beside the events, and do what the clock brings.

    What arises after the look waits for the next turn, which looks again.

    Returns:
        What was seen, staff's requests included, and how many expired, were reminded or changed.
    """
    due = ledger.due_work(lease.cycle_id)
    projection = workspace.projection
    # A cycle in lockstep waits for every answer, until its list is final.
    waits = projection.rules.dispatch is DispatchMode.LOCKSTEP
    done = 0
    if not waits or projection.status is CycleStatus.FINALIZED:
        if due.overdue:
            done += expire(cycle_id=lease.cycle_id, epoch=lease.epoch, ledger=ledger)
        done += remind_when_due(workspace, lease.cycle_id, due, ledger=ledger, address=address)
    if due.absences:
        today = due.now.date()
        done += note_absences(projection, today=today, ledger=ledger, lease=lease)
    return due, done


def remind_when_due(
    led: LedCycle, cycle_id: str, due: DueWork, *, ledger: Ledger, address: str
) -> int:
    """Queue the reminders that are due, once an hour; return how many."""
    if led.reminded_at is not None and due.now - led.reminded_at < REMIND_EVERY:
        return 0
    led.reminded_at = due.now
    return remind(cycle_id, ledger=ledger, address=address)
