"""Reviews of one reviewer that count no more, that count again, and that may be asked for anew."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import Response

from swapflow.domain.seal import NOTHING
from swapflow.errors import InvalidInputError
from swapflow.identity.committee_members import refuse_other_role
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.context import Product, TheOffice
from swapflow.web.http.dependencies import may
from swapflow.web.http.nested_forms import MadeFrom
from swapflow.web.http.program_page import Reason, act, said_why
from swapflow.web.people.panel import name_of
from swapflow.web.people.reviewers import card_again, reviewer_numbered


router = APIRouter(prefix="/reviewers")

MayEnter = Annotated[Principal, Depends(may(Right.ENTER_REVIEWS))]
Text = Annotated[str, Form()]


@router.post("/{cycle_id}/{number}/void")
def void_all(
    request: Request,
    principal: MayEnter,
    product: Product,
    cycle_id: str,
    number: int,
    reason: Reason = "",
) -> Response:
    """Void every review of a reviewer."""

    def deed() -> None:
        why = said_why(reason)
        name = reviewer_numbered(product, cycle_id, number).external_id
        product.scores.void_reviewer(cycle_id, name, by=principal.name, reason=why)

    return act(
        request,
        principal,
        f"/reviewers/{cycle_id}/{number}",
        Message("act_reviews_voided"),
        deed,
        form="change",
        typed={"reason": reason},
        again=card_again(request, principal, product, cycle_id, number),
    )


@router.post("/{cycle_id}/{number}/reviews/void")
def void_one(
    request: Request,
    principal: MayEnter,
    product: Product,
    cycle_id: str,
    number: int,
    task: Text = "",
    reason: Reason = "",
    revision: MadeFrom = NOTHING,
) -> Response:
    """Void one review."""

    def deed() -> None:
        # The id comes from the form: only a review of this reviewer may be named.
        if task not in {one.id for one in product.reports.reviews_by(cycle_id, number)}:
            raise InvalidInputError("review_not_chosen")
        why, made_from = said_why(reason), {task: revision}
        product.scores.void([task], by=principal.name, reason=why, made_from=made_from)

    return act(
        request,
        principal,
        f"/reviewers/{cycle_id}/{number}",
        Message("act_review_voided"),
        deed,
        form=f"void {task}",
        typed={"reason": reason, "revision": revision},
        again=card_again(request, principal, product, cycle_id, number),
    )


@router.post("/{cycle_id}/{number}/reviews/restore")
def restore(
    request: Request,
    principal: MayEnter,
    product: Product,
    cycle_id: str,
    number: int,
    task: Text = "",
    reason: Reason = "",
    revision: MadeFrom = NOTHING,
) -> Response:
    """Undo the void of one review, or of all of a reviewer where none is named."""

    def deed() -> None:
        why = said_why(reason)
        if not task:
            name = reviewer_numbered(product, cycle_id, number).external_id
            product.scores.restore_reviewer(cycle_id, name, by=principal.name, reason=why)
            return
        # The id comes from the form: only a review of this reviewer may be named.
        if task not in {one.id for one in product.reports.reviews_by(cycle_id, number)}:
            raise InvalidInputError("review_not_chosen")
        made_from = {task: revision}
        product.scores.restore([task], by=principal.name, reason=why, made_from=made_from)

    return act(
        request,
        principal,
        f"/reviewers/{cycle_id}/{number}",
        Message("act_review_restored" if task else "act_reviews_restored"),
        deed,
        form=f"void {task}" if task else "change",
        typed={"reason": reason, "revision": revision},
        again=card_again(request, principal, product, cycle_id, number),
    )


@router.post("/{cycle_id}/{number}/reviews/lift")
def lift_bar(
    request: Request,
    principal: MayEnter,
    product: Product,
    office: TheOffice,
    cycle_id: str,
    number: int,
    task: Text = "",
    reason: Reason = "",
) -> Response:
    """Lift the bar of a voided review: the reviewer may be asked about the applicant again."""

    def deed() -> None:
        why = said_why(reason)
        found = {one.id: one for one in product.reports.reviews_by(cycle_id, number)}.get(task)
        if found is None:
            raise InvalidInputError("review_not_chosen")
        reviewer = reviewer_numbered(product, cycle_id, number)
        refuse_other_role(reviewer, users=office.users.list, cycle=product.cycles.get(cycle_id))
        applicant = name_of(product, cycle_id, found.application)
        product.reviewers.lift_bar(
            cycle_id, applicant, reviewer.external_id, by=principal.name, reason=why
        )

    return act(
        request,
        principal,
        f"/reviewers/{cycle_id}/{number}",
        Message("act_bar_lifted"),
        deed,
        form=f"lift {task}",
        typed={"reason": reason},
        again=card_again(request, principal, product, cycle_id, number),
    )
