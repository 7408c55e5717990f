"""What a running program still owes its applicants, what can pay for it, and what holds it up.

A late applicant is promised the same reviews as all others. Where the budget that is free cannot
pay them, nothing is asked for, and staff are told; what is kept for their own requests may.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.people.application import NewApplication
from swapflow.domain.rules import DispatchMode, FloorFor, Rules
from swapflow.engine.lifecycle.rule_changes import change_rules
from swapflow.engine.lifecycle.switches import resume
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.selection.assign import out_target
from swapflow.engine.selection.situation import cost_of
from swapflow.errors import ConflictError, InvalidInputError
from swapflow.messages import Message


ASKING = frozenset({CycleStatus.RUNNING, CycleStatus.PAUSED, CycleStatus.PROPOSED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Promises:
    """Reviews that everybody is promised and that were not asked for, and the money for them.

    Attributes:
        applicants: External ids of those who lack one, in the order of their numbers; of a list
            that is only looked at, those who would.
        needed: What they cost, in the round's unit.
        free: What may pay for them.
        reserve: What is kept for requests of staff.
        unit: The round's unit.
    """

    applicants: tuple[str, ...]
    needed: int
    free: int
    reserve: int
    unit: str

    @property
    def short(self) -> int:
        """What is missing; 0 where all can be paid."""
        return max(0, self.needed - self.free)

    @property
    def from_reserve(self) -> int:
        """What of it the reserve can pay."""
        return min(self.short, self.reserve)

    @property
    def beyond(self) -> int:
        """What of it only a larger budget can pay."""
        return self.short - self.from_reserve

    @property
    def message(self) -> Message | None:
        """What staff should know; None where all can be paid."""
        if not self.short:
            return None
        values = {
            "count": len(self.applicants),
            "needed": self.needed,
            "free": self.free,
            "reserve": self.reserve,
            "taken": self.from_reserve,
            "beyond": self.beyond,
            "unit": self.unit,
        }
        if not self.beyond:
            return Message("promises_from_reserve", **values)
        if not self.from_reserve:
            return Message("promises_beyond_budget", **values)
        return Message("promises_beyond_reserve", **values)


def promises(
    cycle_id: str,
    *,
    coming: Sequence[NewApplication] = (),
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
) -> Promises | None:
    """Compute what is promised and not yet asked for; None unless asking goes on.

    Args:
        cycle_id: The cycle.
        coming: Applicants whom a list would bring.
        ledger: The ledger.
        snapshots: Cached snapshots.
    """
    if ledger.cycle(cycle_id).status not in ASKING:
        return None
    with (snapshots or SnapshotCache()).at_head(cycle_id, ledger=ledger) as seen:
        rules, situation = seen.projection.rules, seen.situation()
        lacking = situation.application[situation.floors_missing.any(axis=1)].tolist()
        needed = cost_of(seen.projection, situation.floors_missing)
        free = int(situation.situation.budget_left) + needed
        reserve = situation.for_staff
    names = {a.number: a.external_id for a in ledger.applications(cycle_id)} if lacking else {}
    new = [one.external_id for one in coming if one.ready is not False and one.left is None]
    unit = next(r.unit for r in ledger.rounds() if r.id == ledger.cycle(cycle_id).round_id)
    return Promises(
        applicants=(*(names[number] for number in sorted(lacking)), *new),
        needed=needed + len(new) * _each(rules),
        free=max(0, free),
        reserve=reserve,
        unit=unit,
    )


def take_from_reserve(
    cycle_id: str,
    *,
    by: str,
    reason: str,
    shown: int | None = None,
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
) -> int:
    """Pay promised reviews from what is kept for staff: another version of the rules.

    A stop that was proposed is lifted, since there is something to ask for again.

    Args:
        cycle_id: The cycle.
        by: Who takes it.
        reason: Why; it stands in the record.
        shown: How much the person was shown; None for whatever is needed.
        ledger: The ledger.
        snapshots: Cached snapshots.

    Returns:
        How much was taken, in the round's unit.

    Raises:
        InvalidInputError: If nothing is missing, or the reserve is empty.
        ConflictError: If another amount is needed by now than was shown.
    """
    found = promises(cycle_id, ledger=ledger, snapshots=snapshots)
    if found is None or not found.from_reserve:
        raise InvalidInputError("promises_need_no_reserve")
    amount = found.from_reserve
    if shown is not None and shown != amount:
        raise ConflictError("promises_changed", shown=shown, needed=amount, unit=found.unit)
    rules = ledger.rules(cycle_id)
    kept = int(rules.reserve * rules.budget) - amount
    changed = replace(rules, reserve=_share(kept, rules.budget))
    change_rules(
        cycle_id, changed, by=by, reason=reason, made_from=str(rules.version), ledger=ledger
    )
    if ledger.cycle(cycle_id).status is CycleStatus.PROPOSED:
        resume(cycle_id, by=by, reason=reason, ledger=ledger)
    return amount


def held_by_approvals(
    cycle_id: str, *, ledger: Ledger, snapshots: SnapshotCache | None = None
) -> Message | None:
    """Return what tells that decisions wait for approvals; None if they do not."""
    with (snapshots or SnapshotCache()).at_head(cycle_id, ledger=ledger) as seen:
        return _held(seen.projection)


def _held(projection: CycleProjection) -> Message | None:
    if projection.status is not CycleStatus.RUNNING:
        return None
    out = len(projection.open)
    waiting = sum(not pull.approved for pull in projection.open.values())
    if not waiting:
        return None
    if projection.rules.dispatch is DispatchMode.LOCKSTEP:
        return Message("approvals_hold_lockstep", count=waiting, out=out)
    if waiting == out:
        return Message("approvals_hold_all", count=waiting)
    # While others are out as well, their answers lead to the next decision, if there is room.
    if out >= out_target(projection):
        return Message("approvals_take_places", count=waiting, out=out)
    return None


def _each(rules: Rules) -> int:
    """Return what the reviews cost that everybody is promised."""
    counts = rules.floor_counts(FloorFor.ALL)
    return sum(count * kind.cost for count, kind in zip(counts, rules.kinds, strict=True))


def _share(kept: int, budget: int) -> float:
    """Return the share of the budget that comes to this amount, which is rounded down."""
    share = kept / budget
    return share if int(share * budget) == kept else math.nextafter(share, 1.0)
