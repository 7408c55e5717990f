"""Approvals, the proposed list, and the decision: prepared by one person, signed by others."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from swapflow.domain.cohort.proposal import Place, SigningCheck, figures_of
from swapflow.domain.cycle import CycleStatus
from swapflow.engine.cohort.finalize import Override
from swapflow.engine.cohort.prepared_decisions import prepared_revision
from swapflow.engine.services import Swapflow
from swapflow.errors import ForbiddenError, InvalidInputError, NotFoundError
from swapflow.identity.principal import Principal
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import (
    MayApprove,
    MayDecide,
    MaySeeApplicants,
    MaySetUp,
    MaySign,
)
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models import decisions
from swapflow.web.api.models.base import Counted, finite, hundred, judged
from swapflow.web.api.models.decisions import (
    Check,
    Digest,
    FromReserve,
    NewDecision,
    Outcome,
    Outcomes,
    Prepared,
    PromisedReviews,
    Proposal,
    Proposed,
    ReopeningAsked,
    Requests,
    Signed,
    Struck,
    Swap,
    SwapChoices,
)
from swapflow.web.api.pagination import Page, Paged
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.api.resources.interviews import RequestId, own_requests
from swapflow.web.api.revisions import MadeFrom, tag
from swapflow.web.http.context import Product
from swapflow.web.http.dependencies import seat_view_of


router = APIRouter(prefix="/cycles/{cycle_id}", route_class=ApiRoute, tags=["decisions"])


@router.get("/proposed-requests")
def list_proposed_requests(
    cycle_id: CycleId, principal: MaySeeApplicants, product: Product, paging: Paged
) -> Page[Proposed]:
    """List requests that wait for a person's approval."""
    del principal
    last = paging.last(str)
    rows = [
        Proposed(id=name, applicant=applicant, kind=kind, decision=decision)
        for name, applicant, kind, decision in sorted(product.approvals.proposed(cycle_id))
        if last is None or name > str(last[0])
    ]
    return paging.page(rows, lambda row: [row.id])


@router.get("/promises")
def read_promises(
    request: Request, cycle_id: CycleId, principal: MaySeeApplicants, product: Product
) -> PromisedReviews:
    """Read what promised reviews still cost and what can pay them, and what holds decisions up."""
    seated = seat_view_of(request, principal, cycle_id) is not None
    return _promised(product, cycle_id, named=not seated)


@router.post("/reserve")
def take_from_reserve(
    request: Request,
    cycle_id: CycleId,
    principal: MaySetUp,
    product: Product,
    wanted: FromReserve,
) -> PromisedReviews:
    """Pay promised reviews from what is kept for requests of staff: another version of the rules.

    Refused with 409 where another amount is needed by now than `shown`.
    """
    taken = product.cycles.take_from_reserve(
        cycle_id, by=principal.name, reason=wanted.reason, shown=wanted.shown
    )
    note(request, principal, "paid promised reviews from the reserve", detail=f"{taken} taken")
    seated = seat_view_of(request, principal, cycle_id) is not None
    return _promised(product, cycle_id, named=not seated)


def _promised(product: Swapflow, cycle_id: str, *, named: bool) -> PromisedReviews:
    found, held = product.cycles.promises(cycle_id), product.cycles.held_by_approvals(cycle_id)
    return PromisedReviews(
        applicants=(list(found.applicants) if found else []) if named else None,
        needed=found.needed if found else 0,
        free=found.free if found else 0,
        reserve=found.reserve if found else 0,
        short=found.short if found else 0,
        from_reserve=found.from_reserve if found else 0,
        held=str(held) if held else "",
    )


@router.post("/proposed-requests/approve")
def approve_requests(
    request: Request,
    cycle_id: CycleId,
    principal: MayApprove,
    product: Product,
    which: Requests,
) -> Counted:
    """Release proposed requests."""
    approved = product.approvals.approve(
        cycle_id, own_requests(which.requests, cycle_id), by=principal.name
    )
    note(request, principal, "approved requests", about=f"{approved} requests")
    return Counted(count=approved)


