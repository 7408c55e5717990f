"""What comes in and goes out as JSON. Scores are 0 to 100 here, as on the pages."""

import math
from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from swapflow.domain.applicant import Application as AnApplication
from swapflow.domain.applicant import ApplicationStatus
from swapflow.domain.assignment import AssignmentStatus
from swapflow.domain.cohort import Verdict
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.reviewer import DeclineKind
from swapflow.engine.desk import Section
from swapflow.engine.hooks import HookEvent
from swapflow.office.rights import Role, Scope


PLAIN = r"^[^\x00-\x1f\x7f]*$"
"""A line: no control characters."""

PROSE = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
"""A text: no control characters but line breaks and tabs."""

Line = Annotated[str, StringConstraints(max_length=200, pattern=PLAIN)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=PLAIN)]
Text = Annotated[str, StringConstraints(max_length=8000, pattern=PROSE)]
Reason = Annotated[str, StringConstraints(max_length=2000, pattern=PROSE)]
Why = Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=PROSE)]
ShortName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
Email = Annotated[
    str,
    StringConstraints(max_length=254, pattern=r"^[^@\s<>\x00-\x1f]+@[^@\s<>\x00-\x1f]+$"),
]
Mark = Annotated[float, Field(allow_inf_nan=False, ge=-1e9, le=1e9)]
Hundred = Annotated[float, Field(allow_inf_nan=False, ge=0, le=100)]
Link = Annotated[str, StringConstraints(max_length=2000, pattern=PLAIN)]


class In(BaseModel):
    """What comes in: a field that is not known is refused, so that a misspelt one is noticed."""

    model_config = ConfigDict(extra="forbid")


class Out(BaseModel):
    """What goes out."""


class Problem(Out):
    """What went wrong, as RFC 9457 has it."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    errors: list[dict[str, str]] = Field(
        default_factory=list, description="Field and message of each thing wrong in a request."
    )


class Counted(Out):
    """How many rows an act has changed."""

    count: int


# Rounds and programs


class Round(Out):
    """One season of an office."""

    id: str
    name: str
    unit: str
    zone: str


class NewRound(In):
    """A round to be made."""

    id: ShortName
    name: Line = ""
    unit: Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=PLAIN)] = "minutes"
    zone: Annotated[str, StringConstraints(max_length=60, pattern=PLAIN)] = "UTC"


class Program(Out):
    """One decision with its own places, rules, budget and people."""

    id: str
    round: str
    name: str
    status: CycleStatus
    stop_reason: str | None
    rules_version: int
    spent: int
    committed: int
    decisions: int
    list_version: int = Field(description="The latest version that was fixed; 0 before.")
    events: int
    created_at: datetime


class NewProgram(In):
    """A program to be made, in draft, from a rules file or from a template of one."""

    id: ShortName
    round: ShortName
    name: Line = ""
    rules: Annotated[str, StringConstraints(max_length=200_000)] = Field(
        default="", description="A rules file (TOML); the template's when it is left out."
    )
    template: Literal["admissions", "hiring", "fellowship"] = "admissions"


class RulesText(Out):
    """The rules in force."""

    version: int
    rules: str = Field(description="TOML, as the rules editor and `swapflow cycle rules` show it.")


class NewRules(In):
    """Another version of the rules."""

    rules: Annotated[str, StringConstraints(min_length=1, max_length=200_000)]
    reason: Reason = ""


class Because(In):
    """Why something is done."""

    reason: Reason = ""


class Kind(Out):
    """How far one kind of review has come."""

    name: str
    cost: int
    done: int
    out: int
    waiting_for_approval: int
    overdue: int


class Blocked(Out):
    """A request that cannot go out, and the cure."""

    applicant: str
    kind: str
    reason: str


class Progress(Out):
    """A program at a glance."""

    program: str
    status: str
    stop_reason: str
    stop_sentence: str
    candidates: int
    places: int
    too_close_to_call: int
    most_to_gain: float | None = Field(
        description="The most the list could still gain under the stated assumptions."
    )
    expected_loss: float | None = Field(description="The model's estimate of it.")
    unit: str
    budget: int
    spent: int
    committed: int
    reserved: int
    kinds: list[Kind]
    floors_missing: int
    blocked: list[Blocked]
    wishes: int


class Event(Out):
    """One fact of a program's record; payloads hold ids, words and numbers only."""

    number: int
    type: str
    at: datetime
    hash: str
    payload: dict[str, object]


class Decision(Out):
    """One entry of the decision log."""

    number: int
    at: datetime
    why: str
    stop: str
    requests: int
    rules_version: int
    too_close_to_call: list[int] = Field(description="Numbers of applicants.")


# Applicants


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

    @classmethod
    def of(cls, application: AnApplication) -> "Applicant":
        """Spell an application."""
        return cls(
            number=application.number,
            external_id=application.external_id,
            name=application.name,
            email=application.email,
            status=application.status,
            wave=application.wave,
            attributes=application.attributes,
            fields=application.fields,
        )


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
        default_factory=dict, max_length=50, description="For reports only; never given out again."
    )
    fields: dict[Line, Text] = Field(default_factory=dict, max_length=200)
    documents: list[NewDocument] = Field(default_factory=list, max_length=50)


class NewApplicants(In):
    """Applicants to be added: all of them, or none."""

    wave: Annotated[int, Field(ge=0, le=1000)] = 0
    applicants: list[NewApplicant] = Field(min_length=1, max_length=2000)


