"""Asking an OpenID Connect provider who a person is: the code flow with PKCE, by Authlib.

The library comes with the extra `sso`; without a provider in the settings it is never imported.
"""

import secrets
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

import structlog
from anyio import from_thread
from fastapi import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from swapflow.errors import NotSignedInError, SwapflowError, UnavailableError
from swapflow.identity.groups import ClaimedGroups, read_groups
from swapflow.settings import Settings


T = TypeVar("T")

HOP = "/sign-in/provider"
"""Where the way to the provider begins; the cookie that is carried along it lies below."""

HOP_SECONDS = 600
"""How long a person may take at the provider."""

PROVIDER_SECONDS = 10.0
"""How long the provider may take for an answer."""

LONGEST_PATH = 1000
"""Characters of the page to return to: it travels in a cookie, which holds 4096."""

LONGEST_SUBJECT = 255
"""Characters of a subject, by OpenID Connect Core, section 2."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """Whom the provider has recognised.

    Attributes:
        subject: `issuer#subject`, which stays the same when the address changes.
        email: The address that it states, "" for none.
        name: The name that it states, "" for none.
        verified: Whether it says that the address has been checked.
        groups: The groups that it states; None where they were not asked for.
    """

    subject: str
    email: str
    name: str
    verified: bool
    groups: ClaimedGroups | None = None


class LostStateError(NotSignedInError):
    """An answer to no sign-in that this browser began, or to one begun too long ago."""


class DeniedError(NotSignedInError):
    """The provider, or the person in front of it, said no."""


class OpenIdProvider:
    """One provider and this deployment's registration there.

    Its methods are called from the worker threads of the server; what the library awaits runs on
    the server's loop meanwhile.
    """

    def __init__(self, settings: Settings) -> None:
        from authlib.integrations.starlette_client import OAuth  # noqa: PLC0415 - an extra

        assert settings.oidc_client_secret is not None  # `refuse_unsafe` has seen to it
        self._issuer = settings.oidc_issuer
        self._client_id = settings.oidc_client_id
        self._groups_claim = settings.oidc_groups
        self._return = f"{settings.address}{HOP}/return"
        self._client: Any = OAuth().register(
            name="provider",
            client_id=settings.oidc_client_id,
            client_secret=settings.oidc_client_secret.get_secret_value(),
            server_metadata_url=f"{self._issuer.rstrip('/')}/.well-known/openid-configuration",
            client_kwargs={
                "scope": " ".join(["openid email profile", *settings.oidc_scopes.split()]),
                "code_challenge_method": "S256",
                "timeout": PROVIDER_SECONDS,
            },
        )

    def send(self, request: Request, path: str, *, other: bool = False) -> Response:
        """Send a browser to the provider; it comes back to `HOP/return`.

        Args:
            request: The request, with its hop's session.
            path: Where to go afterwards.
            other: Let the provider ask which account is meant, even if it knows one.

        Raises:
            UnavailableError: If the provider does not describe itself.
        """
        request.session["next"] = path if len(path) <= LONGEST_PATH else "/"
        more = {"prompt": "select_account"} if other else {}
        response = from_thread.run(self._send, request, more)
        # A page of ours that leads elsewhere: nobody may keep it.
        response.headers["Referrer-Policy"] = "no-referrer"
        return response

    def recognise(self, request: Request, *, groups: bool = False) -> Recognised:
        """Ask the provider who has come back, and check each word of what it says.

        Args:
            request: The request, with its hop's session.
            groups: Whether to ask for the person's groups as well.

        Raises:
            LostStateError: If this browser was not sent, or too long ago.
            DeniedError: If the provider refuses, or the person does not consent.
            UnavailableError: If it does not answer, or its answer cannot be trusted.
        """
        return from_thread.run(self._recognise, request, groups)

    async def _send(self, request: Request, more: Mapping[str, str]) -> Response:
        await _answer(self._describe)
        response: Response = await _answer(
            lambda: self._client.authorize_redirect(request, self._return, **more)
        )
        return response

    async def _recognise(self, request: Request, groups: bool) -> Recognised:  # noqa: FBT001 - from_thread passes by place
        state = request.query_params.get("state", "")
        # Before anything else: also a refusal must be the answer to a question of this browser.
        if await self._client.framework.get_state_data(request.session, state) is None:
            raise LostStateError("provider_state_lost", minutes=HOP_SECONDS // 60)
        error = request.query_params.get("error")
        if error is not None:
            await self._client.framework.clear_state_data(request.session, state)
            raise _denied(error)
        described = await _answer(self._describe)
        issuer = described["issuer"]
        options = {
            "iss": {"essential": True, "values": [issuer]},
            "aud": {"essential": True, "value": self._client_id},
            "sub": {"essential": True},
        }
        token = await _answer(
            lambda: self._client.authorize_access_token(request, claims_options=options)
        )
        claims = token.get("userinfo")
        if claims is None:
            raise _untrusted("it sent no id_token")
        subject = claims["sub"]
        if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT:
            raise _untrusted("its subject is no text of 1 to 255 characters")
        stated = dict(claims)
        wanted = {"email", self._groups_claim} if groups else {"email"}
        if not wanted <= stated.keys() and "userinfo_endpoint" in described:
            more = await _answer(lambda: self._client.userinfo(token=token))
            if more.get("sub") != subject:
                raise _untrusted("its userinfo is about somebody else")
            stated |= more
        return Recognised(
            subject=f"{issuer}#{subject}",
            email=_text(stated.get("email")).lower(),
            name=_text(stated.get("name")),
            # Some providers write the word instead of the value.
            verified=stated.get("email_verified") in (True, "true"),
            groups=read_groups(stated, self._groups_claim) if groups else None,
        )

    async def _describe(self) -> Mapping[str, Any]:
        """Read what the provider says of itself, once; refuse the word of another issuer."""
        described: dict[str, Any] = await self._client.load_server_metadata()
        issuer = described.get("issuer")
        if not isinstance(issuer, str) or issuer.rstrip("/") != self._issuer.rstrip("/"):
            described.clear()
            raise _untrusted(
                f"it calls itself {issuer!r}, and SWAPFLOW_OIDC_ISSUER is {self._issuer!r}"
            )
        # What is signed with a key that we hold, or not at all, proves nothing.
        offered = described.get("id_token_signing_alg_values_supported") or ["RS256"]
        described["id_token_signing_alg_values_supported"] = [
            name for name in offered if name[:2] in {"RS", "PS", "ES", "Ed"}
        ]
        ways = described.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        if "client_secret_basic" not in ways and "client_secret_post" in ways:
            self._client.client_kwargs["token_endpoint_auth_method"] = "client_secret_post"  # noqa: S105 - a method
        return described


class Hop:
    """Middleware that keeps a session in a signed cookie on the hop, and there alone.

    Starlette's session cannot be revoked, so it carries nothing but the way to the provider and
    back: state, nonce, PKCE verifier, and the page to return to.
    """

    def __init__(self, app: ASGIApp, *, settings: Settings) -> None:
        from starlette.middleware.sessions import (  # noqa: PLC0415 - needs the extra
            SessionMiddleware,
        )

        key = settings.secret_key
        self._app = app
        self._with_session = SessionMiddleware(
            app,
            # One web process that nobody else reaches needs no key that others know.
            secret_key=key.get_secret_value() if key else secrets.token_urlsafe(32),
            session_cookie="__Secure-swapflow-hop" if settings.secure else "swapflow-hop",
            max_age=HOP_SECONDS,
            path=HOP,
            same_site="lax",
            https_only=settings.secure,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        on_the_way = scope["type"] == "http" and scope["path"].startswith(HOP)
        await (self._with_session if on_the_way else self._app)(scope, receive, send)


async def _answer(ask: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Await the provider's answer; whatever is wrong with it becomes an error of ours.

    Raises:
        LostStateError: If the state was used up meanwhile, by a second click.
        DeniedError: If the code is refused.
        UnavailableError: If there is no answer, or it cannot be trusted.
    """
    from authlib.integrations.base_client import (  # noqa: PLC0415 - an extra
        MismatchingStateError,
        OAuthError,
    )
    from joserfc.errors import JoseError  # noqa: PLC0415 - comes with the extra

    try:
        return await ask()
    except SwapflowError:
        raise
    except MismatchingStateError as error:
        raise LostStateError("provider_state_used") from error
    except OAuthError as error:
        raise _denied(error.error) from error
    except _network_errors() as error:
        log.warning(
            "the identity provider does not answer", why=f"{type(error).__name__}: {error}"
        )
        raise UnavailableError("provider_away") from error
    except (JoseError, ValueError, KeyError, TypeError, RuntimeError, AttributeError) as error:
        # Not what the protocol promises: no JSON, a part that is missing, a signature that fails.
        raise _untrusted(f"{type(error).__name__}: {error}") from error


def _network_errors() -> tuple[type[Exception], ...]:
    """Name what the library's HTTP client raises: it takes httpx2 where that is installed."""
    for name in ("httpx2", "httpx"):
        with suppress(ImportError):
            client = import_module(name)
            return client.HTTPError, client.InvalidURL
    return ()


def _denied(error: str) -> SwapflowError:
    """Return what an error code of the provider means for a person."""
    if error in {"access_denied", "consent_required", "interaction_required", "login_required"}:
        return DeniedError("provider_denied")
    code = error if error.isidentifier() and error.isascii() and len(error) < 60 else "?"  # noqa: PLR2004 - a word
    log.error("the identity provider refuses", code=code)
    return UnavailableError("provider_answered_error", error=code)


def _untrusted(why: str) -> UnavailableError:
    """Refuse an answer; what is wrong with it is for the log, not for the person."""
    log.error("the identity provider's answer cannot be trusted", why=why[:300])
    return UnavailableError("provider_not_trusted")


def _text(value: object) -> str:
    """Return a stated text, without what could not be shown; "" for anything else."""
    text = value.strip() if isinstance(value, str) else ""
    return text if text.isprintable() and len(text) <= 254 else ""  # noqa: PLR2004 - of an address
