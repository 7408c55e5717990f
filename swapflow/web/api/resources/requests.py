"""What was asked for in a program: every request, open, answered or taken back."""

from fastapi import APIRouter

from swapflow.domain.reviewing.assignment import Assignment
from swapflow.web.api.dependencies import MayEnterReviews
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.tasks import ListedRequest
from swapflow.web.api.pagination import Page, Paged
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.api.resources.scores import shown_score, standing_scores
from swapflow.web.http.context import Product


router = APIRouter(prefix="/cycles/{cycle_id}", route_class=ApiRoute, tags=["requests"])


@router.get("/requests")
def list_requests(
    cycle_id: CycleId, principal: MayEnterReviews, product: Product, paging: Paged
) -> Page[ListedRequest]:
    """List every request to a reviewer, in the order of their ids, for another system.

    A review that was written there is entered under `task`, also when its request has expired;
    one that nobody had asked for, or whose request was given away, is volunteered.
    """
    del principal
    last = paging.last(str)
    cycle = product.cycles.get(cycle_id)
    kinds = [kind.name for kind in product.cycles.rules(cycle_id).kinds]
    applicants = {one.number: one.external_id for one in product.applicants.list(cycle_id)}
    reviewers = {one.number: one.external_id for one in product.reviewers.list(cycle_id)}
    scores = standing_scores(product, cycle_id)
    said = product.scores.said(cycle_id)
    asked = sorted(product.reports.requests(cycle_id), key=lambda one: one.id)
    rest = [one for one in asked if last is None or one.id > str(last[0])]

    def row(one: Assignment) -> ListedRequest:
        score = scores.get(one.id)
        return ListedRequest(
            id=one.id,
            task=cycle.task_code(one.id),
            applicant=one.application,
            applicant_id=applicants.get(one.application, ""),
            reviewer=one.reviewer,
            reviewer_id=reviewers.get(one.reviewer, ""),
            kind=kinds[one.kind],
            status=one.status,
            waits=one.status.is_open,
            given_away=one.status.is_given_away,
            due_at=one.due_minute,
            score=None if score is None else shown_score(score, kinds),
            said=said.get(one.id, ""),
        )

    # One more than a page holds tells that there are more; those behind it need no row.
    return paging.page([row(one) for one in rest[: paging.limit + 1]], lambda one: [one.id])
