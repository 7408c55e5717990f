"""The live state of open cycles, and the doorbell."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from swapflow.domain.cycle import Position
from swapflow.domain.fixed_point import Delta


Integers = NDArray[np.int64]

ALTERED = "live state altered"
"""Subject of the note that the live state was found altered, and made again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Consecutive events folded together: at most one delta per arm."""

    deltas: tuple[Delta, ...]
    spent: int
    committed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Arms:
    """A snapshot of a cycle's live state.

    Attributes:
        position: The event that the numbers include, and all before it.
        numerator: Sum of gain times value per arm, shape (n,); n is the highest arm ever
            changed plus one, so it can be shorter than the cycle's applications.
        information: Sum of gains received per arm, shape (n,).
        pending: Sum of gains dispatched and not received per arm, shape (n,).
        spent: Cost spent, in the round's unit.
        committed: Cost reserved for open pulls.
    """

    position: Position
    numerator: Integers
    information: Integers
    pending: Integers
    spent: int
    committed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuarantineNote:
    """Why a cycle stands still while the others go on.

    Attributes:
        event: The event that cannot be taken in, or the last one before the trouble.
        why: What is wrong and what to do, as a message.
        since: When it was first set aside.
    """

    event: int
    why: str
    since: datetime


class Applied(Enum):
    """What became of changes handed to the live state."""

    APPLIED = "applied"
    DUPLICATE = "duplicate"
    GAP = "gap"


class CycleState(Protocol):
    """The live state of every open cycle: integers per arm, and how far they have read.

    Implementations are safe to share between processes. What a method returns is a snapshot:
    later writes never change it. Every write is atomic, may be repeated, and leaves the state as
    it was when it fails.

    Raises:
        UnavailableError: From any method, if the store does not answer.
    """

    def position(self, cycle_id: str) -> Position:
        """Return how far the state has read; `START` for a cycle that it does not know."""
        ...

    def apply(
        self, cycle_id: str, changes: Changes, *, before: Position, after: Position
    ) -> Applied:
        """Fold in the changes of the events after `before` up to `after`, if it is at `before`.

        Returns:
            APPLIED; DUPLICATE when it is at `after` or later already; GAP when it is anywhere else
            (an earlier number, or another hash at `before`'s number: rebuild from the ledger).
            Unless APPLIED, the state is unchanged.
        """
        ...

    def replace(self, cycle_id: str, arms: Arms) -> None:
        """Replace the whole stored state with a rebuilt one, atomically."""
        ...

    def arms(self, cycle_id: str) -> Arms:
        """Read the whole state of a cycle as of one moment; empty at `START` if unknown."""
        ...

    def forget(self, cycle_id: str) -> None:
        """Drop a cycle's state; it can be rebuilt."""
        ...

    def retire(self, cycle_id: str, *, seconds: float) -> None:
        """Expire a cycle's state and dashboard after a while, unless they are replaced."""
        ...

    def publish(self, cycle_id: str, dashboard: bytes) -> None:
        """Store an encoded dashboard in place of the one before; pages read it."""
        ...

    def dashboard(self, cycle_id: str) -> bytes | None:
        """Read the encoded dashboard; None when there is none."""
        ...

    def quarantine(self, cycle_id: str, note: QuarantineNote) -> None:
        """Store why a cycle stands still; a note that is there already is replaced."""
        ...

    def end_quarantine(self, cycle_id: str) -> None:
        """Remove a cycle's note: coordinators then look at the cycle again."""
        ...

    def quarantined(self) -> Mapping[str, QuarantineNote]:
        """Read the notes of all cycles that stand still, by cycle."""
        ...


class Doorbell(Protocol):
    """Tells coordinators that there is something new; a lost ring only costs a moment."""

    def ring(self, cycle_id: str) -> None:
        """Wake a waiting coordinator; never raises, never blocks for long."""
        ...

    def wait(self, seconds: float) -> bool:
        """Wait for a ring for at most `seconds` (2 at most); return whether one came."""
        ...
