"""When and where the people of one pull meet the applicant."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Interview:
    """A slot as staff have set it.

    Attributes:
        starts_at: Aware UTC; `zone` is the one to show it in.
        sequence: Grows with every change: calendars take the highest.
        missed: The applicant did not come.
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
    def ends_at(self) -> datetime:
        """When it is planned to be over."""
        return self.starts_at + timedelta(minutes=self.minutes)

    @property
    def stands(self) -> bool:
        """Whether people are to come."""
        return not self.cancelled and not self.missed
