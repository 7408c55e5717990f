"""What runs before every page: where a request comes from, how big it is, what browsers may do.

Written as plain ASGI: it runs for every request and every event of a stream.
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from swapflow.i18n.languages import gettext


POLICY = (
    "default-src 'self'; "
    "img-src 'self' data:; "
    "object-src 'none'; "
    "base-uri 'none'; "
    "form-action 'self'; "
    "frame-ancestors 'self'"
)
"""No inline script or style, and no request to another host."""

_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
SECRET_ADDRESS: Mapping[str, str] = {
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
    "Cache-Control": "no-store",
}
"""Headers of pages whose address is a secret: it goes to no other site, list or cache."""

_ASKED = "swapflow.asked_host"
RETRY_SECONDS = 5
"""Seconds after which a request may be sent again that a part did not answer."""

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing."""


class SecurityHeaders:
    """Adds the headers that tell browsers what pages may do; a page may set its own instead.

    Whatever could not be done now says when to come again.
    """

    def __init__(self, app: ASGIApp, *, secure: bool) -> None:
        self._app = app
        self._headers = dict(_HEADERS)
        if secure:
            self._headers["Strict-Transport-Security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                # What is behind a sign-in must not wait in a shared computer's cache.
                headers.setdefault("Cache-Control", "no-store")
                if message["status"] == 503:  # noqa: PLR2004 - a part that does not answer
                    headers.setdefault("Retry-After", str(RETRY_SECONDS))
            await send(message)

        await self._app(scope, receive, send_with_headers)


class OwnHost:
    """Hides the host that a request names, so that no answer can send anybody there.

    Whatever builds an address, a page, a library or the framework, builds it from the address of
    this deployment. Redirects to it lead by their path: a person who came by another of its names,
    such as localhost, stays there with the cookie.
    """

    def __init__(self, app: ASGIApp, *, address: str) -> None:
        self._app = app
        own = urlsplit(address)
        self._scheme = own.scheme
        self._host = (b"host", own.netloc.encode("ascii"))
        self._origin = f"{own.scheme}://{own.netloc}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        others = [header for header in scope["headers"] if header[0] != b"host"]
        own = {
            **scope,
            "scheme": self._scheme,
            "headers": [*others, self._host],
            _ASKED: Headers(scope=scope).get("host", ""),
        }

        async def send_path(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                path = headers.get("location", "").removeprefix(self._origin)
                # Two slashes would begin the name of another host.
                if path.startswith("/") and not path.startswith("//"):
                    headers["location"] = path
            await send(message)

        try:
            await self._app(own, receive, send_path)
        finally:
            # Traces outside of this ask which route was found; the copy alone would know.
            if "route" in own:
                scope["route"] = own["route"]


def asked_host(scope: Scope) -> str:
    """Return the host that a request names, to compare with; never to build an address from."""
    return str(scope.get(_ASKED, "")) or Headers(scope=scope).get("host", "")


class SameSiteOnly:
    """Refuses writes that another site makes a signed-in browser send.

    Browsers say where a request comes from (Fetch Metadata, or Origin in old ones). A request
    that carries a cookie and says neither is refused; one without a cookie carries no rights.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if (
            scope["type"] == "http"
            and scope["method"] not in SAFE
            and not _is_ours(Headers(scope=scope))
        ):
            answer = refusal(
                scope,
                403,
                gettext(
                    "This form came from another site and was refused. Open the page here "
                    "and try again."
                ),
            )
            await answer(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _is_ours(headers: Headers) -> bool:
    site = headers.get("sec-fetch-site")
    if site is not None:
        # `none` is an address that was typed, or a bookmark.
        return site in {"same-origin", "none"}
    origin = headers.get("origin")
    if origin is not None:
        return urlsplit(origin).netloc == headers.get("host")
    # No site can make a browser send a key, so a request with a key is not judged by the cookie.
    return "cookie" not in headers or "authorization" in headers


def is_piece(scope: Scope) -> bool:
    """Whether a request carries a piece of a large file, which may take as long as its link."""
    path = str(scope["path"])
    return scope["method"] == "PUT" and path.startswith("/api/") and "/uploads/" in path


class SmallBodies:
    """Refuses bodies that are too big, before and while they arrive."""

    def __init__(
        self, app: ASGIApp, *, most: int, uploads: int, smaller: Mapping[str, int] | None = None
    ) -> None:
        """Take the application and the limits.

        Args:
            app: The application behind.
            most: Bytes of an ordinary request.
            uploads: Bytes of a request that carries files.
            smaller: The same by path, for pages that take less.
        """
        self._app = app
        self._most = most
        self._uploads = uploads
        self._smaller = smaller or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        with_files = headers.get("content-type", "").startswith("multipart/form-data")
        with_files = with_files or is_piece(scope)
        uploads = min(self._uploads, self._smaller.get(scope["path"], self._uploads))
        most = uploads if with_files else self._most
        said = headers.get("content-length", "0")
        # Only to refuse early:
        # a length that is missing or wrong is met by the count of what arrives.
        if said.isdigit() and int(said) > most:
            await _too_big(scope, most)(scope, receive, send)
            return
        seen = 0
        begun = False

        async def receive_counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most:
                raise _TooBigError
            return message

        async def send_noted(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive_counted, send_noted)
        except _TooBigError:
            if not begun:
                await _too_big(scope, most)(scope, receive, send)


class _TooBigError(Exception):
    """More has arrived than is taken."""


def _too_big(scope: Scope, most: int) -> Response:
    size = f"{most // 1_000_000} MB" if most >= 1_000_000 else f"{most // 1000} kB"  # noqa: PLR2004
    return refusal(
        scope,
        413,
        gettext("This is more than the %(size)s that are taken at once; nothing was stored.")
        % {"size": size},
    )


_TITLES = {403: "This is not yours to do", 409: "Under way", 413: "Too big", 503: "Busy"}


def refusal(scope: Scope, status: int, detail: str) -> Response:
    """Refuse in the words of the one who asks: a person, or a program at the API."""
    path = str(scope["path"])
    if not path.startswith("/api/"):
        return PlainTextResponse(detail, status_code=status)
    title = _TITLES[status]
    said = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    known = {"instance": path, "code": f"http_{status}", "params": {}}
    return JSONResponse(said | known, status_code=status, media_type="application/problem+json")
