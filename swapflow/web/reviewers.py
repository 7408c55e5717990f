"""Reviewers: who is busy, who is late, and what staff may do about it."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.assignment import AssignmentStatus
from swapflow.domain.reviewer import DeclineKind, Reviewer
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.office.facade import Visitor
from swapflow.office.rights import Right
from swapflow.web.access import may, may_anywhere
from swapflow.web.pages import render
from swapflow.web.parts import Product, parts_of
from swapflow.web.staff import Reason, act, held, said_why, visible


router = APIRouter(prefix="/reviewers")

MaySee = Annotated[Visitor, Depends(may(Right.SEE_REVIEWERS))]
MayManage = Annotated[Visitor, Depends(may(Right.MANAGE_REVIEWERS))]
MayEnter = Annotated[Visitor, Depends(may(Right.ENTER_REVIEWS))]
MaySomewhere = Annotated[Visitor, Depends(may_anywhere(Right.SEE_REVIEWERS))]


@router.get("")
def show_programs(request: Request, visitor: MaySomewhere) -> Response:
    """Lead to the reviewers of the newest program."""
    cycles = visible(parts_of(request), visitor, Right.SEE_REVIEWERS)
    return RedirectResponse(f"/reviewers/{cycles[0].id}" if cycles else "/today", status_code=303)


@router.get("/{cycle_id}")
def show_table(request: Request, visitor: MaySee, product: Product, cycle_id: str) -> Response:
    """Show how busy everybody is."""
    loads = product.loads(cycle_id)
    return render(
        request,
        "reviewers.html",
        {
            "cycle": product.cycle(cycle_id),
            "cycles": visible(parts_of(request), visitor, Right.SEE_REVIEWERS),
            "rows": [(r, loads.get(r.number)) for r in product.reviewers(cycle_id)],
            "zone": product.rules(cycle_id).zone,
        },
    )


@router.get("/{cycle_id}/{number}")
def show_reviewer(
    request: Request, visitor: MaySee, product: Product, cycle_id: str, number: int
) -> Response:
    """Show what waits for a reviewer, and what may be done about it."""
    cycle, rules = product.cycle(cycle_id), product.rules(cycle_id)
    names = {n.number: n for n in product.named(cycle_id)}
    tasks = product.waiting_for(cycle_id, number)
    return render(
        request,
        "reviewer.html",
        {
            "cycle": cycle,
            "words": {right.name for right in held(parts_of(request), visitor, cycle)},
            "reviewer": _reviewer(product, cycle_id, number),
            "tasks": [(t, names[t.application], rules.kinds[t.kind].name) for t in tasks],
            "zone": rules.zone,
        },
    )


@router.post("/{cycle_id}/{number}/void")
def void_all(
    request: Request,
    visitor: MayEnter,
    product: Product,
    cycle_id: str,
    number: int,
    reason: Reason = "",
) -> Response:
    """Make every review of a reviewer count no more."""

    def deed() -> None:
        why = said_why(reason)
        name = _reviewer(product, cycle_id, number).external_id
        product.void_reviewer(cycle_id, name, by=visitor.name, reason=why)

    back = f"/reviewers/{cycle_id}/{number}"
    return act(request, visitor, back, "voided all reviews of a reviewer", deed)


@router.post("/{cycle_id}/{number}/{what}")
def change(
    request: Request,
    visitor: MayManage,
    product: Product,
    cycle_id: str,
    number: int,
    what: str,
    reason: Reason = "",
    task: Annotated[str, Form(max_length=300)] = "",
) -> Response:
    """Ask again, take back what was not begun, pass one request on, or end the seat."""

    def deed() -> None:
        name = _reviewer(product, cycle_id, number).external_id
        if what == "nudge":
            product.nudge(cycle_id, name, by=visitor.name)
            return
        why = said_why(reason)
        waiting = product.waiting_for(cycle_id, number)
        if what == "leave":
            product.leave(cycle_id, name, by=visitor.name, reason=why)
            return
        if what == "release":
            chosen = [t.id for t in waiting if t.status is not AssignmentStatus.OPENED]
        elif what == "reassign":
            chosen = [t.id for t in waiting if t.id == task]
        else:
            raise NotFoundError("there is no such thing to do")
        if not chosen:
            raise InvalidInputError("there is nothing to take back")
        for one in chosen:
            product.decline(one, DeclineKind.BUSY, by=visitor.name, reason=why)

    words = {
        "nudge": "reminded a reviewer",
        "leave": "ended a reviewer's seat",
        "release": "took back what a reviewer had not begun",
    }
    back = f"/reviewers/{cycle_id}/{number}"
    return act(request, visitor, back, words.get(what, "passed a request on"), deed)


def _reviewer(product: Product, cycle_id: str, number: int) -> Reviewer:
    for reviewer in product.reviewers(cycle_id):
        if reviewer.number == number:
            return reviewer
    raise NotFoundError("there is no such reviewer in this program")
