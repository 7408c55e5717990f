"""The audit log: who did what, newest first, of a program or of the whole office."""

from collections.abc import Collection
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import closed_programs, may
from swapflow.web.http.program_page import held, visible
from swapflow.web.http.rendering import render


router = APIRouter()

PAGE = 50

MayAudit = Annotated[Principal, Depends(may(Right.SEE_AUDIT))]
Before = Annotated[int, Query(ge=0, le=2**62)]


@router.get("/setup/audit")
def office_log(request: Request, principal: MayAudit, before: Before = 0) -> Response:
    """Show what was done in the office, in every program and outside them."""
    closed = closed_programs(request, principal)
    context: dict[str, object] = {"cycle": None, "zone": "UTC", "path": "/setup/audit"}
    return _page(request, context, before, None, closed)


@router.get("/today/{cycle_id}/audit")
def program_log(
    request: Request, cycle_id: str, principal: MayAudit, before: Before = 0
) -> Response:
    """Show what was done in a program."""
    app = app_context(request)
    cycle = app.product.cycles.get(cycle_id)
    context = {
        "cycle": cycle,
        "cycles": visible(app, principal, Right.SEE_PROGRESS),
        "rights": held(app, principal, cycle),
        "tab": "audit",
        "may_keep": Right.MANAGE_RETENTION in principal.rights(round_id=cycle.round_id),
        "zone": app.product.cycles.rules(cycle_id).zone,
        "path": f"/today/{cycle_id}/audit",
    }
    return _page(request, context, before, cycle_id)


def _page(
    request: Request,
    context: dict[str, object],
    before: int,
    cycle_id: str | None,
    closed: Collection[str] = (),
) -> Response:
    app = app_context(request)
    # One more than is shown tells whether there are older ones.
    found = app.office.audit_log.entries(
        cycle_id=cycle_id, before=before or None, at_most=PAGE + 1
    )
    more = len(found) > PAGE
    return render(
        request,
        "account/audit_log.html",
        {
            **context,
            "entries": [entry.seen_from(closed) for _, entry in found[:PAGE]],
            # A program that was thrown away has left its id alone.
            "names": {} if cycle_id else {one.id: one.name for one in app.product.cycles.list()},
            "older": found[PAGE - 1][0] if more else 0,
            "newest": before == 0,
        },
    )
