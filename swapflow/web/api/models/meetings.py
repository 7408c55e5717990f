"""The meeting about a list as JSON."""

from datetime import datetime

from pydantic import Field

from swapflow.domain.cohort.meeting import Word
from swapflow.web.api.models.base import In, Out, Reason, Why


class Recorded(Out):
    """Something that was recorded about an applicant."""

    applicant: int
    outcome: Word
    reason: str
    by: str
    at: datetime


class MeetingAbout(Out):
    """An applicant as the meeting sees them."""

    applicant: int
    rank: int
    standing: str
    too_close_to_call: bool
    outcome: Word | None
    endorsements: list[str] = Field(description="Words in favour; who wrote them is not told.")
    revision: str = Field(description="To be sent as `If-Match` with another outcome.")


class TheMeeting(Out):
    """The meeting about a list, in the order of the proposal."""

    version: int
    revision: str = Field(description="To be sent as `If-Match` when the meeting is closed.")
    opened_by: str | None
    opened_at: datetime | None
    closed_by: str | None = Field(description="Null while it is open, or open again.")
    closed_at: datetime | None
    open: bool = Field(description="Whether outcomes can be recorded now.")
    places: int
    filled: int = Field(description="Who is in as proposed and as recorded.")
    limits: list[str]
    without_outcome: list[int] = Field(description="Too close to call, and nothing final said.")
    applicants: list[MeetingAbout]
    recorded: list[Recorded] = Field(description="Every change, the first first.")


class NewOutcome(In):
    """What the meeting says about an applicant."""

    outcome: Word
    reason: Reason = Field(default="", description="Why; only `discuss` needs none.")


class NewEndorsement(In):
    """Words in favour of an applicant; they enter no estimate."""

    text: Why
