"""One applicant understood: the sentence, the way to the estimate, reviews, file, and why."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import Response

from swapflow.domain.cohort.quality_words import likely_words
from swapflow.domain.cycle import Cycle
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.document import is_confidential
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.reviewing.assignment import OPEN_ASSIGNMENT, AssignmentStatus, PullReason
from swapflow.domain.seal import NOTHING
from swapflow.engine.intake.applications import contact_revision
from swapflow.engine.read_models.people.applicant_table import ApplicantTable
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.files.exports.document import can_make_pdf
from swapflow.i18n.languages import gettext_noop
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.context import Product, app_context
from swapflow.web.http.dependencies import may, seat_view_of
from swapflow.web.http.nested_forms import MadeFrom
from swapflow.web.http.program_page import (
    NOTHING_REFUSED,
    Again,
    Reason,
    Refused,
    act,
    held,
    returned_to,
    said_why,
    visible,
)
from swapflow.web.http.rendering import render
from swapflow.web.people.applicants import seen_table
from swapflow.web.people.listing import ApplicantListing, Listed
from swapflow.web.people.marks import BAR_WIDTH, drawn, table_scale, waterfall


router = APIRouter(prefix="/applicants")

MayRead = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))]
MayManage = Annotated[Principal, Depends(may(Right.MANAGE_APPLICANTS))]

_MOVES = {
    "hold": (ApplicationStatus.HELD, "act_held"),
    "release": (ApplicationStatus.READY, "act_released"),
    "withdraw": (ApplicationStatus.WITHDRAWN, "act_withdrawn"),
    "reinstate": (ApplicationStatus.READY, "act_reinstated"),
    "ineligible": (ApplicationStatus.INELIGIBLE, "act_ineligible"),
}

_OPEN = frozenset(status.value for status in OPEN_ASSIGNMENT)
_NOT_BEGUN = _OPEN - {AssignmentStatus.OPENED.value}

_WHY = {
    "floor": gettext_noop("The rules promise this review."),
    "floor all": gettext_noop("Everyone gets this review."),
    "floor chosen": gettext_noop("Everyone on the proposed list gets this review."),
    "floor close": gettext_noop("Everyone too close to call gets this review."),
    "rule": gettext_noop("At that moment this review was expected to do most to settle the list."),
    "staff": gettext_noop("Staff asked for it."),
    "chance": gettext_noop("It was drawn near the cut, so that kinds of review can be compared."),
    "drawn": gettext_noop("It was drawn from those clearly out, to be read once more."),
    "appeal": gettext_noop("It belongs to an appeal."),
    "late": gettext_noop("A late answer was taken."),
}


@router.get("/{cycle_id}/{number}")
def show_card(
    request: Request,
    principal: MayRead,
    product: Product,
    cycle_id: str,
    number: int,
    listing: Listed,
) -> Response:
    """Show what reviewers said about an applicant, and why each of them was asked.

    A reviewer of the program who may not see the applicant is shown how to open them.
    """
    return card(request, principal, product, cycle_id, number, listing=listing)


def _closed(
    request: Request,
    principal: Principal,
    cycle: Cycle,
    number: int,
    refused: Refused = NOTHING_REFUSED,
) -> Response:
    """Show that an applicant is closed to a reviewer until asking ends, and how to open them."""
    return render(
        request,
        "people/closed_applicant.html",
        {
            "cycle": cycle,
            "cycles": visible(app_context(request), principal, Right.SEE_APPLICANTS),
            "number": number,
            "refused": refused,
        },
        status=refused.status if refused.form else 403,
    )


def card(
    request: Request,
    principal: Principal,
    product: Product,
    cycle_id: str,
    number: int,
    refused: Refused = NOTHING_REFUSED,
    *,
    listing: ApplicantListing | None = None,
) -> Response:
    """Render an applicant's page, with a form that was refused if there is one."""
    application, listing = product.applicants.get(cycle_id, number), listing or ApplicantListing()
    cycle, rules = product.cycles.get(cycle_id), product.cycles.rules(cycle_id)
    seat = seat_view_of(request, principal, cycle_id)
    if seat is not None and not seat.sees(number):
        return _closed(request, principal, cycle, number, refused)
    named = seat is None or seat.names(number)
    if seat is not None:
        application = seat.shown(application)
    rights = held(app_context(request), principal, cycle)
    table, pins = seen_table(product, cycle_id, seat), product.reports.pins(cycle_id)
    row = table.row_of(number)
    if row is None:
        raise NotFoundError("application_number_not_found", cycle=cycle_id, number=number)
    people = product.reviewers.list(cycle_id)
    chosen = people if Right.MANAGE_REVIEWERS in rights else ()
    way, in_time = (
        product.reports.estimate_way_soon(cycle_id, number) if row.rank else (None, True)
    )
    return render(
        request,
        "people/applicant.html",
        {
            "cycle": cycle,
            "cycles": visible(app_context(request), principal, Right.SEE_APPLICANTS),
            "words": {right.name for right in rights},
            "rules": rules,
            "application": application,
            "contact_revision": contact_revision(application),
            "mine": f"staff: {principal.name}",
            "row": row,
            "returned": returned_to(request, principal, cycle_id).applicants.get(number, ()),
            "drawn": drawn(table, row, table_scale(table), pins),
            "width": BAR_WIDTH,
            "ranked": int((table.rank > 0).sum()),
            "places_count": table.places,
            "cut": None if table.cut is None else round(100 * table.cut),
            "likely": None if row.likely is None else likely_words(row.likely, table.places),
            "way": way,
            "water": None if way is None else waterfall(way, table.cut),
            "calculating": not in_time,
            "said": _said(product, cycle_id, number, people, staff=Right.SEE_REVIEWERS in rights)
            if row.who.external_id
            else (),
            "wishes": [
                wish
                for wish in product.applicants.staff_requests(cycle_id)
                if wish.application == number
            ],
            "pin": next((pin for pin in pins if pin.application == number), None),
            # A file that was not made ready for blind reading may tell who the applicant is.
            "documents": product.applicants.files(cycle_id, number) if named else (),
            "confidential": {
                name
                for name in (
                    *application.fields,
                    *(one.name for one in product.applicants.files(cycle_id, number)),
                )
                if is_confidential(name, rules.confidential)
            },
            "named": named,
            "again": [
                r for r in product.reconsiderations.list(cycle_id) if r.application == number
            ],
            "zone": rules.zone,
            "seen_as": product.applicants.reviewer_view(cycle_id).name_of(application),
            "pdf_too": can_make_pdf(),
            "terms": product.reports.figure_terms(cycle_id),
            "conflicting": product.reviewers.conflicting_scores(cycle_id, number),
            "conflicts": _conflicts(product, cycle_id, number, chosen) if chosen else (),
            "roster": roster_options(chosen),
            "refused": refused,
            "listing": listing,
            "beside": _beside(table, listing, number),
        },
        status=refused.status,
    )


