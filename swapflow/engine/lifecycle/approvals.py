"""Approvals: why each request is proposed, and swaps for another applicant or reviewer.

`switches` approves and strikes whole batches; a swap exchanges one applicant, or chooses who meets
them.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from swapflow.domain.event import EventType
from swapflow.domain.ids import pull_id
from swapflow.domain.people.application import Application
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.reviewing.assignment import Pull, PullReason, PullStatus
from swapflow.domain.rules import Rules
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import DecisionRecord
from swapflow.engine.ports.requests import RequestReads
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.pull_events import STRUCK
from swapflow.engine.read_models.explanation import origin_of
from swapflow.engine.read_models.snapshot import Snapshot, SnapshotCache
from swapflow.engine.selection.assign import Seat, may_ask
from swapflow.engine.selection.pulls import HARMLESS, assign_seats, cancel_pulls, open_pulls
from swapflow.engine.selection.staffing import PlannedPull
from swapflow.errors import ConflictError, InvalidInputError, NotFoundError, NotReadyError


MOST_CHOICES = 200
"""Most applicants that are offered for a swap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingApproval:
    """A request that waits for approval, with the reason for it.

    Attributes:
        why: Its origin: "rule", "staff", "floor" …
        origin: The same, and for a floor the rule that promised it (`origin_of`).
        decision: Number of the decision that made it, 0 for none.
        turn: Its place among that decision's requests, from 1; 0 where there is none.
        of: How many requests that decision made.
        contested_then: Whether the applicant was too close to call at that decision.
    """

    pull: Pull
    external_id: str
    name: str
    kind: str
    why: str
    origin: str
    decision: int
    turn: int
    of: int
    contested_then: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The possible swaps of a request that waits for approval.

    Attributes:
        applicants: Other applicants who may get this kind, those too close to call first.
        reviewers: Reviewers who may be asked about this applicant.
    """

    awaited: PendingApproval
    applicants: tuple[Application, ...]
    reviewers: tuple[Reviewer, ...]


def pending_approvals(cycle_id: str, *, ledger: Ledger) -> tuple[PendingApproval, ...]:
    """List the requests that wait for approval, in the order in which they were made."""
    pulls = ledger.pulls(cycle_id, statuses={PullStatus.PROPOSED})
    rules = ledger.rules(cycle_id)
    people = _people(cycle_id, {p.application for p in pulls}, ledger=ledger)
    records = {
        number: record
        for number in sorted({p.decision for p in pulls if p.decision})
        for record, _ in ledger.decisions_before(cycle_id, number + 1, at_most=1)
    }
    found = [_pending_approvals(pull, people[pull.application], rules, records) for pull in pulls]
    return tuple(sorted(found, key=lambda one: (one.decision, one.turn, one.pull.id)))


def choices(
    cycle_id: str, pull: str, *, ledger: Ledger, snapshots: SnapshotCache | None = None
) -> Choices:
    """Return the possible swaps of a request that waits for approval.

    Raises:
        NotFoundError: If no such request waits.
    """
    one = next((a for a in pending_approvals(cycle_id, ledger=ledger) if a.pull.id == pull), None)
    if one is None:
        raise NotFoundError("request_not_waiting")
    with (snapshots or SnapshotCache()).at_head(cycle_id, ledger=ledger) as seen:
        numbers = _others(one.pull, seen)
        may = {
            reviewer.number
            for reviewer in ledger.reviewers(cycle_id)
            if _may(seen.projection, one.pull, reviewer.number)
        }
    record = next(iter(ledger.decisions_before(cycle_id, 0, at_most=1)), None)
    close = {n: turn for turn, n in enumerate(record[0].contested)} if record else {}
    numbers.sort(key=lambda number: (close.get(number, len(close)), number))
    people = _people(cycle_id, numbers[:MOST_CHOICES], ledger=ledger)
    return Choices(
        awaited=one,
        applicants=tuple(people[number] for number in numbers[:MOST_CHOICES]),
        reviewers=tuple(r for r in ledger.reviewers(cycle_id) if r.number in may),
    )


def swap(
    cycle_id: str,
    pull: str,
    *,
    application: int | None,
    reviewer: int | None,
    by: str,
    reason: str,
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
) -> None:
    """Approve a request with another applicant, a chosen reviewer, or both.

    With another applicant, the request is struck, and one for the other is opened at the same
    cost. A chosen reviewer takes the first seat; the coordinator finds the others.

    Args:
        cycle_id: The cycle.
        pull: The request.
        application: Number of the applicant to ask about instead; None keeps the proposed one.
        reviewer: Number of the reviewer to ask; None lets the coordinator find one.
        by: Who does it.
        reason: Why; it is kept with the approval.
        ledger: The ledger.
        snapshots: Cached snapshots; without them the whole cycle is read.

    Raises:
        NotFoundError: If no such request waits for approval.
        InvalidInputError: If nothing is exchanged, or this one may not be.
        ConflictError: If the cycle moved on meanwhile; nothing was changed.
    """
    if application is None and reviewer is None:
        raise InvalidInputError("swap_names_nothing")
    folded = (snapshots or SnapshotCache()).at_head(cycle_id, ledger=ledger)
    with folded as seen, ledger.write(cycle_id) as tx:
        # Who may be asked follows from the projection, so nothing but harmless events may lie
        # between.
        if not tx.event_types_after(seen.projection.position.seq) <= HARMLESS:
            raise ConflictError("cycle_moved_on")
        proposed = tx.pulls([pull]).get(pull)
        if proposed is None or proposed.cycle_id != cycle_id:
            raise NotFoundError("request_unknown")
        if proposed.status is not PullStatus.PROPOSED:
            raise NotReadyError("request_not_waiting")
        if application is not None and application != proposed.application:
            if application not in _others(proposed, seen):
                raise InvalidInputError("swap_applicant_impossible")
            proposed = _exchange(tx, proposed, application, seen.projection, by=by, reason=reason)
        if reviewer is not None and not _may(seen.projection, proposed, reviewer):
            raise InvalidInputError("swap_reviewer_impossible")
        tx.move_pulls([proposed.id], PullStatus.OPEN, allowed={PullStatus.PROPOSED})
        key = [proposed.application, proposed.kind, proposed.ordinal]
        tx.record(EventType.PULLS_APPROVED, {"pulls": [key]})
        tx.insert_approval([proposed.id], by=by, verdict="approved", reason=reason)
        if reviewer is not None:
            seat = Seat(
                application=proposed.application, kind=proposed.kind, ordinal=proposed.ordinal
            )
            assign_seats(tx, {seat: reviewer}, seen.projection.rules, attempts={})


def _exchange(
    tx: Transaction,
    struck: Pull,
    application: int,
    projection: CycleProjection,
    *,
    by: str,
    reason: str,
) -> Pull:
    """Strike one request and open one for another applicant in its place."""
    cancel_pulls(tx, [struck], why=STRUCK)
    tx.insert_approval([struck.id], by=by, verdict="struck", reason=reason)
    key = (application, struck.kind, tx.next_ordinal(application, struck.kind))
    planned = PlannedPull(key=key, priority=0, reviewers=())
    open_pulls(tx, [planned], projection.rules, why=PullReason.STAFF, decision=0)
    if tx.cycle.spent + tx.cycle.committed > projection.rules.budget:
        raise InvalidInputError("swap_above_budget")
    made = pull_id(tx.cycle.id, application, projection.rules.kinds[struck.kind].name, key[2])
    return tx.pulls([made])[made]


def _others(pull: Pull, seen: Snapshot) -> list[int]:
    """Return the other applicants who may get one more request of a kind."""
    situation = seen.situation()
    may = situation.situation.allowed[:, pull.kind] > 0
    return [int(n) for n in situation.application[may] if int(n) != pull.application]


def _may(projection: CycleProjection, pull: Pull, reviewer: int) -> bool:
    known = 0 <= reviewer < len(projection.reviewers)
    new = pull.why is PullReason.DRAWN
    return known and may_ask(projection, pull.application, pull.kind, reviewer, new=new)


def _people(
    cycle_id: str, numbers: Collection[int], *, ledger: RequestReads
) -> dict[int, Application]:
    return {a.number: a for a in ledger.applications_numbered(cycle_id, numbers)}


def _pending_approvals(
    pull: Pull, who: Application, rules: Rules, records: Mapping[int, DecisionRecord]
) -> PendingApproval:
    kind = rules.kinds[pull.kind].name
    record = records.get(pull.decision)
    keys = [pick[:3] for pick in record.picks] if record else []
    key = (pull.application, pull.kind, pull.ordinal)
    return PendingApproval(
        pull=pull,
        external_id=who.external_id,
        name=who.name,
        kind=kind,
        why=pull.why.value,
        origin=origin_of(pull.why.value, record, pull.application, pull.kind, rules),
        decision=pull.decision,
        turn=keys.index(key) + 1 if key in keys else 0,
        of=len(keys),
        contested_then=record is not None and pull.application in record.contested,
    )
