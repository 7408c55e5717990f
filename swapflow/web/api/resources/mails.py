"""Mails of a program: what was written to whom, and what became of it."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request

from swapflow.engine.ports.records import MailRecord
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import MayRun, MaySeeMail
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.base import Counted
from swapflow.web.api.models.office import Mail, MailText
from swapflow.web.api.pagination import Page, Paged, Paging
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.http.context import Product
from swapflow.web.http.dependencies import seat_view_of


router = APIRouter(prefix="/cycles/{cycle_id}/mails", route_class=ApiRoute, tags=["office"])

MailId = Annotated[str, Path(max_length=200)]


@router.get("")
def list_mails(
    request: Request,
    cycle_id: CycleId,
    principal: MaySeeMail,
    product: Product,
    paging: Paged,
    state: Annotated[str, Query(pattern=r"^[a-z ]{0,20}$", description="Only these.")] = "",
) -> Page[Mail]:
    """List a program's mails and what became of them, newest first."""
    found = product.outbox.mails(
        cycle_id,
        state=state,
        after=_last(paging),
        at_most=paging.limit + 1,
        without_applicants=seat_view_of(request, principal, cycle_id) is not None,
    )
    return paging.page(list(map(_shown, found)), lambda row: [row.created_at.isoformat(), row.id])


@router.post("/again")
def send_all_mails_again(
    request: Request, cycle_id: CycleId, principal: MayRun, product: Product
) -> Counted:
    """Send every mail again that failed or was not sent; says how many."""
    queued = product.outbox.queue_all_again(cycle_id)
    note(request, principal, "sent every mail again that had failed", detail=str(queued))
    return Counted(count=queued)


@router.get("/{mail_id}")
def read_mail(
    cycle_id: CycleId, mail_id: MailId, principal: MaySeeMail, product: Product
) -> MailText:
    """Read one mail with its words; a personal link in it is masked."""
    del principal
    record = product.outbox.mail(cycle_id, _known(mail_id))
    return MailText(
        **_shown(record).model_dump(),
        text=record.mail.text,
        html=record.mail.html,
        calendar=record.mail.calendar,
    )


@router.post("/{mail_id}/again")
def send_mail_again(
    request: Request, cycle_id: CycleId, mail_id: MailId, principal: MayRun, product: Product
) -> Counted:
    """Send a mail again that failed or was not sent."""
    product.outbox.mail(cycle_id, _known(mail_id))
    queued = product.outbox.queue_again(cycle_id, mail_id)
    note(request, principal, "sent a mail again", about=mail_id)
    return Counted(count=int(queued))


def _last(paging: Paging) -> tuple[datetime, str] | None:
    last = paging.last(str, str)
    if last is None:
        return None
    try:
        at = datetime.fromisoformat(str(last[0]))
    except ValueError as error:
        raise InvalidInputError("cursor_not_of_list") from error
    # A caller can write a cursor by hand; without a zone it compares with no stored moment.
    if at.tzinfo is None:
        raise InvalidInputError("cursor_not_of_list")
    return at, str(last[1])


def _known(mail_id: str) -> str:
    # PostgreSQL refuses a NUL with an error of its own, and no stored id holds one.
    if not mail_id.isprintable():
        raise NotFoundError("mail_unknown", mail=mail_id)
    return mail_id


def _shown(record: MailRecord) -> Mail:
    return Mail(
        id=record.mail.id,
        to=record.mail.to,
        subject=record.mail.subject,
        state=record.mail.state,
        detail=record.detail,
        created_at=record.created_at,
        attempts=record.attempts,
    )
