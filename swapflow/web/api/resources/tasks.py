"""The reviewer's side: one's own tasks, never anybody else's, and never others' marks."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from swapflow.domain.people.interview import Interview
from swapflow.domain.people.reviewer import Absence, DeclineKind
from swapflow.domain.reviewing.rubric import utility
from swapflow.domain.reviewing.score import Answer
from swapflow.engine.reviewing.review_page import ReviewForm, ReviewPage
from swapflow.engine.reviewing.submitted_score import review_revision
from swapflow.errors import AssignmentClosedError, InvalidInputError, NotFoundError
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import Own, Reviewer, Seat
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.reviewers import Away
from swapflow.web.api.models.tasks import (
    Choice,
    Criterion,
    Decline,
    Draft,
    Missed,
    NewDraft,
    OpenTask,
    OwnReview,
    Paper,
    Receipt,
    Review,
    Rhythm,
    Slot,
    Task,
)
from swapflow.web.api.pagination import Page, Paged
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.api.resources.reviewers import absence_of
from swapflow.web.api.revisions import MadeFrom, tag
from swapflow.web.http.context import Product
from swapflow.web.http.dependencies import open_seats


router = APIRouter(route_class=ApiRoute, tags=["tasks"])

TaskCode = Annotated[str, Path(description="As the list of tasks gives it.")]


@router.get("/tasks")
def list_tasks(
    request: Request, principal: Reviewer, product: Product, paging: Paged
) -> Page[Task]:
    """List one's own tasks in every program, in the order of their names."""
    last = paging.last(str)
    task_list = product.tasks.list(open_seats(request, principal).seats)
    rows = [
        Task(
            task=task.code,
            program=task.cycle_id,
            applicant=task.applicant,
            kind=task.kind,
            due_at=task.due_at,
            state=task.section,
            draft=task.draft,
            skipped=task.skipped,
            interview=shown_slot(task.interview),
        )
        for task in sorted(task_list.tasks, key=lambda task: task.code)
        if last is None or task.code > str(last[0])
    ]
    return paging.page(rows, lambda row: [row.task])


@router.get("/tasks/{task}")
def read_task(task: TaskCode, own: Own, product: Product, response: Response) -> OpenTask:
    """Read a task with what its reviewer may see; changes nothing. `ETag` is its review's."""
    del task
    sheet = product.tasks.page(own.task)
    tag(response, review_revision(sheet.given))
    return shown_task(sheet)


@router.post("/tasks/{task}/open")
def open_task(task: TaskCode, own: Own, product: Product) -> OpenTask:
    """Begin: from now on the task is taken from nobody, and its form stays as it is."""
    del task
    product.tasks.begin(own.task)
    return shown_task(product.tasks.page(product.tasks.task(own.assignment.id)))


@router.get(
    "/tasks/{task}/documents/{number:int}",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}, "description": "The file."}},
)
def read_document(
    task: TaskCode,
    number: Annotated[int, Path(ge=1, le=1000, description="Its number in the task.")],
    own: Own,
    product: Product,
) -> Response:
    """Read an uploaded file of a task, under the program's blind policy."""
    del task
    _, body = product.tasks.document(own.assignment, number)
    # Never as what the file claims to be: nothing of it may run on the site of the screens.
    return Response(
        content=body,
        media_type="application/octet-stream",
        headers={"Content-Disposition": "attachment"},
    )


@router.put("/tasks/{task}/draft")
def save_draft(task: TaskCode, own: Own, product: Product, new: NewDraft) -> Draft:
    """Keep what was typed so far; 409 when another tab or device was faster."""
    del task
    with by_code(own.code):
        kept = product.tasks.save_draft(own.task, new.body, version=new.version)
    return Draft(version=kept.version, body=dict(kept.body))


@router.post("/tasks/{task}/skip", status_code=204)
def skip_task(task: TaskCode, own: Own, product: Product) -> Response:
    """Put a task at the end of one's list."""
    del task
    product.tasks.skip(own.assignment)
    return Response(status_code=204)


@router.post("/tasks/{task}/review", status_code=201)
def submit_review(task: TaskCode, own: Own, product: Product, review: Review) -> Receipt:
    """Hand a review in; what is said to be stored is stored. The same again changes nothing."""
    del task
    answer = answer_to(review, product.tasks.form(own.task))
    with by_code(own.code):
        receipt = product.tasks.submit([answer])[0]
    return Receipt(
        task=own.code,
        number=receipt.seq,
        # Stored in millionths; people and programs read points of 100.
        score=receipt.value / 10_000,
        counts=receipt.counts,
        repeated=receipt.repeated,
    )


