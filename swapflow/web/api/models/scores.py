"""Scores as JSON."""

from datetime import datetime

from pydantic import Field

from swapflow.web.api.models.base import Hundred, In, Line, Mark, Name, Out, Text, Why


class Score(Out):
    """A score as it stands; corrections have replaced earlier ones."""

    id: str
    applicant: int
    kind: str
    reviewer: int
    score: float
    counts: bool
    reason: str
    reason_code: str = Field(description="Why it does not count; empty for people's own words.")
    origin: str
    late: str | None
    typed_by: str | None
    revision: int = Field(
        description="To be sent as `If-Match` with a correction, or in `revisions` with a void."
    )
    submitted_at: datetime


class Correction(In):
    """Another score in the place of one."""

    marks: dict[Line, Mark | None] = Field(default_factory=dict, max_length=100)
    score: Hundred | None = None
    remark: Text = ""
    reason: Why
    saw_others: bool = Field(
        default=False, description="Others' marks were seen: it is kept, and does not count."
    )


class Voiding(In):
    """Scores that are to count no more."""

    scores: list[Name] = Field(min_length=1, max_length=1000)
    reason: Why
    revisions: dict[Name, int] = Field(
        default_factory=dict,
        max_length=1000,
        description="The revision of each as it was read. If one was corrected since, the answer "
        "is 409 and none is touched; those that are not named are taken as they are.",
    )

    @property
    def made_from(self) -> dict[str, str]:
        """The revisions that the request was made from, by score."""
        return {name: str(revision) for name, revision in self.revisions.items()}


class NewScore(In):
    """A score that nobody had asked for."""

    applicant: Name
    reviewer: Name
    kind: Name
    score: Hundred
    remark: Text = ""


class NewScores(In):
    """Scores that are kept, and count only once staff admit them."""

    scores: list[NewScore] = Field(min_length=1, max_length=1000)


class Ids(Out):
    """Ids of what was made."""

    ids: list[str]


class Numbered(Out):
    """The number under which something stands in the record."""

    number: int