class Move(In):
    """Another status for an applicant."""

    status: Literal["ready", "held", "withdrawn", "ineligible", "incomplete"]
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


class Ask(In):
    """An extra review that staff want."""

    kind: Name
    reason: Why


class Asked(Out):
    """One review of an applicant: why it was asked for, and what came of it."""

    request: str
    kind: str
    why: str
    decision: int
    too_close_then: bool
    in_list_then: bool
    status: str
    reviewer: str
    score: float | None
    counts: bool
    reason: str


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
    asked: list[Asked]


# Reviewers


class Away(In):
    """Days on which a reviewer gets nothing new, both included."""

    first: date
    last: date


class Reviewer(Out):
    """Somebody on a program's roster."""

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
    topics: list[Name] = Field(default_factory=list, max_length=50)
    conflicts: list[Name] = Field(default_factory=list, max_length=2000)
    absences: list[Away] = Field(default_factory=list, max_length=50)


class NewReviewers(In):
    """Reviewers to be added or changed: all of them, or none."""

    reviewers: list[NewReviewer] = Field(min_length=1, max_length=2000)


class Pair(In):
    """An applicant and a reviewer, by their own ids."""

    applicant: Name
    reviewer: Name


class Pairs(In):
    """Applicants and reviewers."""

    pairs: list[Pair] = Field(min_length=1, max_length=5000)


# Tasks


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


# Scores


class Score(Out):
    """A score as it stands; corrections have replaced earlier ones."""

    id: str
    applicant: int
    kind: str
    reviewer: int
    score: float
    counts: bool
    reason: str
    origin: str
    late: str | None
    typed_by: str | None
    revision: int
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


# Approvals and decisions


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
    tied: bool
    reviews: dict[str, int]
    reviews_missing: dict[str, int]


class Proposal(Out):
    """The list that the rule proposes; people decide."""

    program: str
    version: int
    rule: str
    objective: str
    stop_reason: str
    stop_sentence: str
    promises: str
    most_to_gain: float | None
    expected_loss: float | None
    places: list[Place]


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


class Prepared(Out):
    """What waits for signatures."""

    what: Literal["decision", "reopening"]
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


class Outcome(Out):
    """What people decided about an applicant."""

    applicant: int
    verdict: Verdict
    by: str
    reason: str
    at: datetime


class Outcomes(Out):
    """What people decided, and who signed it."""

    version: int
    signed: list[str]
    outcomes: list[Outcome]


# Office


class Key(Out):
    """A key of a program, without the key."""

    id: str
    name: str
    scopes: list[str]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


class NewKey(In):
    """A key to be made."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=PLAIN)]
    scopes: list[Literal["read", "write", "review", "webhooks"]] = Field(
        min_length=1, max_length=4
    )
    days: Annotated[int, Field(ge=1, le=3650)] | None = 365


class MadeKey(Key):
    """A new key; it is shown this once."""

    key: str | None = Field(
        description="The key; null when the request is repeated under its Idempotency-Key."
    )


class Webhook(Out):
    """An address that is told what happens."""

    id: str
    url: str
    events: list[str]
    program: str | None
    active: bool
    by: str
    created_at: datetime


class NewWebhook(In):
    """An address to be told."""

    url: Link
    events: list[HookEvent] = Field(min_length=1, max_length=10)
    program: ShortName | None = Field(
        default=None, description="The one program it is about; null for every program."
    )


class MadeWebhook(Webhook):
    """A new webhook with the secret that signs its calls; it is shown this once."""

    secret: str


class Activity(In):
    """Whether a webhook is told."""

    active: bool


class Call(Out):
    """One thing that an address is told, and how that goes."""

    id: str
    program: str
    event: str
    number: int
    state: str
    attempts: int
    detail: str
    created_at: datetime
    due_at: datetime


class AuditLine(Out):
    """One line of the audit log."""

    number: int
    at: datetime
    who: str
    what: str
    program: str | None
    about: str
    detail: str


class Mail(Out):
    """A mail, and what became of it; the words are on the staff pages."""

    id: str
    to: str
    subject: str
    state: str
    detail: str
    created_at: datetime
    attempts: int


class Grant(Out):
    """A role, and where it reaches."""

    role: Role
    scope: Scope
    scope_id: str


class User(Out):
    """Somebody with an account."""

    id: str
    email: str
    name: str
    active: bool
    grants: list[Grant]


class NewUser(In):
    """Somebody to be invited."""

    email: Email
    name: Line = ""


class NewGrant(In):
    """A role to be given or taken away."""

    role: Role
    scope: Scope = Scope.OFFICE
    scope_id: Annotated[str, StringConstraints(max_length=40, pattern=r"^[a-z0-9-]*$")] = ""


class Me(Out):
    """Whoever asks."""

    email: str
    name: str
    rights: list[str] = Field(description="What they may do somewhere.")
    scopes: list[str] | None = Field(description="What the key lets through; null for a person.")
    reviews_in: list[str] = Field(description="Programs in which they review.")


class SetSlot(In):
    """When and where an interview is to be."""

    starts_at: AwareDatetime
    minutes: Annotated[int, Field(ge=5, le=1440)] = 30
    place: Line = ""
    link: Annotated[str, StringConstraints(max_length=1000, pattern=PLAIN)] = ""


def finite(value: float | None) -> float | None:
    """Give a number that JSON can hold; a margin without evidence has none."""
    return value if value is not None and math.isfinite(value) else None
