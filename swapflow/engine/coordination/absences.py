"""Recording of reviewers who go away or come back."""

from datetime import date

from swapflow.domain.event import EventType
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import Lease
from swapflow.engine.projection.cycle_projection import CycleProjection


def note_absences(
    projection: CycleProjection, *, today: date, ledger: Ledger, lease: Lease
) -> int:
    """Record reviewers who have left or come back, so that no decision needs a calendar.

    Returns:
        How many reviewers changed.
    """
    changed = []
    for reviewer in ledger.reviewers(lease.cycle_id):
        away = any(a.first <= today <= a.last for a in reviewer.absences)
        known = projection.reviewers[reviewer.number : reviewer.number + 1]
        if known and known[0].away != away:
            changed.append((reviewer.number, away))
    if changed:
        with ledger.write(lease.cycle_id, epoch=lease.epoch) as tx:
            for number, away in changed:
                tx.record(EventType.REVIEWER_AWAY, {"r": number, "away": int(away)})
    return len(changed)
