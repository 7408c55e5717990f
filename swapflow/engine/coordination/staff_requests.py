"""Pulls that staff request beside the rule: opened, or refused with a reason."""

from swapflow.domain.ids import pull_id
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.reviewing.assignment import PullReason
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.live_state import Arms
from swapflow.engine.ports.records import Lease, StaffRequest
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.selection.assign import place, seats_of
from swapflow.engine.selection.pulls import open_pulls
from swapflow.engine.selection.situation import situation_of
from swapflow.engine.selection.staffing import PlannedPull


def answer_staff_request(
    staff_request: StaffRequest,
    projection: CycleProjection,
    arms: Arms,
    *,
    ledger: CycleReads,
    lease: Lease,
) -> int:
    """Open the pull that staff request, or record why not; wait for a busy reviewer.

    Returns:
        1 when the request was answered, 0 when it waits for the next turn.
    """
    key = (
        staff_request.application,
        staff_request.kind,
        projection.next_ordinal(staff_request.application, staff_request.kind),
    )
    kind, seats = projection.rules.kinds[staff_request.kind], seats_of([key], projection)
    refusal = _refusal(staff_request, projection, arms)
    placement = place(seats, projection)
    without_reviewer = list(placement.left.values())
    if not refusal and any(reason.passes for reason in without_reviewer):
        return 0
    if not refusal and without_reviewer:
        refusal = without_reviewer[0].value
    # A kind that a person must approve gets its reviewers after the approval.
    taken = placement.taken
    reviewers = () if kind.approval or refusal else tuple(taken[seat] for seat in seats)
    with ledger.write(lease.cycle_id, epoch=lease.epoch) as tx:
        if tx.cycle.position != projection.position:
            return 0  # read the new events first; the request stays open for the next turn
        if refusal:
            return int(tx.close_staff_request(staff_request.id, f"refused: {refusal}"))
        opened = pull_id(lease.cycle_id, key[0], kind.name, key[2])
        # Staff may have taken it back since it was read, which no event tells.
        if not tx.close_staff_request(staff_request.id, f"asked: {opened}"):
            return 0
        pull = PlannedPull(key=key, priority=0, reviewers=reviewers)
        open_pulls(tx, [pull], projection.rules, why=PullReason.STAFF, decision=0)
    return 1


def _refusal(staff_request: StaffRequest, projection: CycleProjection, arms: Arms) -> str:
    """Return why staff cannot have an extra pull; "" if they can, as far as reviewers go."""
    status = projection.statuses[staff_request.application]
    if status is not ApplicationStatus.READY:
        return f"the application is {status.value}"
    situation = situation_of(projection, arms)
    cost = projection.rules.kinds[staff_request.kind].cost
    left = int(situation.situation.budget_left) + situation.for_staff
    return f"costs {cost}, {left} are left beside the floors" if left < cost else ""
