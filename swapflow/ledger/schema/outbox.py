"""Tables of webhooks, mails and notes."""

from datetime import datetime

from sqlalchemy import (
    BigInteger,
    Index,
    Text,
)
from sqlmodel import Field

from swapflow.ledger.schema.base import JsonText, Row


class WebhookRow(Row):
    """An address to be notified; `secret` signs the calls."""

    __tablename__ = "webhook"
    id: str = Field(primary_key=True)
    url: str = Field(sa_type=Text)
    secret: str
    events: list[str] = Field(sa_type=JsonText)
    cycle_id: str | None = Field(foreign_key="cycle.id")
    active: bool
    by: str
    created_at: datetime


class WebhookCallRow(Row):
    """One call of one webhook, its own outbox; the id follows from webhook and event."""

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


class WebhookPositionRow(Row):
    """The last event of a cycle from which webhook calls were created."""

    __tablename__ = "webhook_position"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    seq: int = Field(sa_type=BigInteger)


class MessageRow(Row):
    """A mail to a person, its own outbox; the words are erasable, the id is its Message-ID.

    A sign-in mail belongs to no cycle, and its words are erased once it is sent: they hold a
    secret. By `code`, which nobody can guess, a mail that comes back is known again.
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
    code: str | None = Field(index=True)
    came_back: str | None
    came_back_at: datetime | None


class StrayBounceRow(Row):
    """A report of a mail that came back which fits none of ours; it holds nothing of a person."""

    __tablename__ = "stray_bounce"
    digest: str = Field(primary_key=True)
    why: str
    reporter: str
    status: str
    at: datetime


class PersonalLinkRow(Row):
    """What the personal link of a mail leads to; `link_token` has the digests of its tokens."""

    __tablename__ = "personal_link"
    message_id: str = Field(primary_key=True, foreign_key="message.id")
    cycle_id: str = Field(foreign_key="cycle.id", index=True)
    leads_to: str
    reviewer: int | None
    application: int | None
    offer_id: int | None
    pull_id: str
    sequence: int
    good_until: datetime | None
    used_at: datetime | None


class LinkTokenRow(Row):
    """A token that left in a mail, as its SHA-256; a mail that left twice has two."""

    __tablename__ = "link_token"
    digest: str = Field(primary_key=True)
    message_id: str = Field(foreign_key="personal_link.message_id", index=True)
    made_at: datetime


class HeldActRow(Row):
    """An act of staff that is carried out after some minutes; `reason` and `before` are erasable.

    Both are emptied once it has ended: what came of it is in the rows of the act itself.
    """

    __tablename__ = "held_act"
    __table_args__ = (Index(None, "state", "leaves_at"),)
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str = Field(foreign_key="cycle.id", index=True)
    kind: str
    items: list[str] = Field(sa_type=JsonText)
    before: list[dict[str, object]] = Field(sa_type=JsonText)
    size: int
    by: str
    reason: str = Field(sa_type=Text)
    at: datetime
    leaves_at: datetime
    state: str
    why: dict[str, object] | None = Field(sa_type=JsonText, nullable=True)
    ended_by: str


class NoteRow(Row):
    """A free-text reason, erasable: an event can hold `digest`, which then proves nothing.

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
