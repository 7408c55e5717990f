"""All activity: what staff did and can still undo, and what the rule asked for."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Path, Request
from fastapi.responses import Response

from swapflow.domain.cycle import Cycle
from swapflow.engine.ports.held_acts import HeldAct, HeldState
from swapflow.errors import NotFoundError
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal, require
from swapflow.web.cycle.today.program_parts import UNDO_RIGHT, frame, undoable
from swapflow.web.http.context import AppContext, Product, app_context
from swapflow.web.http.dependencies import may, may_anywhere
from swapflow.web.http.program_page import NOTHING_REFUSED, Refused, act, held, visible
from swapflow.web.http.rendering import render


router = APIRouter()

MayWatch = Annotated[Principal, Depends(may(Right.SEE_PROGRESS))]
MaySomewhere = Annotated[Principal, Depends(may_anywhere(Right.SEE_PROGRESS))]

SHOWN = 50
"""Acts, and decisions, of one program on its page."""

SHOWN_OF_EACH = 15
"""The same of each program where all are on one page."""


@router.get("/activity")
def show_all(request: Request, principal: MaySomewhere) -> Response:
    """Show what happened in every program that the principal may see."""
    app = app_context(request)
    seen = visible(app, principal, Right.SEE_PROGRESS)
    cycles = [cycle for cycle in seen if not cycle.is_practice]
    return render(
        request,
        "cycle/today/all_activity.html",
        {
            "programs": [_activity(app, principal, cycle, SHOWN_OF_EACH) for cycle in cycles],
            "refused": NOTHING_REFUSED,
        },
    )


@router.get("/today/{cycle_id}/activity")
def show_activity(request: Request, principal: MayWatch, cycle_id: str) -> Response:
    """Show what staff did in a program, what can still be undone, and what was asked for."""
    return _page(request, principal, cycle_id)


@router.post("/today/{cycle_id}/undo/{number}")
def undo(
    request: Request,
    principal: MayWatch,
    product: Product,
    cycle_id: str,
    number: Annotated[int, Path(ge=0, le=2**31)],
    back: Annotated[str, Form(max_length=20)] = "",
) -> Response:
    """Undo an act whose mails have not left."""
    cycle = product.cycles.get(cycle_id)
    known = next((a for a in product.held_acts.list(cycle_id) if a.number == number), None)
    if known is None:
        raise NotFoundError("held_act_unknown")
    require(principal, UNDO_RIGHT[known.kind], cycle_id=cycle.id, round_id=cycle.round_id)
    places = {
        "home": "/today",
        "waiting": f"/today/{cycle_id}/waiting",
        "dates": f"/applicants/{cycle_id}/slots",
    }
    return act(
        request,
        principal,
        places.get(back, f"/today/{cycle_id}/activity"),
        lambda undone: undone.message,
        lambda: product.held_acts.undo(cycle_id, number, by=principal.name),
        form="undo",
        again=lambda refused: _page(request, principal, cycle_id, refused),
    )


def _page(
    request: Request, principal: Principal, cycle_id: str, refused: Refused = NOTHING_REFUSED
) -> Response:
    app = app_context(request)
    cycle = app.product.cycles.get(cycle_id)
    return render(
        request,
        "cycle/today/activity.html",
        {
            **frame(request, app, principal, cycle),
            "program": _activity(app, principal, cycle, SHOWN),
            "refused": refused,
        },
        status=refused.status,
    )


def _activity(app: AppContext, principal: Principal, cycle: Cycle, most: int) -> dict[str, Any]:
    """Return acts and decisions of a program, newest first, with what can still be undone."""
    product, rights = app.product, held(app, principal, cycle)
    acts = product.held_acts.list(cycle.id, at_most=most)
    open_ = {one.number for one in undoable(acts, rights)}
    told: list[tuple[Any, str, HeldAct | None]] = [(one.at, "act", one) for one in acts]
    lines = [
        {"at": at, "what": what, "act": one, "undo": one is not None and one.number in open_}
        for at, what, one in told
    ]
    lines += [
        {"at": at, "what": "decision", "record": record}
        for record, at in product.reports.decisions_before(cycle.id, at_most=most)
    ]
    return {
        "cycle": cycle,
        "zone": product.cycles.rules(cycle.id).zone,
        "lines": sorted(lines, key=lambda line: line["at"], reverse=True)[:most],
        "opens": Right.SEE_APPLICANTS in rights,
        "done": HeldState.DONE,
    }
