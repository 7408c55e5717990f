"""Signing in and out: a mailed link or a typed code for everybody, a password for staff.

A mailed link changes nothing when it is opened, for mail scanners open what they find: its page
shows a button, and the button spends it. The same forms answer scripts with JSON, so that the
page of a review can sign a person in again where they are.
"""

from collections.abc import Callable, Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from swapflow.errors import (
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    NotSignedInError,
    RateLimitedError,
    SwapflowError,
)
from swapflow.i18n.languages import gettext, languages_to_choose
from swapflow.i18n.translation import translate
from swapflow.identity.account import Session
from swapflow.identity.services.one_time_links import MailedLink
from swapflow.identity.services.reviews_links import ReviewsLink
from swapflow.web.http.context import Product, TheOffice, TheSettings, app_context
from swapflow.web.http.dependencies import Signed, anybody, cookie_name, principal_of, safe_path
from swapflow.web.http.error_handlers import problem as answer_problem
from swapflow.web.http.error_handlers import status_of
from swapflow.web.http.middleware import SECRET_ADDRESS as UNSEEN
from swapflow.web.http.rendering import render


router = APIRouter()

Email = Annotated[str, Form(max_length=254)]
Next = Annotated[str, Form(alias="next", max_length=2000)]

Refusal = (NotSignedInError, RateLimitedError, ForbiddenError, InvalidInputError)
"""What a way in may be refused with; shown on the sign-in page."""

DEVICE_DAYS = 400
"""Days for which a device is recognised: as long as browsers keep a cookie."""


@router.get("/sign-in", dependencies=[Depends(anybody)])
async def show_sign_in(
    request: Request,
    next: str = "/",  # noqa: A002 - the query's name
) -> Response:
    """Show the ways to sign in; waits for no thread and no database."""
    # Who is signed in would have to be read, and nothing on this page depends on it.
    request.state.principal = None
    return show_ways(request, next)


@router.post("/sign-in/password", dependencies=[Depends(anybody)])
def sign_in_with_password(
    request: Request,
    office: TheOffice,
    email: Email = "",
    password: Annotated[str, Form(max_length=256)] = "",
    path: Next = "/",
) -> Response:
    """Sign in staff by password."""
    try:
        secret, session = office.sign_in.with_password(
            email,
            password,
            agent=agent_of(request),
            address=client_of(request),
            device=device_of(request),
        )
    except Refusal as error:
        return _refused(request, error, email, path, by="password")
    return enter(request, secret, session, safe_path(path))


@router.post("/sign-in/link", dependencies=[Depends(anybody)])
def mail_link(
    request: Request,
    office: TheOffice,
    product: Product,
    settings: TheSettings,
    email: Email = "",
    path: Next = "/",
) -> Response:
    """Mail a link and a code, and say the same whether the address is known or not."""
    try:
        mailed = office.sign_in.mail_link(
            email,
            safe_path(path),
            address=client_of(request),
            site=settings.address,
            device=device_of(request),
        )
    except Refusal as error:
        return _refused(request, error, email, path, by="link")
    product.outbox.send_soon()
    if _wants_json(request):
        return JSONResponse({"sent": True})
    return _code_page(request, email.strip(), path, mailed=mailed)


@router.post("/sign-in/code", dependencies=[Depends(anybody)])
def sign_in_with_code(
    request: Request,
    office: TheOffice,
    email: Email = "",
    code: Annotated[str, Form(max_length=20)] = "",
    path: Next = "/",
) -> Response:
    """Sign in the person who types the code that was mailed."""
    try:
        secret, session, stored = office.sign_in.by_code(
            email,
            code,
            agent=agent_of(request),
            address=client_of(request),
            device=device_of(request),
        )
    except Refusal as error:
        if _wants_json(request):
            return _refused(request, error, email, path, by="code")
        return _code_page(request, email, path, problem=error)
    # The path stored with the code: it may be typed on another device than it was asked for on.
    return enter(request, secret, session, safe_path(stored))


@router.api_route(
    "/sign-in/link/{token}", methods=["GET", "HEAD"], dependencies=[Depends(anybody)]
)
def show_link(request: Request, token: str, office: TheOffice) -> Response:
    """Show whom a mailed link lets in, and a button; opening it changes nothing."""
    try:
        link = office.sign_in.check_link(token)
    except NotFoundError as error:
        return show_ways(request, "/", problem=as_sentence(error), status=404, headers=UNSEEN)
    principal = principal_of(request)
    if principal is not None and principal.account.email == link.email:
        return RedirectResponse(safe_path(link.next), status_code=303, headers=UNSEEN)
    return _link_page(request, token, office)


@router.post("/sign-in/link/{token}", dependencies=[Depends(anybody)])
def spend_link(request: Request, token: str, office: TheOffice) -> Response:
    """Sign in the person who holds the link, once."""
    try:
        secret, session, path = office.sign_in.by_link(
            token, agent=agent_of(request), address=client_of(request)
        )
    except NotSignedInError:
        return show_link(request, token, office)
    except ForbiddenError as error:
        return show_ways(request, "/", problem=as_sentence(error), status=403, headers=UNSEEN)
    response = enter(request, secret, session, safe_path(path))
    response.headers.update(UNSEEN)
    return response


@router.post("/sign-in/link/{token}/again", dependencies=[Depends(anybody)])
def mail_link_again(request: Request, token: str, office: TheOffice) -> Response:
    """Mail a new link to the address of an old one, which leads to the same place."""
    return mail_again(request, lambda: office.sign_in.check_link(token), back="/")


