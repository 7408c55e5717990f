"""The coordinator: turns events into decisions and decisions into assignments, turn by turn.

One turn of one cycle is: ingest, then (with the lease) expire, carry out wishes, fill vacant
seats, decide, and relay. Every write carries the lease's epoch, every effect is a row that can be
made twice without harm, and everything in memory can be made again from the ledger: so a
coordinator may die at any instruction, and several may run.
"""

import time
import uuid
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.situation import StopReason
from swapflow.domain.cycle import ASKING, Cycle, CycleStatus, Position
from swapflow.domain.event import EventType
from swapflow.domain.ids import pull_id
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.reviewing.assignment import PullReason, PullStatus
from swapflow.domain.rules import DispatchMode, Purpose
from swapflow.engine.coordination.dispatch import write_plan
from swapflow.engine.coordination.expire import expire
from swapflow.engine.coordination.relay import relay
from swapflow.engine.notifications.review_reminders import EVERY as REMIND_EVERY
from swapflow.engine.notifications.review_reminders import remind
from swapflow.engine.ports.dispatcher import Dispatcher
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.live_state import Arms, CycleState, Doorbell
from swapflow.engine.ports.records import Lease, StaffRequest
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.ingest import ingest
from swapflow.engine.projection.pull_events import NOBODY_LEFT, PullKey
from swapflow.engine.read_models.dashboard import build_dashboard
from swapflow.engine.read_models.dashboard_codec import encode_dashboard
from swapflow.engine.selection.assign import NoReviewer, Seat, place, seats_of
from swapflow.engine.selection.decide import DecisionPlan, PlannedPull, decide, last_fit, stop_plan
from swapflow.engine.selection.pulls import HARMLESS, assign_seats, cancel_pulls, open_pulls
from swapflow.engine.selection.situation import situation_of
from swapflow.errors import LeaseLostError, UnavailableError


FOLLOWED = frozenset(
    {CycleStatus.RUNNING, CycleStatus.PAUSED, CycleStatus.PROPOSED, CycleStatus.ENDED}
)
LED = frozenset({CycleStatus.RUNNING, CycleStatus.PROPOSED})

RETIRED_FOR = 86_400.0
"""Seconds for which the live state of a cycle that is over is kept."""

BOARD_EVERY = 2.0
"""Seconds between two boards while there is work to do."""

BOARD_SHARE = 20
"""A board is made at most every so many times as long as it takes: a twentieth of the time."""


@dataclass(slots=True, kw_only=True)
class CycleWorkspace:
    """What a coordinator keeps of one cycle between turns; all of it can be read again.

    Attributes:
        fitted: Parameters of the model in force, as the last decision recorded them.
        idle_at: The position at which there was nothing to decide.
        reminded_at: When it was last looked who is to be reminded.
        board_at: The position of the last board; board_due: when the next may be made.
    """

    projection: CycleProjection
    fitted: Fitted | None = None
    fitted_known: bool = False
    lease: Lease | None = None
    lease_taken: float = 0.0
    idle_at: Position | None = None
    reminded_at: datetime | None = None
    board_at: Position | None = None
    board_due: tuple[float, float] = (0.0, 0.0)
    blocked: dict[Seat, NoReviewer] = field(default_factory=dict)


