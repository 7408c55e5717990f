"""Interviews: who is to be met, when and where; one by one, or from a table."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from swapflow.domain.seal import NOTHING
from swapflow.engine.interviews.proposal import LONGEST_NOTICE
from swapflow.engine.interviews.schedule import NOTICE
from swapflow.engine.interviews.slots import InterviewSlot, Requested
from swapflow.engine.services import Swapflow
from swapflow.errors import NotFoundError
from swapflow.i18n.languages import current_language
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import MayManageApplicants
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.base import Counted
from swapflow.web.api.models.decisions import (
    DaysPassedOver,
    FittingDate,
    FittingDates,
    Interview,
    LeftInterview,
    SetSlot,
)
from swapflow.web.api.pagination import Page, Paged
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.api.resources.imports import Table
from swapflow.web.api.resources.tasks import shown_slot
from swapflow.web.api.revisions import MadeFrom
from swapflow.web.cycle import interviews
from swapflow.web.http.context import Product


router = APIRouter(prefix="/cycles/{cycle_id}", route_class=ApiRoute, tags=["interviews"])

RequestId = Annotated[str, Path(max_length=200, description="Id of the request.")]


@router.get("/interviews")
def list_interviews(
    cycle_id: CycleId, principal: MayManageApplicants, product: Product, paging: Paged
) -> Page[Interview]:
    """List the requests that people are to meet applicants for, with their dates."""
    del principal
    last = paging.last(str)
    rows = sorted(
        map(_shown, product.reviewers.interview_requests(cycle_id)), key=lambda row: row.request
    )
    # By id, not by date: a date that changes between two pages would hide a row.
    rest = [row for row in rows if last is None or row.request > str(last[0])]
    return paging.page(rest, lambda row: [row.request])


@router.get("/interview-proposal")
def propose_interviews(
    cycle_id: CycleId,
    principal: MayManageApplicants,
    product: Product,
    notice: Annotated[
        int, Query(ge=0, le=LONGEST_NOTICE, description="Working days until the first day.")
    ] = NOTICE,
) -> FittingDates:
    """Find a date that fits for each interview without one; nothing is set."""
    del principal
    found = product.reviewers.propose_dates(cycle_id, notice=notice)
    return FittingDates(
        notice=found.notice,
        first_day=found.first,
        dates=[
            FittingDate(
                request=one.requested.pull.id,
                applicant=one.requested.external_id,
                kind=one.requested.kind,
                reviewers=[r.external_id for r in one.requested.reviewers],
                starts_at=one.starts_at,
                minutes=one.requested.minutes,
                revision=_made_from(one.requested),
            )
            for one in found.dates
        ],
        left=[
            LeftInterview(
                request=one.requested.pull.id,
                applicant=one.requested.external_id,
                reason=one.reason,
            )
            for one in found.left
        ],
        passed_over=[
            DaysPassedOver(first=one.first, last=one.last, name=one.name)
            for one in found.passed_over(current_language().tag)
        ],
    )


@router.post("/interviews/import")
def import_interviews(
    request: Request,
    cycle_id: CycleId,
    principal: MayManageApplicants,
    product: Product,
    file: Table,
) -> Counted:
    """Set the dates of a table (applicant, starts, minutes, place, link): all of them, or none."""
    slots = interviews.slots_of(file, cycle_id, product)
    changed = product.reviewers.set_slots(cycle_id, slots, by=principal.name)
    note(request, principal, "set interviews' dates", detail=f"{changed} changed")
    return Counted(count=changed)


@router.put("/interviews/{pull}", status_code=204)
def set_interview(
    request: Request,
    cycle_id: CycleId,
    pull: RequestId,
    principal: MayManageApplicants,
    product: Product,
    slot: SetSlot,
    precondition: MadeFrom,
) -> Response:
    """Set when and where the people of a request meet the applicant; they are invited."""
    own_requests([pull], cycle_id)
    new = InterviewSlot(
        pull_id=pull,
        starts_at=slot.starts_at,
        minutes=slot.minutes,
        place=slot.place,
        link=slot.link,
    )
    product.reviewers.set_slots(
        cycle_id, [new], by=principal.name, made_from=precondition.made_from
    )
    note(request, principal, "set an interview", about=pull)
    return precondition.done(_revision(product, cycle_id, pull))


@router.delete("/interviews/{pull}", status_code=204)
def cancel_interview(
    request: Request,
    cycle_id: CycleId,
    pull: RequestId,
    principal: MayManageApplicants,
    product: Product,
    precondition: MadeFrom,
) -> Response:
    """Take a slot back and tell its people."""
    own_requests([pull], cycle_id)
    product.reviewers.cancel_slot(
        cycle_id, pull, by=principal.name, made_from=precondition.made_from
    )
    note(request, principal, "cancelled an interview", about=pull)
    return precondition.done(_revision(product, cycle_id, pull))


def own_requests(requests: list[str], cycle_id: str) -> list[str]:
    """Refuse requests of other programs; they are not there at all."""
    for name in requests:
        if not name.startswith(f"{cycle_id}:") or not name.isprintable():
            raise NotFoundError("interview_request_unknown", request=name)
    return requests


def _shown(one: Requested) -> Interview:
    return Interview(
        request=one.pull.id,
        applicant=one.external_id,
        kind=one.kind,
        reviewers=[r.external_id for r in one.reviewers],
        slot=shown_slot(one.interview),
        revision=_made_from(one),
    )


def _made_from(one: Requested) -> str:
    return one.interview.revision if one.interview else NOTHING


def _revision(product: Swapflow, cycle_id: str, pull: str) -> str:
    """Return the revision of a request's date as it is stored now."""
    requested = product.reviewers.interview_requests(cycle_id)
    found = next((one.interview for one in requested if one.pull.id == pull), None)
    return found.revision if found else NOTHING
