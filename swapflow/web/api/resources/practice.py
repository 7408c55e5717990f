"""Practice files before a launch, for staff and for the program's reviewers."""

from typing import Annotated

from fastapi import APIRouter, Path, Request

from swapflow.domain.reviewing.practice import SeenFile
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import MaySetUp, Seat
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.practice import (
    NewPracticeFile,
    NewPracticeMark,
    NewPracticeNote,
    OwnPractice,
    PracticeFileShown,
    PracticeNoted,
    PracticeShown,
)
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.http.context import Product


router = APIRouter(prefix="/cycles/{cycle_id}", route_class=ApiRoute, tags=["programs"])

File = Annotated[int, Path(ge=1, le=1000, description="The file's number, from 1.")]


@router.get("/practice")
def read_practice(cycle_id: CycleId, principal: MaySetUp, product: Product) -> PracticeShown:
    """Read the practice files, how they were marked, and who has not marked all of them."""
    own = principal.reviews_in(cycle_id)
    return PracticeShown(
        program=cycle_id,
        files=list(map(_shown, product.practice.read(cycle_id).seen_by(own))),
        missing=[one.external_id for one in product.practice.missing(cycle_id)],
    )


@router.post("/practice")
def add_practice_file(
    request: Request,
    cycle_id: CycleId,
    principal: MaySetUp,
    product: Product,
    new: NewPracticeFile,
) -> PracticeShown:
    """Put a practice file before the reviewers of a program that is not launched."""
    product.practice.add_file(cycle_id, new.title, new.text, by=principal.name)
    note(request, principal, "put a practice file before the reviewers")
    return read_practice(cycle_id, principal, product)


@router.post("/practice/{file}/notes")
def add_practice_note(
    request: Request,
    cycle_id: CycleId,
    file: File,
    principal: MaySetUp,
    product: Product,
    new: NewPracticeNote,
) -> PracticeShown:
    """Add a note of staff to the discussion of a practice file."""
    product.practice.add_note(cycle_id, file - 1, new.text, by=principal.name)
    note(request, principal, "added a note to a practice file")
    return read_practice(cycle_id, principal, product)


@router.get("/own-practice")
def read_own_practice(seat: Seat, product: Product) -> OwnPractice:
    """Read the practice files as a reviewer; of those marked, what the others made of them."""
    files = product.practice.read(seat.cycle_id).seen_by(seat.number)
    return OwnPractice(program=seat.cycle_id, files=list(map(_shown, files)))


@router.put("/own-practice/{file}/mark")
def mark_practice_file(
    seat: Seat, file: File, product: Product, new: NewPracticeMark
) -> OwnPractice:
    """Mark a practice file as a reviewer; a mark stays as it was given."""
    product.practice.mark(
        seat.cycle_id,
        file - 1,
        seat.number,
        marks=new.marks,
        value=None if new.score is None else new.score / 100,
        remark=new.remark,
    )
    return read_own_practice(seat, product)


@router.post("/own-practice/{file}/notes")
def add_own_practice_note(
    seat: Seat, file: File, product: Product, new: NewPracticeNote
) -> OwnPractice:
    """Add a note to the discussion as a reviewer, without a name."""
    product.practice.add_note(seat.cycle_id, file - 1, new.text, reviewer=seat.number)
    return read_own_practice(seat, product)


def _shown(one: SeenFile) -> PracticeFileShown:
    return PracticeFileShown(
        file=one.file.number + 1,
        title=one.file.title,
        text=one.file.text,
        marks=list(one.values) if one.open else [],
        remarks=[mark.remark for mark in one.marks if one.open and mark.remark],
        notes=[PracticeNoted(by=n.by, text=n.text) for n in one.notes if one.open and n.text],
    )