class Coordinator:
    """Runs the turns of every cycle that it can get the lease of.

    Args:
        ledger: The durable record.
        state: The live state.
        dispatcher: The way to the workers.
        doorbell: What wakes it.
        lease_seconds: How long a lease lasts without renewal.
        resend_seconds: After how long a message without effect is sent again.
        address: Where reviewers find their inbox; reminders lead there.
        holder: Its name in the lease; made up when empty.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        state: CycleState,
        dispatcher: Dispatcher,
        doorbell: Doorbell,
        lease_seconds: float = 15.0,
        resend_seconds: float = 600.0,
        address: str = "",
        holder: str = "",
    ) -> None:
        self.holder = holder or f"coordinator-{uuid.uuid4().hex[:12]}"
        self._ledger = ledger
        self._state = state
        self._dispatcher = dispatcher
        self._doorbell = doorbell
        self._lease_seconds = lease_seconds
        self._resend_seconds = resend_seconds
        self._address = address
        self._desks: dict[str, CycleWorkspace] = {}

    def turn(self) -> int:
        """Give every cycle one turn, then relay; says how much was done (0: nothing to do)."""
        done = 0
        cycles = self._ledger.cycles()
        again = self._reconsidering(cycles)
        for cycle in cycles:
            if cycle.status in FOLLOWED or cycle.id in again:
                leads = cycle.status in LED or cycle.id in again
                served = self.serve(cycle.id, leads=leads)
                self._publish(cycle.id, idle=served == 0)
                done += served
            elif self._desks.pop(cycle.id, None) is not None:
                self._retire(cycle.id)
        return done + self.relay()

    def _retire(self, cycle_id: str) -> None:
        """Let the live state of a cycle that is over go: pages read the ledger where it is gone.

        Whoever takes the cycle up again, as when its list is reopened, rebuilds it.
        """
        with suppress(UnavailableError):
            self._state.retire(cycle_id, seconds=RETIRED_FOR)

    def _reconsidering(self, cycles: Iterable[Cycle]) -> frozenset[str]:
        """Name the cycles that are fixed and have one application looked at again."""
        fixed = any(cycle.status is CycleStatus.FINALIZED for cycle in cycles)
        return self._ledger.reconsidering() if fixed else frozenset()

    def relay(self) -> int:
        """Send what has no message yet, or whose message had no effect; needs no lease."""
        return relay(
            ledger=self._ledger,
            dispatcher=self._dispatcher,
            again_after=self._resend_seconds,
        )

    def wait(self, seconds: float) -> bool:
        """Wait for the doorbell."""
        return self._doorbell.wait(seconds)

    def stop(self) -> None:
        """Let other coordinators take over at once."""
        for workspace in self._desks.values():
            if workspace.lease is not None:
                self._ledger.release_lease(workspace.lease)

    def blocked(self, cycle_id: str) -> dict[Seat, NoReviewer]:
        """Pulls of the last decision that found no reviewer, and why."""
        workspace = self._desks.get(cycle_id)
        return {} if workspace is None else dict(workspace.blocked)

    def serve(self, cycle_id: str, *, leads: bool = True) -> int:
        """Give one cycle its turn; without the lease it is only followed.

        Args:
            cycle_id: The cycle.
            leads: Whether to hold the lease, where no other coordinator does: that is a write
                every few seconds, too dear for cycles that wait for people or are over.
        """
        workspace = self._desks.get(cycle_id) or self._sit_down(cycle_id)
        if leads:
            self._hold_lease(cycle_id, workspace)
        else:
            workspace.lease = None
        before = workspace.projection.position
        workspace.projection = ingest(
            cycle_id, workspace.projection, ledger=self._ledger, state=self._state
        )
        news = int(workspace.projection.position != before)
        if workspace.lease is None:
            return news
        try:
            if workspace.projection.status is CycleStatus.PROPOSED:
                return news + self._end_simulation(cycle_id, workspace, workspace.lease)
            if (
                workspace.projection.status is CycleStatus.FINALIZED
                and workspace.projection.reconsidering
            ):
                return news + self._pass_on(cycle_id, workspace, workspace.lease)
            if workspace.projection.status is not CycleStatus.RUNNING:
                return news
            return news + self._act(cycle_id, workspace, workspace.lease)
        except LeaseLostError:
            # Someone else took over while this process slept. What it knows may be old.
            del self._desks[cycle_id]
            return news

    def _publish(self, cycle_id: str, *, idle: bool) -> None:
        """Make a board for the pages, if there is something new; deciding never waits for it."""
        workspace = self._desks.get(cycle_id)
        if workspace is None or workspace.board_at == workspace.projection.position:
            return
        begun = time.monotonic()
        if begun < workspace.board_due[0 if idle else 1]:
            return
        try:
            arms = self._state.arms(cycle_id)
            if arms.position != workspace.projection.position:
                return
            fitted, now = self._fitted(cycle_id, workspace), self._ledger.now()
            dashboard = build_dashboard(workspace.projection, arms, fitted=fitted, at=now)
            self._state.publish(cycle_id, encode_dashboard(dashboard))
        except UnavailableError:
            return
        finally:
            ended = time.monotonic()
            rest = ended + BOARD_SHARE * (ended - begun)
            workspace.board_due = (rest, max(rest, begun + BOARD_EVERY))
        workspace.board_at = workspace.projection.position

    def _hold_lease(self, cycle_id: str, workspace: CycleWorkspace) -> None:
        """Take the lease, or renew it when half of it is gone: every renewal is a write.

        The epoch in every decision is what keeps others out; being late here harms nobody.
        """
        now = time.monotonic()
        if workspace.lease is not None and now - workspace.lease_taken < self._lease_seconds / 2:
            return
        before, workspace.lease_taken = workspace.lease, now
        workspace.lease = self._ledger.take_lease(
            cycle_id, holder=self.holder, seconds=self._lease_seconds
        )
        if workspace.lease is None or before is None or before.epoch != workspace.lease.epoch:
            # Others may have decided meanwhile, with a fit of their own.
            workspace.fitted_known, workspace.idle_at = False, None

    def _sit_down(self, cycle_id: str) -> CycleWorkspace:
        workspace = CycleWorkspace(projection=CycleProjection(self._ledger.rules(cycle_id)))
        self._desks[cycle_id] = workspace
        return workspace

    def _act(self, cycle_id: str, workspace: CycleWorkspace, lease: Lease) -> int:
        done = 0
        if workspace.projection.rules.dispatch is not DispatchMode.LOCKSTEP:
            done += self._keep_time(cycle_id, workspace, lease)
        done += self._note_absences(cycle_id, workspace, lease)
        if done:
            workspace.projection = ingest(
                cycle_id, workspace.projection, ledger=self._ledger, state=self._state
            )
        done += self._grant(cycle_id, workspace, lease)
        done += self._fill(workspace, lease)
        if (
            done
            or workspace.idle_at != workspace.projection.position
            or self._time_is_up(workspace.projection)
        ):
            done += self._decide(cycle_id, workspace, lease)
        return done

    def _pass_on(self, cycle_id: str, workspace: CycleWorkspace, lease: Lease) -> int:
        """Find whom to ask in a reconsideration; nothing else is asked once a list is fixed."""
        done = self._keep_time(cycle_id, workspace, lease)
        done += self._note_absences(cycle_id, workspace, lease)
        if done:
            workspace.projection = ingest(
                cycle_id, workspace.projection, ledger=self._ledger, state=self._state
            )
        return done + self._fill(workspace, lease)

    def _keep_time(self, cycle_id: str, workspace: CycleWorkspace, lease: Lease) -> int:
        """Let what is overdue expire, and remind of what will be soon."""
        done = expire(cycle_id=cycle_id, epoch=lease.epoch, ledger=self._ledger)
        return done + self._remind(cycle_id, workspace)

    def _decide(self, cycle_id: str, workspace: CycleWorkspace, lease: Lease) -> int:
        """Make decisions until there is nothing to do but wait."""
        made = 0
        while True:
            workspace.projection = ingest(
                cycle_id, workspace.projection, ledger=self._ledger, state=self._state
            )
            arms = self._state.arms(cycle_id)
            if arms.position != workspace.projection.position:
                return made + 1  # another process has read further: look again next turn
            plan = self._deadline(workspace.projection, arms) or decide(
                workspace.projection, arms, fitted=self._fitted(cycle_id, workspace)
            )
            if plan is None:
                workspace.idle_at = workspace.projection.position
                return made
            workspace.blocked = plan.blocked
            if not write_plan(plan, workspace.projection, ledger=self._ledger, lease=lease):
                return made + 1
            workspace.fitted = plan.fitted or workspace.fitted
            made += 1
            self.relay()
            if plan.stop is not None:
                return made

    def _fitted(self, cycle_id: str, workspace: CycleWorkspace) -> Fitted | None:
        """The model's parameters in force: this process's own, or the last decision's."""
        if not workspace.fitted_known:
            workspace.fitted = last_fit(self._ledger, cycle_id)
            workspace.fitted_known = True
        return workspace.fitted

    def _deadline(self, projection: CycleProjection, arms: Arms) -> DecisionPlan | None:
        """Propose to stop once the deadline has passed, whatever is still out."""
        return (
            stop_plan(projection, arms, StopReason.DEADLINE)
            if self._time_is_up(projection)
            else None
        )

    def _time_is_up(self, projection: CycleProjection) -> bool:
        deadline = projection.rules.deadline
        if (
            deadline is None
            or projection.status is not CycleStatus.RUNNING
            or not projection.applications
        ):
            return False
        return self._ledger.now() >= deadline

    def _end_simulation(self, cycle_id: str, workspace: CycleWorkspace, lease: Lease) -> int:
        """End a simulated cycle whose stop is proposed; a real one waits for a person."""
        if workspace.projection.rules.purpose is Purpose.REAL:
            return 0
        with self._ledger.write(cycle_id, epoch=lease.epoch) as tx:
            if tx.cycle.status is not CycleStatus.PROPOSED:
                return 0
            reason = tx.cycle.stop_reason or StopReason.EXHAUSTED.value
            tx.record(EventType.ENDED, {"reason": reason})
            tx.set_status(CycleStatus.ENDED, stop_reason=reason)
            return 1

    def _remind(self, cycle_id: str, workspace: CycleWorkspace) -> int:
        """Queue the reminders that are to go out, once an hour."""
        now = self._ledger.now()
        if workspace.reminded_at is not None and now - workspace.reminded_at < REMIND_EVERY:
            return 0
        workspace.reminded_at = now
        return remind(cycle_id, ledger=self._ledger, address=self._address)

    def _note_absences(self, cycle_id: str, workspace: CycleWorkspace, lease: Lease) -> int:
        """Write who has gone away or come back, so that no decision needs a calendar."""
        if not self._ledger.has_absences(cycle_id):
            return 0
        today = self._ledger.now().date()
        changed = []
        for reviewer in self._ledger.reviewers(cycle_id):
            away = any(a.first <= today <= a.last for a in reviewer.absences)
            known = workspace.projection.reviewers[reviewer.number : reviewer.number + 1]
            if known and known[0].away != away:
                changed.append((reviewer.number, away))
        if changed:
            with self._ledger.write(cycle_id, epoch=lease.epoch) as tx:
                for number, away in changed:
                    tx.record(EventType.REVIEWER_AWAY, {"r": number, "away": int(away)})
        return len(changed)

    def _grant(self, cycle_id: str, workspace: CycleWorkspace, lease: Lease) -> int:
        """Open the pulls that staff ask for, or say why not; a busy reviewer is waited for."""
        closed = 0
        for staff_request in self._ledger.wishes(cycle_id):
            closed += self._answer_staff_request(staff_request, workspace, lease)
            workspace.projection = ingest(
                cycle_id, workspace.projection, ledger=self._ledger, state=self._state
            )
        return closed

    def _answer_staff_request(
        self, staff_request: StaffRequest, workspace: CycleWorkspace, lease: Lease
    ) -> int:
        projection = workspace.projection
        key = (
            staff_request.application,
            staff_request.kind,
            projection.next_ordinal(staff_request.application, staff_request.kind),
        )
        kind, seats = projection.rules.kinds[staff_request.kind], seats_of([key], projection)
        arms = self._state.arms(lease.cycle_id)
        if arms.position != projection.position:
            return 0  # another process has read further: look again next turn
        refusal = _refusal(staff_request, projection, arms)
        placement = place(seats, projection)
        obstacles = list(placement.left.values())
        if not refusal and any(obstacle.passes for obstacle in obstacles):
            return 0
        if not refusal and obstacles:
            refusal = obstacles[0].value
        # Whom to ask for a kind that a person must approve is found once it is approved.
        taken = placement.taken
        reviewers = () if kind.approval or refusal else tuple(taken[seat] for seat in seats)
        with self._ledger.write(lease.cycle_id, epoch=lease.epoch) as tx:
            if tx.cycle.position != projection.position:
                return 0  # read first what has come; the wish is still there in the next turn
            if refusal:
                tx.close_staff_request(staff_request.id, f"refused: {refusal}")
            else:
                pull = PlannedPull(key=key, priority=0, reviewers=reviewers)
                open_pulls(tx, [pull], projection.rules, why=PullReason.STAFF, decision=0)
                tx.close_staff_request(
                    staff_request.id, f"asked: {pull_id(lease.cycle_id, *_named(key, projection))}"
                )
        return 1

    def _fill(self, workspace: CycleWorkspace, lease: Lease) -> int:
        """Give vacant seats of open pulls to other reviewers; cancel what nobody can take."""
        projection = workspace.projection
        vacant = projection.vacancies()
        if not vacant:
            return 0
        attempts: dict[Seat, int] = {}
        for (application, kind, ordinal), number in vacant:
            seat = Seat(application=application, kind=kind, ordinal=ordinal, seat=number)
            attempts[seat] = projection.open[application, kind, ordinal].attempts(number)
        tired = {
            s: NoReviewer.CONFLICTS for s in attempts if attempts[s] >= projection.rules.attempts
        }
        placement = place([seat for seat in attempts if seat not in tired], projection)
        workspace.blocked = placement.left | tired
        hopeless = _out_of_reach(workspace.blocked, projection)
        if not placement.taken and not hopeless:
            return 0
        done = self._write_seats(
            placement.taken, attempts, hopeless, projection=projection, lease=lease
        )
        self.relay()
        workspace.projection = ingest(
            lease.cycle_id, projection, ledger=self._ledger, state=self._state
        )
        return done

    def _write_seats(
        self,
        taken: dict[Seat, int],
        attempts: dict[Seat, int],
        hopeless: set[PullKey],
        *,
        projection: CycleProjection,
        lease: Lease,
    ) -> int:
        """Commit who takes vacant seats and which pulls are given up; counts both."""

        def named(key: PullKey) -> str:
            return pull_id(lease.cycle_id, *_named(key, projection))

        with self._ledger.write(lease.cycle_id, epoch=lease.epoch) as tx:
            if tx.cycle.status not in ASKING:
                return 1
            if not tx.event_types_after(projection.position.seq) <= HARMLESS:
                return 1  # who may judge whom, or what is open, has changed: read it first
            # A score may just have closed one of these.
            pulls = tx.pulls({named(_pull(seat)) for seat in taken} | set(map(named, hopeless)))
            live = {
                (a.pull_id, a.seat) for a in tx.assignments_of(list(pulls)) if a.status.is_open
            }
            still = {
                seat: reviewer
                for seat, reviewer in taken.items()
                if pulls[named(_pull(seat))].status is PullStatus.OPEN
                and (named(_pull(seat)), seat.seat) not in live
                and _pull(seat) not in hopeless
            }
            assign_seats(tx, still, projection.rules, attempts=attempts)
            given_up = [pulls[named(key)] for key in sorted(hopeless)]
            return len(still) + cancel_pulls(tx, given_up, why=NOBODY_LEFT)


