"""A reviewer marks the practice files of a program, then sees how the others marked."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.rules import Rubric
from swapflow.errors import InvalidInputError, NotFoundError, SwapflowError
from swapflow.messages import Message
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import OwnSeat, Seat
from swapflow.web.http.error_handlers import status_of
from swapflow.web.http.nested_forms import TheForm, is_plain, text
from swapflow.web.http.program_page import NOTHING_REFUSED, Refused
from swapflow.web.http.rendering import render
from swapflow.web.reviewing.review_form import chosen_mark, share_of_hundred


router = APIRouter(prefix="/practice/{cycle_id}")

File = Annotated[int, Path(ge=0, le=1000)]


@router.get("")
def show_own_practice(request: Request, seat: Seat) -> Response:
    """Show the practice files: a form for those not marked, the others' marks for the rest."""
    return _page(request, seat)


@router.post("/{file}")
def mark_practice_file(request: Request, file: File, seat: Seat, form: TheForm) -> Response:
    """Store what the reviewer makes of a practice file."""
    product = app_context(request).product
    rules = product.cycles.rules(seat.cycle_id)
    rubric = rules.rubric(rules.kinds[0].name)
    typed = {name: said for name, said in form.items() if isinstance(said, str)}
    try:
        remark = text(form, "remark")
        if not is_plain(remark):
            raise InvalidInputError("practice_note_length", most=4000)
        product.practice.mark(
            seat.cycle_id,
            file,
            seat.number,
            marks=_marks(typed, rubric),
            value=None if rubric else _hundred(typed.get("score", "")),
            remark=remark,
        )
    except NotFoundError:
        raise
    except SwapflowError as error:
        return _refused(request, seat, f"mark{file}", typed, error)
    tell(request, Message("act_practice_marked"))
    return RedirectResponse(f"/practice/{seat.cycle_id}#file-{file}", status_code=303)


@router.post("/{file}/notes")
def add_own_note(request: Request, file: File, seat: Seat, form: TheForm) -> Response:
    """Add a note to the discussion of a practice file, without a name."""
    note = text(form, "note")
    try:
        if not is_plain(note):
            raise InvalidInputError("practice_note_length", most=4000)
        app_context(request).product.practice.add_note(
            seat.cycle_id, file, note, reviewer=seat.number
        )
    except NotFoundError:
        raise
    except SwapflowError as error:
        return _refused(request, seat, f"note{file}", {"note": note}, error)
    tell(request, Message("act_practice_note_added"))
    return RedirectResponse(f"/practice/{seat.cycle_id}#file-{file}", status_code=303)


def _marks(typed: dict[str, str], rubric: Rubric | None) -> dict[str, float | None]:
    """Read the marks by criterion; the engine refuses those that the form does not have."""
    marks: dict[str, float | None] = {}
    for index, criterion in enumerate(rubric.criteria if rubric else ()):
        try:
            marks[criterion.name] = chosen_mark(typed.get(f"c{index}", ""), criterion)
        except ValueError as error:
            code = "practice_criterion_missing"
            raise InvalidInputError(code, criterion=criterion.name) from error
    return marks


def _hundred(typed: str) -> float:
    try:
        return share_of_hundred(typed)
    except ValueError as error:
        raise InvalidInputError("practice_mark_missing") from error


def _refused(
    request: Request, seat: OwnSeat, form: str, typed: dict[str, str], error: SwapflowError
) -> Response:
    status, _ = status_of(error)
    return _page(
        request, seat, Refused(form=form, values=typed, message=error.message, status=status)
    )


def _page(request: Request, seat: OwnSeat, refused: Refused = NOTHING_REFUSED) -> Response:
    product = app_context(request).product
    rules, cycle = product.cycles.rules(seat.cycle_id), product.cycles.get(seat.cycle_id)
    return render(
        request,
        "reviewing/practice.html",
        {
            "cycle": cycle,
            "files": product.practice.read(seat.cycle_id).seen_by(seat.number),
            "number": seat.number,
            "rubric": rules.rubric(rules.kinds[0].name),
            "draft": cycle.status is CycleStatus.DRAFT,
            "counts": rules.practice_marks,
            "refused": refused,
        },
        status=refused.status,
    )
