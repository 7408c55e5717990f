"""What the interfaces call around the cycles: one method for each thing that a person does."""

import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import uuid4

from swapflow.domain.rules import Rules, WayIn
from swapflow.errors import (
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    NotSignedInError,
    TooManyTriesError,
    WayInRefusedError,
)
from swapflow.office import ways_in
from swapflow.office.accounts import Account, ApiToken, AuditEntry, Method, Session
from swapflow.office.interfaces import Webhook
from swapflow.office.passwords import check_password, hash_password
from swapflow.office.ports import Limiter, OfficeLedger
from swapflow.office.rights import (
    SCOPES,
    Grant,
    Right,
    Role,
    Scope,
    rights_anywhere,
    rights_in,
)
from swapflow.office.tokens import PREFIX, make_token
from swapflow.office.ways_in import MailedLink
from swapflow.office.webhooks import Reach, make_webhook


SESSION_DAYS = 30
"""Life of a session on a device, unless a round's rules say less."""

TOUCH_EVERY = timedelta(minutes=5)
"""How often the use of a session is noted: a write for every request would cost too much."""

REQUESTS_A_MINUTE = 600
"""How often one key may be used."""

PROVIDER_VISITS = 300
"""How often one network address may go to the identity provider and come back in 15 minutes.

Not as few as with passwords: a whole campus may share an address, and nothing is guessed here.
"""

PROVIDER_FAILURES = 30
"""How often it may come back in vain in that time."""

LONGEST_ADDRESS = 254
"""Characters of a mail address, by RFC 5321."""

