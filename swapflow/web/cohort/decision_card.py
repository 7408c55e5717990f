"""One applicant's decision card, and defence files, to be downloaded: a page, a PDF or JSON."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from swapflow.errors import ForbiddenError, NotFoundError
from swapflow.files.exports.decision_card import card_document, card_json
from swapflow.files.exports.defence.defence_file import (
    applicant_defence_document,
    applicant_defence_json,
    defence_document,
    defence_json,
)
from swapflow.files.exports.document import DocumentPart, PrintedDocument, html, pdf
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.program_page import held


router = APIRouter()

MayRead = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))]
MayExport = Annotated[Principal, Depends(may(Right.EXPORT))]

NamedReviewers = Annotated[
    bool, Query(description="Name reviewers by their ids; needs to see reviewers.")
]

MEDIA_OF = {
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
    "json": "application/json",
}
"""The forms of a card or a defence file, with their media types."""


@router.get("/applicants/{cycle_id}/{number}/card/{form}")
def download(
    request: Request, cycle_id: str, number: int, form: str, principal: MayRead
) -> Response:
    """Return the card as `html`, `pdf` or `json`; reviewers are numbers on it.

    A page and a PDF are in the reader's language.
    """
    del principal
    content, media = card_file(app_context(request), cycle_id, number, form)
    return _attachment(content, media, f"{cycle_id}-{number}-card.{form}")


@router.get("/applicants/{cycle_id}/{number}/defence/{form}")
def defend_applicant(
    request: Request,
    cycle_id: str,
    number: int,
    form: str,
    principal: MayExport,
    reviewers: NamedReviewers = False,  # noqa: FBT002 - a query parameter
) -> Response:
    """Return the defence file of the decision about one applicant, for those who may see them."""
    content, media = applicant_defence_file(
        request, principal, cycle_id, number, form, reviewers=reviewers
    )
    return _attachment(content, media, f"{cycle_id}-{number}-defence.{form}")


@router.get("/decide/{cycle_id}/defence/{form}")
def defend(request: Request, cycle_id: str, form: str, principal: MayExport) -> Response:
    """Return the defence file of a program's latest final list.

    Who may not see applicants gets it with ranks in place of ids, and without reasons.
    """
    content, media = defence_bytes(request, principal, cycle_id, form)
    return _attachment(content, media, f"{cycle_id}-defence.{form}")


def card_file(app: AppContext, cycle_id: str, number: int, form: str) -> tuple[bytes, str]:
    """Build an applicant's card and name its media type; reviewers are numbers on it.

    Raises:
        NotFoundError: If there is no such applicant, or no such form.
    """
    _check_form(form)
    card = app.product.reports.decision_card(cycle_id, _applicant(app, cycle_id, number))
    if form == "json":
        return card_json(card), MEDIA_OF[form]
    return _printed(app, card_document(card), form)


def applicant_defence_file(
    request: Request,
    principal: Principal,
    cycle_id: str,
    number: int,
    form: str,
    *,
    reviewers: bool,
) -> tuple[bytes, str]:
    """Build the defence file about one applicant, and name its media type.

    Raises:
        NotFoundError: If there is no such applicant or form, or the principal may not see
            applicants.
        ForbiddenError: If reviewers are to be named and the principal may not see them.
        NotReadyError: If no list is final.
    """
    _check_form(form)
    app = app_context(request)
    rights = held(app, principal, app.product.cycles.get(cycle_id))
    if Right.SEE_APPLICANTS not in rights:
        raise NotFoundError("download_unknown", name=f"defence.{form}")
    if reviewers and Right.SEE_REVIEWERS not in rights:
        raise ForbiddenError("defence_reviewers_forbidden")
    made = app.product.reports.applicant_defence(
        cycle_id, _applicant(app, cycle_id, number), name_reviewers=reviewers
    )
    if form == "json":
        return applicant_defence_json(made), MEDIA_OF[form]
    return _printed(app, applicant_defence_document(made), form)


def defence_bytes(
    request: Request,
    principal: Principal,
    cycle_id: str,
    form: str,
    *,
    parts: Sequence[DocumentPart] = (),
    more: Mapping[str, object] | None = None,
) -> tuple[bytes, str]:
    """Build the defence file of a program, and name its media type.

    Args:
        request: The request.
        principal: Who asks; who may not see applicants gets ranks in place of ids.
        cycle_id: The program.
        form: One of `MEDIA_OF`.
        parts: What the file has besides, as `defence_document` takes it.
        more: The same for programs, as `defence_json` takes it.

    Raises:
        NotFoundError: If there is no such form.
        NotReadyError: If no list is final.
    """
    _check_form(form)
    app = app_context(request)
    made = app.product.reports.defence(cycle_id)
    if Right.SEE_APPLICANTS not in held(app, principal, app.product.cycles.get(cycle_id)):
        made = made.without_people()
    if form == "json":
        return defence_json(made, more), MEDIA_OF[form]
    return _printed(app, defence_document(made, parts), form)


def _check_form(form: str) -> None:
    if form not in MEDIA_OF:
        raise NotFoundError("card_format_unknown", form=form[:10])


def _applicant(app: AppContext, cycle_id: str, number: int) -> str:
    found = app.product.reports.named(cycle_id, {number})
    if not found or not found[0].external_id:
        raise NotFoundError("applicant_unknown")
    return found[0].external_id


def _printed(app: AppContext, document: PrintedDocument, form: str) -> tuple[bytes, str]:
    if form == "html":
        return html(document), MEDIA_OF[form]
    return pdf(document, fonts=app.settings.font_folders), MEDIA_OF[form]


def _attachment(content: bytes, media: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media, headers=headers)
