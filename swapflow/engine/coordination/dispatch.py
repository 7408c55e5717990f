"""Step 4, dispatch: write a decision with its pulls and assignments, then send the messages.

Every committed row is sent again until its effect is seen, so the broker need not be reliable, and
it does not matter whether a message arrived.
"""

from swapflow.domain.cycle import CycleStatus, Position
from swapflow.domain.event import EventType
from swapflow.domain.ids import pull_id
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.records import DecisionRecord, Lease
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.selection.before_stop import drawn_payload
from swapflow.engine.selection.decide import DecisionPlan
from swapflow.engine.selection.pulls import harmless_for, open_pulls
from swapflow.engine.selection.recorded_look import FORMULAS, look_numbers, versions


def write_plan(
    plan: DecisionPlan, projection: CycleProjection, *, ledger: CycleReads, lease: Lease
) -> Position | None:
    """Commit a decision: its record, its pulls, its assignments, all or nothing.

    Returns:
        Where the cycle stands with it. None when the cycle has moved on since the decision was
        made (paused, new rules, the budget spent otherwise): then nothing was written, and the
        decision must be made again.

    Raises:
        LeaseLostError: If another coordinator has taken over; nothing was written.
    """
    with ledger.write(lease.cycle_id, epoch=lease.epoch) as tx:
        if not _still_holds(plan, projection, tx):
            return None
        tx.insert_decision(_record(plan, projection, lease.cycle_id))
        tx.record(
            EventType.DECIDED,
            {
                "decision": plan.number,
                "at": plan.read.seq,
                "digest": plan.situation.digest,
                "stop": None if plan.stop is None else plan.stop.value,
                "picks": len(plan.pulls),
                "formulas": FORMULAS,
            },
        )
        if plan.draw is not None:
            tx.record(EventType.OUT_DRAWN, drawn_payload(plan.number, plan.draw))
        if plan.pulls:
            open_pulls(tx, plan.pulls, projection.rules, why=plan.why, decision=plan.number)
        if plan.stop is not None:
            tx.record(EventType.STOP_PROPOSED, {"reason": plan.stop.value})
            tx.set_status(CycleStatus.PROPOSED, stop_reason=plan.stop.value)
        return tx.cycle.position


def _still_holds(plan: DecisionPlan, projection: CycleProjection, tx: Transaction) -> bool:
    cycle = tx.cycle
    if cycle.status is not CycleStatus.RUNNING or cycle.decisions + 1 != plan.number:
        return False
    if cycle.position != plan.read and not _untouched(plan, projection, tx):
        return False
    # Scores that came since may have spent what the plan counts on: the budget is checked again.
    cost = sum(projection.rules.kinds[pull.key[1]].cost for pull in plan.pulls)
    return cycle.spent + cycle.committed + cost <= projection.rules.budget


def _untouched(plan: DecisionPlan, projection: CycleProjection, tx: Transaction) -> bool:
    """Whether the events since the plan leave it possible, its pulls' numbers included."""
    since = tx.event_types_after(plan.read.seq)
    if not since <= harmless_for(
        projection, ((p.key[0], r) for p in plan.pulls for r in p.reviewers)
    ):
        return False
    # A late or volunteered score opens a pull of its own, which may have taken a number.
    kinds = projection.rules.kinds
    keys = [pull.key for pull in plan.pulls]
    return not tx.pulls([pull_id(tx.cycle.id, a, kinds[k].name, o) for a, k, o in keys])


def _record(plan: DecisionPlan, projection: CycleProjection, cycle_id: str) -> DecisionRecord:
    return DecisionRecord(
        cycle_id=cycle_id,
        number=plan.number,
        read=plan.read,
        digest=plan.situation.digest,
        rules_version=projection.rules_version,
        why=plan.why.value,
        picks=tuple((*pull.key, pull.priority, pull.reviewers) for pull in plan.pulls),
        look=look_numbers(plan),
        cohort=plan.cohort,
        contested=plan.contested,
        stop="" if plan.stop is None else plan.stop.value,
        versions=versions(),
    )
