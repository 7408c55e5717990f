"""Writes to a cycle itself: status, rules, staff requests."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.event import EventType, Json
from swapflow.domain.fixed_point import Delta
from swapflow.domain.personal_link import PersonalLink
from swapflow.domain.rules import Rules
from swapflow.engine.ports.records import Mail


class CycleWrites(Protocol):
    """Cycle, rules and events, within one transaction."""

    @property
    def cycle(self) -> Cycle:
        """The cycle's row as of taking the lock, plus this transaction's events."""
        ...

    @property
    def now(self) -> datetime:
        """The database's time when the lock was taken, plus the test offset; aware UTC."""
        ...

    def payloads(self, event_type: EventType) -> tuple[Mapping[str, Json], ...]:
        """Read the payloads of all events of one type, in order."""
        ...

    def record(
        self,
        event_type: EventType,
        payload: Mapping[str, Json],
        *,
        deltas: Sequence[Delta] = (),
        spent: int = 0,
        committed: int = 0,
    ) -> int:
        """Append an event to the chain; return its number."""
        ...

    def event_types_after(self, seq: int) -> frozenset[EventType]:
        """Return the types of events after `seq`, this transaction's own excluded."""
        ...

    def set_status(
        self, status: CycleStatus, *, paused_at: datetime | None = None, stop_reason: str = ""
    ) -> None:
        """Move the cycle to another status."""
        ...

    def set_rules(self, rules: Rules, *, by: str, reason: str) -> None:
        """Store a new rules version and make it the cycle's."""
        ...

    def rules(self, version: int = 0) -> Rules:
        """Read a rules version, 0 for the current one."""
        ...

    def add_staff_request(
        self, *, what: str, application: int, kind: int, by: str, reason: str
    ) -> int:
        """Store a staff request; return its id."""
        ...

    def close_staff_request(self, wish_id: int, done: str) -> bool:
        """Record how a staff request ended; return whether it was open until now."""
        ...

    def note(self, *, subject: str, by: str, text: str) -> str:
        """Store a free-text reason in an erasable row; return its salted digest.

        A subject `application:NUMBER`, or a pull's or an assignment's id, ties the note to that
        application: it is erased with it.
        """
        ...

    def hold(self) -> tuple[str, str] | None:
        """Read who put erasure on hold, and why; None when there is no hold."""
        ...

    def queue_mail(self, mails: Sequence[Mail], *, held: bool = False) -> None:
        """Store mails to be sent, or held; those whose id exists already stay as they are."""
        ...

    def add_personal_links(self, links: Sequence[PersonalLink]) -> None:
        """Store the links of mails that were just queued; those that exist stay as they are."""
        ...
