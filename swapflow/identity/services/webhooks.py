"""Webhooks of the office: addresses that are called after events."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from swapflow.engine.revisions import check_revision
from swapflow.identity.ports.integration_store import Webhook, WebhookCallStatus
from swapflow.identity.principal import Principal
from swapflow.identity.reach import Reach
from swapflow.identity.services.context import IdentityContext
from swapflow.identity.webhooks import make_webhook


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookService:
    """Registration, calls and removal of webhooks."""

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
            ledger=self.context.ledger,
        )
        self.context.record(
            principal.name, "registered a webhook", cycle_id=cycle_id, about=made.id
        )
        return made

    def list(self) -> tuple[Webhook, ...]:
        """List every webhook, oldest first."""
        return self.context.ledger.webhooks()

    def set_active(self, webhook: Webhook, *, active: bool, made_from: str = "") -> bool:
        """Pause a webhook, or resume it; events of the pause are sent then.

        Args:
            webhook: The webhook as it is stored now.
            active: Whether it is called.
            made_from: The revision that this was made from; "" for no check.

        Returns:
            Whether that is a change.

        Raises:
            StaleRevisionError: If it was changed since.
        """
        if webhook.active is active:
            return False
        check_revision(made_from, webhook.revision, {"active": webhook.active})
        self.context.ledger.set_webhook_active(webhook.id, active=active)
        return True

    def remove(self, webhook_id: str) -> None:
        """Remove a webhook with all its calls."""
        self.context.ledger.remove_webhook(webhook_id)

    def calls(
        self, webhook_id: str, *, before: tuple[datetime, str] | None = None, at_most: int = 100
    ) -> tuple[WebhookCallStatus, ...]:
        """Read the calls of a webhook, newest first; `before` is the last one seen."""
        return self.context.ledger.webhook_calls(webhook_id, before=before, at_most=at_most)

    def call_again(self, webhook_id: str, call_id: str) -> bool:
        """Make a call due now, with all its attempts again; False when there is none."""
        return self.context.ledger.call_again(webhook_id, call_id)
