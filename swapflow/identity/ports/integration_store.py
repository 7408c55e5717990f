"""What programs need of the office's record: webhooks, their calls, requests under a key."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """An address that wants to be told.

    Attributes:
        secret: Signs what is sent there; shown once, when it is made.
        events: Which events it wants, by name.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookCallStatus:
    """One thing that one address is told, and how that goes.

    Attributes:
        state: waiting, done or failed.
        detail: What the last attempt came to.
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
    """What is known of a request that came under the same key before.

    Attributes:
        request: Digest of what it asked for.
        status: What it was answered, 0 while it is being carried out.
    """

    request: str
    status: int
    body: str


class IntegrationStore(Protocol):
    """The part of the office's record that programs need; every method is one transaction."""

    def add_webhook(self, webhook: Webhook) -> None:
        """Store a webhook; NotFoundError when there is no such cycle."""
        ...

    def webhooks(self) -> tuple[Webhook, ...]:
        """Read every webhook, oldest first."""
        ...

    def set_webhook_active(self, webhook_id: str, *, active: bool) -> None:
        """Let a webhook rest, or go on; what happened meanwhile is told then."""
        ...

    def remove_webhook(self, webhook_id: str) -> None:
        """Remove a webhook with everything it was to be told."""
        ...

    def webhook_calls(
        self, webhook_id: str, *, before: tuple[datetime, str] | None = None, at_most: int = 100
    ) -> tuple[WebhookCallStatus, ...]:
        """Read what a webhook is told, newest first; `before` is the last one seen."""
        ...

    def call_again(self, webhook_id: str, call_id: str) -> bool:
        """Make a call due now, with all its attempts again; False when there is none."""
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
            account_id: Whose key it is.
            key: The key.
            digest: Of what the request asks for.
            taken_over_after: Age at which a reservation without an answer is taken over: its
                process has died.
            kept_for: Age at which what requests were answered is forgotten.
        """
        ...

    def end_request(self, account_id: str, key: str, *, status: int, body: str) -> None:
        """Store what a request was answered; status 0 forgets it, so that it may be repeated."""
        ...
