"""The link in a mail to a reviewer: its page shows a button, and the button signs in, once.

Where a program is opened through the identity provider, the link leads there instead.
"""

from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.errors import ForbiddenError, NotFoundError, NotSignedInError
from swapflow.identity.services.reviews_links import ReviewsLink
from swapflow.web.account.openid_client import HOP
from swapflow.web.account.sign_in import (
    agent_of,
    as_sentence,
    client_of,
    enter,
    mail_again,
    show_ways,
)
from swapflow.web.http.context import TheOffice, app_context
from swapflow.web.http.dependencies import anybody, principal_of
from swapflow.web.http.middleware import SECRET_ADDRESS
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/sign-in/reviews", dependencies=[Depends(anybody)])


@router.api_route("/{token}", methods=["GET", "HEAD"])
def show_reviews_link(request: Request, token: str, office: TheOffice) -> Response:
    """Show whom a mailed link lets in, and a button; opening it changes nothing."""
    try:
        link = office.reviews_links.check(token)
    except NotFoundError as error:
        return show_ways(
            request, "/inbox", problem=as_sentence(error), status=404, headers=SECRET_ADDRESS
        )
    principal = principal_of(request)
    if principal is not None and principal.account.email == link.email:
        return RedirectResponse(link.next, status_code=303, headers=SECRET_ADDRESS)
    return _page(request, token, link)


@router.post("/{token}")
def use_reviews_link(request: Request, token: str, office: TheOffice) -> Response:
    """Sign in the reviewer who holds the link, once."""
    try:
        secret, session, path = office.reviews_links.enter(
            token, agent=agent_of(request), address=client_of(request)
        )
    except (NotFoundError, NotSignedInError):
        return show_reviews_link(request, token, office)
    except ForbiddenError as error:
        return show_ways(
            request, "/inbox", problem=as_sentence(error), status=403, headers=SECRET_ADDRESS
        )
    response = enter(request, secret, session, path)
    response.headers.update(SECRET_ADDRESS)
    return response


@router.post("/{token}/again")
def mail_reviews_link_again(request: Request, token: str, office: TheOffice) -> Response:
    """Mail a new link to the address of an old one."""
    return mail_again(request, lambda: office.reviews_links.check(token), back="/inbox")


def _page(request: Request, token: str, link: ReviewsLink) -> Response:
    if link.needs_provider and app_context(request).settings.provider:
        # Going there changes nothing here, so a mail scanner may do it too.
        return RedirectResponse(
            f"{HOP}?{urlencode({'next': link.next})}", status_code=303, headers=SECRET_ADDRESS
        )
    if link.needs_provider:
        return show_ways(request, link.next, headers=SECRET_ADDRESS)
    context = {"token": token, "link": link, "next": link.next, "path": router.prefix}
    template = "account/sign_in_link.html" if link.is_good else "account/sign_in_used.html"
    return render(
        request, template, context, status=200 if link.is_good else 410, headers=SECRET_ADDRESS
    )
