"""Reviewers: who is busy, who is late, how they judge, and what staff may do about it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.people.plain_words import search_for
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus
from swapflow.domain.reviewing.score import NotCounted
from swapflow.domain.seal import revision
from swapflow.engine.audit.reviewer_figures import MANY, ReviewerFigure
from swapflow.engine.ports.records import ApplicantName
from swapflow.engine.reviewing.seat_view import SeatView
from swapflow.engine.reviewing.submitted_score import review_revision
from swapflow.errors import NotFoundError
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.http.context import AppContext, Product, app_context
from swapflow.web.http.dependencies import may, may_anywhere, seat_view_of
from swapflow.web.http.labels import severity_view_of
from swapflow.web.http.program_page import (
    NOTHING_REFUSED,
    Again,
    Refused,
    about,
    held,
    log_figures,
    returned_to,
    visible,
)
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/reviewers")

MaySee = Annotated[Principal, Depends(may(Right.SEE_REVIEWERS))]
MayManage = Annotated[Principal, Depends(may(Right.MANAGE_REVIEWERS))]
MaySetUp = Annotated[Principal, Depends(may(Right.SET_UP))]
MaySomewhere = Annotated[Principal, Depends(may_anywhere(Right.SEE_REVIEWERS))]
Text = Annotated[str, Form()]

PAGE = 25
"""Reviews of one reviewer on a page."""


@router.get("")
def show_programs(request: Request, principal: MaySomewhere) -> Response:
    """Redirect to the reviewers of the newest program."""
    cycles = visible(app_context(request), principal, Right.SEE_REVIEWERS)
    return RedirectResponse(f"/reviewers/{cycles[0].id}" if cycles else "/today", status_code=303)


@router.get("/{cycle_id}")
def show_table(
    request: Request,
    principal: MaySee,
    product: Product,
    cycle_id: str,
    q: Annotated[str, Query(max_length=100)] = "",
) -> Response:
    """Show how busy reviewers are, and how they judge."""
    roster, is_found = product.reviewers.list(cycle_id), search_for(q)
    loads, rules = product.reports.loads(cycle_id), product.cycles.rules(cycle_id)
    dashboard, _ = product.reports.dashboard(cycle_id)
    seen = _last_seen(app_context(request))
    today = product.cycles.now().date()
    returned = returned_to(request, principal, cycle_id)
    return render(
        request,
        "people/reviewers.html",
        {
            "returned": [
                (one.number, one.name or one.external_id, returned.reviewers[one.number])
                for one in roster
                if one.number in returned.reviewers
            ],
            "returned_others": returned.others,
            "may_run": Right.RUN
            in held(app_context(request), principal, product.cycles.get(cycle_id)),
            "cycle": product.cycles.get(cycle_id),
            "cycles": visible(app_context(request), principal, Right.SEE_REVIEWERS),
            "rows": [
                {
                    "reviewer": one,
                    "load": loads.get(one.number),
                    "manner": severity_view_of(dashboard.severity, one.number),
                    "seen": seen.get(one.email.casefold()) if one.email else None,
                    "away": next((a for a in one.absences if a.first <= today <= a.last), None),
                }
                for one in roster
                if is_found(one.name, one.external_id, one.email)
            ],
            "all": len(roster),
            "q": q,
            "adjusted": rules.severity,
            "terms": product.reports.figure_terms(cycle_id),
            "zone": rules.zone,
        },
    )


@router.get("/{cycle_id}/figures")
def ask_for_figures(request: Request, principal: MaySee, cycle_id: str) -> Response:
    """Show what looking at figures means; shows none and computes none."""
    return _figures_page(request, principal, cycle_id)


@router.post("/{cycle_id}/figures")
def look_at_figures(
    request: Request, principal: MaySee, product: Product, cycle_id: str
) -> Response:
    """Write down who looks, then show how quick and how late reviewers are."""
    log_figures(request, principal, cycle_id, "how quick and how late")
    figures = product.reports.reviewer_figures(cycle_id)
    return _figures_page(request, principal, cycle_id, figures=figures)


def _figures_page(
    request: Request,
    principal: Principal,
    cycle_id: str,
    *,
    figures: tuple[ReviewerFigure, ...] | None = None,
) -> Response:
    app = app_context(request)
    names = {r.number: r.name or r.external_id for r in app.product.reviewers.list(cycle_id)}
    return render(
        request,
        "people/reviewer_figures.html",
        {
            **about(app, cycle_id, principal, Right.SEE_REVIEWERS),
            "terms": app.product.reports.figure_terms(cycle_id),
            "figures": figures,
            "many": MANY,
            "names": names,
        },
    )


@router.get("/{cycle_id}/{number}")
def show_reviewer(
    request: Request,
    principal: MaySee,
    product: Product,
    cycle_id: str,
    number: int,
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
) -> Response:
    """Show what waits for a reviewer, what came from them, and what may be done about it."""
    return _card(request, principal, product, cycle_id, number, page=page)


def _card(
    request: Request,
    principal: Principal,
    product: Product,
    cycle_id: str,
    number: int,
    *,
    page: int = 1,
    refused: Refused = NOTHING_REFUSED,
) -> Response:
    reviewer = reviewer_numbered(product, cycle_id, number)
    cycle, rules = product.cycles.get(cycle_id), product.cycles.rules(cycle_id)
    tasks, answered = (
        product.reports.waiting_for(cycle_id, number),
        product.reports.reviews_by(cycle_id, number),
    )
    seat = seat_view_of(request, principal, cycle_id)
    if seat is not None:
        tasks = tuple(one for one in tasks if seat.sees(one.application))
        answered = tuple(one for one in answered if seat.sees(one.application))
    pages = max(1, -(-len(answered) // PAGE))
    page = min(page, pages)
    shown = answered[(page - 1) * PAGE : page * PAGE]
    # The form that was refused must be on the page, wherever its review is in the list.
    what, _, task = refused.form.partition(" ")
    if what in {"void", "lift"}:
        shown = tuple(one for one in answered if one.id == task) or shown
    # Names of those on the page alone: a program may have thousands.
    wanted = {one.application for one in (*tasks, *shown)}
    people = product.reports.named(cycle_id, wanted)
    names = {n.number: n for n in (people if seat is None else seat.listed(people))}
    lifted = (
        product.reviewers.lifted_bars(cycle_id)
        if any(one.status is AssignmentStatus.SCORED for one in shown)
        else {}
    )
    dashboard, _ = product.reports.dashboard(cycle_id)
    return render(
        request,
        "people/reviewer.html",
        {
            "cycle": cycle,
            "cycles": visible(app_context(request), principal, Right.SEE_REVIEWERS),
            "words": {right.name for right in held(app_context(request), principal, cycle)},
            "reviewer": reviewer,
            "address_revision": address_revision(reviewer),
            "returned": returned_to(request, principal, cycle_id).reviewers.get(number, ()),
            "load": product.reports.loads(cycle_id).get(number),
            "manner": severity_view_of(dashboard.severity, number),
            "terms": product.reports.figure_terms(cycle_id),
            "seen": _last_seen(app_context(request)).get(reviewer.email.casefold())
            if reviewer.email
            else None,
            "tasks": [
                (t, cycle.task_code(t.id), names[t.application], rules.kinds[t.kind].name)
                for t in tasks
            ],
            "reviews": [
                _review(product, one, names, rules.kinds[one.kind].name, lifted) for one in shown
            ],
            "seated": seat is not None,
            # What is held of an account belongs to all programs; see `may_in_office`.
            "may_copy": seat is None and Right.MANAGE_USERS in principal.rights(),
            "page": page,
            "pages": pages,
            "zone": rules.zone,
            "refused": refused,
            "today": product.cycles.now().date(),
            "begun": sum(one.status is AssignmentStatus.OPENED for one in tasks),
            "conflicts": _conflicts(product, cycle_id, number, seat),
        },
        status=refused.status,
    )


def _conflicts(
    product: Product, cycle_id: str, number: int, seat: SeatView | None
) -> list[tuple[ApplicantName, str]]:
    """List whom a reviewer may not judge, and who said so."""
    sources = {
        application: source
        for (application, reviewer), source in product.reviewers.conflict_sources(cycle_id).items()
        if reviewer == number and (seat is None or seat.sees(application))
    }
    people = product.reports.named(cycle_id, sources)
    return [
        (one, sources[one.number]) for one in (people if seat is None else seat.listed(people))
    ]


def _review(
    product: Product,
    one: Assignment,
    names: Mapping[int, ApplicantName],
    kind: str,
    lifted: Mapping[tuple[int, int], datetime],
) -> dict[str, Any]:
    given = product.tasks.score(one.id)
    at = lifted.get((one.application, one.reviewer))
    return {
        "id": one.id,
        "revision": review_revision(given),
        "who": names[one.application],
        "kind": kind,
        "score": given.score.value / 1e6 if given else None,
        "counts": bool(given and given.score.counts),
        "why": given.score.reason if given else "",
        "voided": bool(given and given.score.reason == NotCounted.VOIDED),
        "lifted": bool(given and at and at >= given.score.submitted_at),
        "at": given.score.submitted_at if given else None,
    }


def address_revision(reviewer: Reviewer) -> str:
    """Return the revision that a form about another mail address is made from."""
    return revision(reviewer.email)


def card_again(
    request: Request, principal: Principal, product: Product, cycle_id: str, number: int
) -> Again:
    """Return what shows the reviewer's page again, with a form that was refused."""
    return lambda refused: _card(request, principal, product, cycle_id, number, refused=refused)


def _last_seen(app: AppContext) -> dict[str, datetime]:
    """When the account with an address was last signed in."""
    return {
        user.account.email.casefold(): user.account.last_seen_at
        for user in app.office.users.list()
        if user.account.last_seen_at is not None
    }


def reviewer_numbered(product: Product, cycle_id: str, number: int) -> Reviewer:
    """Return a reviewer by number; NotFoundError if the program has none of it."""
    for reviewer in product.reviewers.list(cycle_id):
        if reviewer.number == number:
            return reviewer
    raise NotFoundError("reviewer_unknown")