@router.post("/proposed-requests/strike")
def strike_requests(
    request: Request,
    cycle_id: CycleId,
    principal: MayApprove,
    product: Product,
    which: Struck,
) -> Counted:
    """Refuse proposed requests; their cost is free again."""
    struck = product.approvals.strike(
        cycle_id, own_requests(which.requests, cycle_id), by=principal.name, reason=which.reason
    )
    note(request, principal, "struck requests", about=f"{struck} requests", detail=which.reason)
    return Counted(count=struck)


@router.get("/proposed-requests/{pull}/choices")
def list_choices(
    cycle_id: CycleId, pull: RequestId, principal: MayApprove, product: Product
) -> SwapChoices:
    """List who may take whose place in a request that waits for approval."""
    del principal
    own_requests([pull], cycle_id)
    found = product.approvals.choices(cycle_id, pull)
    return SwapChoices(
        applicants=[one.number for one in found.applicants],
        reviewers=[one.number for one in found.reviewers],
    )


@router.post("/proposed-requests/{pull}/swap", status_code=204)
def swap_request(
    request: Request,
    cycle_id: CycleId,
    pull: RequestId,
    principal: MayApprove,
    product: Product,
    swap: Swap,
) -> Response:
    """Approve a request with another applicant, with a chosen reviewer, or with both."""
    own_requests([pull], cycle_id)
    if swap.applicant is None and swap.reviewer is None:
        raise InvalidInputError("swap_target_missing")
    product.approvals.swap(
        cycle_id,
        pull,
        application=swap.applicant,
        reviewer=swap.reviewer,
        by=principal.name,
        reason=swap.reason,
    )
    note(request, principal, "swapped the applicant", about=pull, detail=swap.reason)
    return Response(status_code=204)


@router.get("/proposal")
def read_proposal(cycle_id: CycleId, principal: MaySeeApplicants, product: Product) -> Proposal:
    """Read the list that the rule proposes at this moment; people decide."""
    del principal
    made = product.cohort.propose(cycle_id)
    return Proposal(
        program=cycle_id,
        version=made.version,
        rule=made.sheet.rule,
        objective=made.sheet.objective,
        stop_reason=made.sheet.stop_reason,
        stop_sentence=made.sheet.stop_sentence,
        promises=made.sheet.promises,
        most_to_gain=finite(made.sheet.certified_loss),
        **judged(figures_of(made.sheet)),
        checks=list(map(_check, made.checks)),
        places=list(map(_place, made.places)),
        digest=made.seal.digest,
    )


@router.get("/decision")
def read_prepared(
    cycle_id: CycleId, principal: MaySeeApplicants, product: Product, response: Response
) -> Prepared:
    """Read what waits for signatures; 404 when nothing does. `ETag` is its digest."""
    del principal
    found = product.cohort.pending(cycle_id)
    if found is None:
        raise NotFoundError("nothing_waits_for_signatures")
    tag(response, prepared_revision(found.prepared))
    return Prepared.model_validate(
        {
            "what": found.prepared.what,
            "digest": found.prepared.digest,
            "by": found.prepared.by,
            "reason": found.reason or found.waiver,
            "signed": list(found.prepared.signed),
            "needed": found.needed,
            "current": found.current,
        }
    )


@router.put("/decision")
def prepare_decision(
    request: Request,
    cycle_id: CycleId,
    principal: MayDecide,
    product: Product,
    new: NewDecision,
    precondition: MadeFrom,
) -> Prepared:
    """Put a decision up for signature; what was up before is taken back."""
    product.cohort.prepare(
        cycle_id,
        by=principal.name,
        overrides=[
            Override(external_id=c.applicant, verdict=c.verdict, reason=c.reason)
            for c in new.changes
        ],
        waiver=new.waiver,
        shown=new.digest,
        made_from=precondition.made_from,
    )
    note(request, principal, "prepared the decision", detail=f"{len(new.changes)} changes")
    return read_prepared(cycle_id, principal, product, precondition.response)


