"""Errors raised on purpose become pages, fragments or problems; anything else becomes a number.

Nobody sees a traceback: what was not foreseen is logged under a number that the page shows.
"""

import secrets
from contextlib import suppress
from urllib.parse import quote, urlsplit

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from swapflow.errors import (
    BadRowsError,
    ConflictError,
    DamagedRecordError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    NotSignedInError,
    RateLimitedError,
    SignInMethodRefusedError,
    SwapflowError,
    UnavailableError,
)
from swapflow.i18n.languages import gettext, gettext_noop
from swapflow.i18n.translation import translate
from swapflow.messages import Message, plain
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import principal_of
from swapflow.web.http.middleware import asked_host
from swapflow.web.http.rendering import render


log = structlog.get_logger()

STATUSES: tuple[tuple[type[SwapflowError], int, str], ...] = (
    (NotSignedInError, 401, gettext_noop("Please sign in")),
    (ForbiddenError, 403, gettext_noop("This is not yours to do")),
    (NotFoundError, 404, gettext_noop("There is nothing here")),
    (ConflictError, 409, gettext_noop("Things have moved on")),
    (InvalidInputError, 422, gettext_noop("This cannot be used as it is")),
    (RateLimitedError, 429, gettext_noop("Too many tries")),
    (DamagedRecordError, 503, gettext_noop("A part of the record cannot be read")),
    (UnavailableError, 503, gettext_noop("A part of the server does not answer")),
)
"""Status and heading of each branch of the tree of errors."""


def add_handlers(app: FastAPI) -> None:
    """Add the answers of an application when something goes wrong."""
    app.add_exception_handler(SwapflowError, answer_error)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unforeseen)


def status_of(error: SwapflowError) -> tuple[int, str]:
    """Return status and heading of an error."""
    return next(
        ((status, title) for kind, status, title in STATUSES if isinstance(error, kind)),
        (500, gettext_noop("Something went wrong")),
    )


def is_api(request: Request) -> bool:
    """Whether a program asks, by the address it asks at."""
    return request.url.path.startswith("/api/")


def problem(
    request: Request, status: int, title: str, detail: str, **more: object
) -> JSONResponse:
    """Answer a program as RFC 9457 has it, with the code and the parameters of the detail."""
    said = detail if isinstance(detail, Message) else Message(f"http_{status}")
    return JSONResponse(
        {
            "type": "about:blank",
            "title": title,
            "status": status,
            "detail": detail,
            "instance": request.url.path,
            "code": said.code,
            "params": plain(said.params),
            **more,
        },
        status_code=status,
        media_type="application/problem+json",
    )


def answer(
    request: Request, status: int, title: str, detail: str, *, back: str | None = None
) -> Response:
    """Answer a person, or a script that acts for one: a page, or a notice to put into it.

    Args:
        request: What is answered.
        status: HTTP status.
        title: What happened, in a few words.
        detail: What happened, and what to do.
        back: Where to go after a sign-in through the identity provider, which is then offered.
    """
    if is_api(request):
        return problem(request, status, title, detail)
    try:
        principal_of(request)
    except UnavailableError:  # the page that says so must not need what is away
        request.state.principal = None
    whole = "hx-request" not in request.headers
    template = "error.html" if whole else "error_notice.html"
    context = {"title": gettext(title), "detail": translate(detail), "back": back}
    return render(request, template, context, status=status)


async def _find_out_who(request: Request, error: Exception) -> None:
    """Find out who asks, for the head of a page, before the page is built.

    In a thread, since the database may keep it waiting while everybody else is answered. A page
    that says what is away does not ask it again.
    """
    if is_api(request) or hasattr(request.state, "principal"):
        return
    who = None
    if not isinstance(error, UnavailableError):
        with suppress(UnavailableError):
            who = await run_in_threadpool(principal_of, request)
    request.state.principal = who


