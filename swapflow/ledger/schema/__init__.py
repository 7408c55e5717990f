"""The schema: every table of the ledger, in the order in which a cycle fills them.

Three rules run through it. Ids are natural, so that making a thing twice makes the same row
twice. Personal data and free text live in columns marked *erasable*; whatever is hashed or
summed holds numbers only. Statuses are words, so that a new one needs no migration.

Rows are written and read by SQLAlchemy Core over `ROUND`, `CYCLE` … at the end of this module:
the classes say what a row is, and nothing here validates (SQLModel tables never do).
"""

import json
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Dialect,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlmodel import Field, SQLModel

from swapflow.domain.reviewing.assignment import AssignmentStatus, PullStatus


SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
METADATA = SQLModel.metadata
QUEUED_ONLY = text("status = 'queued'")
OPEN_ONLY = text(
    "status IN ("
    + ", ".join(f"'{status.value}'" for status in AssignmentStatus if status.is_open)
    + ")"
)
STILL_OPEN = text("result = ''")
UNFINISHED_ONLY = text(f"status IN ('{PullStatus.PROPOSED.value}', '{PullStatus.OPEN.value}')")


class JsonText(TypeDecorator[Any]):
    """JSON kept as text: NaN and the order of keys survive on both databases."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: object, dialect: Dialect) -> str | None:
        """Spell a value."""
        del dialect
        return None if value is None else json.dumps(value, separators=(",", ":"))

    def process_result_value(self, value: str | None, dialect: Dialect) -> object:
        """Read a value."""
        del dialect
        return None if value is None else json.loads(value)


# Calendar and rules


class RoundRow(SQLModel, table=True):
    """One season of an office."""

    __tablename__ = "round"
    id: str = Field(primary_key=True)
    name: str
    unit: str
    zone: str
    created_at: datetime


class CycleRow(SQLModel, table=True):
    """One decision; this row's lock orders everything that happens to the cycle.

    From `task_key` come the codes of its tasks, so that nobody can guess one.
    """

    __tablename__ = "cycle"
    __table_args__ = (
        CheckConstraint("spent + committed >= 0", name="cost_not_negative"),
        CheckConstraint("seq >= 0", name="seq_not_negative"),
    )
    id: str = Field(primary_key=True)
    round_id: str = Field(foreign_key="round.id", index=True)
    name: str
    purpose: str
    status: str
    seq: int = Field(sa_type=BigInteger)
    head_hash: str
    spent: int = Field(sa_type=BigInteger)
    committed: int = Field(sa_type=BigInteger)
    decisions: int
    rules_version: int
    cohort_version: int
    lease_holder: str
    lease_epoch: int
    lease_until: datetime | None
    created_at: datetime
    paused_at: datetime | None
    stop_reason: str | None
    task_key: str


class RulesRow(SQLModel, table=True):
    """One immutable version of a cycle's rules; `reason` is erasable."""

    __tablename__ = "rules"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    version: int = Field(primary_key=True)
    body: str = Field(sa_type=Text)
    digest: str
    by: str
    reason: str = Field(sa_type=Text)
    at: datetime


class PullKindRow(SQLModel, table=True):
    """One kind of a rules version, spelled out for queries; `rules.body` decides."""

    __tablename__ = "pull_kind"
    __table_args__ = (
        ForeignKeyConstraint(["cycle_id", "rules_version"], ["rules.cycle_id", "rules.version"]),
        UniqueConstraint("cycle_id", "rules_version", "name"),
    )
    cycle_id: str = Field(primary_key=True)
    rules_version: int = Field(primary_key=True)
    kind: int = Field(primary_key=True)
    name: str
    cost: int
    gain: int
    requires: str
    maximum: int
    total: int | None
    seats: int
    quorum: int
    approval: bool
    window_days: float


class SeatLineRow(SQLModel, table=True):
    """Places of one line of a rules version."""

    __tablename__ = "seat_line"
    __table_args__ = (
        ForeignKeyConstraint(["cycle_id", "rules_version"], ["rules.cycle_id", "rules.version"]),
    )
    cycle_id: str = Field(primary_key=True)
    rules_version: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    name: str
    places: int
    funded: bool


