"""When and where the people of one pull meet the applicant."""

from dataclasses import dataclass
from datetime import datetime, timedelta


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
