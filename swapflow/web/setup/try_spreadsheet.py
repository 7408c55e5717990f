"""Try it with a spreadsheet: a file of marks goes in, advice comes out, nothing is set up.

For people who may set up programs, and where the deployment says so for everybody. The file is
read by a process of its own (`swapflow.advice.trial`); the answer lies under a random link.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import PurePath

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData

from swapflow.advice.trial.kept_answers import KeptAnswers
from swapflow.advice.trial.limits import MOST_BYTES, MOST_REQUESTS
from swapflow.advice.trial.question import TrialQuestion
from swapflow.advice.trial.reading import SheetRefusedError
from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.errors import InvalidInputError, NotFoundError, RateLimitedError, UnavailableError
from swapflow.i18n.languages import languages_to_choose
from swapflow.identity.permissions import Right
from swapflow.messages import Message
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import anybody, principal_of
from swapflow.web.http.error_handlers import status_of
from swapflow.web.http.middleware import SECRET_ADDRESS
from swapflow.web.http.nested_forms import FormView, TheForm, file_of, is_number, text, unwritable
from swapflow.web.http.rendering import MEDIA, render
from swapflow.web.setup.trial_columns import (
    ColumnChoice,
    chosen_columns,
    column_choices,
    offered,
    said_role,
    seen_before,
)
from swapflow.web.setup.trial_page import trial_view


PATH = "/try"

FOLDER = "try"
"""Folder of the answers, below the data folder."""

USUAL_REVIEWS = "20"

MOST_PLACES = 100_000

LONGEST_NAME = 100
"""Characters of a file's name that are kept."""

TIDY_SECONDS = 60
"""Seconds between two looks for answers that are to go."""

MEGABYTE = 1_000_000

_waiting = CapacityLimiter(8)
"""Threads that wait for a reading: not those in which pages are made, which are few."""


def may_try(request: Request) -> None:
    """Require that the deployment lets everybody try, or the right to set up programs.

    Raises:
        NotFoundError: If neither is so: then there is nothing here.
    """
    if app_context(request).settings.try_spreadsheet:
        return
    principal = principal_of(request)
    if principal is None or Right.SET_UP not in principal.rights_anywhere:
        raise NotFoundError("trial_off")


router = APIRouter(prefix=PATH, dependencies=[Depends(anybody), Depends(may_try)])


@router.get("")
def show_form(request: Request) -> Response:
    """Show the form: a file, places, and how many more reviews there may be."""
    return _form(request, FormView({"reviews": USUAL_REVIEWS}))


@router.post("")
async def read_file(request: Request, form: TheForm) -> Response:
    """Have a file read, and lead to its answer; in a thread that may wait."""
    return await to_thread.run_sync(partial(_answer, request, form), limiter=_waiting)


@router.get("/{token}")
def show_answer(request: Request, token: str) -> Response:
    """Show an answer: the next requests, what they bring, and the columns understood."""
    kept = _answers(app_context(request)).open(token)
    context = {"view": trial_view(kept.content), "kept": kept, "token": token}
    return render(request, "setup/trial_answer.html", context, headers=SECRET_ADDRESS)


@router.get("/{token}/columns")
def choose_columns(request: Request, token: str) -> Response:
    """Show the form again with the columns of an answer, to say what each of them is."""
    content = _answers(app_context(request)).open(token).content
    view = FormView(
        {
            "places": str(content["places"]),
            "reviews": str(content["asked"]),
            "scale": content["scale"],
        }
    )
    seen = [(one["header"], one["first"], said_role(one["taken"])) for one in content["columns"]]
    choices = column_choices(seen, content["stated"])
    return _form(request, view, choices=choices)


@router.get("/{token}/{name}")
def download(request: Request, token: str, name: str) -> Response:
    """Return a file of an answer."""
    body = _answers(app_context(request)).file(token, name)
    kinds = {f".{form.value}": media for form, media in MEDIA.items()}
    return Response(
        body,
        media_type=kinds.get(PurePath(name).suffix, "text/html; charset=utf-8"),
        # The report brings its own styles, which no page of ours may: it is saved, not shown.
        headers={**SECRET_ADDRESS, "Content-Disposition": f'attachment; filename="{name}"'},
    )