@router.delete("/decision", status_code=204)
def take_back_decision(
    request: Request,
    cycle_id: CycleId,
    principal: MayDecide,
    product: Product,
    digest: Annotated[
        str,
        Query(
            pattern="^([0-9a-f]{64})?$",
            description="Digest of what was shown as prepared; with it, nothing else is.",
        ),
    ] = "",
) -> Response:
    """Take back what was put up for signature."""
    if product.cohort.take_back(cycle_id, shown=digest):
        note(request, principal, "took back what was prepared")
    return Response(status_code=204)


@router.post("/decision/signatures")
def sign_decision(
    request: Request,
    cycle_id: CycleId,
    principal: MaySign,
    product: Product,
    what: Digest,
) -> Signed:
    """Sign what is prepared; the last signature carries it out. Only a person signs, not a key."""
    _person(principal)
    done = product.cohort.sign(cycle_id, what.digest, by=principal.name)
    note(request, principal, "signed what was prepared", about=what.digest[:12])
    return Signed(done=done, digest=what.digest)


@router.post("/reopening")
def prepare_reopening(
    request: Request,
    cycle_id: CycleId,
    principal: MaySign,
    product: Product,
    why: ReopeningAsked,
    response: Response,
) -> Prepared:
    """Ask that a fixed list be reopened; another person must agree. Only a person asks."""
    _person(principal)
    product.cohort.prepare_reopening(
        cycle_id, by=principal.name, reason=why.reason, shown=why.digest
    )
    note(request, principal, "asked to reopen the list", detail=why.reason)
    return read_prepared(cycle_id, principal, product, response)


@router.get("/outcomes/{version}")
def read_outcomes(
    cycle_id: CycleId,
    version: Annotated[int, Path(ge=1, le=10_000, description="Version of the fixed list.")],
    principal: MaySeeApplicants,
    product: Product,
) -> Outcomes:
    """Read what people decided in one version of the list, and who signed it."""
    del principal
    cycle = product.cycles.get(cycle_id)
    if version > cycle.cohort_version:
        raise NotFoundError("final_list_version_unknown", version=version)
    return Outcomes(
        version=version,
        signed=[by for by, _ in product.cohort.signatures(cycle_id, version)],
        outcomes=[
            Outcome(
                applicant=outcome.application,
                verdict=outcome.verdict,
                by=outcome.by,
                prepared_by=outcome.prepared_by or "",
                reason=outcome.reason,
                at=outcome.at,
            )
            for outcome in product.cohort.outcomes(cycle_id, version)
        ],
        digest=product.cohort.final_list(cycle_id).seal.digest
        if cycle.status is CycleStatus.FINALIZED and version == cycle.cohort_version
        else "",
    )


def _person(principal: Principal) -> None:
    """Refuse a program: a signature is a person's."""
    if principal.scopes is not None:
        raise ForbiddenError("key_cannot_sign")


def _check(check: SigningCheck) -> Check:
    return Check.model_validate(
        {
            "name": check.name,
            "met": check.met,
            "applicants": list(check.applicants),
            "sentences": [str(sentence) for sentence in check.sentences],
        }
    )


def _place(place: Place) -> decisions.Place:
    return decisions.Place(
        applicant=place.application,
        external_id=place.external_id,
        name=place.name,
        rank=place.rank,
        # People and programs read of a list; the stored word stays `cohort`.
        standing=place.standing.value.replace("cohort", "list"),
        estimate=hundred(place.estimate),
        raw_mean=hundred(place.raw_mean),
        margin=hundred(place.margin),
        evidence=place.evidence,
        too_close_to_call=place.too_close,
        likely=place.likely,
        tied=place.tied,
        reviews=place.pulls,
        reviews_missing=place.floor_missing,
    )
