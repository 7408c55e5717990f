"""Sheets for reviewers who answer by mail: taken from here, and brought back here."""

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.people.reviewer import Reviewer
from swapflow.engine.services import Swapflow
from swapflow.errors import InvalidInputError, NotFoundError, SwapflowError
from swapflow.files.exports.offline_sheet import FORMATS, file_name, sheet_file
from swapflow.files.exports.writers import Format
from swapflow.files.imports.scores import read_scale
from swapflow.files.imports.uploads import Uploads
from swapflow.files.tables.table import read_table
from swapflow.i18n.formatting import counted
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.cycle.score_imports import ScoresFound, find_scores, store_scores, told
from swapflow.web.http.context import AppContext, Product, app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.nested_forms import TheForm, file_of, text, texts, unwritable
from swapflow.web.http.program_page import visible
from swapflow.web.http.rendering import MEDIA, render


router = APIRouter(prefix="/reviewers/{cycle_id}")

LONGEST_TYPED = 40
"""Characters of a scale."""

SHOWN_BAD = 200
SHOWN_ROWS = 500

MayEnter = Annotated[Principal, Depends(may(Right.ENTER_REVIEWS))]
Typed = Annotated[str, Query(max_length=200)]


@router.get("/sheets")
def show_sheets(
    request: Request, cycle_id: str, principal: MayEnter, stored: int = -1
) -> Response:
    """Show whose sheets there are to take, and a form to bring one back."""
    return _start(request, cycle_id, principal, stored=stored)


@router.post("/sheets")
def upload_sheet(request: Request, cycle_id: str, principal: MayEnter, form: TheForm) -> Response:
    """Keep a file of reviews and lead to what it would bring."""
    app = app_context(request)
    typed = {name: text(form, name) for name in ("kind", "scale")}
    problems = _misread(app, cycle_id, typed)
    try:
        name, data = file_of(form, "file")
        read_table(data, name=name)  # what is no table at all is not worth keeping
    except InvalidInputError as error:
        problems["file"] = error.message
    if problems:
        return _start(request, cycle_id, principal, typed=typed, problems=problems)
    key = _uploads(app).keep(
        data, owner=principal.account.id, purpose=f"{cycle_id}:scores", name=name
    )
    return RedirectResponse(f"/reviewers/{cycle_id}/sheets/{key}?{urlencode(typed)}", 303)


@router.get("/sheets/{key}")
def preview_sheet(
    request: Request,
    cycle_id: str,
    key: str,
    principal: MayEnter,
    kind: Typed = "",
    scale: Typed = "",
) -> Response:
    """Show what a kept file of reviews would bring."""
    return _preview(request, cycle_id, key, principal, {"kind": kind, "scale": scale})


@router.post("/sheets/{key}")
def apply_sheet(
    request: Request, cycle_id: str, key: str, principal: MayEnter, form: TheForm
) -> Response:
    """Store what a kept file holds, read it in another way, or throw it away."""
    app = app_context(request)
    typed = dict(texts(form))
    uploads, purpose = _uploads(app), f"{cycle_id}:scores"
    # A key alone opens nothing: a file belongs to its owner and to this program.
    upload = uploads.find(key, owner=principal.account.id, purpose=purpose)
    if text(form, "do") == "drop":
        uploads.drop(key)
        return RedirectResponse(f"/reviewers/{cycle_id}/sheets", 303)
    if text(form, "do") != "apply":
        return _preview(request, cycle_id, key, principal, typed)
    try:
        # Read again, not taken from the preview: the program may have moved on since.
        found = _found(app, cycle_id, upload.data, upload.name, principal, typed)
        store_scores(app.product, cycle_id, found, by=principal.name)
    except SwapflowError as error:
        return _preview(request, cycle_id, key, principal, typed, problem=error.message)
    # Only now: after a refusal the file can still be read in another way.
    uploads.drop(key)
    app.office.audit_log.record(
        principal.name,
        "entered reviews from a file",
        cycle_id=cycle_id,
        about=upload.name,
        detail=told(found),
    )
    return RedirectResponse(f"/reviewers/{cycle_id}/sheets?stored={found.stores}", 303)


