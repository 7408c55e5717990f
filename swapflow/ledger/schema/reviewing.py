"""Tables of pulls, assignments, drafts, scores and approvals."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    Text,
    UniqueConstraint,
    text,
)
from sqlmodel import Field

from swapflow.domain.reviewing.assignment import AssignmentStatus, PullStatus
from swapflow.ledger.schema.base import JsonText, PartialIndex, Row


QUEUED_ONLY = text("status = 'queued'")


OPEN_ONLY = text(
    "status IN ("
    + ", ".join(f"'{status.value}'" for status in AssignmentStatus if status.is_open)
    + ")"
)


UNFINISHED_ONLY = text(f"status IN ('{PullStatus.PROPOSED.value}', '{PullStatus.OPEN.value}')")


class PullRow(Row):
    """One request for one score; its cost is reserved while it is proposed or open."""

    __tablename__ = "pull"
    __table_args__ = (
        ForeignKeyConstraint(
            ["cycle_id", "application"], ["application.cycle_id", "application.number"]
        ),
        UniqueConstraint("cycle_id", "application", "kind", "ordinal"),
        CheckConstraint("cost >= 0 AND gain >= 0", name="cost_and_gain_not_negative"),
        PartialIndex(
            "ix_pull_unfinished",
            "cycle_id",
            where=UNFINISHED_ONLY,
        ),
    )
    id: str = Field(primary_key=True)
    cycle_id: str
    application: int
    kind: int
    ordinal: int
    status: str
    why: str
    cost: int
    gain: int
    decision: int
    seats: int
    quorum: int


class SeatRow(Row):
    """One seat of a pull: a panel has several."""

    __tablename__ = "seat"
    pull_id: str = Field(primary_key=True, foreign_key="pull.id")
    seat: int = Field(primary_key=True)


class AssignmentRow(Row):
    """One seat of a pull given to one reviewer; QUEUED rows are their own outbox."""

    __tablename__ = "assignment"
    __table_args__ = (
        ForeignKeyConstraint(["cycle_id", "reviewer"], ["roster.cycle_id", "roster.number"]),
        UniqueConstraint("pull_id", "seat", "attempt"),
        Index(None, "cycle_id", "reviewer", "status"),
        Index(None, "cycle_id", "application"),
        PartialIndex(
            "ix_assignment_unsent",
            "created_at",
            where=QUEUED_ONLY,
        ),
        PartialIndex(
            "ix_assignment_overdue",
            "cycle_id",
            "due_at",
            where=OPEN_ONLY,
        ),
    )
    id: str = Field(primary_key=True)
    pull_id: str = Field(foreign_key="pull.id")
    cycle_id: str
    application: int
    kind: int
    ordinal: int
    seat: int
    attempt: int
    reviewer: int
    status: str
    packet: int
    rubric_version: int
    created_at: datetime
    due_at: datetime | None
    sent_at: datetime | None
    sends: int
    delivered_at: datetime | None
    opened_at: datetime | None
    decline_kind: str | None


class DraftRow(Row):
    """A reviewer's draft; erasable as a whole, no event."""

    __tablename__ = "draft"
    assignment_id: str = Field(primary_key=True, foreign_key="assignment.id")
    version: int
    body: dict[str, Any] = Field(sa_type=JsonText)
    at: datetime


class SkipRow(Row):
    """A task that its reviewer put at the end of the list."""

    __tablename__ = "skip"
    assignment_id: str = Field(primary_key=True, foreign_key="assignment.id")
    at: datetime


class InterviewRow(Row):
    """When and where a pull's people meet the applicant; `place` and `link` are erasable.

    `sequence` grows with every change, so that calendars know which invitation is the newer one.
    `told` is the sequence that its people know, where that is another one.
    """

    __tablename__ = "interview"
    pull_id: str = Field(primary_key=True, foreign_key="pull.id")
    starts_at: datetime
    minutes: int
    zone: str
    place: str
    link: str = Field(sa_type=Text)
    sequence: int
    cancelled: bool
    missed: bool
    by: str
    at: datetime
    told: int | None = None


