"""Reviewers: who is busy, who is late, how they judge, and what staff may do about it."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.people.plain_words import search_for
from swapflow.domain.people.reviewer import Absence, Reviewer
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus
from swapflow.domain.reviewing.score import NotCounted
from swapflow.engine.audit.reviewer_figures import MANY, ReviewerFigure
from swapflow.engine.ports.records import ApplicantName
from swapflow.engine.reviewing.submitted_score import review_revision
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.context import AppContext, Product, app_context
from swapflow.web.http.dependencies import may, may_anywhere, seat_view_of
from swapflow.web.http.labels import severity_view_of
from swapflow.web.http.program_page import (
    NOTHING_REFUSED,
    Again,
    FieldError,
    Reason,
    Refused,
    about,
    act,
    held,
    log_figures,
    said_why,
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

_WORDS = {
    "nudge": "act_reviewer_reminded",
    "leave": "act_reviewer_left",
    "release": "act_requests_taken_back",
    "reassign": "act_request_passed_on",
    "away": "act_reviewer_paused",
    "back": "act_pause_ended",
    "conflict": "act_conflict_recorded",
    "return": "act_reviewer_returned",
}


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
    return render(
        request,
        "cycle/reviewers.html",
        {
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
        "cycle/reviewer_figures.html",
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


@router.post("/{cycle_id}/{number}/erase")
def erase(
    request: Request,
    principal: MaySetUp,
    product: Product,
    cycle_id: str,
    number: int,
    confirm: Text = "",
) -> Response:
    """Erase everything personal about a reviewer, once their id is typed."""

    def deed() -> None:
        name = reviewer_numbered(product, cycle_id, number).external_id
        if confirm.strip() != name:
            raise FieldError("confirm", "erasing_reviewer_name_differs", name=name)
        product.reviewers.erase(cycle_id, name, by=principal.name)

    return act(
        request,
        principal,
        f"/reviewers/{cycle_id}/{number}",
        # By number: the audit log outlives the id that was erased.
        Message("act_reviewer_erased", number=number),
        deed,
        form="erase",
        typed={"confirm": confirm},
        again=card_again(request, principal, product, cycle_id, number),
    )


@router.post("/{cycle_id}/{number}/{what}")
def change(  # noqa: PLR0913, PLR0917 - FastAPI reads the form from the signature
    request: Request,
    principal: MayManage,
    product: Product,
    cycle_id: str,
    number: int,
    what: str,
    reason: Reason = "",
    task: Text = "",
    first: Text = "",
    last: Text = "",
    applicant: Text = "",
) -> Response:
    """Ask again, pause, take back or pass on requests, record a conflict, or end the role."""
    forms = {
        "release": "change",
        "leave": "change",
        "return": "change",
        "reassign": f"reassign {task}",
    }

    def deed() -> None:
        name = reviewer_numbered(product, cycle_id, number).external_id
        match what:
            case "nudge":
                product.reviewers.nudge(cycle_id, name, by=principal.name)
            case "away":
                product.tasks.add_absence(cycle_id, number, _days(first, last))
            case "back":
                product.tasks.remove_absence(cycle_id, number, _days(first, last))
            case "conflict":
                if not applicant.strip():
                    raise FieldError("applicant", "applicant_not_named")
                product.reviewers.add_conflicts(
                    cycle_id, [(applicant.strip(), name)], source=f"staff: {principal.name}"
                )
            case "return":
                product.reviewers.come_back(
                    cycle_id, name, by=principal.name, reason=said_why(reason)
                )
            case "leave":
                product.reviewers.leave(cycle_id, name, by=principal.name, reason=said_why(reason))
            case "release" | "reassign":
                _pass_on(product, principal, cycle_id, number, task, what, said_why(reason))
            case _:
                raise NotFoundError("reviewer_action_unknown")

    return act(
        request,
        principal,
        f"/reviewers/{cycle_id}/{number}",
        Message(_WORDS.get(what, what)),
        deed,
        form=forms.get(what, what),
        typed={"reason": reason, "first": first, "last": last, "applicant": applicant},
        again=card_again(request, principal, product, cycle_id, number),
    )


def _pass_on(
    product: Product,
    principal: Principal,
    cycle_id: str,
    number: int,
    task: str,
    what: str,
    why: str,
) -> None:
    waiting = product.reports.waiting_for(cycle_id, number)
    if what == "release":
        # What is opened is being read, so it stays.
        chosen = [t.id for t in waiting if t.status is not AssignmentStatus.OPENED]
    else:
        chosen = [t.id for t in waiting if t.id == task]
    if not chosen:
        raise InvalidInputError("nothing_to_take_back")
    for one in chosen:
        product.tasks.take_back(one, by=principal.name, reason=why)


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
        "cycle/reviewer.html",
        {
            "cycle": cycle,
            "cycles": visible(app_context(request), principal, Right.SEE_REVIEWERS),
            "words": {right.name for right in held(app_context(request), principal, cycle)},
            "reviewer": reviewer,
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
            "page": page,
            "pages": pages,
            "zone": rules.zone,
            "refused": refused,
        },
        status=refused.status,
    )


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


def _days(first: str, last: str) -> Absence:
    days = []
    for name, text in (("first", first), ("last", last or first)):
        try:
            days.append(date.fromisoformat(text))
        except ValueError as error:
            raise FieldError(name, "absence_day_unreadable") from error
    if days[1] < days[0]:
        raise FieldError("last", "absence_days_reversed")
    return Absence(first=days[0], last=days[1])


def reviewer_numbered(product: Product, cycle_id: str, number: int) -> Reviewer:
    """Return a reviewer by number; NotFoundError if the program has none of it."""
    for reviewer in product.reviewers.list(cycle_id):
        if reviewer.number == number:
            return reviewer
    raise NotFoundError("reviewer_unknown")
