"""What the lists of many cycles need from the record."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from swapflow.engine.ports.records import ApplicantName, Load, Pin, ProcessHealth, Waiting


class OverviewReads(Protocol):
    """What the dashboard shows: names, loads, health, pins."""

    def named(
        self, cycle_id: str, numbers: Collection[int] | None = None
    ) -> tuple[ApplicantName, ...]:
        """Read who a cycle's applications are, in the order of their numbers; all or some."""
        ...

    def waiting(self, cycle_id: str) -> tuple[Waiting, ...]:
        """Count open assignments, and those of them that are overdue, by kind and reviewer."""
        ...

    def loads(self, cycle_id: str) -> dict[int, Load]:
        """Read how busy each reviewer is who was ever asked."""
        ...

    def last_moves(
        self, cycle_id: str, applications: Collection[int]
    ) -> dict[int, tuple[datetime, bool]]:
        """Return when each was last asked about or answered, and whether it was an answer."""
        ...

    def process_health(self, cycle_id: str) -> ProcessHealth:
        """Read whether the processes behind a cycle are alive."""
        ...

    def received_since(self, cycle_id: str, since: datetime) -> tuple[int, datetime | None]:
        """Count first answers that came in since a moment, with when the last one did."""
        ...

    def due_from(self, cycle_id: str, since: datetime) -> tuple[tuple[datetime, int], ...]:
        """Count open assignments by the moment at which they are due, from `since` on."""
        ...

    def pins(self, cycle_id: str) -> tuple[Pin, ...]:
        """Read the pins: applications that people want in or out."""
        ...

    def set_pin(
        self, cycle_id: str, application: int, *, verdict: str, by: str, reason: str
    ) -> None:
        """Store a pin in place of the one before; "" removes it."""
        ...
