"""What staff do to several applicants in one act, and taking back what they asked for by mistake.

Each is one transaction: all of the applicants or none.
"""

from collections.abc import Collection

from swapflow.domain.people.application import Application, ApplicationStatus
from swapflow.domain.reviewing.assignment import PullReason
from swapflow.engine.intake.applications import move_in
from swapflow.engine.lifecycle.switches import WISH_PULL
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.preconditions import refuse_finalized
from swapflow.engine.selection.pulls import cancel_pulls
from swapflow.errors import ConflictError, InvalidInputError, NotFoundError


MOST_AT_ONCE = 200
"""Applicants in one act."""

NAMED = 10
"""Ids that a refusal names."""

TAKEN_BACK = "staff took it back"
"""Why a request of staff was cancelled, as the record has it."""


def ask_all(
    cycle_id: str,
    numbers: Collection[int],
    kind: str,
    *,
    by: str,
    reason: str,
    ledger: CycleReads,
) -> int:
    """Request an extra review of each applicant; return how many.

    Raises:
        InvalidInputError: If none is named or too many are, one of them is not ready, or the kind
            is unknown.
        CycleFinalizedError: If the cohort is fixed.
    """
    with ledger.write(cycle_id) as tx:
        index = tx.rules().kind_index(kind)
        if index < 0:
            names = ", ".join(k.name for k in tx.rules().kinds)
            raise InvalidInputError("kind_unknown", kind=kind, kinds=names)
        for one in _named(tx, numbers, {ApplicationStatus.READY}):
            tx.add_staff_request(
                what=WISH_PULL, application=one.number, kind=index, by=by, reason=reason
            )
        return len(set(numbers))


def move_all(
    cycle_id: str,
    numbers: Collection[int],
    status: ApplicationStatus,
    *,
    by: str,
    reason: str,
    ledger: CycleReads,
) -> int:
    """Put ready applicants on hold, or release held ones; return how many.

    Raises:
        InvalidInputError: If none is named or too many are, or one of them cannot be moved so.
        CycleFinalizedError: If the cohort is fixed.
    """
    before = {
        ApplicationStatus.HELD: ApplicationStatus.READY,
        ApplicationStatus.READY: ApplicationStatus.HELD,
    }[status]
    with ledger.write(cycle_id) as tx:
        for one in _named(tx, numbers, {before}):
            move_in(tx, one.number, status, by=by, reason=reason)
        return len(set(numbers))


def take_back_request(cycle_id: str, pull_id: str, *, by: str, ledger: CycleReads) -> None:
    """Cancel a review that staff asked for beside the rule, before its reviewer has begun.

    Its cost goes back, and no other reviewer is asked instead.

    Raises:
        NotFoundError: If the cycle has no such request.
        ConflictError: If the rule asked for it, it was begun, or it is open no more.
    """
    with ledger.write(cycle_id) as tx:
        refuse_finalized(tx)
        pull = tx.pulls([pull_id]).get(pull_id)
        if pull is None:
            raise NotFoundError("request_not_found", request=pull_id)
        begun = any(one.opened_at is not None for one in tx.assignments_of([pull_id]))
        if pull.why is not PullReason.STAFF or begun or not cancel_pulls(tx, [pull], why="undone"):
            raise ConflictError("request_not_taken_back")
        tx.note(subject=pull_id, by=by, text=TAKEN_BACK)


def take_back_wish(cycle_id: str, wish: int, *, by: str, ledger: CycleReads) -> None:
    """Close a request of staff for which no reviewer was found so far.

    Raises:
        ConflictError: If it was carried out meanwhile, or closed.
    """
    with ledger.write(cycle_id) as tx:
        if not tx.close_staff_request(wish, f"taken back by {by}"):
            raise ConflictError("request_not_taken_back")


def _named(
    tx: Transaction, numbers: Collection[int], allowed: Collection[ApplicationStatus]
) -> tuple[Application, ...]:
    """Read the applicants of one act, and check that each can be meant."""
    refuse_finalized(tx)
    wanted = set(numbers)
    if not wanted:
        raise InvalidInputError("nobody_ticked")
    if len(wanted) > MOST_AT_ONCE:
        raise InvalidInputError("too_many_ticked", count=len(wanted), most=MOST_AT_ONCE)
    found = tx.applications(wanted)
    if len(found) != len(wanted):
        raise NotFoundError("ticked_not_in_program", cycle=tx.cycle.id)
    other = [one.external_id or str(one.number) for one in found if one.status not in allowed]
    if other:
        more = ", …" if len(other) > NAMED else ""
        raise InvalidInputError(
            "ticked_in_other_state",
            count=len(other),
            applicants=", ".join(other[:NAMED]) + more,
            allowed=" / ".join(sorted(status.value for status in allowed)),
        )
    return found
