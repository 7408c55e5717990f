"""Requests that a withdrawal ended are given back when the applicant is reinstated."""

from collections.abc import Sequence

from swapflow.domain.cycle import ASKING, CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.fixed_point import Delta
from swapflow.domain.ids import pull_id
from swapflow.domain.reviewing.assignment import (
    Assignment,
    AssignmentStatus,
    Pull,
    PullReason,
    PullStatus,
)
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.projection.pull_events import GIVEN_BACK, PullKey
from swapflow.engine.projection.score_table import int_of, table_rows


def give_back(tx: Transaction, application: int) -> int:
    """Reopen the requests that ended when an application left; return how many.

    Each goes back to the reviewers who had it, with their drafts. Left ended are requests for
    which the budget has no room any more, and those that were answered meanwhile: that review is
    kept, and staff may admit it.
    """
    if tx.cycle.status not in {*ASKING, CycleStatus.PAUSED}:
        return 0
    rules = tx.rules()
    ids = {
        pull_id(tx.cycle.id, a, rules.kinds[k].name, o): (a, k, o)
        for a, k, o in _ended(tx, application)
    }
    kept = {score.pull_id for score in tx.standing_scores(list(ids)) if not score.counts}
    found = tx.pulls([name for name in ids if name not in kept])
    cycle = tx.cycle
    left = rules.budget - cycle.spent - cycle.committed
    pulls = []
    for name in sorted(found, key=lambda name: ids[name]):
        pull = found[name]
        if pull.status is PullStatus.CANCELLED and pull.cost <= left:
            left -= pull.cost
            pulls.append(pull)
    if pulls:
        _reopen(tx, pulls)
    return len(pulls)


def _ended(tx: Transaction, application: int) -> list[PullKey]:
    """Return the pulls that ended when an application left the last time."""
    for payload in reversed(tx.payloads(EventType.PULLS_CANCELLED)):
        keys = [(a, k, o) for a, k, o in table_rows(payload["pulls"]) if a == application]
        if keys and payload["why"] in GIVEN_BACK:
            return keys
    return []


def _reopen(tx: Transaction, pulls: Sequence[Pull]) -> None:
    ids = [pull.id for pull in pulls]
    asked: dict[str, list[Assignment]] = {name: [] for name in ids}
    for assignment in tx.assignments_of(ids):
        asked[assignment.pull_id].append(assignment)
    proposed = [
        pull.id
        for pull in pulls
        if not asked[pull.id]
        and tx.rules().kinds[pull.kind].approval
        and pull.why is not PullReason.RECONSIDERATION
    ]
    cancelled = {PullStatus.CANCELLED}
    tx.move_pulls(proposed, PullStatus.PROPOSED, allowed=cancelled)
    tx.move_pulls(
        [name for name in ids if name not in proposed], PullStatus.OPEN, allowed=cancelled
    )
    again = _same_reviewers(tx, [a for one in asked.values() for a in one])
    kinds = tx.rules().kinds
    tx.resume_assignments(again, windows=[kind.window_days for kind in kinds])
    tx.record(
        EventType.PULLS_REOPENED,
        {
            "pulls": [[p.application, p.kind, p.ordinal, int(p.id in proposed)] for p in pulls],
            "items": [
                [a.application, a.kind, a.ordinal, a.seat, a.attempt, a.reviewer] for a in again
            ],
        },
        deltas=[
            Delta(
                application=pulls[0].application,
                pending=sum(int_of(pull.gain) for pull in pulls),
            )
        ],
        committed=sum(pull.cost for pull in pulls),
    )


def _same_reviewers(tx: Transaction, asked: Sequence[Assignment]) -> list[Assignment]:
    """Return the last request of each seat, if its reviewer may still answer it."""
    last: dict[tuple[str, int], Assignment] = {}
    for assignment in asked:
        seat = (assignment.pull_id, assignment.seat)
        if seat not in last or last[seat].attempt < assignment.attempt:
            last[seat] = assignment
    barred = tx.conflicts() | tx.opened_pairs()
    roster = tx.reviewers()
    return [
        a
        for a in last.values()
        if a.status is AssignmentStatus.CANCELLED
        and (a.application, a.reviewer) not in barred
        and roster[a.reviewer].active
    ]
