"""Compares the rows of a cycle, its requests and its scores with the state after its events."""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.reviewing.assignment import PullStatus
from swapflow.domain.reviewing.score import Score
from swapflow.domain.rules import Rules
from swapflow.engine.audit.recorded_requests import seat_of
from swapflow.engine.audit.verification import Disagreement
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.live_state import Arms
from swapflow.engine.ports.requests import RequestReads
from swapflow.engine.projection.cycle_projection import CycleProjection


_OVER = frozenset({CycleStatus.PROPOSED, CycleStatus.ENDED, CycleStatus.FINALIZED})

_WAITING = frozenset({PullStatus.OPEN, PullStatus.PROPOSED})


def row_differences(
    cycle_id: str, projection: CycleProjection, arms: Arms, *, ledger: Ledger
) -> Iterable[Disagreement]:
    """Compare the ledger's rows with its events."""
    cycle = ledger.cycle(cycle_id)
    if (cycle.spent, cycle.committed) != (arms.spent, arms.committed):
        yield Disagreement(
            what=f"the cycle's row says {cycle.spent} spent and {cycle.committed} committed, its "
            f"events {arms.spent} and {arms.committed}",
            fatal=True,
        )
    yield from _cycle(cycle, projection, ledger.rules(cycle_id))
    yield from _pulls(cycle_id, projection, arms, ledger=ledger)
    yield from _scores(cycle_id, projection, ledger=ledger)


def _cycle(cycle: Cycle, projection: CycleProjection, rules: Rules) -> Iterable[Disagreement]:
    """Compare the columns of the cycle's row with its events."""
    launched = projection.status is not CycleStatus.DRAFT
    facts = {
        "status": cycle.status is projection.status,
        "decisions": cycle.decisions == projection.decisions,
        "rules_version": not launched or cycle.rules_version == projection.rules_version,
        "cohort_version": cycle.cohort_version == projection.lists,
        "stop_reason": cycle.status not in _OVER
        or (cycle.stop_reason or "") == projection.stop_reason,
        "paused_at": (cycle.paused_at is not None) == (cycle.status is CycleStatus.PAUSED),
        "rules": rules.version == cycle.rules_version,
    }
    for name, fits in facts.items():
        if not fits:
            yield Disagreement(what=f"cycle: {name} is not what the events say", fatal=True)


def _pulls(
    cycle_id: str, projection: CycleProjection, arms: Arms, *, ledger: RequestReads
) -> Iterable[Disagreement]:
    """Compare status and cost of every pull."""
    pulls = ledger.pulls(cycle_id)
    rows = {
        (p.application, p.kind, p.ordinal): p.status is PullStatus.OPEN
        for p in pulls
        if p.status in _WAITING
    }
    if rows != {key: pull.approved for key, pull in projection.open.items()}:
        yield Disagreement(what="open requests differ between rows and events", fatal=True)
    # A volunteered score has a pull of its own, which costs nothing.
    closed = Counter(
        (p.application, p.kind) for p in pulls if p.status is PullStatus.CLOSED and p.cost
    )
    counts = projection.closed()
    told = {(int(a), int(k)): int(counts[a, k]) for a, k in zip(*np.nonzero(counts), strict=True)}
    if closed != told:
        yield Disagreement(what="closed requests differ between rows and events", fatal=True)
    spent = sum(p.cost for p in pulls if p.status is PullStatus.CLOSED)
    committed = sum(p.cost for p in pulls if p.status in _WAITING)
    if (spent, committed) != (arms.spent, arms.committed):
        yield Disagreement(
            what=f"the requests cost {spent} and {committed}, the events say {arms.spent} and "
            f"{arms.committed}",
            fatal=True,
        )


def _scores(
    cycle_id: str, projection: CycleProjection, *, ledger: RequestReads
) -> Iterable[Disagreement]:
    """Compare every current score, and find reviewers who count twice."""
    standing: dict[str, Score] = {}
    for score in ledger.scores(cycle_id):
        known = standing.get(score.assignment_id)
        if known is None or known.revision < score.revision:
            standing[score.assignment_id] = score
    judged: set[tuple[int, int]] = set()
    for score in standing.values():
        if projection.score(seat_of(score)) != (score.value, score.counts):
            yield Disagreement(
                what=f"the score of {score.assignment_id} is not what its event says", fatal=True
            )
        pair = (score.application, score.reviewer)
        if score.counts and pair in judged:
            yield Disagreement(
                what=f"reviewer {pair[1]} counts twice on application {pair[0]}", fatal=True
            )
        if score.counts:
            judged.add(pair)