@router.post("/sign-out")
def sign_out(
    request: Request,
    principal: Signed,
    office: TheOffice,
    everywhere: Annotated[bool, Form()] = False,  # noqa: FBT002 - a form's field
) -> Response:
    """Sign out of this device, or of all."""
    office.sign_in.sign_out(principal, everywhere=everywhere)
    response = leave(request)
    # What a reviewer kept on the device goes with the session.
    response.headers["Clear-Site-Data"] = '"storage"'
    return response


def enter(request: Request, secret: str, session: Session, path: str) -> Response:
    """Send a device its cookie, end the session that it had, and redirect."""
    app = app_context(request)
    secure = app.settings.secure
    app.office.sign_in.forget_device(request.cookies.get(cookie_name(secure=secure), ""))
    response: Response = (
        JSONResponse({"signed_in": True, "next": path})
        if _wants_json(request)
        else RedirectResponse(path, status_code=303)
    )
    response.set_cookie(
        cookie_name(secure=secure),
        secret,
        expires=session.expires_at,
        path="/",
        secure=secure,
        httponly=True,
        samesite="lax",
    )
    known = app.office.sign_in.remember_device(device_of(request), session)
    response.set_cookie(
        device_cookie(secure=secure),
        known,
        max_age=DEVICE_DAYS * 86_400,
        path="/sign-in",
        secure=secure,
        httponly=True,
        samesite="lax",
    )
    return response


def leave(request: Request) -> Response:
    """Remove a device's cookie and redirect to the sign-in."""
    response = RedirectResponse("/sign-in", status_code=303)
    secure = app_context(request).settings.secure
    response.delete_cookie(cookie_name(secure=secure), path="/", secure=secure, httponly=True)
    return response


def show_ways(
    request: Request,
    path: str,
    *,
    email: str = "",
    problem: str = "",
    by: str = "",
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Show the ways to sign in.

    Args:
        request: What is answered.
        path: Where to go once signed in.
        email: The address typed so far.
        problem: What went wrong with one of the ways, as a sentence.
        by: The way that went wrong: "link", "password" or "provider".
        status: HTTP status.
        headers: Further headers.
    """
    context = {
        "next": safe_path(path),
        "email": email,
        "problem": problem,
        "by": by,
        "languages": languages_to_choose(),
        "may_try": app_context(request).settings.try_spreadsheet,
    }
    return render(request, "account/sign_in.html", context, status=status, headers=headers)


def _refused(
    request: Request, error: SwapflowError,
    email: str, path: str, *, by: str,
) -> Response:  # fmt: skip
    status, title = status_of(error)
    if _wants_json(request):
        return answer_problem(request, status, gettext(title), as_sentence(error))
    return show_ways(request, path, email=email, problem=as_sentence(error), by=by, status=status)


def _code_page(
    request: Request,
    email: str,
    path: str,
    *,
    mailed: bool = True,
    problem: SwapflowError | None = None,
) -> Response:
    said = as_sentence(problem) if problem else ""
    return render(
        request,
        "account/sign_in_sent.html",
        {"email": email, "next": safe_path(path), "problem": said, "mailed": mailed},
        status=status_of(problem)[0] if problem else 200,
    )


def _link_page(request: Request, token: str, office: TheOffice) -> Response:
    link = office.sign_in.check_link(token)
    context = {
        "token": token,
        "link": link,
        "next": safe_path(link.next),
        "path": "/sign-in/link",
    }
    template = "account/sign_in_link.html" if link.is_good else "account/sign_in_used.html"
    return render(request, template, context, status=200 if link.is_good else 410, headers=UNSEEN)


def as_sentence(error: SwapflowError) -> str:
    """Format a refusal as a sentence, in the reader's language."""
    text = translate(error.message)
    return text[:1].upper() + text[1:] + "."


def _wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def mail_again(
    request: Request,
    old: Callable[[], MailedLink | ReviewsLink],
    *,
    back: str,
) -> Response:
    """Mail a new link to the address of an old one.

    Args:
        request: What is answered.
        old: Reads the old link.
        back: Where signing in leads after a refusal.
    """
    app = app_context(request)
    try:
        link = old()
        app.office.sign_in.mail_link(
            link.email,
            safe_path(link.next),
            address=client_of(request),
            site=app.settings.address,
            device=device_of(request),
        )
    except (NotFoundError, RateLimitedError) as error:
        status = status_of(error)[0]
        return show_ways(request, back, problem=as_sentence(error), status=status, headers=UNSEEN)
    app.product.outbox.send_soon()
    return render(request, "account/sign_in_again.html", {"shown": link.shown}, headers=UNSEEN)


def agent_of(request: Request) -> str:
    """Return what a browser calls itself."""
    return request.headers.get("user-agent", "")


def device_of(request: Request) -> str:
    """Return the cookie by which a device is recognised that signed in before."""
    secure = app_context(request).settings.secure
    return request.cookies.get(device_cookie(secure=secure), "")


def device_cookie(*, secure: bool) -> str:
    """Name the cookie of a device; over TLS nothing else can set it."""
    return "__Secure-swapflow-device" if secure else "swapflow-device"


def client_of(request: Request) -> str:
    """Return the network address that asks; proxies that are trusted have named it."""
    return request.client.host if request.client else ""
