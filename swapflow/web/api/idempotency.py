"""Writes under a key of their own: sent twice, done once, answered twice with the same words.

The key is reserved before the act and the answer stored after it. A process that dies between the
two leaves a reservation without an answer; after a minute a repeat takes it over and acts again.
Acts are conditional (what is launched cannot be launched, a review that is there is not stored
again), so nothing is done twice then; the answer may say that it was done already.
"""

import hashlib
import json
from collections.abc import Callable, Coroutine, Sequence
from datetime import timedelta
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from python_multipart.multipart import parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from swapflow.errors import ConflictError, InvalidInputError, SwapflowError
from swapflow.identity.ports.integration_store import StoredResponse
from swapflow.untrusted.json_text import checked_text
from swapflow.untrusted.nesting import problem_of
from swapflow.web.api.dependencies import caller
from swapflow.web.http.context import app_context


HEADER = "Idempotency-Key"
SHOWN_ONCE = "x-shown-once"
"""In a route's description: fields of its answer that are not stored, so a repeat lacks them."""

LONGEST_KEY = 200
TAKEN_OVER_AFTER = timedelta(seconds=60)
KEPT_FOR = timedelta(hours=24)
REFUSED = 400
FAULT = 500
"""From this status on the fault is ours: nothing is kept, and the request may be repeated."""

PASSING = frozenset({401, 403, 429})
"""Refusals that say nothing of the act: it was not begun, and may be repeated."""

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class ApiRoute(APIRoute):
    """A route whose writes may carry a key of their own."""

    def get_route_handler(self) -> _Handler:
        """Wrap the route's handler."""
        handle = super().get_route_handler()

        async def read(request: Request) -> Response:
            try:
                return await handle(request)
            except HTTPException as error:
                # What the framework says of a body whose reading ends in another way than its own.
                if isinstance(error.__cause__, ValueError):
                    raise _unreadable(error.__cause__) from error
                raise

        async def once(request: Request) -> Response:
            if request.method in _SAFE:
                return await handle(request)
            await _check_body(request)
            key = request.headers.get(HEADER)
            if key is None:
                return await read(request)
            shown_once = (self.openapi_extra or {}).get(SHOWN_ONCE, ())
            return await _once(request, key, read, shown_once)

        return once


async def _check_body(request: Request) -> None:
    """Refuse JSON that the framework's reader would not come to the end of."""
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        return
    try:
        checked_text(await request.body())
    except ValueError as error:
        raise _unreadable(error) from error


def _unreadable(error: ValueError) -> InvalidInputError:
    return InvalidInputError("api_body_unreadable", problem=problem_of(error))


async def _once(
    request: Request, key: str, handle: _Handler, shown_once: Sequence[str]
) -> Response:
    if not 0 < len(key) <= LONGEST_KEY or not key.isascii() or not key.isprintable():
        raise InvalidInputError("idempotency_key_malformed", header=HEADER, most=LONGEST_KEY)
    principal = await run_in_threadpool(caller, request)
    digest = _digest(request, await request.body())
    clients = app_context(request).office.api_clients
    account = principal.account.id

    def begin() -> StoredResponse | None:
        return clients.begin_request(
            account, key, digest, taken_over_after=TAKEN_OVER_AFTER, kept_for=KEPT_FOR
        )

    known = await run_in_threadpool(begin)
    if known is not None:
        return _replayed(known, digest)
    status, body = 0, ""
    try:
        response = await _answered(request, handle)
        if _is_kept(response):
            status, body = response.status_code, bytes(response.body).decode()
    finally:
        # When the act failed too: a reservation left open would refuse a repeat for a minute.
        stored = _storable(body, shown_once)
        await run_in_threadpool(
            lambda: clients.end_request(account, key, status=status, body=stored)
        )
    return response


async def _answered(request: Request, handle: _Handler) -> Response:
    """Answer the request; a refusal is an answer as well."""
    try:
        return await handle(request)
    except (SwapflowError, RequestValidationError, HTTPException) as error:
        handlers = request.app.exception_handlers
        handler = next(handlers[kind] for kind in type(error).__mro__ if kind in handlers)
        response: Response = await handler(request, error)
        return response


def _is_kept(response: Response) -> bool:
    """Whether an answer is given again as it was; a file is made anew, as a look of its own."""
    is_text = not response.body or "json" in response.headers.get("content-type", "")
    return is_text and response.status_code < FAULT and response.status_code not in PASSING


def _replayed(known: StoredResponse, digest: str) -> Response:
    if known.request != digest:
        raise InvalidInputError("idempotency_key_reused", header=HEADER)
    if known.status == 0:
        raise ConflictError("request_in_progress")
    refused = known.status >= REFUSED
    media = "application/problem+json" if refused else "application/json"
    return Response(
        content=known.body,
        status_code=known.status,
        media_type=media if known.body else None,
        headers={"Idempotency-Replayed": "true"},
    )


def _digest(request: Request, body: bytes) -> str:
    asked = f"{request.method} {request.url.path}?{request.url.query}\n".encode()
    media, options = parse_options_header(request.headers.get("content-type"))
    if media == b"multipart/form-data" and options.get(b"boundary"):
        # The line between the parts of a form is made up anew each time it is sent.
        body = body.replace(b"--" + options[b"boundary"], b"--")
    return hashlib.sha256(asked + body).hexdigest()


def _storable(body: str, shown_once: Sequence[str]) -> str:
    """Leave what is shown once out of what is stored."""
    if not shown_once or not body:
        return body
    said = json.loads(body)
    return json.dumps({**said, **{name: None for name in shown_once if name in said}})
