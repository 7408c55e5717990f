"""A cache of values per cycle, the latest few: a process lives for months and sees many cycles."""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache


T = TypeVar("T")

MOST_KEPT = 8
"""Cycles in the cache; the snapshot of one with 20,000 applicants takes 100 megabytes."""


class LatestCache(Generic[T]):
    """One value for each of the cycles that were used last; safe for threads.

    Args:
        most: Cycles whose value is kept.
    """

    def __init__(self, *, most: int = MOST_KEPT) -> None:
        self._lock = Lock()
        self._things: LRUCache[str, T] = LRUCache(most)

    def get(self, cycle_id: str) -> T | None:
        """Return the value of a cycle, None if there is none."""
        with self._lock:
            return self._things.get(cycle_id)

    def put(self, cycle_id: str, thing: T) -> T:
        """Store the value of a cycle, replacing an earlier one, and return it."""
        with self._lock:
            self._things[cycle_id] = thing
            return thing

    def get_or(self, cycle_id: str, make: Callable[[], T]) -> T:
        """Return the value of a cycle, or make it; the lock lets one thread at a time make one."""
        with self._lock:
            found = self._things.get(cycle_id)
            if found is None:
                found = self._things[cycle_id] = make()
            return found