class ScoreRow(Row):
    """One revision of one score; the highest revision of an assignment is valid."""

    __tablename__ = "score"
    __table_args__ = (
        UniqueConstraint("assignment_id", "revision"),
        CheckConstraint("value >= 0 AND value <= 1000000", name="value_in_scale"),
        Index(None, "cycle_id", "application"),
        Index(None, "cycle_id", "reviewer"),
    )
    id: int | None = Field(default=None, primary_key=True)
    assignment_id: str = Field(foreign_key="assignment.id")
    pull_id: str = Field(index=True)
    cycle_id: str
    application: int
    kind: int
    ordinal: int
    seat: int
    reviewer: int
    revision: int
    value: int
    counts: bool
    reason: str = Field(sa_type=Text)
    origin: str
    late: str | None
    typed_by: str
    rubric_version: int
    submitted_at: datetime
    seq: int = Field(sa_type=BigInteger)


class MarkRow(Row):
    """A mark on one criterion, NULL for "N/A"; erasable as a whole."""

    __tablename__ = "mark"
    __table_args__ = (
        ForeignKeyConstraint(
            ["assignment_id", "revision"], ["score.assignment_id", "score.revision"]
        ),
    )
    assignment_id: str = Field(primary_key=True)
    revision: int = Field(primary_key=True)
    criterion: str = Field(primary_key=True)
    mark: float | None


class RemarkRow(Row):
    """What a reviewer wrote for the committee; erasable as a whole."""

    __tablename__ = "remark"
    __table_args__ = (
        ForeignKeyConstraint(
            ["assignment_id", "revision"], ["score.assignment_id", "score.revision"]
        ),
    )
    assignment_id: str = Field(primary_key=True)
    revision: int = Field(primary_key=True)
    text: str = Field(sa_type=Text)


class ScoreNoteRow(Row):
    """The comments of a reviewer beside the marks; erasable as a whole.

    `name` is "confidence", "private", "recommendation", "question:N" or "criterion:NAME".
    """

    __tablename__ = "score_note"
    __table_args__ = (
        ForeignKeyConstraint(
            ["assignment_id", "revision"], ["score.assignment_id", "score.revision"]
        ),
    )
    assignment_id: str = Field(primary_key=True)
    revision: int = Field(primary_key=True)
    name: str = Field(primary_key=True)
    text: str = Field(sa_type=Text)


class AdjustmentRow(Row):
    """A score less the reviewer's severity; stored beside the mark and never in its place."""

    __tablename__ = "adjustment"
    __table_args__ = (
        ForeignKeyConstraint(
            ["assignment_id", "revision"], ["score.assignment_id", "score.revision"]
        ),
        CheckConstraint("value >= 0 AND value <= 1000000", name="value_in_scale"),
    )
    assignment_id: str = Field(primary_key=True)
    revision: int = Field(primary_key=True)
    version: int = Field(primary_key=True)
    value: int
    by: str
    at: datetime


class ApprovalRow(Row):
    """A named person's verdict on a batch of proposed pulls; `reason` is erasable."""

    __tablename__ = "approval"
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str = Field(foreign_key="cycle.id", index=True)
    by: str
    verdict: str
    reason: str = Field(sa_type=Text)
    at: datetime


class ApprovalPullRow(Row):
    """A pull of an approved or struck batch."""

    __tablename__ = "approval_pull"
    approval_id: int = Field(primary_key=True, foreign_key="approval.id")
    pull_id: str = Field(primary_key=True, foreign_key="pull.id")


class PracticeFileRow(Row):
    """A file that reviewers mark before a launch; no applicant is behind it."""

    __tablename__ = "practice_file"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    number: int = Field(primary_key=True)
    title: str = Field(sa_type=Text)
    text: str = Field(sa_type=Text)
    by: str
    at: datetime


class PracticeMarkRow(Row):
    """What a reviewer made of a practice file; `remark` is erasable."""

    __tablename__ = "practice_mark"
    __table_args__ = (
        ForeignKeyConstraint(
            ["cycle_id", "file"], ["practice_file.cycle_id", "practice_file.number"]
        ),
    )
    cycle_id: str = Field(primary_key=True)
    file: int = Field(primary_key=True)
    reviewer: int = Field(primary_key=True)
    value: int
    marks: dict[str, Any] = Field(sa_type=JsonText)
    remark: str = Field(sa_type=Text)
    at: datetime


class PracticeNoteRow(Row):
    """A note in the discussion of a practice file; `text` is erasable."""

    __tablename__ = "practice_note"
    __table_args__ = (
        ForeignKeyConstraint(
            ["cycle_id", "file"], ["practice_file.cycle_id", "practice_file.number"]
        ),
    )
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str = Field(index=True)
    file: int
    reviewer: int | None
    by: str
    text: str = Field(sa_type=Text)
    at: datetime
