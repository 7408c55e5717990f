"""Documents: served to those who judge them, and brought in by staff, many at once."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request, UploadFile
from fastapi.responses import Response

from swapflow.engine.reviewing.documents import (
    ENDINGS,
    PDF,
    Attached,
    DocumentUpload,
    neutral_name,
)
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.files.tables.zip_archive import read_archive
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.http.context import Product, TheOffice
from swapflow.web.http.dependencies import Own, may
from swapflow.web.http.rendering import render
from swapflow.web.reviewing.offline import keep_until


router = APIRouter()

_SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"
_FOR_PDF = (
    "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'"
)
"""Browsers' own viewers do not run in a sandbox; a PDF is shown by one, as nothing else is."""


@router.get("/tasks/{task}/files/{number}")
def show_file(own: Own, product: Product, number: int) -> Response:
    """Return a document of the reviewer's own task, as far as the blind policy allows."""
    paper, body = product.tasks.document(own.assignment, number)
    served = _served(body, paper.media, neutral_name(number, paper.media))
    return keep_until(served, own.principal, own.assignment.due_at)


@router.get("/applicants/{cycle_id}/files/{application}/{position}")
def show_file_to_staff(
    cycle_id: str,
    application: int,
    position: int,
    product: Product,
    principal: Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))],
) -> Response:
    """Return a document to staff."""
    del principal
    for document in product.applicants.files(cycle_id, application):
        if document.position == position and document.media:
            body = product.applicants.file_content(cycle_id, application, position)
            return _served(body, document.media, neutral_name(position + 1, document.media))
    raise NotFoundError("document_not_found")


@router.get("/applicants/{cycle_id}/files")
def show_upload(
    request: Request,
    cycle_id: str,
    product: Product,
    principal: Annotated[Principal, Depends(may(Right.MANAGE_APPLICANTS))],
) -> Response:
    """Show the form that takes documents in."""
    del principal
    return _page(request, product, cycle_id)


@router.post("/applicants/{cycle_id}/files")
def upload(
    request: Request,
    cycle_id: str,
    product: Product,
    office: TheOffice,
    principal: Annotated[Principal, Depends(may(Right.MANAGE_APPLICANTS))],
    files: list[UploadFile] | None = None,
    redacted: Annotated[bool, Form()] = False,  # noqa: FBT002 - a form's field
) -> Response:
    """Store documents, singly or in a ZIP, with the applicants whose ids begin their names."""
    try:
        uploads, left = read_uploads(files or [])
    except InvalidInputError as error:
        return _page(request, product, cycle_id, problem=error.message)
    attached = product.applicants.attach_documents(cycle_id, uploads, redacted=redacted)
    office.audit_log.record(
        principal.name,
        "attached documents",
        cycle_id=cycle_id,
        detail=f"{len(attached.stored)} stored, {len(left) + len(attached.left)} left out, "
        f"{'redacted' if redacted else 'not redacted'}",
    )
    return _page(request, product, cycle_id, attached=attached, left=(*left, *attached.left))


def read_uploads(files: list[UploadFile]) -> tuple[list[DocumentUpload], list[tuple[str, str]]]:
    """Return the files that were sent, those in a ZIP singly, and what was left out and why.

    Raises:
        InvalidInputError: If there is none.
    """
    uploads: list[DocumentUpload] = []
    left: list[tuple[str, str]] = []
    for file in files:
        body = file.file.read()
        # Some browsers send a whole path, with the separators of their system.
        name = (file.filename or "").replace("\\", "/").rsplit("/", 1)[-1]
        # By its first bytes: a name says nothing of what a file is.
        if body.startswith(b"PK"):
            inside, refused = read_archive(body)
            uploads += inside
            left += refused
        elif name:
            uploads.append(DocumentUpload(path=name, body=body))
    if not uploads and not left:
        raise InvalidInputError("document_files_missing")
    return uploads, left


def _page(
    request: Request,
    product: Product,
    cycle_id: str,
    *,
    attached: Attached | None = None,
    left: tuple[tuple[str, str], ...] = (),
    problem: str = "",
) -> Response:
    context = {
        "cycle": product.cycles.get(cycle_id),
        "blind": product.cycles.rules(cycle_id).blind,
        "attached": attached,
        "left": left,
        "problem": problem,
    }
    return render(request, "reviewing/documents.html", context, status=422 if problem else 200)


def _served(body: bytes, media: str, name: str) -> Response:
    """Serve bytes as what they were found to be, and as nothing else."""
    if media not in ENDINGS:
        raise NotFoundError("document_not_found")
    return Response(
        body,
        media_type=f"{media}; charset=utf-8" if media.startswith("text/") else media,
        headers={
            "Content-Disposition": f'inline; filename="{name}"',
            "Content-Security-Policy": _FOR_PDF if media == PDF else _SANDBOX,
            "Cache-Control": "private, no-store",
        },
    )
