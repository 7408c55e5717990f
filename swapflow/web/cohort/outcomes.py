"""Outcomes from the board, for one row or for those ticked, and the clear zones' person."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData

from swapflow.domain.cohort.meeting import Shown, ZoneSide
from swapflow.domain.seal import NOTHING
from swapflow.engine.cohort.meeting import Agenda
from swapflow.engine.cohort.meeting_records import SaidOutcome
from swapflow.errors import InvalidInputError, NotFoundError, SwapflowError
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.cohort.board import outcome_of
from swapflow.web.cohort.result import open_decision
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.error_handlers import status_of
from swapflow.web.http.nested_forms import TheForm, is_number, text, texts, unwritable
from swapflow.web.http.program_page import about
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/decide/{cycle_id}")

MaySee = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))]
MayDecide = Annotated[Principal, Depends(may(Right.DECIDE))]


@router.post("/outcomes")
def record_outcomes(
    request: Request, cycle_id: str, principal: MayDecide, form: TheForm
) -> Response:
    """Record an outcome for one row, or one decision about those that are ticked."""
    app = app_context(request)
    reason, unfolded = text(form, "reason"), text(form, "unfolded")
    numbers, value = _pressed(form)
    agenda = app.product.meetings.agenda(cycle_id)
    outcome = outcome_of(value, agenda)
    problem: str = unwritable(reason)
    status = 422
    if not problem and outcome is None:
        problem = Message("outcome_not_chosen")
    elif not problem and outcome is not None:
        word, line = outcome
        said = SaidOutcome(
            word=word,
            reason=reason,
            by=principal.name,
            seat=principal.reviews_in(cycle_id),
            line=line,
        )
        made_from = {one: text(form, f"revision.{one}") or NOTHING for one in numbers}
        try:
            app.product.meetings.record_together(cycle_id, made_from, said)
        except NotFoundError:
            raise
        except SwapflowError as error:
            problem, status = error.message, status_of(error)[0]
        else:
            together = f", decided together, {len(numbers)}" if len(numbers) > 1 else ""
            app.office.audit_log.record(
                principal.name,
                f"recorded {word.value!r} at the meeting{together}",
                cycle_id=cycle_id,
                about=", ".join(f"applicant {one}" for one in numbers),
            )
            tell(request, Message("act_outcomes_recorded", count=len(numbers)))
            query = f"?show={unfolded}" if unfolded else ""
            return RedirectResponse(f"/decide/{cycle_id}{query}#r-{numbers[0]}", 303)
    cycle = app.product.cycles.get(cycle_id)
    page = open_decision(
        request,
        cycle,
        principal,
        unfolded=unfolded,
        problem=problem,
        typed={"outcomes": reason, **{f"tick.{one}": "on" for one in numbers}},
    )
    page.status_code = status
    return page


def _pressed(form: FormData) -> tuple[list[int], str]:
    """Read whom an act is about and which outcome was pressed: a row's, or of those ticked."""
    one, _, value = text(form, "one").partition(":")
    if is_number(one):
        return [int(one)], value
    ticked = [int(told) for name, told in texts(form) if name == "tick" and is_number(told)]
    return list(dict.fromkeys(ticked)), text(form, "outcome")


@router.get("/zones/{zone}")
def show_zone(request: Request, cycle_id: str, zone: ZoneSide, principal: MaySee) -> Response:
    """List a clear zone for the person who takes it on."""
    return _zone(request, cycle_id, zone, principal)


@router.post("/zones/{zone}")
def confirm_zone(
    request: Request, cycle_id: str, zone: ZoneSide, principal: MayDecide, form: TheForm
) -> Response:
    """Record that the person who is signed in takes on a clear zone as it was listed."""
    app = app_context(request)
    if not text(form, "looked"):
        return _zone(request, cycle_id, zone, principal, problem=Message("zone_not_looked_at"))
    try:
        count = app.product.meetings.confirm_zone(
            cycle_id, zone, by=principal.name, shown=text(form, "shown")
        )
    except NotFoundError:
        raise
    except SwapflowError as error:
        status = status_of(error)[0]
        return _zone(request, cycle_id, zone, principal, problem=error.message, status=status)
    app.office.audit_log.record(
        principal.name, f"confirmed {count} {zone.value}, clear of the cut", cycle_id=cycle_id
    )
    tell(request, Message(f"act_zone_{zone.value}", applicants=count))
    return RedirectResponse(f"/decide/{cycle_id}#zone-{zone.value}", 303)


def _drawn(agenda: Agenda) -> frozenset[int]:
    """Return the numbers of those drawn; of nobody before a draw was made."""
    sample = agenda.drawn
    return frozenset(sample.numbers if sample and sample.took_place else ())


def _zone(
    request: Request,
    cycle_id: str,
    zone: ZoneSide,
    principal: Principal,
    *,
    problem: str = "",
    status: int = 422,
) -> Response:
    app = app_context(request)
    if not app.product.cycles.get(cycle_id).is_launched:
        raise InvalidInputError("not_launched_no_list")
    agenda = app.product.meetings.agenda(cycle_id)
    listed = agenda.unsaid(zone)
    return render(
        request,
        "cohort/zone.html",
        {
            **about(app, cycle_id, principal, Right.SEE_APPLICANTS),
            "agenda": agenda,
            "zone_name": zone.value,
            "listed": listed,
            "own": [p for p in agenda.zone(zone) if p.application in agenda.words],
            "opened": agenda.looked_at(Shown.FILE).intersection(p.application for p in listed),
            "confirmed": agenda.meeting.confirmed(zone) if agenda.meeting else None,
            "drawn": agenda.drawn if zone is ZoneSide.OUT else None,
            "drawn_numbers": _drawn(agenda),
            "shown": agenda.zone_seal(zone).digest,
            "me": principal.name,
            "problem": problem,
        },
        status=status if problem else 200,
    )