def _said(
    product: Product, cycle_id: str, number: int, people: Sequence[Reviewer], *, staff: bool
) -> list[dict[str, Any]]:
    """List each review that was asked for: why, and what came; names of reviewers for staff."""
    names = {one.number: one.name or one.external_id for one in people}
    said = []
    for one in product.reports.asked_about(cycle_id, number):
        given = product.tasks.score(one.request) if one.score is not None else None
        notes = dict(given.notes) if given else {}
        # Private notes go with reviewers' names: people who may not see those get neither.
        private = notes.pop("private", "")
        said.append(
            {
                "asked": one,
                "why": _WHY.get(one.origin, one.why),
                "marks": dict(given.marks) if given else {},
                "remark": given.remark if given else "",
                "notes": notes,
                "private": private if staff else "",
                "reviewer": one.reviewer if staff else "",
                "name": names.get(one.reviewer_number, one.reviewer) if staff else "",
                "is_open": one.status in _OPEN,
                "is_staffs": one.why == PullReason.STAFF.value and one.status in _NOT_BEGUN,
            }
        )
    return said


def _beside(
    table: ApplicantTable, listing: ApplicantListing, number: int
) -> tuple[int | None, int | None]:
    """Return who comes before and after an applicant in the table that a page came from."""
    numbers = [table.names[int(index)].number for index in listing.rows(table)]
    if number not in numbers:
        return None, None
    place = numbers.index(number)
    after = numbers[place + 1] if place + 1 < len(numbers) else None
    return numbers[place - 1] if place else None, after


def card_again(
    request: Request, principal: Principal, product: Product, cycle_id: str, number: int
) -> Again:
    """Return what shows the applicant's page again, with a form that was refused."""
    return lambda refused: card(request, principal, product, cycle_id, number, refused)


@router.post("/{cycle_id}/{number}/status")
def move(
    request: Request,
    principal: MayManage,
    product: Product,
    cycle_id: str,
    number: int,
    what: Annotated[str, Form()] = "",
    reason: Reason = "",
    revision: MadeFrom = NOTHING,
) -> Response:
    """Hold, release, withdraw, reinstate or find ineligible, with a reason."""

    def deed() -> None:
        if what not in _MOVES:
            raise InvalidInputError("action_not_chosen")
        why = said_why(reason)
        name = name_of(product, cycle_id, number)
        product.applicants.move(
            cycle_id,
            name,
            _MOVES[what][0],
            by=principal.name,
            reason=why,
            made_from=revision,
        )

    done = Message(_MOVES.get(what, (None, ""))[1])
    return act(
        request,
        principal,
        f"/applicants/{cycle_id}/{number}",
        done,
        deed,
        form="status",
        typed={"reason": reason, "revision": revision},
        again=card_again(request, principal, product, cycle_id, number),
    )


def _conflicts(
    product: Product, cycle_id: str, number: int, people: Sequence[Reviewer]
) -> list[tuple[str, str]]:
    """List an applicant's conflicts of interest: the reviewer's id, and who said it."""
    roster = {one.number: one.external_id for one in people}
    return [
        (roster[reviewer], source)
        for (application, reviewer), source in sorted(
            product.reviewers.conflict_sources(cycle_id).items()
        )
        if application == number and roster.get(reviewer)
    ]


def roster_options(people: Iterable[Reviewer]) -> list[tuple[str, str]]:
    """List the reviewers who are known by name, as options."""
    return [
        (one.external_id, f"{one.name} ({one.external_id})" if one.name else one.external_id)
        for one in people
        if not one.was_erased
    ]


def name_of(product: Product, cycle_id: str, number: int) -> str:
    """Return an applicant's id.

    Raises:
        InvalidInputError: If the applicant was erased.
    """
    name = product.applicants.get(cycle_id, number).external_id
    if not name:
        raise InvalidInputError("applicant_was_erased")
    return name
