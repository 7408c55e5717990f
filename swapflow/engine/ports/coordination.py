"""What the coordinator needs from the record: leases, events, messages to workers."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from swapflow.domain.cycle import Position
from swapflow.domain.event import Event
from swapflow.domain.reviewing.assignment import Assignment
from swapflow.domain.rules import Rules
from swapflow.engine.ports.records import (
    DecisionRecord,
    DecisionStep,
    DueWork,
    Lease,
    RowCheck,
    StaffRequest,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CycleHead:
    """What tells a coordinator whether a cycle has anything for it, without its rules and events.

    Attributes:
        status: The stored status.
        position: The last event.
        overdue: Whether an open assignment's due time has passed.
        staff_requests: Whether staff have requested something that is still open.
        leader: Who holds a lease that is valid now; "" where nobody does.
        rested: Whether a leader found nothing to do after the last event.
        rests_until: The moment that ends such a rest though no event comes; None for no end.
    """

    status: str
    position: Position
    overdue: bool
    staff_requests: bool
    leader: str
    rested: bool = False
    rests_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CycleHeads:
    """All cycles' heads at a moment, none if one cannot be read; coordinators that are there."""

    now: datetime
    of: Mapping[str, CycleHead]
    coordinators: frozenset[str] = frozenset()

    def led(self) -> dict[str, list[str]]:
        """Return the cycles that each coordinator leads, by its name; none for one that waits."""
        led: dict[str, list[str]] = {name: [] for name in sorted(self.coordinators)}
        for cycle_id, head in sorted(self.of.items()):
            if head.leader:
                led.setdefault(head.leader, []).append(cycle_id)
        return led


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """What a leader notes of a cycle in which it has nothing to do.

    Attributes:
        lease: Its lease; under another nothing is noted.
        seq: The last event that it knew.
        until: The moment that ends the rest though no event comes; None for no end.
    """

    lease: Lease
    seq: int
    until: datetime | None


class DecisionMark(NamedTuple):
    """What tells one decision from another, and when it was made."""

    number: int
    digest: str
    at: datetime


class EventReads(Protocol):
    """What a cycle is rebuilt from: its events, and the rules that they name."""

    def events(self, cycle_id: str, *, after: Position, at_most: int) -> tuple[Event, ...] | None:
        """Read events after a position, at least one if any; None: it never stood there."""
        ...

    def rules(self, cycle_id: str, version: int = 0) -> Rules:
        """Read a rules version, 0 for the current one."""
        ...


class Coordination(Protocol):
    """Leases, events, decisions and outgoing messages of the coordinator."""

    def take_lease(self, cycle_id: str, *, holder: str, seconds: float) -> Lease | None:
        """Take or renew the lease; None while another holder's is still valid.

        A new holder, or the same after its lease ran out, gets a higher epoch. The database's
        own time decides, without the test offset.
        """
        ...

    def release_lease(self, lease: Lease) -> None:
        """Release the lease, so that another coordinator can take over at once."""
        ...

    def renew_leases(
        self, leases: Collection[Lease], *, seconds: float, wait: bool = True
    ) -> frozenset[str]:
        """Renew leases that are still held, in one write; return the ids of their cycles.

        Args:
            leases: Those to renew.
            seconds: How long they last from now.
            wait: Whether to wait for cycles that are being written to; else they are left out.
        """
        ...

    def take_leases(
        self, cycle_ids: Collection[str], *, holder: str, seconds: float
    ) -> tuple[Lease, ...]:
        """Take the leases of cycles that nobody leads, in one write; return those it got.

        Each has a higher epoch than the one before. Cycles that are being written to are left out.
        """
        ...

    def note_rests(self, rests: Collection[Rest]) -> frozenset[str]:
        """Store that cycles rest, in one write; return the ids of those that do.

        Left out are cycles with a later event, under another lease, or being written to.
        """
        ...

    def announce(self, holder: str, *, seconds: float) -> None:
        """Store that a coordinator is there for some seconds more; 0: that it has gone.

        Others count it when they share the programs, whether it leads one or not.
        """
        ...

    def heads(self, *, lease_seconds: float) -> CycleHeads:
        """Read the heads of all cycles: one look for as many as there are.

        Args:
            lease_seconds: Life of a lease here. One that ends much later comes from a clock that
                was set back, and counts as none; so does a coordinator's word that it is there.
        """
        ...

    def events(self, cycle_id: str, *, after: Position, at_most: int) -> tuple[Event, ...] | None:
        """Read events after a position, at least one if any; None: it never stood there."""
        ...

    def check_chain(self, cycle_id: str) -> str | None:
        """Recompute every event's hash from the stored bytes; return the first fault, or None."""
        ...

    def check_rows(self, cycle_id: str) -> RowCheck:
        """Compare the rows that people's decisions are stored in with the events."""
        ...

    def salts(self, cycle_id: str) -> dict[str, str]:
        """Read the salts of the digests of names that events hold, by digest."""
        ...

    def unsent(
        self, *, again_after: float, at_most: int, without: Collection[str] = ()
    ) -> tuple[Assignment, ...]:
        """Read QUEUED assignments of cycles that dispatch, never sent or sent too long ago.

        Args:
            again_after: Seconds after which a message without effect is sent again; each
                further time waits twice as long, up to 64 times.
            at_most: Most rows.
            without: Cycles that are left out.

        Raises:
            DamagedRecordError: If a row cannot be read; names its cycle.
        """
        ...

    def mark_sent(self, ids: Collection[str]) -> None:
        """Record that the messages of these assignments have been handed to the broker."""
        ...

    def unanswered(
        self, cycle_id: str, automatic: Collection[int], *, at_most: int
    ) -> tuple[Assignment, ...]:
        """Read open assignments of the given (automatic) reviewers, oldest first."""
        ...

    def mark_delivered(self, ids: Collection[str]) -> int:
        """Move QUEUED assignments to DELIVERED and return how many; writes no event."""
        ...

    def mark_opened(self, assignment_id: str, *, rubric_version: int) -> bool:
        """Move an assignment to OPENED and pin its rubric; False when it was open already."""
        ...

    def decisions(self, cycle_id: str) -> tuple[DecisionRecord, ...]:
        """Read a cycle's decisions, in order."""
        ...

    def decisions_numbered(
        self, cycle_id: str, numbers: Collection[int]
    ) -> dict[int, DecisionRecord]:
        """Read some decisions, by number."""
        ...

    def decision_marks(
        self, cycle_id: str, number: int, *, at_most: int
    ) -> tuple[DecisionMark, ...]:
        """Read which decisions are below a number, newest first; 0: the newest."""
        ...

    def decisions_before(
        self, cycle_id: str, number: int, *, at_most: int
    ) -> tuple[tuple[DecisionRecord, datetime], ...]:
        """Read decisions below a number and when they were made, newest first; 0: the newest."""
        ...

    def last_look(self, cycle_id: str) -> dict[str, float] | None:
        """Read the numbers of the last decision that recorded a fitted model; None before."""
        ...

    def steps(self, cycle_id: str, *, at_most: int) -> tuple[DecisionStep, ...]:
        """Read the last decisions in numbers, oldest first."""
        ...

    def wishes(self, cycle_id: str) -> tuple[StaffRequest, ...]:
        """Read the open staff requests, oldest first."""
        ...

    def due_work(self, cycle_id: str) -> DueWork:
        """Read what waits for a cycle's coordinator: most turns find nothing, in one look."""
        ...
