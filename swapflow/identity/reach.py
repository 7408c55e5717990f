"""The addresses that people may enter for swapflow to call: webhooks, scoring services."""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from swapflow.errors import InvalidInputError


LONGEST_ADDRESS = 2000

Address = IPv4Address | IPv6Address

_CARRIERS = tuple(
    IPv6Network(prefix)
    for prefix in (
        "::/96",  # IPv4-compatible, deprecated
        "::ffff:0:0/96",  # IPv4-mapped
        "::ffff:0:0:0/96",  # IPv4-translated
        "64:ff9b::/96",  # NAT64, the well-known prefix
    )
)
"""Networks whose last 32 bits are the IPv4 address that a packet is led to."""

NOT_PUBLIC = tuple(
    ip_network(prefix)
    for prefix in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "::/8",
        "64:ff9b:1::/48",
        "100::/64",
        "100:0:0:1::/64",
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "3fff::/20",
        "5f00::/16",
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
    )
)
"""Every network that is not the public Internet.

Written out, for the standard library's own answer differs from release to release: 3.11 calls
192.0.0.8 and 64:ff9b:1::/48 global.

Source:
    IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890, RFC 8190), as of 2026.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """The addresses that swapflow may call because people entered them.

    Without it, a webhook or a scoring service could read an internal network.

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
        return self.private or not any(address in network for network in NOT_PUBLIC)


def _inside(address: Address) -> IPv4Address | None:
    """Return the IPv4 address that an IPv6 address embeds and routes to, if there is one."""
    if isinstance(address, IPv4Address):
        return None
    if address.is_loopback or address.is_unspecified:
        return None
    if any(address in network for network in _CARRIERS):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.sixtofour or (address.teredo or (None, None))[1]


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
