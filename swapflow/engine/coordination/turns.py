"""Every cycle gets its turn, whatever another one raises; then what waits is sent.

A cycle in which nothing happened rests: one look at the heads of all cycles tells.
"""

import time
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import datetime
from typing import Protocol

from swapflow.domain.cycle import Cycle, CycleStatus, Position
from swapflow.engine.coordination.quarantine import Quarantine
from swapflow.engine.coordination.relay import relay
from swapflow.engine.coordination.stops import time_is_up
from swapflow.engine.coordination.workspace import CycleWorkspace
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.dispatcher import Dispatcher
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.live_state import CycleState
from swapflow.engine.ports.records import CycleHead, CycleHeads
from swapflow.errors import DamagedRecordError, SwapflowError, UnavailableError


FOLLOWED = frozenset(
    {CycleStatus.RUNNING, CycleStatus.PAUSED, CycleStatus.PROPOSED, CycleStatus.ENDED}
)
LED = frozenset({CycleStatus.RUNNING, CycleStatus.PROPOSED})

LOOKED_AT_BESIDE = 2
"""Resting cycles that a turn looks at whatever their heads say, those first that waited longest.

That look mends what no head shows: a live state that was emptied or altered, and a moment of the
cycle's own, such as a reminder. With 1,000 cycles and a turn every 2 s each has it in 17 minutes.
"""

RETIRED_FOR = 86_400.0
"""Seconds for which the live state of a finished cycle is kept."""


def readable_cycles(
    ledger: CycleReads,
    on_damage: Callable[[DamagedRecordError], None] = lambda _error: None,
    *,
    only: Collection[str] | None = None,
) -> tuple[Cycle, ...]:
    """Read the row of every cycle of which it can be read, oldest first.

    Args:
        ledger: The ledger.
        on_damage: Told of each row that cannot be read.
        only: The cycles to read; all where None.
    """
    damaged = set[str]()
    while True:
        try:
            return ledger.cycles(without=damaged, only=only)
        except DamagedRecordError as error:
            if not error.cycle or error.cycle in damaged:
                raise
            damaged.add(error.cycle)
            on_damage(error)


