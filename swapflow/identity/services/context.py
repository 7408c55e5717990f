"""The objects that every service of the office needs."""

from dataclasses import dataclass
from datetime import timedelta

from swapflow.errors import RateLimitedError
from swapflow.identity.account import Account, AuditEntry, Session
from swapflow.identity.api_keys import digest_of
from swapflow.identity.ports.identity_store import IdentityStore, Limiter
from swapflow.identity.principal import Principal


TOUCH_EVERY = timedelta(minutes=5)
"""How often the use of a session is recorded: a write for every request would cost too much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityContext:
    """The objects that every service of the office needs: its record and its limits."""

    ledger: IdentityStore
    limiter: Limiter

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
        # Counted under a digest, so that Redis holds no addresses.
        wait = self.limiter.hit(name, digest_of(key), times=times, seconds=seconds)
        if wait:
            raise RateLimitedError("too_many_tries", seconds=wait, minutes=wait // 60 + 1)

    def principal_of(
        self,
        account: Account,
        session: Session | None = None,
        *,
        scopes: frozenset[str] | None = None,
    ) -> Principal:
        """Build the principal of an account, with its roles and its seats on rosters."""
        grants, seats = self.ledger.access(account)
        return Principal(
            account=account,
            session=session.digest if session else "",
            method=session.method if session else None,
            since=session.created_at if session else None,
            grants=grants,
            seats=seats,
            scopes=scopes,
        )
