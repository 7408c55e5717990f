"""Acts that are held: stored at once, undone until their minutes have passed, then carried out.

An approval, a decline and a reminder wait as a whole: nothing of them is on the record before.
A date is on the record at once, so that no other takes its hour; only its mails wait.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from swapflow.domain.people.interview import UNTOLD, Interview
from swapflow.domain.reviewing.assignment import Pull, PullStatus
from swapflow.engine.interviews.schedule import refuse_double_bookings
from swapflow.engine.interviews.told_dates import tell_of_date
from swapflow.engine.lifecycle.switches import approve_in, strike_in
from swapflow.engine.notifications.reviewer_mail import nudge_late, remindable
from swapflow.engine.ports.held_acts import HeldAct, HeldKind, HeldState
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.errors import ConflictError, InvalidInputError, NotFoundError, NotReadyError


def hold_verdict(
    cycle_id: str,
    kind: HeldKind,
    pulls: Collection[str],
    *,
    by: str,
    reason: str = "",
    hold: timedelta,
    ledger: Ledger,
) -> int:
    """Hold an approval, or a decline with its reason, of proposed requests; return how many.

    Raises:
        NotFoundError: If one of them is not known.
        NotReadyError: If one of them does not wait for approval, or is held already.
    """
    with ledger.write(cycle_id) as tx:
        found = tx.pulls(pulls)
        taken = held_pulls(ledger.held_acts(cycle_id, state=HeldState.HELD))
        for name in pulls:
            if name not in found:
                raise NotFoundError("request_not_found", request=name)
            if found[name].status is not PullStatus.PROPOSED or name in taken:
                raise NotReadyError(
                    "request_not_proposed", request=name, status=found[name].status
                )
        tx.hold_act(kind, sorted(pulls), count=len(pulls), by=by, reason=reason, hold=hold)
        return len(pulls)


def hold_reminder(cycle_id: str, *, by: str, hold: timedelta, ledger: Ledger) -> int:
    """Hold a reminder of all who are late; return how many would be asked now.

    Raises:
        ConflictError: If everyone who is late was asked today, or is about to be.
    """
    count = len(remindable(cycle_id, ledger=ledger))
    waiting = ledger.held_acts(cycle_id, state=HeldState.HELD)
    if not count or any(act.kind is HeldKind.REMIND for act in waiting):
        raise ConflictError("everybody_reminded_today")
    with ledger.write(cycle_id) as tx:
        tx.hold_act(HeldKind.REMIND, (), count=count, by=by, hold=hold)
    return count


def undo(cycle_id: str, number: int, *, by: str, address: str, ledger: Ledger) -> HeldAct:
    """Undo a held act: nothing of it happens, and none of its mails leaves.

    A date that comes back although its own mails never left is told of now.

    Raises:
        NotFoundError: If the cycle has no such act.
        ConflictError: If it was carried out or undone already, or a date was changed since.
        DoubleBookingError: If an interviewer of a date that comes back has another one then.
    """
    with ledger.write(cycle_id) as tx:
        act = tx.held_act(number)
        if act is None:
            raise NotFoundError("held_act_unknown")
        # Its minutes may have passed without being carried out yet: then it is still undone.
        if not tx.end_held_act(number, HeldState.UNDONE, by=by):
            raise ConflictError("held_act_ended")
        back = [_put_back(tx, date, by=by, address=address) for date in act.before]
        # Another interview may have been given the hour in the meantime.
        refuse_double_bookings(tx, [one for one in back if one is not None])
        tx.release_held_mails(act.items, leave=False)
        return replace(act, state=HeldState.UNDONE, ended_by=by)


def carry_out(cycle_id: str, number: int, *, ledger: Ledger, address: str) -> bool:
    """Carry out a held act that is due; False when it had ended already.

    Several may try at the same moment: what ends the act is in one transaction with what it
    does. One that cannot be done any more is refused, and says why.
    """
    try:
        return _carry_out(cycle_id, number, ledger=ledger, address=address)
    except (ConflictError, InvalidInputError, NotFoundError, NotReadyError) as error:
        with ledger.write(cycle_id) as tx:
            return tx.end_held_act(number, HeldState.REFUSED, why=error.message)


def held_pulls(acts: Collection[HeldAct]) -> dict[str, HeldAct]:
    """Return the requests that are about to be approved or declined, each with its act."""
    verdicts = (HeldKind.APPROVE, HeldKind.DECLINE)
    return {
        pull: act
        for act in acts
        if act.state is HeldState.HELD and act.kind in verdicts
        for pull in act.items
    }


def _carry_out(cycle_id: str, number: int, *, ledger: Ledger, address: str) -> bool:
    with ledger.write(cycle_id) as tx:
        act = tx.held_act(number)
        if act is None or act.state is not HeldState.HELD or act.leaves_at > tx.now:
            return False
        if act.kind is not HeldKind.REMIND:
            _do(tx, act)
            return tx.end_held_act(number, HeldState.DONE)
    # Each reminder takes the lock by itself. Its id names reviewer and day, so that a second try
    # after a crash between the two writes none twice.
    nudge_late(cycle_id, by=act.by, ledger=ledger, address=address)
    with ledger.write(cycle_id) as tx:
        return tx.end_held_act(number, HeldState.DONE)


def _do(tx: Transaction, act: HeldAct) -> None:
    if act.kind is not HeldKind.DATES:
        _verdict(tx, act)
        return
    for date in act.before:
        now = tx.interview(date["pull_id"])
        # A date that was moved or taken back meanwhile was told of by a mail of its own.
        tells = now is not None and now.stands and now.sequence == date["sequence"]
        tx.release_held_mails(date["mails"], leave=tells)


def _verdict(tx: Transaction, act: HeldAct) -> None:
    """Approve or decline those of an act's requests that still wait."""
    waits = [
        pull.id for pull in tx.pulls(act.items).values() if pull.status is PullStatus.PROPOSED
    ]
    if not waits:
        raise NotReadyError("held_requests_gone")
    if act.kind is HeldKind.APPROVE:
        approve_in(tx, waits, by=act.by)
    else:
        strike_in(tx, waits, by=act.by, reason=act.reason)


def _put_back(
    tx: Transaction, date: Mapping[str, Any], *, by: str, address: str
) -> tuple[Pull, Interview] | None:
    """Put back the date that a request had before, or none; return one that is valid again."""
    now = tx.interview(date["pull_id"])
    if now is None or now.sequence != date["sequence"] or not now.stands:
        raise ConflictError("held_date_moved")
    old, sequence = date["old"], now.sequence + 1
    if old is None:
        tx.set_interview(replace(now, cancelled=True, sequence=sequence, by=by, told=UNTOLD))
        return None
    starts = datetime.fromisoformat(old["starts_at"])
    # Links and answers of the date that its people know are those of its own sequence.
    known = None if date["untold"] else date["told"]
    before = Interview(
        **{**old, "starts_at": starts, "sequence": sequence, "by": by, "told": known}
    )
    tx.set_interview(before)
    pull = tx.pulls([before.pull_id]).get(before.pull_id)
    if pull is None or not before.stands:
        return None
    if date["untold"]:
        tell_of_date(tx, pull, before, moved=date["told"] > UNTOLD, address=address)
    return pull, before
