"""A reviewer's task: the file beside the form, drafts, the answer, its receipt, saying no."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future
from datetime import date
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from swapflow.domain.people.reviewer import Absence, DeclineKind
from swapflow.domain.reviewing.score import Draft
from swapflow.engine.reviewing.review_page import Sheet
from swapflow.engine.services import Swapflow
from swapflow.errors import (
    AssignmentClosedError,
    InvalidInputError,
    StaleDraftError,
)
from swapflow.i18n.formatting import clock, moment
from swapflow.i18n.languages import gettext, later
from swapflow.identity.permissions import Right
from swapflow.identity.services import Visitor
from swapflow.web.http.context import Product, TheOffice
from swapflow.web.http.dependencies import Own, OwnTask, may, open_seats, own_task, own_task_within
from swapflow.web.http.rendering import render
from swapflow.web.http.text import is_plain
from swapflow.web.reviewing.review_form import (
    LONGEST_NOTE,
    LONGEST_REMARK,
    RECOMMENDATIONS,
    Fields,
    Filled,
    answer_of,
    draft_in,
    kept,
    values_of,
    version_of,
)


router = APIRouter()


# The reviewer's own pages


@router.get("/tasks/{task}")
def show_task(
    request: Request,
    own: Own,
    product: Product,
    after: str = "",
    correct: bool = False,  # noqa: FBT001, FBT002
) -> Response:
    """Show the file and the form; changes nothing."""
    sheet = product.sheet(own.assignment)
    if sheet.given is not None:
        if not correct:
            return RedirectResponse(f"/tasks/{sheet.code}/receipt", status_code=303)
        return _form(request, sheet, Filled(values=values_of(sheet.given, sheet)), own=own)
    done = _done(product, own, after) if after else None
    values = dict(sheet.draft.body) if sheet.draft else {}
    return _form(request, sheet, Filled(values=values), own=own, done=done)


@router.post("/tasks/{task}")
async def submit(request: Request, own: Own, product: Product, fields: Fields) -> Response:
    """Store the answer; or, by the form's other buttons, keep the draft or put it off."""
    return await run_in_threadpool(_act, request, own, product, fields)


@router.post("/tasks/{task}/open", dependencies=[Depends(own_task_within)])
def open_task(request: Request, task: str, product: Product) -> Response:
    """Note that the reviewer has begun: from now on the task is taken from nobody."""
    product.begin(own_task(request, task).assignment)
    return Response(status_code=204)


@router.post("/tasks/{task}/draft", dependencies=[Depends(own_task_within)])
async def save_draft(request: Request, task: str, product: Product) -> Response:
    """Keep what was typed so far, from the page's script."""
    sent = await request.body()
    own, saving = await run_in_threadpool(_save, request, task, product, sent)
    try:
        draft = await asyncio.wrap_future(saving)
    except StaleDraftError as stale:
        return JSONResponse(
            {"version": stale.version, "body": dict(stale.body), "detail": str(stale)},
            status_code=409,
        )
    except AssignmentClosedError as closed:
        return JSONResponse({"closed": closed.status}, status_code=409)
    return JSONResponse({"version": draft.version, "at": clock(draft.at, own.rules.zone)})


@router.get("/tasks/{task}/receipt")
def show_receipt(request: Request, own: Own, product: Product) -> Response:
    """Show what is stored, and until when it may be corrected."""
    sheet = product.sheet(own.assignment)
    if sheet.given is None:
        return RedirectResponse(f"/tasks/{sheet.code}", status_code=303)
    following = product.next_task(open_seats(request, own.visitor)[0], after=sheet.code)
    return render(
        request,
        "reviewing/receipt.html",
        {
            "sheet": sheet,
            "given": sheet.given,
            "following": following,
            "recommendations": RECOMMENDATIONS,
        },
    )


@router.post("/tasks/{task}/correct")
async def correct_answer(request: Request, own: Own, product: Product, fields: Fields) -> Response:
    """Put another answer in the place of the own one, until the decision is fixed."""
    return await run_in_threadpool(_correct, request, own, product, fields)


@router.post("/tasks/{task}/skip")
def skip_task(own: Own, product: Product) -> Response:
    """Put the task at the end of the list."""
    product.skip(own.assignment)
    return RedirectResponse("/inbox", status_code=303)


@router.get("/tasks/{task}/decline")
def ask_decline(request: Request, own: Own, product: Product) -> Response:
    """Ask why, and what follows from each answer; nothing is declined by a link."""
    return _decline_page(request, own, product, Filled(values={}))


