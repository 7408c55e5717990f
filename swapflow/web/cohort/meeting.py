"""The meeting: one projected page in the order of the proposal, and an applicant at a time."""

from collections.abc import Callable, Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cohort.meeting import Word
from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.engine.cohort.meeting import READY, Agenda
from swapflow.errors import InvalidInputError, NotFoundError, SwapflowError
from swapflow.files.exports.document import can_make_pdf, html, pdf
from swapflow.files.exports.minutes import minutes_document, minutes_json
from swapflow.identity.committee_members import members_in_conflict
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.error_handlers import status_of
from swapflow.web.http.nested_forms import FormView, TheForm, text, unwritable
from swapflow.web.http.program_page import about
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/decide/{cycle_id}/meeting")

MaySee = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))]
MayDecide = Annotated[Principal, Depends(may(Right.DECIDE))]

OTHERS_SHOWN = 60
"""Of those that are not close to the cut, so many are projected below the list."""


@router.get("")
def show_meeting(request: Request, cycle_id: str, visitor: MaySee) -> Response:
    """Project the list: the cut, the places, those too close to call first."""
    return _page(request, cycle_id, visitor)


@router.post("/open")
def open_meeting(request: Request, cycle_id: str, visitor: MayDecide) -> Response:
    """Open the meeting; from now on the decision follows it."""
    parts = app_context(request)
    try:
        opened = parts.product.open_meeting(cycle_id, by=visitor.name)
    except InvalidInputError as error:
        return _page(request, cycle_id, visitor, problem=str(error))
    if opened:
        parts.office.record(visitor.name, "opened the meeting", cycle_id=cycle_id)
    return RedirectResponse(f"/decide/{cycle_id}/meeting", 303)


@router.post("/close")
def close_meeting(request: Request, cycle_id: str, visitor: MayDecide) -> Response:
    """Close the meeting; nothing is recorded until it is reopened."""
    parts = app_context(request)
    try:
        closed = parts.product.close_meeting(cycle_id, by=visitor.name)
    except InvalidInputError as error:
        return _page(request, cycle_id, visitor, problem=str(error))
    if closed:
        parts.office.record(visitor.name, "closed the meeting", cycle_id=cycle_id)
    return RedirectResponse(f"/decide/{cycle_id}/meeting", 303)


@router.post("/reopen")
def reopen_meeting(request: Request, cycle_id: str, visitor: MayDecide, form: TheForm) -> Response:
    """Let outcomes be recorded again, for a reason."""
    parts = app_context(request)
    view = FormView({"reason": text(form, "reason")}, prefix="reopen")
    reason = view.value("reason")
    if problem := unwritable(reason):
        view.note("reason", problem)
        return _page(request, cycle_id, visitor, view=view)
    try:
        reopened = parts.product.reopen_meeting(cycle_id, reason=reason, by=visitor.name)
    except InvalidInputError as error:
        view.note("reason", str(error))
        return _page(request, cycle_id, visitor, view=view)
    if reopened:
        parts.office.record(visitor.name, "reopened the meeting", cycle_id=cycle_id, detail=reason)
    return RedirectResponse(f"/decide/{cycle_id}/meeting", 303)


@router.get("/files/{form}")
def download_minutes(request: Request, cycle_id: str, form: str, visitor: MaySee) -> Response:
    """Give the minutes as `html`, `pdf` or `json`."""
    del visitor
    parts = app_context(request)
    cycle = _launched(parts, cycle_id)
    agenda = parts.product.agenda(cycle_id)
    content, media = _minutes(parts, cycle, agenda, form)
    name = f"{cycle_id}-minutes-{agenda.version}.{form}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media, headers=headers)


@router.get("/{number}")
def show_applicant(
    request: Request,
    cycle_id: str,
    number: int,
    visitor: MaySee,
    shown: bool = False,  # noqa: FBT001, FBT002 - a query's flag
) -> Response:
    """Open an applicant; members in conflict are named first."""
    return _applicant(request, cycle_id, number, visitor, FormView({}), shown=shown)


