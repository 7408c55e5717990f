"""Staff put practice files before the reviewers, and see who has marked them and how."""

from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import Response

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.reviewing.practice import PracticeFile, PracticeMark, PracticeNote
from swapflow.engine.services import Swapflow
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.context import app_context
from swapflow.web.http.nested_forms import TheForm, text
from swapflow.web.http.program_page import NOTHING_REFUSED, Refused, about, act
from swapflow.web.http.rendering import render
from swapflow.web.setup.rules import MaySetUp


router = APIRouter(prefix="/setup/{cycle_id}/practice")


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedFile:
    """A practice file with what was made of it.

    Attributes:
        open: Whether marks and notes may be shown: not to a reviewer who has not marked it.
        values: Marks in points of 100, lowest first.
    """

    file: PracticeFile
    open: bool
    values: tuple[float, ...]
    marks: tuple[PracticeMark, ...]
    notes: tuple[PracticeNote, ...]

    @property
    def mean(self) -> float:
        """The mean of the marks, in points of 100; there is one at least."""
        return sum(self.values) / len(self.values)


def marked_files(
    product: Swapflow, cycle_id: str, *, reviewer: int | None
) -> tuple[MarkedFile, ...]:
    """Read a program's practice files as staff see them, or one of its reviewers."""
    practice = product.practice.read(cycle_id)
    done = None if reviewer is None else practice.done(reviewer)
    return tuple(
        MarkedFile(
            file=file,
            open=done is None or file.number in done,
            values=practice.values(file.number),
            marks=tuple(one for one in practice.marks if one.file == file.number),
            notes=tuple(one for one in practice.notes if one.file == file.number),
        )
        for file in practice.files
    )


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
            "files": marked_files(app.product, cycle_id, reviewer=own),
            "missing": app.product.practice.missing(cycle_id),
            "draft": cycle.status is CycleStatus.DRAFT,
            "counts": app.product.cycles.rules(cycle_id).practice_marks,
            "refused": refused,
        },
        status=refused.status,
    )
