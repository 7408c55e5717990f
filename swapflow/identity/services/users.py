"""Accounts and their grants."""

from dataclasses import dataclass
from uuid import uuid4

from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.identity.account import Account, RevokedAccess, check_address
from swapflow.identity.passwords import check_password, hash_password
from swapflow.identity.permissions import Grant, Role, Scope
from swapflow.identity.principal import Principal, UserAccount
from swapflow.identity.services import one_time_links
from swapflow.identity.services.context import IdentityContext
from swapflow.identity.services.tries import TryLimit


@dataclass(frozen=True, slots=True, kw_only=True)
class UserService:
    """Accounts, passwords and grants."""

    context: IdentityContext

    def add(self, email: str, *, name: str = "", password: str = "") -> Account:
        """Create an account.

        Raises:
            InvalidInputError: If the address is invalid or taken, or the password is too weak.
        """
        email = email.strip().lower()
        check_address(email)
        account = Account(
            id=uuid4().hex,
            email=email,
            name=name.strip(),
            password=hash_password(password) if password else "",
            subject="",
            active=True,
            created_at=self.context.ledger.now(),
            last_seen_at=None,
        )
        self.context.ledger.add_account(account)
        return account

    def set_password(self, account: Account, password: str) -> None:
        """Set an account's password and sign all its devices out.

        Raises:
            InvalidInputError: If the password is too weak.
        """
        self.context.ledger.set_password(account.id, hash_password(password))
        self.context.ledger.end_sessions(account.id)

    def change_password(self, principal: Principal, *, old: str, new: str) -> None:
        """Change one's own password; the other devices are signed out.

        Raises:
            RateLimitedError: After 10 failures in 15 minutes.
            InvalidInputError: If the old one is wrong, or the new one too weak.
        """
        account = principal.account
        # Not those of the sign-in: there strangers try.
        tries = TryLimit(name="password-change", key=account.id, times=10, seconds=900)
        self.context.count_try(tries)
        # An account that has signed in by links only has no password yet.
        if account.password and not check_password(account.password, old):
            raise InvalidInputError("password_not_current")
        self.context.give_back_try(tries)
        self.context.ledger.set_password(account.id, hash_password(new))
        self.context.ledger.end_sessions(account.id, but=principal.session)
        self.context.record(account.email, "changed the own password")

    def get(self, email: str) -> Account:
        """Find an account by its address.

        Raises:
            NotFoundError: If there is none.
        """
        found = self.context.ledger.account_of(email)
        if found is None:
            raise NotFoundError("account_not_found", email=email)
        return found

    def list(self) -> tuple[UserAccount, ...]:
        """List every account with its grants, by address."""
        grants: dict[str, list[Grant]] = {}
        for grant in self.context.ledger.grants():
            grants.setdefault(grant.account, []).append(grant)
        return tuple(
            UserAccount(account=account, grants=tuple(grants.get(account.id, ())))
            for account in self.context.ledger.accounts()
        )

    def invite(self, email: str, *, name: str, by: str, site: str) -> Account:
        """Create an account, where there is none, and mail its owner a first sign-in link.

        Raises:
            InvalidInputError: If the address is invalid, or the account is closed.
        """
        # Invited twice, a person has one account and gets another link.
        account = self.context.ledger.account_of(email) or self.add(email, name=name)
        if not account.active:
            raise InvalidInputError("account_closed_open_first", email=account.email)
        one_time_links.mail_invitation(account, by=by, site=site, ledger=self.context.ledger)
        self.context.record(by, "invited", about=account.email)
        return account

    def link(self, account: Account, *, by: str, site: str) -> str:
        """Make a sign-in link that works once and is handed over by a person; return it.

        Raises:
            InvalidInputError: If the account is closed.
        """
        if not account.active:
            raise InvalidInputError("account_closed_open_first", email=account.email)
        made = one_time_links.make_link(account, site=site, ledger=self.context.ledger)
        self.context.record(by, "made a sign-in link", about=account.email)
        return made

    def deactivate(self, account: Account, *, by: str) -> None:
        """Close an account: its devices are signed out and its keys are paused; its record stays.

        Raises:
            InvalidInputError: If nobody else could administer the office.
        """
        self.context.ledger.close_account(account.id)
        self.context.record(by, "closed the account", about=account.email)

    def revoke_access(self, account: Account, *, by: str) -> RevokedAccess:
        """Revoke all access of an account after a key, a link or a device was lost.

        The owner signs in again and creates new keys; the password stays as it is.
        """
        taken = self.context.ledger.shut_out(account)
        self.context.record(by, "took every way in", about=account.email, detail=str(taken))
        return taken

    def activate(self, account: Account, *, by: str) -> None:
        """Open a closed account again."""
        self.context.ledger.open_account(account.id)
        self.context.record(by, "opened the account", about=account.email)

    def grant(
        self, account: Account, role: Role, scope: Scope, scope_id: str = "", *, by: str
    ) -> None:
        """Grant an account a role; an existing grant stays as it is.

        Raises:
            InvalidInputError: If a round or cycle is required and not named, or the reverse.
        """
        if (scope is Scope.OFFICE) == bool(scope_id):
            raise InvalidInputError("role_scope_missing")
        grant = Grant(account=account.id, role=role, scope=scope, scope_id=scope_id)
        self.context.ledger.add_grant(grant, by=by)
        self._record_grant(by, "gave a role", account, grant)

    def revoke(
        self, account: Account, role: Role, scope: Scope, scope_id: str = "", *, by: str
    ) -> None:
        """Remove a role.

        Raises:
            NotFoundError: If the account does not have it.
            InvalidInputError: If nobody else could administer the office, or a group gives it.
        """
        grant = Grant(account=account.id, role=role, scope=scope, scope_id=scope_id)
        held = next((g for g in self.context.ledger.grants(account.id) if g == grant), None)
        if held is None:
            raise NotFoundError("role_not_held", email=account.email)
        if not held.by_hand:
            raise InvalidInputError("role_by_group", groups=", ".join(held.groups))
        self.context.ledger.remove_grant(grant)
        self._record_grant(by, "took a role away", account, grant)

    def has_administrator(self) -> bool:
        """Whether an active account can administer the office."""
        active = {account.id for account in self.context.ledger.accounts() if account.active}
        now = self.context.ledger.now()
        return any(
            grant.role is Role.ADMINISTRATOR and grant.scope is Scope.OFFICE and grant.holds(now)
            for grant in self.context.ledger.grants()
            if grant.account in active
        )

    def _record_grant(self, by: str, what: str, account: Account, grant: Grant) -> None:
        place = f"{grant.scope.value} {grant.scope_id}".strip()
        self.context.record(
            by,
            what,
            cycle_id=grant.scope_id if grant.scope is Scope.CYCLE else None,
            about=account.email,
            detail=f"{grant.role.value}, {place}",
        )

    def find(self, account_id: str) -> Account | None:
        """Read an account by its id; None when there is none."""
        return self.context.ledger.account(account_id)

    def grants(self, account_id: str) -> tuple[Grant, ...]:
        """Read the roles of an account."""
        return self.context.ledger.grants(account_id)
