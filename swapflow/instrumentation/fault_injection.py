"""Named crash points, for tests of crash safety: the process dies at once, as by kill -9.

`SWAPFLOW_CRASH_AT=after_commit:3` ends the process the third time it passes that point.

Points: before_commit, after_commit (every write to the ledger), before_send, after_send (every
batch of messages), before_apply, after_apply (every change of the live state).
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from swapflow.domain.cycle import Position
from swapflow.engine.ports.dispatcher import Dispatcher, QueueMessage
from swapflow.engine.ports.live_state import Applied, Arms, Changes, CycleState, QuarantineNote
from swapflow.engine.ports.writes.transaction import Transaction, Write, WriteHook
from swapflow.errors import InvalidInputError


VARIABLE = "SWAPFLOW_CRASH_AT"
POINTS = frozenset(
    {"before_commit", "after_commit", "before_send", "after_send", "before_apply", "after_apply"}
)
KILLED = 137


class CrashPoint:
    """Counts how often each point is passed, and ends the process at the named one."""

    def __init__(self, specification: str) -> None:
        point, _, times = specification.partition(":")
        if point not in POINTS or not (times or "1").isdigit():
            raise InvalidInputError(
                "crash_point_unknown",
                variable=VARIABLE,
                specification=specification,
                points=sorted(POINTS),
            )
        self._point = point
        self._times = int(times or "1")
        self._passed: Counter[str] = Counter()

    def __call__(self, point: str) -> None:
        """Pass a point."""
        self._passed[point] += 1
        if point == self._point and self._passed[point] >= self._times:
            os._exit(KILLED)


class CrashingDispatcher:
    """A dispatcher that may die before or after a batch."""

    def __init__(self, inner: Dispatcher, crash: CrashPoint) -> None:
        self._inner = inner
        self._crash = crash

    def send(self, messages: Sequence[QueueMessage]) -> None:
        """Send, with a crash point on either side."""
        self._crash("before_send")
        self._inner.send(messages)
        self._crash("after_send")


class CrashingState:
    """A live state whose writer may die before or after a change."""

    def __init__(self, inner: CycleState, crash: CrashPoint) -> None:
        self._inner = inner
        self._crash = crash

    def position(self, cycle_id: str) -> Position:
        """Call the wrapped state."""
        return self._inner.position(cycle_id)

    def apply(
        self, cycle_id: str, changes: Changes, *, before: Position, after: Position
    ) -> Applied:
        """Apply, with a crash point on either side."""
        self._crash("before_apply")
        applied = self._inner.apply(cycle_id, changes, before=before, after=after)
        self._crash("after_apply")
        return applied

    def replace(self, cycle_id: str, arms: Arms) -> None:
        """Replace, with a crash point on either side."""
        self._crash("before_apply")
        self._inner.replace(cycle_id, arms)
        self._crash("after_apply")

    def arms(self, cycle_id: str) -> Arms:
        """Call the wrapped state."""
        return self._inner.arms(cycle_id)

    def publish(self, cycle_id: str, dashboard: bytes) -> None:
        """Call the wrapped state."""
        self._inner.publish(cycle_id, dashboard)

    def dashboard(self, cycle_id: str) -> bytes | None:
        """Call the wrapped state."""
        return self._inner.dashboard(cycle_id)

    def forget(self, cycle_id: str) -> None:
        """Call the wrapped state."""
        self._inner.forget(cycle_id)

    def retire(self, cycle_id: str, *, seconds: float) -> None:
        """Call the wrapped state."""
        self._inner.retire(cycle_id, seconds=seconds)

    def quarantine(self, cycle_id: str, note: QuarantineNote) -> None:
        """Call the wrapped state."""
        self._inner.quarantine(cycle_id, note)

    def end_quarantine(self, cycle_id: str) -> None:
        """Call the wrapped state."""
        self._inner.end_quarantine(cycle_id)

    def quarantined(self) -> Mapping[str, QuarantineNote]:
        """Call the wrapped state."""
        return self._inner.quarantined()


def crash_around_write(crash: CrashPoint) -> WriteHook:
    """Return a hook with a crash point before and after each commit."""

    @contextmanager
    def crashing(cycle_id: str, write: Write) -> Iterator[Transaction]:  # noqa: ARG001
        with write as tx:
            yield tx
            crash("before_commit")
        crash("after_commit")

    return crashing
