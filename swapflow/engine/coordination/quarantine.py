"""Cycles that are set aside: what one of them raises must not stop the others."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from swapflow.engine.ports.live_state import CycleState, QuarantineNote
from swapflow.errors import DamagedRecordError, UnavailableError
from swapflow.messages import Message


FIRST_LOOK = 5.0
"""Seconds after which a cycle that was set aside is looked at again; each time twice as long."""

SLOWEST_LOOK = 300.0
"""Longest wait between two looks: a repair that nobody reports is noticed within it."""

LOCKED_LOOK = 60.0
"""Seconds after which a cycle is tried again that did not answer while the others did."""

OnFault = Callable[[str, QuarantineNote, Exception], None]
"""Is told of a cycle that was set aside, with what it raised."""


def unreported(cycle_id: str, note: QuarantineNote, error: Exception) -> None:
    """Report nothing."""
    del cycle_id, note, error


@dataclass(slots=True, kw_only=True)
class _SetAside:
    """One cycle that is set aside."""

    error: Exception
    note: QuarantineNote
    looks: int
    due: float
    published: bool


class Quarantine:
    """The cycles that one coordinator leaves alone for a while.

    Notes lie beside the live state, where pages and the doctor read them. A note that is gone asks
    for another look at once: `swapflow cycle verify` removes it when the record agrees again.

    Args:
        state: Where the notes lie.
        on_fault: Told of every cycle that is set aside, once for each fault.
        clock: A monotonic clock in seconds.
    """

    def __init__(
        self,
        state: CycleState,
        *,
        on_fault: OnFault = unreported,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._state = state
        self._on_fault = on_fault
        self._clock = clock
        self._cycles: dict[str, _SetAside] = {}
        self._postponed: dict[str, float] = {}

    @property
    def errors(self) -> Mapping[str, Exception]:
        """What each cycle that is set aside raised last."""
        return {cycle_id: one.error for cycle_id, one in self._cycles.items()}

    def left_alone(self) -> frozenset[str]:
        """Return the cycles that are not looked at in this turn."""
        self._hear()
        now = self._clock()
        self._postponed = {known: due for known, due in self._postponed.items() if due > now}
        return self.waiting().union(self._postponed)

    def waiting(self) -> frozenset[str]:
        """Return the cycles that are set aside and not due for another look."""
        now = self._clock()
        return frozenset(cycle_id for cycle_id, one in self._cycles.items() if one.due > now)

    def postpone(self, cycle_id: str) -> None:
        """Leave a cycle alone for a minute: it alone did not answer, as one that is locked."""
        self._postponed[cycle_id] = self._clock() + LOCKED_LOOK

    def set_aside(self, cycle_id: str, error: Exception, *, event: int, now: datetime) -> None:
        """Leave a cycle alone until it is looked at again.

        Args:
            cycle_id: The cycle.
            error: What it raised.
            event: The last event that was read of it.
            now: The database's time.
        """
        known = self._cycles.get(cycle_id)
        named = error.event if isinstance(error, DamagedRecordError) else None
        event = event if named is None else named
        note = QuarantineNote(
            event=event,
            why=_why(cycle_id, error, event),
            since=now if known is None else known.note.since,
        )
        looks = 0 if known is None else known.looks + 1
        self._cycles[cycle_id] = _SetAside(
            error=error,
            note=note,
            looks=looks,
            due=self._clock() + min(FIRST_LOOK * 2.0**looks, SLOWEST_LOOK),
            published=self._publish(cycle_id, note),
        )
        if known is None or str(known.note.why) != str(note.why):
            self._on_fault(cycle_id, note, error)

    def release(self, cycle_id: str) -> None:
        """Take a cycle that goes on again out of the quarantine."""
        if self._cycles.pop(cycle_id, None) is not None:
            with suppress(UnavailableError):
                self._state.end_quarantine(cycle_id)

    def _hear(self) -> None:
        """Make every cycle due whose note was removed, and write the notes that could not be."""
        if not self._cycles:
            return
        try:
            notes = self._state.quarantined()
        except UnavailableError:
            return
        for cycle_id, one in self._cycles.items():
            if cycle_id not in notes and one.published:
                one.due = 0.0
            elif cycle_id not in notes:
                one.published = self._publish(cycle_id, one.note)

    def _publish(self, cycle_id: str, note: QuarantineNote) -> bool:
        try:
            self._state.quarantine(cycle_id, note)
        except UnavailableError:
            return False
        return True


def _why(cycle_id: str, error: Exception, event: int) -> Message:
    """Return what people are told: no value of a row, which may be a mark or a name."""
    if isinstance(error, DamagedRecordError) and error.cycle:
        return error.message
    return Message("program_set_aside", cycle=cycle_id, event=event, problem=type(error).__name__)