async def answer_error(request: Request, error: Exception) -> Response:
    """Answer a request that ended in one of the product's own errors."""
    assert isinstance(error, SwapflowError)
    status, title = status_of(error)
    # A script would take the sign-in page behind a redirect for its answer.
    wants_page = request.method == "GET" and "hx-request" not in request.headers
    if isinstance(error, NotSignedInError) and wants_page and not is_api(request):
        target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/sign-in?next={quote(target)}", status_code=303)
    if isinstance(error, SignInMethodRefusedError):
        return _other_way(request, error)
    if isinstance(error, BadRowsError) and is_api(request):
        return problem(request, status, title, error.message, errors=_by_row(error))
    if isinstance(error, NotSignedInError) and (typed := await _typed(request)):
        context = {"address": _address(request), "typed": typed}
        return render(request, "signed_out.html", context, status=status)
    await _find_out_who(request, error)
    if isinstance(error, UnavailableError):
        log.warning("a part does not answer", code=error.code, said=str(error))
    # The message names hosts and ports, for the log; what is read outside says only what is away.
    detail = error.outside if isinstance(error, UnavailableError) else error.message
    if _may_be_sent_again(request, error) and (typed := await _typed(request)):
        context = {"title": gettext(title), "detail": translate(detail)}
        context |= {"address": _address(request), "typed": typed}
        return render(request, "away.html", context, status=status)
    response = answer(request, status, title, detail)
    if isinstance(error, NotSignedInError) and is_api(request):
        response.headers["WWW-Authenticate"] = 'Bearer realm="swapflow"'
    if isinstance(error, RateLimitedError):
        response.headers["Retry-After"] = str(error.seconds)
    return response


def _may_be_sent_again(request: Request, error: SwapflowError) -> bool:
    """Whether a person's form met a part that was away: whether it was stored may be unknown.

    A script keeps what was typed on its page.
    """
    is_away = isinstance(error, UnavailableError)
    return is_away and "hx-request" not in request.headers and not is_api(request)


def _address(request: Request) -> str:
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")


async def _typed(request: Request) -> list[tuple[str, str]]:
    """Return what a form holds that was not taken, to be sent again.

    Nothing is given for files, for passwords, and for scripts, which keep what was typed.
    """
    kind = request.headers.get("content-type", "")
    is_form = kind.startswith("application/x-www-form-urlencoded")
    if not is_form or "application/json" in request.headers.get("accept", ""):
        return []
    form = await request.form()
    if any("password" in name for name in form):
        return []
    return [(name, value) for name, value in form.multi_items() if isinstance(value, str)]


def _by_row(error: BadRowsError) -> list[dict[str, str]]:
    """Name every bad row of a file as the field that it is."""
    return [
        {
            "field": f"line {row.line}" + (f", column {row.column}" if row.column else ""),
            "message": f"{row.reason}. {row.cure}",
        }
        for row in error.rows
    ]


def _other_way(request: Request, error: SignInMethodRefusedError) -> Response:
    """Show that the identity provider is wanted, and offer it; it leads back to this page."""
    status, _ = status_of(error)
    cure = (
        gettext("your organisation's sign-in brings you back here")
        if app_context(request).settings.provider
        else gettext("that is not connected any more; tell an administrator")
    )
    place = request.url.path if request.method == "GET" else _came_from(request)
    title = gettext_noop("Please sign in through your organisation")
    return answer(request, status, title, f"{translate(error.message)}; {cure}", back=place)


def _came_from(request: Request) -> str:
    """Return the path of our page from which a form was sent."""
    page = urlsplit(request.headers.get("referer", ""))
    return page.path if page.netloc == asked_host(request.scope) and page.path else "/"


async def _unreadable(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = [
        {"field": ".".join(str(part) for part in one["loc"][1:]), "message": one["msg"]}
        for one in error.errors()
    ]
    detail = "; ".join(f"{one['field']}: {one['message']}" for one in problems)
    if is_api(request):
        return problem(
            request,
            422,
            "This cannot be used as it is",
            detail,
            code="request_malformed",
            errors=problems,
        )
    await _find_out_who(request, error)
    return answer(request, 422, gettext_noop("This cannot be used as it is"), detail)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    titles = {
        404: gettext_noop("There is nothing here"),
        405: gettext_noop("This cannot be done here"),
    }
    title = titles.get(error.status_code, gettext_noop("This did not work"))
    # The framework's own words, from HTTP's list of phrases.
    said = {404: gettext_noop("Not Found"), 405: gettext_noop("Method Not Allowed")}
    detail = said.get(error.status_code, str(error.detail)) if error.detail else ""
    await _find_out_who(request, error)
    response = answer(request, error.status_code, title, detail)
    response.headers.update(error.headers or {})
    return response


async def _unforeseen(request: Request, error: Exception) -> Response:
    number = secrets.token_hex(4)
    log.error(
        "a request failed in a way nobody foresaw",
        event_id=number,
        method=request.method,
        # The route's pattern: the address itself may hold a code or a secret.
        route=getattr(request.scope.get("route"), "path", ""),
        exc_info=error,
    )
    await _find_out_who(request, error)
    return answer(
        request,
        500,
        gettext_noop("Something went wrong"),
        gettext(
            "This is a fault of the program. Nothing half-done was stored; please tell an "
            "administrator that number %(number)s is in the log."
        )
        % {"number": number},
    )
