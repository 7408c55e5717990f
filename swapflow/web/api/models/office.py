"""The office around the programs as JSON."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from swapflow.domain.webhook_call import WebhookEvent
from swapflow.engine.ports.health_facts import Grade
from swapflow.identity.permissions import Role, Scope
from swapflow.web.api.models.base import (
    PLAIN,
    Email,
    In,
    Line,
    Link,
    Name,
    Out,
    ShortName,
)


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


class MailFinding(Out):
    """What one check of the sender found, and what to do about it."""

    check: str
    grade: Grade
    says: str
    cure: str


class CameBack(Out):
    """A mail that came back and that no person has seen to."""

    id: str
    to: str
    subject: str
    why: str
    cure: str
    said: str = Field(description="The other server's answer, empty where it gave none.")
    at: datetime


class MailCheck(Out):
    """Whether mails arrive: the sender's domain, the last test mail, what came back."""

    findings: list[MailFinding]
    probe: Mail | None
    came_back: list[CameBack] = Field(
        description="The office's own mails, such as invitations; for those who manage people."
    )
    strays: int = Field(description="Reports that fit no mail of ours.")


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


class GroupRoleEntry(Out):
    """A role that a group of the identity provider gives its members."""

    group: str
    role: Role
    scope: Scope
    scope_id: str
    members: int = Field(description="People who were stated to be in it.")


class NewGroupRole(NewGrant):
    """A role that a group is to give."""

    group: Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=PLAIN)]
    administrators: bool = Field(
        default=False, description="Needed to let a group make administrators."
    )


class GroupRoleChange(Out):
    """The people whose roles change with a role of a group."""

    people: list[str] = Field(description="Addresses of those who gain or lose it.")
    known: bool = Field(description="Whether the members of the group are known yet.")


class OfficeUnit(Out):
    """A unit of a round: a faculty, or a department in one."""

    id: str
    round: str
    parent: str | None = Field(description="The unit above; null for one directly in the round.")
    name: str
    programs: list[str] = Field(description="Programs of it, not of those within it.")


class NewUnit(In):
    """A unit to be made."""

    name: Name
    round: ShortName
    parent: ShortName | None = None
    id: Annotated[str, StringConstraints(pattern=r"^([a-z0-9][a-z0-9-]{0,39})?$")] = Field(
        default="", description="Made from the name when it is left out."
    )


class RenamedUnit(In):
    """Another name of a unit."""

    name: Name
    before: Line | None = Field(
        default=None, description="The name that was read; refused where it is another by now."
    )


class UnitGrant(Out):
    """A role of a person in a unit, or in a program of it."""

    email: str
    name: str
    role: Role
    scope: Scope
    scope_id: str


class NewUnitGrant(In):
    """A role to be given within a unit."""

    email: Email
    name: Line = Field(default="", description="For a new account.")
    role: Role
    scope: Literal[Scope.UNIT, Scope.CYCLE] = Scope.UNIT
    scope_id: Annotated[str, StringConstraints(max_length=40, pattern=r"^[a-z0-9-]*$")] = Field(
        default="", description="The unit, one within it, or a program; the unit when left out."
    )


class RightsAfterMove(Out):
    """What a person gains and loses in a program by its move, as codes of permissions."""

    email: str
    gained: list[str]
    lost: list[str]


class UnitOfProgram(Out):
    """The unit of a program, and whose rights a move changes."""

    unit: str | None
    changed: list[RightsAfterMove]


class NewProgramUnit(In):
    """A program's move."""

    unit: ShortName | None = Field(description="The unit; null for none.")
    before: ShortName | None = Field(
        description="The unit that it belonged to when it was read; refused where it has moved."
    )


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
