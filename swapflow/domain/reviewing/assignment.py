"""Pulls and assignments: a request for one score, and one seat of it, given to one reviewer."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class PullStatus(StrEnum):
    """The status of a pull.

    PROPOSED ──► OPEN ──► CLOSED        proposed: waits for a person's approval
        └─────────┴─────► CANCELLED

    The budget's reservation belongs to the pull: committed when it is proposed or opened, spent
    when its score counts, released when it is cancelled.
    """

    PROPOSED = "proposed"
    OPEN = "open"
    CLOSED = "closed"
    CANCELLED = "cancelled"


class PullReason(StrEnum):
    """The origin of a pull."""

    FLOOR = "floor"
    RULE = "rule"
    CHANCE = "chance"
    DRAWN = "drawn"
    STAFF = "staff"
    # The stored word is older than the name, and stored words stay.
    RECONSIDERATION = "appeal"
    LATE = "late"


class AssignmentStatus(StrEnum):
    """The status of an assignment.

    QUEUED ──► DELIVERED ──► OPENED ──► SCORED
       │           ├────────────┤────► DECLINED    (reviewer says no; the pull is given to another)
       │           ├────────────┤────► NO_SHOW     (the applicant did not come to the interview)
       ├───────────┼────────────┤────► TAKEN_BACK  (staff took it from the reviewer)
       ├───────────┴────────────┼────► EXPIRED     (due time passed; the pull is given to another)
       └───────────┴────────────┴────► CANCELLED   (no longer needed: withdrawn, settled, replaced)

    A late score for an expired assignment is accepted once and flagged: it is information
    already paid for. Nothing is ever counted twice.
    """

    QUEUED = "queued"
    DELIVERED = "delivered"
    OPENED = "opened"
    SCORED = "scored"
    DECLINED = "declined"
    NO_SHOW = "no-show"
    TAKEN_BACK = "taken back"
    EXPIRED = "expired"
    CANCELLED = "cancelled"

    @property
    def is_given_away(self) -> bool:
        """Whether its reviewer is rid of it: an answer that comes all the same is refused."""
        return self in _GIVEN_AWAY

    @property
    def is_open(self) -> bool:
        """Whether a score is still awaited."""
        return self in OPEN_ASSIGNMENT


OPEN_ASSIGNMENT = frozenset(
    {AssignmentStatus.QUEUED, AssignmentStatus.DELIVERED, AssignmentStatus.OPENED}
)

_GIVEN_AWAY = frozenset(
    {AssignmentStatus.DECLINED, AssignmentStatus.NO_SHOW, AssignmentStatus.TAKEN_BACK}
)


class EndedWhy(StrEnum):
    """Why the requests of a reviewer ended early; the event `expired` names it.

    LEFT: the reviewer left the program. BARRED: a conflict or a panel bars them since. ANSWERED:
    they answered an earlier request about the same applicant.
    """

    LEFT = "left"
    BARRED = "barred"
    ANSWERED = "answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull:
    """One request for one score of one application.

    Attributes:
        kind: Index of the kind in the rules.
        ordinal: Its number among the pulls of this kind of this application, from 1.
        cost: Cost reserved for it, in the round's unit.
        gain: Its information, in gain units.
        decision: Number of the decision that made it, 0 for none.
        seats: Number of its reviewers.
        quorum: Number of answers that close it.
    """

    id: str
    cycle_id: str
    application: int
    kind: int
    ordinal: int
    status: PullStatus
    why: PullReason
    cost: int
    gain: int
    decision: int
    seats: int = 1
    quorum: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One seat of a pull given to one reviewer.

    Attributes:
        packet: The reviewer's packet that it was sent in, from 1.
        rubric_version: Version of the rubric at its opening; 0 before.
        sent_at: When its broker message was last sent, None when never.
        sends: How often its message was sent.
    """

    id: str
    pull_id: str
    cycle_id: str
    application: int
    kind: int
    ordinal: int
    seat: int
    attempt: int
    reviewer: int
    status: AssignmentStatus
    packet: int
    rubric_version: int
    created_at: datetime
    due_at: datetime | None
    sent_at: datetime | None = None
    sends: int = 0
    opened_at: datetime | None = None

    @property
    def due_minute(self) -> datetime | None:
        """The due time to the minute, as reviewers may know it.

        Its seconds would show in which order a batch was made, and so who was asked about first.
        """
        return None if self.due_at is None else self.due_at.replace(second=0, microsecond=0)


def seat_items(assignments: Iterable[Assignment]) -> list[list[int]]:
    """Return the `items` of an event: [a, k, ordinal, seat, attempt, r] of each assignment."""
    return [[a.application, a.kind, a.ordinal, a.seat, a.attempt, a.reviewer] for a in assignments]