@router.put("/tasks/{task}/review")
def correct_review(
    task: TaskCode,
    own: Own,
    product: Product,
    review: Review,
    precondition: MadeFrom,
) -> OwnReview:
    """Put another review in the place of one's own, until the decision is fixed."""
    del task
    answer = answer_to(review, product.tasks.form(own.task))
    with by_code(own.code):
        product.scores.correct(
            answer,
            by=own.principal.name,
            reason="corrected by the reviewer",
            made_from=precondition.made_from,
        )
    sheet = product.tasks.page(own.task)
    precondition.tag(review_revision(sheet.given))
    stored = _review(sheet)
    if stored is None:
        raise NotFoundError("nothing_handed_in")
    return stored


@router.post("/tasks/{task}/decline", status_code=204)
def decline_task(task: TaskCode, own: Own, product: Product, no: Decline) -> Response:
    """Decline a task: a conflict is recorded for good, busy keeps new tasks away until a day."""
    del task
    today = product.cycles.now().date()
    if no.kind is DeclineKind.BUSY and (no.until is None or no.until < today):
        raise InvalidInputError("busy_until_missing")
    busy = Absence(first=today, last=no.until) if no.until is not None else None
    with by_code(own.code):
        product.tasks.decline(
            own.assignment.id,
            no.kind,
            by=own.principal.name,
            reason=no.reason,
            busy=busy if no.kind is DeclineKind.BUSY else None,
        )
    return Response(status_code=204)


@router.post("/tasks/{task}/no-show", status_code=204)
def note_no_show(
    request: Request, task: TaskCode, own: Own, product: Product, said: Missed
) -> Response:
    """Note that the applicant did not come to an interview; it goes to others."""
    with by_code(task):
        product.tasks.no_show(own.assignment.id, by=own.principal.name, note=said.note.strip())
    note(
        request,
        own.principal,
        "applicant did not come to an interview",
        about=own.assignment.id,
        cycle_id=own.assignment.cycle_id,
    )
    return Response(status_code=204)


@router.post("/tasks/{task}/missed", status_code=204, deprecated=True)
def note_missed(
    request: Request, task: TaskCode, own: Own, product: Product, said: Missed
) -> Response:
    """Note that the applicant did not come to an interview; call `no-show` instead."""
    return note_no_show(request, task, own, product, said)


@router.get(
    "/tasks/{task}/invitation.ics",
    response_class=Response,
    responses={200: {"content": {"text/calendar": {}}, "description": "The date."}},
)
def take_invitation(task: TaskCode, own: Own, product: Product) -> Response:
    """Take the date of an interview as a calendar entry."""
    del task
    return Response(
        product.tasks.calendar(product.tasks.page(own.task)),
        media_type="text/calendar; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="interview.ics"'},
    )


@router.post("/cycles/{cycle_id}/availability/absences", status_code=204)
def add_absence(cycle_id: CycleId, seat: Seat, product: Product, days: Away) -> Response:
    """Keep new tasks away for some days."""
    product.tasks.add_absence(cycle_id, seat.number, absence_of(days))
    return Response(status_code=204)


@router.post("/cycles/{cycle_id}/availability/absences/remove", status_code=204)
def remove_absence(cycle_id: CycleId, seat: Seat, product: Product, days: Away) -> Response:
    """Open days again that were kept free of new tasks, named by first and last."""
    product.tasks.remove_absence(cycle_id, seat.number, absence_of(days))
    return Response(status_code=204)


@router.put("/cycles/{cycle_id}/availability/packet", status_code=204)
def set_packet(
    cycle_id: CycleId, seat: Seat, product: Product, rhythm: Rhythm, precondition: MadeFrom
) -> Response:
    """Set how many tasks one takes at the same time."""
    product.tasks.set_packet(
        cycle_id, seat.number, rhythm.packet, made_from=precondition.made_from
    )
    return precondition.done(str(rhythm.packet))


