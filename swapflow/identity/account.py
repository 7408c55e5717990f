"""Accounts, sessions, mailed links and API keys, as values."""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from swapflow.domain.rules import SignInPolicy
from swapflow.errors import InvalidInputError


LONGEST_ADDRESS = 254
"""Characters of a mail address, by RFC 5321."""

_EMAIL = re.compile(r"[^@\s<>]+@[^@\s<>]+")


class Method(StrEnum):
    """How a person proved who they are."""

    LINK = "link"
    CODE = "code"
    PASSWORD = "password"  # noqa: S105 - the name of a method
    PROVIDER = "provider"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The account of a person.

    Attributes:
        id: Random; grants and sessions name it.
        email: In small letters; unique.
        password: argon2 hash, "" for none.
        subject: `issuer#subject` at an identity provider, "" for none.
        active: False keeps the account from signing in; its record stays.
    """

    id: str
    email: str
    name: str
    password: str
    subject: str
    active: bool
    created_at: datetime
    last_seen_at: datetime | None

    @property
    def shown(self) -> str:
        """The name on screens and in the record."""
        return self.name or self.email


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A signed-in device.

    Attributes:
        digest: SHA-256 of the secret that only the device holds.
        agent: What the browser calls itself, shortened.
    """

    digest: str
    account_id: str
    method: Method
    agent: str
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """A mailed one-time link: a link's token or a typed code.

    Attributes:
        digest: SHA-256 of the link's token.
        code: SHA-256 of token digest and typed code.
        next: Path to go to afterwards.
        tries: Wrong codes typed so far.
    """

    digest: str
    email: str
    code: str
    next: str
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None
    tries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokedAccess:
    """The access that was revoked at once.

    Attributes:
        sessions: Devices that were signed in.
        keys: Keys of programs that were good.
        links: Mailed links and codes that were not used yet.
    """

    sessions: int
    keys: int
    links: int

    def __str__(self) -> str:
        return f"devices {self.sessions}, keys {self.keys}, mailed links {self.links}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInRequirement:
    """The requirements of a cycle's rules for opening its pages.

    Attributes:
        session_days: Longest time that a device stays signed in.
    """

    cycle_id: str
    round_id: str
    sign_in: SignInPolicy
    session_days: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiToken:
    """The API key of a client.

    Attributes:
        digest: SHA-256 of the key.
        scopes: "read", "write", "review", "webhooks": which of its account's permissions the key
            has.
    """

    id: str
    account_id: str
    name: str
    digest: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One line of the audit log.

    Attributes:
        who: Address of the account, or the name that a command ran under.
        what: What was done, as a short verb phrase.
        about: Whom or what it was done to, by id.
        detail: Free text; erasable.
    """

    at: datetime
    who: str
    what: str
    cycle_id: str | None
    about: str
    detail: str

    def seen_from(self, closed: Collection[str]) -> "AuditEntry":
        """Return it without what it is about, if it is of one of these programs."""
        return replace(self, about="", detail="") if self.cycle_id in closed else self


def check_address(email: str) -> None:
    """Check that a text is a mail address.

    Raises:
        InvalidInputError: If it is not.
    """
    if not _EMAIL.fullmatch(email) or not email.isprintable() or len(email) > LONGEST_ADDRESS:
        raise InvalidInputError("email_malformed", email=email[:80])
