"""A reviewer's task: the file beside the form, drafts, the answer, its receipt, saying no."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from swapflow.domain.reviewing.score import Draft
from swapflow.engine.reviewing.review_page import ReviewPage, StoredReview
from swapflow.engine.reviewing.submitted_score import NOTHING_GIVEN, review_revision
from swapflow.engine.reviewing.task_list import Task
from swapflow.engine.services import Swapflow
from swapflow.errors import (
    AssignmentClosedError,
    InvalidInputError,
    StaleDraftError,
    StaleRevisionError,
)
from swapflow.i18n.formatting import clock, day, moment
from swapflow.i18n.languages import gettext
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import Product, TheOffice, app_context
from swapflow.web.http.dependencies import Own, OwnTask, may, open_seats, own_task, own_task_within
from swapflow.web.http.rendering import render
from swapflow.web.reviewing.decline import by_code
from swapflow.web.reviewing.offline import keep_until, words_of_the_strip
from swapflow.web.reviewing.review_form import (
    RECOMMENDATIONS,
    Fields,
    Filled,
    answer_of,
    draft_in,
    is_stale,
    kept,
    marks_made,
    told,
    values_of,
    version_of,
    weight_in_words,
)


router = APIRouter()


# The reviewer's own pages


@router.get("/tasks/{task}", dependencies=[Depends(own_task_within)])
def show_task(
    request: Request,
    task: str,
    after: str = "",
    correct: bool = False,  # noqa: FBT001, FBT002
) -> Response:
    """Show the file and the form; changes nothing."""
    product = app_context(request).product
    # One connection for all that the page reads: taking one costs as much as a statement.
    with product.tasks.one_moment():
        own = own_task(request, task)
        sheet = product.tasks.page(own.task)
        if sheet.given is not None:
            if not correct:
                return RedirectResponse(f"/tasks/{sheet.code}/receipt", status_code=303)
            return _form(request, sheet, Filled(values=values_of(sheet.given, sheet)), own=own)
        done = _done(product, own, after) if after else None
        values = dict(sheet.draft.body) if sheet.draft else {}
        return _form(request, sheet, Filled(values=values), own=own, done=done)


@router.post("/tasks/{task}", dependencies=[Depends(own_task_within)])
async def submit(request: Request, task: str, fields: Fields) -> Response:
    """Store the answer; or, by the form's other buttons, keep the draft or put it off."""

    def act() -> Response:
        return _act(request, own_task(request, task), app_context(request).product, fields)

    return await run_in_threadpool(act)


@router.post("/tasks/{task}/open", dependencies=[Depends(own_task_within)])
def open_task(request: Request, task: str) -> Response:
    """Record that the reviewer has begun: from now on nobody else gets the task."""
    app_context(request).product.tasks.begin(own_task(request, task).task)
    return Response(status_code=204)


@router.post("/tasks/{task}/draft", dependencies=[Depends(own_task_within)])
async def save_draft(request: Request, task: str) -> Response:
    """Keep what was typed so far, from the page's script."""
    sent = await request.body()
    own, saving = await run_in_threadpool(_save, request, task, sent)
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
    sheet = product.tasks.page(own.task)
    if sheet.given is None:
        return RedirectResponse(f"/tasks/{sheet.code}", status_code=303)
    following = _following(request, own, product)
    return render(
        request,
        "reviewing/receipt.html",
        {
            "sheet": sheet,
            "given": sheet.given,
            "following": following,
            "recommendations": RECOMMENDATIONS,
            "strip_words": words_of_the_strip(),
        },
    )


@router.post("/tasks/{task}/correct")
async def correct_answer(request: Request, own: Own, product: Product, fields: Fields) -> Response:
    """Replace the own answer by another, until the decision is final."""
    return await run_in_threadpool(_correct, request, own, product, fields)


@router.post("/tasks/{task}/skip")
def skip_task(request: Request, own: Own, product: Product) -> Response:
    """Move the task to the end of the list."""
    product.tasks.skip(own.assignment)
    tell(request, Message("act_review_skipped"))
    return RedirectResponse("/inbox", status_code=303)


# Staff who type for a reviewer


@router.get("/reviewers/{cycle_id}/{reviewer_number}/tasks/{task}")
def show_for_reviewer(
    request: Request,
    cycle_id: str,
    reviewer_number: int,
    task: str,
    product: Product,
    principal: Annotated[Principal, Depends(may(Right.ENTER_REVIEWS))],
) -> Response:
    """Show the form to staff who enter what a reviewer said on paper or by telephone."""
    sheet = _theirs(product, cycle_id, reviewer_number, task)
    filled = Filled(values=values_of(sheet.given, sheet) if sheet.given else {})
    return _form(request, sheet, filled, staff=principal)


