"""Scores: a reviewer's answers, which of them count, and why."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Origin(StrEnum):
    """The origin of a score."""

    ASSIGNED = "assigned"
    STAFF = "staff"
    VOLUNTEERED = "volunteered"
    IMPORTED = "imported"
    AUTOMATIC = "automatic"


class Late(StrEnum):
    """The fate of a score that came after its assignment had expired."""

    CLOSES = "closes"
    EXTRA = "extra"
    UNCOUNTED = "uncounted"


class NotCounted(StrEnum):
    """Why a score does not count.

    The value is what is stored, and has been stored since the first release: the sentence.
    """

    TWICE = "its reviewer's score of this application counts already"
    AFTER_LIST = "came after the cohort was fixed"
    NO_BUDGET = "came late, and the budget had no room for it"
    NO_LONGER_ASKED = "came after its request was withdrawn"
    NOT_ASKED = "nobody asked for it; staff may admit it"
    SAW_OTHERS = "changed after others' marks were seen"
    VOIDED = "voided"


def reason_code(reason: str) -> str:
    """Return the stable name of a stored reason, "" for what people wrote themselves."""
    return next((known.name.lower() for known in NotCounted if known == reason), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A reviewer's answer to one assignment.

    Attributes:
        marks: Mark per criterion of the rubric, by criterion name; None is "N/A". Empty when
            `utility` is given directly (automatic reviewers and imports without a rubric).
        utility: Utility in [0, 1] when there are no marks.
        typed_by: Who typed it, when not the reviewer: the name of the member of staff.
        remark: Remark for the committee; erasable.
        notes: Further texts, by name: confidence, private (for staff), recommendation, question:N
            (from 1), criterion:NAME; erasable.
    """

    assignment_id: str
    marks: dict[str, float | None] = field(default_factory=dict)
    utility: float | None = None
    typed_by: str = ""
    origin: Origin = Origin.ASSIGNED
    remark: str = ""
    notes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A score as stored; a correction or a void is a new row that supersedes it.

    Attributes:
        revision: From 1; the highest revision of an assignment is valid.
        value: Utility in value units (0 to 1,000,000).
        counts: Whether it enters the estimates.
        reason: Why it does not count, or why it was corrected or voided; "" otherwise.
        seq: The event that recorded the answer; later revisions keep it, for the receipt.
    """

    assignment_id: str
    pull_id: str
    cycle_id: str
    application: int
    kind: int
    ordinal: int
    seat: int
    reviewer: int
    revision: int
    value: int
    counts: bool
    reason: str
    origin: Origin
    late: Late | None
    typed_by: str
    rubric_version: int
    submitted_at: datetime
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The confirmation to the reviewer once the ledger holds the score.

    Attributes:
        seq: The event that recorded it.
        repeated: Whether the assignment had been answered before, so that nothing was changed.
        value: The stored value, in value units.
        counts: Whether it enters the estimates.
    """

    assignment_id: str
    seq: int
    value: int
    counts: bool
    repeated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A reviewer's draft: typed and not handed in.

    Attributes:
        version: From 1; every save increases it.
        body: The fields of the form, by name.
    """

    assignment_id: str
    version: int
    body: Mapping[str, str]
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreDetails:
    """The current score of an assignment with everything that was written with it."""

    score: Score
    marks: Mapping[str, float | None]
    remark: str
    notes: Mapping[str, str]