def _refusal(staff_request: StaffRequest, projection: CycleProjection, arms: Arms) -> str:
    """Why staff cannot have an extra pull; "" if they can, as far as reviewers go."""
    status = projection.statuses[staff_request.application]
    if status is not ApplicationStatus.READY:
        return f"the application is {status.value}"
    situation = situation_of(projection, arms)
    cost = projection.rules.kinds[staff_request.kind].cost
    left = int(situation.situation.budget_left) + situation.for_staff
    return f"costs {cost}, {left} are left beside the floors" if left < cost else ""


def _pull(seat: Seat) -> PullKey:
    return seat.application, seat.kind, seat.ordinal


def _out_of_reach(blocked: dict[Seat, NoReviewer], projection: CycleProjection) -> set[PullKey]:
    """Pulls that cannot reach their quorum any more, whoever answers and whatever passes."""
    lost: dict[PullKey, int] = {}
    for seat, reason in blocked.items():
        if not reason.passes:
            lost[_pull(seat)] = lost.get(_pull(seat), 0) + 1
    return {
        key
        for key, count in lost.items()
        if projection.open[key].seats - count < projection.rules.kinds[key[1]].quorum
    }


def _named(key: tuple[int, int, int], projection: CycleProjection) -> tuple[int, str, int]:
    application, kind, ordinal = key
    return application, projection.rules.kinds[kind].name, ordinal