@router.post("/tasks/{task}/decline")
def decline(
    request: Request,
    own: Own,
    product: Product,
    kind: Annotated[str, Form(max_length=20)] = "",
    until: Annotated[str, Form(max_length=10)] = "",
    reason: Annotated[str, Form(max_length=LONGEST_REMARK)] = "",
) -> Response:
    """Say no; the request goes to somebody else."""
    problems: dict[str, str] = {}
    if kind not in {"conflict", "busy", "unqualified"}:
        problems["kind"] = later("Choose one of the three.")
    today = product.ledger.now().date()
    last = _day(until)
    if kind == "busy" and (last is None or last < today):
        problems["until"] = later("Give a day from today on.")
    if not is_plain(reason):
        problems["reason"] = later("There is a control character in it.")
    if problems:
        filled = Filled(values={"kind": kind, "until": until, "reason": reason}, problems=problems)
        return _decline_page(request, own, product, filled)
    busy = Absence(first=today, last=last) if kind == "busy" and last else None
    with _by_code(own.code):
        product.decline(
            own.assignment.id,
            DeclineKind(kind),
            by=own.visitor.name,
            reason=reason.strip(),
            busy=busy,
        )
    return RedirectResponse("/inbox?declined=1", status_code=303)


@router.post("/tasks/{task}/missed")
def did_not_come(
    own: Own,
    product: Product,
    office: TheOffice,
    note: Annotated[str, Form(max_length=LONGEST_NOTE)] = "",
) -> Response:
    """Note that the applicant did not come to the interview."""
    if not is_plain(note):
        raise InvalidInputError("there is a control character in the note")
    with _by_code(own.code):
        product.did_not_come(own.assignment.id, by=own.visitor.name, note=note.strip())
    office.record(
        own.visitor.name,
        "applicant did not come to an interview",
        cycle_id=own.assignment.cycle_id,
        about=own.assignment.id,
    )
    return RedirectResponse("/inbox?missed=1", status_code=303)


# Staff who type for a reviewer


@router.get("/reviewers/{cycle_id}/{reviewer_number}/tasks/{task}")
def show_for_reviewer(
    request: Request,
    cycle_id: str,
    reviewer_number: int,
    task: str,
    product: Product,
    visitor: Annotated[Visitor, Depends(may(Right.ENTER_REVIEWS))],
) -> Response:
    """Show the form to staff who enter what a reviewer said on paper or by telephone."""
    sheet = _theirs(product, cycle_id, reviewer_number, task)
    filled = Filled(values=values_of(sheet.given, sheet) if sheet.given else {})
    return _form(request, sheet, filled, staff=visitor)


@router.post("/reviewers/{cycle_id}/{reviewer_number}/tasks/{task}")
async def enter_for_reviewer(
    request: Request,
    cycle_id: str,
    reviewer_number: int,
    task: str,
    product: Product,
    office: TheOffice,
    fields: Fields,
    visitor: Annotated[Visitor, Depends(may(Right.ENTER_REVIEWS))],
) -> Response:
    """Store what a reviewer said, under both names."""

    def enter() -> Response:
        sheet = _theirs(product, cycle_id, reviewer_number, task)
        answer, problems = answer_of(fields, sheet, typed_by=visitor.name)
        if answer is None:
            filled = Filled(values=fields, problems=problems)
            return _form(request, sheet, filled, staff=visitor)
        with _by_code(sheet.code):
            if sheet.given is None:
                product.begin(sheet.assignment)
                product.submit([answer])
            else:
                product.correct(answer, by=visitor.name, reason="entered by staff")
        office.record(
            visitor.name,
            "entered a review" if sheet.given is None else "corrected a review",
            cycle_id=cycle_id,
            about=sheet.assignment.id,
            detail=f"for reviewer {sheet.reviewer.external_id}",
        )
        return RedirectResponse(f"/reviewers/{cycle_id}", status_code=303)

    return await run_in_threadpool(enter)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


# What the handlers do


def _act(request: Request, own: OwnTask, product: Swapflow, fields: dict[str, str]) -> Response:
    then = fields.get("then", "next")
    if then == "draft":
        return _keep_draft(request, own, product, fields)
    if then == "skip":
        _keep_quietly(own, product, fields)
        return skip_task(own, product)
    sheet = product.sheet(own.assignment)
    answer, problems = answer_of(fields, sheet)
    if answer is None:
        return _form(request, sheet, Filled(values=fields, problems=problems), own=own)
    with _by_code(own.code):
        product.begin(own.assignment)
        product.submit([answer])
    if then == "next":
        following = product.next_task(open_seats(request, own.visitor)[0], after=sheet.code)
        if following is not None:
            return RedirectResponse(f"/tasks/{following.code}?after={sheet.code}", status_code=303)
    return RedirectResponse(f"/tasks/{sheet.code}/receipt", status_code=303)


def _correct(
    request: Request, own: OwnTask, product: Swapflow, fields: dict[str, str]
) -> Response:
    sheet = product.sheet(own.assignment)
    answer, problems = answer_of(fields, sheet)
    if answer is None:
        return _form(request, sheet, Filled(values=fields, problems=problems), own=own)
    if sheet.given is None or values_of(sheet.given, sheet) != kept(fields):
        product.correct(answer, by=own.visitor.name, reason="corrected by the reviewer")
    return RedirectResponse(f"/tasks/{sheet.code}/receipt", status_code=303)


