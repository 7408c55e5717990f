"""What a person reads whose request was still under way when its process had to stop."""

import asyncio

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from swapflow.i18n.languages import gettext_noop
from swapflow.web.http.error_handlers import answer


class ShutdownMiddleware:
    """Answers 503 where the server cuts a request short at its own end; else it would say 500.

    What the request began goes on in its thread and may still be stored: to send the same again
    is safe, and the answer says so.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except asyncio.CancelledError:
            # What has begun to leave cannot become a 503;
            # the reader sees it cut short and asks again.
            if begun:
                raise
            said = answer(
                Request(scope, receive),
                503,
                gettext_noop("The server is being started again"),
                gettext_noop(
                    "What you sent may have been stored or not. Send it again in a moment: "
                    "nothing counts twice."
                ),
            )
            await said(scope, receive, send)
