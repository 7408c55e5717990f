"""Decisions that were read before: their rows never change, and long ones take long to read."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock

from cachetools import LRUCache

from swapflow.engine.ports.coordination import Coordination
from swapflow.engine.ports.records import DecisionRecord


MOST_KEPT = 500_000
"""Applications that the cached decisions may name; each takes about two hundred bytes."""


def _length(record: DecisionRecord) -> int:
    return 1 + len(record.picks) + len(record.contested) + len(record.cohort)


@dataclass(slots=True)
class KnownDecisions:
    """The decisions that were read last, by cycle and number; safe for threads."""

    _lock: Lock = field(default_factory=Lock)
    _known: LRUCache[tuple[str, int], DecisionRecord] = field(
        default_factory=lambda: LRUCache(MOST_KEPT, getsizeof=_length)
    )

    def numbered(
        self, cycle_id: str, numbers: Collection[int], *, ledger: Coordination
    ) -> dict[int, DecisionRecord]:
        """Return decisions by number; those that the cycle does not have are left out."""
        with self._lock:
            found = {n: self._known[cycle_id, n] for n in numbers if (cycle_id, n) in self._known}
        return found | self._read(cycle_id, set(numbers) - found.keys(), ledger=ledger)

    def before(
        self, cycle_id: str, number: int, *, at_most: int, ledger: Coordination
    ) -> tuple[tuple[DecisionRecord, datetime], ...]:
        """Return decisions below a number and when they were made, newest first; 0: the newest."""
        marks = ledger.decision_marks(cycle_id, number, at_most=at_most)
        with self._lock:
            known = [self._known.get((cycle_id, mark.number)) for mark in marks]
        # A ledger that was restored from a copy may have made another decision since.
        found = {
            mark.number: record
            for mark, record in zip(marks, known, strict=True)
            if record is not None and record.digest == mark.digest
        }
        missing = {mark.number for mark in marks} - found.keys()
        found |= self._read(cycle_id, missing, ledger=ledger)
        return tuple((found[mark.number], mark.at) for mark in marks if mark.number in found)

    def _read(
        self, cycle_id: str, numbers: Collection[int], *, ledger: Coordination
    ) -> dict[int, DecisionRecord]:
        if not numbers:
            return {}
        read = ledger.decisions_numbered(cycle_id, numbers)
        with self._lock:
            for number, record in read.items():
                # One that is longer than the whole cache is read each time.
                if _length(record) <= MOST_KEPT:
                    self._known[cycle_id, number] = record
        return read
