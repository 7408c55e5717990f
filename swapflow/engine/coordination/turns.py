"""Every cycle gets its turn, whatever another one raises; then what waits is sent.

A cycle in which nothing happened rests: one look at the heads of all cycles tells.
"""

import time
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import datetime
from typing import Protocol

from swapflow.domain.cycle import Cycle, CycleStatus, Position
from swapflow.engine.coordination.fair_share import FairShare
from swapflow.engine.coordination.kept_cycles import KeptCycles, is_gone
from swapflow.engine.coordination.quarantine import Quarantine
from swapflow.engine.coordination.relay import Outgoing
from swapflow.engine.coordination.stops import time_is_up
from swapflow.engine.ports.coordination import CycleHead, CycleHeads
from swapflow.engine.ports.cycles import CycleReads
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


def _is_looked_at(head: CycleHead, holder: str) -> bool:
    """Whether a coordinator looks at a cycle beside: what another leads is that one's."""
    return head.leader == holder or head.status not in LED


class CycleTurns(KeptCycles, Protocol):
    """Takes the turns of all cycles; what one of them raises sets that one aside."""

    outgoing: Outgoing
    _quarantine: Quarantine
    _share: FairShare
    _passed_on: dict[str, Position]
    holder: str

    def serve(self, cycle_id: str, *, leads: bool = True, seen: Position | None = None) -> int:
        """Run one turn of a cycle; return how much was done."""
        ...

    def _publish(self, cycle_id: str, *, idle: bool) -> None:
        """Publish a dashboard, if there is news."""
        ...

    def _ring(self, cycle_id: str) -> None:
        """Wake another coordinator."""
        ...

    def turn(self) -> int:
        """Run one turn of every cycle, then relay; return how much was done (0: nothing to do).

        Raises:
            UnavailableError: If the database, Redis or the broker does not answer.
        """
        done, well, away = 0, [], []
        alone = self._quarantine.left_alone()
        self._presence.turn_begins()
        heads = self._ledger.heads(lease_seconds=self._lease_seconds)
        self._drop_gone(heads)
        again = self._reconsidering(heads)
        self._share_out(heads, again)
        self._asleep.take(
            heads,
            # One that was set aside is read, or it would never be taken out of the quarantine.
            alone.union(self._workspaces, self._quarantine.errors),
            may_lead=lambda name: self._share.may_lead(name, now=time.monotonic()),
            took=lambda name: self._share.took(name, now=time.monotonic()),
        )
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
        self._asleep.note(self._workspaces, noted=heads)
        self._asleep.forget_read(self._workspaces, heads)
        for cycle_id in away:
            self._quarantine.postpone(cycle_id)
        # After the relay: a cycle whose messages cannot be sent is not well.
        for cycle_id in set(well) - self._quarantine.waiting():
            self._quarantine.release(cycle_id)
        return done

    def relay(self) -> int:
        """Send what has no message yet, or whose message had no effect; needs no lease.

        Where a thread relays beside the turns, only ask it to. What another coordinator leads is
        left to it: both would send the same, and wait for each other's rows.
        """
        relayed = self.outgoing.ask(self._share.elsewhere | self._quarantine.waiting())
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
            (led.served, cycle_id)
            for cycle_id, led in self._led().items()
            if cycle_id in resting and _is_looked_at(heads.of[cycle_id], self.holder)
        )
        return frozenset(
            resting.difference(
                name
                for _, name in known[:LOOKED_AT_BESIDE]
                if name in self._workspaces or self._asleep.must_be_read(name, heads.of[name])
            )
        )

    def _rests(self, cycle_id: str, head: CycleHead, *, now: datetime, again: bool) -> bool:
        """Whether a cycle rests by its head."""
        if (head.status in LED or again) and not self._may_lead(cycle_id, head):
            # Not even read: its leader does, and a coordinator that takes it over reads it then.
            return True
        if cycle_id in self._asleep.of:
            return self._asleep.rests(cycle_id, head, now=now)
        workspace = self._workspaces.get(cycle_id)
        if workspace is None:
            # Finished cycles were never opened, or were let go; the others are read first.
            return head.status not in FOLLOWED and not again
        if head.position != workspace.rests_at or head.overdue or head.staff_requests:
            return False
        leads = head.status in LED or again
        # The leader may have died: a coordinator that finds no valid lease takes it.
        nobody_leads = leads and (workspace.lease is None or not head.leader)
        return not nobody_leads and not time_is_up(workspace.projection, now=now)

    def _share_out(self, heads: CycleHeads, again: Collection[str]) -> None:
        """Count who leads what; give up what is above this coordinator's share.

        A program is given up between two turns: what was decided is committed, and the next
        leader's lease has a higher epoch.
        """
        now = time.monotonic()
        to_lead = {
            cycle_id: head
            for cycle_id, head in heads.of.items()
            if head.status in LED or cycle_id in again
        }
        self._share.look(
            self.holder,
            {cycle_id: head.leader for cycle_id, head in to_lead.items()},
            heads.coordinators,
            now=now,
        )
        for cycle_id in self._share.to_give(now=now):
            led = self._forget(cycle_id)
            if led is not None and led.lease is not None:
                self._ledger.release_lease(led.lease)
                self._share.gave(cycle_id, now=now)
                self._ring(cycle_id)
        for cycle_id, head in to_lead.items():
            if head.leader in {"", self.holder}:
                continue
            self._forget(cycle_id)
            # A ring wakes one coordinator: where it was another's, it is passed on, once.
            if self._passed_on.get(cycle_id, head.position) != head.position:
                self._ring(cycle_id)
            self._passed_on[cycle_id] = head.position

    def _may_lead(self, cycle_id: str, head: CycleHead) -> bool:
        """Whether this coordinator holds a cycle's lease, or may ask for it now."""
        if head.leader not in {"", self.holder}:
            return False
        # One that was given up in this turn still names this coordinator.
        return self._share.may_lead(cycle_id, now=time.monotonic())

    def _follow(self, cycle: Cycle, *, again: bool) -> int:
        """Run one turn of one cycle."""
        if cycle.status in FOLLOWED or again:
            leads = cycle.status in LED or again
            # Asked again: those taken earlier in this turn may have filled its share.
            if leads and not self._share.may_lead(cycle.id, now=time.monotonic()):
                return 0
            served = self.serve(cycle.id, leads=leads, seen=cycle.position)
            workspace = self._workspaces.get(cycle.id)
            if workspace is not None and workspace.lease is not None:
                self._share.took(cycle.id, now=time.monotonic())
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
        workspace.served = time.monotonic()
        if rests and workspace.rests_at != position:
            workspace.quiet_since = workspace.served
        workspace.rests_at = position if rests else None

    def _note_damage(self, error: DamagedRecordError) -> None:
        if error.cycle not in self._quarantine.left_alone():
            self._set_aside(error.cycle, error)

    def _set_aside(self, cycle_id: str, error: Exception) -> None:
        """Leave a cycle to others and to a later look; everything about it is then read anew.

        One that was thrown away while it had its turn is dropped.
        """
        if is_gone(self._ledger, cycle_id):
            self._drop(cycle_id)
            return
        workspace = self._workspaces.get(cycle_id)
        led = self._forget(cycle_id)
        self._quarantine.set_aside(
            cycle_id,
            error,
            event=0 if workspace is None else workspace.projection.position.seq,
            now=self._ledger.now(),
        )
        if led is not None and led.lease is not None:
            with suppress(SwapflowError):
                self._ledger.release_lease(led.lease)

    def _reconsidering(self, heads: CycleHeads) -> frozenset[str]:
        """Return the ids of finalized cycles in which an application is reconsidered."""
        # The query runs only where a list is final: this is asked every turn, and hardly any cycle
        # is.
        fixed = any(head.status == CycleStatus.FINALIZED for head in heads.of.values())
        return self._ledger.reconsidering() if fixed or not heads.of else frozenset()
