"""The meeting about a list as JSON."""

from datetime import datetime

from pydantic import Field

from swapflow.domain.cohort.meeting import Shown, Word, ZoneSide
from swapflow.web.api.models.base import In, Out, Reason, Why


class Recorded(Out):
    """Something that was recorded about an applicant."""

    applicant: int
    outcome: Word
    reason: str
    by: str
    at: datetime
    line: str = Field(description="The line of the place; empty where none was named.")
    decided_together: int = Field(description="How many applicants the one act decided.")


class LookedAt(Out):
    """The meeting opened a file, or showed an estimate."""

    applicant: int
    what: Shown
    by: str
    at: datetime


class DrawnCheckSeen(Out):
    """What became of those drawn from the clearly out to be read once more."""

    made: bool = Field(description="Whether there was a draw.")
    drawn: list[int] = Field(description="Their numbers; empty before the draw.")
    unread: list[int] = Field(description="Those whom no reviewer new to them has read.")
    stayed_out: int
    sentence: str


class ClearZone(Out):
    """The applicants on one side of the cut who are not too close to call."""

    zone: ZoneSide
    applicants: list[int] = Field(description="Those without an outcome of their own.")
    shown: str = Field(description="To be sent when the zone is confirmed.")
    confirmed_by: str | None
    confirmed_at: datetime | None
    files_opened: int
    drawn_check: DrawnCheckSeen | None = Field(
        default=None, description="Of those out, where the rules draw some of them."
    )


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
    looked_at: list[LookedAt]
    clear_zones: list[ClearZone]


class NewOutcome(In):
    """What the meeting says about an applicant."""

    outcome: Word
    reason: Reason = Field(
        default="", description="Why; `discuss` needs none, nor an outcome as proposed."
    )
    line: str = Field(default="", max_length=200, description="The line of places, of those in.")


class DecidedApplicant(In):
    """One of several applicants that one act decides."""

    applicant: int = Field(ge=0)
    revision: str = Field(
        max_length=70, description="The revision of the outcome that it replaces."
    )


class NewOutcomes(NewOutcome):
    """One decision about several applicants, recorded as that."""

    applicants: list[DecidedApplicant] = Field(min_length=1, max_length=200)


class ConfirmedZone(In):
    """The person who is signed in takes on a clear zone."""

    shown: str = Field(max_length=200, description="From `clear_zones`: what is confirmed.")


class NewEndorsement(In):
    """Words in favour of an applicant; they enter no estimate."""

    text: Why
