"""Open pulls, assign their seats, and cancel pulls no longer needed."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from swapflow.domain.cohort.reconsideration import Closing, Reconsideration, Result
from swapflow.domain.event import EventType
from swapflow.domain.fixed_point import Delta, gain_units
from swapflow.domain.ids import assignment_id, pull_id
from swapflow.domain.reviewing.assignment import (
    OPEN_ASSIGNMENT,
    Assignment,
    AssignmentStatus,
    Pull,
    PullReason,
    PullStatus,
    seat_items,
)
from swapflow.domain.rules import KindRules, Rules
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.pull_events import PullKey
from swapflow.engine.selection.assign import Seat
from swapflow.engine.selection.staffing import PlannedPull


HARMLESS = frozenset(
    {
        EventType.SCORED,
        EventType.SCORE_CORRECTED,
        EventType.DECLINED,
        EventType.NO_SHOW,
        EventType.TAKEN_BACK,
        EventType.PURGED,
    }
)
"""Events that may happen between a decision's reading and its writing."""

_OF_ANSWERS = frozenset({EventType.SCORED, EventType.SCORE_CORRECTED})
"""Events by which a reviewer who was asked before may have answered after all."""


def harmless_for(
    projection: CycleProjection, pairs: Iterable[tuple[int, int]]
) -> frozenset[EventType]:
    """Return the events that may happen before these reviewers are asked.

    Args:
        projection: The cycle as the plan saw it.
        pairs: (application, reviewer) of the plan.
    """
    again = any(
        reviewer in projection.asked_before.get(application, ()) for application, reviewer in pairs
    )
    return HARMLESS - _OF_ANSWERS if again else HARMLESS


def open_pulls(
    tx: Transaction,
    planned: Sequence[PlannedPull],
    rules: Rules,
    *,
    why: PullReason,
    decision: int,
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
        # Pending from now on, so that the rule does not request the same information twice.
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
        {"items": seat_items(assignments)},
    )


def cancel_pulls(tx: Transaction, pulls: Iterable[Pull], *, why: str) -> int:
    """Cancel proposed and open pulls, their budget and assignments; return how many pulls."""
    open_states = {PullStatus.PROPOSED, PullStatus.OPEN}
    cancelled = [pull for pull in pulls if pull.status in open_states]
    if not cancelled:
        return 0
    ids = [pull.id for pull in cancelled]
    tx.move_pulls(ids, PullStatus.CANCELLED, allowed=open_states)
    live = [a.id for a in tx.assignments_of(ids) if a.status.is_open]
    tx.move_assignments(live, AssignmentStatus.CANCELLED, allowed=OPEN_ASSIGNMENT)
    tx.record(
        # The pull's pending information goes too, or the rule would wait for a score that never
        # comes.
        EventType.PULLS_CANCELLED,
        {"pulls": [[p.application, p.kind, p.ordinal] for p in cancelled], "why": why},
        deltas=_pending(cancelled, sign=-1),
        committed=-sum(pull.cost for pull in cancelled),
    )
    return len(cancelled)


def _new_pull(cycle: str, key: PullKey, kind: KindRules, why: PullReason, decision: int) -> Pull:
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


def _is_proposed(kind: KindRules, why: PullReason) -> bool:
    """Whether a person must still approve; the person who opens a reconsideration already has."""
    return kind.approval and why is not PullReason.RECONSIDERATION


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


def withdraw_reconsideration(
    tx: Transaction, which: Reconsideration, *, by: str, reason: str, why: str
) -> None:
    """Cancel what is still requested and close the reconsideration; the list stays as it is."""
    cancel_pulls(tx, tx.open_pulls_of(which.application), why=why)
    tx.record(EventType.RECONSIDERATION_CLOSED, closed(which, Closing(result=Result.WITHDRAWN)))
    tx.close_reconsideration(which.id, Closing(result=Result.WITHDRAWN, reason=reason), by=[by])


def closed(which: Reconsideration, closing: Closing) -> dict[str, int | str]:
    """Build the payload of the event by which a reconsideration ends."""
    return {
        "a": which.application,
        "result": closing.result.value,
        "version": closing.version,
        "place": closing.place,
    }
