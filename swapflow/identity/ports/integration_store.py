"""The integration store: webhooks, their calls, requests with an idempotency key."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from swapflow.domain.seal import revision


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """A webhook subscription: an address to be notified.

    Attributes:
        secret: Signs the calls; shown once, at its creation.
        events: Names of the events that it gets.
        cycle_id: The one cycle it is about; None for every cycle.
    """

    id: str
    url: str
    secret: str
    events: tuple[str, ...]
    cycle_id: str | None
    active: bool
    by: str
    created_at: datetime

    @property
    def revision(self) -> str:
        """The revision that a change of it is made from."""
        return revision(self.url, sorted(self.events), self.active)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookCallStatus:
    """One call of one webhook, with its status.

    Attributes:
        state: waiting, done or failed.
        detail: Result of the last attempt.
        due_at: When the next attempt is made.
    """

    id: str
    webhook_id: str
    cycle_id: str
    seq: int
    event: str
    state: str
    attempts: int
    detail: str
    created_at: datetime
    due_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResponse:
    """A stored request with the same idempotency key, and its response.

    Attributes:
        request: Digest of its content.
        status: Status of the response, 0 while the request is being carried out.
    """

    request: str
    status: int
    body: str


class IntegrationStore(Protocol):
    """The part of the office's record for API clients; every method is one transaction."""

    def add_webhook(self, webhook: Webhook) -> None:
        """Store a webhook; NotFoundError when there is no such cycle."""
        ...

    def webhooks(self) -> tuple[Webhook, ...]:
        """Read every webhook, oldest first."""
        ...

    def set_webhook_active(self, webhook_id: str, *, active: bool) -> None:
        """Pause a webhook, or resume it; events of the pause are sent then."""
        ...

    def remove_webhook(self, webhook_id: str) -> None:
        """Remove a webhook with all its calls."""
        ...

    def webhook_calls(
        self, webhook_id: str, *, before: tuple[datetime, str] | None = None, at_most: int = 100
    ) -> tuple[WebhookCallStatus, ...]:
        """Read the calls of a webhook, newest first; `before` is the last one seen."""
        ...

    def call_again(self, webhook_id: str, call_id: str) -> bool:
        """Make a call due now, with all its attempts again; False when there is none."""
        ...

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
        """Reserve a key for an act at a page; None when the act is to be carried out.

        A repeat is the same key with the same `form`, or the same key within `again_within` where
        it names the account's last act. A reservation without an answer is taken over after
        `taken_over_after`.
        """
        ...

    def end_act(self, account_id: str, key: str, *, status: int, body: str) -> None:
        """Store the answer to an act; status 0 drops the reservation."""
        ...

    def known_act(self, account_id: str, key: str) -> StoredResponse | None:
        """Read the answer to an act; None for another account's, and for one that is not there."""
        ...

    def begin_request(
        self,
        account_id: str,
        key: str,
        digest: str,
        *,
        taken_over_after: timedelta,
        kept_for: timedelta,
    ) -> StoredResponse | None:
        """Reserve a key for a request; None when the request is to be carried out.

        Args:
            account_id: The account that sent the key.
            key: The key.
            digest: Digest of the request's content.
            taken_over_after: Age at which a reservation without an answer is taken over: its
                process has died.
            kept_for: Age at which stored responses are deleted.
        """
        ...

    def end_request(self, account_id: str, key: str, *, status: int, body: str) -> None:
        """Store the answer to a request; status 0 deletes it, so that it may be repeated."""
        ...
