"""How often something may be tried, and by whom.

Failures alone are counted. A stranger's failures use up an account's tries for strangers: a device
on which the account was signed in before has tries of its own, and the newest mailed link works
whatever anybody else asks for.
"""

from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

from swapflow.identity.services.one_time_links import LINK_MINUTES


MAILS_SECONDS = LINK_MINUTES * 60 // 2
"""Seconds for which a mail with a link is counted."""

PROVIDER_VISITS = 300
"""How often one network address may go to the identity provider and return in 15 minutes.

More than with passwords: a whole campus may share an address, and nothing is guessed here.
"""

PROVIDER_FAILURES = 30
"""How often such a return may fail in that time."""

ANSWER_TRIES = 5
"""How often an hour a wrong application number may be typed behind one link."""

IPV6_PREFIX = 64
"""Bits of an IPv6 address that name a household or a machine; the rest it chooses itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TryLimit:
    """Tries that one person, device or network has in some time.

    Attributes:
        name: What is tried, and by whom it is counted.
        key: Whose tries these are.
    """

    name: str
    key: str
    times: int
    seconds: int


def network_of(address: str) -> str:
    """Return the network that a client's tries are counted for: an IPv6 address is never alone."""
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(known, IPv6Address):
        if known.ipv4_mapped:
            return str(known.ipv4_mapped)
        return str(ip_network((known, IPV6_PREFIX), strict=False))
    return str(known)


def password_tries(email: str, device: str, address: str) -> tuple[TryLimit, ...]:
    """Return what a wrong password is counted for."""
    if device:
        return (TryLimit(name="password-device", key=device, times=10, seconds=900),)
    return (
        TryLimit(name="password-address", key=network_of(address), times=30, seconds=900),
        TryLimit(name="password-account", key=_same(email), times=10, seconds=900),
    )


def code_tries(device: str, address: str) -> tuple[TryLimit, ...]:
    """Return what a wrong code is counted for; five of them end the code itself."""
    if device:
        return (TryLimit(name="code-device", key=device, times=30, seconds=900),)
    return (TryLimit(name="code-address", key=network_of(address), times=30, seconds=900),)


def link_requests(address: str) -> TryLimit:
    """Return how many mailed links one network may ask for, for any addresses."""
    return TryLimit(name="link-address", key=network_of(address), times=30, seconds=3600)


def mailed_links(email: str, device: str) -> TryLimit:
    """Return how many mails with a link one address gets.

    Counted for half as long as a link is good: while no further one is sent, the newest works.
    """
    if device:
        return TryLimit(name="link-device", key=device, times=5, seconds=MAILS_SECONDS)
    return TryLimit(name="link-account", key=_same(email), times=5, seconds=MAILS_SECONDS)


def answer_tries(link: str, address: str) -> tuple[TryLimit, ...]:
    """Return what a wrong application number is counted for: its link, and the network."""
    return (
        TryLimit(name="answer-link", key=link, times=ANSWER_TRIES, seconds=3600),
        TryLimit(name="answer-address", key=network_of(address), times=30, seconds=3600),
    )


def provider_visits(address: str) -> TryLimit:
    """Return how often a network may go to the identity provider, and return from it."""
    key = network_of(address)
    return TryLimit(name="provider-address", key=key, times=PROVIDER_VISITS, seconds=900)


def provider_failures(address: str) -> TryLimit:
    """Return how often a network may return from the identity provider in vain."""
    key = network_of(address)
    return TryLimit(name="provider-failure", key=key, times=PROVIDER_FAILURES, seconds=900)


def _same(email: str) -> str:
    return email.strip().lower()
