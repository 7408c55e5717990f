"""Interviews' dates: staff set them one by one or from a table; reviewers take them along."""

from collections.abc import Sequence
from datetime import date, datetime, time
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends, Form, Query, Request, UploadFile
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.seal import NOTHING
from swapflow.engine.interviews.schedule import DoubleBookingError
from swapflow.engine.interviews.slots import InterviewSlot, Requested
from swapflow.engine.services import Swapflow
from swapflow.errors import (
    BadRow,
    BadRowsError,
    InvalidInputError,
    StaleRevisionError,
)
from swapflow.files.tables.cells import refuse
from swapflow.files.tables.table import read_table
from swapflow.i18n.formatting import clock, day
from swapflow.i18n.languages import current_language
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.cycle.today.program_parts import undoable
from swapflow.web.cycle.week import week_of
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import Product, TheOffice
from swapflow.web.http.dependencies import Own, may
from swapflow.web.http.nested_forms import MadeFrom
from swapflow.web.http.rendering import render


router = APIRouter()

FIRST_YEAR, LAST_YEAR = 1990, 2200

Manager = Annotated[Principal, Depends(may(Right.MANAGE_APPLICANTS))]


@router.get("/tasks/{task}/invitation.ics")
def take_along(own: Own, product: Product) -> Response:
    """Return the date of a task as a calendar entry."""
    text = product.tasks.calendar(product.tasks.page(own.task))
    return Response(
        text,
        media_type="text/calendar; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="interview.ics"'},
    )


@router.get("/applicants/{cycle_id}/slots")
def show_slots(
    request: Request,
    cycle_id: str,
    product: Product,
    principal: Manager,
    changed: int = -1,
    week: Annotated[str, Query(max_length=10)] = "",
) -> Response:
    """Show a week of interviews, and every request with its date or a form for one."""
    del principal
    return _page(request, product, cycle_id, changed=changed, on=_day(week))


@router.post("/applicants/{cycle_id}/slots")
def set_slot(  # noqa: PLR0913, PLR0917 - the fields of a form
    request: Request,
    cycle_id: str,
    product: Product,
    office: TheOffice,
    principal: Manager,
    pull: Annotated[str, Form(max_length=200)] = "",
    starts: Annotated[str, Form(max_length=40)] = "",
    fit: Annotated[str, Form(max_length=40)] = "",
    minutes: Annotated[str, Form(max_length=6)] = "",
    place: Annotated[str, Form(max_length=400)] = "",
    link: Annotated[str, Form(max_length=2000)] = "",
    revision: MadeFrom = NOTHING,
) -> Response:
    """Set one date and invite its people; the button of an hour that fits says which."""
    typed = {"starts": starts, "minutes": minutes, "place": place, "link": link}
    try:
        zone = product.cycles.rules(cycle_id).zone
        if fit and starts:
            moment_of(starts, zone)  # what no one can have typed is refused beside a button too
        starts = fit or starts
        typed["starts"] = starts
        slot = InterviewSlot(
            pull_id=pull,
            starts_at=moment_of(starts, zone),
            minutes=minutes_of(minutes),
            place=place.strip(),
            link=link.strip(),
        )
        changed = product.reviewers.set_slots(
            cycle_id,
            [slot],
            by=principal.name,
            made_from=revision,
            hold=product.held_acts.hold,
        )
    except (StaleRevisionError, DoubleBookingError) as error:
        return _page(
            request,
            product,
            cycle_id,
            typed={pull: typed},
            problems={pull: error.message},
            free=error.free if isinstance(error, DoubleBookingError) else (),
            status=409,
        )
    except InvalidInputError as error:
        return _page(
            request, product, cycle_id, typed={pull: typed}, problems={pull: error.message}
        )
    office.audit_log.record(
        principal.name, "set an interview's date", cycle_id=cycle_id, about=pull
    )
    return RedirectResponse(f"/applicants/{cycle_id}/slots?changed={changed}", status_code=303)


