"""Files of the system that applicants come from, in pieces or whole; and results for it."""

from collections.abc import AsyncIterator
from pathlib import Path as FilePath
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from fastapi import APIRouter, File, Path, Query, Request, Response, UploadFile
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from swapflow.errors import ConflictError, InvalidInputError
from swapflow.files.intake.answer import IntakeAnswer
from swapflow.files.intake.drop_folder import alone, make_drop_folder
from swapflow.files.intake.results import (
    keep_words,
    put_out_results,
    words_of,
    words_revision,
)
from swapflow.files.intake.resumable import AnnouncedFile, ResumableUploads
from swapflow.files.intake.run import Drops
from swapflow.files.intake.take import PIECE, Sent, take_file
from swapflow.identity.principal import Principal
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import MayExport, MayManageApplicants
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.exchange import (
    DropPlaces,
    ExchangedFileShown,
    FileAnswer,
    NewUpload,
    ResultFiles,
    ResultWords,
    Upload,
)
from swapflow.web.api.pagination import Page, Paged
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.api.revisions import MadeFrom, tag
from swapflow.web.cycle.exchange import result_file
from swapflow.web.http.context import Product, app_context


router = APIRouter(prefix="/cycles/{cycle_id}", route_class=ApiRoute, tags=["exchange"])

Key = Annotated[str, Path(pattern=r"^[0-9a-f]{40}$", description="As announcing it gave it.")]
ANY_FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/csv": {}}, "description": "The list."}
}

Redacted = Annotated[bool, Query(description="Its documents do not name applicants.")]


@router.post("/exchange")
def send_file(
    request: Request,
    cycle_id: CycleId,
    principal: MayManageApplicants,
    product: Product,
    file: Annotated[UploadFile, File(description="A list, a ZIP or a combined PDF.")],
    index: Annotated[UploadFile | None, File(description="Which is whose.")] = None,
    redacted: Redacted = False,  # noqa: FBT002 - a query parameter
) -> FileAnswer:
    """Take one file: a list whole or not at all, documents as far as they have an applicant."""
    with TemporaryDirectory(dir=_place(request)) as folder:
        path = _kept(file, FilePath(folder) / "file")
        beside = _kept(index, FilePath(folder) / "index.csv") if index else None
        return _taken(
            request,
            principal,
            product,
            cycle_id,
            Sent(
                path=path,
                name=file.filename or "",
                via="API",
                by=principal.name,
                index=beside,
                redacted=redacted,
                most_bytes=_most(request),
            ),
        )


@router.get("/exchange")
def list_exchanged(
    cycle_id: CycleId, principal: MayManageApplicants, product: Product, paging: Paged
) -> Page[ExchangedFileShown]:
    """List what came in and went out, oldest first."""
    del principal
    files = sorted(product.exchange.files(cycle_id), key=lambda one: one.number)
    return paging.after(list(map(ExchangedFileShown.of, files)), lambda one: one.number)


@router.post("/exchange/folder")
def make_folder(
    request: Request, cycle_id: CycleId, principal: MayManageApplicants, product: Product
) -> DropPlaces:
    """Make the program's folder, into which the other system writes; made again, it stays."""
    product.cycles.get(cycle_id)
    settings = app_context(request).settings
    drops = Drops.of(settings, settings.data_dir)
    if drops is None:
        raise InvalidInputError("drop_folder_not_set")
    folder = make_drop_folder(drops.root, cycle_id)
    note(request, principal, "made the folder for other systems")
    return DropPlaces(incoming=str(folder.incoming), outgoing=str(folder.outgoing))


@router.post("/exchange/{number}/done")
def finish_exchanged(
    request: Request,
    cycle_id: CycleId,
    number: Annotated[int, Path(ge=1, le=2**31 - 1)],
    principal: MayManageApplicants,
    product: Product,
) -> ExchangedFileShown:
    """Close what a file left to people."""
    product.exchange.finish(cycle_id, number, by=principal.name)
    note(request, principal, "did what a file left to people", about=str(number))
    found = [one for one in product.exchange.files(cycle_id) if one.number == number]
    return ExchangedFileShown.of(found[0])


# Large files


@router.post("/uploads")
def announce_upload(
    request: Request, cycle_id: CycleId, principal: MayManageApplicants, new: NewUpload
) -> Upload:
    """Announce a large file; announced again alike, it is the same one, where it stands."""
    app_context(request).product.cycles.get(cycle_id)
    one = _uploads(request).announce(
        new.name,
        size=new.size,
        digest=new.sha256,
        owner=str(principal.account.id),
        purpose=cycle_id,
    )
    return Upload.of(one)


@router.get("/uploads/{upload}")
def read_upload(
    request: Request, cycle_id: CycleId, upload: Key, principal: MayManageApplicants
) -> Upload:
    """Read how much of a file is there: after a cut, the next piece begins at its offset."""
    return Upload.of(_find(request, cycle_id, upload, principal))


@router.delete("/uploads/{upload}")
def drop_upload(
    request: Request, cycle_id: CycleId, upload: Key, principal: MayManageApplicants
) -> Upload:
    """Throw away what came of a file."""
    one = _find(request, cycle_id, upload, principal)
    _uploads(request).drop(one)
    return Upload.of(one)


