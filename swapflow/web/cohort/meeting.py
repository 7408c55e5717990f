"""The meeting: the board as it is projected, evidence first, and an applicant at a time."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cohort.meeting import ZoneSide
from swapflow.domain.cohort.proposal import Place
from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.engine.cohort.meeting import READY, Agenda
from swapflow.errors import InvalidInputError, NotFoundError, StaleRevisionError
from swapflow.files.exports.document import can_make_pdf, html, pdf
from swapflow.files.exports.minutes import minutes_document, minutes_json
from swapflow.i18n.languages import gettext
from swapflow.identity.committee_members import members_in_conflict
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.error_handlers import status_of
from swapflow.web.http.nested_forms import FormView, TheForm, made_from, text, unwritable
from swapflow.web.http.program_page import about
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/decide/{cycle_id}/meeting")

OTHERS_SHOWN = 60
"""How many of those that are out, clear of the cut, are listed."""

MaySee = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))]
MayDecide = Annotated[Principal, Depends(may(Right.DECIDE))]


@router.get("")
def show_meeting(request: Request, cycle_id: str, principal: MaySee) -> Response:
    """Project the list: those too close to call first, each part by application number."""
    return _page(request, cycle_id, principal)


@router.post("/open")
def open_meeting(request: Request, cycle_id: str, principal: MayDecide) -> Response:
    """Open the meeting; from now on the decision follows it."""
    app = app_context(request)
    try:
        opened = app.product.meetings.open(cycle_id, by=principal.name)
    except InvalidInputError as error:
        return _page(request, cycle_id, principal, problem=error.message)
    # Pressed twice, it is written down once.
    if opened:
        app.office.audit_log.record(principal.name, "opened the meeting", cycle_id=cycle_id)
    tell(request, Message("act_meeting_opened"))
    return RedirectResponse(f"/decide/{cycle_id}/meeting", 303)


@router.post("/close")
def close_meeting(
    request: Request, cycle_id: str, principal: MayDecide, form: TheForm
) -> Response:
    """Close the meeting; nothing is recorded until it is reopened."""
    app = app_context(request)
    try:
        closed = app.product.meetings.close(cycle_id, by=principal.name, made_from=made_from(form))
    except (StaleRevisionError, InvalidInputError) as error:
        status = status_of(error)[0]
        return _page(request, cycle_id, principal, problem=error.message, status=status)
    if closed:
        app.office.audit_log.record(principal.name, "closed the meeting", cycle_id=cycle_id)
    tell(request, Message("act_meeting_closed"))
    back = "" if text(form, "back") == "board" else "/meeting"
    return RedirectResponse(f"/decide/{cycle_id}{back}", 303)


@router.post("/reopen")
def reopen_meeting(
    request: Request, cycle_id: str, principal: MayDecide, form: TheForm
) -> Response:
    """Reopen the outcomes for recording, for a reason."""
    app = app_context(request)
    view = FormView({"reason": text(form, "reason")}, prefix="reopen")
    reason = view.value("reason")
    if problem := unwritable(reason):
        view.note("reason", problem)
        return _page(request, cycle_id, principal, view=view)
    try:
        reopened = app.product.meetings.reopen(cycle_id, reason=reason, by=principal.name)
    except InvalidInputError as error:
        view.note("reason", error.message)
        return _page(request, cycle_id, principal, view=view)
    if reopened:
        app.office.audit_log.record(
            principal.name, "reopened the meeting", cycle_id=cycle_id, detail=reason
        )
    tell(request, Message("act_meeting_reopened"))
    return RedirectResponse(f"/decide/{cycle_id}/meeting", 303)


@router.get("/files/{form}")
def download_minutes(request: Request, cycle_id: str, form: str, principal: MaySee) -> Response:
    """Return the minutes as `html`, `pdf` or `json`."""
    del principal
    app = app_context(request)
    cycle = launched_cycle(app, cycle_id)
    agenda = app.product.meetings.agenda(cycle_id)
    content, media = _minutes(app, cycle, agenda, form)
    name = f"{cycle_id}-minutes-{agenda.version}.{form}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media, headers=headers)


# Pages


def _page(
    request: Request,
    cycle_id: str,
    principal: Principal,
    *,
    problem: str = "",
    view: FormView | None = None,
    status: int = 422,
) -> Response:
    app = app_context(request)
    cycle = app.product.cycles.get(cycle_id)
    agenda = None if cycle.status is CycleStatus.DRAFT else app.product.meetings.agenda(cycle_id)
    return render(
        request,
        "cohort/meeting.html",
        {
            **about(app, cycle_id, principal, Right.SEE_APPLICANTS),
            "agenda": agenda,
            "ready": cycle.status in READY,
            **listed_on_wall(app, cycle, agenda),
            "following": following(agenda, None) if agenda else None,
            "applicant": None,
            "pdf_too": can_make_pdf(),
            "problem": problem,
            "form": view or FormView({}),
        },
        status=status if problem or view else 200,
    )


def _minutes(app: AppContext, cycle: Cycle, agenda: Agenda, form: str) -> tuple[bytes, str]:
    if form == "json":
        return minutes_json(agenda), "application/json"
    if form not in {"html", "pdf"}:
        raise NotFoundError("minutes_format_unknown", form=form)
    document = minutes_document(
        agenda,
        members=members_of(app, cycle, agenda),
        zone=app.product.cycles.rules(cycle.id).zone,
        at=app.product.cycles.now(),
    )
    if form == "html":
        return html(document), "text/html; charset=utf-8"
    return pdf(document, fonts=app.settings.font_folders), "application/pdf"


# What both pages of the wall show


def listed_on_wall(app: AppContext, cycle: Cycle, agenda: Agenda | None) -> dict[str, object]:
    """Return who is listed on the wall, by application number, so that the order says nothing."""
    if agenda is None:
        return {}
    inside = _by_number(agenda.zone(ZoneSide.IN))
    out = _by_number(agenda.zone(ZoneSide.OUT)[:OTHERS_SHOWN])
    return {
        "close_first": (
            (gettext("Too close to call"), _by_number(agenda.close), False, "close"),
            (gettext("In, clear of the cut"), inside, True, ""),
            (gettext("Out, clear of the cut"), out, True, ""),
        ),
        "hidden": len(agenda.zone(ZoneSide.OUT)) - len(out),
        "favour": _favour(agenda),
        "members": members_of(app, cycle, agenda),
    }


def _by_number(places: Sequence[Place]) -> list[Place]:
    def key(place: Place) -> tuple[int, str]:
        return len(place.external_id), place.external_id

    return sorted(places, key=key)


def _favour(agenda: Agenda | None) -> dict[int, int]:
    counts: dict[int, int] = {}
    for one in agenda.endorsements if agenda else ():
        counts[one.application] = counts.get(one.application, 0) + 1
    return counts


def following(agenda: Agenda, number: int | None) -> int | None:
    """Return who is next of those without an outcome, after this one and round again."""
    waiting = [place.application for place in agenda.missing if place.application != number]
    order = [place.application for place in _by_number(agenda.places)]
    waiting.sort(key=order.index)
    at = order.index(number) if number in order else -1
    later = [one for one in waiting if order.index(one) > at]
    return next(iter(later or waiting), None)


def members_of(app: AppContext, cycle: Cycle, agenda: Agenda) -> Mapping[int, tuple[str, ...]]:
    """Name the members in conflict, by applicant: those who may see applicants in the program."""
    return members_in_conflict(
        agenda.conflicts,
        reviewers=app.product.reviewers.list(cycle.id),
        users=app.office.users.list,
        cycle=cycle,
    )


def launched_cycle(app: AppContext, cycle_id: str) -> Cycle:
    """Read a program; NotFoundError where it was not launched, and has no list."""
    cycle = app.product.cycles.get(cycle_id)
    if cycle.status is CycleStatus.DRAFT:
        raise NotFoundError("not_launched_no_list")
    return cycle
