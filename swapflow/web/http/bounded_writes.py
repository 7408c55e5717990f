"""How many requests that write are under way in one process; the rest are told to come again.

A request that waits for a thread costs nobody anything, but those behind it wait as well: pages
that only read must not stand behind a hundred writes which all wait for one lock.
"""

import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from swapflow.i18n.languages import gettext
from swapflow.web.http.middleware import SAFE, refusal


MOST = 30
"""Writing requests under way beyond which none is taken."""

MOST_WHILE_STUCK = 6
"""The same while they do not get on."""

STUCK_SECONDS = 1.0
"""Seconds without one that is answered, while one is under way, at which they do not get on.

On a busy machine each may take as long, and yet one after the other is answered.
"""

FAILED = 500
"""The least status of an answer that shows no progress, such as one that waited in vain."""


class BoundedWrites:
    """Refuses requests that write while too many are under way, at once."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._under_way: dict[object, float] = {}
        self._answered = time.monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http" or scope["method"] in SAFE:
            await self._app(scope, receive, send)
            return
        if self._is_full():
            answer = refusal(
                scope,
                503,
                gettext(
                    "Nothing of this was stored: the server is busy with something long. "
                    "Try again in some seconds."
                ),
            )
            await answer(scope, receive, send)
            return
        ticket = object()
        self._under_way[ticket] = time.monotonic()

        async def send_noted(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < FAILED:
                self._answered = time.monotonic()
            await send(message)

        try:
            await self._app(scope, receive, send_noted)
        finally:
            del self._under_way[ticket]

    def _is_full(self) -> bool:
        waiting = len(self._under_way)
        if waiting < MOST_WHILE_STUCK:
            return False
        # The first one in is the oldest: dictionaries keep their order.
        since = max(next(iter(self._under_way.values())), self._answered)
        return waiting >= MOST or time.monotonic() - since > STUCK_SECONDS