@router.post("/reviewers/{cycle_id}/{reviewer_number}/tasks/{task}")
async def enter_for_reviewer(
    request: Request,
    cycle_id: str,
    reviewer_number: int,
    task: str,
    product: Product,
    office: TheOffice,
    fields: Fields,
    principal: Annotated[Principal, Depends(may(Right.ENTER_REVIEWS))],
) -> Response:
    """Store what a reviewer said, under both names."""

    def enter() -> Response:
        sheet = _theirs(product, cycle_id, reviewer_number, task)
        answer, problems = answer_of(fields, sheet, typed_by=principal.name)
        if answer is None:
            filled = Filled(values=fields, problems=problems)
            return _form(request, sheet, filled, staff=principal)
        try:
            with by_code(sheet.code):
                if sheet.given is None:
                    product.tasks.begin(sheet)
                    product.tasks.submit([answer])
                else:
                    product.scores.correct(
                        answer,
                        by=principal.name,
                        reason="entered by staff",
                        made_from=fields.get("revision") or NOTHING_GIVEN,
                    )
        except (StaleRevisionError, AssignmentClosedError) as error:
            sheet = _theirs(product, cycle_id, reviewer_number, task)
            if not is_stale(error) or sheet.given is None:
                raise
            return _form(request, sheet, Filled(values=fields), staff=principal, stale=True)
        office.audit_log.record(
            principal.name,
            "entered a review" if sheet.given is None else "corrected a review",
            cycle_id=cycle_id,
            about=sheet.assignment.id,
            detail=f"for reviewer {sheet.reviewer.external_id}",
        )
        entered = sheet.given is None
        tell(request, Message("act_review_entered" if entered else "act_review_corrected"))
        return RedirectResponse(f"/reviewers/{cycle_id}", status_code=303)

    return await run_in_threadpool(enter)


# What the handlers do


def _act(request: Request, own: OwnTask, product: Swapflow, fields: dict[str, str]) -> Response:
    then = fields.get("then", "next")
    if then == "draft":
        return _keep_draft(request, own, product, fields)
    if then == "skip":
        _keep_quietly(own, product, fields)
        return skip_task(request, own, product)
    answer, problems = answer_of(fields, product.tasks.form(own.task))
    if answer is None:
        sheet = product.tasks.page(own.task)
        return _form(request, sheet, Filled(values=fields, problems=problems), own=own)
    try:
        with by_code(own.code):
            product.tasks.begin(own.task)
            product.tasks.submit([answer])
    except AssignmentClosedError as error:
        sheet = product.tasks.page(own.task)
        if not is_stale(error) or sheet.given is None:
            raise
        return _form(request, sheet, Filled(values=fields), own=own, stale=True)
    if then == "next":
        following = _following(request, own, product)
        if following is not None:
            return RedirectResponse(f"/tasks/{following.code}?after={own.code}", status_code=303)
    return RedirectResponse(f"/tasks/{own.code}/receipt", status_code=303)


def _following(request: Request, own: OwnTask, product: Swapflow) -> Task | None:
    """Read the reviewer's next task."""
    with product.tasks.one_moment():
        return product.tasks.next(open_seats(request, own.principal).seats, after=own.code)


def _correct(
    request: Request, own: OwnTask, product: Swapflow, fields: dict[str, str]
) -> Response:
    sheet = product.tasks.page(own.task)
    answer, problems = answer_of(fields, sheet)
    if answer is None:
        return _form(request, sheet, Filled(values=fields, problems=problems), own=own)
    try:
        product.scores.correct(
            answer,
            by=own.principal.name,
            reason="corrected by the reviewer",
            made_from=fields.get("revision") or NOTHING_GIVEN,
        )
    except StaleRevisionError:
        sheet = product.tasks.page(own.task)
        return _form(request, sheet, Filled(values=fields), own=own, stale=True)
    return RedirectResponse(f"/tasks/{sheet.code}/receipt", status_code=303)


def _keep_draft(
    request: Request, own: OwnTask, product: Swapflow, fields: dict[str, str]
) -> Response:
    """Keep the draft without the page's script; another tab's text is shown beside this one."""
    try:
        with by_code(own.code):
            product.tasks.save_draft(own.task, kept(fields), version=version_of(fields))
    except StaleDraftError as stale:
        sheet = product.tasks.page(own.task)
        theirs = {name: str(text) for name, text in stale.body.items()}
        return _form(request, sheet, Filled(values=fields), own=own, theirs=theirs)
    return RedirectResponse(f"/tasks/{own.code}?saved=1", status_code=303)


