"""Reviewers as JSON."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from swapflow.web.api.models.base import PLAIN, Counted, Email, In, Line, Name, Out, Why


class Away(In):
    """Days on which a reviewer gets nothing new, both included."""

    first: date
    last: date


class Reviewer(Out):
    """A reviewer on a program's roster."""

    number: int
    external_id: str
    name: str
    email: str
    panel: str
    capacity: dict[str, int | None]
    packet: int | None
    automatic: bool
    topics: list[str]
    active: bool
    reserve: bool = Field(description="Kept for reconsiderations: asked for nothing else.")
    absences: list[Away]


class NewReviewer(In):
    """A reviewer to be added, or changed when the id is there already."""

    external_id: Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=PLAIN)]
    name: Line = ""
    email: Email | Literal[""] = ""
    panel: Line = ""
    capacity: dict[Line, Annotated[int, Field(ge=0, le=100_000)] | None] = Field(
        description="Most requests of each kind; null for any number. Others are not asked for.",
        max_length=20,
    )
    packet: Annotated[int, Field(ge=1, le=1000)] | None = None
    reserve: bool = Field(
        default=False, description="Kept for reconsiderations: asked for nothing else."
    )
    topics: list[Name] = Field(default_factory=list, max_length=50)
    conflicts: list[Name] = Field(default_factory=list, max_length=2000)
    absences: list[Away] = Field(default_factory=list, max_length=50)


class NewReviewers(In):
    """Reviewers to be added or changed: all of them, or none, but for those who were erased."""

    reviewers: list[NewReviewer] = Field(min_length=1, max_length=2000)
    again: list[Line] = Field(
        default_factory=list,
        max_length=2000,
        description="Ids of reviewers among them who were erased and are to come back.",
    )


class Pair(In):
    """An applicant and a reviewer, by their own ids."""

    applicant: Name
    reviewer: Name


class Pairs(In):
    """Applicants and reviewers."""

    pairs: list[Pair] = Field(min_length=1, max_length=5000)


class PanelSeat(Out):
    """An applicant and one of the reviewers to whom they are restricted, by their ids."""

    applicant: str
    reviewer: str


class Panels(Out):
    """Applicants who are restricted to some reviewers; all others may be asked of anybody."""

    pairs: list[PanelSeat]
    revision: str = Field(description="To be sent as `If-Match` with what takes its place.")


class Barred(Counted):
    """How many pairs were recorded, and what that meant for requests that were out."""

    taken_back: int = Field(
        description="Open requests that were cancelled; another reviewer is asked."
    )


class WaivedPair(Pair):
    """A pair whose scores count in spite of a conflict, and why."""

    reason: Why


class Lifted(Out):
    """What became of lifting the bar that a voided review makes."""

    lifted: bool = Field(description="False where the reviewer might be asked again before.")


class ScoreInConflict(Out):
    """A score that counts although its reviewer is in conflict, or outside the panel."""

    id: str = Field(description="The id under which it can be voided.")
    applicant: str = Field(description="The applicant's own id; empty once erased.")
    reviewer: str
    kind: str
    source: str = Field(description="Who recorded the conflict, or `panel`.")


class ScoresInConflict(Out):
    """Scores that count in spite of a conflict, until they are voided or waived."""

    scores: list[ScoreInConflict]
