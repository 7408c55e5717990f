"""Tables of what follows the list: offers, letters, meetings, reconsiderations."""

from datetime import datetime

from sqlalchemy import (
    ForeignKeyConstraint,
    Index,
    Text,
    text,
)
from sqlmodel import Field

from swapflow.ledger.schema.base import JsonText, PartialIndex, Row


STILL_OPEN = text("result = ''")


class ReconsiderationRow(Row):
    """One reconsideration of an application; at most one is open for each.

    `asked_by`, `reason`, `why` and `exceptions` are erasable.
    """

    __tablename__ = "reconsideration"
    __table_args__ = (
        Index(None, "cycle_id", "application"),
        PartialIndex(
            "ix_reconsideration_open",
            "cycle_id",
            "application",
            unique=True,
            where=STILL_OPEN,
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


class OfferRow(Row):
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


class YieldRateRow(Row):
    """The share of offers that is accepted; the last row of a cycle is in force."""

    __tablename__ = "yield_rate"
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str = Field(foreign_key="cycle.id", index=True)
    accepting: float
    declining: float
    risk: float
    source: str
    by: str
    at: datetime


class OfferAnswerRow(Row):
    """The applicant's answer to an offer."""

    __tablename__ = "offer_answer"
    offer_id: int = Field(primary_key=True, foreign_key="offer.id")
    answer: str
    at: datetime


class ApplicantAnswerRow(Row):
    """What an applicant answered by their link: about an offer, or about an interview's date."""

    __tablename__ = "applicant_answer"
    __table_args__ = (Index(None, "cycle_id", "application"),)
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str = Field(foreign_key="cycle.id")
    application: int
    offer_id: int | None = Field(foreign_key="offer.id")
    pull_id: str
    sequence: int
    answer: str
    at: datetime


class AnnouncementRow(Row):
    """Letters to applicants that were written together and are held for a while."""

    __tablename__ = "announcement"
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str = Field(foreign_key="cycle.id", index=True)
    version: int
    by: str
    at: datetime
    leaves_at: datetime
    taken_back_by: str
    taken_back_at: datetime | None


class AnnouncedRow(Row):
    """One applicant's letter of an announcement; its mail holds the words."""

    __tablename__ = "announced"
    __table_args__ = (Index(None, "cycle_id", "application"),)
    announcement_id: int = Field(primary_key=True, foreign_key="announcement.id")
    application: int = Field(primary_key=True)
    cycle_id: str = Field(foreign_key="cycle.id")
    message_id: str = Field(foreign_key="message.id", unique=True)
    told: str
    offer_id: int | None = Field(foreign_key="offer.id")


class MeetingRow(Row):
    """A committee's meeting about one version of a list, and who opened it."""

    __tablename__ = "meeting"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    version: int = Field(primary_key=True)
    by: str
    at: datetime


class MeetingOutcomeRow(Row):
    """A meeting's outcome for an application; a later row replaces an earlier one.

    `together` is how many applicants the one act decided.
    """

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
    line: str = Field(default="", sa_column_kwargs={"server_default": ""})
    together: int = Field(default=1, sa_column_kwargs={"server_default": "1"})


class MeetingLookRow(Row):
    """What a meeting looked at about an application, and who opened it."""

    __tablename__ = "meeting_look"
    __table_args__ = (
        ForeignKeyConstraint(["cycle_id", "version"], ["meeting.cycle_id", "meeting.version"]),
        Index(None, "cycle_id", "version"),
    )
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str
    version: int
    application: int
    what: str
    by: str
    at: datetime


class ZoneConfirmationRow(Row):
    """A named person took on a clear zone; the last row of a zone is valid."""

    __tablename__ = "zone_confirmation"
    __table_args__ = (
        ForeignKeyConstraint(["cycle_id", "version"], ["meeting.cycle_id", "meeting.version"]),
        Index(None, "cycle_id", "version"),
    )
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str
    version: int
    zone: str
    applications: list[int] = Field(sa_type=JsonText)
    opened: int
    by: str
    at: datetime


class MeetingTurnRow(Row):
    """A meeting was closed or reopened; the last row is valid."""

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
