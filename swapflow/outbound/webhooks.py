"""Webhook calls: one signed POST each."""

import time
from collections.abc import Callable

from swapflow.domain.webhook_call import WebhookCall
from swapflow.errors import UnavailableError
from swapflow.identity.webhooks import signature
from swapflow.outbound.guarded_client import GuardedClient, host_of


SECONDS = 10.0
"""Seconds that a whole call may take, from the look-up of the name to the end of the headers."""


def webhook_sender(client: GuardedClient) -> Callable[[WebhookCall], str]:
    """Build the function that sends calls over HTTP.

    Args:
        client: Knows the addresses that calls may reach.
    """

    def send_webhook(call: WebhookCall) -> str:
        headers = {
            "Content-Type": "application/json",
            "Swapflow-Id": call.id,
            "Swapflow-Event": call.event,
            "Swapflow-Attempt": str(call.attempt),
            "Swapflow-Signature": signature(call.secret, call.body, at=int(time.time())),
        }
        # The answer's status is all that counts: its body is not read.
        status = client.post(call.url, call.body, headers=headers, seconds=SECONDS).status
        if not 200 <= status < 300:  # noqa: PLR2004 - what HTTP calls success
            raise UnavailableError("call_refused", host=host_of(call.url), status=status)
        return f"answered {status}"

    return send_webhook
