"""Programs made from others: practice programs for training, and next year's."""

from fastapi import APIRouter, Request

from swapflow.engine.copies.next_year import Taken
from swapflow.identity.permissions import Right
from swapflow.identity.principal import require
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import MayRun, MaySetUp
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.base import Counted
from swapflow.web.api.models.programs import (
    NewPracticeProgram,
    NextYearProgram,
    Program,
    ThrownAway,
)
from swapflow.web.api.resources.cycles import CycleId, shown_program
from swapflow.web.http.context import Product


router = APIRouter(prefix="/cycles/{cycle_id}", route_class=ApiRoute, tags=["programs"])


@router.post("/practice-programs", status_code=201)
def make_practice_program(
    request: Request,
    cycle_id: CycleId,
    principal: MayRun,
    product: Product,
    new: NewPracticeProgram,
) -> Program:
    """Make a practice program of a program: invented applicants, and nothing leaves it."""
    made = product.copies.practise(
        cycle_id, by=principal.name, applicants=new.applicants, automatic=new.automatic
    )
    note(request, principal, "made a practice program", about=made.id)
    return shown_program(made)


@router.post("/automatic-reviews")
def fill_automatically(
    request: Request, cycle_id: CycleId, principal: MayRun, product: Product
) -> Counted:
    """Have automatic reviewers answer the open reviews of a practice program."""
    count = product.copies.fill(cycle_id)
    note(request, principal, "had open reviews marked by automatic reviewers")
    return Counted(count=count)


@router.post("/throw-away")
def throw_away(
    request: Request, cycle_id: CycleId, principal: MayRun, product: Product
) -> ThrownAway:
    """Throw a practice program away with everything in it; a real program is refused."""
    contents = product.copies.contents(cycle_id)
    product.copies.throw_away(cycle_id)
    note(request, principal, "threw away a practice program", about=cycle_id)
    return ThrownAway(
        program=cycle_id,
        applicants=contents.applicants,
        reviews=contents.reviews,
        mails=contents.mails,
    )


@router.post("/next-year", status_code=201)
def make_next_year(
    request: Request,
    cycle_id: CycleId,
    principal: MaySetUp,
    product: Product,
    new: NextYearProgram,
) -> Program:
    """Make next year's program from this one, in draft; its dates lie a year later."""
    require(principal, Right.SET_UP, cycle_id=None, round_id=new.round)
    made = product.copies.next_year(
        cycle_id,
        new.id,
        round_id=new.round,
        name=new.name,
        by=principal.name,
        taken=Taken(
            roster=new.roster,
            rights=new.rights,
            columns=new.columns,
            letters=new.letters,
            years=new.years,
        ),
    )
    note(request, principal, "made next year's program", about=made.id)
    return shown_program(made)
