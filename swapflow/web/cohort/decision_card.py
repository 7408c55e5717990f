"""One applicant's decision card, to be downloaded: a page, a PDF or JSON."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from swapflow.errors import NotFoundError
from swapflow.files.exports.decision_card import card_document, card_json
from swapflow.files.exports.document import html, pdf
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import may


router = APIRouter(prefix="/applicants/{cycle_id}/{number}/card")

MayRead = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))]


@router.get("/{form}")
def download(
    request: Request, cycle_id: str, number: int, form: str, principal: MayRead
) -> Response:
    """Return the card as `html`, `pdf` or `json`; reviewers are numbers on it.

    A page and a PDF are in the reader's language.
    """
    del principal
    content, media = card_file(app_context(request), cycle_id, number, form)
    name = f"{cycle_id}-{number}-card.{form}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media, headers=headers)


def card_file(app: AppContext, cycle_id: str, number: int, form: str) -> tuple[bytes, str]:
    """Build an applicant's card and name its media type; reviewers are numbers on it.

    Raises:
        NotFoundError: If there is no such applicant, or no such form.
    """
    found = app.product.reports.named(cycle_id, {number})
    if not found or not found[0].external_id:
        raise NotFoundError("applicant_unknown")
    card = app.product.reports.decision_card(cycle_id, found[0].external_id)
    match form:
        case "html":
            return html(card_document(card)), "text/html; charset=utf-8"
        case "pdf":
            fonts = app.settings.font_folders
            return pdf(card_document(card), fonts=fonts), "application/pdf"
        case "json":
            return card_json(card), "application/json"
        case _:
            raise NotFoundError("card_format_unknown", form=form[:10])
