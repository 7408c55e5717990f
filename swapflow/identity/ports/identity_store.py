"""What the office needs from outside: its durable record, and a counter of tries."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from swapflow.engine.ports.outbox import PersonalLinks
from swapflow.engine.ports.records import Mail, MailRecord
from swapflow.identity.account import (
    Account,
    ApiToken,
    AuditEntry,
    RevokedAccess,
    Session,
    SignIn,
    SignInRequirement,
)
from swapflow.identity.permissions import Grant
from swapflow.identity.ports.group_store import GroupStore
from swapflow.identity.ports.integration_store import IntegrationStore
from swapflow.identity.ports.unit_store import UnitStore


class IdentityStore(IntegrationStore, PersonalLinks, UnitStore, GroupStore, Protocol):
    """The durable record of accounts, sessions, grants and actions.

    Every method is one transaction of its own, and none takes a cycle's lock.

    Raises:
        UnavailableError: From any method, if the database does not answer.
    """

    def now(self) -> datetime:
        """The database's time plus the offset that tests set; aware UTC."""
        ...

    def one_moment(self) -> AbstractContextManager[None]:
        """Read everything in this thread as of one moment, until the block ends."""
        ...

    # Accounts and grants

    def add_account(self, account: Account) -> None:
        """Store an account; raise InvalidInputError if its address is taken."""
        ...

    def set_password(self, account_id: str, password: str) -> None:
        """Store another hash of a password, and change nothing else of the account."""
        ...

    def link_subject(self, account_id: str, subject: str) -> bool:
        """Link an account to its name at an identity provider.

        False, without effect, when it has another one, or another account has this one.
        """
        ...

    def open_account(self, account_id: str) -> None:
        """Allow an account to sign in again."""
        ...

    def close_account(self, account_id: str) -> None:
        """Prevent an account from signing in, and delete its sessions.

        Raises InvalidInputError for the office's last administrator, also when two administrators
        close each other's accounts at the same moment.
        """
        ...

    def account(self, account_id: str) -> Account | None:
        """Read an account by its id."""
        ...

    def account_of(self, email: str) -> Account | None:
        """Read an account by its address, in upper or lower case."""
        ...

    def account_with_subject(self, subject: str) -> Account | None:
        """Read an account by its name at an identity provider."""
        ...

    def accounts(self) -> tuple[Account, ...]:
        """Read every account, by address."""
        ...

    def grants(self, account_id: str | None = None) -> tuple[Grant, ...]:
        """Read the grants of an account, or all, by hand and by groups, with what units cover."""
        ...

    def add_grant(self, grant: Grant, *, by: str) -> None:
        """Store a grant; an existing one stays as it is.

        Raises NotFoundError where the unit of one on a unit is gone.
        """
        ...

    def remove_grant(self, grant: Grant) -> bool:
        """Remove a grant by hand; False when there was none.

        Raises InvalidInputError for the office's last administrator by hand, also when two remove
        each other's grants at the same moment.
        """
        ...

    def seats(self, email: str) -> tuple[tuple[str, int], ...]:
        """List the active roster entries (cycle, reviewer number) of an address."""
        ...

    def access(self, account: Account) -> tuple[tuple[Grant, ...], tuple[tuple[str, int], ...]]:
        """Read the grants of an account and the seats of its address, as of one moment."""
        ...

    def sign_in_requirements(self) -> tuple[SignInRequirement, ...]:
        """Read the sign-in requirements of each cycle that is not final."""
        ...

    # Sessions and mailed links

    def add_session(self, session: Session) -> None:
        """Store a session, and that its account was seen."""
        ...

    def session(self, digest: str) -> tuple[Session, Account] | None:
        """Read a session that has not ended, and its active account."""
        ...

    def sessions(self, account_id: str) -> tuple[Session, ...]:
        """Read an account's sessions that have not ended, newest first."""
        ...

    def touch_session(self, digest: str) -> None:
        """Have it recorded soon that a session was used; given up while others write for long."""
        ...

    def end_session(self, digest: str) -> None:
        """Delete a session."""
        ...

    def end_sessions(self, account_id: str, *, but: str = "") -> int:
        """Delete every session of an account except one; return how many."""
        ...

    def shut_out(self, account: Account) -> RevokedAccess:
        """Revoke every session, key and mailed link of an account, in one transaction."""
        ...

    def add_sign_in(self, sign_in: SignIn, mail: Mail | None) -> None:
        """Store a link together with its mail, if it has one, in one transaction."""
        ...

    def queue_mail(self, mail: Mail) -> bool:
        """Queue a mail of the office; False when one with its id is there."""
        ...

    def knows_mail(self, mail_id: str) -> bool:
        """Whether there is a mail with this id, sent or not."""
        ...

    def latest_mail(self, begins: str) -> MailRecord | None:
        """Read the newest mail of the office whose id begins so, and what became of it."""
        ...

    def sign_in(self, digest: str) -> SignIn | None:
        """Read a mailed link, used or not, expired or not."""
        ...

    def latest_sign_in(self, email: str) -> SignIn | None:
        """Read the newest mailed link for an address, used or not."""
        ...

    def use_sign_in(self, digest: str) -> bool:
        """Use a mailed link; False when it was used before or has expired."""
        ...

    def count_wrong_code(self, digest: str) -> int:
        """Count a wrong code; return how many there were."""
        ...

    # Keys of programs

    def add_token(self, token: ApiToken) -> None:
        """Store a key."""
        ...

    def token(self, digest: str) -> tuple[ApiToken, Account] | None:
        """Read a key that is neither revoked nor expired, and its active account."""
        ...

    def tokens(self, account_id: str | None = None) -> tuple[ApiToken, ...]:
        """Read the keys of an account, or all, newest first."""
        ...

    def touch_token(self, token_id: str) -> None:
        """Have it recorded soon that a key was used; given up while others write for long."""
        ...

    def revoke_token(self, token_id: str) -> bool:
        """Revoke a key for good; False when it was revoked already."""
        ...

    # Record

    def record(self, entry: AuditEntry) -> None:
        """Add a line to the audit log."""
        ...

    def audit(
        self, *, cycle_id: str | None = None, before: int | None = None, at_most: int = 100
    ) -> Sequence[tuple[int, AuditEntry]]:
        """Read the audit log, newest first; `before` is the number of the last one seen."""
        ...


UNCONDITIONAL = "unconditional-writes"
"""What writes of the API without `If-Match` are counted as."""


class Limiter(Protocol):
    """Counts tries, so that guessing is slow."""

    def hit(self, name: str, key: str, *, times: int, seconds: int) -> int:
        """Count one try; return 0 when it is allowed, else the seconds to wait."""
        ...

    def give_back(self, name: str, key: str, *, times: int, seconds: int) -> None:
        """Take one try back, if any is counted: it has proved to be none."""
        ...

    def forget(self, name: str, key: str, *, times: int, seconds: int) -> None:
        """Forget every try of a key."""
        ...

    def note(self, name: str) -> None:
        """Count something for those who look after the installation; never waits, may be lost."""
        ...