def _keep_draft(
    request: Request, own: OwnTask, product: Swapflow, fields: dict[str, str]
) -> Response:
    """Keep the draft without the page's script; another tab's text is shown beside this one."""
    try:
        with _by_code(own.code):
            product.save_draft(own.assignment, kept(fields), version=version_of(fields))
    except StaleDraftError as stale:
        sheet = product.sheet(own.assignment)
        theirs = {name: str(text) for name, text in stale.body.items()}
        return _form(request, sheet, Filled(values=fields), own=own, theirs=theirs)
    return RedirectResponse(f"/tasks/{own.code}?saved=1", status_code=303)


def _keep_quietly(own: OwnTask, product: Swapflow, fields: dict[str, str]) -> None:
    try:
        product.save_draft(own.assignment, kept(fields), version=version_of(fields))
    except (StaleDraftError, AssignmentClosedError, InvalidInputError):
        return


def _save(
    request: Request, task: str, product: Swapflow, sent: bytes
) -> tuple[OwnTask, Future[Draft]]:
    """Begin to save: this thread need not wait for the disk, which is busy with others."""
    own = own_task(request, task)
    version, body = draft_in(sent)
    return own, product.save_draft_soon(own.assignment, body, version=version)


def _done(product: Swapflow, own: OwnTask, code: str) -> Sheet | None:
    """Read what was handed in just now, to echo it above the next form."""
    number = own.visitor.reviews_in(code.split(":", 1)[0])
    if number is None:
        return None
    sheet = product.sheet(product.task(code, reviewer=number))
    return sheet if sheet.given is not None else None


def _theirs(product: Swapflow, cycle_id: str, number: int, task: str) -> Sheet:
    code = task if ":" in task else f"{cycle_id}:{task}"
    if code.split(":", 1)[0] != cycle_id:
        raise InvalidInputError("this task is of another program")
    return product.sheet(product.task(code, reviewer=number))


def _form(
    request: Request,
    sheet: Sheet,
    filled: Filled,
    *,
    own: OwnTask | None = None,
    staff: Visitor | None = None,
    theirs: Mapping[str, str] | None = None,
    done: Sheet | None = None,
) -> Response:
    """Fill the page of one task, for its reviewer or for staff."""
    status = 422 if filled.problems else 409 if theirs is not None else 200
    address = (
        f"/reviewers/{sheet.cycle.id}/{sheet.assignment.reviewer}/tasks/{sheet.code}"
        if staff
        else f"/tasks/{sheet.code}" + ("/correct" if sheet.given else "")
    )
    return render(
        request,
        "reviewing/review.html",
        {
            "sheet": sheet,
            "filled": filled,
            "own": own,
            "staff": staff,
            "theirs": theirs,
            "done": done,
            "address": address,
            "version": sheet.draft.version if sheet.draft else 0,
            "saved": clock(sheet.draft.at, sheet.rules.zone) if sheet.draft else "",
            "recommendations": RECOMMENDATIONS,
            "due": moment(sheet.assignment.due_at, sheet.rules.zone),
            "words": _words(),
        },
        status=status,
    )


def _words() -> dict[str, str]:
    """Give the sentences of the page's script; it fills in what stands in braces."""
    return {
        "total": gettext("{score} of 100"),
        "toGo": gettext("{score} of 100, {left} to go"),
        "nothing": gettext("Nothing typed yet; drafts are saved as you type"),
        "saving": gettext("Saving …"),
        "saved": gettext("Saved {at}"),
        "stored": gettext("The stored text"),
        "offline": gettext("Not connected – kept on this device"),
        "signedOut": gettext("Signed out – kept on this device"),
        "otherWay": gettext("Sign in through your organisation – kept on this device"),
        "handedIn": gettext("This review was handed in already"),
        "closed": gettext("This review is not asked for any more"),
        "tooLong": gettext("Too long to be saved – shorten it"),
        "notSaved": gettext("Not saved – kept on this device, tried again"),
        "choose": gettext("Changed elsewhere – choose which text to keep"),
        "failed": gettext("This did not work"),
        "noConnection": gettext("There is no connection just now"),
    }


def _decline_page(request: Request, own: OwnTask, product: Swapflow, filled: Filled) -> Response:
    sheet = product.sheet(own.assignment)
    if not sheet.assignment.status.is_open:
        return RedirectResponse(f"/tasks/{sheet.code}", status_code=303)
    status = 422 if filled.problems else 200
    return render(
        request, "reviewing/decline.html", {"sheet": sheet, "filled": filled}, status=status
    )


class _by_code:  # noqa: N801 - a context manager, used like a function
    """Name a task by its code in what a refusal says."""

    def __init__(self, code: str) -> None:
        self._code = code

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Put the code in the place of the id."""
        if isinstance(error, AssignmentClosedError):
            raise AssignmentClosedError(self._code, error.status) from error
