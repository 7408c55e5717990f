"""A form that is sent twice acts once: the second answer is that of the first.

Two things make a repeat. The same form of the same page, sent again however late: a browser that
went back, a double press, a connection that broke. And the same content from a page that was made
since, within seconds and with no other act of the person in between: they did not notice the first
answer. Refusals are no acts: what was refused may be sent again.

Written as plain ASGI around all routes, so that no route can forget it.
"""

import asyncio
import hmac
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus

from fastapi import Request
from python_multipart.multipart import parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from swapflow.errors import UnavailableError
from swapflow.i18n.languages import gettext
from swapflow.identity.ports.integration_store import StoredResponse
from swapflow.web.http.acts.told import AGAIN, ActOutcome, said, told_cookie
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import cookie_name, principal_of
from swapflow.web.http.middleware import SAFE, refusal


SECONDS = timedelta(seconds=10)
"""How soon the same content from another page is a repeat."""

KEPT_FOR = timedelta(hours=24)
"""How long a repeat of the same form is known."""

TAKEN_OVER_AFTER = timedelta(seconds=60)
"""Age from which an act without an answer is done by its repeat: its process has died."""

WAIT_SECONDS, LOOK_SECONDS = 15.0, 0.1
"""How long a repeat waits for the first answer, and how often it looks."""

TOLD_SECONDS = 60

OF_THEIR_OWN = re.compile(
    r"/(tasks/[^/]+(/(open|draft|correct))?|sign-in(/.*)?|sign-out|language|answer/.*|try(/.*)?|api/.*)"
)
"""Addresses that need none of this: reviews tell repeats by their revision, a sign-in is counted
and used once, an applicant's answer is the same when it comes again (and its address is a secret,
which would be stored here), a spreadsheet that is tried gives the same answer under another
secret address, the API has keys of its own."""

_FORMS = (b"application/x-www-form-urlencoded", b"multipart/form-data")
_TYPED_FIELD = re.compile(rb"(^|&)act=([^&]*)")
_PART = rb'--%s\r\nContent-Disposition: form-data; name="act"\r\n\r\n(.*?)\r\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class _Act:
    """One form that was sent.

    Attributes:
        account: Id of the person's account.
        key: Names the act: address and content, under the session's secret.
        form: Number of the page that the form came with, "" for none.
    """

    account: str
    key: str
    form: str


Refuse = Callable[[Request, Exception], Awaitable[Response]]


class ActOnce:
    """Carries out each act of a person once."""

    def __init__(self, app: ASGIApp, *, refuse: Refuse) -> None:
        """Take the application, and what answers a request that the database did not take."""
        self._app = app
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if (
            scope["type"] != "http"
            or scope["method"] in SAFE
            or OF_THEIR_OWN.fullmatch(scope["path"])
        ):
            await self._app(scope, receive, send)
            return
        # One dictionary for what is inside, which knows the principal and says what was done.
        scope.setdefault("state", {})
        body = await _body(receive)
        if body is None:
            return
        content, form = _without_field(body, Headers(scope=scope).get("content-type", ""))
        inner = _with_length(scope, len(content))
        # With the body, which the page that asks to send it again shows.
        request = Request(inner, _replay(content, receive))
        act: _Act | None = None
        known: StoredResponse | None = None
        try:
            act = await run_in_threadpool(_act_of, request, content, form)
            if act is not None:
                known = await _begun(request, act)
        except UnavailableError as error:
            # Nothing notes that it has begun, so a repeat would do it again; and what has waited
            # for the database in vain must not wait a second time in the route.
            refused = await self._refuse(request, error)
            await refused(scope, receive, send)
            return
        if act is None:
            await self._app(inner, _replay(content, receive), send)
        elif known is None:
            await self._carry_out(request, act, _replay(content, receive), send)
        else:
            await _repeat(request, act, known)(scope, receive, send)

    async def _carry_out(self, request: Request, act: _Act, receive: Receive, send: Send) -> None:
        """Run the route, and store its answer for repeats before it is sent."""
        answered = False

        async def send_kept(message: Message) -> None:
            nonlocal answered
            if message["type"] == "http.response.start":
                answered = True
                headers = MutableHeaders(scope=message)
                if await _keep(request, act, message["status"], headers.get("location", "")):
                    headers.append("set-cookie", _cookie(request, act.key))
            await send(message)

        try:
            await self._app(request.scope, receive, send_kept)
        finally:
            if not answered:
                await _keep(request, act, HTTPStatus.INTERNAL_SERVER_ERROR, "")


