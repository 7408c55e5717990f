"""Applicants as JSON."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from swapflow.domain.people.application import Application as AnApplication
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.reviewing.score import reason_code
from swapflow.engine.intake.applications import applicant_revision
from swapflow.engine.read_models.estimate_way import EstimateWay
from swapflow.engine.read_models.explanation import Explanation as AnExplanation
from swapflow.engine.read_models.explanation import PullExplanation
from swapflow.web.api.models.base import (
    PLAIN,
    Email,
    In,
    Line,
    Name,
    Out,
    Reason,
    Text,
    Why,
    hundred,
)


class Applicant(Out):
    """One person in one program."""

    number: int
    external_id: str
    name: str
    email: str
    status: ApplicationStatus
    wave: int
    attributes: dict[str, str]
    fields: dict[str, str]
    revision: str = Field(
        description="To be sent as `If-Match` with another state, name or mail address."
    )

    @classmethod
    def of(cls, application: AnApplication) -> "Applicant":
        """Format an application."""
        return cls(
            number=application.number,
            external_id=application.external_id,
            name=application.name,
            email=application.email,
            status=application.status,
            wave=application.wave,
            attributes=application.attributes,
            fields=application.fields,
            revision=applicant_revision(application),
        )


class Opened(Out):
    """What became of opening an applicant."""

    opened: bool = Field(description="False where the caller had opened them before.")


class NewDocument(In):
    """A file that reviewers may see, by its address."""

    name: Name
    link: Annotated[
        str, StringConstraints(max_length=2000, pattern=r"^https?://[^\x00-\x20\x7f]+$")
    ]
    redacted: bool = False


class NewApplicant(In):
    """One applicant to be added."""

    external_id: Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=PLAIN)]
    name: Line = ""
    email: Email | Literal[""] = ""
    ready: bool = True
    attributes: dict[Line, Line] = Field(default_factory=dict, max_length=50)
    monitoring: dict[Line, Line] = Field(
        default_factory=dict,
        max_length=50,
        description="For reports only; never given out again. Of dates of birth, bands are kept.",
    )
    fields: dict[Line, Text] = Field(default_factory=dict, max_length=200)
    documents: list[NewDocument] = Field(default_factory=list, max_length=50)


class NewApplicants(In):
    """Applicants to be added: all of them, or none, but for those who were erased."""

    wave: Annotated[int, Field(ge=0, le=1000)] = 0
    age_bands: Annotated[str, StringConstraints(max_length=80)] = Field(
        default="", description="Ages at which the bands of birth dates begin: 20,25,30,40."
    )
    applicants: list[NewApplicant] = Field(min_length=1, max_length=2000)
    again: list[Line] = Field(
        default_factory=list,
        max_length=2000,
        description="Ids of applicants among them who were erased and are to come back.",
    )


class Move(In):
    """Another status for an applicant."""

    status: Literal["ready", "held", "withdrawn", "ineligible", "incomplete"]
    reason: Reason = ""


class Contact(In):
    """How an applicant is called and reached; what is left out stays."""

    name: Line | None = None
    email: Email | None = None
    reason: Reason = ""


class NewPin(In):
    """People want an applicant in or out, whatever the marks say; neither takes a pin away."""

    verdict: Literal["in", "out", "neither"]
    reason: Reason = ""


class Pin(Out):
    """Who wants an applicant in or out, and why."""

    applicant: int
    verdict: str
    by: str
    reason: str
    at: datetime
    revision: str = Field(description="To be sent as `If-Match` with what takes its place.")


class Ask(In):
    """An extra review that staff want."""

    kind: Name
    reason: Why


class Asked(Out):
    """One review of an applicant: why it was asked for, and what came of it."""

    request: str
    kind: str
    why: str
    floor: Literal["", "all", "chosen", "close"] = Field(
        description="Whom the rules promise such a review, where `why` is floor."
    )
    decision: int
    too_close_then: bool
    in_list_then: bool
    status: str
    reviewer: str
    score: float | None
    counts: bool
    reason: str
    reason_code: str = Field(description="Why it does not count; empty for people's own words.")

    @classmethod
    def of(cls, asked: PullExplanation) -> "Asked":
        """Format a review that was asked for; its score in points of 100."""
        return cls(
            request=asked.request,
            kind=asked.kind,
            why=asked.why,
            floor=asked.floor.value if asked.floor else "",
            decision=asked.decision,
            too_close_then=asked.contested_then,
            in_list_then=asked.in_list_then,
            status=asked.status,
            reviewer=asked.reviewer,
            score=hundred(asked.score),
            counts=asked.counts,
            reason=asked.reason,
            reason_code=reason_code(asked.reason),
        )


class Way(Out):
    """The way from the mean of an applicant's marks to the estimate, in points of 100."""

    marks: int
    mean: float
    few_marks: float = Field(
        description=(
            "How much nearer to the program's average, because there are few marks; with the "
            "severity, where that is null."
        )
    )
    severity: float | None = Field(
        description=(
            "Added for severe reviewers, taken away for generous; null where the rules keep "
            "figures about reviewers apart."
        )
    )
    kind: float = Field(description="Taken away for kinds that are marked more generously.")
    estimate: float = Field(description="The sum of these.")
    margin: float
    sentences: list[str]

    @classmethod
    def of(cls, way: EstimateWay) -> "Way":
        """Format the steps in points of 100, and the sentences that tell them."""
        return cls(
            marks=way.marks,
            mean=100 * way.mean,
            few_marks=100 * way.few_marks,
            severity=None if way.severity is None else 100 * way.severity,
            kind=100 * way.kind,
            estimate=100 * way.estimate,
            margin=100 * min(way.margin, 1.0),
            sentences=[str(one) for one in way.sentences()],
        )


