"""Dates that fit: proposed for all interviews without one, looked at, changed, and set at once."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, time
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData

from swapflow.domain.seal import NOTHING
from swapflow.engine.interviews.proposal import DateProposal
from swapflow.engine.interviews.schedule import NOTICE, DoubleBookingError
from swapflow.engine.interviews.slots import InterviewSlot, Requested
from swapflow.engine.services import Swapflow
from swapflow.errors import InvalidInputError, StaleRevisionError
from swapflow.i18n.languages import current_language
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.cycle.interviews import local_time, minutes_of, moment_of
from swapflow.web.http.context import Product, TheOffice
from swapflow.web.http.dependencies import may
from swapflow.web.http.nested_forms import TheForm, text
from swapflow.web.http.rendering import render


router = APIRouter()

Manager = Annotated[Principal, Depends(may(Right.MANAGE_APPLICANTS))]

FIELDS = ("pull", "starts", "minutes", "revision")


@dataclass(frozen=True, slots=True, kw_only=True)
class DateRow:
    """One interview on the page, with what its fields say.

    Attributes:
        fits: The hour that was found for it; None in a form that comes back.
    """

    requested: Requested
    starts: str
    minutes: str
    revision: str
    fits: datetime | None = None
    ticked: bool = True
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sent:
    """The form as it was sent.

    Attributes:
        rows: By request; those that are not asked for any more are left out.
        gone: How many those are.
    """

    rows: tuple[DateRow, ...]
    place: str
    link: str
    gone: int


@router.get("/applicants/{cycle_id}/slots/proposal")
def show_proposal(
    request: Request,
    cycle_id: str,
    product: Product,
    principal: Manager,
    notice: Annotated[str, Query(max_length=4)] = "",
) -> Response:
    """Show a date that fits for each interview without one; nothing is set."""
    del principal
    problem = ""
    try:
        proposal = product.reviewers.propose_dates(cycle_id, notice=_notice(notice))
    except InvalidInputError as error:
        problem, proposal = error.message, product.reviewers.propose_dates(cycle_id)
    zone = product.cycles.rules(cycle_id).zone
    rows = tuple(
        DateRow(
            requested=one.requested,
            starts=local_time(one.starts_at, zone),
            minutes=str(one.requested.minutes),
            revision=_revision(one.requested),
            fits=one.starts_at,
        )
        for one in proposal.dates
    )
    return _page(request, product, cycle_id, rows, proposal=proposal, notice_problem=problem)


@router.post("/applicants/{cycle_id}/slots/proposal")
def set_proposed(
    request: Request,
    cycle_id: str,
    product: Product,
    office: TheOffice,
    principal: Manager,
    form: TheForm,
) -> Response:
    """Set the dates that are ticked, all of them or none, and invite their people."""
    asked = {one.pull.id: one for one in product.reviewers.interview_requests(cycle_id)}
    sent = _sent(form, asked)
    ticked = [row for row in sent.rows if row.ticked]
    slots, problems = _slots(ticked, sent, product.cycles.rules(cycle_id).zone)
    problem = ""
    status = 422
    if sent.gone:
        problem, status = Message("interview_request_closed"), 409
    elif not ticked:
        problem = Message("no_date_ticked")
    elif not problems:
        try:
            changed = product.reviewers.set_slots(
                cycle_id, slots, by=principal.name, hold=product.held_acts.hold
            )
        except DoubleBookingError as error:
            problems, status = {error.pull_id: error.message}, 409
        except StaleRevisionError as error:
            problem, status = error.message, 409
        except InvalidInputError as error:
            problem = error.message
        else:
            office.audit_log.record(
                principal.name,
                "set interviews' dates",
                cycle_id=cycle_id,
                detail=f"{changed} changed",
            )
            return RedirectResponse(
                f"/applicants/{cycle_id}/slots?changed={changed}", status_code=303
            )
    rows = tuple(
        replace(row, problem=problems.get(row.requested.pull.id, "")) for row in sent.rows
    )
    return _page(request, product, cycle_id, rows, sent=sent, problem=problem, status=status)


def _page(  # noqa: PLR0913 - the parts of a page
    request: Request,
    product: Swapflow,
    cycle_id: str,
    rows: tuple[DateRow, ...],
    *,
    proposal: DateProposal | None = None,
    sent: _Sent | None = None,
    problem: str = "",
    notice_problem: str = "",
    status: int = 422,
) -> Response:
    refused = bool(problem or notice_problem or any(row.problem for row in rows))
    rules = product.cycles.rules(cycle_id)
    context = {
        "cycle": product.cycles.get(cycle_id),
        "rules": rules,
        "rows": rows,
        "proposal": proposal,
        "passed_over": proposal.passed_over(current_language().tag) if proposal else [],
        "place": sent.place if sent else "",
        "link": sent.link if sent else "",
        "problem": problem,
        "notice_problem": notice_problem,
        "noon": lambda day: datetime.combine(day, time(12), tzinfo=ZoneInfo(rules.zone)),
    }
    return render(request, "cycle/proposed_dates.html", context, status=status if refused else 200)


def _sent(form: FormData, asked: Mapping[str, Requested]) -> _Sent:
    columns = [[str(value) for value in form.getlist(name)] for name in FIELDS]
    ticked = {str(value) for value in form.getlist("pick")}
    rows = [
        DateRow(
            requested=asked[pull],
            starts=starts[:40],
            minutes=minutes[:6],
            revision=revision[:70] or NOTHING,
            ticked=pull in ticked,
        )
        # A form that was cut off has fewer fields in one column; what is whole is read.
        for pull, starts, minutes, revision in zip(*columns, strict=False)
        if pull in asked
    ]
    return _Sent(
        rows=tuple(rows),
        place=text(form, "place"),
        link=text(form, "link"),
        gone=len(ticked - set(asked)),
    )


def _slots(
    rows: list[DateRow], sent: _Sent, zone: str
) -> tuple[list[InterviewSlot], dict[str, str]]:
    """Read the rows; a row that cannot be read has its problem under its request."""
    slots, problems = [], dict[str, str]()
    for row in rows:
        old = row.requested.interview
        try:
            slots.append(
                InterviewSlot(
                    pull_id=row.requested.pull.id,
                    starts_at=moment_of(row.starts, zone),
                    minutes=minutes_of(row.minutes),
                    place=sent.place or (old.place if old else ""),
                    link=sent.link or (old.link if old else ""),
                    made_from=row.revision,
                )
            )
        except InvalidInputError as error:
            problems[row.requested.pull.id] = error.message
    return slots, problems


def _notice(typed: str) -> int:
    if not typed.strip():
        return NOTICE
    # What is no number is out of range as well: the same words name what can be typed.
    return int(typed) if typed.strip().isdecimal() else -1


def _revision(one: Requested) -> str:
    return one.interview.revision if one.interview else NOTHING
