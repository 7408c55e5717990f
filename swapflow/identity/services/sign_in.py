"""Sign-in and sign-out: links, codes, passwords, providers, devices."""

import secrets
from dataclasses import dataclass
from datetime import timedelta

from swapflow.domain.rules import Rules, SignInPolicy
from swapflow.errors import (
    NotFoundError,
    NotSignedInError,
    RateLimitedError,
    SignInMethodRefusedError,
)
from swapflow.identity.account import LONGEST_ADDRESS, Account, Method, Session, check_address
from swapflow.identity.api_keys import digest_of
from swapflow.identity.groups import ClaimedGroups
from swapflow.identity.passwords import check_password
from swapflow.identity.permissions import rights_in
from swapflow.identity.principal import Principal
from swapflow.identity.services import one_time_links
from swapflow.identity.services.context import TOUCH_EVERY, IdentityContext
from swapflow.identity.services.groups import GroupService
from swapflow.identity.services.one_time_links import MailedLink
from swapflow.identity.services.tries import (
    code_tries,
    link_requests,
    mailed_links,
    password_tries,
    provider_failures,
    provider_visits,
)


SESSION_DAYS = 30
"""Life of a session on a device, unless a round's rules say less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInService:
    """Sign-in and sessions."""

    context: IdentityContext
    groups: GroupService

    def principal(self, secret: str) -> Principal | None:
        """Find the principal of a device by the secret in its cookie; None when not signed in."""
        if not secret:
            return None
        with self.context.ledger.one_moment():
            found = self.context.ledger.session(digest_of(secret))
            if found is None:
                return None
            session, account = found
            principal = self.context.principal_of(account, session)
            is_stale = self.context.ledger.now() - session.last_seen_at > TOUCH_EVERY
        if is_stale:
            self.context.ledger.touch_session(session.digest)
        return principal

    def with_password(
        self, email: str, password: str, *, agent: str, address: str, device: str = ""
    ) -> tuple[str, Session]:
        """Sign in by password; return the secret for the device's cookie.

        Raises:
            RateLimitedError: After 10 failures for the account or 30 from the network in 15
                minutes; on a device that signed in before, after 10 of its own.
            NotSignedInError: If address and password do not belong together.
        """
        account = self.context.ledger.account_of(email)
        tries = password_tries(email, self.context.known_device(device, account), address)
        self.context.count_try(*tries)
        stored = account.password if account and account.active else ""
        # Always checked, so that the time does not disclose whether the account exists.
        if not check_password(stored, password) or account is None:
            raise NotSignedInError("password_wrong")
        self.context.give_back_try(*tries)
        return self.start_session(account, method=Method.PASSWORD, agent=agent)

    def mail_link(
        self, email: str, path: str, *, address: str, site: str, device: str = ""
    ) -> bool:
        """Mail a link and a code to an address if it is known; nothing discloses whether it is.

        After 5 mails in half an hour none is added: a stranger who asks for more fills no mailbox,
        and keeps nobody out, for the newest is good for longer than they are counted.

        Args:
            email: Address of the person who wants to sign in.
            path: Where to go afterwards.
            address: The client's network address.
            site: Address of swapflow's pages.
            device: The cookie by which a device is recognised, "" for none.

        Returns:
            False when there were 5 mails already, and the newest is to be used.

        Raises:
            InvalidInputError: If it is no address at all.
            RateLimitedError: After 30 from the network in an hour, unless the device signed in
                before.
        """
        check_address(email.strip())
        known = self.context.known_device(device, self.context.ledger.account_of(email))
        if not known:
            self.context.count_try(link_requests(address))
        try:
            self.context.count_try(mailed_links(email, known))
        except RateLimitedError:
            return False
        one_time_links.mail_link(email, path, site=site, ledger=self.context.ledger)
        return True

    def check_link(self, token: str) -> MailedLink:
        """Read a mailed link without using it.

        Raises:
            NotFoundError: If the link is unknown.
        """
        found = one_time_links.check_link(token, ledger=self.context.ledger)
        if found is None:
            raise NotFoundError("link_unknown")
        return found

    def by_link(self, token: str, *, agent: str, address: str) -> tuple[str, Session, str]:
        """Use a mailed link; return the device's secret, its session, and where to go.

        Raises:
            NotSignedInError: If the link is no longer valid.
            ForbiddenError: If the address may not sign in.
        """
        account, path = one_time_links.spend_link(token, ledger=self.context.ledger)
        # An office of many people who come in asks for many mails, and guesses nothing.
        self.context.give_back_try(link_requests(address))
        return *self.start_session(account, method=Method.LINK, agent=agent), path

    def by_code(
        self, email: str, code: str, *, agent: str, address: str, device: str = ""
    ) -> tuple[str, Session, str]:
        """Use a mailed code; return the device's secret, its session, and where to go.

        Raises:
            RateLimitedError: After 30 failures from the network in 15 minutes, or from the device
                if it signed in before.
            NotSignedInError: If the code is wrong or no longer valid.
            ForbiddenError: If the address may not sign in.
        """
        known = self.context.known_device(device, self.context.ledger.account_of(email))
        tries = code_tries(known, address)
        self.context.count_try(*tries)
        account, path = one_time_links.spend_code(email, code, ledger=self.context.ledger)
        self.context.give_back_try(*tries, link_requests(address))
        return *self.start_session(account, method=Method.CODE, agent=agent), path

    def count_provider_visit(self, address: str) -> None:
        """Count a visit of a network address to the identity provider, or its return.

        Raises:
            RateLimitedError: After 300 in 15 minutes.
        """
        self.context.count_try(provider_visits(address))

    def note_provider_failure(self, who: str, why: str, *, address: str) -> None:
        """Record a failed return from the identity provider.

        Args:
            who: The address that the provider states, "" when it states none.
            why: The reason, in few words.
            address: The client's network address.

        Raises:
            RateLimitedError: After 30 in 15 minutes; further ones are not recorded.
        """
        self.context.count_try(provider_failures(address))
        self.context.record(
            (who or "unknown")[:LONGEST_ADDRESS],
            "did not get in through the identity provider",
            detail=why,
        )

    def by_provider(
        self,
        subject: str,
        *,
        email: str,
        name: str,
        verified: bool,
        agent: str,
        groups: ClaimedGroups | None = None,
    ) -> tuple[str, Session]:
        """Sign in a user of an identity provider, with the roles that their groups give.

        Raises:
            ForbiddenError: If no account matches, or there are more groups than can be sent.
        """
        account = self.groups.account_of(subject, email, name, verified=verified, groups=groups)
        return self.start_session(account, method=Method.PROVIDER, agent=agent)

    def start_session(
        self, account: Account, *, method: Method, agent: str
    ) -> tuple[str, Session]:
        """Sign a device in; return the secret for its cookie, which is stored nowhere else."""
        days = self._session_days(account)
        secret = secrets.token_urlsafe(32)
        now = self.context.ledger.now()
        session = Session(
            # Only the digest is stored: a copy of the database lets nobody in.
            digest=digest_of(secret),
            account_id=account.id,
            method=method,
            agent=agent[:200],
            created_at=now,
            last_seen_at=now,
            expires_at=now + timedelta(days=days),
        )
        self.context.ledger.add_session(session)
        # The mails asked for so far have led to where they should; the next ones are no flood.
        self.context.forget_tries(mailed_links(account.email, ""))
        self.context.record(account.email, "signed in", detail=method.value)
        return secret, session

    def remember_device(self, device: str, session: Session) -> str:
        """Return the cookie that recognises a device from now on, added to the one it sent."""
        return self.context.devices.remember(device, session.account_id)

    def _session_days(self, account: Account) -> float:
        """Return the life of a session: the shortest that an open cycle of the account allows."""
        grants = self.context.ledger.grants(account.id)
        seats = {cycle for cycle, _ in self.context.ledger.seats(account.email)}
        return min(
            (
                requirement.session_days
                for requirement in self.context.ledger.sign_in_requirements()
                if requirement.cycle_id in seats
                or rights_in(grants, cycle_id=requirement.cycle_id, round_id=requirement.round_id)
            ),
            default=SESSION_DAYS,
        )

    def check_method(self, principal: Principal, rules: Rules) -> None:
        """Raise if a session's method or age does not satisfy a cycle's rules.

        An API key counts as a sign-in through the provider if its account has had one.

        Raises:
            SignInMethodRefusedError: If the rules require the identity provider and the session
                began otherwise.
            NotSignedInError: If the session is older than the rules allow.
        """
        recognised = (
            principal.method is Method.PROVIDER
            if principal.session
            else bool(principal.account.subject)
        )
        if rules.sign_in is SignInPolicy.PROVIDER and not recognised:
            raise SignInMethodRefusedError("sign_in_method_refused")
        if principal.since is None or rules.session_days >= SESSION_DAYS:
            return
        if self.context.ledger.now() - principal.since > timedelta(days=rules.session_days):
            raise NotSignedInError("sign_in_too_old")

    def sessions(self, principal: Principal) -> tuple[Session, ...]:
        """List the devices on which an account is signed in, newest first."""
        return self.context.ledger.sessions(principal.account.id)

    def end_session(self, principal: Principal, digest: str) -> None:
        """Sign one of the principal's devices out.

        Raises:
            NotFoundError: If it is not theirs, or signed out already.
        """
        if digest not in {known.digest for known in self.sessions(principal)}:
            raise NotFoundError("device_signed_out")
        self.context.ledger.end_session(digest)

    def forget_device(self, secret: str) -> None:
        """End the session of a device that signs in again."""
        if secret:
            self.context.ledger.end_session(digest_of(secret))

    def sign_out(self, principal: Principal, *, everywhere: bool = False) -> None:
        """End this device's session, or the sessions of all devices."""
        if everywhere:
            self.context.ledger.end_sessions(principal.account.id)
        else:
            self.context.ledger.end_session(principal.session)