class CycleTurns(Protocol):
    """Takes the turns of all cycles; what one of them raises sets that one aside."""

    _ledger: Ledger
    _state: CycleState
    _dispatcher: Dispatcher
    _resend_seconds: float
    _workspaces: dict[str, CycleWorkspace]
    _quarantine: Quarantine

    def serve(self, cycle_id: str, *, leads: bool = True, seen: Position | None = None) -> int:
        """Run one turn of a cycle; return how much was done."""
        ...

    def _publish(self, cycle_id: str, *, idle: bool) -> None:
        """Publish a dashboard, if there is news."""
        ...

    def _hold_leases(self, resting: Collection[str]) -> None:
        """Keep the leases of cycles that rest."""
        ...

    def turn(self) -> int:
        """Run one turn of every cycle, then relay; return how much was done (0: nothing to do).

        Raises:
            UnavailableError: If the database, Redis or the broker does not answer.
        """
        done, well, away = 0, [], []
        alone = self._quarantine.left_alone()
        heads = self._ledger.heads()
        again = self._reconsidering(heads)
        resting = self._resting(heads, again) - alone
        self._hold_leases(resting)
        # Where a head cannot be read, the rows of all tell whose it is.
        awake = heads.of.keys() - resting if heads.of else None
        cycles = readable_cycles(self._ledger, self._note_damage, only=awake)
        for cycle in cycles:
            if cycle.id in alone:
                continue
            try:
                done += self._follow(cycle, again=cycle.id in again)
            except UnavailableError:
                away.append(cycle.id)
                # One cycle may be locked by a session that hangs; two are no accident.
                if len(away) > 1 or len(cycles) == 1:
                    raise
            except Exception as error:  # noqa: BLE001 - one cycle must not stop the others
                self._set_aside(cycle.id, error)
            else:
                well.append(cycle.id)
        done += self.relay()
        for cycle_id in away:
            self._quarantine.postpone(cycle_id)
        # After the relay: a cycle whose messages cannot be sent is not well.
        for cycle_id in set(well) - self._quarantine.waiting():
            self._quarantine.release(cycle_id)
        return done

    def relay(self) -> int:
        """Send what has no message yet, or whose message had no effect; needs no lease."""
        relayed = relay(
            ledger=self._ledger,
            dispatcher=self._dispatcher,
            again_after=self._resend_seconds,
            without=self._quarantine.waiting(),
        )
        for cycle_id, error in relayed.faults.items():
            if not cycle_id:
                raise error
            self._set_aside(cycle_id, error)
        return relayed.messages

    def raise_fault(self) -> None:
        """Raise what set a cycle aside, if one is: for runs that nobody watches."""
        for error in self._quarantine.errors.values():
            raise error

    def _resting(self, heads: CycleHeads, again: Collection[str]) -> frozenset[str]:
        """Return the cycles that have nothing for this turn.

        A cycle rests when its last turn did nothing, and since then no event came, no request is
        overdue or open, no deadline passed, and another coordinator leads it or this one does.
        """
        resting = {
            cycle_id
            for cycle_id, head in heads.of.items()
            if self._rests(cycle_id, head, now=heads.now, again=cycle_id in again)
        }
        known = sorted(
            (workspace.served, cycle_id)
            for cycle_id, workspace in self._workspaces.items()
            if cycle_id in resting
        )
        return frozenset(resting.difference(name for _, name in known[:LOOKED_AT_BESIDE]))

    def _rests(self, cycle_id: str, head: CycleHead, *, now: datetime, again: bool) -> bool:
        """Whether a cycle rests by its head."""
        workspace = self._workspaces.get(cycle_id)
        if workspace is None:
            # Finished cycles were never opened, or were let go; the others are read first.
            return head.status not in FOLLOWED and not again
        if head.position != workspace.rests_at or head.overdue or head.staff_requests:
            return False
        leads = head.status in LED or again
        # The leader may have died: a coordinator that finds no valid lease takes it.
        nobody_leads = leads and workspace.lease is None and not head.leader
        return not nobody_leads and not time_is_up(workspace.projection, now=now)

    def _follow(self, cycle: Cycle, *, again: bool) -> int:
        """Run one turn of one cycle."""
        if cycle.status in FOLLOWED or again:
            leads = cycle.status in LED or again
            served = self.serve(cycle.id, leads=leads, seen=cycle.position)
            self._publish(cycle.id, idle=served == 0)
            self._note_rest(cycle.id, did_nothing=served == 0)
            return served
        if self._workspaces.pop(cycle.id, None) is not None:
            self._retire(cycle.id)
        return 0

    def _note_rest(self, cycle_id: str, *, did_nothing: bool) -> None:
        """Note whether a cycle may rest: where a turn did nothing, and pages show where it is."""
        workspace = self._workspaces.get(cycle_id)
        if workspace is None:
            return
        position = workspace.projection.position
        # A dashboard that waits for its time is work that is left: pages would stay behind.
        rests = did_nothing and workspace.dashboard_at == position
        workspace.rests_at = position if rests else None
        workspace.served = time.monotonic()

    def _note_damage(self, error: DamagedRecordError) -> None:
        if error.cycle not in self._quarantine.left_alone():
            self._set_aside(error.cycle, error)

    def _set_aside(self, cycle_id: str, error: Exception) -> None:
        """Leave a cycle to others and to a later look; everything about it is then read anew."""
        workspace = self._workspaces.pop(cycle_id, None)
        self._quarantine.set_aside(
            cycle_id,
            error,
            event=0 if workspace is None else workspace.projection.position.seq,
            now=self._ledger.now(),
        )
        if workspace is not None and workspace.lease is not None:
            with suppress(SwapflowError):
                self._ledger.release_lease(workspace.lease)

    def _retire(self, cycle_id: str) -> None:
        """Expire the live state of a finished cycle; pages read the ledger afterwards.

        A coordinator that follows the cycle again, as when its list is reopened, rebuilds it.
        """
        with suppress(UnavailableError):
            self._state.retire(cycle_id, seconds=RETIRED_FOR)

    def _reconsidering(self, heads: CycleHeads) -> frozenset[str]:
        """Return the ids of finalized cycles in which an application is reconsidered."""
        # The query runs only where a list is final: this is asked every turn, and hardly any cycle
        # is.
        fixed = any(head.status == CycleStatus.FINALIZED for head in heads.of.values())
        return self._ledger.reconsidering() if fixed or not heads.of else frozenset()
