"""The meeting: one projected page in the order of the proposal, and an applicant at a time."""

from collections.abc import Callable, Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cohort.meeting import Word
from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.engine.cohort.meeting import READY, Agenda
from swapflow.errors import InvalidInputError, NotFoundError, StaleRevisionError, SwapflowError
from swapflow.files.exports.document import can_make_pdf, html, pdf
from swapflow.files.exports.minutes import minutes_document, minutes_json
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

RECORDED = {
    Word.IN: "act_outcome_in",
    Word.OUT: "act_outcome_out",
    Word.WAITLIST: "act_outcome_waitlist",
    Word.DISCUSS: "act_outcome_discuss",
}
"""What the page after an outcome tells."""

MaySee = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))]
MayDecide = Annotated[Principal, Depends(may(Right.DECIDE))]

OTHERS_SHOWN = 60
"""How many of those that are not close to the cut are projected below the list."""


@router.get("")
def show_meeting(request: Request, cycle_id: str, principal: MaySee) -> Response:
    """Project the list: the cut, the places, those too close to call first."""
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
    return RedirectResponse(f"/decide/{cycle_id}/meeting", 303)


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
    cycle = _launched(app, cycle_id)
    agenda = app.product.meetings.agenda(cycle_id)
    content, media = _minutes(app, cycle, agenda, form)
    name = f"{cycle_id}-minutes-{agenda.version}.{form}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media, headers=headers)


@router.get("/{number}")
def show_applicant(
    request: Request,
    cycle_id: str,
    number: int,
    principal: MaySee,
    shown: bool = False,  # noqa: FBT001, FBT002 - a query's flag
) -> Response:
    """Open an applicant; members in conflict are named first."""
    return _applicant(request, cycle_id, number, principal, FormView({}), shown=shown)


@router.post("/{number}")
def record_outcome(
    request: Request, cycle_id: str, number: int, principal: MayDecide, form: TheForm
) -> Response:
    """Save what the meeting says about an applicant, at once."""
    app = app_context(request)
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
            principal,
            view,
            lambda: app.product.meetings.record(
                cycle_id,
                number,
                Word(said),
                reason=view.value("reason"),
                made_from=made_from(form),
                by=principal.name,
                seat=principal.reviews_in(cycle_id),
            ),
        )
        if refused is not None:
            return refused
        app.office.audit_log.record(
            principal.name,
            f"recorded {said!r} at the meeting",
            cycle_id=cycle_id,
            about=f"applicant {number}",
        )
        tell(request, Message(RECORDED[Word(said)]))
        return RedirectResponse(f"/decide/{cycle_id}/meeting#a-{number}", 303)
    return _applicant(request, cycle_id, number, principal, view, shown=True, status=422)


@router.post("/{number}/endorse")
def endorse(
    request: Request, cycle_id: str, number: int, principal: MaySee, form: TheForm
) -> Response:
    """Keep words in favour of an applicant."""
    app = app_context(request)
    view = FormView({"words": text(form, "words")}, prefix="favour")
    if problem := unwritable(view.value("words")):
        view.note("words", problem)
        return _applicant(request, cycle_id, number, principal, view, shown=True, status=422)
    refused = _refused(
        request,
        cycle_id,
        number,
        principal,
        view,
        lambda: app.product.meetings.endorse(
            cycle_id,
            number,
            view.value("words"),
            by=principal.name,
            seat=principal.reviews_in(cycle_id),
        ),
    )
    if refused is not None:
        return refused
    app.office.audit_log.record(
        principal.name, "wrote words in favour", cycle_id=cycle_id, about=f"applicant {number}"
    )
    tell(request, Message("act_words_kept"))
    return RedirectResponse(f"/decide/{cycle_id}/meeting/{number}?shown=true", 303)


