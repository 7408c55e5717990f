"""Applicants: the table of a program, and one applicant's card with everything staff may do."""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any
from urllib.parse import urlencode

import numpy as np
from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cohort.quality_words import likely_words
from swapflow.domain.cycle import Cycle
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.plain_words import search_for
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.seal import NOTHING
from swapflow.engine.intake.applications import contact_revision
from swapflow.engine.reviewing.seat_view import SeatView
from swapflow.errors import InvalidInputError
from swapflow.files.exports.document import can_make_pdf
from swapflow.i18n.languages import gettext_noop
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.context import Product, app_context
from swapflow.web.http.dependencies import may, may_anywhere, seat_view_of
from swapflow.web.http.nested_forms import MadeFrom
from swapflow.web.http.program_page import (
    NOTHING_REFUSED,
    Again,
    Reason,
    Refused,
    act,
    held,
    said_why,
    visible,
)
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/applicants")

MayRead = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))]
MayManage = Annotated[Principal, Depends(may(Right.MANAGE_APPLICANTS))]
MaySomewhere = Annotated[Principal, Depends(may_anywhere(Right.SEE_APPLICANTS))]
Word = Annotated[str, Query(max_length=100)]

PAGE = 100

_MOVES = {
    "hold": (ApplicationStatus.HELD, "act_held"),
    "release": (ApplicationStatus.READY, "act_released"),
    "withdraw": (ApplicationStatus.WITHDRAWN, "act_withdrawn"),
    "reinstate": (ApplicationStatus.READY, "act_reinstated"),
    "ineligible": (ApplicationStatus.INELIGIBLE, "act_ineligible"),
}

_WHY = {
    "floor": gettext_noop("The rules promise this review."),
    "floor all": gettext_noop("Everyone gets this review."),
    "floor chosen": gettext_noop("Everyone on the proposed list gets this review."),
    "floor close": gettext_noop("Everyone too close to call gets this review."),
    "rule": gettext_noop("At that moment this review was expected to do most to settle the list."),
    "staff": gettext_noop("Staff asked for it."),
    "chance": gettext_noop("It was drawn near the cut, so that kinds can be compared."),
    "appeal": gettext_noop("It belongs to an appeal."),
    "late": gettext_noop("A late answer was taken."),
}

_SORTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    # Without a rank: last.
    gettext_noop("rank"): lambda row: row["rank"] or 10**9,
    gettext_noop("name"): lambda row: (row["name"].casefold(), row["external_id"]),
    gettext_noop("score"): lambda row: -(row["score"] if row["score"] is not None else -1.0),
    gettext_noop("margin"): lambda row: -(row["margin"] if row["margin"] is not None else -1.0),
    gettext_noop("reviews"): lambda row: -sum(row["closed"]),
    gettext_noop("state"): lambda row: row["state"],
}


@router.get("")
def show_programs(request: Request, principal: MaySomewhere) -> Response:
    """Redirect to the applicants of the newest program, or show that there is none."""
    cycles = visible(app_context(request), principal, Right.SEE_APPLICANTS)
    address = f"/applicants/{cycles[0].id}" if cycles else "/today"
    return RedirectResponse(address, status_code=303)


