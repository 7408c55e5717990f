"""What readers chose in their browser: the language of the pages, and keys of single letters."""

from http.cookies import CookieError, SimpleCookie
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from swapflow.errors import InvalidInputError
from swapflow.i18n.languages import (
    SOURCE,
    chosen_language,
    known_languages,
    preferred_languages,
    use_language,
)
from swapflow.settings import Settings
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import anybody, safe_path


router = APIRouter()

COOKIE = "swapflow-language"
"""Holds the language that was chosen in this browser, and nothing else."""

KEYS_COOKIE = "swapflow-keys"
"""Is "off" in a browser whose reader switched the keys of single letters off."""

KEYS_OFF = "off"
YEAR = 365 * 86_400


class LanguageMiddleware:
    """Runs everything that answers a request in its reader's language.

    The language is the one chosen in this browser, else the browser's, else the deployment's.
    Programs at the API are always answered in English: they may compare what they read.
    """

    def __init__(self, app: ASGIApp, *, settings: Settings) -> None:
        self._app = app
        self._own = settings.language

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with use_language(self._language(scope)):
            await self._app(scope, receive, send)

    def _language(self, scope: Scope) -> str:
        if str(scope["path"]).startswith(("/api/", "/static/")):
            return SOURCE
        headers = Headers(scope=scope)
        chosen = _chosen(headers.get("cookie", ""))
        if chosen:
            return chosen
        return chosen_language(
            preferred_languages(headers.get("accept-language", "")), otherwise=self._own
        )


@router.post("/language", dependencies=[Depends(anybody)])
def choose_language(
    request: Request,
    language: Annotated[str, Form(max_length=20)] = "",
    path: Annotated[str, Form(alias="next", max_length=2000)] = "/",
) -> Response:
    """Keep the language that a person reads in, in their browser."""
    if language not in known_languages():
        raise InvalidInputError("language_not_listed")
    response = RedirectResponse(safe_path(path), status_code=303)
    response.set_cookie(
        COOKIE,
        language,
        max_age=YEAR,
        path="/",
        secure=app_context(request).settings.secure,
        httponly=True,
        samesite="lax",
    )
    return response


def keys_are_off(request: Request) -> bool:
    """Whether single letters do nothing in the browser that asks."""
    return request.cookies.get(KEYS_COOKIE) == KEYS_OFF


def switch_keys(response: Response, *, on: bool, secure: bool) -> None:
    """Keep in the reader's browser whether single letters act as keys.

    Args:
        response: The answer that sets the cookie.
        on: Whether they act.
        secure: Whether the pages are served over TLS.
    """
    if on:
        response.delete_cookie(KEYS_COOKIE, path="/")
        return
    response.set_cookie(
        KEYS_COOKIE,
        KEYS_OFF,
        max_age=YEAR,
        path="/",
        secure=secure,
        httponly=True,
        samesite="lax",
    )


def _chosen(cookies: str) -> str:
    """Read the language from a request's cookies, "" where none was chosen or it is gone."""
    if COOKIE not in cookies:
        return ""  # of most requests, which need no reading
    try:
        found = SimpleCookie(cookies).get(COOKIE)
    except CookieError:
        # The header holds other cookies too; a broken one must not take the page away.
        return ""
    return found.value if found is not None and found.value in known_languages() else ""
