"""The reviewer's list: what waits in every program, how far they are, when they are away."""

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.people.reviewer import Absence
from swapflow.engine.reviewing.task_list import Section
from swapflow.errors import InvalidInputError
from swapflow.i18n.formatting import until
from swapflow.i18n.languages import gettext, gettext_noop
from swapflow.web.http.context import Product
from swapflow.web.http.dependencies import Seat, Signed, open_seats
from swapflow.web.http.rendering import render


router = APIRouter()

SECTIONS = (
    (
        Section.OVERDUE,
        gettext_noop("Overdue"),
        gettext_noop("These are still taken until the program closes."),
    ),
    (Section.SOON, gettext_noop("Due soon"), ""),
    (Section.STARTED, gettext_noop("Started"), ""),
    (Section.NEW, gettext_noop("New"), ""),
)
"""Sections of the list: what is in them, their heading, and what is said below it."""

_PUT_OFF = gettext_noop("A review that was put off comes to the front again when it is due soon.")


@router.get("/inbox")
def show_inbox(
    request: Request,
    principal: Signed,
    product: Product,
    declined: bool = False,  # noqa: FBT001, FBT002 - a query's field
    missed: bool = False,  # noqa: FBT001, FBT002 - a query's field
) -> Response:
    """Show everything that waits for the person who is signed in; changes nothing."""
    theirs = open_seats(request, principal)
    task_list = product.tasks.list(theirs.seats)
    closed = all(
        cycle.status in {CycleStatus.ENDED, CycleStatus.FINALIZED} for cycle in task_list.cycles
    )
    now = [t for t in task_list.waiting if not t.skipped]
    put_off = [t for t in task_list.waiting if t.skipped]
    return render(
        request,
        "reviewing/task_list.html",
        {
            "desk": task_list,
            "sections": [
                (gettext(name), gettext(hint), tasks)
                for section, name, hint in SECTIONS
                if (tasks := [t for t in now if t.section is section])
            ]
            + ([(gettext("Put off"), gettext(_PUT_OFF), put_off)] if put_off else []),
            "passed_on": [t for t in task_list.tasks if t.section is Section.PASSED_ON],
            "done": [t for t in task_list.tasks if t.section is Section.DONE],
            "closed": closed,
            "refusals": theirs.refusals,
            "damaged": theirs.damaged + task_list.damaged,
            "declined": declined,
            "missed": missed,
            "until": lambda at: until(at, task_list.now),
        },
    )


@router.post("/inbox/{cycle_id}/absences")
def add_absence(
    seat: Seat,
    product: Product,
    first: Annotated[str, Form(max_length=10)] = "",
    last: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Keep new requests away for some days."""
    product.tasks.add_absence(seat.cycle_id, seat.number, _absence(first, last))
    return _back()


@router.post("/inbox/{cycle_id}/absences/remove")
def remove_absence(
    seat: Seat,
    product: Product,
    first: Annotated[str, Form(max_length=10)] = "",
    last: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Open days for new requests again."""
    product.tasks.remove_absence(seat.cycle_id, seat.number, _absence(first, last))
    return _back()


@router.post("/inbox/{cycle_id}/packet")
def set_packet(
    seat: Seat,
    product: Product,
    packet: Annotated[str, Form(max_length=6)] = "",
    revision: Annotated[str, Form(max_length=20)] = "",
) -> Response:
    """Change how many requests come at the same time."""
    if not packet.strip().isdecimal():
        raise InvalidInputError("packet_unreadable")
    product.tasks.set_packet(seat.cycle_id, seat.number, int(packet), made_from=revision)
    return _back()


def _absence(first: str, last: str) -> Absence:
    try:
        return Absence(first=date.fromisoformat(first), last=date.fromisoformat(last or first))
    except ValueError as error:
        raise InvalidInputError("absence_days_missing") from error


def _back() -> Response:
    return RedirectResponse("/inbox#away", status_code=303)