def answer_of(
    marks: Mapping[str, float | None],
    score: float | None,
    sheet: ReviewForm,
    *,
    remark: str = "",
    notes: Mapping[str, str] | None = None,
) -> Answer:
    """Read marks, or a score where there is no score form.

    Raises:
        InvalidInputError: If a criterion is left out (N/A is a choice), or both are given.
        ScoreOutOfRangeError: If a mark is none of the criterion's.
    """
    rubric = sheet.rubric
    if rubric is None and (score is None or marks):
        raise InvalidInputError("score_field_missing")
    if rubric is not None:
        if score is not None:
            raise InvalidInputError("marks_field_missing")
        left_out = [c.name for c in rubric.criteria if c.name not in marks]
        if left_out:
            name = left_out[0]
            raise InvalidInputError("mark_missing", criterion=name)
        # For its refusals: a mark outside the scale is named before anything is stored.
        utility(rubric, marks)
    return Answer(
        assignment_id=sheet.assignment.id,
        marks=dict(marks),
        utility=None if score is None else score / 100,
        remark=remark.strip(),
        notes=dict(notes or {}),
    )


def answer_to(review: Review, sheet: ReviewForm, *, typed_by: str = "") -> Answer:
    """Read a review of a task, with everything that its form asks.

    Raises:
        InvalidInputError: If something is left out, or said that the form does not ask.
    """
    answer = answer_of(
        review.marks, review.score, sheet, remark=review.remark, notes=_notes(review, sheet)
    )
    return replace(answer, typed_by=typed_by)


def _notes(review: Review, sheet: ReviewForm) -> dict[str, str]:
    kind = sheet.kind
    criteria = {c.name for c in sheet.rubric.criteria} if sheet.rubric else set()
    notes = {"private": review.private.strip()}
    if review.confidence is not None:
        if not kind.confidence:
            raise InvalidInputError("confidence_not_asked")
        notes["confidence"] = str(review.confidence)
    if review.recommendation is not None:
        if not kind.questions:
            raise InvalidInputError("recommendation_not_asked")
        notes["recommendation"] = review.recommendation
    for number, text in review.questions.items():
        if not 1 <= number <= len(kind.questions):
            raise InvalidInputError("question_unknown", number=number)
        notes[f"question:{number}"] = text.strip()
    for name, text in review.criterion_notes.items():
        if name not in criteria:
            raise InvalidInputError("criterion_note_unknown", criterion=name)
        notes[f"criterion:{name}"] = text.strip()
    return {name: text for name, text in notes.items() if text}


@contextmanager
def by_code(code: str) -> Iterator[None]:
    """Name a task by its code in what a refusal says."""
    try:
        yield
    except AssignmentClosedError as error:
        raise error.named(code) from error


def shown_task(sheet: ReviewPage) -> OpenTask:
    """Format a task as its reviewer may see it."""
    criteria = sheet.rubric.criteria if sheet.rubric is not None else ()
    draft = sheet.draft
    return OpenTask(
        task=sheet.code,
        program=sheet.cycle.id,
        kind=sheet.kind.name,
        status=sheet.assignment.status,
        due_at=sheet.assignment.due_minute,
        applicant=sheet.applicant,
        fields=dict(sheet.fields),
        documents=[
            Paper(number=p.number, name=p.name, link=p.link, media=p.media) for p in sheet.papers
        ],
        link=sheet.link,
        criteria=[
            Criterion(
                name=c.name,
                weight=c.weight,
                marks=[Choice(mark=mark, means=means) for mark, means in c.marks],
            )
            for c in criteria
        ],
        questions=list(sheet.kind.questions),
        interview=shown_slot(sheet.interview),
        draft=Draft(version=draft.version, body=dict(draft.body)) if draft else None,
        review=_review(sheet),
    )


def _review(sheet: ReviewPage) -> OwnReview | None:
    given = sheet.given
    if given is None:
        return None
    return OwnReview(
        score=given.score.value / 10_000,
        marks=dict(given.marks),
        remark=given.remark,
        notes=dict(given.notes),
        counts=given.score.counts,
        submitted_at=given.score.submitted_at,
    )


def shown_slot(interview: Interview | None) -> Slot | None:
    """Format when and where an interview is."""
    if interview is None:
        return None
    return Slot(
        starts_at=interview.starts_at,
        minutes=interview.minutes,
        zone=interview.zone,
        place=interview.place,
        link=interview.link,
        cancelled=interview.cancelled,
    )
