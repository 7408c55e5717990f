"""Signing in through an identity provider: there, and back to the page that was asked for.

Going there changes nothing here, so it is a link; coming back is the one address whose opening
signs a person in, and only in the browser that was sent.
"""

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from swapflow.errors import (
    ForbiddenError,
    NotFoundError,
    NotSignedInError,
    RateLimitedError,
    SwapflowError,
    UnavailableError,
)
from swapflow.identity.services import Office
from swapflow.web.account.openid_client import HOP, OpenIdProvider
from swapflow.web.account.sign_in import agent_of, as_sentence, client_of, enter, show_ways
from swapflow.web.http.context import TheOffice
from swapflow.web.http.dependencies import anybody, safe_path
from swapflow.web.http.error_handlers import status_of


router = APIRouter(prefix=HOP, dependencies=[Depends(anybody)])

Refusal = (NotSignedInError, ForbiddenError, UnavailableError)
"""What a person may come back with; shown on the sign-in page, with the other ways to sign in."""


@router.get("")
def leave_for_provider(
    request: Request,
    office: TheOffice,
    next: str = "/",  # noqa: A002 - the query's name
    other: bool = False,  # noqa: FBT001, FBT002 - the query's name
) -> Response:
    """Send the browser to the provider; `other` has it ask which account is meant."""
    provider, path = _provider(request), safe_path(next)
    try:
        office.sign_in.count_provider_visit(client_of(request))
        return provider.send(request, path, other=other)
    except (RateLimitedError, UnavailableError) as error:
        return _refused(request, path, error)


@router.get("/return")
def come_back(request: Request, office: TheOffice) -> Response:
    """Sign in the person whom the provider has recognised."""
    provider = _provider(request)
    path = safe_path(str(request.session.get("next", "/")))
    who = ""
    try:
        office.sign_in.count_provider_visit(client_of(request))
        found = provider.recognise(request, groups=bool(office.groups.roles()))
        who = found.email
        secret, session = office.sign_in.by_provider(
            found.subject,
            email=found.email,
            name=found.name,
            verified=found.verified,
            groups=found.groups,
            agent=agent_of(request),
        )
    except RateLimitedError as error:
        return _refused(request, path, error)
    except Refusal as error:
        return _refused(request, path, _noted(request, office, who, error))
    request.session.clear()
    return enter(request, secret, session, path)


def _provider(request: Request) -> OpenIdProvider:
    """Return the provider that is connected.

    Raises:
        NotFoundError: If there is none.
    """
    provider: OpenIdProvider | None = request.app.state.provider
    if provider is None:
        raise NotFoundError("provider_not_connected")
    return provider


def _noted(request: Request, office: Office, who: str, error: SwapflowError) -> SwapflowError:
    """Record why a person did not get in; too many of those are refused without a look."""
    try:
        office.sign_in.note_provider_failure(who, str(error), address=client_of(request))
    except RateLimitedError as often:
        return often
    return error


def _refused(request: Request, path: str, error: SwapflowError) -> Response:
    status, _ = status_of(error)
    return show_ways(request, path, problem=as_sentence(error), by="provider", status=status)
