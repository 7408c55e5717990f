"""A coordinator says that it is there, and keeps its leases, however long a turn takes.

Both are renewed at half of their length from two sides: by the turn, and by a thread beside it. A
fit of the model, or the first reading of a thousand programs, may outlast a lease many times; if
that cost the lease, the programs would go to a coordinator that has even less time for them.
"""

import threading
import time
from collections.abc import Mapping

from swapflow.engine.coordination.workspace import LedCycle, renew_leases
from swapflow.engine.ports.coordination import Coordination


LONGEST_TURN = 40.0
"""Lengths of a lease after which a turn counts as hung, and its programs go to others.

Ten minutes: the first turn of a coordinator that is alone with a thousand programs takes one.
"""


class Presence:
    """What tells the others that a coordinator lives; safe for the turn and one thread beside it.

    Args:
        ledger: Where it is noted.
        holder: The coordinator's name in its leases, its own in this life.
        lease_seconds: How long a lease, and a word that it is there, lasts without renewal.
    """

    def __init__(self, *, ledger: Coordination, holder: str, lease_seconds: float) -> None:
        self._ledger = ledger
        self._holder = holder
        self._lease_seconds = lease_seconds
        self._lock = threading.Lock()
        self._announced: float | None = None
        self._turn_began = time.monotonic()
        self._gone = False

    def turn_begins(self) -> None:
        """Note that a turn begins; announce this coordinator, where it is time."""
        self._turn_began = time.monotonic()
        self._announce()

    def keep(self, workspaces: Mapping[str, LedCycle]) -> None:
        """Announce this coordinator and renew its leases, unless the turn seems to hang.

        Args:
            workspaces: The cycles that it has open; the turn may open and close some meanwhile.
        """
        if time.monotonic() - self._turn_began > LONGEST_TURN * self._lease_seconds:
            return
        self._announce()
        # A lease that ran out stays out: only a turn asks for it anew, and learns of the epoch.
        kept = dict(workspaces)
        renew_leases(kept, ledger=self._ledger, seconds=self._lease_seconds, wait=False)
        # Those that are being written to come one by one: a session that locked one and hangs
        # must not cost the others, nor must they stay locked while it is waited for.
        for cycle_id, workspace in kept.items():
            renew_leases({cycle_id: workspace}, ledger=self._ledger, seconds=self._lease_seconds)

    def leave(self) -> None:
        """Note that it has gone, for good."""
        with self._lock:
            self._gone = True
            self._ledger.announce(self._holder, seconds=0)

    def _announce(self) -> None:
        """Announce this coordinator, when half of the last announcement has passed."""
        with self._lock:
            now = time.monotonic()
            half = self._lease_seconds / 2
            if self._gone or (self._announced is not None and now - self._announced < half):
                return
            self._ledger.announce(self._holder, seconds=self._lease_seconds)
            self._announced = now
