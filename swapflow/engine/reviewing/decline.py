"""A reviewer declines a request, or staff take it back; another reviewer is asked."""

from swapflow.domain.event import EventType
from swapflow.domain.ids import cycle_of
from swapflow.domain.people.reviewer import Absence, DeclineKind
from swapflow.domain.reviewing.assignment import (
    OPEN_ASSIGNMENT,
    Assignment,
    AssignmentStatus,
    seat_items,
)
from swapflow.engine.interviews.slots import excuse
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.reviewing.barred_pairs import bar_pairs
from swapflow.engine.reviewing.submitted_score import seat_payload
from swapflow.errors import (
    AssignmentClosedError,
    NotFoundError,
)


def decline(
    assignment: str,
    kind: DeclineKind,
    *,
    by: str,
    reason: str = "",
    busy_until: Absence | None = None,
    address: str = "",
    ledger: CycleReads,
) -> None:
    """End an assignment because its reviewer declines; its pull goes to another.

    A mail removes an agreed date from their calendar, and the other interviewers are told. A
    conflict of interest is recorded for good; "busy" also keeps new requests away until the given
    day. The free-text reason is kept in an erasable row.

    Raises:
        AssignmentClosedError: If it is not open any more.
    """
    with ledger.write(cycle_of(assignment)) as tx:
        found = _one(tx, assignment)
        # A conditional update: a score that arrives at the same moment is kept, and declining
        # fails.
        moved = tx.move_assignments(
            [assignment], AssignmentStatus.DECLINED, allowed=OPEN_ASSIGNMENT, decline=kind
        )
        if not moved:
            raise AssignmentClosedError(assignment, found.status)
        tx.record(EventType.DECLINED, {**seat_payload(found), "kind": kind.value})
        if kind is DeclineKind.CONFLICT:
            pair = (found.application, found.reviewer)
            bar_pairs(tx, [pair], source="reviewer", address=address)
        if kind is DeclineKind.BUSY and busy_until is not None:
            tx.add_absence(found.reviewer, busy_until)
            if busy_until.first <= tx.now.date() <= busy_until.last:
                # On record at once: when they are back they may be asked again, even if no
                # coordinator looks at the calendar meanwhile.
                tx.record(EventType.REVIEWER_AWAY, {"r": found.reviewer, "away": 1})
        if reason:
            tx.note(subject=assignment, by=by, text=reason)
        excuse(tx, found, address=address)


def take_back(
    assignment: str, *, by: str, reason: str, address: str = "", ledger: CycleReads
) -> None:
    """End an assignment because staff take it from its reviewer; its pull goes to another.

    It is no reviewer's refusal. Mails about an agreed date are as in `decline`.

    Raises:
        AssignmentClosedError: If it is not open any more.
    """
    with ledger.write(cycle_of(assignment)) as tx:
        found = _one(tx, assignment)
        moved = tx.move_assignments(
            [assignment], AssignmentStatus.TAKEN_BACK, allowed=OPEN_ASSIGNMENT
        )
        if not moved:
            raise AssignmentClosedError(assignment, found.status)
        tx.record(EventType.TAKEN_BACK, {"items": seat_items([found])})
        if reason:
            tx.note(subject=assignment, by=by, text=reason)
        excuse(tx, found, address=address)


def _one(tx: Transaction, assignment: str) -> Assignment:
    found = tx.assignments([assignment]).get(assignment)
    if found is None:
        raise NotFoundError("assignment_not_found", assignment=assignment)
    return found
