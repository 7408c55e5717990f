"""What staff do to the ticked applicants of the table, and the table as a file."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.people.application import ApplicationStatus
from swapflow.errors import InvalidInputError
from swapflow.files.exports.writers import ExportSheet, Format, sheet_bytes
from swapflow.i18n.languages import gettext
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.context import Product
from swapflow.web.http.dependencies import may, seat_view_of
from swapflow.web.http.program_page import Reason, act, said_why
from swapflow.web.http.rendering import MEDIA
from swapflow.web.people.applicants import Ticked, seen_table, table_page
from swapflow.web.people.listing import Listed
from swapflow.web.people.marks import tenths_of


router = APIRouter(prefix="/applicants")

MayRead = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))]
MayManage = Annotated[Principal, Depends(may(Right.MANAGE_APPLICANTS))]

_MOVES = {
    "hold": (ApplicationStatus.HELD, "act_several_held"),
    "release": (ApplicationStatus.READY, "act_several_released"),
}


@router.post("/{cycle_id}/ticked")
def act_on_ticked(
    request: Request,
    principal: MayManage,
    product: Product,
    cycle_id: str,
    listing: Listed,
    a: Annotated[list[int], Form(default_factory=list)],
    what: Annotated[str, Form()] = "",
    reason: Reason = "",
) -> Response:
    """Ask for a review of the ticked applicants, hold or release them, or write them to a file."""
    back = f"/applicants/{cycle_id}{listing.address(page=listing.page)}".rstrip("?")
    seat = seat_view_of(request, principal, cycle_id)
    for number in a if seat is not None else ():
        assert seat is not None
        seat.check(number)
    if what == "export" and a:
        ticked = "&".join(f"a={number}" for number in sorted(set(a)))
        return RedirectResponse(f"/applicants/{cycle_id}/table.csv?{ticked}", status_code=303)

    def deed() -> int:
        verb, _, kind = what.partition(":")
        if verb == "ask":
            why = said_why(reason)
            return product.applicants.ask_all(cycle_id, a, kind, by=principal.name, reason=why)
        if verb not in _MOVES:
            raise InvalidInputError("nobody_ticked" if verb == "export" else "action_not_chosen")
        return product.applicants.move_all(
            cycle_id, a, _MOVES[verb][0], by=principal.name, reason=said_why(reason)
        )

    def done(count: int) -> Message:
        verb, _, kind = what.partition(":")
        if verb == "ask":
            return Message("act_reviews_asked", count=count, kind=kind)
        return Message(_MOVES[verb][1], count=count)

    return act(
        request,
        principal,
        back,
        done,
        deed,
        form="ticked",
        typed={"reason": reason},
        again=lambda refused: table_page(
            request,
            principal,
            product,
            cycle_id,
            listing,
            ticked=Ticked(numbers=frozenset(a), refused=refused),
        ),
    )


@router.get("/{cycle_id}/table.csv")
def export(
    request: Request,
    principal: MayRead,
    product: Product,
    cycle_id: str,
    listing: Listed,
    a: Annotated[list[int], Query(default_factory=list)],
) -> Response:
    """Return the table as a file: the ticked applicants, or all that the address asks for."""
    table = seen_table(product, cycle_id, seat_view_of(request, principal, cycle_id))
    kinds = [kind.name for kind in product.cycles.rules(cycle_id).kinds]
    numbers = set(a)
    rows = [table.row(int(index)) for index in listing.rows(table)]
    sheet = ExportSheet(
        name="applicants",
        headers=(
            *("rank", "external_id", "name", "state", "standing", "score", "margin", "likely"),
            *(f"{kind} {what}" for kind in kinds for what in ("in", "asked for")),
        ),
        rows=tuple(
            (
                row.rank,
                row.who.external_id,
                row.who.name,
                row.who.status.value,
                row.standing,
                None if row.estimate is None else round(100 * row.estimate, 1),
                None if row.margin is None else round(100 * row.margin, 1),
                None if tenths_of(row) is None else gettext("%(n)s in 10") % {"n": tenths_of(row)},
                *(n for pair in zip(row.received, row.asked, strict=True) for n in pair),
            )
            for row in rows
            if not numbers or row.who.number in numbers
        ),
    )
    name = f'attachment; filename="{cycle_id}-applicants.csv"'
    return Response(
        sheet_bytes(sheet, Format.CSV),
        media_type=MEDIA[Format.CSV],
        headers={"Content-Disposition": name},
    )
