"""Applicants: add, read, move, ask about, pin, explain, erase."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from swapflow.domain.people.age_bands import AgeBands, banded
from swapflow.domain.people.application import Application, ApplicationStatus, NewApplication
from swapflow.domain.people.plain_words import search_for
from swapflow.domain.people.protected_attributes import protected_trait
from swapflow.domain.rules import Rules
from swapflow.domain.seal import NOTHING
from swapflow.engine.intake.column_choice import check_named
from swapflow.engine.services import Swapflow
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import (
    MayDecide,
    MayManageApplicants,
    MaySeeApplicants,
    MaySetUp,
)
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.applicants import (
    Applicant,
    Ask,
    Contact,
    Explanation,
    Move,
    NewApplicant,
    NewApplicants,
    NewPin,
    Opened,
    Pin,
)
from swapflow.web.api.models.files import (
    AddedPeople,
    ChooseColumns,
    ChosenColumns,
    ErasedPerson,
)
from swapflow.web.api.models.programs import Because
from swapflow.web.api.models.scores import Numbered
from swapflow.web.api.pagination import Page, Paged, Searched
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.api.revisions import MadeFrom, tag
from swapflow.web.http.context import Product
from swapflow.web.http.dependencies import seat_view_of


router = APIRouter(prefix="/cycles/{cycle_id}", route_class=ApiRoute, tags=["applicants"])

LARGEST_PART = 2000
"""Applicants read at a time."""

Number = Annotated[int, Path(ge=0, le=2**31 - 1, description="The applicant's number.")]


@router.get("/applicants")
def list_applicants(
    request: Request,
    cycle_id: CycleId,
    principal: MaySeeApplicants,
    product: Product,
    paging: Paged,
    status: Annotated[ApplicationStatus | None, Query(description="Only these.")] = None,
    wanted: Searched = "",
) -> Page[Applicant]:
    """List applicants, in the order of their arrival; reviewers see in another role fewer."""
    seat, is_found = seat_view_of(request, principal, cycle_id), search_for(wanted)
    last, rows = paging.last(int), list[Application]()
    after, most = -1 if last is None else int(last[0]), paging.limit + 1
    # Only as far as the page goes; a search that finds little reads on in larger parts.
    while len(rows) <= paging.limit:
        read = product.applicants.after(cycle_id, after, at_most=most, status=status)
        for one in read:
            if seat is None or seat.sees(one.number):
                # Found by what the caller may see: a search tells no name that the list does not.
                shown = one if seat is None else seat.shown(one)
                if is_found(shown.name, shown.external_id, shown.email):
                    rows.append(shown)
        if len(read) < most:
            break
        after, most = read[-1].number, min(2 * most, LARGEST_PART)
    told = [Applicant.of(one) for one in rows[: paging.limit]]
    return paging.page(told, lambda row: [row.number], more=len(rows) > paging.limit)


@router.post("/applicants", status_code=201)
def add_applicants(
    request: Request,
    cycle_id: CycleId,
    principal: MayManageApplicants,
    product: Product,
    new: NewApplicants,
) -> AddedPeople:
    """Add applicants: all of them, or none, but for those who were erased.

    These are left out and named, unless `again` holds their ids.
    """
    _refuse_protected(new.applicants, product.cycles.rules(cycle_id))
    bands = AgeBands.read(new.age_bands, on=product.cycles.get(cycle_id).created_at.date())
    listed = product.applicants.import_list(
        cycle_id,
        [_new(applicant, bands) for applicant in new.applicants],
        wave=new.wave,
        again=new.again,
        by=principal.name,
    )
    note(request, principal, "added applicants", about=f"{len(listed.added)} applicants")
    return AddedPeople(count=len(listed.added), held=[ErasedPerson.of(row) for row in listed.held])


@router.get("/columns")
def read_columns(
    cycle_id: CycleId, principal: MayManageApplicants, product: Product, response: Response
) -> ChosenColumns:
    """Read which columns reviewers see."""
    del principal
    found = product.applicants.columns(cycle_id)
    tag(response, found.revision)
    return ChosenColumns.of(found)


@router.put("/columns")
def choose_columns(
    request: Request,
    cycle_id: CycleId,
    principal: MayManageApplicants,
    product: Product,
    wanted: ChooseColumns,
    precondition: MadeFrom,
) -> ChosenColumns:
    """Choose which columns reviewers see; those that are not named stay as they are."""
    found = product.applicants.columns(cycle_id)
    choices = {
        **(found.proposed() if wanted.show_proposed else {}),
        **dict.fromkeys(wanted.show, True),
        **dict.fromkeys(wanted.hide, False),
    }
    check_named(choices, {one.name for one in found.columns})
    if choices:
        product.applicants.choose_columns(
            cycle_id, choices, by=principal.name, made_from=precondition.made_from
        )
        shown = sum(choices.values())
        note(
            request,
            principal,
            "chose the columns that reviewers see",
            detail=f"{shown} shown, {len(choices) - shown} hidden",
        )
        found = product.applicants.columns(cycle_id)
    precondition.tag(found.revision)
    return ChosenColumns.of(found)


@router.get("/applicants/{number:int}")
def read_applicant(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MaySeeApplicants,
    product: Product,
    response: Response,
) -> Applicant:
    """Read one applicant."""
    seat, found = seat_view_of(request, principal, cycle_id), _find(product, cycle_id, number)
    return _told(response, found if seat is None else seat.shown(found))


@router.post("/applicants/{number:int}/opening")
def open_applicant(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MaySeeApplicants,
    product: Product,
    why: Because,
) -> Opened:
    """See an applicant in another role though one reviews here; one is never asked of them then.

    Says whether this was new. It stands in the record, and has no way back.
    """
    seat = principal.reviews_in(cycle_id)
    if seat is None:
        raise InvalidInputError("not_a_reviewer_here")
    new = product.reviewers.open_applicant(
        cycle_id, number, seat, by=principal.name, reason=why.reason
    )
    note(request, principal, "opened an applicant", about=f"number {number}", detail=why.reason)
    return Opened(opened=new)


@router.get("/applicants/{number:int}/explanation")
def explain_applicant(
    cycle_id: CycleId, number: Number, principal: MaySeeApplicants, product: Product
) -> Explanation:
    """Return where an applicant stands, and why they were asked about."""
    del principal
    told = product.reports.explain(cycle_id, _find(product, cycle_id, number).external_id)
    return Explanation.of(told)


@router.post("/applicants/{number:int}/status")
def move_applicant(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MayManageApplicants,
    product: Product,
    move: Move,
    precondition: MadeFrom,
) -> Applicant:
    """Hold, release, withdraw or reinstate an applicant, or find them ineligible."""
    found = _find(product, cycle_id, number)
    status = ApplicationStatus(move.status)
    product.applicants.move(
        cycle_id,
        found.external_id,
        status,
        by=principal.name,
        reason=move.reason,
        made_from=precondition.made_from,
    )
    note(request, principal, f"made an applicant {status.value}", about=found.external_id)
    return _told(precondition.response, _find(product, cycle_id, number))


@router.post("/applicants/{number:int}/contact")
def correct_contact(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MayManageApplicants,
    product: Product,
    contact: Contact,
    precondition: MadeFrom,
) -> Applicant:
    """Correct name or mail address, at any time; letters that wait go to the new address."""
    found = _find(product, cycle_id, number)
    said = {"name": contact.name, "email": contact.email}
    values = {what: value for what, value in said.items() if value is not None}
    if not values:
        raise InvalidInputError("nothing_to_correct")
    product.applicants.correct(
        cycle_id,
        found.external_id,
        values,
        by=principal.name,
        reason=contact.reason,
        made_from=precondition.made_from,
    )
    note(request, principal, "corrected an applicant", about=found.external_id)
    return _told(precondition.response, _find(product, cycle_id, number))


@router.post("/applicants/{number:int}/requests", status_code=201)
def ask_about_applicant(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MayManageApplicants,
    product: Product,
    staff_request: Ask,
) -> Numbered:
    """Ask for an extra review. The same request, while it is open, is not made a second time."""
    found = _find(product, cycle_id, number)
    kind = product.cycles.rules(cycle_id).kind_index(staff_request.kind)
    said = (number, kind, principal.name, staff_request.reason)
    for known in product.applicants.staff_requests(cycle_id):
        if (known.application, known.kind, known.by, known.reason) == said:
            return Numbered(number=known.id)
    made = product.applicants.ask(
        cycle_id,
        found.external_id,
        staff_request.kind,
        by=principal.name,
        reason=staff_request.reason,
    )
    note(request, principal, "asked for an extra review", about=found.external_id)
    return Numbered(number=made)


@router.get("/pins")
def list_pins(
    cycle_id: CycleId, principal: MaySeeApplicants, product: Product, paging: Paged
) -> Page[Pin]:
    """List whom people want in or out, whatever the marks say."""
    del principal
    rows = [
        Pin(
            applicant=pin.application,
            verdict=pin.verdict,
            by=pin.by,
            reason=pin.reason,
            at=pin.at,
            revision=pin.revision,
        )
        for pin in product.reports.pins(cycle_id)
    ]
    rows.sort(key=lambda row: row.applicant)
    return paging.after(rows, lambda row: row.applicant)


@router.put("/applicants/{number:int}/pin", status_code=204)
def pin_applicant(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MayDecide,
    product: Product,
    pin: NewPin,
    precondition: MadeFrom,
) -> Response:
    """Want an applicant in or out, with a reason; or neither any more."""
    found = _find(product, cycle_id, number)
    verdict = "" if pin.verdict == "neither" else pin.verdict
    product.cohort.propose_pin(
        cycle_id,
        number,
        verdict,
        by=principal.name,
        reason=pin.reason,
        made_from=precondition.made_from,
    )
    note(request, principal, f"pinned an applicant {pin.verdict}", about=found.external_id)
    pins = product.reports.pins(cycle_id)
    stored = next((one for one in pins if one.application == number), None)
    return precondition.done(stored.revision if stored else NOTHING)


@router.delete("/applicants/{number:int}", status_code=204)
def erase_applicant(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MaySetUp,
    product: Product,
) -> Response:
    """Erase one person's data for good; their number and their scores' sums stay."""
    found = _find(product, cycle_id, number)
    product.applicants.erase(cycle_id, found.external_id, by=principal.name)
    note(request, principal, "erased an applicant", about=f"number {number}")
    return Response(status_code=204)


def _told(response: Response, application: Application) -> Applicant:
    """Answer with an applicant and with their revision."""
    told = Applicant.of(application)
    tag(response, told.revision)
    return told


def _find(product: Swapflow, cycle_id: str, number: int) -> Application:
    """Find an applicant of this program who was not erased."""
    application = product.applicants.get(cycle_id, number)
    if not application.external_id:
        raise NotFoundError("applicant_number_unknown", number=number)
    return application


def _refuse_protected(applicants: Sequence[NewApplicant], rules: Rules) -> None:
    """Refuse protected traits outside monitoring, but for one that the rules may use."""
    for applicant in applicants:
        for name in (*applicant.attributes, *applicant.fields):
            trait = protected_trait(name)
            if trait and name not in rules.attributes:
                raise InvalidInputError(
                    "field_is_protected", applicant=applicant.external_id, name=name, trait=trait
                )


def _new(applicant: NewApplicant, bands: AgeBands) -> NewApplication:
    return NewApplication(
        external_id=applicant.external_id,
        name=applicant.name,
        email=applicant.email,
        ready=applicant.ready,
        selection=applicant.attributes,
        monitor=banded(applicant.monitoring, bands),
        fields=applicant.fields,
        documents=tuple((d.name, d.link, d.redacted) for d in applicant.documents),
    )
