"""Step 4, dispatch: write a decision with its pulls and assignments, then send the hints.

Whatever is committed is sent again until its effect is seen, so nothing here needs a broker to
be reliable, and nobody needs to know whether a message arrived.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.fixed_point import Delta, gain_units
from swapflow.domain.ids import assignment_id, pull_id
from swapflow.domain.reviewing.assignment import (
    OPEN_ASSIGNMENT,
    Assignment,
    AssignmentStatus,
    Pull,
    PullStatus,
    PullWhy,
)
from swapflow.domain.rules import KindRules, Rules
from swapflow.engine.ports import (
    DecisionRecord,
    Dispatcher,
    Lease,
    Ledger,
    Message,
    Topic,
    Transaction,
)
from swapflow.engine.projection.cycle_projection import Book, PullKey
from swapflow.engine.selection.assign import Seat
from swapflow.engine.selection.decide import Plan, PlannedPull, versions


HARMLESS = frozenset(
    {
        EventType.SCORED,
        EventType.SCORE_CORRECTED,
        EventType.DECLINED,
        EventType.PURGED,
    }
)
"""Events that may slip in between a decision's reading and its writing."""

RELAY_BATCH = 2000


def write_plan(plan: Plan, book: Book, *, ledger: Ledger, lease: Lease) -> bool:
    """Commit a decision: its record, its pulls, its assignments, all or nothing.

    Returns:
        False when the cycle has moved on since the decision was made (paused, new rules, the
        budget taken by something else): then nothing was written, and it must be made again.

    Raises:
        LeaseLostError: If another coordinator has taken over; nothing was written.
    """
    with ledger.write(lease.cycle_id, epoch=lease.epoch) as tx:
        if not _still_holds(plan, book, tx):
            return False
        tx.insert_decision(_record(plan, book, lease.cycle_id))
        tx.record(
            EventType.DECIDED,
            {
                "decision": plan.number,
                "at": plan.read.seq,
                "digest": plan.sight.digest,
                "stop": None if plan.stop is None else plan.stop.value,
                "picks": len(plan.pulls),
            },
        )
        if plan.pulls:
            open_pulls(tx, plan.pulls, book.rules, why=plan.why, decision=plan.number)
        if plan.stop is not None:
            tx.record(EventType.STOP_PROPOSED, {"reason": plan.stop.value})
            tx.set_status(CycleStatus.PROPOSED, stop_reason=plan.stop.value)
    return True


def open_pulls(
    tx: Transaction, planned: Sequence[PlannedPull], rules: Rules, *, why: PullWhy, decision: int
) -> None:
    """Insert pulls with their assignments and record them; their cost is committed."""
    cycle = tx.cycle.id
    kinds = rules.kinds
    pulls = [_new_pull(cycle, pull.key, kinds[pull.key[1]], why, decision) for pull in planned]
    tx.insert_pulls(pulls)
    tx.record(
        EventType.PULLS_OPENED,
        {
            "decision": decision,
            "why": why.value,
            "pulls": [[*pull.key, int(_is_proposed(kinds[pull.key[1]], why))] for pull in planned],
        },
        deltas=_pending(pulls),
        committed=sum(pull.cost for pull in pulls),
    )
    seats = {
        Seat(application=a, kind=k, ordinal=o, seat=number): reviewer
        for (a, k, o), reviewers in ((pull.key, pull.reviewers) for pull in planned)
        for number, reviewer in enumerate(reviewers, start=1)
    }
    assign_seats(tx, seats, rules, attempts={})


def assign_seats(
    tx: Transaction, taken: dict[Seat, int], rules: Rules, *, attempts: dict[Seat, int]
) -> None:
    """Insert assignments for seats of open pulls and record them.

    Args:
        tx: The transaction.
        taken: Reviewer of each seat.
        rules: Supplies windows and names of the kinds.
        attempts: Tries so far, for seats that were tried before.
    """
    if not taken:
        return
    now = tx.now
    assignments = [
        _new_assignment(
            tx.cycle.id, seat, reviewer, attempts.get(seat, 0) + 1, rules.kinds[seat.kind], now
        )
        for seat, reviewer in taken.items()
    ]
    tx.insert_assignments(assignments)
    tx.record(
        EventType.ASSIGNED,
        {
            "items": [
                [a.application, a.kind, a.ordinal, a.seat, a.attempt, a.reviewer]
                for a in assignments
            ]
        },
    )


def cancel_pulls(tx: Transaction, pulls: Iterable[Pull], *, why: str) -> int:
    """Cancel pulls that are proposed or open: budget released, assignments ended. Counts them."""
    open_states = {PullStatus.PROPOSED, PullStatus.OPEN}
    cancelled = [pull for pull in pulls if pull.status in open_states]
    if not cancelled:
        return 0
    ids = [pull.id for pull in cancelled]
    tx.move_pulls(ids, PullStatus.CANCELLED, allowed=open_states)
    live = [a.id for a in tx.assignments_of(ids) if a.status.is_open]
    tx.move_assignments(live, AssignmentStatus.CANCELLED, allowed=OPEN_ASSIGNMENT)
    tx.record(
        EventType.PULLS_CANCELLED,
        {"pulls": [[p.application, p.kind, p.ordinal] for p in cancelled], "why": why},
        deltas=_pending(cancelled, sign=-1),
        committed=-sum(pull.cost for pull in cancelled),
    )
    return len(cancelled)


