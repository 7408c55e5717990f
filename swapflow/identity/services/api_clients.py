"""API clients of the office: keys and webhooks."""

from collections.abc import Collection
from dataclasses import dataclass

from swapflow.errors import ForbiddenError, NotFoundError, NotSignedInError, RateLimitedError
from swapflow.identity.account import ApiToken
from swapflow.identity.api_keys import PREFIX, digest_of, make_token
from swapflow.identity.ports.integration_store import Webhook
from swapflow.identity.principal import Principal
from swapflow.identity.services.context import TOUCH_EVERY, IdentityContext
from swapflow.identity.webhooks import Reach, make_webhook


REQUESTS_A_MINUTE = 600
"""Requests a minute for one key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiClientService(IdentityContext):
    """Keys and webhooks."""

    def program(self, key: str) -> Principal:
        """Find the principal of a key: it acts for its account, within the key's scopes.

        Raises:
            NotSignedInError: If the key is unknown, revoked or expired, or its account is gone.
            RateLimitedError: After 600 requests in a minute.
        """
        found = self.ledger.token(digest_of(key)) if key.startswith(PREFIX) else None
        if found is None:
            raise NotSignedInError("this key is not known, was revoked, or has expired")
        token, account = found
        wait = self.limiter.hit("api-key", token.id, times=REQUESTS_A_MINUTE, seconds=60)
        if wait:
            raise RateLimitedError(
                f"a key may ask {REQUESTS_A_MINUTE} times a minute; wait {wait} seconds", wait
            )
        if token.last_used_at is None or self.ledger.now() - token.last_used_at > TOUCH_EVERY:
            self.ledger.touch_token(token.id)
        return self._visitor(account, scopes=frozenset(token.scopes))

    def make_token(
        self, principal: Principal, *, name: str, scopes: Collection[str], days: int | None
    ) -> tuple[str, ApiToken]:
        """Create a key for a principal; return the key itself, which is stored nowhere.

        Raises:
            ForbiddenError: If an API client asks: a key that makes keys could not be revoked.
            InvalidInputError: If name, scopes or days cannot be used.
        """
        if principal.scopes is not None:
            raise ForbiddenError("a key cannot make keys; sign in as a person to make one")
        made = make_token(
            principal.account, name=name, scopes=scopes, days=days, ledger=self.ledger
        )
        self.record(principal.name, "made a key", about=made[1].id, detail=made[1].name)
        return made

    def tokens(self, principal: Principal) -> tuple[ApiToken, ...]:
        """List a principal's keys, newest first, with the expired ones."""
        return self.ledger.tokens(principal.account.id)

    def revoke_token(self, principal: Principal, token_id: str) -> None:
        """Revoke one of a principal's keys for good; revoking it again changes nothing.

        Raises:
            NotFoundError: If the principal has no such key.
        """
        if token_id not in {token.id for token in self.ledger.tokens(principal.account.id)}:
            raise NotFoundError("you have no such key")
        if self.ledger.revoke_token(token_id):
            self.record(principal.name, "revoked a key", about=token_id)

    def make_webhook(
        self,
        principal: Principal,
        url: str,
        *,
        events: Collection[str],
        cycle_id: str | None,
        reach: Reach,
    ) -> Webhook:
        """Register an address; the caller has checked the permission.

        Raises:
            InvalidInputError: If the address or the events cannot be used.
        """
        made = make_webhook(
            url,
            events=events,
            cycle_id=cycle_id,
            by=principal.name,
            reach=reach,
            ledger=self.ledger,
        )
        self.record(principal.name, "registered a webhook", cycle_id=cycle_id, about=made.id)
        return made

    def webhooks(self) -> tuple[Webhook, ...]:
        """List every webhook, oldest first."""
        return self.ledger.webhooks()
