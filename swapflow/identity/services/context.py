"""The objects that every service of the office needs."""

import secrets
from dataclasses import dataclass, field
from datetime import timedelta

from swapflow.errors import RateLimitedError
from swapflow.identity.account import Account, AuditEntry, Session
from swapflow.identity.api_keys import digest_of
from swapflow.identity.devices import KnownDevices
from swapflow.identity.ports.identity_store import IdentityStore, Limiter
from swapflow.identity.principal import Principal
from swapflow.identity.services.tries import Allowance


TOUCH_EVERY = timedelta(minutes=5)
"""How often the use of a session is recorded: a write for every request would cost too much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityContext:
    """The objects that every service of the office needs: its record and its limits.

    Attributes:
        devices: Recognises devices by their cookie.
    """

    ledger: IdentityStore
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

    def limit(self, name: str, key: str, *, times: int, seconds: int) -> None:
        """Count one try.

        Raises:
            RateLimitedError: If there were too many.
        """
        self.count_try(Allowance(name=name, key=key, times=times, seconds=seconds))

    def check_tries(self, *allowances: Allowance) -> None:
        """Check that tries are left of every allowance; counts nothing.

        Raises:
            RateLimitedError: If there were too many.
        """
        for one in allowances:
            _refuse(self.limiter.wait(*_of(one), times=one.times, seconds=one.seconds))

    def count_try(self, *allowances: Allowance) -> None:
        """Count a try against every allowance.

        Raises:
            RateLimitedError: If one of them was used up, by others at the same moment.
        """
        waits = [
            self.limiter.hit(*_of(one), times=one.times, seconds=one.seconds) for one in allowances
        ]
        _refuse(max(waits, default=0))

    def give_back_try(self, *allowances: Allowance) -> None:
        """Take back a try of every allowance: it has proved to be none."""
        for one in allowances:
            self.limiter.give_back(*_of(one), times=one.times, seconds=one.seconds)

    def forget_tries(self, *allowances: Allowance) -> None:
        """Forget every try of an allowance."""
        for one in allowances:
            self.limiter.forget(*_of(one), times=one.times, seconds=one.seconds)

    def principal_of(
        self,
        account: Account,
        session: Session | None = None,
        *,
        scopes: frozenset[str] | None = None,
    ) -> Principal:
        """Build the principal of an account, with its roles and its seats on rosters."""
        return Principal(
            account=account,
            session=session.digest if session else "",
            method=session.method if session else None,
            since=session.created_at if session else None,
            grants=self.ledger.grants(account.id),
            seats=self.ledger.seats(account.email),
            scopes=scopes,
        )


def _of(allowance: Allowance) -> tuple[str, str]:
    # Counted under a digest, so that Redis holds no addresses.
    return allowance.name, digest_of(allowance.key)


def _refuse(wait: int) -> None:
    if wait:
        raise RateLimitedError("too_many_tries", seconds=wait, minutes=wait // 60 + 1)
