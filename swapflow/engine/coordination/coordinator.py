"""The coordinator: turns events into decisions and decisions into assignments, turn by turn.

One turn of one cycle is: ingest, then (with the lease) expire, carry out staff requests, fill
vacant seats, decide, and ask for a relay. Every write carries the lease's epoch, every effect is a
row that can be written twice without harm, and everything in memory can be rebuilt from the
ledger: so a coordinator may die at any instruction, and several may run.
"""

import uuid
from datetime import datetime

from typing_extensions import override

from swapflow.bandit.situation import StopReason
from swapflow.domain.cycle import CycleStatus, Position
from swapflow.engine.coordination.background_fit import BackgroundFit, FitBeside
from swapflow.engine.coordination.checked_state import checked_arms, is_comparison_due
from swapflow.engine.coordination.dashboard_updates import is_dashboard_due, publish_dashboard
from swapflow.engine.coordination.dispatch import write_plan
from swapflow.engine.coordination.fair_share import MOVES_APART, FairShare
from swapflow.engine.coordination.presence import Presence
from swapflow.engine.coordination.quarantine import OnFault, Quarantine, unreported
from swapflow.engine.coordination.relay import Outgoing
from swapflow.engine.coordination.resting import RestingPrograms
from swapflow.engine.coordination.staff_requests import answer_staff_request
from swapflow.engine.coordination.stops import end_simulation, time_is_up
from swapflow.engine.coordination.timekeeping import serve_due
from swapflow.engine.coordination.turns import CycleTurns
from swapflow.engine.coordination.vacant_seats import fill_vacant_seats
from swapflow.engine.coordination.workspace import (
    CycleWorkspace,
    fitted_of,
    hold_lease,
)
from swapflow.engine.ports.coordination import EventReads
from swapflow.engine.ports.dispatcher import Dispatcher
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.live_state import Arms, CycleState, Doorbell
from swapflow.engine.ports.records import Lease
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.ingest import ingest
from swapflow.engine.selection.assign import NoReviewer, Seat
from swapflow.engine.selection.decide import DecisionPlan, decide, stop_plan
from swapflow.errors import LeaseLostError


