"""One applicant looked at again by fresh reviewers after the list was fixed."""

from fastapi import APIRouter, Request, Response

from swapflow.domain.cohort.reconsideration import Reconsideration, Result
from swapflow.domain.rules import Rules
from swapflow.engine.cohort.prepared_decisions import prepared_revision
from swapflow.engine.reconsideration.evidence import HOW
from swapflow.engine.reconsideration.open_reconsideration import ReconsiderationRequest
from swapflow.errors import ForbiddenError, NotFoundError
from swapflow.identity.principal import Principal
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import MayDecide, MaySeeApplicants, MaySign
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models import reconsiderations
from swapflow.web.api.models.base import hundred
from swapflow.web.api.models.decisions import Prepared, ReopeningAsked
from swapflow.web.api.models.reconsiderations import (
    NewConclusion,
    NewReconsideration,
    Statement,
    TakingBack,
)
from swapflow.web.api.resources.applications import Number
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.api.resources.decisions import read_prepared
from swapflow.web.api.revisions import MadeFrom, tag
from swapflow.web.http.context import Product


router = APIRouter(prefix="/cycles/{cycle_id}", route_class=ApiRoute, tags=["decisions"])


@router.get("/reconsiderations")
def list_reconsiderations(
    cycle_id: CycleId, principal: MaySeeApplicants, product: Product
) -> list[reconsiderations.Reconsideration]:
    """List the reconsiderations of a program, the first first."""
    del principal
    rules = product.cycles.rules(cycle_id)
    return [_public(one, rules) for one in product.reconsiderations.list(cycle_id)]


@router.post("/reconsiderations", status_code=201)
def open_reconsideration(
    request: Request,
    cycle_id: CycleId,
    principal: MayDecide,
    product: Product,
    new: NewReconsideration,
) -> reconsiderations.Reconsideration:
    """Ask people who never had the application for fresh reviews; the list stays fixed."""
    name = _named(product, cycle_id, new.applicant)
    wanted = ReconsiderationRequest(
        reason=new.reason,
        asked_by=new.asked_by,
        asked_on=new.asked_on,
        reviews=new.reviews,
        kind=new.kind,
    )
    opened = product.reconsiderations.open(cycle_id, name, wanted, by=principal.name)
    note(request, principal, "opened a reconsideration", about=name, detail=new.reason)
    found = next(one for one in product.reconsiderations.list(cycle_id) if one.id == opened)
    return _public(found, product.cycles.rules(cycle_id))


@router.get("/reconsiderations/{number:int}")
def read_statement(
    cycle_id: CycleId,
    number: Number,
    principal: MaySeeApplicants,
    product: Product,
    response: Response,
) -> Statement:
    """Read where an applicant would have stood, and what is proposed; 404 when none is open.

    `ETag` is the digest of what waits for signatures, to be sent with another result.
    """
    del principal
    found = product.reconsiderations.evidence(cycle_id, _named(product, cycle_id, number))
    waiting = product.cohort.pending(cycle_id)
    tag(response, prepared_revision(waiting.prepared if waiting else None))
    return Statement(
        applicant=number,
        reviews=found.which.new.reviews,
        received=found.received,
        waiting=found.waiting,
        before=hundred(found.before),
        after=100 * found.after.estimate,
        line=hundred(found.line),
        waitlist_now=found.stands or None,
        waitlist_then=found.place,
        places=found.places,
        places_held=found.taken,
        proposes=found.proposes,
        exceptions=list(found.exceptions),
        how=HOW,
        digest=found.seal.digest,
    )


@router.put("/reconsiderations/{number:int}/decision")
def prepare_conclusion(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MaySign,
    product: Product,
    new: NewConclusion,
    precondition: MadeFrom,
) -> Prepared:
    """Sign what becomes of it and put it up for the other signatures. Only a person signs."""
    _person(principal)
    name = _named(product, cycle_id, number)
    product.reconsiderations.prepare(
        cycle_id,
        name,
        by=principal.name,
        result=None if new.result is None else Result(new.result),
        reason=new.reason,
        beyond=new.beyond,
        shown=new.digest,
        made_from=precondition.made_from,
    )
    note(request, principal, "signed a reconsideration", about=name, detail=new.reason)
    return read_prepared(cycle_id, principal, product, precondition.response)


@router.post("/reconsiderations/{number:int}/take-back", status_code=204)
def take_back_reconsideration(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MayDecide,
    product: Product,
    why: TakingBack,
) -> Response:
    """End a reconsideration without a decision; what is still out is cancelled."""
    name = _named(product, cycle_id, number)
    product.reconsiderations.take_back(
        cycle_id, name, by=principal.name, reason=why.reason, which=why.reconsideration
    )
    note(request, principal, "took a reconsideration back", about=name, detail=why.reason)
    return Response(status_code=204)


@router.post("/reconsiderations/{number:int}/undo")
def prepare_undoing(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MaySign,
    product: Product,
    why: ReopeningAsked,
    response: Response,
) -> Prepared:
    """Ask that it be undone, until the person was offered a place; others sign it too."""
    _person(principal)
    name = _named(product, cycle_id, number)
    product.reconsiderations.prepare_undoing(
        cycle_id, name, by=principal.name, reason=why.reason, shown=why.digest
    )
    note(request, principal, "asked to undo a reconsideration", about=name, detail=why.reason)
    return read_prepared(cycle_id, principal, product, response)


def _named(product: Product, cycle_id: str, number: int) -> str:
    who = next(iter(product.reports.named(cycle_id, {number})), None)
    if who is None or not who.external_id:
        raise NotFoundError("program_has_no_applicant", number=number)
    return who.external_id


def _person(principal: Principal) -> None:
    """Refuse a program: a signature is a person's."""
    if principal.scopes is not None:
        raise ForbiddenError("key_cannot_sign")


def _public(one: Reconsideration, rules: Rules) -> reconsiderations.Reconsideration:
    closing = one.closing
    return reconsiderations.Reconsideration(
        id=one.id,
        applicant=one.application,
        version=one.new.version,
        kind=rules.kinds[one.new.kind].name,
        reviews=one.new.reviews,
        asked_by=one.new.asked_by,
        asked_on=one.new.asked_on,
        reason=one.new.reason,
        opened_by=one.by,
        opened_at=one.at,
        result=closing.result if closing else None,
        made_version=(closing.version or None) if closing else None,
        place=(closing.place or None) if closing else None,
        before=hundred(closing.before) if closing else None,
        after=hundred(closing.after) if closing else None,
        received=closing.received if closing else 0,
        beyond_the_places=closing.beyond if closing else False,
        exceptions=list(closing.exceptions) if closing else [],
        signed=list(one.closed_by),
        closed_at=one.closed_at,
    )
