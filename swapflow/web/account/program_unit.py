"""The unit that a program belongs to, and what a move would change before it is made."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.errors import InvalidInputError, SwapflowError
from swapflow.i18n.languages import gettext
from swapflow.i18n.translation import translate
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.identity.unit_rights import ChangedRights, ProgramMove, check_move
from swapflow.messages import Message
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.error_handlers import status_of
from swapflow.web.http.nested_forms import FormView, TheForm, text
from swapflow.web.http.program_page import about
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/setup/{cycle_id}/unit")

MayManage = Annotated[Principal, Depends(may(Right.MANAGE_USERS))]

NO_UNIT = "-"
"""The choice of no unit; no id of a unit is this."""


@router.get("")
def show_unit(request: Request, cycle_id: str, principal: MayManage, to: str = "") -> Response:
    """Show the unit of a program, and what a move to another one would change."""
    return _page(request, principal, cycle_id, FormView({"to": to}))


@router.post("")
def move_program(request: Request, cycle_id: str, principal: MayManage, form: TheForm) -> Response:
    """Move a program to another unit, as it was shown."""
    app = app_context(request)
    view = FormView({"to": text(form, "to")})
    try:
        move = _move(app, cycle_id, view.value("to"), shown=text(form, "shown"))
        app.office.units.place(move, by=principal)
    except SwapflowError as error:
        status, _ = status_of(error)
        view.note("to" if isinstance(error, InvalidInputError) else "", error.message)
        return _page(request, principal, cycle_id, view, status=status)
    names = app.office.units.all()
    if move.after is None:
        tell(request, Message("act_program_moved_out", unit=names.name(move.before or "")))
    else:
        tell(request, Message("act_program_moved", unit=names.name(move.after)))
    # The one who moved it may not reach it any more.
    stays = app.office.units.has_right(principal.account, Right.SET_UP, move.cycle)
    return RedirectResponse(f"/setup/{cycle_id}" if stays else "/setup", 303)


def _move(app: AppContext, cycle_id: str, to: str, *, shown: str | None = None) -> ProgramMove:
    """Work out a move; `shown` is the unit that the page said the program belongs to."""
    if not to:
        raise InvalidInputError("unit_not_chosen")
    cycle = app.product.cycles.get(cycle_id)
    move = app.office.units.move(cycle, None if to == NO_UNIT else to)
    return move if shown is None else move.as_shown(shown or None)


def _page(
    request: Request, principal: Principal, cycle_id: str, form: FormView, *, status: int = 200
) -> Response:
    app = app_context(request)
    cycle, units = app.product.cycles.get(cycle_id), app.office.units.all()
    now, to = units.of(cycle_id), form.value("to")
    known = {unit.id for _, unit in units.tree(cycle.round_id)} | {NO_UNIT}
    here = NO_UNIT if now is None else now.id
    move = _move(app, cycle_id, to) if to in known - {here} else None
    refused = ""
    if move is not None:
        try:
            check_move(principal, move)
        except SwapflowError as error:
            refused = error.message
    return render(
        request,
        "account/program_unit.html",
        {
            **about(app, cycle_id, principal),
            "form": form,
            "unit": "" if now is None else units.name(now.id),
            "shown": "" if now is None else now.id,
            "options": [
                ("", gettext("choose …")),
                *(
                    (unit.id, units.name(unit.id))
                    for _, unit in units.tree(cycle.round_id)
                    if unit.id != here
                ),
                *([] if now is None else [(NO_UNIT, gettext("no unit"))]),
            ],
            "move": move,
            "to_name": units.name(to) or gettext("no unit"),
            "changed": [] if move is None else [_words(one) for one in move.changed],
            "refused": refused,
            "may_units": Right.MANAGE_USERS
            in principal.rights(round_id=cycle.round_id, unit_id=None if now is None else now.id),
        },
        status=status,
    )


def _words(one: ChangedRights) -> tuple[str, str, str, str]:
    """Return a person's name and address, and what they may and may not do any more."""
    gained, lost = (
        "; ".join(sorted(translate(right.message) for right in rights))
        for rights in (one.gained, one.lost)
    )
    return one.name, one.email if one.email != one.name else "", gained, lost
