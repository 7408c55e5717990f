"""Reviewers: add, change, read, release; conflicts of interest and panels."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response

from swapflow.domain.people.plain_words import search_for
from swapflow.domain.people.reviewer import Absence, NewReviewer, Reviewer
from swapflow.engine.intake.roster import panels_revision
from swapflow.engine.services import Swapflow
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.identity.committee_members import refuse_other_role
from swapflow.identity.services import Office
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import (
    MayEnterReviews,
    MayManageReviewers,
    MaySeeReviewers,
    MaySetUp,
)
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models import reviewers
from swapflow.web.api.models.base import Counted
from swapflow.web.api.models.files import AddedPeople, ErasedPerson
from swapflow.web.api.models.programs import Because
from swapflow.web.api.models.reviewers import Away, NewReviewers, Pairs
from swapflow.web.api.pagination import Page, Paged, Searched
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.api.revisions import MadeFrom, tag
from swapflow.web.http.context import Product, TheOffice


router = APIRouter(prefix="/cycles/{cycle_id}", route_class=ApiRoute, tags=["reviewers"])

Number = Annotated[int, Path(ge=0, le=2**31 - 1, description="The reviewer's number.")]


@router.get("/reviewers")
def list_reviewers(
    cycle_id: CycleId,
    principal: MaySeeReviewers,
    product: Product,
    paging: Paged,
    wanted: Searched = "",
) -> Page[reviewers.Reviewer]:
    """List the roster."""
    del principal
    is_found = search_for(wanted)
    rows = [
        _shown(one)
        for one in product.reviewers.list(cycle_id)
        if is_found(one.name, one.external_id, one.email)
    ]
    return paging.after(rows, lambda row: row.number)


@router.post("/reviewers", status_code=201)
def add_reviewers(
    request: Request,
    cycle_id: CycleId,
    principal: MayManageReviewers,
    product: Product,
    new: NewReviewers,
) -> AddedPeople:
    """Add reviewers, or change those whose ids are there: all, or none, but for erased ones.

    Reviewers who were erased are left out and named, unless `again` holds their ids.
    """
    listed = product.reviewers.import_list(
        cycle_id, [_new(one) for one in new.reviewers], again=new.again, by=principal.name
    )
    note(request, principal, "added reviewers", about=f"{len(listed.added)} reviewers")
    return AddedPeople(
        count=len(new.reviewers) - len(listed.held),
        held=[ErasedPerson.of(row) for row in listed.held],
    )


@router.get("/reviewers/{number:int}")
def read_reviewer(
    cycle_id: CycleId, number: Number, principal: MaySeeReviewers, product: Product
) -> reviewers.Reviewer:
    """Read one reviewer."""
    del principal
    return _shown(_find(product, cycle_id, number))


@router.post("/reviewers/{number:int}/release")
def release_reviewer(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MayManageReviewers,
    product: Product,
    why: Because,
) -> Counted:
    """Take a reviewer off the roster; says how many of their tasks go to others."""
    found = _find(product, cycle_id, number)
    moved = product.reviewers.leave(
        cycle_id, found.external_id, by=principal.name, reason=why.reason
    )
    note(request, principal, "released a reviewer", about=found.external_id)
    return Counted(count=moved)


@router.post("/reviewers/{number:int}/return")
def return_reviewer(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MayManageReviewers,
    product: Product,
    why: Because,
) -> reviewers.Reviewer:
    """Put a reviewer who left on the roster again, with a reason."""
    found = _find(product, cycle_id, number)
    product.reviewers.come_back(cycle_id, found.external_id, by=principal.name, reason=why.reason)
    note(request, principal, "put a reviewer on the roster again", about=found.external_id)
    return _shown(_find(product, cycle_id, number))


@router.post("/reviewers/{number:int}/nudge")
def nudge_reviewer(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MayManageReviewers,
    product: Product,
) -> reviewers.Reviewer:
    """Remind a reviewer of what waits, by mail."""
    found = _find(product, cycle_id, number)
    product.reviewers.nudge(cycle_id, found.external_id, by=principal.name)
    note(request, principal, "reminded a reviewer", about=found.external_id)
    return _shown(found)


@router.post("/reviewers/{number:int}/void")
def void_reviewer(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MayEnterReviews,
    product: Product,
    why: Because,
) -> Counted:
    """Make every score of a reviewer count no more; says how many did before."""
    found = _find(product, cycle_id, number)
    voided = product.scores.void_reviewer(
        cycle_id, found.external_id, by=principal.name, reason=why.reason
    )
    note(request, principal, "voided a reviewer's scores", about=found.external_id)
    return Counted(count=voided)


@router.delete("/reviewers/{number:int}", status_code=204)
def erase_reviewer(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MaySetUp,
    product: Product,
) -> Response:
    """Erase one reviewer's data for good; their number and their scores stay."""
    found = _find(product, cycle_id, number)
    product.reviewers.erase(cycle_id, found.external_id, by=principal.name)
    # By number: the audit log outlives the id that was erased.
    note(request, principal, "erased a reviewer", about=f"reviewer {number}")
    return Response(status_code=204)


