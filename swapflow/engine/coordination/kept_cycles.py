"""The cycles that a coordinator keeps, read or not: their leases, and what becomes of them."""

from collections.abc import Collection
from contextlib import suppress
from typing import Protocol

from swapflow.engine.coordination.presence import Presence
from swapflow.engine.coordination.resting import RestingPrograms
from swapflow.engine.coordination.workspace import CycleWorkspace, LedCycle, renew_leases
from swapflow.engine.ports.coordination import CycleHeads
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.live_state import CycleState
from swapflow.errors import NotFoundError, UnavailableError


RETIRED_FOR = 86_400.0
"""Seconds for which the live state of a finished cycle is kept."""


def is_gone(ledger: CycleReads, cycle_id: str) -> bool:
    """Whether a cycle is not there any more: a practice program that was thrown away."""
    try:
        ledger.cycle(cycle_id)
    except NotFoundError:
        return True
    except UnavailableError:
        raise
    except Exception:  # noqa: BLE001 - its row is damaged, so it is there
        return False
    return False


class KeptCycles(Protocol):
    """Holds the leases of the cycles that are kept, and forgets those that are gone."""

    _ledger: Ledger
    _state: CycleState
    _lease_seconds: float
    _workspaces: dict[str, CycleWorkspace]
    _presence: Presence
    _asleep: RestingPrograms

    def keep(self) -> None:
        """Keep its leases and its place among the coordinators; for a thread beside the turns."""
        self._presence.keep(self._led())

    def stop(self) -> None:
        """Release every lease, so that other coordinators can take over at once."""
        self._presence.leave()
        # The next one starts on what rests without reading it.
        self._asleep.note(self._workspaces)
        for led in self._led().values():
            if led.lease is not None:
                self._ledger.release_lease(led.lease)

    def _led(self) -> dict[str, LedCycle]:
        """Return the cycles that this coordinator keeps, read or not; for any thread."""
        # A turn moves them both ways, and is in the new place before it leaves the old one: asked
        # for on both sides of the small records, a workspace is missed on neither move.
        return {**self._workspaces, **self._asleep.of, **self._workspaces}

    def _forget(self, cycle_id: str) -> LedCycle | None:
        """Forget a cycle, read or not; return what was kept."""
        return self._workspaces.pop(cycle_id, None) or self._asleep.of.pop(cycle_id, None)

    def _hold_leases(self, resting: Collection[str]) -> None:
        """Renew the leases of cycles that rest, all in one write."""
        own = {name: led for name, led in self._led().items() if name in resting}
        renew_leases(own, ledger=self._ledger, seconds=self._lease_seconds)

    def _drop_gone(self, heads: CycleHeads) -> None:
        """Drop practice programs that were thrown away since the last turn."""
        # Where a head cannot be read there are none: then each is looked for.
        for cycle_id in [name for name in self._led() if name not in heads.of]:
            if is_gone(self._ledger, cycle_id):
                self._drop(cycle_id)

    def _drop(self, cycle_id: str) -> None:
        """Forget a cycle that is gone, and what this coordinator may have written of it since."""
        self._forget(cycle_id)
        with suppress(UnavailableError):
            self._state.forget(cycle_id)
            self._state.end_quarantine(cycle_id)

    def _retire(self, cycle_id: str) -> None:
        """Expire the live state of a finished cycle; pages read the ledger afterwards.

        A coordinator that follows the cycle again, as when its list is reopened, rebuilds it.
        """
        with suppress(UnavailableError):
            self._state.retire(cycle_id, seconds=RETIRED_FOR)
