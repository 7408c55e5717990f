"""The last step of the set-up: what a launch would mean, and the launch."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.errors import ConflictError, InvalidInputError
from swapflow.i18n.languages import gettext
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import may, seat_view_of
from swapflow.web.http.error_handlers import status_of
from swapflow.web.http.nested_forms import TheForm, text
from swapflow.web.http.program_page import about
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/setup/{cycle_id}/launch")

MayRun = Annotated[Principal, Depends(may(Right.RUN))]


@router.get("")
def show_launch(request: Request, cycle_id: str, principal: MayRun) -> Response:
    """Show what launching would mean."""
    return _launch_page(request, cycle_id, principal)


@router.post("")
def do_launch(request: Request, cycle_id: str, principal: MayRun, form: TheForm) -> Response:
    """Launch a program."""
    app = app_context(request)
    if text(form, "sure") != "yes":
        return _launch_page(
            request,
            cycle_id,
            principal,
            problem=gettext("Check the box first: reviews go out at once."),
        )
    try:
        app.product.cycles.launch(
            cycle_id,
            by=principal.name,
            shown=text(form, "shown"),
            nameless=seat_view_of(request, principal, cycle_id) is not None,
        )
    except (InvalidInputError, ConflictError) as error:
        return _launch_page(
            request, cycle_id, principal, problem=error.message, status=status_of(error)[0]
        )
    app.office.audit_log.record(principal.name, "launched the program", cycle_id=cycle_id)
    return RedirectResponse(f"/setup/{cycle_id}?done=launch", 303)


def _launch_page(
    request: Request,
    cycle_id: str,
    principal: Principal,
    *,
    problem: str = "",
    status: int = 422,
) -> Response:
    app = app_context(request)
    preview, seated = app.product.cycles.preview(cycle_id), False
    if seat_view_of(request, principal, cycle_id) is not None:
        preview, seated = preview.nameless(), True
    return render(
        request,
        "setup/launch.html",
        {
            **about(app, cycle_id, principal),
            "preview": preview,
            "problem": problem,
            # Imports are closed to a reviewer of the program, and so are the values they bring.
            "values": None if seated else app.product.applicants.values(cycle_id),
            "shown": app.product.cycles.launchable(cycle_id).seal.digest,
        },
        status=status if problem else 200,
    )