def relay(*, ledger: Ledger, dispatcher: Dispatcher, again_after: float) -> int:
    """Send a message for all that has none, or whose message had no effect.

    That is assignments, mails, and calls of webhooks, which events are turned into first.

    Needs no lease: two relays send twice, and twice is once.

    Returns:
        Messages sent.

    Raises:
        UnavailableError: If the broker or the database does not answer; what was not marked as
            sent will be sent again.
    """
    waiting = ledger.unsent(again_after=again_after, at_most=RELAY_BATCH)
    ledger.release_letters()
    mails = ledger.mails(at_most=RELAY_BATCH, again_after=again_after)
    ledger.queue_calls()
    calls = ledger.due_calls(again_after=again_after, at_most=RELAY_BATCH)
    messages = [Message(topic=Topic.DELIVER, id=a.id, tier=a.kind) for a in waiting]
    messages += [Message(topic=Topic.MAIL, id=mail.id) for mail in mails]
    messages += [Message(topic=Topic.WEBHOOK, id=call) for call in calls]
    if messages:
        dispatcher.send(messages)
    if waiting:
        ledger.mark_sent([assignment.id for assignment in waiting])
    if mails:
        ledger.mark_relayed([mail.id for mail in mails])
    if calls:
        ledger.mark_calls_relayed(calls)
    return len(messages)


def _still_holds(plan: Plan, book: Book, tx: Transaction) -> bool:
    cycle = tx.cycle
    if cycle.status is not CycleStatus.RUNNING or cycle.decisions + 1 != plan.number:
        return False
    if cycle.position != plan.read and not _untouched(plan, book, tx):
        return False
    cost = sum(book.rules.kinds[pull.key[1]].cost for pull in plan.pulls)
    return cycle.spent + cycle.committed + cost <= book.rules.budget


def _untouched(plan: Plan, book: Book, tx: Transaction) -> bool:
    """Whether what came since leaves the plan possible, its pulls' numbers included."""
    if not tx.event_types_after(plan.read.seq) <= HARMLESS:
        return False
    # A late or volunteered score opens a pull of its own, which may have taken a number.
    kinds = book.rules.kinds
    keys = [pull.key for pull in plan.pulls]
    return not tx.pulls([pull_id(tx.cycle.id, a, kinds[k].name, o) for a, k, o in keys])


def _record(plan: Plan, book: Book, cycle_id: str) -> DecisionRecord:
    look = plan.look
    numbers = {
        "reserved": float(plan.sight.reserved),
        "spent": float(plan.sight.spent),
        "committed": float(plan.sight.committed),
    }
    if look is not None:
        numbers |= look.parameters | {
            "gap": look.gap,
            "certified_loss": look.certified_loss,
            "expected_loss": look.expected_loss,
        }
    return DecisionRecord(
        cycle_id=cycle_id,
        number=plan.number,
        read=plan.read,
        digest=plan.sight.digest,
        rules_version=book.rules_version,
        why=plan.why.value,
        picks=tuple((*pull.key, pull.priority, pull.reviewers) for pull in plan.pulls),
        look=numbers,
        cohort=plan.cohort,
        contested=plan.contested,
        stop="" if plan.stop is None else plan.stop.value,
        versions=versions(),
    )


def _new_pull(cycle: str, key: PullKey, kind: KindRules, why: PullWhy, decision: int) -> Pull:
    application, index, ordinal = key
    return Pull(
        id=pull_id(cycle, application, kind.name, ordinal),
        cycle_id=cycle,
        application=application,
        kind=index,
        ordinal=ordinal,
        status=PullStatus.PROPOSED if _is_proposed(kind, why) else PullStatus.OPEN,
        why=why,
        cost=kind.cost,
        gain=gain_units(kind.gain),
        decision=decision,
        seats=kind.seats,
        quorum=kind.quorum,
    )


def _is_proposed(kind: KindRules, why: PullWhy) -> bool:
    """Whether a person must still approve; who opens a reconsideration has."""
    return kind.approval and why is not PullWhy.APPEAL


def _new_assignment(
    cycle: str, seat: Seat, reviewer: int, attempt: int, kind: KindRules, now: datetime
) -> Assignment:
    pull = pull_id(cycle, seat.application, kind.name, seat.ordinal)
    return Assignment(
        id=assignment_id(pull, seat.seat, attempt),
        pull_id=pull,
        cycle_id=cycle,
        application=seat.application,
        kind=seat.kind,
        ordinal=seat.ordinal,
        seat=seat.seat,
        attempt=attempt,
        reviewer=reviewer,
        status=AssignmentStatus.QUEUED,
        packet=0,
        rubric_version=0,
        created_at=now,
        due_at=now + timedelta(days=kind.window_days) if kind.window_days else None,
    )


def _pending(pulls: Iterable[Pull], *, sign: int = 1) -> list[Delta]:
    """Changes of pending information, one per arm."""
    sums: dict[int, int] = {}
    for pull in pulls:
        sums[pull.application] = sums.get(pull.application, 0) + sign * pull.gain
    return [Delta(application=arm, pending=gain) for arm, gain in sorted(sums.items())]
