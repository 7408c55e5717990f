"""Announcements to applicants as JSON."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from swapflow.domain.cohort.announcement import Group, LetterState
from swapflow.web.api.models.base import PROSE, In, Name, Out, ShownDigest


class LetterWording(In):
    """What a group is told; `{name}`, `{program}` and `{until}` are put in for each letter."""

    subject: Name
    text: Annotated[str, StringConstraints(min_length=1, max_length=10_000, pattern=PROSE)]


class NewLetters(In):
    """Which letters are to be worked out."""

    offered: LetterWording | None = Field(
        default=None, description="What those with an open offer are told; null writes to none."
    )
    waitlisted: LetterWording | None = None
    not_selected: LetterWording | None = None
    waitlist: Annotated[int, Field(ge=0, le=100_000)] | None = Field(
        default=None,
        description="How many of the waitlist, from its top, are told that they are on it; the "
        "others are told that they were not selected. Null for all.",
    )


class NewAnnouncement(NewLetters):
    """Which letters are to be written."""

    hold_minutes: Annotated[int, Field(ge=0, le=43_200)] = Field(
        default=30, description="How long they can be taken back before they leave."
    )
    seen: str = Field(
        default="",
        max_length=200,
        description="Digest of the letters that were shown; with it, no others are written.",
    )
    digest: ShownDigest = ""


class TakenBack(In):
    """Which letters are taken back."""

    announcement: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = Field(
        default=None,
        description="Id of the announcement that was shown as held; with it, no other is.",
    )


class LetterDraft(Out):
    """A letter as it would leave."""

    applicant: int
    group: Group
    to: str = Field(description='Mail address; "" when none is known.')
    subject: str
    paragraphs: list[str]


class LettersDraft(Out):
    """The letters as they would leave."""

    version: int
    letters: list[LetterDraft]
    unreachable: list[LetterDraft] = Field(description="Those without a mail address.")
    unoffered: list[int] = Field(description="Chosen, and without an offer so far.")
    digest: str


class LetterOut(Out):
    """A letter that was written, and where it is."""

    applicant: int
    group: Group
    state: LetterState
    detail: str = Field(description="Why it failed, or was not sent.")


class Announced(Out):
    """Letters that were written together."""

    id: int
    version: int
    by: str
    at: datetime
    leaves_at: datetime
    taken_back_by: str = Field(description='"" when nobody took them back.')
    letters: list[LetterOut]
