"""Volunteered reviews: stored, and counted once staff admit them."""

from collections.abc import Sequence
from dataclasses import dataclass

from swapflow.domain.event import EventType
from swapflow.domain.fixed_point import gain_units
from swapflow.domain.ids import assignment_id, pull_id
from swapflow.domain.reviewing.assignment import (
    Assignment,
    AssignmentStatus,
    Pull,
    PullReason,
    PullStatus,
)
from swapflow.domain.reviewing.score import Answer, NotCounted, Origin, Score
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.preconditions import refuse_finalized
from swapflow.engine.projection.pull_events import VOLUNTEERED
from swapflow.engine.reviewing.submit import utility_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Volunteered:
    """A score that was not requested, by application and reviewer number."""

    application: int
    kind: int
    reviewer: int
    utility: float
    typed_by: str
    remark: str = ""


def volunteer(
    cycle_id: str, scores: Sequence[Volunteered], *, ledger: CycleReads, origin: Origin
) -> tuple[str, ...]:
    """Store scores that were not requested; they enter no estimate unless staff admit them.

    Returns:
        The assignment id of each.
    """
    with ledger.write(cycle_id) as tx:
        refuse_finalized(tx)
        return tuple(_keep_volunteered(tx, score, origin) for score in scores)


def _keep_volunteered(tx: Transaction, score: Volunteered, origin: Origin) -> str:
    rules = tx.rules()
    kind = rules.kinds[score.kind]
    ordinal = tx.next_ordinal(score.application, score.kind)
    pull = Pull(
        id=pull_id(tx.cycle.id, score.application, kind.name, ordinal),
        cycle_id=tx.cycle.id,
        application=score.application,
        kind=score.kind,
        ordinal=ordinal,
        status=PullStatus.CLOSED,
        why=PullReason.STAFF,
        # Nobody asked, so no budget was committed and none is spent.
        cost=0,
        gain=gain_units(kind.gain),
        decision=0,
    )
    assignment = Assignment(
        id=assignment_id(pull.id, 1, 1),
        pull_id=pull.id,
        cycle_id=tx.cycle.id,
        application=score.application,
        kind=score.kind,
        ordinal=ordinal,
        seat=1,
        attempt=1,
        reviewer=score.reviewer,
        status=AssignmentStatus.SCORED,
        packet=0,
        rubric_version=0,
        created_at=tx.now,
        due_at=None,
    )
    answer = Answer(assignment_id=assignment.id, utility=score.utility, remark=score.remark)
    value = utility_of(answer, rules, score.kind)
    tx.insert_pulls([pull])
    tx.insert_assignments([assignment])
    seq = tx.record(
        EventType.SCORED,
        {
            "a": score.application,
            "k": score.kind,
            "o": ordinal,
            "seat": 1,
            "attempt": 1,
            "r": score.reviewer,
            "v": value,
            "counts": 0,
            "closes": 0,
            "extra": VOLUNTEERED,
            "late": None,
        },
    )
    stored = Score(
        assignment_id=assignment.id,
        pull_id=pull.id,
        cycle_id=tx.cycle.id,
        application=score.application,
        kind=score.kind,
        ordinal=ordinal,
        seat=1,
        reviewer=score.reviewer,
        revision=1,
        value=value,
        counts=False,
        reason=NotCounted.NOT_ASKED.value,
        origin=origin,
        late=None,
        typed_by=score.typed_by,
        rubric_version=0,
        submitted_at=tx.now,
        seq=seq,
    )
    tx.insert_scores([stored], marks=[{}], remarks=[score.remark])
    return assignment.id
