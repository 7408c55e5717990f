"""The reviewer's list: what waits in every program, how far they are, when they are away."""

from dataclasses import replace
from datetime import date, datetime
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.people.reviewer import Absence
from swapflow.domain.seal import NOTHING
from swapflow.engine.reviewing.task_list import (
    ENDED,
    Section,
    Task,
    TaskList,
    TaskListCycle,
)
from swapflow.errors import InvalidInputError
from swapflow.i18n.formatting import days_until
from swapflow.messages import Message
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import Product
from swapflow.web.http.dependencies import Seat, Signed, open_seats
from swapflow.web.http.nested_forms import MadeFrom
from swapflow.web.http.rendering import render
from swapflow.web.reviewing.offline import keep_until, words_of_the_strip


router = APIRouter()

FIRST_ROWS = 6
"""Reviews that the list shows at first; the rest opens with one press."""


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
    every = product.tasks.list(theirs.seats)
    # What is practice stands apart and counts as nothing that is to be done.
    training = [task for task in every.tasks if task.is_practice]
    task_list = replace(every, tasks=tuple(task for task in every.tasks if not task.is_practice))
    real = [cycle for cycle in task_list.cycles if not cycle.is_practice]
    over = {CycleStatus.ENDED, CycleStatus.FINALIZED}
    closed = bool(real) and all(cycle.status in over for cycle in real)
    waiting = task_list.waiting
    reviews = [task for task in waiting if not task.is_interview]
    next_due = task_list.next_due
    last_due = max((task.due_at for task in waiting if task.due_at), default=None)
    page = render(
        request,
        "reviewing/task_list.html",
        {
            "desk": task_list,
            "practice": _practice(product, task_list),
            "strip_words": words_of_the_strip(),
            "kept_until": last_due,
            "several": len(real) > 1,
            "one_kind": len({task.kind for task in every.tasks}) == 1,
            "training": [task for task in training if task.section not in ENDED],
            "trained": sum(task.section is Section.DONE for task in training),
            "interviews": sorted((task for task in waiting if task.is_interview), key=_when),
            "reviews": reviews,
            "first_rows": FIRST_ROWS,
            "minutes": sum(task.minutes or 0 for task in reviews),
            "next_due": next_due,
            "first": _first(task_list),
            "passed_on": [t for t in task_list.tasks if t.section is Section.PASSED_ON],
            "done": [t for t in task_list.tasks if t.section is Section.DONE],
            "closed": closed,
            "refusals": theirs.refusals,
            "damaged": theirs.damaged + task_list.damaged,
            "declined": declined,
            "missed": missed,
            "far": days_until(next_due.due_at, next_due.zone, task_list.now)
            if next_due and next_due.due_at
            else "",
        },
    )
    return keep_until(page, principal, last_due)


@router.post("/inbox/{cycle_id}/absences")
def add_absence(
    request: Request,
    seat: Seat,
    product: Product,
    first: Annotated[str, Form(max_length=10)] = "",
    last: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Keep new requests away for some days."""
    product.tasks.add_absence(seat.cycle_id, seat.number, _absence(first, last))
    tell(request, Message("act_absence_added"))
    return _back()


@router.post("/inbox/{cycle_id}/absences/remove")
def remove_absence(
    request: Request,
    seat: Seat,
    product: Product,
    first: Annotated[str, Form(max_length=10)] = "",
    last: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Open days for new requests again."""
    product.tasks.remove_absence(seat.cycle_id, seat.number, _absence(first, last))
    tell(request, Message("act_absence_removed"))
    return _back()


@router.post("/inbox/{cycle_id}/packet")
def set_packet(
    request: Request,
    seat: Seat,
    product: Product,
    packet: Annotated[str, Form(max_length=6)] = "",
    revision: MadeFrom = NOTHING,
) -> Response:
    """Change how many requests come at the same time."""
    if not packet.strip().isdecimal():
        raise InvalidInputError("packet_unreadable")
    product.tasks.set_packet(seat.cycle_id, seat.number, int(packet), made_from=revision)
    tell(request, Message("act_packet_set", count=int(packet)))
    return _back()


def _when(task: Task) -> tuple[bool, float, str]:
    """Sort interviews by date; those without one come last."""
    dated = task.interview is not None and task.interview.stands
    at = task.interview.starts_at.timestamp() if dated and task.interview else 0.0
    return not dated, at, task.code


def _first(task_list: TaskList) -> Task | None:
    """Return what to begin with: the first that does not wait for the date of an interview."""
    now, waiting = task_list.now, task_list.waiting
    return next((task for task in waiting if not _is_later(task, now)), None) or min(
        waiting, key=_when, default=None
    )


def _is_later(task: Task, now: datetime) -> bool:
    date = task.interview
    return date is not None and date.stands and date.starts_at > now


def _practice(product: Product, task_list: TaskList) -> list[tuple[TaskListCycle, int]]:
    """Return programs before their launch with practice files to mark, and how many."""
    # Programs that are launched are asked nothing: their list costs what it did.
    drafts = [cycle for cycle in task_list.cycles if cycle.status is CycleStatus.DRAFT]
    found = [(cycle, product.practice.read(cycle.id)) for cycle in drafts]
    left = [(one, len(p.files) - len(p.done(one.reviewer.number))) for one, p in found]
    return [(cycle, count) for cycle, count in left if count]


def _absence(first: str, last: str) -> Absence:
    try:
        return Absence(first=date.fromisoformat(first), last=date.fromisoformat(last or first))
    except ValueError as error:
        raise InvalidInputError("absence_days_missing") from error


def _back() -> Response:
    return RedirectResponse("/inbox#away", status_code=303)
