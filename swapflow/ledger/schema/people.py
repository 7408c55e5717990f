"""Tables of applicants, reviewers, and what was imported about them."""

from datetime import datetime

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    Text,
    UniqueConstraint,
    text,
)
from sqlmodel import Field

from swapflow.ledger.schema.base import JsonText, Row


class PersonRow(Row):
    """A person that the office knows: name and mail, both erasable. The id is random."""

    __tablename__ = "person"
    __table_args__ = (Index("ix_person_lower_email", text("lower(email)")),)
    id: str = Field(primary_key=True)
    name: str
    email: str = Field(index=True)


class ApplicationRow(Row):
    """One person in one cycle.

    `external_id` becomes NULL and `fields` empty when the application is purged; `tie` is an
    unsigned 64-bit number stored as a signed one.
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


class ImportedRow(Row):
    """The latest imported fields of an application, by column; erasable as a whole.

    Monitoring attributes are left out: no deciding code may read those.
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


class ListReadingRow(Row):
    """How a kind of list was read last: the meaning of its columns, its key, its dates."""

    __tablename__ = "list_reading"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    what: str = Field(primary_key=True)
    settings: dict[str, str] = Field(sa_type=JsonText)
    by: str
    at: datetime


class ExchangedFileRow(Row):
    """A file of another system, or put out for it; it holds nothing of a person."""

    __tablename__ = "exchanged_file"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    number: int = Field(primary_key=True)
    what: str
    outcome: str
    name: str = Field(sa_type=Text)
    digest: str
    size: int = Field(sa_type=BigInteger)
    via: str
    counts: dict[str, int] = Field(sa_type=JsonText)
    lines: list[list[int | str]] = Field(sa_type=JsonText)
    by: str
    at: datetime
    done_by: str


class DocumentRow(Row):
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


class DocumentContentRow(Row):
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


class SelectionAttributeRow(Row):
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


class MonitoringAttributeRow(Row):
    """An attribute for monitoring only (sex, race, …); erasable as a whole.

    The ports write and erase these rows and never read them: deciding code cannot reach them.
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


class AttributeValueRow(Row):
    """The number by which events name an attribute's value."""

    __tablename__ = "attribute_value"
    __table_args__ = (UniqueConstraint("cycle_id", "attribute", "number"),)
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    attribute: str = Field(primary_key=True)
    value: str = Field(primary_key=True)
    number: int


class TopicRow(Row):
    """The number by which events name a topic."""

    __tablename__ = "topic"
    __table_args__ = (UniqueConstraint("cycle_id", "number"),)
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    name: str = Field(primary_key=True)
    number: int


class RosterRow(Row):
    """A reviewer of a cycle; `share` is the part of the person's capacity that this cycle has."""

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


class RosterAbsenceRow(Row):
    """Days on which a reviewer gets no new requests; ISO dates, both included."""

    __tablename__ = "roster_absence"
    __table_args__ = (
        ForeignKeyConstraint(["cycle_id", "reviewer"], ["roster.cycle_id", "roster.number"]),
    )
    cycle_id: str = Field(primary_key=True)
    reviewer: int = Field(primary_key=True)
    first: str = Field(primary_key=True)
    last: str = Field(primary_key=True)


class ExpertiseRow(Row):
    """A topic of a reviewer's expertise."""

    __tablename__ = "expertise"
    __table_args__ = (
        ForeignKeyConstraint(["cycle_id", "reviewer"], ["roster.cycle_id", "roster.number"]),
        ForeignKeyConstraint(["cycle_id", "topic"], ["topic.cycle_id", "topic.number"]),
    )
    cycle_id: str = Field(primary_key=True)
    reviewer: int = Field(primary_key=True)
    topic: int = Field(primary_key=True)
    position: int


class ConflictRow(Row):
    """An application that a reviewer must not judge, and the source of this."""

    __tablename__ = "conflict"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    application: int = Field(primary_key=True)
    reviewer: int = Field(primary_key=True)
    source: str


class OpenedRow(Row):
    """An application that a reviewer opened in another role, before a review of it."""

    __tablename__ = "opened"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    application: int = Field(primary_key=True)
    reviewer: int = Field(primary_key=True)


class PanelRow(Row):
    """An application with rows here goes to no other reviewer."""

    __tablename__ = "panel"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    application: int = Field(primary_key=True)
    reviewer: int = Field(primary_key=True)


class EndorsementRow(Row):
    """An endorsement of an application, never a number; erasable as a whole."""

    __tablename__ = "endorsement"
    __table_args__ = (Index(None, "cycle_id", "application"),)
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str = Field(foreign_key="cycle.id")
    application: int
    by: str
    text: str = Field(sa_type=Text)
    at: datetime


class ErasedPersonRow(Row):
    """One erasure of a round, as keyed digests; the key lies in the data folder.

    No number stands beside them, so that they lead to no score. They go with the round.
    """

    __tablename__ = "erased_person"
    id: str = Field(primary_key=True)
    round_id: str = Field(foreign_key="round.id", index=True, ondelete="CASCADE")
    cycle_id: str = Field(foreign_key="cycle.id", ondelete="CASCADE")
    erased_as: str
    key_id: str
    id_digest: str
    address_digest: str
    day: str
    back: bool = Field(default=False)
