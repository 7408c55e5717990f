"""Writes of acts that are held until they are carried out."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Protocol

from swapflow.engine.ports.held_acts import HeldAct, HeldKind, HeldState
from swapflow.messages import Message


class HeldActWrites(Protocol):
    """Held acts, within one transaction."""

    def hold_act(
        self,
        kind: HeldKind,
        items: Sequence[str],
        *,
        count: int,
        by: str,
        reason: str = "",
        before: Sequence[Mapping[str, object]] = (),
        hold: timedelta,
    ) -> int:
        """Store an act that is carried out after `hold`; return its number."""
        ...

    def held_act(self, number: int) -> HeldAct | None:
        """Read one of the cycle's held acts; None where it has no such act."""
        ...

    def end_held_act(
        self, number: int, state: HeldState, *, by: str = "", why: Message | None = None
    ) -> bool:
        """Move an act out of `HELD` and empty its reason; False when it had ended already."""
        ...

    def release_held_mails(self, ids: Sequence[str], *, leave: bool) -> int:
        """Queue held mails, or take them back; return how many were held."""
        ...
