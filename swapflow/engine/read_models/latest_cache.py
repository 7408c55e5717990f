"""What a process worked out about cycles, the latest few: it lives for months and sees many."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar


T = TypeVar("T")

MOST_KEPT = 8
"""Cycles of which something is kept; a folded one of 20,000 applicants takes 100 megabytes."""


class LatestCache(Generic[T]):
    """One thing for each of the cycles that were looked at last; safe for threads.

    Args:
        most: Cycles of which it is kept.
    """

    def __init__(self, *, most: int = MOST_KEPT) -> None:
        self._most = most
        self._lock = Lock()
        self._things: OrderedDict[str, T] = OrderedDict()

    def get(self, cycle_id: str) -> T | None:
        """Give what is kept of a cycle, None for nothing."""
        with self._lock:
            return self._looked_at(cycle_id)

    def put(self, cycle_id: str, thing: T) -> T:
        """Keep something of a cycle, in the place of what was there; gives it back."""
        with self._lock:
            self._things[cycle_id] = thing
            self._looked_at(cycle_id)
            return thing

    def get_or(self, cycle_id: str, make: Callable[[], T]) -> T:
        """Give what is kept of a cycle, or make it; nobody else makes one meanwhile."""
        with self._lock:
            found = self._looked_at(cycle_id)
            if found is None:
                found = self._things[cycle_id] = make()
                self._looked_at(cycle_id)
            return found

    def _looked_at(self, cycle_id: str) -> T | None:
        found = self._things.get(cycle_id)
        if found is not None:
            self._things.move_to_end(cycle_id)
            while len(self._things) > self._most:
                self._things.popitem(last=False)
        return found