class RubricRow(SQLModel, table=True):
    """How the marks of one kind become a utility; assignments pin its version."""

    __tablename__ = "rubric"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    kind: str = Field(primary_key=True)
    version: int = Field(primary_key=True)
    criteria: list[Any] = Field(sa_type=JsonText)


# People


class PersonRow(SQLModel, table=True):
    """Somebody the office knows: name and mail, both erasable. The id is random."""

    __tablename__ = "person"
    __table_args__ = (Index("ix_person_lower_email", text("lower(email)")),)
    id: str = Field(primary_key=True)
    name: str
    email: str = Field(index=True)


class ApplicationRow(SQLModel, table=True):
    """One person in one cycle.

    `external_id` becomes NULL and `fields` empty when the application is purged; `tie` is an
    unsigned 64-bit number kept as a signed one.
    """

    __tablename__ = "application"
    __table_args__ = (UniqueConstraint("cycle_id", "external_id"),)
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    number: int = Field(primary_key=True)
    external_id: str | None
    person_id: str | None = Field(foreign_key="person.id", index=True)
    status: str
    wave: int
    tie: int = Field(sa_type=BigInteger)
    topic: int | None
    merged_into: int | None
    fields: dict[str, str] = Field(sa_type=JsonText)
    created_at: datetime


class ImportedRow(SQLModel, table=True):
    """What lists said of an application last, by column; erasable as a whole.

    Attributes for reports are not in it: no deciding code may read those.
    """

    __tablename__ = "imported"
    __table_args__ = (
        ForeignKeyConstraint(
            ["cycle_id", "application"], ["application.cycle_id", "application.number"]
        ),
    )
    cycle_id: str = Field(primary_key=True)
    application: int = Field(primary_key=True)
    said: dict[str, str] = Field(sa_type=JsonText)


class ListReadingRow(SQLModel, table=True):
    """How a kind of list was read last: what its columns were taken for, its key, its dates."""

    __tablename__ = "list_reading"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    what: str = Field(primary_key=True)
    settings: dict[str, str] = Field(sa_type=JsonText)
    by: str
    at: datetime


class DocumentRow(SQLModel, table=True):
    """A file that belongs to an application; erasable as a whole."""

    __tablename__ = "document"
    __table_args__ = (
        ForeignKeyConstraint(
            ["cycle_id", "application"], ["application.cycle_id", "application.number"]
        ),
    )
    cycle_id: str = Field(primary_key=True)
    application: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    version: int = Field(primary_key=True)
    name: str
    link: str = Field(sa_type=Text)
    redacted: bool


class DocumentContentRow(SQLModel, table=True):
    """The bytes of an uploaded document; erasable as a whole. A link has no such row."""

    __tablename__ = "document_content"
    __table_args__ = (
        ForeignKeyConstraint(
            ["cycle_id", "application"], ["application.cycle_id", "application.number"]
        ),
    )
    cycle_id: str = Field(primary_key=True)
    application: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    version: int = Field(primary_key=True)
    media: str
    digest: str
    body: bytes = Field(sa_type=LargeBinary)
    at: datetime


class SelectionAttributeRow(SQLModel, table=True):
    """An attribute that may enter an objective; erasable as a whole."""

    __tablename__ = "selection_attribute"
    __table_args__ = (
        ForeignKeyConstraint(
            ["cycle_id", "application"], ["application.cycle_id", "application.number"]
        ),
    )
    cycle_id: str = Field(primary_key=True)
    application: int = Field(primary_key=True)
    name: str = Field(primary_key=True)
    value: str


class MonitoringAttributeRow(SQLModel, table=True):
    """An attribute for reports only (sex, race, …); erasable as a whole.

    The ports write and erase these rows and never read them: deciding code has no way here.
    """

    __tablename__ = "monitoring_attribute"
    __table_args__ = (
        ForeignKeyConstraint(
            ["cycle_id", "application"], ["application.cycle_id", "application.number"]
        ),
    )
    cycle_id: str = Field(primary_key=True)
    application: int = Field(primary_key=True)
    name: str = Field(primary_key=True)
    value: str