@router.post("/{number}")
def record_outcome(
    request: Request, cycle_id: str, number: int, visitor: MayDecide, form: TheForm
) -> Response:
    """Save what the meeting says about an applicant, at once."""
    parts = app_context(request)
    view = FormView({"reason": text(form, "reason")}, prefix="outcome")
    said = text(form, "outcome")
    if problem := unwritable(view.value("reason")):
        view.note("reason", problem)
    elif said not in set(Word):
        view.note("reason", "choose one: in, out, waitlist or discuss")
    else:
        refused = _refused(
            request,
            cycle_id,
            number,
            visitor,
            view,
            lambda: parts.product.record_outcome(
                cycle_id,
                number,
                Word(said),
                reason=view.value("reason"),
                by=visitor.name,
                seat=visitor.reviews_in(cycle_id),
            ),
        )
        if refused is not None:
            return refused
        parts.office.record(
            visitor.name,
            f"recorded {said!r} at the meeting",
            cycle_id=cycle_id,
            about=f"applicant {number}",
        )
        return RedirectResponse(f"/decide/{cycle_id}/meeting#a-{number}", 303)
    return _applicant(request, cycle_id, number, visitor, view, shown=True, status=422)


@router.post("/{number}/endorse")
def endorse(
    request: Request, cycle_id: str, number: int, visitor: MaySee, form: TheForm
) -> Response:
    """Keep words in favour of an applicant."""
    parts = app_context(request)
    view = FormView({"words": text(form, "words")}, prefix="favour")
    if problem := unwritable(view.value("words")):
        view.note("words", problem)
        return _applicant(request, cycle_id, number, visitor, view, shown=True, status=422)
    refused = _refused(
        request,
        cycle_id,
        number,
        visitor,
        view,
        lambda: parts.product.endorse(
            cycle_id,
            number,
            view.value("words"),
            by=visitor.name,
            seat=visitor.reviews_in(cycle_id),
        ),
    )
    if refused is not None:
        return refused
    parts.office.record(
        visitor.name, "wrote words in favour", cycle_id=cycle_id, about=f"applicant {number}"
    )
    return RedirectResponse(f"/decide/{cycle_id}/meeting/{number}?shown=true", 303)


def _refused(
    request: Request,
    cycle_id: str,
    number: int,
    visitor: Principal,
    view: FormView,
    act: Callable[[], None],
) -> Response | None:
    """Do something about an applicant; give their page again, with what was typed, if refused."""
    try:
        act()
    except NotFoundError:
        raise
    except SwapflowError as error:
        # Each of these forms has one field that is typed into.
        (field,) = view.values
        view.note(field, str(error))
        status, _ = status_of(error)
        return _applicant(request, cycle_id, number, visitor, view, shown=True, status=status)
    return None


# Pages


def _page(
    request: Request,
    cycle_id: str,
    visitor: Principal,
    *,
    problem: str = "",
    view: FormView | None = None,
) -> Response:
    parts = app_context(request)
    cycle = parts.product.cycle(cycle_id)
    agenda = None if cycle.status is CycleStatus.DRAFT else parts.product.agenda(cycle_id)
    close = list(agenda.close) if agenda else []
    inside = [p for p in agenda.places if _inside(p.standing.value)] if agenda else []
    others = [p for p in agenda.places if not _inside(p.standing.value)] if agenda else []
    return render(
        request,
        "cohort/meeting.html",
        {
            **about(parts, cycle_id, visitor, Right.SEE_APPLICANTS),
            "agenda": agenda,
            "ready": cycle.status in READY,
            "close": close,
            "inside": [p for p in inside if not p.contested],
            "others": [p for p in others if not p.contested][:OTHERS_SHOWN],
            "hidden": max(0, len([p for p in others if not p.contested]) - OTHERS_SHOWN),
            "last": inside[-1] if inside else None,
            "first": others[0] if others else None,
            "favour": _favour(agenda),
            "members": _members(parts, cycle, agenda) if agenda else {},
            "pdf_too": can_make_pdf(),
            "problem": problem,
            "form": view or FormView({}),
        },
        status=422 if problem or view else 200,
    )