class Coordinator(CycleTurns):
    """Runs the turns of every cycle that it can get the lease of.

    Args:
        ledger: The durable record.
        state: The live state.
        dispatcher: The way to the workers.
        doorbell: Wakes it.
        lease_seconds: How long a lease lasts without renewal.
        move_seconds: How long it keeps a program before it gives it to another coordinator.
        resend_seconds: After how long a message without effect is sent again.
        address: Address of the reviewers' inbox; reminders link to it.
        events: What it reads events from; the ledger when None.
        holder: Its name in the lease; generated when empty.
        on_fault: Told of every cycle that is set aside.
        fit_beside: Where long fits are made; None makes them in the turn.
    """

    def __init__(  # noqa: PLR0913 - keyword-only, each a part of its own
        self,
        *,
        ledger: Ledger,
        state: CycleState,
        dispatcher: Dispatcher,
        doorbell: Doorbell,
        lease_seconds: float = 15.0,
        move_seconds: float = MOVES_APART,
        resend_seconds: float = 600.0,
        address: str = "",
        holder: str = "",
        events: EventReads | None = None,
        on_fault: OnFault = unreported,
        fit_beside: FitBeside | None = None,
    ) -> None:
        self.holder = holder or f"coordinator-{uuid.uuid4().hex[:12]}"
        self._ledger = ledger
        self._events = events or ledger
        self._state = state
        self._fit_beside = fit_beside
        self._doorbell = doorbell
        self._lease_seconds = lease_seconds
        self.outgoing = Outgoing(ledger=ledger, dispatcher=dispatcher, again_after=resend_seconds)
        self._address = address
        self._workspaces: dict[str, CycleWorkspace] = {}
        self._quarantine = Quarantine(state, on_fault=on_fault)
        self._share = FairShare(lease_seconds=lease_seconds, move_seconds=move_seconds)
        self._presence = Presence(ledger=ledger, holder=self.holder, lease_seconds=lease_seconds)
        self._asleep = RestingPrograms(
            ledger=ledger,
            state=state,
            holder=self.holder,
            lease_seconds=lease_seconds,
            address=address,
        )
        self._passed_on: dict[str, Position] = {}

    @property
    def lease_seconds(self) -> float:
        """How long its leases last without renewal."""
        return self._lease_seconds

    def wait(self, seconds: float) -> bool:
        """Wait for the doorbell."""
        return self._doorbell.wait(seconds)

    def blocked(self, cycle_id: str) -> dict[Seat, NoReviewer]:
        """Return the pulls of the last decision that found no reviewer, and why."""
        workspace = self._workspaces.get(cycle_id)
        return {} if workspace is None else dict(workspace.blocked)

    @override
    def serve(self, cycle_id: str, *, leads: bool = True, seen: Position | None = None) -> int:
        """Run one turn of a cycle; without the lease it is only followed.

        Args:
            cycle_id: The cycle.
            leads: Whether to hold the lease, where no other coordinator does: that is a write
                every few seconds, too costly for cycles that wait for people or are over.
            seen: Where the cycle stood just now; None reads until there are no more events.
        """
        workspace = self._workspaces.get(cycle_id) or self._open(cycle_id)
        held = False
        if leads:
            held = hold_lease(
                cycle_id,
                workspace,
                ledger=self._ledger,
                holder=self.holder,
                seconds=self._lease_seconds,
            )
        else:
            workspace.lease = None
        before = workspace.projection.position
        # Until the lease was taken, another coordinator may have written: what was seen is old.
        taken = workspace.lease is not None and not held
        self._read(cycle_id, workspace, upto=None if taken else seen)
        news = int(workspace.projection.position != before)
        if is_comparison_due(workspace):
            checked_arms(cycle_id, workspace, ledger=self._ledger, state=self._state)
        if workspace.lease is None:
            return news
        try:
            if workspace.projection.status is CycleStatus.PROPOSED:
                return news + end_simulation(
                    workspace.projection, ledger=self._ledger, lease=workspace.lease
                )
            if (
                workspace.projection.status is CycleStatus.FINALIZED
                and workspace.projection.reconsidering
            ):
                return news + self._pass_on(cycle_id, workspace, workspace.lease)
            if workspace.projection.status is not CycleStatus.RUNNING:
                return news
            return news + self._act(cycle_id, workspace, workspace.lease)
        except LeaseLostError:
            # Another coordinator took over while this process slept. What it knows may be old.
            del self._workspaces[cycle_id]
            return news

    @override
    def _publish(self, cycle_id: str, *, idle: bool) -> None:
        """Publish a dashboard, if there is news; decisions never wait for it."""
        workspace = self._workspaces.get(cycle_id)
        if workspace is None or not is_dashboard_due(workspace, idle=idle):
            return
        publish_dashboard(cycle_id, workspace, ledger=self._ledger, state=self._state)

    @override
    def _ring(self, cycle_id: str) -> None:
        """Wake another coordinator."""
        self._doorbell.ring(cycle_id)

    def _open(self, cycle_id: str) -> CycleWorkspace:
        workspace = CycleWorkspace(
            projection=CycleProjection(self._ledger.rules(cycle_id)),
            fits=BackgroundFit(self._fit_beside),
        )
        self._asleep.hand_over(cycle_id, workspace)
        self._workspaces[cycle_id] = workspace
        self._asleep.of.pop(cycle_id, None)
        return workspace

    def _read(
        self, cycle_id: str, workspace: CycleWorkspace, *, upto: Position | None = None
    ) -> None:
        """Read the new events."""
        workspace.projection = ingest(
            cycle_id,
            workspace.projection,
            ledger=self._events,
            state=self._state,
            totals=workspace.totals,
            upto=upto,
        )

    def _act(self, cycle_id: str, workspace: CycleWorkspace, lease: Lease) -> int:
        due, done = serve_due(workspace, ledger=self._ledger, lease=lease, address=self._address)
        if done:
            self._read(cycle_id, workspace)
        if due.staff_requests:
            done += self._grant(cycle_id, workspace, lease)
        done += self._fill(workspace, lease)
        # Only where there is news or the deadline came: a decision that was idle here would be
        # idle again.
        if (
            done
            or workspace.idle_at != workspace.projection.position
            or time_is_up(workspace.projection, now=due.now)
        ):
            done += self._decide(cycle_id, workspace, lease, now=due.now)
        return done

    def _pass_on(self, cycle_id: str, workspace: CycleWorkspace, lease: Lease) -> int:
        """Find reviewers for reconsiderations; nothing else is requested once a list is final."""
        _, done = serve_due(workspace, ledger=self._ledger, lease=lease, address=self._address)
        if done:
            self._read(cycle_id, workspace)
        return done + self._fill(workspace, lease)

    def _decide(
        self, cycle_id: str, workspace: CycleWorkspace, lease: Lease, *, now: datetime
    ) -> int:
        """Make decisions until there is nothing to do but wait."""
        made = 0
        while True:
            arms = checked_arms(cycle_id, workspace, ledger=self._ledger, state=self._state)
            if arms is None:
                self._read(cycle_id, workspace)  # another process has read further
                arms = checked_arms(cycle_id, workspace, ledger=self._ledger, state=self._state)
            if arms is None:
                return made + 1  # and further again: look again next turn
            plan = self._plan(cycle_id, workspace, arms, now=now)
            if plan is None and workspace.judge.calculating:
                return made + 1  # whether to stop is known soon: look again next turn
            if plan is None:
                workspace.idle_at = workspace.projection.position
                return made
            workspace.blocked = plan.blocked
            written = write_plan(plan, workspace.projection, ledger=self._ledger, lease=lease)
            if written is None:
                return made + 1
            # Only a plan that was written may change the fit in force: replay reads the fits from
            # the record.
            workspace.fitted = plan.fitted or workspace.fitted
            made += 1
            # After every decision, so that its requests do not wait for the end of the turn.
            self.relay()
            if plan.stop is not None:
                return made
            self._read(cycle_id, workspace, upto=written)

    def _plan(
        self, cycle_id: str, workspace: CycleWorkspace, arms: Arms, *, now: datetime
    ) -> DecisionPlan | None:
        """Plan the next decision; once the deadline has passed, propose to stop."""
        if time_is_up(workspace.projection, now=now):
            return stop_plan(workspace.projection, arms, StopReason.DEADLINE)
        fitted = fitted_of(cycle_id, workspace, ledger=self._ledger)
        return decide(
            workspace.projection, arms, fitted=fitted, judge=workspace.judge, fits=workspace.fits
        )

    def _grant(self, cycle_id: str, workspace: CycleWorkspace, lease: Lease) -> int:
        """Open the pulls that staff request, or refuse with a reason; wait for busy reviewers."""
        closed = 0
        for staff_request in self._ledger.wishes(cycle_id):
            arms = checked_arms(cycle_id, workspace, ledger=self._ledger, state=self._state)
            if arms is None:
                break  # another process has read further: look again next turn
            closed += answer_staff_request(
                staff_request, workspace.projection, arms, ledger=self._ledger, lease=lease
            )
            self._read(cycle_id, workspace)
        return closed

    def _fill(self, workspace: CycleWorkspace, lease: Lease) -> int:
        """Assign vacant seats to other reviewers, relay the requests, and read the new events."""
        done = fill_vacant_seats(workspace, ledger=self._ledger, lease=lease)
        if done is None:
            return 0
        self.relay()
        self._read(lease.cycle_id, workspace)
        return done