class Explanation(Out):
    """Where an applicant stands, and why they were asked about."""

    external_id: str
    status: str
    rank: int | None
    in_list: bool
    estimate: float | None
    margin: float | None
    evidence: float
    too_close_to_call: bool
    way: Way | None = Field(
        description="From the mean of the marks to the estimate; null where that is the mean."
    )
    likely: float | None = Field(
        description="Probability of being among the best, by the model; null without a rank."
    )
    asked: list[Asked]

    @classmethod
    def of(cls, told: AnExplanation) -> "Explanation":
        """Format an explanation; estimate and margin in points of 100."""
        return cls(
            external_id=told.external_id,
            status=told.status,
            rank=told.rank,
            in_list=told.in_list,
            estimate=hundred(told.estimate),
            margin=hundred(told.margin),
            evidence=told.evidence,
            too_close_to_call=told.too_close,
            likely=told.likely,
            way=None if told.way is None else Way.of(told.way),
            asked=[Asked.of(asked) for asked in told.asked],
        )


class NearSpellings(Out):
    """Spellings of an attribute that are perhaps one value."""

    attribute: str
    spellings: dict[str, int] = Field(description="How many applicants have each.")
    proposed: str = Field(description="The one that the others would be taken for.")


class UnknownNamed(Out):
    """A value that the rules name and no applicant has."""

    attribute: str
    value: str
    near: list[str] = Field(description="Values of applicants that are spelled like it.")


class Values(Out):
    """The values of attributes that may enter a list."""

    attributes: dict[str, dict[str, int]] = Field(
        description="How many applicants have each value, by attribute."
    )
    perhaps_one: list[NearSpellings]
    unknown: list[UnknownNamed]


class ChosenValue(In):
    """What spellings of an attribute are."""

    attribute: Annotated[Line, StringConstraints(min_length=1)]
    spellings: Annotated[list[Line], Field(min_length=1, max_length=200)]
    into: Line = Field(
        "", description="The value that they are taken for; blank keeps them apart."
    )
    reason: Reason = ""
