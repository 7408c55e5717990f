"""Acts of staff that are stored at once, carried out minutes later, and undone until then."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from swapflow.messages import Message


class HeldKind(StrEnum):
    """What a held act does when it is carried out."""

    APPROVE = "approve"
    DECLINE = "decline"
    REMIND = "remind"
    DATES = "dates"


class HeldState(StrEnum):
    """What became of a held act.

    HELD ──► DONE      carried out, its mails are on their way
      │ └──► REFUSED   could not be carried out any more
      └────► UNDONE    a person took it back in time
    """

    HELD = "held"
    DONE = "done"
    REFUSED = "refused"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldAct:
    """One act that waits, or has waited.

    Attributes:
        items: Ids of what it is about: requests, or the mails that tell of dates.
        before: For dates, one each: its `pull_id`, its `sequence`, the `old` date, its `mails`,
            the sequence that its people know (`told`), and whether the old date's mails were
            taken back (`untold`).
        count: How many requests, reviewers or dates it was about when it was pressed.
        reason: Why; emptied once it has ended.
        leaves_at: When it is carried out, and its mails leave.
        why: Why it was refused; None where it was not.
        ended_by: Who undid it; "" where nobody has.
    """

    number: int
    cycle_id: str
    kind: HeldKind
    items: tuple[str, ...]
    before: tuple[Mapping[str, Any], ...] = field(default=())
    count: int
    by: str
    reason: str
    at: datetime
    leaves_at: datetime
    state: HeldState
    why: Message | None
    ended_by: str

    @property
    def message(self) -> Message:
        """What was done, for people."""
        code = "held_undone" if self.state is HeldState.UNDONE else "held"
        return Message(f"act_{code}_{self.kind.value}", count=self.count)


class HeldActReads(Protocol):
    """Held acts outside of a transaction."""

    def held_acts(
        self, cycle_id: str, *, state: HeldState | None = None, at_most: int = 50
    ) -> tuple[HeldAct, ...]:
        """Read a cycle's held acts, newest first; of one state, or of all."""
        ...

    def due_acts(self) -> tuple[tuple[str, int], ...]:
        """Read cycle and number of the held acts that are due, in all cycles, oldest first."""
        ...
