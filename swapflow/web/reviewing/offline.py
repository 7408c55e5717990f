"""Reviews without a connection: what a device may keep, and what it sends when it is back.

A reviewer's browser keeps the list and the reviews that it opened only after a press on "Keep on
this device"; the server says with each page for whom and until when. A review that was submitted
without a connection comes later, once or several times, and is stored once.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool

from swapflow.domain.reviewing.score import ScoreDetails
from swapflow.engine.reviewing.review_page import ReviewForm
from swapflow.engine.reviewing.submitted_score import review_revision
from swapflow.errors import (
    AssignmentClosedError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    StaleRevisionError,
)
from swapflow.i18n.languages import gettext
from swapflow.i18n.translation import translate
from swapflow.identity.principal import Principal
from swapflow.untrusted.json_text import load_json
from swapflow.web.http.context import Product
from swapflow.web.http.dependencies import (
    OwnTask,
    Signed,
    anybody,
    open_seats,
    own_task,
    own_task_within,
)
from swapflow.web.http.rendering import STATIC, asset, render
from swapflow.web.reviewing.review_form import answer_of, fields_in_words, is_stale, told


router = APIRouter()

LONGEST_KEPT = timedelta(days=14)
"""How long a page without a due day stays on a device."""

ICONS = ((192, "icon-192.png"), (512, "icon-512.png"))


@router.get("/service-worker.js", dependencies=[Depends(anybody)])
async def service_worker() -> Response:
    """Return the service worker; from the top, since it serves all pages below its address."""
    return Response(
        (STATIC / "service_worker.js").read_bytes(),
        media_type="text/javascript; charset=utf-8",
        headers={"Cache-Control": "no-cache"},
    )


@router.get("/manifest.webmanifest", dependencies=[Depends(anybody)])
async def manifest() -> Response:
    """Return what a phone needs to put swapflow beside its applications."""
    icons = [
        {"src": asset(name), "sizes": f"{size}x{size}", "type": "image/png"}
        for size, name in ICONS
    ]
    about = {
        "name": "swapflow",
        "short_name": "swapflow",
        "description": gettext("Reviews and interviews that wait for you"),
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": "#f8f9f6",
        "theme_color": "#0f5c63",
        "icons": [*icons, {"src": asset("icon.svg"), "sizes": "any", "type": "image/svg+xml"}],
    }
    return JSONResponse(about, media_type="application/manifest+json")


@router.get("/offline", dependencies=[Depends(anybody)])
def without_connection(request: Request) -> Response:
    """Show what a browser shows for a page that it does not keep; a device stores this one."""
    return render(request, "reviewing/offline.html")


@router.get("/inbox/kept")
def may_keep(request: Request, principal: Signed, product: Product) -> Response:
    """Return which tasks a device of this person may still keep."""
    tasks = product.tasks.list(open_seats(request, principal).seats).tasks
    return JSONResponse({"account": principal.account.id, "open": [task.code for task in tasks]})


@router.post("/tasks/{task}/waiting", dependencies=[Depends(own_task_within)])
async def take_waiting(request: Request, task: str, product: Product) -> Response:
    """Store a review that waited on a device for its connection.

    Answers 200 with the address of the receipt, also for a repeated one; 409 with both texts
    where another review is stored; 409, 422 or 404 with what is wrong otherwise.
    """
    sent = await request.body()

    def act() -> Response:
        try:
            own = own_task(request, task)
        except NotFoundError as error:
            over = gettext("This review is no longer needed. Thank you.")
            return _refused("closed", f"{over} ({translate(error.message)})", 404)
        account, fields = _waiting_in(sent)
        # Another person at the same device must not hand it in under their own name.
        if account != own.principal.account.id:
            raise ForbiddenError("waiting_review_of_another_account")
        return _store(own, product, fields)

    return await run_in_threadpool(act)


def keep_until(response: Response, principal: Principal, until: datetime | None) -> Response:
    """Mark a page as one that the person's device may keep, until a moment at most."""
    latest = datetime.now(UTC) + LONGEST_KEPT
    end = min(until, latest) if until is not None and until > datetime.now(UTC) else latest
    response.headers["Swapflow-Keep"] = f"account={principal.account.id}; until={end.isoformat()}"
    return response


def words_of_the_strip() -> dict[str, str]:
    """Return the sentences of the script that tells what waits; it fills in the braces."""
    return {
        "offline": gettext("You are offline"),
        "sending": gettext("Sending …"),
        "signedOut": gettext("Sign in to send it"),
        "signIn": gettext("Sign in"),
        "oneWaits": gettext("1 waiting to send"),
        "waits": gettext("{count} waiting to send"),
        "stored": gettext("Submitted: {who}"),
        "receipt": gettext("Show the receipt"),
        "others": gettext("A review of another account waits on this device."),
        "another": gettext("Another review of {who} is stored already"),
        "refused": gettext("The review of {who} was not stored"),
        "here": gettext("On this device"),
        "there": gettext("Stored"),
        "open": gettext("Open the review"),
        "keepTheirs": gettext("Keep the stored one"),
        "discard": gettext("Remove it from this device"),
    }


def _waiting_in(sent: bytes) -> tuple[str, dict[str, str]]:
    try:
        read = load_json(sent)
        account, fields = read["account"], dict(read["fields"])
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInputError("draft_malformed") from error
    if not isinstance(account, str) or not all(isinstance(text, str) for text in fields.values()):
        raise InvalidInputError("draft_body_malformed")
    return account, fields


def _store(own: OwnTask, product: Product, fields: dict[str, str]) -> Response:
    form = product.tasks.form(own.task)
    answer, problems = answer_of(fields, form)
    mine = fields_in_words(fields, form)
    if answer is None:
        said = " ".join(translate(text) for text in problems.values())
        return _refused("incomplete", said, 422, mine=mine)
    made_from = fields.get("revision", "")
    given = product.tasks.score(own.assignment.id)
    try:
        if given is not None and made_from not in {"", review_revision(None)}:
            product.scores.correct(
                answer,
                by=own.principal.name,
                reason="corrected by the reviewer",
                made_from=made_from,
            )
        else:
            product.tasks.begin(own.task)
            product.tasks.submit([answer])
    except (AssignmentClosedError, StaleRevisionError) as error:
        given = product.tasks.score(own.assignment.id)
        if given is None or not is_stale(error):
            detail = gettext("This review is no longer needed. Thank you.")
            return _refused("closed", detail, 409, mine=mine)
        return _refused("stored", "", 409, mine=mine, given=given, form=form)
    return JSONResponse({"receipt": f"/tasks/{own.code}/receipt"})


def _refused(
    why: str,
    detail: str,
    status: int,
    *,
    mine: list[tuple[str, str]] | None = None,
    given: ScoreDetails | None = None,
    form: ReviewForm | None = None,
) -> Response:
    stored = told(given, form) if given is not None and form is not None else []
    body: dict[str, Any] = {"refused": why, "detail": detail, "mine": mine or [], "stored": stored}
    return JSONResponse(body, status_code=status)
