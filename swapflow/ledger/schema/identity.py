"""Tables of accounts, sessions, keys and the audit log."""

from datetime import datetime

from sqlalchemy import (
    Index,
    Text,
    text,
)
from sqlmodel import Field, SQLModel

from swapflow.ledger.schema.base import JsonText


class RoleGrantRow(SQLModel, table=True):
    """A grant: which account has which role, in the office, a round or a cycle."""

    __tablename__ = "role_grant"
    who: str = Field(primary_key=True)
    role: str = Field(primary_key=True)
    scope: str = Field(primary_key=True)
    scope_id: str = Field(primary_key=True)
    by: str
    at: datetime


class AccountRow(SQLModel, table=True):
    """An account of a person: signs in by a mailed link, a password, or an identity provider."""

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
    """A signed-in device; the key is the SHA-256 of its cookie."""

    __tablename__ = "session"
    digest: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="account.id", index=True)
    method: str
    agent: str
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime


class SignInRow(SQLModel, table=True):
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


class ApiTokenRow(SQLModel, table=True):
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


class IdempotencyRow(SQLModel, table=True):
    """The answer to a request with an idempotency key, so that a repeat gets the same."""

    __tablename__ = "idempotency"
    account_id: str = Field(primary_key=True, foreign_key="account.id")
    key: str = Field(primary_key=True)
    request: str
    status: int
    body: str = Field(sa_type=Text)
    at: datetime = Field(index=True)


class AuditRow(SQLModel, table=True):
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
