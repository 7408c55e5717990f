"""Offers of places and answers as JSON."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from swapflow.domain.cohort.offer import OfferAnswer
from swapflow.web.api.models.base import In, Out, Reason, ShownDigest


Share = Annotated[float, Field(allow_inf_nan=False, ge=0, le=1)]
Many = Annotated[int, Field(ge=0, le=10_000)]


class Offered(Out):
    """An offer of a place, and what was answered."""

    applicant: int
    line: str
    answer: OfferAnswer
    by: str
    at: datetime
    until: datetime | None
    revision: str = Field(description="To be sent as `If-Match` with what takes its place.")


class Rate(Out):
    """How many accept, as it was stated: one rate for everybody."""

    expected: float = Field(description="Share that is expected to accept.")
    low: float = Field(description="Lower end of the central 95 %.")
    high: float = Field(description="Upper end of the central 95 %.")
    risk: float = Field(description="Most probability of too many accepting, in the whole round.")
    source: str
    by: str
    at: datetime
    revision: str = Field(description="To be sent as `If-Match` with what takes its place.")


class Offers(Out):
    """How the offers of a fixed list stand."""

    version: int
    places: int
    offers: list[Offered]
    waitlist: list[int] = Field(description="Who may still be offered a place, in order.")
    rate: Rate | None
    risk: float = Field(description="Probability that too many accept, as things stand.")
    limits_given_way: list[str]


class NextOffer(Out):
    """A place that can be offered now, and to whom."""

    applicant: int
    line: str


class Wave(Out):
    """The offers that go out next, or went out."""

    offers: list[NextOffer]
    no_answer: list[int] = Field(description="Whose date passed without an answer.")
    risk: float = Field(description="By how much it raises the probability of too many accepting.")
    digest: str = Field(description="Of these offers; with it, no others are recorded.")


class NewWave(In):
    """Which offers are to be recorded."""

    until: AwareDatetime | None = Field(default=None, description="When an answer counts at last.")
    at_most: Many = Field(default=0, description="Most offers; 0 for all that are free.")
    seen: list[Annotated[int, Field(ge=0, le=2**31 - 1)]] | None = Field(
        default=None,
        max_length=10_000,
        description="Who was shown as next, in order; with it, nobody else is offered a place.",
    )
    digest: ShownDigest = ""


class NewAnswer(In):
    """What an applicant answered."""

    answer: Literal["accepted", "declined"]
    reason: Reason = Field(default="", description="How it was said; may stay empty.")


class NewRate(In):
    """How many accept: last year's counts, or between which shares it lies."""

    accepted: Many | None = None
    of: Many | None = None
    low: Share | None = None
    high: Share | None = None
    risk: Share = Field(
        default=0.05, description="Most probability of too many accepting, in the whole round."
    )