@router.get("/{number}/sheet")
def take_sheet(
    cycle_id: str, number: int, product: Product, principal: MayEnter, form: str = "xlsx"
) -> Response:
    """Return a reviewer's sheet, as far as the blind policy lets the reviewer see."""
    del principal
    if form not in {known.value for known in FORMATS}:
        raise NotFoundError("sheet_format_not_offered")
    made = Format(form)
    reviewer = find_reviewer(product, cycle_id, number)
    tasks = product.scores.offline_sheet(cycle_id, reviewer.number)
    return Response(
        sheet_file(tasks, made, address=product.address),
        media_type=MEDIA[made],
        headers={
            "Content-Disposition": f'attachment; filename="{file_name(cycle_id, number, made)}"',
            "Cache-Control": "private, no-store",
        },
    )


def find_reviewer(product: Swapflow, cycle_id: str, number: int) -> Reviewer:
    """Find a reviewer of a program by number.

    Raises:
        NotFoundError: If there is none.
    """
    for reviewer in product.reviewers.list(cycle_id):
        if reviewer.number == number:
            return reviewer
    raise NotFoundError("reviewer_number_unknown", number=number)


def _uploads(app: AppContext) -> Uploads:
    return Uploads(app.settings.data_dir / "uploads")


def _misread(app: AppContext, cycle_id: str, typed: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong with how a file is to be read, by field."""
    problems = {}
    kind, scale = typed.get("kind", "").strip(), typed.get("scale", "").strip()
    if kind and kind not in _kinds(app, cycle_id):
        problems["kind"] = "Choose one of the kinds of review."
    if problem := unwritable(scale, most=LONGEST_TYPED):
        problems["scale"] = problem
    elif scale:
        try:
            read_scale(scale)
        except InvalidInputError as error:
            problems["scale"] = error.message
    return problems


def _kinds(app: AppContext, cycle_id: str) -> list[str]:
    return [kind.name for kind in app.product.cycles.rules(cycle_id).kinds]


def _found(
    app: AppContext,
    cycle_id: str,
    data: bytes,
    name: str,
    principal: Principal,
    typed: Mapping[str, str],
) -> ScoresFound:
    return find_scores(
        app.product,
        cycle_id,
        data,
        name=name,
        by=principal.name,
        kind=typed.get("kind", "").strip(),
        scale=typed.get("scale", "").strip(),
    )


def _start(
    request: Request,
    cycle_id: str,
    principal: Principal,
    *,
    typed: Mapping[str, str] | None = None,
    stored: int = -1,
    problems: Mapping[str, str] | None = None,
) -> Response:
    app = app_context(request)
    product = app.product
    waiting: dict[int, int] = {}
    for one in product.reports.waiting(cycle_id):
        waiting[one.reviewer] = waiting.get(one.reviewer, 0) + one.count
    return render(
        request,
        "cycle/offline_sheets.html",
        {
            **_about(app, cycle_id, principal),
            "roster": [
                (reviewer, waiting[reviewer.number])
                for reviewer in product.reviewers.list(cycle_id)
                if waiting.get(reviewer.number)
            ],
            "said": ""
            if stored < 0
            else counted(stored, "%(count)s review stored.", "%(count)s reviews stored."),
            "typed": typed or {},
            "most": app.settings.upload_mb,
            "problems": problems or {},
        },
        status=422 if problems else 200,
    )


def _preview(
    request: Request,
    cycle_id: str,
    key: str,
    principal: Principal,
    typed: Mapping[str, str],
    *,
    problem: str = "",
) -> Response:
    app = app_context(request)
    upload = _uploads(app).find(key, owner=principal.account.id, purpose=f"{cycle_id}:scores")
    found: ScoresFound | None = None
    problems = _misread(app, cycle_id, typed)
    if not problems:
        try:
            found = _found(app, cycle_id, upload.data, upload.name, principal, typed)
        except InvalidInputError as error:
            problem = problem or error.message
    return render(
        request,
        "cycle/offline_sheet_preview.html",
        {
            **_about(app, cycle_id, principal),
            "upload": upload,
            "found": found,
            "typed": typed,
            "shown_bad": SHOWN_BAD,
            "shown_rows": SHOWN_ROWS,
            "problem": "" if problems else problem,
            "problems": problems,
        },
        status=422 if problem or problems else 200,
    )


def _about(app: AppContext, cycle_id: str, principal: Principal) -> dict[str, object]:
    return {
        "cycle": app.product.cycles.get(cycle_id),
        "cycles": visible(app, principal, Right.ENTER_REVIEWS),
        "kinds": _kinds(app, cycle_id),
    }
