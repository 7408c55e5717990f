"""Webhooks: the addresses that are allowed, and the signature of a call.

A call holds ids, words and integers. Names, marks and remarks are read by the API, with a key that
has the permission.
"""

import hmac
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit
from uuid import uuid4

from swapflow.domain.webhook_call import WebhookEvent
from swapflow.errors import InvalidInputError
from swapflow.identity.ports.identity_store import IdentityStore
from swapflow.identity.ports.integration_store import Webhook


LONGEST_ADDRESS = 2000
MOST_WEBHOOKS = 100

Address = IPv4Address | IPv6Address

_NAT64 = IPv6Network("64:ff9b::/96")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """The addresses that calls may reach: without it, a webhook could read an internal network.

    Attributes:
        plain: http as well as https.
        loopback: This machine.
        private: Private, link-local and other networks that are not public as well.
    """

    plain: bool = False
    loopback: bool = False
    private: bool = False

    def allows(self, address: Address) -> bool:
        """Whether a call may go to an address that a name was resolved to."""
        # Checked first: an allowed IPv6 address must not lead to a forbidden IPv4 one.
        inside = _inside(address)
        if inside is not None:
            return self.allows(inside)
        if address.is_multicast or address.is_unspecified:
            return False
        if address.is_loopback:
            return self.loopback or self.private
        return address.is_global or self.private


def _inside(address: Address) -> IPv4Address | None:
    """Return the IPv4 address that an IPv6 address embeds and routes to, if there is one."""
    if isinstance(address, IPv4Address):
        return None
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def check_address(url: str, reach: Reach) -> str:
    """Check an address and return it in its usable form.

    Raises:
        InvalidInputError: If it is invalid, or leads to a forbidden network. A name's addresses
            are checked again at every call.
    """
    url = url.strip()
    plain = url.isascii() and url.isprintable() and " " not in url
    if not plain or len(url) > LONGEST_ADDRESS:
        raise InvalidInputError("webhook_address_malformed")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise InvalidInputError("webhook_address_unreadable", url=url) from error
    schemes = {"https", "http"} if reach.plain else {"https"}
    if parts.scheme not in schemes or not host:
        raise InvalidInputError("webhook_address_not_https")
    if parts.username or parts.password or parts.fragment:
        raise InvalidInputError("webhook_address_with_extras")
    try:
        literal = ip_address(host)
    except ValueError:
        return url
    if not reach.allows(literal):
        raise InvalidInputError("webhook_address_private", host=host)
    return url


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
