"""Signing in and out: password for staff, a mailed link or a typed code for reviewers."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.errors import NotSignedInError, TooManyTriesError
from swapflow.office.accounts import Session
from swapflow.web.access import Signed, anybody, cookie_name
from swapflow.web.pages import render
from swapflow.web.parts import TheOffice, parts_of


router = APIRouter()


@router.get("/sign-in", dependencies=[Depends(anybody)])
def show_sign_in(request: Request, next: str = "/") -> Response:  # noqa: A002 - the query's name
    """Show the ways to sign in."""
    return render(request, "sign_in.html", {"next": safe_path(next), "email": "", "problem": ""})


@router.post("/sign-in/password", dependencies=[Depends(anybody)])
def sign_in_with_password(
    request: Request,
    office: TheOffice,
    email: Annotated[str, Form(max_length=254)] = "",
    password: Annotated[str, Form(max_length=256)] = "",
    next: Annotated[str, Form(max_length=2000)] = "/",  # noqa: A002 - the form's name
) -> Response:
    """Sign in staff by password."""
    try:
        secret, session = office.sign_in_with_password(
            email,
            password,
            agent=request.headers.get("user-agent", ""),
            address=request.client.host if request.client else "",
        )
    except (NotSignedInError, TooManyTriesError) as error:
        status = 401 if isinstance(error, NotSignedInError) else 429
        return render(
            request,
            "sign_in.html",
            {"next": safe_path(next), "email": email, "problem": str(error)},
            status=status,
        )
    return enter(request, secret, session, safe_path(next))


@router.post("/sign-out")
def sign_out(
    request: Request,
    visitor: Signed,
    office: TheOffice,
    everywhere: Annotated[bool, Form()] = False,  # noqa: FBT002 - a form's field
) -> Response:
    """Sign out of this device, or of all."""
    office.sign_out(visitor, everywhere=everywhere)
    response = RedirectResponse("/sign-in", status_code=303)
    secure = parts_of(request).settings.secure
    response.delete_cookie(cookie_name(secure=secure), path="/", secure=secure, httponly=True)
    return response


def enter(request: Request, secret: str, session: Session, path: str) -> Response:
    """Hand a device its cookie and lead on."""
    response = RedirectResponse(path, status_code=303)
    secure = parts_of(request).settings.secure
    response.set_cookie(
        cookie_name(secure=secure),
        secret,
        expires=session.expires_at,
        path="/",
        secure=secure,
        httponly=True,
        samesite="lax",
    )
    return response


def safe_path(path: str) -> str:
    """Give a path on this site; anything else leads home, so that no link can lead elsewhere."""
    inside = path.startswith("/") and not path.startswith(("//", "/\\"))
    return path if inside and "\n" not in path and "\r" not in path else "/"