class AttributeValueRow(SQLModel, table=True):
    """The number by which events name an attribute's value."""

    __tablename__ = "attribute_value"
    __table_args__ = (UniqueConstraint("cycle_id", "attribute", "number"),)
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    attribute: str = Field(primary_key=True)
    value: str = Field(primary_key=True)
    number: int


class TopicRow(SQLModel, table=True):
    """The number by which events name a topic."""

    __tablename__ = "topic"
    __table_args__ = (UniqueConstraint("cycle_id", "number"),)
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    name: str = Field(primary_key=True)
    number: int


class RosterRow(SQLModel, table=True):
    """A reviewer of a cycle; `share` is the part of the person's capacity this cycle holds."""

    __tablename__ = "roster"
    __table_args__ = (
        UniqueConstraint("cycle_id", "external_id"),
        CheckConstraint("share >= 0 AND share <= 1", name="share_in_unit"),
    )
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    number: int = Field(primary_key=True)
    external_id: str
    person_id: str = Field(foreign_key="person.id", index=True)
    panel: str
    capacity: dict[str, int | None] = Field(sa_type=JsonText)
    packet: int | None
    automatic: str
    active: bool
    share: float
    reserve: bool = Field(default=False, sa_column_kwargs={"server_default": "0"})


class RosterAbsenceRow(SQLModel, table=True):
    """Days on which a reviewer gets nothing new; ISO dates, both included."""

    __tablename__ = "roster_absence"
    __table_args__ = (
        ForeignKeyConstraint(["cycle_id", "reviewer"], ["roster.cycle_id", "roster.number"]),
    )
    cycle_id: str = Field(primary_key=True)
    reviewer: int = Field(primary_key=True)
    first: str = Field(primary_key=True)
    last: str = Field(primary_key=True)


class ExpertiseRow(SQLModel, table=True):
    """A topic a reviewer is good at."""

    __tablename__ = "expertise"
    __table_args__ = (
        ForeignKeyConstraint(["cycle_id", "reviewer"], ["roster.cycle_id", "roster.number"]),
        ForeignKeyConstraint(["cycle_id", "topic"], ["topic.cycle_id", "topic.number"]),
    )
    cycle_id: str = Field(primary_key=True)
    reviewer: int = Field(primary_key=True)
    topic: int = Field(primary_key=True)
    position: int


class ConflictRow(SQLModel, table=True):
    """An application that a reviewer must not judge, and how that is known."""

    __tablename__ = "conflict"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    application: int = Field(primary_key=True)
    reviewer: int = Field(primary_key=True)
    source: str


class PanelRow(SQLModel, table=True):
    """An application with rows here goes to no other reviewer."""

    __tablename__ = "panel"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    application: int = Field(primary_key=True)
    reviewer: int = Field(primary_key=True)


class EndorsementRow(SQLModel, table=True):
    """Words in favour of an application, never a number; erasable as a whole."""

    __tablename__ = "endorsement"
    __table_args__ = (Index(None, "cycle_id", "application"),)
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str = Field(foreign_key="cycle.id")
    application: int
    by: str
    text: str = Field(sa_type=Text)
    at: datetime


# Pulls, assignments, scores