@router.post("/applicants/{cycle_id}/slots/cancel")
def cancel_slot(
    request: Request,
    cycle_id: str,
    product: Product,
    office: TheOffice,
    principal: Manager,
    pull: Annotated[str, Form(max_length=200)] = "",
    revision: MadeFrom = NOTHING,
) -> Response:
    """Cancel a date and tell its people."""
    product.reviewers.cancel_slot(cycle_id, pull, by=principal.name, made_from=revision)
    office.audit_log.record(
        principal.name, "took an interview's date back", cycle_id=cycle_id, about=pull
    )
    tell(request, Message("act_date_taken_back"))
    return RedirectResponse(f"/applicants/{cycle_id}/slots", status_code=303)


@router.post("/applicants/{cycle_id}/slots/import")
def import_slots(
    request: Request,
    cycle_id: str,
    product: Product,
    office: TheOffice,
    principal: Manager,
    file: UploadFile | None = None,
) -> Response:
    """Set the dates of a table, all of them or none."""
    try:
        slots = slots_of(file, cycle_id, product)
        changed = product.reviewers.set_slots(
            cycle_id, slots, by=principal.name, hold=product.held_acts.hold
        )
    except BadRowsError as error:
        return _page(request, product, cycle_id, bad=error.rows)
    except InvalidInputError as error:
        return _page(request, product, cycle_id, problems={"file": error.message})
    except DoubleBookingError as error:
        return _page(request, product, cycle_id, problems={"file": error.message}, status=409)
    office.audit_log.record(
        principal.name, "set interviews' dates", cycle_id=cycle_id, detail=f"{changed} changed"
    )
    return RedirectResponse(f"/applicants/{cycle_id}/slots?changed={changed}", status_code=303)


def _page(  # noqa: PLR0913 - what may come back in it
    request: Request,
    product: Swapflow,
    cycle_id: str,
    *,
    changed: int = -1,
    typed: dict[str, dict[str, str]] | None = None,
    problems: dict[str, str] | None = None,
    bad: tuple[BadRow, ...] = (),
    free: Sequence[datetime] = (),
    on: date | None = None,
    status: int = 422,
) -> Response:
    asked = product.reviewers.interview_requests(cycle_id)
    rules = product.cycles.rules(cycle_id)
    undated = any(one.interview is None or not one.interview.stands for one in asked)
    proposal = product.reviewers.propose_dates(cycle_id) if undated else None
    week = (
        week_of(
            asked,
            product.reviewers.diary(cycle_id),
            product.reviewers.list(cycle_id),
            cycle_id=cycle_id,
            rules=rules,
            now=product.cycles.now(),
            on=on,
            language=current_language().tag,
        )
        if asked
        else None
    )
    hours = product.reviewers.free_hours(cycle_id, week.days) if week else {}
    context = {
        "cycle": product.cycles.get(cycle_id),
        "rules": rules,
        "zone": rules.zone,
        "has_interviews": bool(product.reviewers.interview_kinds(cycle_id)),
        "requested": sorted(asked, key=_undated_first),
        "fits": {one.requested.pull.id: one.starts_at for one in proposal.dates}
        if proposal
        else {},
        "left": {one.requested.pull.id: one.reason for one in proposal.left} if proposal else {},
        "proposal": proposal,
        "week": week,
        "free_hours": lambda one: [
            [local_time(at, rules.zone), f"{day(at, rules.zone)}, {clock(at, rules.zone)}"]
            for at in hours.get(one.pull.id, ())
        ],
        "undo": undoable(
            product.held_acts.waiting(cycle_id), frozenset({Right.MANAGE_APPLICANTS})
        ),
        "changed": changed,
        "typed": typed or {},
        "problems": problems or {},
        "free": free,
        "bad": bad,
        "local": local_time,
        "noon": lambda on: datetime.combine(on, time(12), tzinfo=ZoneInfo(rules.zone)),
    }
    return render(
        request, "cycle/interviews.html", context, status=status if problems or bad else 200
    )


