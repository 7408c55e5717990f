"""What the DNS says about the domain that mails are sent from: SPF, DKIM and DMARC.

Receivers hold a mail against these records before a person sees it: RFC 7208 (which servers may
send for the domain), RFC 6376 (the key that signs), RFC 7489 (what becomes of a mail that fits
neither). Whether a mail that has arrived was aligned only its receiver can tell.
"""

import re
import time
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from typing import Protocol

from swapflow.engine.ports.health_facts import MOST_LOOKUPS, SendingDomain
from swapflow.errors import InvalidInputError, UnavailableError


SECONDS = 5.0
"""Seconds that the resolver may take for one name."""

Lookup = Callable[[str], tuple[str, ...]]
"""A function from a name to the TXT records there, of which there may be none."""

_ASKS = re.compile(r"^[+?~-]?(?:(?P<within>include|exists|redirect)[:=]|(?:a|mx|ptr)(?:$|[:/]))")
_LEADS_ON = re.compile(r"^[+?~-]?(?:include:|redirect=)(?P<name>.+)$")
_ALL = re.compile(r"^(?P<sign>[+?~-]?)all$")
_TAG = re.compile(r"\s*(?P<key>[a-z]+)\s*=\s*(?P<value>[^;]*)")


def records_by_dns(server: str | None = None, *, within: float | None = None) -> Lookup:
    """Build what reads TXT records.

    Args:
        server: The resolver to ask, "192.0.2.53" or "192.0.2.53:5353"; else this machine's.
        within: Seconds for all names together, from now on; each has `SECONDS` when not given.

    Raises:
        InvalidInputError: If the server is no address.
    """
    import dns.exception  # noqa: PLC0415 - loaded by few commands
    import dns.resolver  # noqa: PLC0415

    try:
        resolver = dns.resolver.Resolver(configure=server is None)
    except dns.resolver.NoResolverConfiguration as error:
        raise UnavailableError("dns_server_missing") from error
    if server is not None:
        host, _, port = server.rpartition(":") if server.count(":") == 1 else (server, "", "53")
        try:
            resolver.nameservers = [str(ip_address(host))]
            resolver.port = int(port)
        except ValueError as error:
            raise InvalidInputError("dns_server_malformed", text=server) from error

    end = None if within is None else time.monotonic() + within

    def records(name: str) -> tuple[str, ...]:
        left = SECONDS if end is None else min(SECONDS, end - time.monotonic())
        if left <= 0:
            raise UnavailableError("dns_away", name=name)
        try:
            answer = resolver.resolve(name, "TXT", search=False, lifetime=left)
        except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
            return ()
        except (dns.exception.DNSException, OSError) as error:
            raise UnavailableError("dns_away", name=name) from error
        return tuple(b"".join(row.strings).decode("utf-8", "replace") for row in answer)

    return records


def look_at_domain(domain: str, records: Lookup, *, selector: str | None = None) -> SendingDomain:
    """Read the records that receivers hold a mail of this domain against.

    Args:
        domain: After the @ of the sender's address.
        records: Reads TXT records.
        selector: Names the DKIM key; who runs the mail server knows it.

    Raises:
        UnavailableError: If the resolver does not answer.
    """
    spf = _spf(records(domain))
    key = records(f"{selector}._domainkey.{domain}") if selector else ()
    dmarc, dmarc_at = _policy(domain, records)
    return SendingDomain(
        domain=domain,
        spf=spf,
        spf_lookups=_lookups(spf[0], records, seen={domain}) if spf else 0,
        spf_all=_all(spf[0], records, seen={domain}) if spf else "",
        dkim=_tags(key[0]) if key else None,
        dmarc=dmarc,
        dmarc_at=dmarc_at,
    )


class DnsSettings(Protocol):
    """The settings of a look at the sender's domain."""

    @property
    def dns_server(self) -> str | None:
        """The resolver to ask."""
        ...

    @property
    def dkim_selector(self) -> str | None:
        """The name of the key that signs."""
        ...


def look_at_sending_domain(
    settings: DnsSettings, domain: str, *, within: float | None = None
) -> SendingDomain:
    """Read the records of a domain by the resolver and the selector of the settings.

    Args:
        settings: The settings.
        domain: After the @ of the sender's address.
        within: Seconds for all records together.

    Raises:
        UnavailableError: If the resolver does not answer.
        InvalidInputError: If the resolver that the settings name is no address.
    """
    records = records_by_dns(settings.dns_server, within=within)
    return look_at_domain(domain, records, selector=settings.dkim_selector)


def _spf(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(
        text for text in texts if text.lower() == "v=spf1" or text.lower().startswith("v=spf1 ")
    )


def _lookups(record: str, records: Lookup, *, seen: set[str]) -> int:
    """Count the queries of a record and of those it leads to; a circle is counted once."""
    terms = record.lower().split()[1:]
    count = sum(_ASKS.match(term) is not None for term in terms)
    for name in _leads_on(terms):
        if name not in seen and count <= MOST_LOOKUPS:
            for further in _spf(records(name))[:1]:
                count += _lookups(further, records, seen=seen | {name})
    return count


def _leads_on(terms: list[str]) -> Iterator[str]:
    """Yield the names that a record includes; one with a macro depends on each mail."""
    for term in terms:
        found = _LEADS_ON.match(term)
        if found and "%" not in found["name"]:
            yield found["name"].rstrip(".")


def _all(record: str, records: Lookup, *, seen: set[str]) -> str:
    """Return what the record says of all others, itself or by the one it is redirected to."""
    terms = record.lower().split()[1:]
    for term in terms:
        if found := _ALL.match(term):
            return found["sign"] or "+"
    for name in _leads_on([term for term in terms if term.startswith("redirect=")]):
        if name not in seen:
            for further in _spf(records(name))[:1]:
                return _all(further, records, seen=seen | {name})
    return ""


def _policy(domain: str, records: Lookup) -> tuple[dict[str, str] | None, str]:
    """Read the DMARC policy of the domain, or of the nearest above it that has one."""
    labels = domain.split(".")
    for first in range(max(1, len(labels) - 1)):
        at = ".".join(labels[first:])
        for text in records(f"_dmarc.{at}"):
            tags = _tags(text)
            if tags.get("v", "").upper() == "DMARC1":
                return tags, at
    return None, ""


def _tags(text: str) -> dict[str, str]:
    """Read `key=value; key=value`."""
    found = (_TAG.match(part) for part in text.split(";"))
    return {one["key"]: one["value"].strip() for one in found if one}
