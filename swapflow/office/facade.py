"""What the interfaces call around the cycles: one method for each thing that a person does."""

import re
import secrets
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import sha256
from uuid import uuid4

from swapflow.errors import (
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    NotSignedInError,
    TooManyTriesError,
)
from swapflow.office.accounts import Account, AuditEntry, Method, Session
from swapflow.office.passwords import check_password, hash_password
from swapflow.office.ports import Limiter, OfficeLedger
from swapflow.office.rights import Grant, Right, Role, Scope, rights_anywhere, rights_in


SESSION_DAYS = 30
"""Life of a session on a device, unless a round's rules say less."""

TOUCH_EVERY = timedelta(minutes=5)
"""How often the use of a session is noted: a write for every request would cost too much."""

_EMAIL = re.compile(r"[^@\s<>]+@[^@\s<>]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Whoever asks: an account, what it may do, and where it sits as a reviewer.

    Attributes:
        session: Digest of the session, "" for a program with a key.
        scopes: None for a person; for a program, what its key may do.
        seats: (cycle, reviewer number) of the account's active roster entries.
    """

    account: Account
    session: str
    grants: tuple[Grant, ...]
    seats: tuple[tuple[str, int], ...]
    scopes: frozenset[str] | None = None

    @property
    def name(self) -> str:
        """The name under which acts stand in the record."""
        return self.account.email

    def rights(
        self, *, cycle_id: str | None = None, round_id: str | None = None
    ) -> frozenset[Right]:
        """Give what this visitor may do in a cycle of a round, or in the office."""
        return rights_in(self.grants, cycle_id=cycle_id, round_id=round_id)

    @property
    def rights_anywhere(self) -> frozenset[Right]:
        """What this visitor may do somewhere: decides which places the navigation shows."""
        return rights_anywhere(self.grants)

    def reviews_in(self, cycle_id: str) -> int | None:
        """Give the visitor's reviewer number in a cycle; None without a seat."""
        return next((number for cycle, number in self.seats if cycle == cycle_id), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """Accounts, sign-in, rights and the audit log."""

    ledger: OfficeLedger
    limiter: Limiter

    # Who asks

    def visitor(self, secret: str) -> Visitor | None:
        """Recognise a device by the secret in its cookie; None when nobody is signed in."""
        found = self.ledger.session(digest_of(secret)) if secret else None
        if found is None:
            return None
        session, account = found
        if self.ledger.now() - session.last_seen_at > TOUCH_EVERY:
            self.ledger.touch_session(session.digest)
        return self._visitor(account, session=session.digest)

    def _visitor(
        self, account: Account, *, session: str, scopes: frozenset[str] | None = None
    ) -> Visitor:
        return Visitor(
            account=account,
            session=session,
            grants=self.ledger.grants(account.id),
            seats=self.ledger.seats(account.email),
            scopes=scopes,
        )

    # Sign-in

    def sign_in_with_password(
        self, email: str, password: str, *, agent: str, address: str
    ) -> tuple[str, Session]:
        """Sign in staff; gives the secret for the device's cookie.

        Raises:
            TooManyTriesError: After 10 tries for the account or 30 from the address in 15 minutes.
            NotSignedInError: If address and password do not belong together.
        """
        self._limit("password-account", email.strip().lower(), times=10, seconds=900)
        self._limit("password-address", address, times=30, seconds=900)
        account = self.ledger.account_of(email)
        stored = account.password if account and account.active else ""
        # Checked in any case: the time must not tell whether the account exists.
        if not check_password(stored, password) or account is None:
            raise NotSignedInError("this address and password do not belong together")
        return self.start_session(account, method=Method.PASSWORD, agent=agent)

    def start_session(
        self, account: Account, *, method: Method, agent: str, days: float = SESSION_DAYS
    ) -> tuple[str, Session]:
        """Sign a device in; gives the secret for its cookie, which is stored nowhere else."""
        secret = secrets.token_urlsafe(32)
        now = self.ledger.now()
        session = Session(
            digest=digest_of(secret),
            account_id=account.id,
            method=method,
            agent=agent[:200],
            created_at=now,
            last_seen_at=now,
            expires_at=now + timedelta(days=days),
        )
        self.ledger.add_session(session)
        self.ledger.touch_session(session.digest)
        return secret, session

    def sign_out(self, visitor: Visitor, *, everywhere: bool = False) -> None:
        """End this device's session, or those of every device."""
        if everywhere:
            self.ledger.end_sessions(visitor.account.id)
        else:
            self.ledger.end_session(visitor.session)

    # Accounts and rights

    def add_account(self, email: str, *, name: str = "", password: str = "") -> Account:
        """Make an account.

        Raises:
            InvalidInputError: If the address is none, is taken, or the password is too weak.
        """
        email = email.strip().lower()
        if not _EMAIL.fullmatch(email) or len(email) > 254:  # noqa: PLR2004 - RFC 5321
            raise InvalidInputError(f"{email!r} is no mail address; write name@host")
        account = Account(
            id=uuid4().hex,
            email=email,
            name=name.strip(),
            password=hash_password(password) if password else "",
            subject="",
            active=True,
            created_at=self.ledger.now(),
            last_seen_at=None,
        )
        self.ledger.add_account(account)
        return account

    def set_password(self, account: Account, password: str) -> None:
        """Give an account another password and sign all its devices out.

        Raises:
            InvalidInputError: If the password is too weak.
        """
        self.ledger.change_account(replace(account, password=hash_password(password)))
        self.ledger.end_sessions(account.id)

    def account(self, email: str) -> Account:
        """Find an account by its address.

        Raises:
            NotFoundError: If there is none.
        """
        found = self.ledger.account_of(email)
        if found is None:
            raise NotFoundError(f"there is no account for {email!r}")
        return found

    def grant(
        self, account: Account, role: Role, scope: Scope, scope_id: str = "", *, by: str
    ) -> None:
        """Give an account a role."""
        grant = Grant(account=account.id, role=role, scope=scope, scope_id=scope_id)
        self.ledger.add_grant(grant, by=by)

    # Record

    def record(
        self,
        who: str,
        what: str,
        *,
        cycle_id: str | None = None,
        about: str = "",
        detail: str = "",
    ) -> None:
        """Write a line into the audit log."""
        self.ledger.record(
            AuditEntry(
                at=self.ledger.now(),
                who=who,
                what=what,
                cycle_id=cycle_id,
                about=about,
                detail=detail,
            )
        )

    def _limit(self, name: str, key: str, *, times: int, seconds: int) -> None:
        wait = self.limiter.hit(name, key, times=times, seconds=seconds)
        if wait:
            raise TooManyTriesError(
                f"too many tries; the next one is taken in {wait // 60 + 1} minutes", wait
            )


def require(visitor: Visitor, right: Right, *, cycle_id: str | None, round_id: str | None) -> None:
    """Refuse whoever lacks a right in a cycle.

    Raises:
        NotFoundError: If the visitor has no right at all there: that it exists is not told.
        ForbiddenError: If the visitor has other rights there.
    """
    held = visitor.rights(cycle_id=cycle_id, round_id=round_id)
    if right in held:
        return
    if cycle_id is not None and not held:
        raise NotFoundError(f"there is no program {cycle_id!r} that you may see")
    raise ForbiddenError(
        f"you may not {right.value} here; an administrator can give you a role that may"
    )


def digest_of(secret: str) -> str:
    """Give what is stored of a secret."""
    return sha256(secret.encode()).hexdigest()
