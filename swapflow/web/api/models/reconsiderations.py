"""Reconsiderations of single applicants as JSON."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from swapflow.domain.cohort.reconsideration import MOST_REVIEWS, USUAL_REVIEWS, Result
from swapflow.web.api.models.base import In, Line, Name, Out, Reason, ShownDigest, Why


class NewReconsideration(In):
    """One applicant is to be looked at again by reviewers who never had the application."""

    applicant: int = Field(ge=0, le=10_000_000)
    reason: Why
    asked_by: Name = Field(description="Who asked for it, for instance the applicant.")
    asked_on: dt.date | None = Field(default=None, description="When they did; else today.")
    reviews: Annotated[int, Field(ge=0, le=MOST_REVIEWS)] = USUAL_REVIEWS
    kind: Line = Field(default="", description="Of which kind; the first where it is empty.")


class Reconsideration(Out):
    """A reconsideration as it stands; estimates are 0 to 100."""

    id: int
    applicant: int
    version: int = Field(description="Version of the list that was in force.")
    kind: str
    reviews: int
    asked_by: str
    asked_on: dt.date
    reason: str
    opened_by: str
    opened_at: dt.datetime
    result: Result | None = Field(description="Nothing while it is open.")
    made_version: int | None = Field(description="Version of the list that it made.")
    place: int | None = Field(description="Place on the waitlist, from 1.")
    before: float | None
    after: float | None
    received: int
    beyond_the_places: bool
    exceptions: list[str]
    signed: list[str]
    closed_at: dt.datetime | None


class TakingBack(In):
    """Why a reconsideration is taken back, and which."""

    reason: Reason = ""
    reconsideration: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = Field(
        default=None, description="Id of the one that was shown; with it, no other is taken back."
    )


class Statement(Out):
    """Where the applicant would stand with every score that counts, and what is proposed."""

    applicant: int
    reviews: int
    received: int
    waiting: int
    before: float | None
    after: float
    line: float | None = Field(description="Lowest estimate among those on the list.")
    waitlist_now: int | None
    waitlist_then: int
    places: int
    places_held: int
    proposes: Result
    exceptions: list[str]
    digest: str = Field(description="Of this statement; with it, nothing else is decided.")
    how: str = Field(description="How the estimates are computed.")


class NewConclusion(In):
    """What people decide; others sign it too."""

    result: Literal["added", "waitlisted", "stays"] | None = Field(
        default=None, description="What is proposed where it is not given."
    )
    reason: Reason = ""
    beyond: bool = Field(default=False, description="Add the person though the places are full.")
    digest: ShownDigest = ""
