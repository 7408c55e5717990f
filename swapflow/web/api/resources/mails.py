"""Mails of a program: what was written to whom, and what became of it."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request

from swapflow.bootstrap import check_sender
from swapflow.engine.ports.health_facts import SECONDS_TO_ANSWER
from swapflow.engine.ports.records import MailRecord
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.i18n.translation import translate
from swapflow.identity.permissions import Right
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import MayManageUsers, MayRun, MayRunSomewhere, MaySeeMail
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.base import Counted
from swapflow.web.api.models.office import CameBack, Mail, MailCheck, MailFinding, MailText
from swapflow.web.api.pagination import Page, Paged, Paging
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.http.context import Product, app_context
from swapflow.web.http.dependencies import seat_view_of


router = APIRouter(prefix="/cycles/{cycle_id}/mails", route_class=ApiRoute, tags=["office"])

check = APIRouter(prefix="/mail-check", route_class=ApiRoute, tags=["office"])

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


@router.post("/{mail_id}/settled")
def settle_returned_mail(
    request: Request, cycle_id: CycleId, mail_id: MailId, principal: MayRun, product: Product
) -> Counted:
    """Settle what came back from the address of a mail, so that mail goes there again.

    Mails that came back are listed with `state=came back`; a corrected address settles them too,
    and sends the last one once more.
    """
    record = product.outbox.mail(cycle_id, _known(mail_id))
    count = product.returned_mails.settle(cycle_id, [record.mail.to])
    note(request, principal, "dealt with mails that came back", about=mail_id, detail=str(count))
    return Counted(count=count)


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


@check.get("")
def read_mail_check(request: Request, principal: MayRunSomewhere, product: Product) -> MailCheck:
    """Check SPF, DKIM and DMARC of the sender's domain; each finding has its cure."""
    app = app_context(request)
    probe = app.office.to_do.last_probe(principal.account)
    # Addresses of accounts are for those who manage them.
    manages = Right.MANAGE_USERS in principal.rights()
    return MailCheck(
        findings=[
            MailFinding(
                check=one.check,
                grade=one.grade,
                says=translate(one.says),
                cure=translate(one.cure) if one.cure else "",
            )
            for one in check_sender(app.settings, within=SECONDS_TO_ANSWER)
        ],
        probe=None if probe is None else _shown(probe),
        came_back=[
            CameBack(
                id=one.mail_id,
                to=one.to,
                subject=one.subject,
                why=translate(one.kind.words),
                cure=translate(one.kind.cure),
                said=one.said,
                at=one.at,
            )
            for one in (product.returned_mails.waiting(None) if manages else ())
        ],
        strays=product.returned_mails.strays().count,
    )


@check.post("/probe", status_code=202)
def send_probe(request: Request, principal: MayRunSomewhere, product: Product) -> Counted:
    """Send a test mail to oneself; asked twice within a minute it is one."""
    app = app_context(request)
    queued = app.office.to_do.send_probe(principal.account, now=product.cycles.now())
    product.outbox.send_soon()
    note(request, principal, "sent a test mail to oneself")
    return Counted(count=int(queued))


@check.post("/settled")
def settle_office_mails(request: Request, principal: MayManageUsers, product: Product) -> Counted:
    """Settle the office's own mails that came back, so that mail goes to those addresses again."""
    count = product.returned_mails.settle_office()
    note(request, principal, "dealt with mails that came back", detail=str(count))
    return Counted(count=count)


@check.post("/strays")
def drop_strays(request: Request, principal: MayManageUsers, product: Product) -> Counted:
    """Count the reports that fit no mail of ours from 0 again; says how many there were."""
    count = product.returned_mails.drop_strays()
    note(request, principal, "settled reports of no mail", detail=str(count))
    return Counted(count=count)
