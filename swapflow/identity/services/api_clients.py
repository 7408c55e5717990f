"""API clients of the office: keys and webhooks."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from swapflow.errors import ForbiddenError, NotFoundError, NotSignedInError, RateLimitedError
from swapflow.identity.account import ApiToken
from swapflow.identity.api_keys import PREFIX, digest_of, make_token
from swapflow.identity.ports.identity_store import UNCONDITIONAL
from swapflow.identity.ports.integration_store import StoredResponse
from swapflow.identity.principal import Principal
from swapflow.identity.services.context import TOUCH_EVERY, IdentityContext


REQUESTS_A_MINUTE = 600
"""Requests a minute for one key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiClientService:
    """Keys of API clients, and the principal of a key."""

    context: IdentityContext

    def note_unconditional(self) -> None:
        """Count a write that does not say what it was made from."""
        self.context.limiter.note(UNCONDITIONAL)

    def principal(self, key: str) -> Principal:
        """Find the principal of a key: it acts for its account, within the key's scopes.

        Raises:
            NotSignedInError: If the key is unknown, revoked or expired, or its account is gone.
            RateLimitedError: After 600 requests in a minute.
        """
        found = self.context.ledger.token(digest_of(key)) if key.startswith(PREFIX) else None
        if found is None:
            raise NotSignedInError("key_unknown")
        token, account = found
        # After the lookup, by the key's id: a wrong key must not use up the count of a right one.
        wait = self.context.limiter.hit("api-key", token.id, times=REQUESTS_A_MINUTE, seconds=60)
        if wait:
            raise RateLimitedError("key_rate_limited", seconds=wait, most=REQUESTS_A_MINUTE)
        if (
            token.last_used_at is None
            or self.context.ledger.now() - token.last_used_at > TOUCH_EVERY
        ):
            # Now and then, not at each request: a read would become a write.
            self.context.ledger.touch_token(token.id)
        return self.context.principal_of(account, scopes=frozenset(token.scopes))

    def make_key(
        self, principal: Principal, *, name: str, scopes: Collection[str], days: int | None
    ) -> tuple[str, ApiToken]:
        """Create a key for a principal; return the key itself, which is stored nowhere.

        Raises:
            ForbiddenError: If an API client asks: a key that makes keys could not be revoked.
            InvalidInputError: If name, scopes or days cannot be used.
        """
        if principal.scopes is not None:
            raise ForbiddenError("key_cannot_make_keys")
        made = make_token(
            principal.account, name=name, scopes=scopes, days=days, ledger=self.context.ledger
        )
        self.context.record(principal.name, "made a key", about=made[1].id, detail=made[1].name)
        return made

    def keys(self, principal: Principal) -> tuple[ApiToken, ...]:
        """List a principal's keys, newest first, with the expired ones."""
        return self.context.ledger.tokens(principal.account.id)

    def revoke_key(self, principal: Principal, token_id: str) -> None:
        """Revoke one of a principal's keys for good; revoking it again changes nothing.

        Raises:
            NotFoundError: If the principal has no such key.
        """
        if token_id not in {
            token.id for token in self.context.ledger.tokens(principal.account.id)
        }:
            raise NotFoundError("key_not_yours")
        if self.context.ledger.revoke_token(token_id):
            self.context.record(principal.name, "revoked a key", about=token_id)

    def begin_request(
        self,
        account_id: str,
        key: str,
        digest: str,
        *,
        taken_over_after: timedelta,
        kept_for: timedelta,
    ) -> StoredResponse | None:
        """Record that a request with an idempotency key begins; see `IntegrationStore`."""
        return self.context.ledger.begin_request(
            account_id, key, digest, taken_over_after=taken_over_after, kept_for=kept_for
        )

    def begin_act(
        self,
        account_id: str,
        key: str,
        form: str,
        *,
        again_within: timedelta,
        taken_over_after: timedelta,
        kept_for: timedelta,
    ) -> StoredResponse | None:
        """Record that an act at a page begins; see `IntegrationStore`."""
        return self.context.ledger.begin_act(
            account_id,
            key,
            form,
            again_within=again_within,
            taken_over_after=taken_over_after,
            kept_for=kept_for,
        )

    def end_act(self, account_id: str, key: str, *, status: int, body: str) -> None:
        """Store the answer to an act; see `IntegrationStore`."""
        self.context.ledger.end_act(account_id, key, status=status, body=body)

    def known_act(self, account_id: str, key: str) -> StoredResponse | None:
        """Read the answer to an act; see `IntegrationStore`."""
        return self.context.ledger.known_act(account_id, key)

    def end_request(self, account_id: str, key: str, *, status: int, body: str) -> None:
        """Store the answer to a request; see `IntegrationStore`."""
        self.context.ledger.end_request(account_id, key, status=status, body=body)
