"""Approvals, interviews, the proposed list and the decision as JSON."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from swapflow.domain.cohort.proposal import Verdict
from swapflow.web.api.models.base import (
    PLAIN,
    In,
    Line,
    Name,
    Out,
    Reason,
    ShownDigest,
    Why,
    WithListQuality,
)
from swapflow.web.api.models.tasks import Slot


class Proposed(Out):
    """A request that waits for approval."""

    id: str
    applicant: str
    kind: str
    decision: int


class Requests(In):
    """Requests by their ids."""

    requests: list[Name] = Field(min_length=1, max_length=1000)


class Struck(Requests):
    """Requests that are refused, and why."""

    reason: Why


class Place(Out):
    """One applicant's place in the proposed list."""

    applicant: int
    external_id: str
    name: str
    rank: int
    standing: str
    estimate: float | None
    raw_mean: float | None
    margin: float | None
    evidence: float
    too_close_to_call: bool
    likely: float | None = Field(
        default=None, description="Probability of being among the best, by the model."
    )
    tied: bool
    reviews: dict[str, int]
    reviews_missing: dict[str, int]


class Check(Out):
    """One thing that is looked at before a list is signed."""

    name: Literal["floors", "limits", "close_floor", "out_above_cut", "drawn_check"] = Field(
        description=(
            "`floors`: everybody has the reviews promised; `limits`: the list keeps every limit; "
            "`close_floor`: so has everybody too close to call; `out_above_cut`: nobody is "
            "proposed out although the plain average of the marks is above the cut; "
            "`drawn_check`: those drawn from the clearly out were read by a reviewer new to them, "
            "and its sentence says how many stayed out."
        )
    )
    met: bool = Field(
        description="Else a decision needs a waiver, and for a limit the rules a change."
    )
    applicants: list[str]
    sentences: list[str]


class Proposal(WithListQuality):
    """The list that the rule proposes; people decide."""

    program: str
    version: int
    rule: str
    objective: str
    stop_reason: str
    stop_sentence: str
    promises: str
    most_to_gain: float | None
    checks: list[Check]
    places: list[Place]
    digest: str = Field(
        description="Of all that a decision rests on; with it, no other list is prepared."
    )


class Change(In):
    """Where people decide otherwise than proposed."""

    applicant: Name
    verdict: Verdict
    reason: Why


class NewDecision(In):
    """A decision to be put up for signature."""

    changes: list[Change] = Field(default_factory=list, max_length=2000)
    waiver: Reason = Field(
        default="", description="Why it is accepted that somebody lacks a review."
    )
    digest: ShownDigest = ""


class ReopeningAsked(In):
    """Why a list is to be reopened, and which."""

    reason: Reason = ""
    digest: ShownDigest = ""


class Prepared(Out):
    """What waits for signatures."""

    what: Literal["decision", "reopening", "reconsideration", "undoing"]
    digest: str
    by: str
    reason: str
    signed: list[str]
    needed: int
    current: bool = Field(description="Whether it is still what would be decided now.")


class Digest(In):
    """The digest of what is signed, as it was read."""

    digest: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Signed(Out):
    """Whether that was the last signature, and it is done."""

    done: bool
    digest: str = Field(description="Of what was signed, and is fixed where it is done.")


class Outcome(Out):
    """What people decided about an applicant."""

    applicant: int
    verdict: Verdict
    by: str = Field(
        description="Who recorded it; of lists of earlier releases, the last who signed."
    )
    prepared_by: str = Field(description="Who prepared the list; empty where not on record.")
    reason: str
    at: datetime


class Outcomes(Out):
    """What people decided, and who signed it."""

    version: int
    signed: list[str]
    outcomes: list[Outcome]
    digest: str = Field(
        description='Of the list in force, to reopen or undo no other; "" for earlier ones.'
    )


class SetSlot(In):
    """When and where an interview is to be."""

    starts_at: AwareDatetime
    minutes: Annotated[int, Field(ge=5, le=1440)] = 30
    place: Line = ""
    link: Annotated[str, StringConstraints(max_length=1000, pattern=PLAIN)] = ""


class Interview(Out):
    """A request that people are to meet an applicant for."""

    request: str
    applicant: str
    kind: str
    reviewers: list[str]
    slot: Slot | None
    revision: str = Field(description="To be sent as `If-Match` with what takes its place.")


class FittingDate(Out):
    """A date for an interview without one, at which its whole panel is free."""

    request: str
    applicant: str
    kind: str
    reviewers: list[str]
    starts_at: datetime
    minutes: int
    revision: str = Field(description="To be sent as `If-Match` with this date.")


class LeftInterview(Out):
    """An interview for which no date was found, and why."""

    request: str
    applicant: str
    reason: str


class DaysPassedOver(Out):
    """A public holiday, or days on which the office is closed: no interview is proposed then."""

    first: date
    last: date
    name: str = Field(description="Of the holiday; empty where the office is closed.")


class FittingDates(Out):
    """Dates for all interviews without one; none of them is set."""

    notice: int = Field(description="Working days until the first day.")
    first_day: date
    dates: list[FittingDate] = Field(description="The earliest first.")
    left: list[LeftInterview]
    passed_over: list[DaysPassedOver] = Field(
        description="Public holidays and closed days of the rules, up to the last date."
    )


class SwapChoices(Out):
    """Numbers of those who may take whose place in a request."""

    applicants: list[int]
    reviewers: list[int]


class Swap(In):
    """Another applicant, a chosen reviewer, or both, by number."""

    applicant: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    reviewer: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    reason: Why


class PromisedReviews(Out):
    """What promised reviews still cost, and what can pay them."""

    applicants: list[str] | None = Field(
        description="Ids of those who lack one; null for a caller who reviews in the program."
    )
    needed: int
    free: int
    reserve: int = Field(description="Kept for requests of staff.")
    short: int = Field(description="What is missing; 0 where all can be paid.")
    from_reserve: int = Field(description="What of it the reserve can pay.")
    held: str = Field(description="Why decisions wait for approvals alone; empty if they do not.")


class FromReserve(In):
    """Pay promised reviews from the reserve."""

    reason: Why
    shown: int | None = Field(None, ge=0, description="`from_reserve` as it was read.")
