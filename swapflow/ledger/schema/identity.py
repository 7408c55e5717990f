"""Tables of accounts, sessions, keys and the audit log."""

from datetime import datetime

from sqlalchemy import (
    Index,
    Text,
    text,
)
from sqlmodel import Field

from swapflow.ledger.schema.base import JsonText, PartialIndex, Row


class RoleGrantRow(Row):
    """A grant: which account has which role, in the office, a round, a unit or a cycle."""

    __tablename__ = "role_grant"
    who: str = Field(primary_key=True)
    role: str = Field(primary_key=True)
    scope: str = Field(primary_key=True)
    scope_id: str = Field(primary_key=True)
    by: str
    at: datetime


class GroupRoleRow(Row):
    """A role that every member of a group of the identity provider has in a place."""

    __tablename__ = "group_role"
    group_name: str = Field(primary_key=True)
    role: str = Field(primary_key=True)
    scope: str = Field(primary_key=True)
    scope_id: str = Field(primary_key=True)
    by: str
    at: datetime


class AccountGroupRow(Row):
    """A group with a role that the identity provider stated of an account at its last sign-in."""

    __tablename__ = "account_group"
    account_id: str = Field(primary_key=True, foreign_key="account.id")
    group_name: str = Field(primary_key=True)
    seen_at: datetime


class GroupClaimRow(Row):
    """Whether the identity provider stated groups at an account's last sign-in there."""

    __tablename__ = "group_claim"
    account_id: str = Field(primary_key=True, foreign_key="account.id")
    at: datetime
    state: str


class UnitRow(Row):
    """A unit of a round, such as a faculty, or a department in one; grants reach its programs."""

    __tablename__ = "unit"
    id: str = Field(primary_key=True)
    round_id: str = Field(foreign_key="round.id", index=True)
    parent_id: str | None = Field(foreign_key="unit.id", index=True)
    name: str


class CycleUnitRow(Row):
    """The unit that a cycle belongs to; a cycle without a row belongs to none."""

    __tablename__ = "cycle_unit"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    unit_id: str = Field(foreign_key="unit.id", index=True)


class AccountRow(Row):
    """An account of a person: signs in by a mailed link, a password, or an identity provider."""

    __tablename__ = "account"
    __table_args__ = (
        # A name at the identity provider belongs to one account; most have none.
        PartialIndex(
            "uq_account_subject",
            "subject",
            unique=True,
            where=text("subject <> ''"),
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


class SessionRow(Row):
    """A signed-in device; the key is the SHA-256 of its cookie."""

    __tablename__ = "session"
    digest: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="account.id", index=True)
    method: str
    agent: str
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime


class SignInRow(Row):
    """A mailed one-time link; the key is the SHA-256 of the link's token."""

    __tablename__ = "sign_in"
    digest: str = Field(primary_key=True)
    email: str = Field(index=True)
    code: str
    next: str
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None
    tries: int


class ApiTokenRow(Row):
    """The API key of a client, as its SHA-256; it may do what both account and scopes allow."""

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


class IdempotencyRow(Row):
    """The answer to a request with an idempotency key, so that a repeat gets the same."""

    __tablename__ = "idempotency"
    account_id: str = Field(primary_key=True, foreign_key="account.id")
    key: str = Field(primary_key=True)
    request: str
    status: int
    body: str = Field(sa_type=Text)
    at: datetime = Field(index=True)


class AuditRow(Row):
    """Who did what on the pages and interfaces; `detail` is erasable."""

    __tablename__ = "audit"
    __table_args__ = (Index(None, "cycle_id", "id"),)
    id: int | None = Field(default=None, primary_key=True)
    at: datetime
    who: str = Field(index=True)
    what: str
    cycle_id: str | None
    about: str
    detail: str = Field(sa_type=Text)
