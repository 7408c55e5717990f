"""What the lists of many cycles need from the record."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from swapflow.domain.people.application import ApplicationStatus
from swapflow.engine.ports.records import ApplicantName, Load, Pin, ProcessHealth, Waiting


class OverviewReads(Protocol):
    """What the dashboard shows: names, loads, health, pins."""

    def named(
        self,
        cycle_id: str,
        numbers: Collection[int] | None = None,
        *,
        statuses: Collection[ApplicationStatus] = (),
        external_id: str = "",
    ) -> tuple[ApplicantName, ...]:
        """Read who a cycle's applications are, in the order of their numbers.

        All of them, or those alone that have one of the numbers, one of the statuses, the id.
        """
        ...

    def numbers_after(
        self, cycle_id: str, number: int, *, at_most: int, status: ApplicationStatus | None = None
    ) -> tuple[int, ...]:
        """Read the next numbers of applications above one, lowest first; of one status, or all."""
        ...

    def names_digest(self, cycle_id: str) -> str:
        """Compute a digest of what `named` would return for all, without reading it.

        A corrected name writes no event, so a list that is kept compares this.
        """
        ...

    def waiting(self, cycle_id: str) -> tuple[Waiting, ...]:
        """Count open assignments, and those of them that are overdue, by kind and reviewer."""
        ...

    def loads(self, cycle_id: str) -> dict[int, Load]:
        """Read how busy each reviewer is who was ever asked."""
        ...

    def counted_loads(self, cycle_id: str) -> dict[int, Load]:
        """Read the same without how long they take and when they answered last, which are None."""
        ...

    def last_moves(
        self, cycle_id: str, applications: Collection[int]
    ) -> dict[int, tuple[datetime, bool]]:
        """Return when each was last asked about or answered, and whether it was an answer."""
        ...

    def asked_for(self, cycle_id: str) -> dict[tuple[int, int], int]:
        """Count the open assignments about each application, by (application, kind)."""
        ...

    def undated(self, cycle_id: str, kinds: Collection[int]) -> frozenset[int]:
        """Read which applications have an open request of one of these kinds without a date."""
        ...

    def far_apart(self, cycle_id: str, *, least: int) -> frozenset[int]:
        """Read which applications have two counted scores `least` millionths apart or more."""
        ...

    def process_health(self, cycle_id: str) -> ProcessHealth:
        """Read whether the processes behind a cycle are alive."""
        ...

    def received_since(self, cycle_id: str, since: datetime) -> tuple[int, datetime | None]:
        """Count first answers that came in since a moment, with when the last one did."""
        ...

    def due_from(self, cycle_id: str, since: datetime) -> tuple[tuple[datetime, int, int], ...]:
        """Count open assignments by the moment at which they are due, from `since` on, and kind.

        Returns:
            The moment, the number of the kind and the count of each, in the order of moments.
        """
        ...

    def pins(self, cycle_id: str) -> tuple[Pin, ...]:
        """Read the pins: applications that people want in or out."""
        ...

    def set_pin(
        self, cycle_id: str, application: int, *, verdict: str, by: str, reason: str
    ) -> None:
        """Store a pin in place of the one before; "" removes it."""
        ...