class PullRow(SQLModel, table=True):
    """One request for one score; its cost is reserved while it is proposed or open."""

    __tablename__ = "pull"
    __table_args__ = (
        ForeignKeyConstraint(
            ["cycle_id", "application"], ["application.cycle_id", "application.number"]
        ),
        UniqueConstraint("cycle_id", "application", "kind", "ordinal"),
        CheckConstraint("cost >= 0 AND gain >= 0", name="cost_and_gain_not_negative"),
        Index(
            "ix_pull_unfinished",
            "cycle_id",
            sqlite_where=UNFINISHED_ONLY,
            postgresql_where=UNFINISHED_ONLY,
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


class SeatRow(SQLModel, table=True):
    """One chair of a pull: a panel has several."""

    __tablename__ = "seat"
    pull_id: str = Field(primary_key=True, foreign_key="pull.id")
    seat: int = Field(primary_key=True)


class AssignmentRow(SQLModel, table=True):
    """One seat of a pull given to one reviewer; QUEUED rows are their own outbox."""

    __tablename__ = "assignment"
    __table_args__ = (
        ForeignKeyConstraint(["cycle_id", "reviewer"], ["roster.cycle_id", "roster.number"]),
        UniqueConstraint("pull_id", "seat", "attempt"),
        Index(None, "cycle_id", "reviewer", "status"),
        Index(None, "cycle_id", "application"),
        Index(
            "ix_assignment_unsent",
            "created_at",
            sqlite_where=QUEUED_ONLY,
            postgresql_where=QUEUED_ONLY,
        ),
        Index(
            "ix_assignment_overdue",
            "cycle_id",
            "due_at",
            sqlite_where=OPEN_ONLY,
            postgresql_where=OPEN_ONLY,
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


class DraftRow(SQLModel, table=True):
    """What a reviewer has typed and not handed in; erasable as a whole, no event."""

    __tablename__ = "draft"
    assignment_id: str = Field(primary_key=True, foreign_key="assignment.id")
    version: int
    body: dict[str, Any] = Field(sa_type=JsonText)
    at: datetime


class SkipRow(SQLModel, table=True):
    """A task that its reviewer put at the end of the list."""

    __tablename__ = "skip"
    assignment_id: str = Field(primary_key=True, foreign_key="assignment.id")
    at: datetime


class InterviewRow(SQLModel, table=True):
    """When and where a pull's people meet the applicant; `place` and `link` are erasable.

    `sequence` grows with every change, so that calendars know which invitation is the newer one.
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


class ScoreRow(SQLModel, table=True):
    """One revision of one score; the highest revision of an assignment stands."""

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


class MarkRow(SQLModel, table=True):
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


class RemarkRow(SQLModel, table=True):
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


class ScoreNoteRow(SQLModel, table=True):
    """What a reviewer wrote beside the marks; erasable as a whole.

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


class AdjustmentRow(SQLModel, table=True):
    """A score with the reviewer's severity taken out, beside the mark, never over it."""

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


class ApprovalRow(SQLModel, table=True):
    """What a named person said about a batch of proposed pulls; `reason` is erasable."""

    __tablename__ = "approval"
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str = Field(foreign_key="cycle.id", index=True)
    by: str
    verdict: str
    reason: str = Field(sa_type=Text)
    at: datetime


class ApprovalPullRow(SQLModel, table=True):
    """A pull of an approved or struck batch."""

    __tablename__ = "approval_pull"
    approval_id: int = Field(primary_key=True, foreign_key="approval.id")
    pull_id: str = Field(primary_key=True, foreign_key="pull.id")


# The record of decisions


class EventRow(SQLModel, table=True):
    """One fact: `body` is the text that was hashed onto the chain, byte for byte."""

    __tablename__ = "event"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    seq: int = Field(primary_key=True, sa_type=BigInteger)
    type: str
    version: int
    body: str = Field(sa_type=Text)
    hash: str
    at: datetime


class DecisionRow(SQLModel, table=True):
    """What was believed and why these pulls."""

    __tablename__ = "decision"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    number: int = Field(primary_key=True)
    read_seq: int = Field(sa_type=BigInteger)
    read_hash: str
    digest: str
    rules_version: int
    why: str
    picks: list[Any] = Field(sa_type=JsonText)
    look: dict[str, float] = Field(sa_type=JsonText)
    cohort: list[int] = Field(sa_type=JsonText)
    contested: list[int] = Field(sa_type=JsonText)
    stop: str
    versions: dict[str, str] = Field(sa_type=JsonText)
    at: datetime


class WishRow(SQLModel, table=True):
    """Something staff want of the coordinator; `reason` is erasable, `done` closes it."""

    __tablename__ = "wish"
    __table_args__ = (Index(None, "cycle_id", "done"),)
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str = Field(foreign_key="cycle.id")
    what: str
    application: int
    kind: int
    by: str
    reason: str = Field(sa_type=Text)
    done: str
    at: datetime


class ProposalRow(SQLModel, table=True):
    """A list the rule proposed, and how it came about."""

    __tablename__ = "proposal"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    version: int = Field(primary_key=True)
    sheet: dict[str, Any] = Field(sa_type=JsonText)
    at: datetime


class PlaceRow(SQLModel, table=True):
    """One application's place in a proposal; names stay with the application."""

    __tablename__ = "place"
    __table_args__ = (
        ForeignKeyConstraint(["cycle_id", "version"], ["proposal.cycle_id", "proposal.version"]),
    )
    cycle_id: str = Field(primary_key=True)
    version: int = Field(primary_key=True)
    application: int = Field(primary_key=True)
    rank: int
    standing: str
    estimate: float
    raw_mean: float | None
    margin: float
    evidence: float
    contested: bool
    tied: bool
    pulls: dict[str, int] = Field(sa_type=JsonText)
    floor_missing: dict[str, int] = Field(sa_type=JsonText)


class CohortVersionRow(SQLModel, table=True):
    """A cohort as it was made the cycle's latest, and the event up to which it looked."""

    __tablename__ = "cohort_version"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    version: int = Field(primary_key=True)
    seq: int = Field(sa_type=BigInteger)
    head_hash: str
    at: datetime


class OutcomeRow(SQLModel, table=True):
    """What a person decided about an application; the last row stands, `reason` is erasable."""

    __tablename__ = "outcome"
    __table_args__ = (Index(None, "cycle_id", "version", "application"),)
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str = Field(foreign_key="cycle.id")
    version: int
    application: int
    verdict: str
    by: str
    reason: str = Field(sa_type=Text)
    at: datetime


class SignatureRow(SQLModel, table=True):
    """A named person signed a cohort version."""

    __tablename__ = "signature"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    version: int = Field(primary_key=True)
    by: str = Field(primary_key=True)
    role: str
    at: datetime


class WaiverRow(SQLModel, table=True):
    """A person accepts somebody below a floor; `reason` is erasable."""

    __tablename__ = "waiver"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    version: int = Field(primary_key=True)
    application: int = Field(primary_key=True)
    by: str
    reason: str = Field(sa_type=Text)
    at: datetime


class PinRow(SQLModel, table=True):
    """People want an application in or out whatever the rule says; `reason` is erasable."""

    __tablename__ = "pin"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    application: int = Field(primary_key=True)
    verdict: str
    by: str
    reason: str = Field(sa_type=Text)
    at: datetime


class PreparedRow(SQLModel, table=True):
    """What waits for signatures in a cycle: at most one thing; `body` is erasable."""

    __tablename__ = "prepared"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    what: str
    digest: str
    body: dict[str, Any] = Field(sa_type=JsonText)
    by: str
    at: datetime


class PreparedSignatureRow(SQLModel, table=True):
    """A named person signed what had this digest."""

    __tablename__ = "prepared_signature"
    cycle_id: str = Field(primary_key=True, foreign_key="prepared.cycle_id")
    by: str = Field(primary_key=True)
    digest: str
    at: datetime


class ReconsiderationRow(SQLModel, table=True):
    """One application looked at again after the list was fixed; at most one is open of each.

    `asked_by`, `reason`, `why` and `exceptions` are erasable.
    """

    __tablename__ = "reconsideration"
    __table_args__ = (
        Index(None, "cycle_id", "application"),
        Index(
            "ix_reconsideration_open",
            "cycle_id",
            "application",
            unique=True,
            sqlite_where=STILL_OPEN,
            postgresql_where=STILL_OPEN,
        ),
    )
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str = Field(foreign_key="cycle.id")
    application: int
    version: int
    kind: int
    reviews: int
    asked_by: str
    asked_on: str
    reason: str = Field(sa_type=Text)
    stood: str
    by: str
    at: datetime
    result: str
    closed_version: int
    place: int
    before: float | None
    after: float | None
    received: int
    beyond: bool
    exceptions: list[str] = Field(sa_type=JsonText)
    why: str = Field(sa_type=Text)
    closed_by: list[str] = Field(sa_type=JsonText)
    closed_at: datetime | None


class OfferRow(SQLModel, table=True):
    """A place offered to an application of a cohort version."""

    __tablename__ = "offer"
    __table_args__ = (Index(None, "cycle_id", "version", "application"),)
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str = Field(foreign_key="cycle.id")
    version: int
    application: int
    line: str
    by: str
    at: datetime
    until: datetime | None
    risk: float


class YieldRateRow(SQLModel, table=True):
    """How many of those offered a place accept it; the last row of a cycle is in force."""

    __tablename__ = "yield_rate"
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str = Field(foreign_key="cycle.id", index=True)
    accepting: float
    declining: float
    risk: float
    source: str
    by: str
    at: datetime


class OfferAnswerRow(SQLModel, table=True):
    """What the applicant answered to an offer."""

    __tablename__ = "offer_answer"
    offer_id: int = Field(primary_key=True, foreign_key="offer.id")
    answer: str
    at: datetime


class AnnouncementRow(SQLModel, table=True):
    """Letters to applicants that were written together and are held until a moment."""

    __tablename__ = "announcement"
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str = Field(foreign_key="cycle.id", index=True)
    version: int
    by: str
    at: datetime
    leaves_at: datetime
    taken_back_by: str
    taken_back_at: datetime | None


class AnnouncedRow(SQLModel, table=True):
    """One applicant's letter of an announcement; the mail that it points to holds the words."""

    __tablename__ = "announced"
    __table_args__ = (Index(None, "cycle_id", "application"),)
    announcement_id: int = Field(primary_key=True, foreign_key="announcement.id")
    application: int = Field(primary_key=True)
    cycle_id: str = Field(foreign_key="cycle.id")
    message_id: str = Field(foreign_key="message.id", unique=True)
    told: str
    offer_id: int | None = Field(foreign_key="offer.id")


class MeetingRow(SQLModel, table=True):
    """A committee's meeting about one version of a list, by whoever opened it."""

    __tablename__ = "meeting"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    version: int = Field(primary_key=True)
    by: str
    at: datetime


class MeetingOutcomeRow(SQLModel, table=True):
    """What a meeting said about an application; a later row stands in the place of an earlier."""

    __tablename__ = "meeting_outcome"
    __table_args__ = (
        ForeignKeyConstraint(["cycle_id", "version"], ["meeting.cycle_id", "meeting.version"]),
        Index(None, "cycle_id", "version"),
    )
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str
    version: int
    application: int
    outcome: str
    reason: str = Field(sa_type=Text)
    by: str
    at: datetime


class MeetingTurnRow(SQLModel, table=True):
    """A meeting was closed or reopened; the last row says which it is."""

    __tablename__ = "meeting_turn"
    __table_args__ = (
        ForeignKeyConstraint(["cycle_id", "version"], ["meeting.cycle_id", "meeting.version"]),
        Index(None, "cycle_id", "version"),
    )
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str
    version: int
    closed: bool
    reason: str = Field(sa_type=Text)
    by: str
    at: datetime


# Office


class RoleGrantRow(SQLModel, table=True):
    """A right: which account acts in which role, in the office, a round or a cycle."""

    __tablename__ = "role_grant"
    who: str = Field(primary_key=True)
    role: str = Field(primary_key=True)
    scope: str = Field(primary_key=True)
    scope_id: str = Field(primary_key=True)
    by: str
    at: datetime


class AccountRow(SQLModel, table=True):
    """Somebody who signs in: by a mailed link, a password, or an identity provider."""

    __tablename__ = "account"
    __table_args__ = (
        # A name at the identity provider belongs to one account; most have none.
        Index(
            "uq_account_subject",
            "subject",
            unique=True,
            sqlite_where=text("subject <> ''"),
            postgresql_where=text("subject <> ''"),
        ),
    )
    id: str = Field(primary_key=True)
    email: str = Field(unique=True)
    name: str
    password: str
    subject: str
    active: bool
    created_at: datetime
    last_seen_at: datetime | None


class SessionRow(SQLModel, table=True):
    """A device that is signed in; the key is the SHA-256 of what its cookie holds."""

    __tablename__ = "session"
    digest: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="account.id", index=True)
    method: str
    agent: str
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime


class SignInRow(SQLModel, table=True):
    """A mailed way in, good once; the key is the SHA-256 of the link's token."""

    __tablename__ = "sign_in"
    digest: str = Field(primary_key=True)
    email: str = Field(index=True)
    code: str
    next: str
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None
    tries: int


class ApiTokenRow(SQLModel, table=True):
    """A program's key, as the SHA-256 of it; what it may do is the smaller of both rights."""

    __tablename__ = "api_token"
    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="account.id", index=True)
    name: str
    digest: str = Field(unique=True)
    scopes: list[str] = Field(sa_type=JsonText)
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


class IdempotencyRow(SQLModel, table=True):
    """What a request under a key of its own was answered, so that a repeat gets the same."""

    __tablename__ = "idempotency"
    account_id: str = Field(primary_key=True, foreign_key="account.id")
    key: str = Field(primary_key=True)
    request: str
    status: int
    body: str = Field(sa_type=Text)
    at: datetime = Field(index=True)


class AuditRow(SQLModel, table=True):
    """Who did what at the office's screens and interfaces; `detail` is erasable."""

    __tablename__ = "audit"
    __table_args__ = (Index(None, "cycle_id", "id"),)
    id: int | None = Field(default=None, primary_key=True)
    at: datetime
    who: str = Field(index=True)
    what: str
    cycle_id: str | None
    about: str
    detail: str = Field(sa_type=Text)


class WebhookRow(SQLModel, table=True):
    """An address that wants to be told; `secret` signs what it is sent."""

    __tablename__ = "webhook"
    id: str = Field(primary_key=True)
    url: str = Field(sa_type=Text)
    secret: str
    events: list[str] = Field(sa_type=JsonText)
    cycle_id: str | None = Field(foreign_key="cycle.id")
    active: bool
    by: str
    created_at: datetime


class WebhookCallRow(SQLModel, table=True):
    """One thing that one address is told, its own outbox; the id hangs on webhook and event."""

    __tablename__ = "webhook_call"
    __table_args__ = (Index(None, "state", "due_at"),)
    id: str = Field(primary_key=True)
    webhook_id: str = Field(foreign_key="webhook.id", index=True)
    cycle_id: str = Field(foreign_key="cycle.id")
    seq: int = Field(sa_type=BigInteger)
    event: str
    body: str = Field(sa_type=Text)
    state: str
    attempts: int
    detail: str = Field(sa_type=Text)
    created_at: datetime
    due_at: datetime
    relayed_at: datetime | None


class WebhookPositionRow(SQLModel, table=True):
    """How far a cycle's events have been turned into calls."""

    __tablename__ = "webhook_position"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    seq: int = Field(sa_type=BigInteger)


class MessageRow(SQLModel, table=True):
    """A mail to a person, its own outbox; the words are erasable, the id is its Message-ID.

    A sign-in mail belongs to no cycle, and loses its words once it is sent: they hold a secret.
    """

    __tablename__ = "message"
    __table_args__ = (Index(None, "state", "created_at"),)
    id: str = Field(primary_key=True)
    cycle_id: str | None = Field(foreign_key="cycle.id", index=True)
    to: str
    subject: str
    text: str = Field(sa_type=Text)
    html: str = Field(sa_type=Text)
    calendar: str = Field(sa_type=Text)
    state: str
    detail: str = Field(sa_type=Text)
    created_at: datetime
    relayed_at: datetime | None
    claimed_at: datetime | None
    attempts: int


class NoteRow(SQLModel, table=True):
    """A free-text reason, erasable: an event can carry `digest`, which then proves nothing.

    The digest is SHA-256 over the random salt and the text; erasing both leaves a number that
    cannot be tested against a guess.
    """

    __tablename__ = "note"
    __table_args__ = (Index(None, "cycle_id", "application"),)
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str = Field(foreign_key="cycle.id")
    application: int | None
    subject: str
    by: str
    text: str = Field(sa_type=Text)
    salt: str
    digest: str
    at: datetime


class ClockRow(SQLModel, table=True):
    """One row: seconds that tests add to the database's time."""

    __tablename__ = "clock"
    __table_args__ = (CheckConstraint("id = 1", name="one_row"),)
    id: int = Field(primary_key=True)
    offset_seconds: float


def _table(model: type[SQLModel]) -> Table:
    return METADATA.tables[str(model.__tablename__)]


ROUND = _table(RoundRow)
CYCLE = _table(CycleRow)
RULES = _table(RulesRow)
PULL_KIND = _table(PullKindRow)
SEAT_LINE = _table(SeatLineRow)
RUBRIC = _table(RubricRow)
PERSON = _table(PersonRow)
APPLICATION = _table(ApplicationRow)
DOCUMENT = _table(DocumentRow)
IMPORTED = _table(ImportedRow)
LIST_READING = _table(ListReadingRow)
SELECTION_ATTRIBUTE = _table(SelectionAttributeRow)
MONITORING_ATTRIBUTE = _table(MonitoringAttributeRow)
ATTRIBUTE_VALUE = _table(AttributeValueRow)
TOPIC = _table(TopicRow)
ROSTER = _table(RosterRow)
ROSTER_ABSENCE = _table(RosterAbsenceRow)
EXPERTISE = _table(ExpertiseRow)
CONFLICT = _table(ConflictRow)
PANEL = _table(PanelRow)
ENDORSEMENT = _table(EndorsementRow)
PULL = _table(PullRow)
SEAT = _table(SeatRow)
ASSIGNMENT = _table(AssignmentRow)
DRAFT = _table(DraftRow)
SCORE = _table(ScoreRow)
MARK = _table(MarkRow)
REMARK = _table(RemarkRow)
EVENT = _table(EventRow)
DECISION = _table(DecisionRow)
WISH = _table(WishRow)
PROPOSAL = _table(ProposalRow)
PLACE = _table(PlaceRow)
APPROVAL = _table(ApprovalRow)
APPROVAL_PULL = _table(ApprovalPullRow)
COHORT_VERSION = _table(CohortVersionRow)
OUTCOME = _table(OutcomeRow)
SIGNATURE = _table(SignatureRow)
WAIVER = _table(WaiverRow)
MESSAGE = _table(MessageRow)
NOTE = _table(NoteRow)
CLOCK = _table(ClockRow)
ADJUSTMENT = _table(AdjustmentRow)
DOCUMENT_CONTENT = _table(DocumentContentRow)
SKIP = _table(SkipRow)
INTERVIEW = _table(InterviewRow)
SCORE_NOTE = _table(ScoreNoteRow)
PIN = _table(PinRow)
MEETING = _table(MeetingRow)
MEETING_OUTCOME = _table(MeetingOutcomeRow)
MEETING_TURN = _table(MeetingTurnRow)
PREPARED = _table(PreparedRow)
PREPARED_SIGNATURE = _table(PreparedSignatureRow)
RECONSIDERATION = _table(ReconsiderationRow)
OFFER = _table(OfferRow)
OFFER_ANSWER = _table(OfferAnswerRow)
YIELD_RATE = _table(YieldRateRow)
ANNOUNCEMENT = _table(AnnouncementRow)
ANNOUNCED = _table(AnnouncedRow)
ROLE_GRANT = _table(RoleGrantRow)
ACCOUNT = _table(AccountRow)
SESSION = _table(SessionRow)
SIGN_IN = _table(SignInRow)
API_TOKEN = _table(ApiTokenRow)
IDEMPOTENCY = _table(IdempotencyRow)
AUDIT = _table(AuditRow)
WEBHOOK = _table(WebhookRow)
WEBHOOK_CALL = _table(WebhookCallRow)
WEBHOOK_POSITION = _table(WebhookPositionRow)
