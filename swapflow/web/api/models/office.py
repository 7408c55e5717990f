"""The office around the programs as JSON."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from swapflow.domain.webhook_call import WebhookEvent
from swapflow.identity.permissions import Role, Scope
from swapflow.web.api.models.base import PLAIN, Email, In, Line, Link, Out, ShortName


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
    revision: str = Field(description="To be sent as `If-Match` with what takes its place.")


class NewWebhook(In):
    """An address to be told."""

    url: Link
    events: list[WebhookEvent] = Field(min_length=1, max_length=10)
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


class MailText(Mail):
    """A mail with its words."""

    text: str
    html: str
    calendar: str


class Grant(Out):
    """A role, and where it reaches."""

    role: Role
    scope: Scope
    scope_id: str


class User(Out):
    """A person with an account."""

    id: str
    email: str
    name: str
    active: bool
    grants: list[Grant]


class NewUser(In):
    """A person to be invited."""

    email: Email
    name: Line = ""


class NewGrant(In):
    """A role to be given or taken away."""

    role: Role
    scope: Scope = Scope.OFFICE
    scope_id: Annotated[str, StringConstraints(max_length=40, pattern=r"^[a-z0-9-]*$")] = ""


class ToDo(Out):
    """One thing that waits for the one who asks; it names no applicant."""

    code: str = Field(description="What waits, as a stable code.")
    params: dict[str, int | str] = Field(description="Counts and names that its text is made of.")
    text: str
    action: str = Field(description="What a button to it says.")
    program: str | None = Field(description="Id of the program; null for the office.")
    link: str = Field(description="The page on which it is done.")


class Me(Out):
    """The person or program that asks."""

    email: str
    name: str
    rights: list[str] = Field(description="What they may do somewhere, in words.")
    permissions: list[str] = Field(description="What they may do somewhere, as stable codes.")
    scopes: list[str] | None = Field(description="What the key lets through; null for a person.")
    reviews_in: list[str] = Field(description="Programs in which they review.")