def _keep_quietly(own: OwnTask, product: Swapflow, fields: dict[str, str]) -> None:
    try:
        product.tasks.save_draft(own.task, kept(fields), version=version_of(fields))
    except (StaleDraftError, AssignmentClosedError, InvalidInputError):
        return


def _save(request: Request, task: str, sent: bytes) -> tuple[OwnTask, Future[Draft]]:
    """Begin to save: this thread need not wait for the disk, which is busy with others."""
    own = own_task(request, task)
    version, body = draft_in(sent)
    tasks = app_context(request).product.tasks
    return own, tasks.save_draft_soon(own.task, body, version=version)


def _done(product: Swapflow, own: OwnTask, code: str) -> StoredReview | None:
    """Read what was handed in just now, to echo it above the next form."""
    # The code comes from the address, so it is looked up among the person's own tasks.
    number = own.principal.reviews_in(code.split(":", 1)[0])
    if number is None:
        return None
    return product.tasks.stored(product.tasks.find(code, reviewer=number))


def _theirs(product: Swapflow, cycle_id: str, number: int, task: str) -> ReviewPage:
    code = task if ":" in task else f"{cycle_id}:{task}"
    # The right was checked in the path's program; a task of another one must not slip through.
    if code.split(":", 1)[0] != cycle_id:
        raise InvalidInputError("task_of_another_program")
    return product.tasks.page(product.tasks.find(code, reviewer=number))


def _form(
    request: Request,
    sheet: ReviewPage,
    filled: Filled,
    *,
    own: OwnTask | None = None,
    staff: Principal | None = None,
    theirs: Mapping[str, str] | None = None,
    done: StoredReview | None = None,
    stale: bool = False,
) -> Response:
    """Fill the page of one task, for its reviewer or for staff.

    Where the form is stale, what is stored is shown beside what was typed, and the form is from
    now on made from what is stored.
    """
    tasks = app_context(request).product.tasks
    counts = tasks.counts(own.principal.seats) if own and not sheet.given else None
    status = 422 if filled.problems else 409 if stale or theirs is not None else 200
    address = (
        f"/reviewers/{sheet.cycle.id}/{sheet.assignment.reviewer}/tasks/{sheet.code}"
        if staff
        else f"/tasks/{sheet.code}" + ("/correct" if sheet.given else "")
    )
    page = render(
        request,
        "reviewing/review.html",
        {
            "sheet": sheet,
            "strip_words": words_of_the_strip() if own else None,
            "filled": filled,
            "own": own,
            "staff": staff,
            "theirs": theirs,
            "done": done,
            "address": address,
            "revision": review_revision(sheet.given),
            "stored": told(sheet.given, sheet) if stale and sheet.given else (),
            "version": sheet.draft.version if sheet.draft else 0,
            "saved": clock(sheet.draft.at, sheet.rules.zone) if sheet.draft else "",
            "recommendations": RECOMMENDATIONS,
            "due": due_in_words(sheet),
            "words": _words(),
            "counts": counts,
            "weight_in_words": weight_in_words,
            "marks_made": marks_made,
        },
        status=status,
    )
    if own is None or status != 200:  # noqa: PLR2004 - a page that was asked for
        return page
    return keep_until(page, own.principal, sheet.assignment.due_at)


def due_in_words(sheet: ReviewPage) -> str:
    """Word the due day; with the time, where it is today's."""
    due, zone = sheet.assignment.due_at, sheet.rules.zone
    if due is not None and timedelta(0) < due - sheet.now < timedelta(days=1):
        return moment(due, zone)
    return day(due, zone)


def _words() -> dict[str, str]:
    """Return the sentences of the page's script; it fills in the words in braces."""
    return {
        "marked": gettext("{done} of {all} marked"),
        "nothing": gettext("Saves as you type"),
        "saving": gettext("Saving …"),
        "saved": gettext("Saved {at}"),
        "stored": gettext("The stored text"),
        "offline": gettext("Not connected – kept on this device"),
        "signedOut": gettext("Signed out – kept on this device"),
        "otherWay": gettext("Sign in through your organisation – kept on this device"),
        "waits": gettext("Submitted on this device – sent when there is a connection"),
        "incomplete": gettext("Choose a mark, or Can't judge, in each row first"),
        "handedIn": gettext("This review was handed in already"),
        "closed": gettext("This review is not asked for any more"),
        "tooLong": gettext("Too long to be saved – shorten it"),
        "notSaved": gettext("Not saved – kept on this device, tried again"),
        "choose": gettext("Changed elsewhere – choose which text to keep"),
        "failed": gettext("This did not work"),
        "noConnection": gettext("There is no connection just now"),
    }
