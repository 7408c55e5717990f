"""The live state and the doorbell in one process, with the same integers and answers."""

import math
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from typing_extensions import override

from swapflow.domain.cycle import START, Position
from swapflow.engine.ports.live_state import (
    Applied,
    Arms,
    Changes,
    CycleState,
    Doorbell,
    Integers,
    QuarantineNote,
)
from swapflow.errors import InvalidInputError
from swapflow.state.codec import LARGEST, arms_needed, check_changes


_SMALLEST = -LARGEST - 1


def no_arms() -> Arms:
    """Return the state of an unknown cycle."""
    return Arms(
        position=START,
        numerator=np.zeros(0, dtype=np.int64),
        information=np.zeros(0, dtype=np.int64),
        pending=np.zeros(0, dtype=np.int64),
        spent=0,
        committed=0,
    )


class MemoryCycleState(CycleState):
    """The `CycleState` port for threads of one process: simulations, replays and tests."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cycles: dict[str, Arms] = {}
        self._boards: dict[str, bytes] = {}
        self._until: dict[str, float] = {}
        self._notes: dict[str, QuarantineNote] = {}

    @override
    def position(self, cycle_id: str) -> Position:
        return self._read(cycle_id).position

    @override
    def apply(
        self, cycle_id: str, changes: Changes, *, before: Position, after: Position
    ) -> Applied:
        """Fold in the changes after `before` up to `after`, if the state is at `before`.

        Raises:
            InvalidInputError: If a sum would leave 64 bits; nothing has changed.
        """
        check_changes(changes)
        with self._lock:
            self._let_go(cycle_id)
            now = self._cycles.get(cycle_id, no_arms())
            answer = _answer(now.position, before=before, after=after)
            if answer is Applied.APPLIED:
                self._cycles[cycle_id] = _folded(cycle_id, now, changes, after)
        return answer

    @override
    def replace(self, cycle_id: str, arms: Arms) -> None:
        with self._lock:
            self._cycles[cycle_id] = _copy(arms)
            self._until.pop(cycle_id, None)

    @override
    def arms(self, cycle_id: str) -> Arms:
        return _copy(self._read(cycle_id))

    @override
    def forget(self, cycle_id: str) -> None:
        with self._lock:
            self._cycles.pop(cycle_id, None)
            self._boards.pop(cycle_id, None)
            self._until.pop(cycle_id, None)

    @override
    def retire(self, cycle_id: str, *, seconds: float) -> None:
        with self._lock:
            if cycle_id in self._cycles:
                self._until[cycle_id] = time.monotonic() + seconds

    @override
    def publish(self, cycle_id: str, dashboard: bytes) -> None:
        # Without the lock: one assignment, and readers take whole bytes, the old or the new ones.
        self._boards[cycle_id] = dashboard

    @override
    def dashboard(self, cycle_id: str) -> bytes | None:
        with self._lock:
            self._let_go(cycle_id)
            return self._boards.get(cycle_id)

    @override
    def quarantine(self, cycle_id: str, note: QuarantineNote) -> None:
        self._notes = {**self._notes, cycle_id: note}

    @override
    def end_quarantine(self, cycle_id: str) -> None:
        self._notes = {known: note for known, note in self._notes.items() if known != cycle_id}

    @override
    def quarantined(self) -> Mapping[str, QuarantineNote]:
        return self._notes

    def check(self) -> None:
        """Check nothing: memory needs none."""

    def close(self) -> None:
        """Close nothing: memory holds nothing open."""

    def _read(self, cycle_id: str) -> Arms:
        with self._lock:
            self._let_go(cycle_id)
            return self._cycles.get(cycle_id, no_arms())

    def _let_go(self, cycle_id: str) -> None:
        """Delete a cycle whose time has come; the caller holds the lock."""
        if time.monotonic() >= self._until.get(cycle_id, math.inf):
            del self._until[cycle_id]
            self._cycles.pop(cycle_id, None)
            self._boards.pop(cycle_id, None)


@dataclass(slots=True)
class MemoryDoorbell(Doorbell):
    """The `Doorbell` port for threads of one process."""

    _rung: threading.Event = field(default_factory=threading.Event)

    @override
    def ring(self, cycle_id: str) -> None:
        del cycle_id
        self._rung.set()

    @override
    def wait(self, seconds: float) -> bool:
        heard = self._rung.wait(seconds)
        # A ring between the two calls is lost, which the port allows.
        self._rung.clear()
        return heard

    def close(self) -> None:
        """Close nothing: memory holds nothing open."""


def _answer(now: Position, *, before: Position, after: Position) -> Applied:
    """Return the result of changes from `before` to `after` on a state at `now`."""
    if now == after or now.seq > after.seq:
        return Applied.DUPLICATE
    if now == before and before.seq < after.seq:
        return Applied.APPLIED
    return Applied.GAP


def _folded(cycle_id: str, now: Arms, changes: Changes, after: Position) -> Arms:
    """Build the state after the changes; the old one is unchanged."""
    arms = max(now.numerator.size, arms_needed(changes.deltas))
    where = np.array([delta.application for delta in changes.deltas], dtype=np.int64)

    def column(old: Integers, by: Iterable[int]) -> Integers:
        new = np.zeros(arms, dtype=np.int64)
        new[: old.size] = old
        # Python's integers first: numpy's would wrap around at 64 bits without an error.
        new[where] = [_within(cycle_id, int(new[a]) + d) for a, d in zip(where, by, strict=True)]
        return new

    return Arms(
        position=after,
        numerator=column(now.numerator, (d.numerator for d in changes.deltas)),
        information=column(now.information, (d.information for d in changes.deltas)),
        pending=column(now.pending, (d.pending for d in changes.deltas)),
        spent=_within(cycle_id, now.spent + changes.spent),
        committed=_within(cycle_id, now.committed + changes.committed),
    )


def _within(cycle_id: str, total: int) -> int:
    """Raise for a sum that Redis could not hold either."""
    if not _SMALLEST <= total <= LARGEST:
        raise InvalidInputError("live_sum_too_large", cycle=cycle_id)
    return total


def _copy(arms: Arms) -> Arms:
    return Arms(
        position=arms.position,
        numerator=arms.numerator.copy(),
        information=arms.information.copy(),
        pending=arms.pending.copy(),
        spent=arms.spent,
        committed=arms.committed,
    )