def _refused(
    request: Request,
    cycle_id: str,
    number: int,
    principal: Principal,
    view: FormView,
    act: Callable[[], None],
) -> Response | None:
    """Change something about an applicant; if refused, show their page again as it was typed."""
    try:
        act()
    except NotFoundError:
        raise
    except SwapflowError as error:
        # Each of these forms has one field that is typed into.
        (field,) = view.values
        view.note(field, error.message)
        status, _ = status_of(error)
        return _applicant(request, cycle_id, number, principal, view, shown=True, status=status)
    return None


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
    close = list(agenda.close) if agenda else []
    inside = [p for p in agenda.places if _inside(p.standing.value)] if agenda else []
    others = [p for p in agenda.places if not _inside(p.standing.value)] if agenda else []
    return render(
        request,
        "cohort/meeting.html",
        {
            **about(app, cycle_id, principal, Right.SEE_APPLICANTS),
            "agenda": agenda,
            "ready": cycle.status in READY,
            "close": close,
            "inside": [p for p in inside if not p.too_close],
            "others": [p for p in others if not p.too_close][:OTHERS_SHOWN],
            "hidden": max(0, len([p for p in others if not p.too_close]) - OTHERS_SHOWN),
            "last": inside[-1] if inside else None,
            "first": others[0] if others else None,
            "favour": _favour(agenda),
            "members": _members(app, cycle, agenda) if agenda else {},
            "pdf_too": can_make_pdf(),
            "problem": problem,
            "form": view or FormView({}),
        },
        status=status if problem or view else 200,
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
    principal: Principal,
    view: FormView,
    *,
    shown: bool,
    status: int = 200,
) -> Response:
    app = app_context(request)
    cycle = _launched(app, cycle_id)
    agenda = app.product.meetings.agenda(cycle_id)
    place = agenda.place(number)
    members = _members(app, cycle, agenda).get(number, ())
    barred = principal.reviews_in(cycle_id) in agenda.conflicts.get(number, frozenset())
    # Members in conflict are named before anything of the file is seen, so that they can leave.
    opened = not barred and (shown or not members)
    return render(
        request,
        "cohort/meeting_applicant.html",
        {
            **about(app, cycle_id, principal, Right.SEE_APPLICANTS),
            "agenda": agenda,
            "applicant": place,
            "in_conflict": members,
            "barred": barred,
            "opened": opened,
            "reviews": _reviews(app, cycle_id, number) if opened else [],
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
    """Return who is next of those without an outcome, after this one and round again."""
    waiting = [place.application for place in agenda.missing if place.application != number]
    order = {place.application: place.rank for place in agenda.places}
    later = [one for one in waiting if order[one] > order[number]]
    return next(iter(later or waiting), None)


def _reviews(app: AppContext, cycle_id: str, number: int) -> list[dict[str, object]]:
    """Return what reviewers said, without who they are and without what is for staff alone."""
    found: list[dict[str, object]] = []
    for one in app.product.reports.asked_about(cycle_id, number):
        given = app.product.tasks.score(one.request) if one.score is not None else None
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


def _members(app: AppContext, cycle: Cycle, agenda: Agenda) -> Mapping[int, tuple[str, ...]]:
    """Name the members in conflict, by applicant: those who may see applicants in the program."""
    return members_in_conflict(
        agenda.conflicts,
        reviewers=app.product.reviewers.list(cycle.id),
        users=app.office.users.list,
        cycle=cycle,
    )


def _launched(app: AppContext, cycle_id: str) -> Cycle:
    cycle = app.product.cycles.get(cycle_id)
    if cycle.status is CycleStatus.DRAFT:
        raise NotFoundError("not_launched_no_list")
    return cycle


def _minutes(app: AppContext, cycle: Cycle, agenda: Agenda, form: str) -> tuple[bytes, str]:
    if form == "json":
        return minutes_json(agenda), "application/json"
    if form not in {"html", "pdf"}:
        raise NotFoundError("minutes_format_unknown", form=form)
    document = minutes_document(
        agenda,
        members=_members(app, cycle, agenda),
        zone=app.product.cycles.rules(cycle.id).zone,
        at=app.product.cycles.now(),
    )
    if form == "html":
        return html(document), "text/html; charset=utf-8"
    return pdf(document, fonts=app.settings.font_folders), "application/pdf"
