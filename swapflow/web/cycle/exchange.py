"""Files of the system that applicants come from: where they arrive, what came, what goes back."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.datastructures import UploadFile

from swapflow.domain.lists.exchanged_file import Exchanged
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.files.intake.answer import IntakeAnswer
from swapflow.files.intake.drop_folder import DropFolder, make_drop_folder
from swapflow.files.intake.results import (
    NAMES,
    USUAL,
    keep_words,
    put_out_results,
    result_bytes,
    result_sheets,
    words_of,
    words_revision,
)
from swapflow.files.intake.run import Drops
from swapflow.files.intake.take import Sent, take_file
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.nested_forms import TheForm, file_of, made_from, text
from swapflow.web.http.program_page import NOTHING_REFUSED, Refused, about, act
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/setup/{cycle_id}/exchange")

SHOWN_FILES = 50
SHOWN_ROWS = 200

MayApplicants = Annotated[Principal, Depends(may(Right.MANAGE_APPLICANTS))]
MayExport = Annotated[Principal, Depends(may(Right.EXPORT))]


@router.get("")
def show_exchange(request: Request, cycle_id: str, principal: MayApplicants) -> Response:
    """Show where files arrive, what came last, and what of it needs a person."""
    return _page(request, cycle_id, principal)


@router.post("")
def send_file(
    request: Request, cycle_id: str, principal: MayApplicants, form: TheForm
) -> Response:
    """Take a file as the drop folder would, and show what became of it."""
    app = app_context(request)
    try:
        name, data = file_of(form, "file")
    except InvalidInputError as error:
        refused = Refused(form="send", field="file", message=error.message, status=422)
        return _page(request, cycle_id, principal, refused=refused)
    place = app.settings.data_dir / "exchange"
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    with TemporaryDirectory(dir=place) as folder:
        path, beside = Path(folder) / "file", Path(folder) / "index.csv"
        path.write_bytes(data)
        index = form.get("index")
        if isinstance(index, UploadFile) and index.filename:
            beside.write_bytes(index.file.read())
        sent = Sent(
            path=path,
            name=name,
            via="page",
            by=principal.name,
            index=beside if beside.exists() else None,
            redacted=bool(text(form, "redacted")),
            most_bytes=app.settings.drop_mb * 1_000_000,
        )
        answer = take_file(sent, product=app.product, cycle_id=cycle_id)
    app.office.audit_log.record(
        principal.name,
        "sent a file of another system",
        cycle_id=cycle_id,
        about=answer.name,
        detail=f"{answer.outcome.value}: {dict(answer.counts)}",
    )
    return _page(request, cycle_id, principal, answer=answer)


@router.post("/folder")
def make_folder(request: Request, cycle_id: str, principal: MayApplicants) -> Response:
    """Make the program's folder, into which the other system writes."""
    drops = Drops.of(app_context(request).settings, app_context(request).settings.data_dir)
    app_context(request).product.cycles.get(cycle_id)

    def deed() -> object:
        if drops is None:
            raise InvalidInputError("drop_folder_not_set")
        return make_drop_folder(drops.root, cycle_id)

    return act(
        request,
        principal,
        f"/setup/{cycle_id}/exchange",
        Message("act_drop_folder_made"),
        deed,
        form="folder",
        again=lambda refused: _page(request, cycle_id, principal, refused=refused),
    )


@router.post("/{number:int}/done")
def finish_file(
    request: Request, cycle_id: str, number: int, principal: MayApplicants
) -> Response:
    """Close what a file left to people."""
    product = app_context(request).product
    return act(
        request,
        principal,
        f"/setup/{cycle_id}/exchange",
        Message("act_exchange_done"),
        lambda: product.exchange.finish(cycle_id, number, by=principal.name),
        form=f"done{number}",
        again=lambda refused: _page(request, cycle_id, principal, refused=refused),
    )


