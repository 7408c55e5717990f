"""Addresses that want to be told what happens."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from swapflow.identity.ports.integration_store import Webhook, WebhookCallStatus
from swapflow.identity.principal import Principal
from swapflow.identity.services.context import IdentityContext
from swapflow.identity.webhooks import Reach, make_webhook


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookService:
    """Webhooks: registered, listed, switched, removed."""

    context: IdentityContext

    def make(
        self,
        principal: Principal,
        url: str,
        *,
        events: Collection[str],
        cycle_id: str | None,
        reach: Reach,
    ) -> Webhook:
        """Register an address; whoever asks must have been found to have the right.

        Raises:
            InvalidInputError: If the address or the events cannot be used.
        """
        made = make_webhook(
            url,
            events=events,
            cycle_id=cycle_id,
            by=principal.name,
            reach=reach,
            ledger=self.context.ledger,
        )
        self.context.record(
            principal.name, "registered a webhook", cycle_id=cycle_id, about=made.id
        )
        return made

    def list(self) -> tuple[Webhook, ...]:
        """List every webhook, oldest first."""
        return self.context.ledger.webhooks()

    def set_active(self, webhook_id: str, *, active: bool) -> None:
        """Switch a webhook off or on; what happened meanwhile is told then."""
        self.context.ledger.set_webhook_active(webhook_id, active=active)

    def remove(self, webhook_id: str) -> None:
        """Remove a webhook with everything it was to be told."""
        self.context.ledger.remove_webhook(webhook_id)

    def calls(
        self, webhook_id: str, *, before: tuple[datetime, str] | None = None, at_most: int = 100
    ) -> tuple[WebhookCallStatus, ...]:
        """Read what a webhook is told, newest first; `before` is the last one seen."""
        return self.context.ledger.webhook_calls(webhook_id, before=before, at_most=at_most)

    def call_again(self, webhook_id: str, call_id: str) -> bool:
        """Make a call due now, with all its attempts again; False when there is none."""
        return self.context.ledger.call_again(webhook_id, call_id)
