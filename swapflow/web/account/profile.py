"""One's own account: devices that are signed in, and the password."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.errors import ForbiddenError, InvalidInputError, NotSignedInError, RateLimitedError
from swapflow.i18n.languages import gettext, languages_to_choose
from swapflow.messages import Message
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import TheOffice, app_context
from swapflow.web.http.dependencies import Signed, signed_in
from swapflow.web.http.language import KEYS_OFF, switch_keys
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/me")

Secret = Annotated[str, Form(max_length=256)]


@router.get("")
def show_me(request: Request, principal: Signed, office: TheOffice, changed: str = "") -> Response:
    """Show one's devices and the ways to sign in."""
    return _page(request, principal, office, changed=bool(changed))


@router.post("/password")
def change_password(
    request: Request, principal: Signed, office: TheOffice, old: Secret = "", new: Secret = ""
) -> Response:
    """Change one's own password; other devices are signed out."""
    try:
        office.users.change_password(principal, old=old, new=new)
    except (InvalidInputError, NotSignedInError, ForbiddenError, RateLimitedError) as error:
        return _page(request, principal, office, problem=error.message)
    return RedirectResponse("/me?changed=1", status_code=303)


@router.post("/shortcuts", dependencies=[Depends(signed_in)])
def switch_shortcuts(
    request: Request, keys: Annotated[str, Form(max_length=3)] = "on"
) -> Response:
    """Switch the keys of single letters on or off in this browser."""
    on = keys != KEYS_OFF
    tell(request, Message("act_keys_on" if on else "act_keys_off"))
    response = RedirectResponse("/me", status_code=303)
    switch_keys(response, on=on, secure=app_context(request).settings.secure)
    return response


@router.post("/devices/end")
def end_device(
    request: Request,
    principal: Signed,
    office: TheOffice,
    device: Annotated[str, Form(max_length=64)] = "",
) -> Response:
    """Sign one device out."""
    office.sign_in.end_session(principal, device)
    tell(request, Message("act_device_ended"))
    return RedirectResponse("/me", status_code=303)


def _page(
    request: Request,
    principal: Signed,
    office: TheOffice,
    *,
    problem: str = "",
    changed: bool = False,
) -> Response:
    context = {
        "devices": office.sign_in.sessions(principal),
        "problem": gettext(problem),
        "changed": changed,
        "languages": languages_to_choose(),
    }
    return render(request, "account/profile.html", context, status=422 if problem else 200)
