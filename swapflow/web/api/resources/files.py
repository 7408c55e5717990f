"""Files: documents in, and everything that may be taken away."""

from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, Depends, File, Path, Query, Request, Response, UploadFile
from fastapi.responses import JSONResponse

from swapflow.domain.people.document import is_confidential
from swapflow.errors import ForbiddenError, NotFoundError
from swapflow.files.exports.monitoring_report import as_plain, report_archive
from swapflow.files.exports.offline_sheet import file_name, sheet_file
from swapflow.files.exports.writers import Format
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.api.audit import author_of, note
from swapflow.web.api.dependencies import (
    MayEnterReviews,
    MayExport,
    MayManageAccounts,
    MayManageApplicants,
    MaySeeApplicants,
    MaySetUp,
    may,
)
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.files import LeftOut, StaffDocument, StoredFile, StoredFiles
from swapflow.web.api.pagination import Page, Paged
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.cohort import downloads, monitoring
from swapflow.web.cohort.decision_card import (
    NamedReviewers,
    applicant_defence_file,
    card_file,
    defence_bytes,
)
from swapflow.web.cycle.offline_sheets import find_reviewer
from swapflow.web.http.context import Product, app_context
from swapflow.web.people import personal_data
from swapflow.web.people.personal_data import CopyForm
from swapflow.web.reviewing import documents


router = APIRouter(prefix="/cycles/{cycle_id}", route_class=ApiRoute, tags=["files"])

Number = Annotated[int, Path(ge=0, le=2**31 - 1)]
ANY_FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"*/*": {}}, "description": "The file, as what it is."}
}

ANY_CARD: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"text/html": {}, "application/pdf": {}, "application/json": {}},
        "description": "The card, or the defence file.",
    }
}

ANY_COPY: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"application/json": {}, "application/zip": {}},
        "description": "The copy: JSON, or a ZIP of the same, a page and uploaded files.",
    }
}

MayMonitor = Annotated[Principal, Depends(may(Right.SEE_MONITORING))]


class CardForm(StrEnum):
    """What a card, or a defence file, comes as."""

    HTML = "html"
    PDF = "pdf"
    JSON = "json"


# Documents


@router.post("/documents")
def store_documents(
    request: Request,
    cycle_id: CycleId,
    principal: MayManageApplicants,
    product: Product,
    files: Annotated[
        list[UploadFile],
        File(description="PDF, text, PNG or JPEG, or a ZIP; names begin with applicants' ids."),
    ],
    redacted: Annotated[  # noqa: FBT002 - a query parameter
        bool, Query(description="Nothing in these files names the applicant.")
    ] = False,
) -> StoredFiles:
    """Store documents with the applicants whose ids begin their names; the others are listed."""
    uploads, left = documents.read_uploads(files)
    attached = product.applicants.attach_documents(cycle_id, uploads, redacted=redacted)
    left_out = [*left, *attached.left]
    note(
        request,
        principal,
        "attached documents",
        detail=f"{len(attached.stored)} stored, {len(left_out)} left out, "
        f"{'redacted' if redacted else 'not redacted'}",
    )
    return StoredFiles(
        stored=[StoredFile(applicant=a, name=n) for a, n in attached.stored],
        left_out=[LeftOut(file=path, reason=reason) for path, reason in left_out],
        missing=list(attached.missing),
    )


@router.get("/applicants/{number:int}/documents")
def list_documents(
    cycle_id: CycleId, number: Number, principal: MaySeeApplicants, product: Product, paging: Paged
) -> Page[StaffDocument]:
    """List an applicant's documents, those that reviewers do not see too."""
    del principal
    product.applicants.get(cycle_id, number)
    words = product.cycles.rules(cycle_id).confidential
    rows = [
        StaffDocument(
            position=d.position,
            name=d.name,
            link=d.link,
            redacted=d.redacted,
            confidential=is_confidential(d.name, words),
            media=d.media,
            size=d.size,
        )
        for d in product.applicants.files(cycle_id, number)
    ]
    return paging.after(rows, lambda row: row.position)


@router.get(
    "/applicants/{number:int}/documents/{position:int}",
    response_class=Response,
    responses=ANY_FILE,
)
def read_staff_document(
    cycle_id: CycleId,
    number: Number,
    position: Annotated[int, Path(ge=0, le=100_000)],
    principal: MaySeeApplicants,
    product: Product,
) -> Response:
    """Read one uploaded document of an applicant."""
    del principal
    for document in product.applicants.files(cycle_id, number):
        if document.position == position and document.media:
            return _attachment(product.applicants.file_content(cycle_id, number, position))
    raise NotFoundError("document_not_found")


# Away from here


@router.get("/files/{name}", response_class=Response, responses=ANY_FILE)
def take_file(
    request: Request,
    cycle_id: CycleId,
    name: Annotated[
        str,
        Path(
            max_length=40,
            description="proposed, evidence, scores, cohort, waitlist or outcomes as .csv, .xlsx "
            "or .json; method.md, method.json, rules.toml, events.jsonl, record.bundle, all.zip.",
        ),
    ],
    principal: MayExport,
    version: Annotated[int, Query(ge=0, le=10_000, description="Of the list; 0: newest.")] = 0,
    raw: downloads.Raw = False,  # noqa: FBT002 - a query parameter
) -> Response:
    """Take the list, its evidence, the method or the record as a file."""
    return downloads.download(request, cycle_id, name, principal, version, raw)


