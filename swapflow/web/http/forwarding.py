"""Who a request comes from when a proxy stands before this process.

Limits count by the client's address. A proxy that nobody trusts makes all its clients one address,
and then a single one of them uses up the tries of all: that it happens is noted for the doctor.
"""

from collections.abc import Callable
from ipaddress import IPv6Address, ip_address

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from swapflow.settings import trusted_networks


FORWARDED = b"x-forwarded-for"


class ForwardedClients:
    """Names the client that a trusted proxy speaks for, and notes a proxy that nobody trusts.

    Args:
        app: The application behind.
        trusted: Addresses and networks of proxies, by commas; `*` for any.
        note: Takes the address of a proxy that is not trusted; must not block.
    """

    def __init__(
        self, app: ASGIApp, *, trusted: str, note: Callable[[str], None] | None = None
    ) -> None:
        self._any = trusted.strip() == "*"
        self._networks = () if self._any else trusted_networks(trusted)
        named: list[str] | str = "*" if self._any else [str(network) for network in self._networks]
        self._forwarded: ASGIApp = ProxyHeadersMiddleware(app, trusted_hosts=named)  # type: ignore[arg-type, assignment]  # uvicorn's own types
        self._note = note

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "http" and scope.get("client"):
            host, port = scope["client"]
            peer = plain_address(host)
            scope["client"] = (peer, port)
            forwarded = any(name == FORWARDED for name, _ in scope["headers"])
            if self._note and forwarded and not self._trusts(peer):
                self._note(peer)
        await self._forwarded(scope, receive, send)

    def _trusts(self, peer: str) -> bool:
        try:
            address = ip_address(peer)
        except ValueError:
            return self._any
        return self._any or any(address in network for network in self._networks)


def plain_address(host: str) -> str:
    """Return an IPv4 address that a socket of both families writes as an IPv6 one, as itself."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    inside = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(inside) if inside else host