def _inside(standing: str) -> bool:
    return standing == "cohort"


def _favour(agenda: Agenda | None) -> dict[int, int]:
    counts: dict[int, int] = {}
    for one in agenda.endorsements if agenda else ():
        counts[one.application] = counts.get(one.application, 0) + 1
    return counts


def _applicant(
    request: Request,
    cycle_id: str,
    number: int,
    visitor: Principal,
    view: FormView,
    *,
    shown: bool,
    status: int = 200,
) -> Response:
    parts = app_context(request)
    cycle = _launched(parts, cycle_id)
    agenda = parts.product.agenda(cycle_id)
    place = agenda.place(number)
    members = _members(parts, cycle, agenda).get(number, ())
    barred = visitor.reviews_in(cycle_id) in agenda.conflicts.get(number, frozenset())
    opened = not barred and (shown or not members)
    return render(
        request,
        "cohort/meeting_applicant.html",
        {
            **about(parts, cycle_id, visitor, Right.SEE_APPLICANTS),
            "agenda": agenda,
            "applicant": place,
            "in_conflict": members,
            "barred": barred,
            "opened": opened,
            "reviews": _reviews(parts, cycle_id, number) if opened else [],
            "endorsements": [e for e in agenda.endorsements if e.application == number],
            "history": [s for s in agenda.meeting.said if s.application == number]
            if agenda.meeting
            else [],
            "following": _following(agenda, number),
            "form": view,
        },
        status=status,
    )


def _following(agenda: Agenda, number: int) -> int | None:
    """Give who is next of those without an outcome, after this one and round again."""
    waiting = [place.application for place in agenda.missing if place.application != number]
    order = {place.application: place.rank for place in agenda.places}
    later = [one for one in waiting if order[one] > order[number]]
    return next(iter(later or waiting), None)


def _reviews(parts: AppContext, cycle_id: str, number: int) -> list[dict[str, object]]:
    """Give what reviewers said, without who they are and without what is for staff alone."""
    found: list[dict[str, object]] = []
    for one in parts.product.asked_about(cycle_id, number):
        given = parts.product.given(one.request) if one.score is not None else None
        if given is not None and one.counts:
            found.append(
                {
                    "kind": one.kind,
                    "score": one.score,
                    "marks": dict(given.marks),
                    "remark": given.remark,
                }
            )
    return found


def _members(parts: AppContext, cycle: Cycle, agenda: Agenda) -> Mapping[int, tuple[str, ...]]:
    """Name the members in conflict, by applicant: those who may see applicants in the program."""
    return members_in_conflict(
        agenda.conflicts,
        reviewers=parts.product.reviewers(cycle.id),
        users=parts.office.users,
        cycle=cycle,
    )


def _launched(parts: AppContext, cycle_id: str) -> Cycle:
    cycle = parts.product.cycle(cycle_id)
    if cycle.status is CycleStatus.DRAFT:
        raise NotFoundError("the program is not launched yet, so there is no list")
    return cycle


def _minutes(parts: AppContext, cycle: Cycle, agenda: Agenda, form: str) -> tuple[bytes, str]:
    if form == "json":
        return minutes_json(agenda), "application/json"
    if form not in {"html", "pdf"}:
        raise NotFoundError(f"the minutes are to be had as html, pdf or json, not as {form!r}")
    document = minutes_document(
        agenda,
        members=_members(parts, cycle, agenda),
        zone=parts.product.rules(cycle.id).zone,
        at=parts.product.ledger.now(),
    )
    if form == "html":
        return html(document), "text/html; charset=utf-8"
    return pdf(document, fonts=parts.settings.font_folders), "application/pdf"
