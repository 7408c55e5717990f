"""Decisions that were read before: their rows never change, and long ones take long to read."""

from collections.abc import Collection
from dataclasses import dataclass, field
from threading import Lock

from cachetools import LRUCache

from swapflow.engine.ports.coordination import Coordination
from swapflow.engine.ports.records import DecisionRecord


MOST_KEPT = 48
"""Decisions in the cache; one that asks for 10,000 reviews takes about two megabytes."""


@dataclass(slots=True)
class KnownDecisions:
    """The decisions that were read last, by cycle and number; safe for threads."""

    _lock: Lock = field(default_factory=Lock)
    _known: LRUCache[tuple[str, int], DecisionRecord] = field(
        default_factory=lambda: LRUCache(MOST_KEPT)
    )

    def numbered(
        self, cycle_id: str, numbers: Collection[int], *, ledger: Coordination
    ) -> dict[int, DecisionRecord]:
        """Return decisions by number; those that the cycle does not have are left out."""
        with self._lock:
            found = {n: self._known[cycle_id, n] for n in numbers if (cycle_id, n) in self._known}
        missing = set(numbers) - found.keys()
        if missing:
            read = ledger.decisions_numbered(cycle_id, missing)
            with self._lock:
                self._known.update({(cycle_id, n): record for n, record in read.items()})
            found |= read
        return found