@router.get("/bundle", response_class=Response, responses=ANY_FILE)
def take_bundle(
    request: Request,
    cycle_id: CycleId,
    principal: MayExport,
    product: Product,
    names: Annotated[  # noqa: FBT002 - a query parameter
        bool, Query(description="Say who the numbers are; needs to see both kinds of people.")
    ] = False,
) -> Response:
    """Take the signed record of a finished program, for `swapflow verify` anywhere."""
    cycle = product.cycles.get(cycle_id)
    held = principal.rights(cycle_id=cycle_id, round_id=cycle.round_id)
    if names and not {Right.SEE_APPLICANTS, Right.SEE_REVIEWERS} <= held:
        raise ForbiddenError("bundle_names_forbidden")
    body = downloads.record_bundle(app_context(request), cycle_id, names=names)
    if names:
        note(request, principal, "took the signed record with names")
    return _attachment(body, f"{cycle_id}.bundle")


@router.get("/applicants/{number:int}/card/{form}", response_class=Response, responses=ANY_CARD)
def take_card(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    form: CardForm,
    principal: MaySeeApplicants,
) -> Response:
    """Take an applicant's decision card; reviewers are numbers on it."""
    del principal
    content, media = card_file(app_context(request), cycle_id, number, form.value)
    return _named(content, media, f"{cycle_id}-{number}-card.{form.value}")


@router.get("/defence/{form}", response_class=Response, responses=ANY_CARD)
def take_defence(
    request: Request, cycle_id: CycleId, form: CardForm, principal: MayExport
) -> Response:
    """Take the defence file of the latest final list; without ids for who may not see them."""
    content, media = defence_bytes(request, principal, cycle_id, form.value)
    return _named(content, media, f"{cycle_id}-defence.{form.value}")


@router.get("/applicants/{number:int}/defence/{form}", response_class=Response, responses=ANY_CARD)
def take_applicant_defence(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    form: CardForm,
    principal: MayExport,
    reviewers: NamedReviewers = False,  # noqa: FBT002 - a query parameter
) -> Response:
    """Take the defence file of the decision about one applicant; it answers an appeal."""
    content, media = applicant_defence_file(
        request, principal, cycle_id, number, form.value, reviewers=reviewers
    )
    if reviewers:
        note(request, principal, "took a defence file with reviewers' ids")
    return _named(content, media, f"{cycle_id}-{number}-defence.{form.value}")


@router.get(
    "/applicants/{number:int}/personal-data/{form}", response_class=Response, responses=ANY_COPY
)
def take_applicants_copy(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    form: CopyForm,
    principal: MaySetUp,
    confidential: Annotated[  # noqa: FBT002 - a query parameter
        bool,
        Query(description="Confidential letters and fields too: for the office alone."),
    ] = False,
) -> Response:
    """Take an applicant's own copy of what is held about them; each is written down first.

    It has nothing that was declared for monitoring alone; the command's has.
    """
    return personal_data.applicants_copy(
        app_context(request),
        cycle_id,
        number,
        form,
        by=author_of(principal),
        with_confidential=confidential,
    )


@router.get(
    "/reviewers/{number:int}/personal-data/{form}", response_class=Response, responses=ANY_COPY
)
def take_reviewers_copy(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    form: CopyForm,
    principal: MayManageAccounts,
) -> Response:
    """Take what is held about a reviewer, account included; each is written down first."""
    return personal_data.reviewers_copy(
        app_context(request), cycle_id, number, form, by=author_of(principal)
    )


@router.post("/monitoring", response_class=Response, responses=ANY_FILE)
def take_monitoring(
    request: Request,
    cycle_id: CycleId,
    principal: MayMonitor,
    cross: Annotated[
        list[str] | None, Query(max_length=20, description="Attributes to table in pairs.")
    ] = None,
    form: Annotated[
        Format | None, Query(description="One JSON when not given; else a ZIP of lists.")
    ] = None,
    raw: downloads.Raw = False,  # noqa: FBT002 - a query parameter
) -> Response:
    """Take the sums of groups; each look is on record. For a person's session: no key may."""
    report = monitoring.made(request, cycle_id, principal, cross or ())
    if form is None:
        return JSONResponse(as_plain(report))
    body = report_archive(report, form, raw=raw)
    return _attachment(body, f"{cycle_id}-monitoring.zip")


@router.get("/reviewers/{number:int}/sheet", response_class=Response, responses=ANY_FILE)
def take_sheet(
    cycle_id: CycleId,
    number: Number,
    principal: MayEnterReviews,
    product: Product,
    form: Annotated[Format, Query(description="xlsx or csv")] = Format.XLSX,
) -> Response:
    """Take the sheet of a reviewer who answers by mail, under the program's blind policy."""
    del principal
    reviewer = find_reviewer(product, cycle_id, number)
    tasks = product.scores.offline_sheet(cycle_id, reviewer.number)
    body = sheet_file(tasks, form, address=product.address)
    return _attachment(body, file_name(cycle_id, number, form))


def _named(content: bytes, media: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media, headers=headers)


def _attachment(body: bytes, name: str = "") -> Response:
    said = f'attachment; filename="{name}"' if name else "attachment"
    return Response(
        body, media_type="application/octet-stream", headers={"Content-Disposition": said}
    )
