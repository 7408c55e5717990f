"""How many requests that write are under way in one process; the rest are told to come again.

A request that waits for a thread costs nobody anything, but those behind it wait as well: pages
that only read must not stand behind a hundred writes which all wait for one lock.
"""

import re
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from swapflow.i18n.languages import gettext
from swapflow.web.http.middleware import SAFE, is_piece, refusal


MOST = 30
"""Writing requests under way beyond which none is taken."""

MOST_WHILE_STUCK = 6
"""The same while they do not get on."""

STUCK_SECONDS = 1.0
"""Seconds without one that is answered, while one is under way, at which they do not get on.

On a busy machine each may take as long, and yet one after the other is answered.
"""

MOST_DRAFTS = 300
"""Saves of drafts under way beyond which none is taken.

They wait for the disk together and in no thread, so nobody stands behind them; each browser has
one at a time. Counted with the others, people who type at once would be refused as soon as the
commits of a busy machine take half a second.
"""

_DRAFT = re.compile(r"/tasks/[^/]+/draft")

FAILED = 500
"""The least status of an answer that shows no progress, such as one that waited in vain."""


class BoundedWrites:
    """Refuses requests that write while too many are under way, at once."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._under_way: dict[object, float] = {}
        self._drafts = 0
        self._answered = time.monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        # A piece of a large file waits for its link and for no lock.
        if scope["type"] != "http" or scope["method"] in SAFE or is_piece(scope):
            await self._app(scope, receive, send)
            return
        if _DRAFT.fullmatch(scope["path"]):
            await self._save(scope, receive, send)
            return
        if self._is_full():
            await _busy(scope)(scope, receive, send)
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

    async def _save(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a save of a draft, which neither waits for the others nor shows that they do."""
        if self._drafts >= MOST_DRAFTS:
            await _busy(scope)(scope, receive, send)
            return
        self._drafts += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._drafts -= 1

    def _is_full(self) -> bool:
        waiting = len(self._under_way)
        if waiting < MOST_WHILE_STUCK:
            return False
        # The first one in is the oldest: dictionaries keep their order.
        since = max(next(iter(self._under_way.values())), self._answered)
        return waiting >= MOST or time.monotonic() - since > STUCK_SECONDS


def _busy(scope: Scope) -> ASGIApp:
    """Refuse a request that is one too many."""
    return refusal(
        scope,
        503,
        gettext(
            "Nothing of this was stored: the server is busy with something long. "
            "Try again in some seconds."
        ),
    )
