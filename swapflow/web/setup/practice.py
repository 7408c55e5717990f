"""Staff put practice files before the reviewers, and see who has marked them and how."""

from collections.abc import Mapping

from fastapi import APIRouter, Request
from fastapi.responses import Response

from swapflow.domain.cycle import CycleStatus
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.context import app_context
from swapflow.web.http.nested_forms import TheForm, text
from swapflow.web.http.program_page import NOTHING_REFUSED, Refused, about, act
from swapflow.web.http.rendering import render
from swapflow.web.setup.rules import MaySetUp


router = APIRouter(prefix="/setup/{cycle_id}/practice")


@router.get("")
def show_practice(request: Request, cycle_id: str, principal: MaySetUp) -> Response:
    """Show the practice files, who is still to mark them, and how they were marked."""
    return _page(request, cycle_id, principal)


@router.post("")
def add_practice_file(
    request: Request, cycle_id: str, principal: MaySetUp, form: TheForm
) -> Response:
    """Put a practice file before the reviewers."""
    product = app_context(request).product
    typed = {name: text(form, name) for name in ("title", "text")}
    return act(
        request,
        principal,
        f"/setup/{cycle_id}/practice",
        Message("act_practice_file_added"),
        lambda: product.practice.add_file(
            cycle_id, typed["title"], typed["text"], by=principal.name
        ),
        form="add",
        typed=typed,
        again=lambda refused: _page(request, cycle_id, principal, refused),
    )


@router.post("/{file}/notes")
def add_staff_note(
    request: Request, cycle_id: str, file: int, principal: MaySetUp, form: TheForm
) -> Response:
    """Add a note of staff to the discussion of a practice file."""
    product = app_context(request).product
    typed: Mapping[str, str] = {"note": text(form, "note")}
    return act(
        request,
        principal,
        f"/setup/{cycle_id}/practice",
        Message("act_practice_note_added"),
        lambda: product.practice.add_note(cycle_id, file, typed["note"], by=principal.name),
        form=f"note{file}",
        typed=typed,
        again=lambda refused: _page(request, cycle_id, principal, refused),
    )


def _page(
    request: Request, cycle_id: str, principal: Principal, refused: Refused = NOTHING_REFUSED
) -> Response:
    app = app_context(request)
    own, cycle = principal.reviews_in(cycle_id), app.product.cycles.get(cycle_id)
    return render(
        request,
        "setup/practice.html",
        {
            **about(app, cycle_id, principal),
            "files": app.product.practice.read(cycle_id).seen_by(own),
            "missing": app.product.practice.missing(cycle_id),
            "address": f"{app.settings.address}/practice/{cycle_id}",
            "has_reviewers": bool(app.product.reviewers.list(cycle_id)),
            "draft": cycle.status is CycleStatus.DRAFT,
            "counts": app.product.cycles.rules(cycle_id).practice_marks,
            "refused": refused,
        },
        status=refused.status,
    )
