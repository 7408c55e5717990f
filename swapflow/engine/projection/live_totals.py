"""The integers per arm that a cycle's events add up to, as in the live state."""

from collections.abc import Iterable

import numpy as np

from swapflow.domain.cycle import START
from swapflow.domain.event import Event, damaged_event
from swapflow.engine.ports.live_state import Arms


_COLUMNS = ("numerator", "information", "pending")


class LiveTotals:
    """The live state's numbers, summed in memory."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Start from no event."""
        self.position = START
        self._sums = np.zeros((3, 1024), dtype=np.int64)
        self._arms = 0
        self._spent = 0
        self._committed = 0

    def add(self, events: Iterable[Event]) -> None:
        """Fold in the next events.

        Raises:
            DamagedRecordError: If an event's changes are not integers; names its number.
        """
        for event in events:
            try:
                self._add(event)
            except (TypeError, ValueError, ArithmeticError) as error:
                raise damaged_event(event.cycle_id, event.position.seq, error) from error

    def _add(self, event: Event) -> None:
        for delta in event.deltas:
            while delta.application >= self._sums.shape[1]:
                # Doubling keeps adding arms linear over a cycle of any size.
                self._sums = np.hstack([self._sums, np.zeros_like(self._sums)])
            self._arms = max(self._arms, delta.application + 1)
            self._sums[:, delta.application] += (
                delta.numerator,
                delta.information,
                delta.pending,
            )
        self._spent += event.spent
        self._committed += event.committed
        self.position = event.position

    @property
    def costs(self) -> tuple[int, int]:
        """Cost spent and committed so far."""
        return self._spent, self._committed

    def differences(self, arms: Arms) -> tuple[str, ...]:
        """Name the numbers of a live state that are not those of the events up to its position.

        Every integer is compared, without a copy: cheaper than a digest of them.
        """
        columns = (arms.numerator, arms.information, arms.pending)
        named = zip(_COLUMNS, columns, self._sums[:, : self._arms], strict=True)
        wrong = [name for name, live, own in named if not np.array_equal(live, own)]
        if arms.spent != self._spent:
            wrong.append("spent")
        if arms.committed != self._committed:
            wrong.append("committed")
        return tuple(wrong)

    def arms(self) -> Arms:
        """Return the sums so far, as the live state would."""
        numerator, information, pending = self._sums[:, : self._arms].copy()
        return Arms(
            position=self.position,
            numerator=numerator,
            information=information,
            pending=pending,
            spent=self._spent,
            committed=self._committed,
        )
