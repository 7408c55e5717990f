"""Reconsiderations: one application is looked at again after the list was made final."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum


USUAL_REVIEWS = 2
"""Fresh reviews that are requested unless a number is given."""

MOST_REVIEWS = 10


class Result(StrEnum):
    """The result of a reconsideration.

    ADDED: onto the list, again where a place was declined. WAITLISTED: onto the waitlist, or
    further up on it. STAYS: as it was. WITHDRAWN: taken back before it was decided. UNDONE: added
    or waitlisted, and undone before anybody was told.
    """

    ADDED = "added"
    WAITLISTED = "waitlisted"
    STAYS = "stays"
    WITHDRAWN = "withdrawn"
    UNDONE = "undone"


CHANGES = frozenset({Result.ADDED, Result.WAITLISTED})
"""Results that make a new version of the list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewReconsideration:
    """A reconsideration at its opening.

    Attributes:
        version: Version of the list in force.
        kind: Index of the kind of the fresh reviews; `reviews`: how many were requested.
        asked_by: Who asked for it, as the office calls them; `asked_on`: when they did.
        stood: Status of the application when it was opened.
    """

    application: int
    version: int
    kind: int
    reviews: int
    asked_by: str
    asked_on: date
    reason: str
    stood: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """How a reconsideration ended.

    Attributes:
        version: Version of the list that it made; 0 where the list stays as it is.
        place: Rank on the waitlist, from 1; 0 for none.
        before: The estimate that the list was made by; None for an applicant who was no candidate
            then.
        after: The estimate with every score that counts.
        received: Fresh reviews received.
        beyond: Whether the person is added beyond the places.
        exceptions: Limits on groups that the list breaks since, in words.
        reason: Reason of the decision.
    """

    result: Result
    version: int = 0
    place: int = 0
    before: float | None = None
    after: float | None = None
    received: int = 0
    beyond: bool = False
    exceptions: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconsideration:
    """A reconsideration in its present state.

    Attributes:
        by: Who opened it.
        closing: How it ended; None while it is open.
        closed_by: Who signed, or withdrew it.
    """

    id: int
    new: NewReconsideration
    by: str
    at: datetime
    closing: Closing | None = None
    closed_by: tuple[str, ...] = ()
    closed_at: datetime | None = None

    @property
    def application(self) -> int:
        """The application's number."""
        return self.new.application

    @property
    def is_open(self) -> bool:
        """Whether it waits for reviews or for signatures."""
        return self.closing is None

    @property
    def adds(self) -> bool:
        """Whether it put the person on the list."""
        return self.closing is not None and self.closing.result is Result.ADDED
