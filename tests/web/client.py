"""A browser in this process: one event loop for all requests, and one step into it for each.

Starlette's own client makes a thread and a loop for every request, and eight calls into it; the
walks over all pages send tens of thousands.
"""

from asyncio import Event
from functools import cache
from typing import Any
from urllib.parse import unquote

from anyio.from_thread import BlockingPortal, BlockingPortalProvider
from httpx2 import BaseTransport, Request, Response
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message, Scope


PORTS = {"http": 80, "https": 443}


class Browser(TestClient):
    """Sends requests to an application, as Starlette's client does, and faster.

    An answer is read whole: what never ends cannot be asked for.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        client: tuple[str, int] = ("testclient", 50000),
        **given: Any,  # noqa: ANN401 - as its parent takes it
    ) -> None:
        """Open a browser; what is given beside goes to Starlette's client."""
        super().__init__(app, client=client, **given)
        self._transport = _Transport(app, client)


LOOP = BlockingPortalProvider()
"""Runs the loop of this process in a thread that ends with it."""


@cache
def _loop() -> BlockingPortal:
    return LOOP.__enter__()


class _Transport(BaseTransport):
    def __init__(self, app: ASGIApp, client: tuple[str, int]) -> None:
        self._app = app
        self._client = client

    def handle_request(self, request: Request) -> Response:
        return _loop().call(self._answer, request, request.read())

    async def _answer(self, request: Request, body: bytes) -> Response:
        started: list[Message] = []
        parts: list[bytes] = []
        ended = Event()
        unread = [body]

        async def receive() -> Message:
            if unread:
                return {"type": "http.request", "body": unread.pop(), "more_body": False}
            await ended.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                started.append(message)
            elif message["type"] == "http.response.body":
                parts.append(bytes(message.get("body", b"")))
                if not message.get("more_body", False):
                    ended.set()

        await self._app(self._scope(request), receive, send)
        assert started, f"{request.method} {request.url.path} was not answered"
        whole = b"" if request.method == "HEAD" else b"".join(parts)
        return Response(started[0]["status"], headers=list(started[0]["headers"]), content=whole)

    def _scope(self, request: Request) -> Scope:
        url = request.url
        return {
            "type": "http",
            "http_version": "1.1",
            "method": request.method,
            "path": unquote(url.path),
            "raw_path": url.raw_path.split(b"?", 1)[0],
            "root_path": "",
            "scheme": url.scheme,
            "query_string": url.query,
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "client": self._client,
            "server": (url.host, url.port or PORTS[url.scheme]),
            "extensions": {},
            "state": {},
        }