@router.post("/uploads/{upload}/take")
def take_upload(
    request: Request,
    cycle_id: CycleId,
    upload: Key,
    principal: MayManageApplicants,
    product: Product,
    index: Annotated[
        str, Query(pattern=r"^([0-9a-f]{40})?$", description="An upload that says which is whose.")
    ] = "",
    redacted: Redacted = False,  # noqa: FBT002 - a query parameter
) -> FileAnswer:
    """Take a file that is whole, and remove it here; asked again meanwhile, it says so."""
    uploads = _uploads(request)
    one = _find(request, cycle_id, upload, principal)
    beside = _find(request, cycle_id, index, principal) if index else None
    with alone(one.path.parent) as mine:
        if not mine:
            raise ConflictError("upload_being_taken")
        for part in (one, beside):
            if part is not None:
                uploads.check(part)
        sent = Sent(
            path=one.path,
            name=one.name,
            via="API",
            by=principal.name,
            index=beside.path if beside else None,
            redacted=redacted,
            most_bytes=_most(request),
        )
        answer = _taken(request, principal, product, cycle_id, sent)
        for part in (one, beside):
            if part is not None:
                uploads.drop(part)
    return answer


# Results


@router.get("/results")
def read_result_words(
    cycle_id: CycleId, principal: MayExport, product: Product, response: Response
) -> ResultFiles:
    """Read what columns and decisions are called in results, and what was put out last."""
    del principal
    sent = [one for one in product.exchange.files(cycle_id) if one.what.value == "results"]
    names = sent[0].name.split(", ") if sent else []
    words = words_of(product, cycle_id)
    tag(response, words_revision(words))
    return ResultFiles(files=names, words=words)


@router.put("/results")
def name_results(
    request: Request,
    cycle_id: CycleId,
    principal: MayExport,
    product: Product,
    words: ResultWords,
    precondition: MadeFrom,
) -> ResultFiles:
    """Name columns and decisions as the other system does; an empty word is the usual one."""
    said = {name: word for name, word in words.model_dump().items() if word is not None}
    keep_words(product, cycle_id, said, by=principal.name, made_from=precondition.made_from)
    note(request, principal, "named columns and decisions of results")
    return read_result_words(cycle_id, principal, product, precondition.response)


@router.get("/results/{name}", response_class=Response, responses=ANY_FILE)
def take_results(
    request: Request,
    cycle_id: CycleId,
    name: Annotated[
        str, Path(max_length=40, description="decisions, cohort, waitlist or reviews, as .csv.")
    ],
    principal: MayExport,
) -> Response:
    """Take one result of the final list, in the other system's columns and words."""
    return result_file(request, principal, cycle_id, name)


@router.post("/results")
def put_out(
    request: Request, cycle_id: CycleId, principal: MayExport, product: Product
) -> ResultFiles:
    """Put the results of the final list into the program's drop folder now."""
    settings = app_context(request).settings
    drops = Drops.of(settings, settings.data_dir)
    folder = drops.folder(cycle_id) if drops else None
    if folder is None:
        raise InvalidInputError("drop_folder_missing", cycle=cycle_id)
    names = put_out_results(product, cycle_id, folder, by=principal.name, via="API")
    note(request, principal, "put results out for the other system")
    return ResultFiles(files=list(names), words=words_of(product, cycle_id))


def _taken(
    request: Request, principal: Principal, product: Product, cycle_id: str, sent: Sent
) -> FileAnswer:
    answer: IntakeAnswer = take_file(sent, product=product, cycle_id=cycle_id)
    note(
        request,
        principal,
        "sent a file of another system",
        about=answer.name,
        detail=f"{answer.outcome.value}: {dict(answer.counts)}",
    )
    return FileAnswer.of(answer)


def _kept(file: UploadFile, path: FilePath) -> FilePath:
    with path.open("wb") as kept:
        while piece := file.file.read(PIECE):
            kept.write(piece)
    return path


def _place(request: Request) -> FilePath:
    place = app_context(request).settings.data_dir / "exchange"
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return place


def _uploads(request: Request) -> ResumableUploads:
    return ResumableUploads(folder=_place(request) / "uploads", most_bytes=_most(request))


def _most(request: Request) -> int:
    return app_context(request).settings.drop_mb * 1_000_000


def _find(request: Request, cycle_id: str, upload: str, principal: Principal) -> AnnouncedFile:
    return _uploads(request).find(upload, owner=str(principal.account.id), purpose=cycle_id)


# A piece is bytes and no JSON, and what came of it before the link was cut stays: so it is read as
# it arrives, by a route without a key for repeats. Its offset makes a repeat harmless.
pieces = APIRouter(prefix="/cycles/{cycle_id}", route_class=APIRoute, tags=["exchange"])

BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
        },
    }
}


@pieces.put("/uploads/{upload}", openapi_extra=BODY)
async def add_piece(
    request: Request,
    cycle_id: CycleId,
    upload: Key,
    principal: MayManageApplicants,
    offset: Annotated[int, Query(ge=0, le=20_000_000_000, description="Where it begins.")],
) -> Upload:
    """Add a piece where the file stands; elsewhere it is refused with 409 and the offset."""
    one = await run_in_threadpool(_find, request, cycle_id, upload, principal)
    if offset != one.offset:
        raise ConflictError("upload_stands_elsewhere", offset=one.offset)
    uploads = _uploads(request)
    try:
        async for data in _gathered(request):
            offset = await run_in_threadpool(uploads.add, one, data, offset=offset)
    except ClientDisconnect:
        pass  # what arrived is there; nobody reads the answer
    return Upload.of(await run_in_threadpool(_find, request, cycle_id, upload, principal))


async def _gathered(request: Request) -> AsyncIterator[bytes]:
    """Gather what arrives into pieces worth a write; the last bytes before a cut come too."""
    gathered = bytearray()
    try:
        async for data in request.stream():
            gathered += data
            if len(gathered) >= PIECE:
                yield bytes(gathered)
                gathered.clear()
    except ClientDisconnect:
        if gathered:
            yield bytes(gathered)
        raise
    if gathered:
        yield bytes(gathered)
