"""A reviewer's tasks as JSON."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from swapflow.domain.people.reviewer import DeclineKind
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.engine.reviewing.task_list import Section
from swapflow.web.api.models.base import PROSE, Hundred, In, Line, Mark, Out, Reason, Text
from swapflow.web.api.models.scores import Score


Note = Annotated[str, StringConstraints(max_length=4000, pattern=PROSE)]


class Slot(Out):
    """When and where an interview is."""

    starts_at: datetime
    minutes: int
    zone: str
    place: str
    link: str
    cancelled: bool


class Task(Out):
    """Something that waits for a reviewer."""

    task: str = Field(description="Names the task; says nothing of when or how often.")
    program: str
    applicant: str
    kind: str
    due_at: datetime | None
    state: Section
    draft: bool
    skipped: bool
    interview: Slot | None


class Choice(Out):
    """A mark that may be given, and what it means."""

    mark: float
    means: str


class Criterion(Out):
    """One row of the score form."""

    name: str
    weight: float
    marks: list[Choice]


class Paper(Out):
    """A file of an applicant."""

    number: int
    name: str
    link: str
    media: str


class OwnReview(Out):
    """What is stored of one's own review."""

    score: float
    marks: dict[str, float | None]
    remark: str
    notes: dict[str, str]
    counts: bool
    submitted_at: datetime


class Draft(Out):
    """What was typed and not handed in."""

    version: int
    body: dict[str, str]


class OpenTask(Out):
    """A task with all that its reviewer may see, under the program's blind policy."""

    task: str
    program: str
    kind: str
    status: AssignmentStatus
    due_at: datetime | None
    applicant: str
    fields: dict[str, str]
    documents: list[Paper]
    link: str
    criteria: list[Criterion]
    questions: list[str]
    interview: Slot | None
    draft: Draft | None
    review: OwnReview | None


class NewDraft(In):
    """What was typed so far, under the version that was read."""

    version: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    body: dict[Line, Text] = Field(max_length=200)


class Review(In):
    """An answer: a mark for every criterion, null for N/A; or a score where there is no form."""

    marks: dict[Line, Mark | None] = Field(default_factory=dict, max_length=100)
    score: Hundred | None = None
    remark: Text = ""
    private: Annotated[str, StringConstraints(max_length=4000, pattern=PROSE)] = Field(
        default="", description="For staff only."
    )
    confidence: Annotated[int, Field(ge=1, le=5)] | None = Field(
        default=None, description="How sure, where the kind asks for it."
    )
    recommendation: Literal["definitely not", "no", "mixed", "yes", "strong yes"] | None = Field(
        default=None, description="After an interview with questions."
    )
    questions: dict[Annotated[int, Field(ge=1, le=100)], Note] = Field(
        default_factory=dict, max_length=100, description="What was said, by question, from 1."
    )
    criterion_notes: dict[Line, Note] = Field(default_factory=dict, max_length=100)


class WaitingTask(Out):
    """A task that waits for a reviewer, as staff see it."""

    task: str
    applicant: str
    kind: str
    due_at: datetime | None
    begun: bool


class ListedRequest(Out):
    """A request to one reviewer about one applicant, whatever became of it."""

    id: str
    task: str = Field(description="Under which a review is entered for the reviewer.")
    applicant: int
    applicant_id: str
    reviewer: int
    reviewer_id: str
    kind: str
    status: AssignmentStatus
    waits: bool = Field(description="Whether an answer is awaited.")
    given_away: bool = Field(
        description="Declined, missed or taken back: a review that comes all the same is refused."
    )
    due_at: datetime | None
    score: Score | None = Field(description="The answer as it stands, with corrections.")
    said: str = Field(
        description="What staff said when they last corrected, voided or restored its score."
    )


class EnteredReview(Out):
    """What staff entered for a reviewer, under both names."""

    task: str
    reviewer: int
    typed_by: str
    score: float
    counts: bool
    corrected: bool = Field(description="Another review stood there; it stays on record.")


class Missed(In):
    """What is to be known about an interview to which the applicant did not come."""

    note: Note = ""


class Receipt(Out):
    """What is stored, once it is."""

    task: str
    number: int = Field(description="Of the record.")
    score: float
    counts: bool
    repeated: bool = Field(description="It had been handed in before; nothing was changed.")


class Decline(In):
    """Saying no to a task."""

    kind: DeclineKind
    until: date | None = Field(default=None, description="With busy: the last day away.")
    reason: Reason = ""


class Rhythm(In):
    """How much a reviewer takes at a time."""

    packet: Annotated[int, Field(ge=1, le=100)]
