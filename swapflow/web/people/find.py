"""Applicants found by name or id, over all programs that a person may read."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from swapflow.domain.cycle import Cycle
from swapflow.engine.read_models.people.applicant_table import RankedRow
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.http.context import Product, app_context
from swapflow.web.http.dependencies import may_anywhere, seat_view_of
from swapflow.web.http.program_page import visible
from swapflow.web.http.rendering import render
from swapflow.web.people.applicants import seen_table
from swapflow.web.people.listing import Word


router = APIRouter()

MaySomewhere = Annotated[Principal, Depends(may_anywhere(Right.SEE_APPLICANTS))]

MOST_NAMES = 8
"""Names shown of one program; its table has the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundIn:
    """Who was found in one program: the first of them by rank, and how many there are."""

    cycle: Cycle
    rows: tuple[RankedRow, ...]
    count: int


@router.get("/find")
def show_found(
    request: Request, principal: MaySomewhere, product: Product, q: Word = ""
) -> Response:
    """Show who is found, by program."""
    wanted = q.strip()
    found = _found(request, principal, product, wanted) if wanted else []
    context = {"q": wanted, "found": found, "count": sum(one.count for one in found)}
    return render(request, "people/found.html", context)


def _found(request: Request, principal: Principal, product: Product, wanted: str) -> list[FoundIn]:
    set_aside = product.reports.quarantined()
    found = []
    for cycle in visible(app_context(request), principal, Right.SEE_APPLICANTS):
        # A program that stands still because of damage has no table to look through; nobody looks
        # for an invented applicant among real ones.
        if cycle.id in set_aside or cycle.is_practice:
            continue
        table = seen_table(product, cycle.id, seat_view_of(request, principal, cycle.id))
        indexes = table.found(wanted).nonzero()[0]
        if not len(indexes):
            continue
        rows = tuple(table.row(int(index)) for index in indexes[:MOST_NAMES])
        found.append(FoundIn(cycle=cycle, rows=rows, count=len(indexes)))
    return found