@router.get("/{cycle_id}")
def show_table(  # noqa: PLR0913, PLR0917 - FastAPI reads the query from the signature
    request: Request,
    principal: MayRead,
    product: Product,
    cycle_id: str,
    q: Word = "",
    state: Word = "",
    standing: Word = "",
    sort: Word = "rank",
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
) -> Response:
    """Show a page of the table, filtered and sorted here."""
    seat = seat_view_of(request, principal, cycle_id)
    rows, is_found = _rows(product, cycle_id, seat=seat), search_for(q)
    found = [
        row
        for row in rows
        if (not state or row["state"] == state)
        and (not standing or row["standing"] == standing)
        and is_found(row["name"], row["external_id"])
    ]
    found.sort(key=_SORTS.get(sort, _SORTS["rank"]))
    pages = max(1, -(-len(found) // PAGE))
    page = min(page, pages)
    query = {"q": q, "state": state, "standing": standing, "sort": sort}
    cycle, shown = product.cycles.get(cycle_id), found[(page - 1) * PAGE : page * PAGE]
    return render(
        request,
        "cycle/applicants.html",
        {
            "cycle": cycle,
            "cycles": visible(app_context(request), principal, Right.SEE_APPLICANTS),
            "may_change": Right.MANAGE_APPLICANTS in held(app_context(request), principal, cycle),
            "kinds": [kind.name for kind in product.cycles.rules(cycle_id).kinds],
            "rows": shown,
            "moves": product.applicants.last_moves(cycle_id, [row["number"] for row in shown]),
            "zone": product.cycles.rules(cycle_id).zone,
            "count": len(found),
            "all": len(rows),
            "page": page,
            "pages": pages,
            "query": query,
            "link": lambda **change: "?" + urlencode({**query, **change}),
            "states": [status.value for status in ApplicationStatus],
            "sorts": list(_SORTS),
            "seated": seat is not None,
        },
    )


@router.get("/{cycle_id}/{number}")
def show_card(
    request: Request, principal: MayRead, product: Product, cycle_id: str, number: int
) -> Response:
    """Show what reviewers said about an applicant, and why each of them was asked.

    A reviewer of the program who may not see the applicant is shown how to open them.
    """
    return card(request, principal, product, cycle_id, number)


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
        "cycle/closed_applicant.html",
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
) -> Response:
    """Render an applicant's page, with a form that was refused if there is one."""
    application = product.applicants.get(cycle_id, number)
    cycle, rules = product.cycles.get(cycle_id), product.cycles.rules(cycle_id)
    seat = seat_view_of(request, principal, cycle_id)
    if seat is not None and not seat.sees(number):
        return _closed(request, principal, cycle, number, refused)
    named = seat is None or seat.names(number)
    if seat is not None:
        application = seat.shown(application)
    rights = held(app_context(request), principal, cycle)
    (row,) = _rows(product, cycle_id, number, seat=seat)
    people = product.reviewers.list(cycle_id) if Right.MANAGE_REVIEWERS in rights else ()
    asked = product.reports.asked_about(cycle_id, number) if row["external_id"] else ()
    staff = Right.SEE_REVIEWERS in rights
    said = []
    for one in asked:
        given = product.tasks.score(one.request)
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
            }
        )
    return render(
        request,
        "cycle/applicant.html",
        {
            "cycle": cycle,
            "cycles": visible(app_context(request), principal, Right.SEE_APPLICANTS),
            "words": {right.name for right in rights},
            "rules": rules,
            "application": application,
            "contact_revision": contact_revision(application),
            "row": row,
            "way": product.reports.estimate_way(cycle_id, number) if row["rank"] else None,
            "said": said,
            "pin": next(
                (p for p in product.reports.pins(cycle_id) if p.application == number), None
            ),
            # A file that was not made ready for blind reading may tell who the applicant is.
            "documents": product.applicants.files(cycle_id, number) if named else (),
            "named": named,
            "again": [
                r for r in product.reconsiderations.list(cycle_id) if r.application == number
            ],
            "zone": rules.zone,
            "seen_as": product.applicants.reviewer_view(cycle_id).name_of(application),
            "pdf_too": can_make_pdf(),
            "conflicting": [
                one
                for one in product.reviewers.conflicting_scores(cycle_id)
                if one.score.application == number
            ],
            "conflicts": _conflicts(product, cycle_id, number, people) if people else (),
            "roster": roster_options(people),
            "refused": refused,
        },
        status=refused.status,
    )


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


def _rows(
    product: Product, cycle_id: str, only: int | None = None, *, seat: SeatView | None
) -> list[dict[str, Any]]:
    dashboard, _ = product.reports.dashboard(cycle_id)
    where = {n: i for i, n in enumerate(dashboard.application.tolist())}
    unknown = np.isnan(dashboard.estimate).tolist()
    estimate, margin = dashboard.estimate.tolist(), dashboard.margin.tolist()
    in_list, close = dashboard.in_list.tolist(), dashboard.too_close.tolist()
    likely = None if dashboard.quality is None else dashboard.quality.likely.tolist()
    kinds = len(product.cycles.rules(cycle_id).kinds)
    closed, pending = dashboard.received(kinds).tolist(), dashboard.pending.tolist()
    none = [0] * kinds
    pins = {pin.application: pin.verdict for pin in product.reports.pins(cycle_id)}
    rows = []
    people = product.reports.named(cycle_id, None if only is None else {only})
    for one in people if seat is None else seat.listed(people):
        i = where.get(one.number)
        known = i is not None and not unknown[i]
        standing = ""
        if i is not None and known:
            standing = "too close" if close[i] else "in" if in_list[i] else "out"
        rows.append(
            {
                "number": one.number,
                "name": one.name,
                "external_id": one.external_id,
                "state": one.status.value,
                "rank": i + 1 if i is not None and known else None,
                "score": estimate[i] if i is not None and known else None,
                # Without evidence a margin has no bound; 100 points is all that a page can show.
                "margin": min(margin[i], 1.0) if i is not None and known else None,
                "standing": standing,
                "likely": likely_words(likely[i], dashboard.places)
                if i is not None and known and likely is not None
                else None,
                "closed": closed[i] if i is not None else none,
                "waiting": i is not None and pending[i] > 0,
                "pin": pins.get(one.number, ""),
            }
        )
    return rows


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
