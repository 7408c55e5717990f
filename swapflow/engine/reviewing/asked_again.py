"""Reviewers who were asked a second time after a request lapsed, and answer the first one."""

from collections.abc import Sequence

from swapflow.domain.event import EventType
from swapflow.domain.reviewing.assignment import (
    OPEN_ASSIGNMENT,
    Assignment,
    AssignmentStatus,
    EndedWhy,
    seat_items,
)
from swapflow.engine.ports.writes.transaction import Transaction


def asked_again(tx: Transaction, late: Assignment) -> list[Assignment]:
    """Return the open requests of a late reviewer about the same application."""
    again = tx.assignments_of_reviewer(late.reviewer, OPEN_ASSIGNMENT)
    return [assignment for assignment in again if assignment.application == late.application]


def end_asked_again(tx: Transaction, again: Sequence[Assignment]) -> list[str]:
    """Cancel requests whose reviewer has answered an earlier one; return their ids.

    Two scores of one reviewer on one application are not independent. The seats are vacant from
    now on, as if the requests had lapsed.
    """
    ids = [assignment.id for assignment in again]
    if ids:
        tx.move_assignments(ids, AssignmentStatus.CANCELLED, allowed=OPEN_ASSIGNMENT)
        why = EndedWhy.ANSWERED.value
        tx.record(EventType.EXPIRED, {"items": seat_items(again), "why": why})
    return ids
