"""Programs that rest are kept unread, by a small record each.

Where a turn finds nothing to do, the leader notes the last event at the program's row. As long as
no event follows, the next leader need not read the program, which costs 11 ms and more; and after
a while its own leader forgets what it read.
"""

import time
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from zlib import crc32

from swapflow.domain.cycle import CycleStatus
from swapflow.engine.coordination.timekeeping import remind_when_due
from swapflow.engine.coordination.workspace import CycleWorkspace, LedCycle
from swapflow.engine.ports.coordination import CycleHead, CycleHeads, Rest
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.live_state import CycleState
from swapflow.errors import UnavailableError


KEPT_READ = 50
"""Resting programs that stay read, those with the latest news, for they are answered soonest."""

READ_EVERY = 8
"""Of the looks at an unread program, every eighth reads it.

A look sees less than a turn: numbers of the live state that were altered, or what a later release
decides otherwise. With 1,000 programs each is read every two to three hours.
"""


class RestingPrograms:
    """The running programs that a coordinator leads without having read them.

    Args:
        ledger: Where rests are noted.
        state: The live state; a program whose state is lost or behind is read.
        holder: The coordinator's name in its leases.
        lease_seconds: How long a lease lasts without renewal.
        address: Address of the reviewers' inbox; reminders link to it.
    """

    def __init__(
        self, *, ledger: Ledger, state: CycleState, holder: str, lease_seconds: float, address: str
    ) -> None:
        self._ledger = ledger
        self._state = state
        self._holder = holder
        self._lease_seconds = lease_seconds
        self._address = address
        self._taken = frozenset[str]()
        self._looks: dict[str, int] = {}
        self._noted_at = time.monotonic()
        self.of: dict[str, LedCycle] = {}

    def take(
        self,
        heads: CycleHeads,
        without: Collection[str],
        *,
        may_lead: Callable[[str], bool],
        took: Callable[[str], None],
    ) -> None:
        """Take the leases of programs that rest and that nobody leads, all in one write.

        Args:
            heads: What the rows of all programs say.
            without: Programs to leave alone: those that are read, and those set aside.
            may_lead: Whether a program may be taken.
            took: Told of each before the next is asked about.
        """
        for cycle_id in [name for name in self.of if not self._is_led(name, heads)]:
            del self.of[cycle_id]
        wanted = []
        for cycle_id, head in heads.of.items():
            if cycle_id in without or cycle_id in self.of or head.leader:
                continue
            if not _rests(head, now=heads.now) or not may_lead(cycle_id):
                continue
            if not self._is_in_place(cycle_id, head):
                continue
            took(cycle_id)
            wanted.append(cycle_id)
        self._taken = frozenset()
        if not wanted:
            return
        now = time.monotonic()
        leases = self._ledger.take_leases(wanted, holder=self._holder, seconds=self._lease_seconds)
        self._taken = frozenset(lease.cycle_id for lease in leases)
        for lease in leases:
            self.of[lease.cycle_id] = LedCycle(
                lease=lease,
                lease_taken=now,
                rests_at=heads.of[lease.cycle_id].position,
                quiet_since=now,
            )

    def rests(self, cycle_id: str, head: CycleHead, *, now: datetime) -> bool:
        """Whether one of them rests on, by its row."""
        led = head.leader == self._holder or cycle_id in self._taken
        return led and head.position == self.of[cycle_id].rests_at and _rests(head, now=now)

    def must_be_read(self, cycle_id: str, head: CycleHead) -> bool:
        """Look at one of them beside the turns, and say whether to read it.

        What the clock alone brings is brought: reminders are queued. Absences need the roster as
        of the last event, and a live state that is behind needs the events.
        """
        led = self.of[cycle_id]
        led.served = time.monotonic()
        # Spread, or all would be read one after the other.
        looks = self._looks.get(cycle_id, crc32(cycle_id.encode()) % READ_EVERY) + 1
        self._looks[cycle_id] = looks
        if looks % READ_EVERY == 0:
            return True
        try:
            due = self._ledger.due_work(cycle_id)
            if due.absences or not self._is_in_place(cycle_id, head):
                return True
            remind_when_due(led, cycle_id, due, ledger=self._ledger, address=self._address)
        except Exception:  # noqa: BLE001 - its turn tells what is wrong, and sets it aside
            return True
        return False

    def hand_over(self, cycle_id: str, workspace: CycleWorkspace) -> None:
        """Copy what is kept of one into its workspace: it is about to be read."""
        led = self.of.get(cycle_id)
        if led is not None:
            workspace.lease, workspace.lease_taken = led.lease, led.lease_taken
            workspace.reminded_at = led.reminded_at

    def note(
        self, workspaces: Mapping[str, CycleWorkspace], *, noted: CycleHeads | None = None
    ) -> None:
        """Note which programs rest, at half a lease's length, all in one write.

        Args:
            workspaces: Those that are read.
            noted: What their rows say; None writes at once.
        """
        now = time.monotonic()
        if noted is not None and now - self._noted_at < self._lease_seconds / 2:
            return
        self._noted_at = now
        rests = [
            Rest(
                lease=workspace.lease,
                seq=workspace.rests_at.seq,
                until=workspace.projection.rules.deadline,
            )
            for cycle_id, workspace in sorted(workspaces.items())
            if workspace.lease is not None
            and workspace.rests_at is not None
            and workspace.projection.status is CycleStatus.RUNNING
            and not (noted is not None and _is_noted(cycle_id, workspace, noted))
        ]
        if rests:
            self._ledger.note_rests(rests)

    def forget_read(self, workspaces: dict[str, CycleWorkspace], heads: CycleHeads) -> None:
        """Keep a small record alone of those that have rested longest, beyond `KEPT_READ`."""
        resting = sorted(
            (workspace.quiet_since, cycle_id)
            for cycle_id, workspace in list(workspaces.items())
            if workspace.lease is not None
            and workspace.rests_at is not None
            and _is_noted(cycle_id, workspace, heads)
            and _rests(heads.of[cycle_id], now=heads.now)
        )
        for _, cycle_id in resting[: max(0, len(resting) - KEPT_READ)]:
            workspace = workspaces[cycle_id]
            # First there, then gone here: `KeptCycles` reads both from another thread.
            self.of[cycle_id] = LedCycle(
                lease=workspace.lease,
                lease_taken=workspace.lease_taken,
                reminded_at=workspace.reminded_at,
                rests_at=workspace.rests_at,
                quiet_since=workspace.quiet_since,
                served=workspace.served,
            )
            del workspaces[cycle_id]

    def _is_in_place(self, cycle_id: str, head: CycleHead) -> bool:
        """Whether the live state stands at the last event; where not, a turn makes it anew.

        It was emptied with Redis, set back, or cannot be read.
        """
        try:
            return self._state.position(cycle_id) == head.position
        except UnavailableError:
            raise
        except Exception:  # noqa: BLE001 - as above
            return False

    def _is_led(self, cycle_id: str, heads: CycleHeads) -> bool:
        head = heads.of.get(cycle_id)
        return head is not None and head.leader == self._holder


def _rests(head: CycleHead, *, now: datetime) -> bool:
    """Whether a program's row says that there is nothing to do."""
    return (
        head.status == CycleStatus.RUNNING
        and head.rested
        and not head.overdue
        and not head.staff_requests
        and (head.rests_until is None or now < head.rests_until)
    )


def _is_noted(cycle_id: str, workspace: CycleWorkspace, heads: CycleHeads) -> bool:
    """Whether the row says that a program rests at the event at which it does."""
    head = heads.of.get(cycle_id)
    return head is not None and head.rested and head.position == workspace.rests_at
