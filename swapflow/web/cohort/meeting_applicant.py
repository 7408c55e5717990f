"""An applicant on the wall: evidence first, the file beside it, and the outcome."""

from collections.abc import Callable, Collection
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cohort.meeting import Shown, Word
from swapflow.domain.cohort.quality_words import likely_words
from swapflow.engine.cohort.meeting_records import SaidOutcome
from swapflow.errors import NotFoundError, SwapflowError
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.cohort.board import outcome_choices, outcome_of
from swapflow.web.cohort.criteria_charts import criteria_charts
from swapflow.web.cohort.meeting import following, launched_cycle, listed_on_wall, members_of
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


@router.get("/{number}")
def show_applicant(
    request: Request,
    cycle_id: str,
    number: int,
    principal: MaySee,
    shown: bool = False,  # noqa: FBT001, FBT002 - a query's flag
    file: str = "",
    estimate: str = "",
) -> Response:
    """Open an applicant; members in conflict are named first."""
    wants = frozenset(what for what, said in zip(Shown, (file, estimate), strict=True) if said)
    return _applicant(request, cycle_id, number, principal, FormView({}), shown=shown, wants=wants)


@router.post("/{number}/look")
def look(
    request: Request, cycle_id: str, number: int, principal: MayDecide, form: TheForm
) -> Response:
    """Open the file, or show the estimate; the minutes say who did, and when."""
    app = app_context(request)
    what = text(form, "what")
    if what not in set(Shown):
        raise NotFoundError("applicant_not_on_list")
    seat = principal.reviews_in(cycle_id)
    if app.product.meetings.look(cycle_id, number, Shown(what), by=principal.name, seat=seat):
        app.office.audit_log.record(
            principal.name,
            f"showed the {what} at the meeting",
            cycle_id=cycle_id,
            about=f"applicant {number}",
        )
    wants = {one.value for one in Shown if text(form, one.value)} | {what}
    tell(request, Message(f"act_looked_{what}"))
    return _to_applicant(cycle_id, number, wants)


def _to_applicant(cycle_id: str, number: int, wants: Collection[str]) -> Response:
    query = "".join(f"&{what}=yes" for what in sorted(wants))
    return RedirectResponse(f"/decide/{cycle_id}/meeting/{number}?shown=true{query}", 303)


@router.post("/{number}")
def record_outcome(
    request: Request, cycle_id: str, number: int, principal: MayDecide, form: TheForm
) -> Response:
    """Save what the meeting says about an applicant, at once; then show who is next."""
    app = app_context(request)
    view = FormView({"reason": text(form, "reason")}, prefix="outcome")
    wants = frozenset({Shown.FILE} if text(form, "file") else ())
    agenda = app.product.meetings.agenda(cycle_id)
    outcome = outcome_of(text(form, "outcome"), agenda)
    if problem := unwritable(view.value("reason")):
        view.note("reason", problem)
    elif outcome is None:
        view.note("reason", "choose one: in, out, waitlist or discuss")
    else:
        word, line = outcome
        said = SaidOutcome(
            word=word,
            reason=view.value("reason"),
            by=principal.name,
            seat=principal.reviews_in(cycle_id),
            line=line,
        )
        refused = _refused(
            request,
            cycle_id,
            number,
            principal,
            view,
            lambda: app.product.meetings.record_together(
                cycle_id, {number: made_from(form)}, said
            ),
            wants=wants,
        )
        if refused is not None:
            return refused
        app.office.audit_log.record(
            principal.name,
            f"recorded {word.value!r} at the meeting",
            cycle_id=cycle_id,
            about=f"applicant {number}",
        )
        tell(request, Message(RECORDED[word]))
        return _next(request, cycle_id, number, principal, wants)
    return _applicant(
        request, cycle_id, number, principal, view, shown=True, status=422, wants=wants
    )


def _next(
    request: Request,
    cycle_id: str,
    number: int,
    principal: Principal,
    wants: Collection[Shown],
) -> Response:
    """Show who is next of those without an outcome, with the file where this one's was open."""
    app = app_context(request)
    agenda = app.product.meetings.agenda(cycle_id)
    then = following(agenda, number)
    if then is None:
        return RedirectResponse(f"/decide/{cycle_id}/meeting#a-{number}", 303)
    cycle = app.product.cycles.get(cycle_id)
    # Members in conflict are named, and leave, before the next file opens.
    named = members_of(app, cycle, agenda).get(then, ())
    seat = principal.reviews_in(cycle_id)
    barred = seat in agenda.conflicts.get(then, frozenset())
    if not wants or named or barred:
        return RedirectResponse(f"/decide/{cycle_id}/meeting/{then}", 303)
    app.product.meetings.look(cycle_id, then, Shown.FILE, by=principal.name, seat=seat)
    return _to_applicant(cycle_id, then, {Shown.FILE.value})


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
    *,
    wants: Collection[Shown] = (),
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
        return _applicant(
            request, cycle_id, number, principal, view, shown=True, status=status, wants=wants
        )
    return None


def _applicant(
    request: Request,
    cycle_id: str,
    number: int,
    principal: Principal,
    view: FormView,
    *,
    shown: bool,
    status: int = 200,
    wants: Collection[Shown] = (),
) -> Response:
    app = app_context(request)
    cycle = launched_cycle(app, cycle_id)
    agenda = app.product.meetings.agenda(cycle_id)
    place = agenda.place(number)
    members = members_of(app, cycle, agenda).get(number, ())
    barred = principal.reviews_in(cycle_id) in agenda.conflicts.get(number, frozenset())
    # Members in conflict are named before anything of the file is seen, so that they can leave.
    opened = not barred and (shown or not members)
    reviews = _reviews(app, cycle_id, number) if opened else []
    # Evidence first: while the meeting is open, what was not looked at on record is not shown.
    over = agenda.meeting is not None and not agenda.open
    open_now = {
        what: opened and ((what in wants and number in agenda.looked_at(what)) or over)
        for what in Shown
    }
    file_open = open_now[Shown.FILE] and agenda.open
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
            "reviews": reviews,
            "charts": criteria_charts(app.product.cycles.rules(cycle_id).rubrics, reviews),
            "estimate_open": open_now[Shown.ESTIMATE],
            "file_open": file_open,
            "fields": _fields(app, cycle_id, number) if file_open else {},
            "papers": app.product.applicants.files(cycle_id, number) if file_open else (),
            "likely": likely_words(place.likely, agenda.size)
            if place.too_close and place.likely is not None
            else None,
            "outcomes": outcome_choices(agenda),
            **listed_on_wall(app, cycle, agenda),
            "endorsements": [e for e in agenda.endorsements if e.application == number],
            "history": [s for s in agenda.meeting.said if s.application == number]
            if agenda.meeting
            else [],
            "following": following(agenda, number),
            "form": view,
        },
        status=status,
    )


def _fields(app: AppContext, cycle_id: str, number: int) -> dict[str, str]:
    """Return the columns of the file that reviewers saw."""
    application = app.product.applicants.get(cycle_id, number)
    view = app.product.applicants.reviewer_view(cycle_id)
    return {name: said for name, said in view.fields_of(application).items() if said}


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
