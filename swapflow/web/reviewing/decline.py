"""A reviewer declines a request, or reports that an applicant did not come."""

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.people.reviewer import Absence, DeclineKind
from swapflow.engine.services import Swapflow
from swapflow.errors import (
    AssignmentClosedError,
    InvalidInputError,
)
from swapflow.i18n.languages import gettext_noop
from swapflow.web.http.context import Product, TheOffice
from swapflow.web.http.dependencies import Own, OwnTask
from swapflow.web.http.nested_forms import is_plain
from swapflow.web.http.rendering import render
from swapflow.web.reviewing.review_form import (
    LONGEST_NOTE,
    LONGEST_REMARK,
    Filled,
)


router = APIRouter()


@router.get("/tasks/{task}/decline")
def ask_decline(request: Request, own: Own, product: Product) -> Response:
    """Ask why, and what follows from each answer; nothing is declined by a link."""
    return _decline_page(request, own, product, Filled(values={}))


@router.post("/tasks/{task}/decline")
def decline(
    request: Request,
    own: Own,
    product: Product,
    kind: Annotated[str, Form(max_length=20)] = "",
    until: Annotated[str, Form(max_length=10)] = "",
    reason: Annotated[str, Form(max_length=LONGEST_REMARK)] = "",
) -> Response:
    """Decline the request; it goes to another reviewer."""
    problems: dict[str, str] = {}
    # `missed` is no choice of a reviewer who declines; it has a form of its own.
    if kind not in {"conflict", "busy", "unqualified"}:
        problems["kind"] = gettext_noop("Choose one of the three.")
    today = product.cycles.now().date()
    last = _day(until)
    if kind == "busy" and (last is None or last < today):
        problems["until"] = gettext_noop("Give a day from today on.")
    if not is_plain(reason):
        problems["reason"] = gettext_noop("There is a control character in it.")
    if problems:
        filled = Filled(values={"kind": kind, "until": until, "reason": reason}, problems=problems)
        return _decline_page(request, own, product, filled)
    busy = Absence(first=today, last=last) if kind == "busy" and last else None
    with by_code(own.code):
        product.tasks.decline(
            own.assignment.id,
            DeclineKind(kind),
            by=own.principal.name,
            reason=reason.strip(),
            busy=busy,
        )
    return RedirectResponse("/inbox?declined=1", status_code=303)


@router.post("/tasks/{task}/missed")
def mark_no_show(
    own: Own,
    product: Product,
    office: TheOffice,
    note: Annotated[str, Form(max_length=LONGEST_NOTE)] = "",
) -> Response:
    """Record that the applicant did not come to the interview."""
    if not is_plain(note):
        raise InvalidInputError("note_control_character")
    with by_code(own.code):
        product.tasks.no_show(own.assignment.id, by=own.principal.name, note=note.strip())
    office.audit_log.record(
        own.principal.name,
        "applicant did not come to an interview",
        cycle_id=own.assignment.cycle_id,
        about=own.assignment.id,
    )
    return RedirectResponse("/inbox?missed=1", status_code=303)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _decline_page(request: Request, own: OwnTask, product: Swapflow, filled: Filled) -> Response:
    sheet = product.tasks.page(own.task)
    if not sheet.assignment.status.is_open:
        return RedirectResponse(f"/tasks/{sheet.code}", status_code=303)
    status = 422 if filled.problems else 200
    return render(
        request, "reviewing/decline.html", {"sheet": sheet, "filled": filled}, status=status
    )


class by_code:  # noqa: N801 - a context manager, used like a function
    """Name a task by its code in what a refusal says."""

    def __init__(self, code: str) -> None:
        self._code = code

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Replace the id by the code."""
        if isinstance(error, AssignmentClosedError):
            raise error.named(self._code) from error
