"""When and where the people of one pull meet the applicant, and when they are taken."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from swapflow.domain.people.reviewer import Absence


UNTOLD = -1
"""The sequence of a date of which no one was told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interview:
    """A slot for an interview, set by staff.

    Attributes:
        starts_at: Aware UTC; pages show it in `zone`.
        sequence: Grows with every change: calendars use the highest.
        missed: Whether the applicant did not come.
        told: Under which sequence its people were told of it, where that is an earlier one: a
            change that was undone before its mails left; `UNTOLD` for never.
    """

    pull_id: str
    starts_at: datetime
    minutes: int
    zone: str
    place: str = ""
    link: str = ""
    sequence: int = 0
    cancelled: bool = False
    missed: bool = False
    by: str = ""
    told: int | None = None

    @property
    def told_as(self) -> int:
        """The sequence of what its people were told last; `UNTOLD` for nothing."""
        return self.sequence if self.told is None else self.told

    @property
    def revision(self) -> str:
        """The revision that a form about another slot is made from."""
        return str(self.sequence + 1) + ("" if self.stands else "-")

    @property
    def ends_at(self) -> datetime:
        """The planned end."""
        return self.starts_at + timedelta(minutes=self.minutes)

    @property
    def stands(self) -> bool:
        """Whether the slot is valid: neither cancelled nor missed."""
        return not self.cancelled and not self.missed


@dataclass(frozen=True, slots=True, kw_only=True)
class Booking:
    """One interview that takes a reviewer's time.

    Attributes:
        reviewer: Their number in the program whose diary this is.
        pull_id: The interview's request, perhaps of another program.
        starts_at: Aware UTC.
    """

    reviewer: int
    pull_id: str
    starts_at: datetime
    minutes: int

    @property
    def ends_at(self) -> datetime:
        """The planned end."""
        return self.starts_at + timedelta(minutes=self.minutes)

    def overlaps(self, starts_at: datetime, ends_at: datetime) -> bool:
        """Whether it takes any of this time; one may begin when the other ends."""
        return self.starts_at < ends_at and starts_at < self.ends_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Diary:
    """What the reviewers of a program have to do and when they are away, in all programs.

    Attributes:
        bookings: Their interviews, the earliest first.
        away: Their days away, by their numbers; one who is away in one program is so in all.
    """

    bookings: tuple[Booking, ...] = ()
    away: Mapping[int, tuple[Absence, ...]] = field(default_factory=dict)

    def clash(
        self, reviewers: Collection[int], starts_at: datetime, minutes: int
    ) -> Booking | None:
        """Return the first interview that takes some of the time of one of these people.

        Args:
            reviewers: Their numbers.
            starts_at: When they are wanted.
            minutes: For how long.
        """
        ends_at = starts_at + timedelta(minutes=minutes)
        for one in self.bookings:
            if one.reviewer in reviewers and one.overlaps(starts_at, ends_at):
                return one
        return None

    def is_away(self, reviewer: int, on: date) -> bool:
        """Whether a reviewer is away on a day."""
        return any(days.first <= on <= days.last for days in self.away.get(reviewer, ()))
