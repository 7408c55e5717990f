"""Keys of one's own programs: made here, shown once, revoked here."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.errors import InvalidInputError
from swapflow.i18n.languages import gettext_noop
from swapflow.identity.account import ApiToken
from swapflow.identity.permissions import SCOPES
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import Signed
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/me/keys")

LIVES = {
    "30": gettext_noop("30 days"),
    "365": gettext_noop("a year"),
    "": gettext_noop("until it is revoked"),
}
"""How long a key may be good, as the form offers it."""

MEANINGS = {
    "read": gettext_noop("read what you may see"),
    "write": gettext_noop("change what you may change"),
    "review": gettext_noop("act as you in your own reviews"),
    "webhooks": gettext_noop("register addresses that are told what happens"),
}


@router.get("")
def show_keys(request: Request, principal: Signed) -> Response:
    """List one's keys, with a form for another one."""
    return _page(request, principal)


@router.post("")
def make_key(
    request: Request,
    principal: Signed,
    name: Annotated[str, Form(max_length=2000)] = "",
    days: Annotated[str, Form(max_length=4)] = "",
    scopes: Annotated[list[str] | None, Form(max_length=10)] = None,
) -> Response:
    """Create a key and show it, this once."""
    typed: dict[str, object] = {"name": name, "days": days, "scopes": scopes or []}
    problems: dict[str, str] = {}
    if not name.strip() or len(name) > 100 or not name.strip().isprintable():  # noqa: PLR2004
        problems["name"] = gettext_noop("Say what the key is for, in up to 100 characters.")
    if not scopes or any(scope not in SCOPES for scope in scopes):
        problems["scopes"] = gettext_noop("Choose at least one.")
    if days not in LIVES:
        problems["days"] = gettext_noop("Choose one of these.")
    if not problems:
        try:
            made = app_context(request).office.api_clients.make_key(
                principal, name=name, scopes=scopes or (), days=int(days) if days else None
            )
        except InvalidInputError as error:
            problems["name"] = error.message
        else:
            tell(request, Message("act_key_made", name=made[1].name))
            # No redirect: the key is in this answer and nowhere else, for only its hash is stored.
            return _page(request, principal, made=made)
    return _page(request, principal, typed=typed, problems=problems)


@router.post("/{key_id}/revoke")
def revoke_key(request: Request, key_id: str, principal: Signed) -> Response:
    """Revoke a key for good."""
    app_context(request).office.api_clients.revoke_key(principal, key_id)
    tell(request, Message("act_key_revoked"))
    return RedirectResponse("/me/keys", status_code=303)


def _page(
    request: Request,
    principal: Principal,
    *,
    made: tuple[str, ApiToken] | None = None,
    typed: dict[str, object] | None = None,
    problems: dict[str, str] | None = None,
) -> Response:
    app: AppContext = app_context(request)
    now = app.product.cycles.now()
    keys = [
        (key, key.revoked_at is None and (key.expires_at is None or key.expires_at > now))
        for key in app.office.api_clients.keys(principal)
    ]
    context: dict[str, object] = {
        "keys": keys,
        "made": made,
        "lives": LIVES,
        "meanings": MEANINGS,
        "typed": typed or {"name": "", "days": "365", "scopes": ["read"]},
        "problems": problems or {},
    }
    return render(request, "account/api_keys.html", context, status=422 if problems else 200)