async def _body(receive: Receive) -> bytes | None:
    """Read a request's body, whose size is bounded outside; None when its sender has gone."""
    parts = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


def _replay(content: bytes, receive: Receive) -> Receive:
    """Return what hands a body on that was read already, and then what comes after it."""
    sent = False

    async def receive_again() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": content, "more_body": False}

    return receive_again


def _without_field(body: bytes, content_type: str) -> tuple[bytes, str]:
    """Return a form without the page's number, and the number.

    Routes never see it, so that a form is what its fields are.
    """
    media, options = parse_options_header(content_type)
    if media == b"multipart/form-data" and (line := options.get(b"boundary")):
        part = re.compile(_PART % re.escape(line), re.DOTALL)
    elif media == b"application/x-www-form-urlencoded":
        part = _TYPED_FIELD
    else:
        return body, ""
    found = part.search(body)
    if found is None:
        return body, ""
    number = found[found.lastindex or 0].decode("ascii", errors="replace")
    return part.sub(b"", body).removeprefix(b"&"), number


def _with_length(scope: Scope, length: int) -> Scope:
    """Return a request's facts with the length of the body that is handed on."""
    headers = [
        h for h in scope["headers"] if h[0] not in {b"content-length", b"transfer-encoding"}
    ]
    return {**scope, "headers": [*headers, (b"content-length", str(length).encode())]}


def _act_of(request: Request, content: bytes, form: str) -> _Act | None:
    """Name the act; None for a person who is not signed in, and for what is no form."""
    media, options = parse_options_header(request.headers.get("content-type"))
    if media not in _FORMS and content:
        return None
    principal = principal_of(request)
    if principal is None:
        return None
    if line := options.get(b"boundary"):
        # The line between the parts of a form is made up anew each time it is sent.
        content = content.replace(b"--" + line, b"--")
    # Under the secret of the session, which is stored nowhere: a form may hold a password.
    secret = request.cookies.get(cookie_name(secure=app_context(request).settings.secure), "")
    text = f"{request.method} {request.url.path}?{request.url.query}\n".encode() + content
    key = hmac.digest(secret.encode(), text, "sha256").hex()
    return _Act(account=principal.account.id, key=key, form=form)


async def _begun(request: Request, act: _Act) -> StoredResponse | None:
    """Begin an act; a repeat waits for the first answer. None when it is to be carried out."""
    clients = app_context(request).office.api_clients

    def begin() -> StoredResponse | None:
        return clients.begin_act(
            act.account,
            act.key,
            act.form,
            again_within=SECONDS,
            taken_over_after=TAKEN_OVER_AFTER,
            kept_for=KEPT_FOR,
        )

    known = await run_in_threadpool(begin)
    waited = 0.0
    # A double press ends the first answer in the browser: only the second is ever seen.
    while known is not None and known.status == 0 and waited < WAIT_SECONDS:
        await asyncio.sleep(LOOK_SECONDS)
        waited += LOOK_SECONDS
        known = await run_in_threadpool(begin)
    return known


async def _keep(request: Request, act: _Act, status: int, to: str) -> bool:
    """Keep the answer to an act; what was refused, or only shown, may be sent again."""
    done = said(request)
    acted = status == HTTPStatus.SEE_OTHER or (
        done is not None and status < HTTPStatus.BAD_REQUEST
    )
    body = ActOutcome(to=to, done=done).text() if acted else ""
    clients = app_context(request).office.api_clients
    # What was done is done: without the note a repeat is only not known as one.
    with suppress(UnavailableError):
        await run_in_threadpool(
            lambda: clients.end_act(act.account, act.key, status=status if acted else 0, body=body)
        )
    return acted and done is not None and bool(to)


def _repeat(request: Request, act: _Act, known: StoredResponse) -> ASGIApp:
    """Answer a repeat as the first was answered."""
    if known.status == 0:
        return refusal(
            request.scope,
            HTTPStatus.CONFLICT,
            gettext("This is being done just now. Open the page again in a moment to see it."),
        )
    response = RedirectResponse(ActOutcome.of(known.body).to or request.url.path, status_code=303)
    response.headers.append("set-cookie", _cookie(request, f"{act.key}.{AGAIN}"))
    return response


def _cookie(request: Request, value: str) -> str:
    secure = app_context(request).settings.secure
    safe = "; Secure" if secure else ""
    return (
        f"{told_cookie(secure=secure)}={value}; Path=/; Max-Age={TOLD_SECONDS}; HttpOnly; "
        f"SameSite=Lax{safe}"
    )