@router.post("/conflicts")
def add_conflicts(
    request: Request,
    cycle_id: CycleId,
    principal: MayManageReviewers,
    product: Product,
    new: Pairs,
) -> reviewers.Barred:
    """Record conflicts of interest, for good; what is out is taken back."""
    taken_back = product.reviewers.add_conflicts(
        cycle_id, [(pair.applicant, pair.reviewer) for pair in new.pairs], source="staff"
    )
    note(request, principal, "recorded conflicts of interest", about=f"{len(new.pairs)} pairs")
    return reviewers.Barred(count=len(new.pairs), taken_back=taken_back)


@router.get("/conflicts/scores")
def list_conflicting_scores(
    cycle_id: CycleId, principal: MaySeeReviewers, product: Product
) -> reviewers.ScoresInConflict:
    """List scores that count in spite of a conflict, until they are voided or waived."""
    del principal
    return reviewers.ScoresInConflict(
        scores=[
            reviewers.ScoreInConflict(
                id=one.score.assignment_id,
                applicant=one.external_id,
                reviewer=one.reviewer,
                kind=one.kind,
                source=one.source,
            )
            for one in product.reviewers.conflicting_scores(cycle_id)
        ]
    )


@router.post("/conflicts/waive", status_code=204)
def waive_conflict(
    request: Request,
    cycle_id: CycleId,
    principal: MayEnterReviews,
    product: Product,
    waived: reviewers.WaivedPair,
) -> Response:
    """Accept a score in spite of a conflict; nothing new is asked of the pair."""
    product.reviewers.waive_conflict(
        cycle_id, waived.applicant, waived.reviewer, by=principal.name, reason=waived.reason
    )
    pair = f"{waived.applicant}, {waived.reviewer}"
    note(request, principal, "let a score count in spite of a conflict", about=pair)
    return Response(status_code=204)


@router.get("/panels")
def read_panels(
    cycle_id: CycleId, principal: MaySeeReviewers, product: Product, response: Response
) -> reviewers.Panels:
    """Read which applicants are restricted to which reviewers."""
    del principal
    panels = product.reviewers.panels(cycle_id)
    tag(response, panels_revision(panels))
    people = {one.number: one.external_id for one in product.applicants.list(cycle_id)}
    members = {one.number: one.external_id for one in product.reviewers.list(cycle_id)}
    return reviewers.Panels(
        pairs=[
            reviewers.PanelSeat(applicant=people[applicant], reviewer=members[reviewer])
            for applicant, reviewer in panels
        ],
        revision=panels_revision(panels),
    )


