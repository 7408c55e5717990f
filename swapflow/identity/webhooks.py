"""Webhooks: their registration, and the signature of a call.

A call holds ids, words and integers. Names, marks and remarks are read by the API, with a key that
has the permission.
"""

import hmac
import secrets
from collections.abc import Collection
from hashlib import sha256
from uuid import uuid4

from swapflow.domain.webhook_call import WebhookEvent
from swapflow.errors import InvalidInputError
from swapflow.identity.ports.identity_store import IdentityStore
from swapflow.identity.ports.integration_store import Webhook
from swapflow.identity.reach import Reach, check_address


MOST_WEBHOOKS = 100


def make_webhook(
    url: str,
    *,
    events: Collection[str],
    cycle_id: str | None,
    by: str,
    reach: Reach,
    ledger: IdentityStore,
) -> Webhook:
    """Register an address; it gets events from now on.

    Raises:
        InvalidInputError: If the address or the events cannot be used, or there are too many.
    """
    known = [event.value for event in WebhookEvent]
    if not events or any(event not in known for event in events):
        raise InvalidInputError("webhook_events_missing", events=known)
    url = check_address(url, reach)
    if len(ledger.webhooks()) >= MOST_WEBHOOKS:
        raise InvalidInputError("too_many_webhooks", most=MOST_WEBHOOKS)
    webhook = Webhook(
        id=uuid4().hex,
        url=url,
        secret="whsec_" + secrets.token_urlsafe(32),
        events=tuple(event for event in known if event in events),
        cycle_id=cycle_id,
        active=True,
        by=by,
        created_at=ledger.now(),
    )
    ledger.add_webhook(webhook)
    return webhook


def signature(secret: str, body: bytes, *, at: int) -> str:
    """Sign a call: `t=…,v1=…`, the HMAC-SHA256 over time, dot and body.

    The time is signed too, so that an old call cannot be played again.
    """
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, sha256).hexdigest()
    return f"t={at},v1={digest}"
