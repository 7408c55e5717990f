"""Who asks at the API: a program with a key, or a person's browser with its session.

A request with a key never uses a cookie. What a key may do is the smaller of its scopes and its
account's rights.
"""

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request

from swapflow.domain.ids import CYCLE_ID
from swapflow.errors import ForbiddenError, NotFoundError, NotSignedInError
from swapflow.identity.permissions import SCOPES, Right
from swapflow.identity.principal import Principal
from swapflow.web.http import dependencies
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import OwnSeat, OwnTask


READ, WRITE, REVIEW, WEBHOOKS = SCOPES


def caller(request: Request) -> Principal:
    """Find out who asks, once per request.

    Raises:
        NotSignedInError: If the key is not good, or there is neither key nor session.
        RateLimitedError: If the key is used too often.
    """
    header = request.headers.get("authorization")
    # The idempotency key asks before the route does; a key counts as used once.
    if header is None or getattr(request.state, "principal", None) is not None:
        return dependencies.signed_in(request)
    scheme, _, key = header.partition(" ")
    if scheme.lower() != "bearer":
        raise NotSignedInError("key_header_malformed")
    principal = app_context(request).office.api_clients.principal(key.strip())
    request.state.principal = principal
    return principal


def may(right: Right, *, scope: str = "") -> Callable[[Request], Principal]:
    """Require a right, and of a key the scope that admits it.

    Args:
        right: In the cycle that the path's `cycle_id` names, else in the office.
        scope: The scope that is asked for by name; "" takes whichever admits the right.
    """
    allowed = dependencies.may(right)

    def check(request: Request) -> Principal:
        _require_scope(caller(request), scope or _scope_of(right))
        _require_cycle_name(request)
        return allowed(request)

    check.__name__ = f"may_{right.name.lower()}"
    return check


def may_anywhere(right: Right, *, scope: str = "") -> Callable[[Request], Principal]:
    """Require a right in at least one cycle: for lists of what the caller may see."""
    allowed = dependencies.may_anywhere(right)

    def check(request: Request) -> Principal:
        _require_scope(caller(request), scope or _scope_of(right))
        return allowed(request)

    check.__name__ = f"may_somewhere_{right.name.lower()}"
    return check


def may_in_round(right: Right) -> Callable[[Request], Principal]:
    """Require a right in the round that the path names, and of a key the scope that admits it."""
    return _of_a_key_too(right, dependencies.may_in_round(right), "round")


def may_in_office(right: Right) -> Callable[[Request], Principal]:
    """Require a right in the whole office about a program, and of a key the right's scope."""
    allowed = dependencies.may_in_office(right)

    def check(request: Request) -> Principal:
        _require_scope(caller(request), _scope_of(right))
        _require_cycle_name(request)
        return allowed(request)

    check.__name__ = f"may_{right.name.lower()}_in_office"
    return check


def may_in_unit(right: Right) -> Callable[[Request], Principal]:
    """Require a right in the unit that the path's `unit_id` names, and of a key its scope."""
    return _of_a_key_too(right, dependencies.may_in_unit(right), "unit")


def _of_a_key_too(
    right: Right, allowed: Callable[[Request], Principal], place: str
) -> Callable[[Request], Principal]:
    """Require what a page requires, and of a key the scope that admits the right."""

    def check(request: Request) -> Principal:
        _require_scope(caller(request), _scope_of(right))
        return allowed(request)

    check.__name__ = f"may_{right.name.lower()}_in_{place}"
    return check


def signed(request: Request) -> Principal:
    """Require a principal, whatever they may do."""
    return caller(request)


def reviewer(request: Request) -> Principal:
    """Require a principal who may act as a reviewer: a person, or a key with that scope."""
    principal = caller(request)
    _require_scope(principal, REVIEW)
    return principal


def own_task(request: Request, task: str) -> OwnTask:
    """Require that the task in the path is the caller's own; another's is not there at all."""
    reviewer(request)
    return dependencies.own_task(request, task)


def own_seat(request: Request, cycle_id: str) -> OwnSeat:
    """Require that the caller reviews in the cycle that the path names."""
    reviewer(request)
    _require_cycle_name(request)
    return dependencies.own_seat(request, cycle_id)


def _scope_of(right: Right) -> str:
    return READ if right in SCOPES[READ] else WRITE


def _require_scope(principal: Principal, scope: str) -> None:
    if principal.scopes is not None and scope not in principal.scopes:
        raise ForbiddenError("key_scope_missing", scope=scope)


def _require_cycle_name(request: Request) -> None:
    """Refuse what cannot name a cycle before a database is asked about it."""
    cycle_id = request.path_params.get("cycle_id")
    if cycle_id is not None and not CYCLE_ID.fullmatch(cycle_id):
        raise NotFoundError("program_not_visible", program=cycle_id)


Signed = Annotated[Principal, Depends(signed)]
Reviewer = Annotated[Principal, Depends(reviewer)]
Own = Annotated[OwnTask, Depends(own_task)]
Seat = Annotated[OwnSeat, Depends(own_seat)]
MaySeeProgress = Annotated[Principal, Depends(may(Right.SEE_PROGRESS))]
MaySeeApplicants = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))]
MaySeeSeverity = Annotated[Principal, Depends(may(Right.SEE_SEVERITY))]
MaySeeReviewers = Annotated[Principal, Depends(may(Right.SEE_REVIEWERS))]
MaySeeMail = Annotated[Principal, Depends(may(Right.SEE_MAIL))]
MaySeeAudit = Annotated[Principal, Depends(may(Right.SEE_AUDIT))]
MayManageApplicants = Annotated[Principal, Depends(may(Right.MANAGE_APPLICANTS))]
MayManageReviewers = Annotated[Principal, Depends(may(Right.MANAGE_REVIEWERS))]
MayEnterReviews = Annotated[Principal, Depends(may(Right.ENTER_REVIEWS))]
MayExport = Annotated[Principal, Depends(may(Right.EXPORT))]
MayApprove = Annotated[Principal, Depends(may(Right.APPROVE))]
MayRun = Annotated[Principal, Depends(may(Right.RUN))]
MayRunSomewhere = Annotated[Principal, Depends(may_anywhere(Right.RUN))]
MaySetUp = Annotated[Principal, Depends(may(Right.SET_UP))]
MayDecide = Annotated[Principal, Depends(may(Right.DECIDE))]
MaySign = Annotated[Principal, Depends(may(Right.SIGN))]
MayManageUsers = Annotated[Principal, Depends(may(Right.MANAGE_USERS))]
MayManageAccounts = Annotated[Principal, Depends(may_in_office(Right.MANAGE_USERS))]
MayManageRetention = Annotated[Principal, Depends(may_in_round(Right.MANAGE_RETENTION))]
MayBackUp = Annotated[Principal, Depends(may(Right.BACK_UP))]
MayManageInUnit = Annotated[Principal, Depends(may_in_unit(Right.MANAGE_USERS))]
MayManageSomewhere = Annotated[Principal, Depends(may_anywhere(Right.MANAGE_USERS))]
MaySetUpSomewhere = Annotated[Principal, Depends(may_anywhere(Right.SET_UP))]
MaySetWebhooks = Annotated[Principal, Depends(may_anywhere(Right.SET_UP, scope=WEBHOOKS))]
