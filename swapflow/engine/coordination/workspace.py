"""The state that a coordinator keeps of one cycle between turns."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.domain.cycle import Position
from swapflow.engine.coordination.background_fit import BackgroundFit
from swapflow.engine.coordination.background_judge import BackgroundJudge
from swapflow.engine.ports.coordination import Coordination
from swapflow.engine.ports.records import Lease
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.live_totals import LiveTotals
from swapflow.engine.selection.assign import NoReviewer, Seat
from swapflow.engine.selection.rule import last_fit


@dataclass(slots=True, kw_only=True)
class LedCycle:
    """The small record that a coordinator keeps of a cycle, whether it has read it or not.

    Attributes:
        lease: The lease, where this coordinator holds it.
        lease_taken: When it was taken or renewed last, on the monotonic clock.
        reminded_at: When reminders were last checked.
        rests_at: The position at which there was nothing to do; None where there was something.
        quiet_since: Since when it rests there, on the monotonic clock.
        served: When it was looked at last, on the monotonic clock.
    """

    lease: Lease | None = None
    lease_taken: float = 0.0
    reminded_at: datetime | None = None
    rests_at: Position | None = None
    quiet_since: float = 0.0
    served: float = 0.0


@dataclass(slots=True, kw_only=True)
class CycleWorkspace(LedCycle):
    """The state that a coordinator keeps of one cycle between turns; all can be read again.

    Attributes:
        projection: The cycle as far as its events were read.
        totals: The integers that these events add up to; the live state is compared with them.
        compared: When the live state was compared last, on the monotonic clock.
        told: When an alteration of it was noted last.
        fitted: Parameters of the model in force, as the last decision recorded them.
        fitted_known: Whether `fitted` was read.
        idle_at: The position at which there was nothing to decide.
        dashboard_at: The position of the last dashboard.
        dashboard_due: When the next may be built: while idle, and while there is work to do.
        blocked: Seats of the last decision that found no reviewer, and why.
        judge: Calculates how good the list is, where only draws say so.
        fits: Fits the model, where that is long beside the turns.
    """

    projection: CycleProjection
    totals: LiveTotals = field(default_factory=LiveTotals)
    compared: float = 0.0
    told: float | None = None
    fitted: Fitted | None = None
    fitted_known: bool = False
    idle_at: Position | None = None
    dashboard_at: Position | None = None
    dashboard_due: tuple[float, float] = (0.0, 0.0)
    blocked: dict[Seat, NoReviewer] = field(default_factory=dict)
    judge: BackgroundJudge = field(default_factory=BackgroundJudge)
    fits: BackgroundFit = field(default_factory=lambda: BackgroundFit(None))


def hold_lease(
    cycle_id: str, workspace: CycleWorkspace, *, ledger: Coordination, holder: str, seconds: float
) -> bool:
    """Take the lease, or renew it when half of it has passed: every renewal is a write.

    The epoch in every decision keeps others out; a late renewal does no harm.

    Returns:
        Whether it was held already, so that no other coordinator has written meanwhile.
    """
    now = time.monotonic()
    if workspace.lease is not None and now - workspace.lease_taken < seconds / 2:
        return True
    before, workspace.lease_taken = workspace.lease, now
    workspace.lease = ledger.take_lease(cycle_id, holder=holder, seconds=seconds)
    if workspace.lease is None or before is None or before.epoch != workspace.lease.epoch:
        # Others may have decided meanwhile, with a fit of their own.
        workspace.fitted_known, workspace.idle_at = False, None
        return False
    return True


def renew_leases(
    workspaces: Mapping[str, LedCycle],
    *,
    ledger: Coordination,
    seconds: float,
    wait: bool = True,
) -> None:
    """Renew the leases of cycles, all in one write, as `hold_lease` does for one.

    A lease that is lost is asked for in the cycle's next turn, which begins at once.

    Args:
        workspaces: Those whose leases to renew, where half of their length has passed.
        ledger: Where.
        seconds: How long a lease lasts.
        wait: Whether to wait for cycles that are being written to; else they are left out.
    """
    now = time.monotonic()
    old = {
        cycle_id: workspace.lease
        for cycle_id, workspace in workspaces.items()
        if workspace.lease is not None and now - workspace.lease_taken >= seconds / 2
    }
    if not old:
        return
    renewed = ledger.renew_leases(tuple(old.values()), seconds=seconds, wait=wait)
    for cycle_id in old:
        if cycle_id in renewed:
            workspaces[cycle_id].lease_taken = now
        elif wait:
            workspaces[cycle_id].rests_at = None


def fitted_of(cycle_id: str, workspace: CycleWorkspace, *, ledger: Coordination) -> Fitted | None:
    """Return the model's parameters in force: this process's own, or the last decision's."""
    if not workspace.fitted_known:
        workspace.fitted = last_fit(ledger, cycle_id)
        workspace.fitted_known = True
    return workspace.fitted