@asynccontextmanager
async def tidied(app: FastAPI) -> AsyncIterator[None]:
    """Remove old answers at the start and every minute while the application serves."""
    served: AppContext = app.state.app

    async def tidy() -> None:
        while True:
            # Disk and database may answer in a minute, and pages tell of them by themselves.
            with suppress(OSError, UnavailableError):
                await asyncio.to_thread(_answers(served).remove_old)
            await asyncio.sleep(TIDY_SECONDS)

    task = asyncio.create_task(tidy())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _answers(app: AppContext) -> KeptAnswers:
    return KeptAnswers(app.settings.data_dir / FOLDER, now=app.product.cycles.now)


def _answer(request: Request, form: FormData) -> Response:
    view = FormView({name: text(form, name) for name in ("places", "reviews", "scale", "columns")})
    status, chosen = 422, chosen_columns(form)
    # What the page itself sent along, until a reading names the headers of this file.
    seen = seen_before(form)
    try:
        name, data = _file(form)
        question = _question(view, name, chosen)
        if not view.problems:
            token = _answers(app_context(request)).add(question, data, address=_client(request))
            return RedirectResponse(f"{PATH}/{token}", 303, headers=dict(SECRET_ADDRESS))
    except (InvalidInputError, RateLimitedError) as error:
        view.note("file", error.message)
        status = status_of(error)[0]
        if isinstance(error, SheetRefusedError):
            seen = error.columns
    return _form(request, view, status=status, choices=column_choices(seen, chosen))


def _file(form: FormData) -> tuple[str, bytes]:
    name, data = file_of(form, "file")
    name = PurePath(name.replace("\\", "/")).name[:LONGEST_NAME]
    if len(data) > MOST_BYTES:
        raise InvalidInputError("trial_too_big", name=name, most=MOST_BYTES // MEGABYTE)
    return name, data


def _question(view: FormView, name: str, chosen: Mapping[str, str]) -> TrialQuestion:
    """Read what was typed; what cannot be used is noted in the view."""
    places = _count(view, "places", MOST_PLACES, Message("trial_places"))
    reviews = _count(view, "reviews", MOST_REQUESTS, Message("trial_reviews", most=MOST_REQUESTS))
    scale, columns = view.value("scale"), dict(chosen)
    if scale:
        try:
            MarkScale.written(scale)
        except InvalidInputError as error:
            view.note("scale", error.message)
    if problem := unwritable(view.value("columns")):
        view.note("columns", problem)
    for line in filter(str.strip, view.value("columns").split("\n")):
        # A header may hold the sign itself; a role never does.
        header, _, role = line.rpartition("=")
        if not header.strip() or not role.strip():
            view.note("columns", Message("trial_columns", text=line.strip()[:LONGEST_NAME]))
        columns[header.strip()] = role.strip().casefold()
    return TrialQuestion(name=name, places=places, reviews=reviews, scale=scale, columns=columns)


def _count(view: FormView, name: str, most: int, problem: str) -> int:
    typed = view.value(name)
    if not is_number(typed) or not 1 <= int(typed) <= most:
        view.note(name, problem)
        return 1
    return int(typed)


def _form(
    request: Request,
    view: FormView,
    *,
    status: int = 200,
    choices: Sequence[ColumnChoice] = (),
) -> Response:
    context = {
        "form": view,
        "most": MOST_BYTES // MEGABYTE,
        "languages": languages_to_choose(),
        "choices": choices,
        "offered": offered(),
    }
    headers = SECRET_ADDRESS if choices else {}
    return render(request, "setup/trial_form.html", context, status=status, headers=headers)


def _client(request: Request) -> str:
    """Return the network address that asks; proxies that are trusted have named it."""
    return request.client.host if request.client else ""
