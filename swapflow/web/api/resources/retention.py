"""What a round keeps for how long: rules, what goes when, legal holds, what was deleted."""

from collections.abc import Collection
from typing import Annotated

from fastapi import APIRouter, Path, Request

from swapflow.domain.people.kept_data import KeptData, LegalHold
from swapflow.engine.lifecycle.retention import HoldTarget, rule_revision
from swapflow.engine.services.retention import RetentionService
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import MayManageRetention
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.retention import (
    DeletionDone,
    Hold,
    KeptKind,
    LiftedHold,
    NewHold,
    NewRetentionRule,
    Retention,
)
from swapflow.web.api.revisions import MadeFrom
from swapflow.web.http.context import Product
from swapflow.web.http.dependencies import closed_programs


router = APIRouter(prefix="/rounds/{round_id}", route_class=ApiRoute, tags=["office"])

RoundId = Annotated[str, Path(max_length=40, description="The round.")]
HoldNumber = Annotated[int, Path(ge=1, le=2**31 - 1, description="The hold's number.")]


@router.get("/retention")
def read_retention(
    request: Request, round_id: RoundId, principal: MayManageRetention, product: Product
) -> Retention:
    """Read what a round keeps for how long, what goes when, what went, and its legal holds.

    Whom a hold is about, and why, is left out of programs in which the caller reviews, until
    asking ends.
    """
    service, closed = product.retention, closed_programs(request, principal)
    return Retention(
        round=round_id,
        kinds=[
            KeptKind(
                kind=one.kind,
                days=one.days,
                goes_at=one.goes_at,
                count=one.count,
                set_by=one.set_by,
                held=one.held,
                revision=rule_revision(one.days),
            )
            for one in service.preview(round_id)
        ],
        holds=[_hold(service, one, closed) for one in service.holds(round_id)],
        deleted=[
            DeletionDone(
                kind=one.kind,
                program=one.cycle_id or None,
                count=one.count,
                days=one.days,
                set_by=one.set_by,
                at=one.at,
            )
            for one in service.deletions(round_id)
        ],
    )


@router.put("/retention/{kind}")
def set_retention_rule(
    request: Request,
    round_id: RoundId,
    kind: KeptData,
    principal: MayManageRetention,
    product: Product,
    new: NewRetentionRule,
    precondition: MadeFrom,
) -> Retention:
    """Set how long a round keeps one kind of data after it ended."""
    product.retention.set_rule(
        round_id, kind, new.days, by=principal.name, made_from=precondition.made_from
    )
    precondition.tag(rule_revision(new.days))
    rule = "kept" if new.days is None else f"{new.days} days"
    note(request, principal, "set a retention rule", about=round_id, detail=f"{kind}: {rule}")
    return read_retention(request, round_id, principal, product)


@router.post("/retention/delete-due")
def delete_due(
    request: Request, round_id: RoundId, principal: MayManageRetention, product: Product
) -> Retention:
    """Delete now what the rules of a round keep no longer, without waiting for the night."""
    count = sum(one.count for one in product.retention.delete_due(round_id))
    note(
        request, principal, "deleted what is due", about=round_id, detail=f"{count} rows or files"
    )
    return read_retention(request, round_id, principal, product)


@router.post("/holds", status_code=201)
def place_hold(
    request: Request,
    round_id: RoundId,
    principal: MayManageRetention,
    product: Product,
    new: NewHold,
) -> Hold:
    """Place a legal hold: nothing under it is deleted or erased until a person lifts it."""
    target = HoldTarget(program=new.program or "", applicant=new.applicant, reviewer=new.reviewer)
    number = product.retention.place_hold(round_id, target, by=principal.name, reason=new.reason)
    note(
        request,
        principal,
        "placed a legal hold",
        about=f"{round_id}, hold {number}",
        cycle_id=new.program,
    )
    return _one(request, round_id, number, principal, product)


@router.post("/holds/{hold}/lift")
def lift_hold(
    request: Request,
    round_id: RoundId,
    hold: HoldNumber,
    principal: MayManageRetention,
    product: Product,
    why: LiftedHold,
) -> Hold:
    """Lift a legal hold; rules and people can delete again."""
    product.retention.lift_hold(round_id, hold, by=principal.name, reason=why.reason)
    note(request, principal, "lifted a legal hold", about=f"{round_id}, hold {hold}")
    return _one(request, round_id, hold, principal, product)


def _one(
    request: Request, round_id: str, number: int, principal: MayManageRetention, product: Product
) -> Hold:
    service = product.retention
    found = next(one for one in service.holds(round_id) if one.id == number)
    return _hold(service, found, closed_programs(request, principal))


def _hold(service: RetentionService, one: LegalHold, closed: Collection[str]) -> Hold:
    hidden = one.of_one_person and one.cycle_id in closed
    return Hold(
        hold=one.id,
        program=one.cycle_id or None,
        person="" if hidden else service.person_held(one),
        reason="" if hidden else one.reason,
        by=one.by,
        at=one.at,
        lifted_by=one.lifted_by,
        lifted_reason="" if hidden else one.lifted_reason,
        lifted_at=one.lifted_at,
    )
