"""Values of applicants' attributes, and spellings that are one value."""

from fastapi import APIRouter, Request

from swapflow.engine.intake.value_spellings import ValueReport
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import MayManageApplicants
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.applicants import ChosenValue, NearSpellings, UnknownNamed, Values
from swapflow.web.api.models.base import Counted
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.http.context import Product


router = APIRouter(prefix="/cycles/{cycle_id}", route_class=ApiRoute, tags=["applicants"])


@router.get("/values")
def read_values(cycle_id: CycleId, principal: MayManageApplicants, product: Product) -> Values:
    """Read the values of attributes, and spellings that are perhaps one value."""
    del principal
    return _shown(product.applicants.values(cycle_id))


@router.post("/values")
def choose_value(
    request: Request,
    cycle_id: CycleId,
    principal: MayManageApplicants,
    product: Product,
    wanted: ChosenValue,
) -> Counted:
    """Take spellings for one value, or keep them apart; counts the applicants changed."""
    if wanted.into:
        done = "took spellings for one value"
        changed = product.applicants.join_values(
            cycle_id,
            wanted.attribute,
            wanted.spellings,
            wanted.into,
            by=principal.name,
            reason=wanted.reason,
        )
    else:
        done = "kept spellings apart"
        changed = product.applicants.keep_values_apart(
            cycle_id,
            wanted.attribute,
            wanted.spellings,
            by=principal.name,
            reason=wanted.reason,
        )
    note(request, principal, done, about=wanted.attribute)
    return Counted(count=changed)


def _shown(found: ValueReport) -> Values:
    return Values(
        attributes={name: dict(counts) for name, counts in found.counts.items()},
        perhaps_one=[
            NearSpellings(
                attribute=one.attribute, spellings=dict(one.spellings), proposed=one.into
            )
            for one in found.near
        ],
        unknown=[
            UnknownNamed(attribute=one.attribute, value=one.value, near=list(one.near))
            for one in found.unknown
        ],
    )