_EMAIL = re.compile(r"[^@\s<>]+@[^@\s<>]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Whoever asks: an account, what it may do, and where it sits as a reviewer.

    Attributes:
        session: Digest of the session, "" for a program with a key.
        method: How the session was begun; None for a program.
        since: When it was begun; None for a program.
        scopes: None for a person; for a program, what its key may do.
        seats: (cycle, reviewer number) of the account's active roster entries.
    """

    account: Account
    session: str
    grants: tuple[Grant, ...]
    seats: tuple[tuple[str, int], ...]
    scopes: frozenset[str] | None = None
    method: Method | None = None
    since: datetime | None = None

    @property
    def name(self) -> str:
        """The name under which acts stand in the record."""
        return self.account.email

    def rights(
        self, *, cycle_id: str | None = None, round_id: str | None = None
    ) -> frozenset[Right]:
        """Give what this visitor may do in a cycle of a round, or in the office."""
        return self._within(rights_in(self.grants, cycle_id=cycle_id, round_id=round_id))

    @property
    def rights_anywhere(self) -> frozenset[Right]:
        """What this visitor may do somewhere: decides which places the navigation shows."""
        return self._within(rights_anywhere(self.grants))

    def _within(self, rights: frozenset[Right]) -> frozenset[Right]:
        """Give the smaller of an account's rights and its key's."""
        if self.scopes is None:
            return rights
        return rights & frozenset(right for scope in self.scopes for right in SCOPES[scope])

    def reviews_in(self, cycle_id: str) -> int | None:
        """Give the visitor's reviewer number in a cycle; None without a seat."""
        return next((number for cycle, number in self.seats if cycle == cycle_id), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """An account and what it may do where."""

    account: Account
    grants: tuple[Grant, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """Accounts, sign-in, rights and the audit log."""

    ledger: OfficeLedger
    limiter: Limiter

    # Who asks

    def visitor(self, secret: str) -> Visitor | None:
        """Recognise a device by the secret in its cookie; None when nobody is signed in."""
        if not secret:
            return None
        with self.ledger.one_moment():
            found = self.ledger.session(digest_of(secret))
            if found is None:
                return None
            session, account = found
            visitor = self._visitor(account, session)
            is_stale = self.ledger.now() - session.last_seen_at > TOUCH_EVERY
        if is_stale:
            self.ledger.touch_session(session.digest)
        return visitor

    def _visitor(
        self,
        account: Account,
        session: Session | None = None,
        *,
        scopes: frozenset[str] | None = None,
    ) -> Visitor:
        return Visitor(
            account=account,
            session=session.digest if session else "",
            method=session.method if session else None,
            since=session.created_at if session else None,
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

    def mail_link(self, email: str, path: str, *, address: str, site: str) -> None:
        """Mail a link and a code to an address, if it is known; nothing tells whether it is.

        Args:
            email: Whoever wants to come in.
            path: Where to go afterwards.
            address: The client's network address.
            site: Where people reach swapflow.

        Raises:
            InvalidInputError: If it is no address at all.
            TooManyTriesError: After 5 for the address or 30 from the client in an hour.
        """
        _check_address(email.strip())
        self._limit("link-account", email.strip().lower(), times=5, seconds=3600)
        self._limit("link-address", address, times=30, seconds=3600)
        ways_in.mail_link(email, path, site=site, ledger=self.ledger)

    def look_at_link(self, token: str) -> MailedLink:
        """Read a mailed link without spending it.

        Raises:
            NotFoundError: If there never was such a link.
        """
        found = ways_in.look_at_link(token, ledger=self.ledger)
        if found is None:
            raise NotFoundError("there is no such link; perhaps the mail broke it in two")
        return found

    def enter_by_link(self, token: str, *, agent: str) -> tuple[str, Session, str]:
        """Spend a mailed link; gives the device's secret, its session, and where to go.

        Raises:
            NotSignedInError: If the link is no longer good.
            ForbiddenError: If the address may not sign in.
        """
        account, path = ways_in.spend_link(token, ledger=self.ledger)
        return *self.start_session(account, method=Method.LINK, agent=agent), path

    def enter_by_code(
        self, email: str, code: str, *, agent: str, address: str
    ) -> tuple[str, Session, str]:
        """Spend a mailed code; gives the device's secret, its session, and where to go.

        Raises:
            TooManyTriesError: After 30 tries from the client in 15 minutes.
            NotSignedInError: If the code is wrong or no longer good.
            ForbiddenError: If the address may not sign in.
        """
        self._limit("code-address", address, times=30, seconds=900)
        account, path = ways_in.spend_code(email, code, ledger=self.ledger)
        return *self.start_session(account, method=Method.CODE, agent=agent), path

    def count_provider_visit(self, address: str) -> None:
        """Count that a network address goes to the identity provider, or comes back.

        Raises:
            TooManyTriesError: After 300 in 15 minutes.
        """
        self._limit("provider-address", address, times=PROVIDER_VISITS, seconds=900)

    def note_provider_failure(self, who: str, why: str, *, address: str) -> None:
        """Record that somebody came back from the identity provider in vain.

        Args:
            who: The address that the provider states, "" when it states none.
            why: What went wrong, in few words.
            address: The client's network address.

        Raises:
            TooManyTriesError: After 30 in 15 minutes; those further ones are not recorded.
        """
        self._limit("provider-failure", address, times=PROVIDER_FAILURES, seconds=900)
        self.record(
            (who or "unknown")[:LONGEST_ADDRESS],
            "did not get in through the identity provider",
            detail=why,
        )

    def enter_by_provider(
        self, subject: str, *, email: str, name: str, verified: bool, agent: str
    ) -> tuple[str, Session]:
        """Sign in whom an identity provider has recognised.

        Raises:
            ForbiddenError: If nobody here is meant.
        """
        account = ways_in.match_provider(
            subject, email, name, verified=verified, ledger=self.ledger
        )
        return self.start_session(account, method=Method.PROVIDER, agent=agent)

    def start_session(
        self, account: Account, *, method: Method, agent: str
    ) -> tuple[str, Session]:
        """Sign a device in; gives the secret for its cookie, which is stored nowhere else."""
        days = self._session_days(account)
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
        self.record(account.email, "signed in", detail=method.value)
        return secret, session

    def _session_days(self, account: Account) -> float:
        """Give the life of a session: the shortest that an open cycle of the account allows."""
        grants = self.ledger.grants(account.id)
        seats = {cycle for cycle, _ in self.ledger.seats(account.email)}
        return min(
            (
                door.session_days
                for door in self.ledger.doors()
                if door.cycle_id in seats
                or rights_in(grants, cycle_id=door.cycle_id, round_id=door.round_id)
            ),
            default=SESSION_DAYS,
        )

    def check_way_in(self, visitor: Visitor, rules: Rules) -> None:
        """Refuse a session that is not good enough, or too old, for a cycle's pages.

        A program's key counts as a sign-in through the provider if its account has had one.

        Raises:
            WayInRefusedError: If the rules want the identity provider and it was something else.
            NotSignedInError: If the session is older than the rules let one become.
        """
        recognised = (
            visitor.method is Method.PROVIDER if visitor.session else bool(visitor.account.subject)
        )
        if rules.sign_in is WayIn.PROVIDER and not recognised:
            raise WayInRefusedError(
                "this program opens only to whoever signs in through their organisation"
            )
        if visitor.since is None or rules.session_days >= SESSION_DAYS:
            return
        if self.ledger.now() - visitor.since > timedelta(days=rules.session_days):
            raise NotSignedInError("you signed in too long ago for this program; please do again")

    def sessions(self, visitor: Visitor) -> tuple[Session, ...]:
        """List the devices on which an account is signed in, newest first."""
        return self.ledger.sessions(visitor.account.id)

    def end_session(self, visitor: Visitor, digest: str) -> None:
        """Sign one of the visitor's devices out.

        Raises:
            NotFoundError: If it is none of theirs, or signed out already.
        """
        if digest not in {known.digest for known in self.sessions(visitor)}:
            raise NotFoundError("this device is signed out already")
        self.ledger.end_session(digest)

    def forget_device(self, secret: str) -> None:
        """End the session of a device that signs in anew."""
        if secret:
            self.ledger.end_session(digest_of(secret))

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
        _check_address(email)
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
        self.ledger.set_password(account.id, hash_password(password))
        self.ledger.end_sessions(account.id)

    def change_password(self, visitor: Visitor, *, old: str, new: str) -> None:
        """Let somebody change their own password; their other devices are signed out.

        Raises:
            TooManyTriesError: After 10 tries in 15 minutes.
            InvalidInputError: If the old one is wrong, or the new one too weak.
        """
        account = visitor.account
        self._limit("password-account", account.email, times=10, seconds=900)
        if account.password and not check_password(account.password, old):
            raise InvalidInputError("this is not your password so far")
        self.ledger.set_password(account.id, hash_password(new))
        self.ledger.end_sessions(account.id, but=visitor.session)
        self.record(account.email, "changed the own password")

    def account(self, email: str) -> Account:
        """Find an account by its address.

        Raises:
            NotFoundError: If there is none.
        """
        found = self.ledger.account_of(email)
        if found is None:
            raise NotFoundError(f"there is no account for {email!r}")
        return found

    def users(self) -> tuple[User, ...]:
        """List every account with its grants, by address."""
        grants: dict[str, list[Grant]] = {}
        for grant in self.ledger.grants():
            grants.setdefault(grant.account, []).append(grant)
        return tuple(
            User(account=account, grants=tuple(grants.get(account.id, ())))
            for account in self.ledger.accounts()
        )

    def invite(self, email: str, *, name: str, by: str, site: str) -> Account:
        """Make an account, where there is none, and mail its owner a first way in.

        Raises:
            InvalidInputError: If the address is none, or the account is closed.
        """
        account = self.ledger.account_of(email) or self.add_account(email, name=name)
        if not account.active:
            raise InvalidInputError(f"the account of {account.email} is closed; open it first")
        ways_in.mail_invitation(account, by=by, site=site, ledger=self.ledger)
        self.record(by, "invited", about=account.email)
        return account

    def deactivate(self, account: Account, *, by: str) -> None:
        """Close an account: its devices are signed out and its keys rest; its record stays.

        Raises:
            InvalidInputError: If nobody else could administer the office.
        """
        self.ledger.close_account(account.id)
        self.record(by, "closed the account", about=account.email)

    def activate(self, account: Account, *, by: str) -> None:
        """Open a closed account again."""
        self.ledger.open_account(account.id)
        self.record(by, "opened the account", about=account.email)

    def grant(
        self, account: Account, role: Role, scope: Scope, scope_id: str = "", *, by: str
    ) -> None:
        """Give an account a role; one that it has is left as it is.

        Raises:
            InvalidInputError: If a round or cycle is meant and not named, or the reverse.
        """
        if (scope is Scope.OFFICE) == bool(scope_id):
            raise InvalidInputError("name the round or the program, or take the whole office")
        grant = Grant(account=account.id, role=role, scope=scope, scope_id=scope_id)
        self.ledger.add_grant(grant, by=by)
        self._record_grant(by, "gave a role", account, grant)

    def revoke(
        self, account: Account, role: Role, scope: Scope, scope_id: str = "", *, by: str
    ) -> None:
        """Take a role away.

        Raises:
            NotFoundError: If the account does not have it.
            InvalidInputError: If nobody else could administer the office.
        """
        grant = Grant(account=account.id, role=role, scope=scope, scope_id=scope_id)
        if grant not in self.ledger.grants(account.id):
            raise NotFoundError(f"{account.email} does not have this role there")
        self.ledger.remove_grant(grant)
        self._record_grant(by, "took a role away", account, grant)

    def has_administrator(self) -> bool:
        """Say whether anybody can administer the office."""
        active = {account.id for account in self.ledger.accounts() if account.active}
        return any(
            grant.role is Role.ADMINISTRATOR and grant.scope is Scope.OFFICE
            for grant in self.ledger.grants()
            if grant.account in active
        )

    def _record_grant(self, by: str, what: str, account: Account, grant: Grant) -> None:
        place = f"{grant.scope.value} {grant.scope_id}".strip()
        self.record(
            by,
            what,
            cycle_id=grant.scope_id if grant.scope is Scope.CYCLE else None,
            about=account.email,
            detail=f"{grant.role.value}, {place}",
        )

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

    # Programs

    def program(self, key: str) -> Visitor:
        """Recognise a program by its key: it acts for its account, within the key's scopes.

        Raises:
            NotSignedInError: If the key is none, was revoked, has expired, or its account is gone.
            TooManyTriesError: After 600 requests in a minute.
        """
        found = self.ledger.token(digest_of(key)) if key.startswith(PREFIX) else None
        if found is None:
            raise NotSignedInError("this key is not known, was revoked, or has expired")
        token, account = found
        wait = self.limiter.hit("api-key", token.id, times=REQUESTS_A_MINUTE, seconds=60)
        if wait:
            raise TooManyTriesError(
                f"a key may ask {REQUESTS_A_MINUTE} times a minute; wait {wait} seconds", wait
            )
        if token.last_used_at is None or self.ledger.now() - token.last_used_at > TOUCH_EVERY:
            self.ledger.touch_token(token.id)
        return self._visitor(account, scopes=frozenset(token.scopes))

    def make_token(
        self, visitor: Visitor, *, name: str, scopes: Collection[str], days: int | None
    ) -> tuple[str, ApiToken]:
        """Make a key for a visitor; gives the key itself, which is stored nowhere.

        Raises:
            ForbiddenError: If a program asks: a key that makes keys could not be taken back.
            InvalidInputError: If name, scopes or days cannot be used.
        """
        if visitor.scopes is not None:
            raise ForbiddenError("a key cannot make keys; sign in as a person to make one")
        made = make_token(visitor.account, name=name, scopes=scopes, days=days, ledger=self.ledger)
        self.record(visitor.name, "made a key", about=made[1].id, detail=made[1].name)
        return made

    def tokens(self, visitor: Visitor) -> tuple[ApiToken, ...]:
        """List a visitor's keys, newest first, used up ones too."""
        return self.ledger.tokens(visitor.account.id)

    def revoke_token(self, visitor: Visitor, token_id: str) -> None:
        """Make one of a visitor's keys useless for good; revoking it again changes nothing.

        Raises:
            NotFoundError: If the visitor has no such key.
        """
        if token_id not in {token.id for token in self.ledger.tokens(visitor.account.id)}:
            raise NotFoundError("you have no such key")
        if self.ledger.revoke_token(token_id):
            self.record(visitor.name, "revoked a key", about=token_id)

    def make_webhook(
        self,
        visitor: Visitor,
        url: str,
        *,
        events: Collection[str],
        cycle_id: str | None,
        reach: Reach,
    ) -> Webhook:
        """Register an address; whoever asks must have been found to have the right.

        Raises:
            InvalidInputError: If the address or the events cannot be used.
        """
        made = make_webhook(
            url,
            events=events,
            cycle_id=cycle_id,
            by=visitor.name,
            reach=reach,
            ledger=self.ledger,
        )
        self.record(visitor.name, "registered a webhook", cycle_id=cycle_id, about=made.id)
        return made

    def webhooks(self) -> tuple[Webhook, ...]:
        """List every webhook, oldest first."""
        return self.ledger.webhooks()

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


def _check_address(email: str) -> None:
    if not _EMAIL.fullmatch(email) or not email.isprintable() or len(email) > LONGEST_ADDRESS:
        raise InvalidInputError(f"{email[:80]!r} is no mail address; write name@host")
