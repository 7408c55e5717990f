"""Applicants of a program: the table, filtered, sorted and cut into pages here."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.people.application import ApplicationStatus
from swapflow.engine.read_models.people.applicant_table import ApplicantTable
from swapflow.engine.reviewing.seat_view import SeatView
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.http.context import Product, app_context
from swapflow.web.http.dependencies import may, may_anywhere, seat_view_of
from swapflow.web.http.program_page import NOTHING_REFUSED, Refused, held, returned_to, visible
from swapflow.web.http.rendering import render
from swapflow.web.people.listing import PAGE, SORTS, VIEWS, ApplicantListing, Listed, counts
from swapflow.web.people.marks import BAR_WIDTH, drawn, table_scale


router = APIRouter(prefix="/applicants")

MayRead = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))]
MaySomewhere = Annotated[Principal, Depends(may_anywhere(Right.SEE_APPLICANTS))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticked:
    """The form of ticks as it comes back: who was ticked, and why nothing was done."""

    numbers: frozenset[int] = frozenset()
    refused: Refused = NOTHING_REFUSED


@router.get("")
def show_programs(request: Request, principal: MaySomewhere) -> Response:
    """Redirect to the applicants of the newest program, or show that there is none."""
    cycles = visible(app_context(request), principal, Right.SEE_APPLICANTS)
    address = f"/applicants/{cycles[0].id}" if cycles else "/today"
    return RedirectResponse(address, status_code=303)


@router.get("/{cycle_id}")
def show_table(
    request: Request, principal: MayRead, product: Product, cycle_id: str, listing: Listed
) -> Response:
    """Show a page of the table."""
    return table_page(request, principal, product, cycle_id, listing)


def table_page(
    request: Request,
    principal: Principal,
    product: Product,
    cycle_id: str,
    listing: ApplicantListing,
    *,
    ticked: Ticked | None = None,
) -> Response:
    """Render a page of the table, with a form of ticks that was refused if there is one."""
    seat, ticked = seat_view_of(request, principal, cycle_id), ticked or Ticked()
    cycle, rules = product.cycles.get(cycle_id), product.cycles.rules(cycle_id)
    table = seen_table(product, cycle_id, seat)
    found = listing.rows(table)
    pages = max(1, -(-len(found) // PAGE))
    page = min(listing.page, pages)
    shown = [table.row(int(index)) for index in found[(page - 1) * PAGE : page * PAGE]]
    scale, pins = table_scale(table), product.reports.pins(cycle_id)
    returned = returned_to(request, principal, cycle_id).applicants
    rights = held(app_context(request), principal, cycle)
    return render(
        request,
        "people/applicants.html",
        {
            "returned": [
                (one.number, one.name or one.external_id, returned[one.number])
                for one in table.names
                if one.number in returned
            ],
            "cycle": cycle,
            "cycles": visible(app_context(request), principal, Right.SEE_APPLICANTS),
            "may_change": Right.MANAGE_APPLICANTS in rights,
            "kinds": rules.kinds,
            "rows": [drawn(table, row, scale, pins) for row in shown],
            "moves": product.applicants.last_moves(cycle_id, [r.who.number for r in shown]),
            "zone": rules.zone,
            "count": len(found),
            "all": table.size,
            "page": page,
            "pages": pages,
            "listing": listing,
            "listing_in_bar": listing,
            "views": [
                (view, name, counted)
                for (view, name), counted in zip(
                    VIEWS.items(), counts(table).values(), strict=True
                )
            ],
            "states": [status.value for status in ApplicationStatus],
            "sorts": list(SORTS),
            "seated": seat is not None,
            "places_count": table.places,
            "scale": scale,
            "width": BAR_WIDTH,
            "cut": None if table.cut is None else (round(100 * table.cut), scale.at(table.cut)),
            "ticked": ticked.numbers,
            "refused": ticked.refused,
        },
        status=ticked.refused.status,
    )


def seen_table(product: Product, cycle_id: str, seat: SeatView | None) -> ApplicantTable:
    """Return the table of those whom a person may see, by the names that they may know."""
    table = product.reports.applicant_table(cycle_id)
    return table if seat is None else table.restricted(seat.listed(table.names))
