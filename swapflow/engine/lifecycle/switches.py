"""Switches of staff: pause, resume, stop, approve, strike, request an extra pull."""

from collections.abc import Collection

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.people.application import HOLD, HOLD_ENDS
from swapflow.domain.reviewing.assignment import Pull, PullStatus
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.preconditions import find, refuse_finalized
from swapflow.engine.projection.pull_events import STRUCK
from swapflow.engine.selection.pulls import cancel_pulls
from swapflow.errors import (
    InvalidInputError,
    NotFoundError,
    NotReadyError,
)


WISH_PULL = "pull"


def pause(cycle_id: str, *, by: str, reason: str = "", ledger: CycleReads) -> None:
    """Stop sending and expiring; scores, drafts, declines and corrections are still accepted."""
    with ledger.write(cycle_id) as tx:
        _require(tx, {CycleStatus.RUNNING}, "paused")
        tx.record(EventType.PAUSED, {})
        tx.set_status(CycleStatus.PAUSED, paused_at=tx.now)
        tx.note(subject=f"pause of {cycle_id}", by=by, text=reason)


def resume(cycle_id: str, *, by: str, reason: str = "", ledger: CycleReads) -> None:
    """Resume after a pause or against a proposed stop; open due times move by the pause."""
    with ledger.write(cycle_id) as tx:
        cycle = tx.cycle
        _require(tx, {CycleStatus.PAUSED, CycleStatus.PROPOSED}, "resumed")
        # Nobody loses days to a pause: while it lasts, no reminder comes and nothing expires.
        shift = tx.now - cycle.paused_at if cycle.paused_at is not None else None
        if shift is not None:
            tx.shift_due_times(shift)
        tx.record(EventType.RESUMED, {"shift": 0 if shift is None else int(shift.total_seconds())})
        tx.set_status(CycleStatus.RUNNING)
        tx.note(subject=f"resumption of {cycle_id}", by=by, text=reason)


def hold(
    cycle_id: str, *, by: str, reason: str, release: bool = False, ledger: CycleReads
) -> None:
    """Put erasure on hold, or release the hold: while a complaint or a case is open.

    Raises:
        InvalidInputError: If there is no reason.
    """
    if not reason.strip():
        raise InvalidInputError("reason_missing")
    with ledger.write(cycle_id) as tx:
        tx.note(subject=HOLD_ENDS if release else HOLD, by=by, text=reason)


def stop(cycle_id: str, *, by: str, reason: str = "", ledger: CycleReads) -> int:
    """End asking: unopened requests are cancelled, opened ones may still be answered.

    Returns:
        Requests that were cancelled.
    """
    with ledger.write(cycle_id) as tx:
        cycle = tx.cycle
        allowed = {CycleStatus.RUNNING, CycleStatus.PAUSED, CycleStatus.PROPOSED}
        _require(tx, allowed, "stopped")
        # A reviewer who has opened a request may be writing, and may still hand in.
        cancelled = cancel_unopened(tx)
        # A stop that the rule proposed keeps the rule's reason.
        tx.record(EventType.ENDED, {"reason": cycle.stop_reason or "staff"})
        tx.set_status(CycleStatus.ENDED, stop_reason=cycle.stop_reason or "staff")
        tx.note(subject=f"end of {cycle_id}", by=by, text=reason)
        return cancelled


def cancel_unopened(tx: Transaction) -> int:
    """Cancel every pull that no reviewer has opened; return how many."""
    begun = {a.pull_id for a in tx.begun_assignments()}
    return cancel_pulls(tx, [p for p in tx.open_pulls() if p.id not in begun], why="stopped")


def approve(cycle_id: str, pulls: Collection[str], *, by: str, ledger: CycleReads) -> int:
    """Approve proposed pulls; the coordinator finds their reviewers. Return how many."""
    with ledger.write(cycle_id) as tx:
        return approve_in(tx, pulls, by=by)


def approve_in(tx: Transaction, pulls: Collection[str], *, by: str) -> int:
    """Approve proposed pulls within a transaction; return how many."""
    found = _proposed(tx, pulls)
    ids = [pull.id for pull in found]
    tx.move_pulls(ids, PullStatus.OPEN, allowed={PullStatus.PROPOSED})
    tx.record(
        EventType.PULLS_APPROVED,
        {"pulls": [[p.application, p.kind, p.ordinal] for p in found]},
    )
    tx.insert_approval(ids, by=by, verdict="approved", reason="")
    return len(ids)


def strike(
    cycle_id: str, pulls: Collection[str], *, by: str, reason: str, ledger: CycleReads
) -> int:
    """Refuse proposed pulls and release their cost; return how many."""
    with ledger.write(cycle_id) as tx:
        return strike_in(tx, pulls, by=by, reason=reason)


def strike_in(tx: Transaction, pulls: Collection[str], *, by: str, reason: str) -> int:
    """Refuse proposed pulls within a transaction; return how many."""
    found = _proposed(tx, pulls)
    cancel_pulls(tx, found, why=STRUCK)
    tx.insert_approval([p.id for p in found], by=by, verdict="struck", reason=reason)
    return len(found)


def ask(
    cycle_id: str, external_id: str, kind: str, *, by: str, reason: str, ledger: CycleReads
) -> int:
    """Request an extra pull; the coordinator opens it from the reserve. Return the request id."""
    with ledger.write(cycle_id) as tx:
        refuse_finalized(tx)
        application = find(tx.applications(), external_id, cycle_id)
        index = tx.rules().kind_index(kind)
        if index < 0:
            names = ", ".join(k.name for k in tx.rules().kinds)
            raise InvalidInputError("kind_unknown", kind=kind, kinds=names)
        return tx.add_staff_request(
            what=WISH_PULL, application=application.number, kind=index, by=by, reason=reason
        )


def _proposed(tx: Transaction, pulls: Collection[str]) -> list[Pull]:
    found = tx.pulls(pulls)
    for missing in (name for name in pulls if name not in found):
        raise NotFoundError("request_not_found", request=missing)
    for pull in found.values():
        if pull.status is not PullStatus.PROPOSED:
            raise NotReadyError("request_not_proposed", request=pull.id, status=pull.status)
    # By id: what an event lists must not depend on the order in which a page sent it.
    return sorted(found.values(), key=lambda pull: pull.id)


def _require(tx: Transaction, allowed: Collection[CycleStatus], verb: str) -> None:
    status = tx.cycle.status
    if status not in allowed:
        names = " or ".join(sorted(s.value for s in allowed))
        raise NotReadyError(
            "cycle_in_other_state", cycle=tx.cycle.id, status=status, allowed=names, verb=verb
        )
