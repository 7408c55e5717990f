"""Webhook calls: one signed POST, to no address inside a private network.

A name is resolved here, once, and the connection goes to the checked address: a name that resolves
differently the second time has no effect.
"""

import socket
import time
from collections.abc import Callable
from ipaddress import ip_address

import httpx

from swapflow.domain.webhook_call import WebhookCall
from swapflow.errors import InvalidInputError, UnavailableError
from swapflow.identity.webhooks import Address, Reach, check_address, signature


SECONDS = 10.0
"""Seconds that an address may take to answer."""


def webhook_sender(reach: Reach) -> Callable[[WebhookCall], str]:
    """Build the function that sends calls over HTTP.

    Args:
        reach: The addresses that calls may reach.
    """

    def send_webhook(call: WebhookCall) -> str:
        try:
            url = httpx.URL(check_address(call.url, reach))
            address = _resolved(url, reach)
        except InvalidInputError as error:
            raise UnavailableError(error.message) from error
        except httpx.InvalidURL as error:
            raise UnavailableError("webhook_address_invalid", problem=str(error)) from error
        try:
            status = _post(call, url, address)
        except httpx.HTTPError as error:
            reason = type(error).__name__
            raise UnavailableError("webhook_no_answer", host=url.host, problem=reason) from error
        if not 200 <= status < 300:  # noqa: PLR2004 - what HTTP calls success
            raise UnavailableError("webhook_answered", host=url.host, status=status)
        return f"answered {status}"

    return send_webhook


def _post(call: WebhookCall, url: httpx.URL, address: Address) -> int:
    """Send to the address, under the host name of the certificate."""
    headers = {
        "Host": url.netloc.decode("ascii"),
        "Content-Type": "application/json",
        "User-Agent": "swapflow",
        "Swapflow-Id": call.id,
        "Swapflow-Event": call.event,
        "Swapflow-Attempt": str(call.attempt),
        "Swapflow-Signature": signature(call.secret, call.body, at=int(time.time())),
    }
    # No proxy of the environment, no redirect: both would go to an unchecked address.
    with (
        httpx.Client(timeout=SECONDS, trust_env=False, follow_redirects=False) as client,
        client.stream(
            "POST",
            # To the checked address: a second look-up of the name could find another one.
            url.copy_with(host=str(address)),
            content=call.body,
            headers=headers,
            extensions={"sni_hostname": url.host},
        ) as response,
    ):
        return response.status_code


def _resolved(url: httpx.URL, reach: Reach) -> Address:
    """Resolve a name to one address that calls may reach; all of its addresses must be allowed."""
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(url.host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UnavailableError("webhook_host_unknown", host=url.host) from error
    addresses = [ip_address(str(where[4][0]).partition("%")[0]) for where in found]
    if not addresses or not all(map(reach.allows, addresses)):
        raise UnavailableError("webhook_host_private", host=url.host)
    return addresses[0]