def local_time(at: datetime, zone: str) -> str:
    """Return a moment as a field for day and time has it, in a zone."""
    return f"{at.astimezone(ZoneInfo(zone)):%Y-%m-%dT%H:%M}"


def _day(text: str) -> date | None:
    """Read the day of a week from an address; what is no day means the next week with a date."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    # Weeks before and after it are led to as well.
    return day if FIRST_YEAR <= day.year <= LAST_YEAR else None


def _undated_first(one: Requested) -> tuple[bool, float]:
    stands = one.interview is not None and one.interview.stands
    return stands, one.interview.starts_at.timestamp() if one.interview and stands else 0.0


def slots_of(file: UploadFile | None, cycle_id: str, product: Swapflow) -> list[InterviewSlot]:
    """Read a table with the columns applicant, starts, minutes, place, link."""
    if file is None or not file.filename:
        raise InvalidInputError("calendar_file_missing")
    table = read_table(file.file.read(), name=file.filename)
    zone = product.cycles.rules(cycle_id).zone
    open_for: dict[str, list[Requested]] = {}
    for one in product.reviewers.interview_requests(cycle_id):
        open_for.setdefault(one.external_id, []).append(one)
    headers = {header.strip().lower(): header for header in table.headers}
    slots: list[InterviewSlot] = []
    bad = list(table.bad)
    if missing := [name for name in ("applicant", "starts") if name not in headers]:
        raise InvalidInputError("calendar_column_missing", column=missing[0])
    for row in table.rows:
        cells = {name: row[header] for name, header in headers.items()}
        reason = _obstacle(cells, open_for, zone)
        if reason:
            column, said, cure = reason
            bad.append(
                BadRow(
                    line=row.line,
                    column=column,
                    value=cells.get(column, "")[:60],
                    reason=said,
                    cure=cure,
                )
            )
            continue
        slots.append(
            InterviewSlot(
                pull_id=open_for[cells["applicant"]][0].pull.id,
                starts_at=moment_of(cells["starts"], zone),
                minutes=minutes_of(cells.get("minutes") or "30"),
                place=cells.get("place", ""),
                link=cells.get("link", ""),
            )
        )
    refuse(table.source, bad)
    return slots


def _obstacle(
    cells: dict[str, str], open_for: dict[str, list[Requested]], zone: str
) -> tuple[str, str, str] | None:
    applicant = cells["applicant"]
    if applicant not in open_for:
        return "applicant", "no interview is asked for this applicant", "Correct the id"
    if len(open_for[applicant]) > 1:
        return "applicant", "several interviews are open for them", "Set these dates by hand"
    try:
        moment_of(cells["starts"], zone)
    except InvalidInputError as error:
        return "starts", error.message, "Write e.g. 2027-01-31 14:00"
    try:
        minutes_of(cells.get("minutes") or "30")
    except InvalidInputError as error:
        return "minutes", error.message, "Write e.g. 45"
    return None


def moment_of(text: str, zone: str) -> datetime:
    """Read a local time in the program's zone.

    An hour that the clocks skip is refused; of one that comes twice the first is meant.

    Raises:
        InvalidInputError: If it is no day and time, or skipped.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise InvalidInputError("interview_time_unreadable") from error
    if moment.tzinfo is not None:
        return moment
    local = moment.replace(tzinfo=ZoneInfo(zone))
    # There and back again by way of UTC: an hour that does not exist comes back as another.
    again = local.astimezone(ZoneInfo("UTC")).astimezone(ZoneInfo(zone))
    if again.replace(tzinfo=None) != moment:
        raise InvalidInputError("interview_time_skipped")
    return local


def minutes_of(text: str) -> int:
    """Read a length in minutes.

    Raises:
        InvalidInputError: If it is no number of minutes of a day.
    """
    if not text.strip().isdecimal() or len(text.strip()) > 4:  # noqa: PLR2004 - a day has 1440
        raise InvalidInputError("interview_length_unreadable")
    return int(text)
