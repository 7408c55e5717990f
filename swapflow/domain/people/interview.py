"""When and where the people of one pull meet the applicant."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Interview:
    """A slot for an interview, set by staff.

    Attributes:
        starts_at: Aware UTC; pages show it in `zone`.
        sequence: Grows with every change: calendars use the highest.
        missed: Whether the applicant did not come.
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
