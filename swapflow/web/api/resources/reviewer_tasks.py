"""What staff do for a reviewer: enter reviews, pass tasks on, pause them for some days."""

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus
from swapflow.engine.ports.records import TaskRecord
from swapflow.engine.reviewing.submitted_score import NOTHING_GIVEN, review_revision
from swapflow.engine.revisions import check_revision
from swapflow.engine.services import Swapflow
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import MayEnterReviews, MayManageReviewers
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.base import Counted, Reasoned
from swapflow.web.api.models.reviewers import Away
from swapflow.web.api.models.tasks import EnteredReview, OpenTask, Review, WaitingTask
from swapflow.web.api.pagination import Page, Paged
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.api.resources.reviewers import absence_of
from swapflow.web.api.resources.tasks import TaskCode, answer_to, by_code, shown_task
from swapflow.web.api.revisions import MadeFrom, tag
from swapflow.web.cycle.offline_sheets import find_reviewer
from swapflow.web.http.context import Product


router = APIRouter(
    prefix="/cycles/{cycle_id}/reviewers/{number:int}", route_class=ApiRoute, tags=["reviewers"]
)

Number = Annotated[int, Path(ge=0, le=2**31 - 1, description="The reviewer's number.")]


@router.get("/tasks")
def list_reviewer_tasks(
    cycle_id: CycleId, number: Number, principal: MayEnterReviews, product: Product, paging: Paged
) -> Page[WaitingTask]:
    """List what waits for a reviewer, for staff who enter reviews."""
    del principal
    find_reviewer(product, cycle_id, number)
    last = paging.last(str)
    rows = sorted(
        (_waiting(product, task) for task in product.reports.waiting_for(cycle_id, number)),
        key=lambda row: row.task,
    )
    rest = [row for row in rows if last is None or row.task > str(last[0])]
    return paging.page(rest, lambda row: [row.task])


@router.get("/tasks/{task}")
def read_reviewer_task(
    cycle_id: CycleId,
    number: Number,
    task: TaskCode,
    principal: MayEnterReviews,
    product: Product,
    response: Response,
) -> OpenTask:
    """Read a reviewer's task as the reviewer sees it; changes nothing. `ETag` is its review's."""
    del principal
    sheet = product.tasks.page(_task(product, cycle_id, number, task))
    tag(response, review_revision(sheet.given))
    return shown_task(sheet)


@router.put("/tasks/{task}/review")
def enter_review(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    task: TaskCode,
    principal: MayEnterReviews,
    product: Product,
    review: Review,
    precondition: MadeFrom,
) -> EnteredReview:
    """Enter a review for a reviewer, under both names; another in its place corrects."""
    found = _task(product, cycle_id, number, task)
    sheet = product.tasks.page(found)
    answer = answer_to(review, sheet, typed_by=principal.name)
    corrected = sheet.given is not None
    with by_code(task):
        if corrected:
            product.scores.correct(
                answer,
                by=principal.name,
                reason="entered by staff",
                made_from=precondition.made_from,
            )
        else:
            check_revision(precondition.made_from, NOTHING_GIVEN, {})
            product.tasks.begin(found)
            product.tasks.submit([answer])
    note(
        request,
        principal,
        "corrected a review" if corrected else "entered a review",
        about=found.assignment.id,
        detail=f"for reviewer {sheet.reviewer.external_id}",
    )
    given = product.tasks.score(found.assignment.id)
    assert given is not None
    precondition.tag(review_revision(given))
    return EnteredReview(
        task=task,
        reviewer=number,
        typed_by=given.score.typed_by,
        score=given.score.value / 10_000,
        counts=given.score.counts,
        corrected=corrected,
    )


@router.post("/tasks/{task}/reassignment", status_code=204)
def reassign_task(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    task: TaskCode,
    principal: MayManageReviewers,
    product: Product,
    why: Reasoned,
) -> Response:
    """Take one task from a reviewer; it goes to another reviewer."""
    found = _task(product, cycle_id, number, task).assignment
    with by_code(task):
        product.tasks.take_back(found.id, by=principal.name, reason=why.reason)
    note(request, principal, "passed a review on", about=found.id, detail=why.reason)
    return Response(status_code=204)


@router.post("/take-back")
def take_back(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MayManageReviewers,
    product: Product,
    why: Reasoned,
) -> Counted:
    """Take back what a reviewer has not begun; it goes to others."""
    reviewer = find_reviewer(product, cycle_id, number)
    waiting = product.reports.waiting_for(cycle_id, number)
    chosen = [task for task in waiting if task.status is not AssignmentStatus.OPENED]
    for task in chosen:
        product.tasks.take_back(task.id, by=principal.name, reason=why.reason)
    note(
        request,
        principal,
        "took back what a reviewer had not begun",
        about=reviewer.external_id,
        detail=why.reason,
    )
    return Counted(count=len(chosen))


@router.post("/absences", status_code=204)
def pause_reviewer(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MayManageReviewers,
    product: Product,
    days: Away,
) -> Response:
    """Ask nothing new of a reviewer on some days."""
    reviewer = find_reviewer(product, cycle_id, number)
    product.tasks.add_absence(cycle_id, number, absence_of(days))
    note(request, principal, "paused a reviewer for some days", about=reviewer.external_id)
    return Response(status_code=204)


@router.post("/absences/remove", status_code=204)
def end_pause(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MayManageReviewers,
    product: Product,
    days: Away,
) -> Response:
    """End a reviewer's pause, named by its first and last day."""
    reviewer = find_reviewer(product, cycle_id, number)
    absence = absence_of(days)
    if absence not in reviewer.absences:
        raise InvalidInputError("absence_unknown", first=days.first)
    product.tasks.remove_absence(cycle_id, number, absence)
    note(request, principal, "ended a reviewer's pause", about=reviewer.external_id)
    return Response(status_code=204)


def _task(product: Swapflow, cycle_id: str, number: int, task: str) -> TaskRecord:
    """Find a reviewer's task of this program; any other is not there."""
    gone = NotFoundError("reviewer_task_unknown")
    if task.partition(":")[0] != cycle_id:
        raise gone
    try:
        return product.tasks.find(task, reviewer=number)
    except NotFoundError as error:
        raise gone from error


def _waiting(product: Swapflow, assignment: Assignment) -> WaitingTask:
    sheet = product.tasks.page(product.tasks.task(assignment.id))
    return WaitingTask(
        task=sheet.code,
        applicant=sheet.applicant,
        kind=sheet.kind.name,
        due_at=assignment.due_minute,
        begun=assignment.opened_at is not None,
    )