@router.post("/words")
def name_results(request: Request, cycle_id: str, principal: MayExport, form: TheForm) -> Response:
    """Name columns and decisions of results as the other system does."""
    product = app_context(request).product
    typed = {name: text(form, name) for name in USUAL}
    return act(
        request,
        principal,
        f"/setup/{cycle_id}/exchange",
        Message("act_results_named"),
        lambda: keep_words(product, cycle_id, typed, by=principal.name, made_from=made_from(form)),
        form="words",
        typed={**typed, "revision": made_from(form)},
        again=lambda refused: _page(request, cycle_id, principal, refused=refused),
    )


@router.post("/results")
def put_out(request: Request, cycle_id: str, principal: MayExport) -> Response:
    """Put the results of the final list into the program's folder now."""
    app = app_context(request)

    def deed() -> object:
        folder = _folder(app, cycle_id)
        if folder is None:
            raise InvalidInputError("drop_folder_missing", cycle=cycle_id)
        return put_out_results(app.product, cycle_id, folder, by=principal.name, via="page")

    return act(
        request,
        principal,
        f"/setup/{cycle_id}/exchange",
        Message("act_results_put_out"),
        deed,
        form="results",
        again=lambda refused: _page(request, cycle_id, principal, refused=refused),
    )


@router.get("/results/{name}")
def take_results(request: Request, cycle_id: str, name: str, principal: MayExport) -> Response:
    """Return one of the results of the final list, in the other system's columns."""
    return result_file(request, principal, cycle_id, name)


def result_file(request: Request, principal: Principal, cycle_id: str, name: str) -> Response:
    """Return a result as a file, for who may see applicants.

    Raises:
        NotFoundError: If there is no such result, or it names applicants whom they may not see.
        NotReadyError: If there is no final list yet.
    """
    product = app_context(request).product
    round_id = product.cycles.get(cycle_id).round_id
    stem, _, suffix = name.partition(".")
    seen = Right.SEE_APPLICANTS in principal.rights(cycle_id=cycle_id, round_id=round_id)
    if not seen or stem not in NAMES or suffix != "csv":
        raise NotFoundError("download_unknown", name=name)
    sheets = {sheet.name: sheet for sheet in result_sheets(product, cycle_id)}
    return Response(
        result_bytes(sheets[stem]),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{cycle_id}-{stem}.csv"'},
    )


def _folder(app: AppContext, cycle_id: str) -> DropFolder | None:
    drops = Drops.of(app.settings, app.settings.data_dir)
    return drops.folder(cycle_id) if drops else None


def _page(
    request: Request,
    cycle_id: str,
    principal: Principal,
    *,
    answer: IntakeAnswer | None = None,
    refused: Refused = NOTHING_REFUSED,
) -> Response:
    app = app_context(request)
    product = app.product
    folder = _folder(app, cycle_id)
    whole = {one.path.name for one in folder.whole()} if folder else set()
    files = product.exchange.files(cycle_id, at_most=SHOWN_FILES)
    newest = {one.what: one for one in reversed(files)}
    bad = answer is not None and answer.outcome.value == "refused"
    return render(
        request,
        "cycle/exchange.html",
        {
            **about(app, cycle_id, principal, Right.MANAGE_APPLICANTS),
            "folder": folder,
            "is_set": app.settings.drop_folder is not None,
            "waiting": [(one, one in whole) for one in folder.waiting()] if folder else [],
            "files": files,
            "left": [one for one in newest.values() if one.for_people],
            "answer": answer,
            "shown_rows": SHOWN_ROWS,
            "most": app.settings.upload_mb,
            "words": words_of(product, cycle_id),
            "revision": words_revision(words_of(product, cycle_id)),
            "final": product.cycles.get(cycle_id).cohort_version > 0,
            "results": NAMES,
            "RESULTS": Exchanged.RESULTS,
            "refused": refused,
        },
        status=422 if bad else refused.status,
    )
