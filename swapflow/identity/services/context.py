"""The objects that every service of the office needs."""

import secrets
from dataclasses import dataclass, field
from datetime import timedelta

from swapflow.errors import RateLimitedError
from swapflow.identity.account import Account, AuditEntry, Session
from swapflow.identity.api_keys import digest_of
from swapflow.identity.devices import KnownDevices
from swapflow.identity.personal_data import PersonalDataRecord
from swapflow.identity.ports.identity_store import IdentityStore, Limiter
from swapflow.identity.principal import Principal
from swapflow.identity.services.tries import TryLimit


TOUCH_EVERY = timedelta(minutes=5)
"""How often the use of a session is recorded: a write for every request would cost too much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityContext:
    """The objects that every service of the office needs: its record and its limits.

    Attributes:
        personal_data: Everything about one person; nothing that decides has a way to it.
        devices: Recognises devices by their cookie.
    """

    ledger: IdentityStore
    personal_data: PersonalDataRecord
    limiter: Limiter
    devices: KnownDevices = field(
        default_factory=lambda: KnownDevices(lambda: secrets.token_bytes(32))
    )

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

    def count_try(self, *limits: TryLimit) -> None:
        """Count a try against every limit before it is made; against none if one is used up.

        Counted before, so that parallel tries cannot pass the limit; what succeeds is given back.

        Raises:
            RateLimitedError: If there were too many.
        """
        for number, one in enumerate(limits):
            wait = self.limiter.hit(*_of(one), times=one.times, seconds=one.seconds)
            if wait:
                self.give_back_try(*limits[:number])
                raise RateLimitedError("too_many_tries", seconds=wait, minutes=wait // 60 + 1)

    def give_back_try(self, *limits: TryLimit) -> None:
        """Take back a try of every limit: it has proved to be none."""
        for one in limits:
            self.limiter.give_back(*_of(one), times=one.times, seconds=one.seconds)

    def forget_tries(self, *limits: TryLimit) -> None:
        """Forget every try of a limit."""
        for one in limits:
            self.limiter.forget(*_of(one), times=one.times, seconds=one.seconds)

    def known_device(self, cookie: str, account: Account | None) -> str:
        """Return what names a device on which an account was signed in before; "" for none."""
        return self.devices.device_of(cookie, account.id) if account else ""

    def principal_of(
        self,
        account: Account,
        session: Session | None = None,
        *,
        scopes: frozenset[str] | None = None,
    ) -> Principal:
        """Build the principal of an account, with its roles and its seats on rosters."""
        grants, seats = self.ledger.access(account)
        # Asked for the time only where it matters: most grants are by hand, and this is each page.
        if any(grant.until for grant in grants):
            now = self.ledger.now()
            grants = tuple(one for one in grants if one.holds(now))
        return Principal(
            account=account,
            session=session.digest if session else "",
            method=session.method if session else None,
            since=session.created_at if session else None,
            grants=grants,
            seats=seats,
            scopes=scopes,
        )


def _of(limit: TryLimit) -> tuple[str, str]:
    # Counted under a digest, so that Redis holds no addresses.
    return limit.name, digest_of(limit.key)