@router.post("/conflicts/remove", status_code=204)
def remove_conflict(
    request: Request,
    cycle_id: CycleId,
    principal: MayManageReviewers,
    product: Product,
    office: TheOffice,
    pair: reviewers.WaivedPair,
) -> Response:
    """Take a conflict of interest back that was none; the reviewer may be asked again."""
    _refuse_other_role(product, office, cycle_id, pair.reviewer)
    product.reviewers.remove_conflict(
        cycle_id, pair.applicant, pair.reviewer, by=principal.name, reason=pair.reason
    )
    about = f"{pair.applicant}, {pair.reviewer}"
    note(request, principal, "took a conflict of interest back", about=about, detail=pair.reason)
    return Response(status_code=204)


@router.post("/bars/lift")
def lift_bar(
    request: Request,
    cycle_id: CycleId,
    principal: MayEnterReviews,
    product: Product,
    office: TheOffice,
    pair: reviewers.WaivedPair,
) -> reviewers.Lifted:
    """Lift the bar of a voided review: the reviewer may be asked about the applicant again."""
    _refuse_other_role(product, office, cycle_id, pair.reviewer)
    lifted = product.reviewers.lift_bar(
        cycle_id, pair.applicant, pair.reviewer, by=principal.name, reason=pair.reason
    )
    about = f"{pair.applicant}, {pair.reviewer}"
    note(request, principal, "let a reviewer be asked again", about=about, detail=pair.reason)
    return reviewers.Lifted(lifted=lifted)


@router.put("/panels")
def set_panels(
    request: Request,
    cycle_id: CycleId,
    principal: MayManageReviewers,
    product: Product,
    new: Pairs,
    precondition: MadeFrom,
) -> reviewers.Barred:
    """Restrict the applicants named to the reviewers named; what others have is taken back."""
    taken_back = product.reviewers.set_panel(
        cycle_id,
        [(pair.applicant, pair.reviewer) for pair in new.pairs],
        made_from=precondition.made_from,
    )
    precondition.tag(panels_revision(product.reviewers.panels(cycle_id)))
    note(request, principal, "set panels", about=f"{len(new.pairs)} pairs")
    return reviewers.Barred(count=len(new.pairs), taken_back=taken_back)


def absence_of(days: Away) -> Absence:
    """Read days away.

    Raises:
        InvalidInputError: If they end before they begin.
    """
    if days.last < days.first:
        raise InvalidInputError("absence_ends_before_start", last=days.last, first=days.first)
    return Absence(first=days.first, last=days.last)


def _refuse_other_role(product: Swapflow, office: Office, cycle_id: str, name: str) -> None:
    """Refuse to let a reviewer be asked again who could read as staff what others said."""
    for reviewer in product.reviewers.list(cycle_id):
        if reviewer.external_id == name:
            refuse_other_role(
                reviewer, users=office.users.list, cycle=product.cycles.get(cycle_id)
            )


def _find(product: Swapflow, cycle_id: str, number: int) -> Reviewer:
    for reviewer in product.reviewers.list(cycle_id):
        if reviewer.number == number:
            return reviewer
    raise NotFoundError("reviewer_number_unknown", number=number)


def _shown(reviewer: Reviewer) -> reviewers.Reviewer:
    return reviewers.Reviewer(
        number=reviewer.number,
        external_id=reviewer.external_id,
        name=reviewer.name,
        email=reviewer.email,
        panel=reviewer.group,
        capacity=reviewer.capacity,
        packet=reviewer.packet,
        automatic=bool(reviewer.automatic),
        topics=list(reviewer.topics),
        active=reviewer.active,
        reserve=reviewer.reserve,
        absences=[Away(first=a.first, last=a.last) for a in reviewer.absences],
    )


def _new(reviewer: reviewers.NewReviewer) -> NewReviewer:
    return NewReviewer(
        external_id=reviewer.external_id,
        name=reviewer.name,
        email=reviewer.email,
        group=reviewer.panel,
        capacity=reviewer.capacity,
        packet=reviewer.packet,
        reserve=reviewer.reserve,
        topics=tuple(reviewer.topics),
        conflicts=tuple(reviewer.conflicts),
        absences=tuple(map(absence_of, reviewer.absences)),
    )
