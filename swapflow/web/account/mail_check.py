"""Whether mails arrive: the sender's domain as receivers see it, a test mail, what came back."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from swapflow.bootstrap import check_sender
from swapflow.engine.ports.health_facts import SECONDS_TO_ANSWER
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import may, may_anywhere
from swapflow.web.http.program_page import NOTHING_REFUSED, Refused, act
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/setup/mail")

MayRunSomewhere = Annotated[Principal, Depends(may_anywhere(Right.RUN))]
MayManageUsers = Annotated[Principal, Depends(may(Right.MANAGE_USERS))]

HERE = "/setup/mail"


@router.get("")
def show_check(request: Request, principal: MayRunSomewhere) -> Response:
    """Show what receivers check, and what became of the last test mail."""
    return _page(request, principal)


@router.post("/probe")
def send_probe(request: Request, principal: MayRunSomewhere) -> Response:
    """Send a test mail to the person who asks; asked twice within a minute it is one."""
    app = app_context(request)

    def deed() -> None:
        app.office.to_do.send_probe(principal.account, now=app.product.cycles.now())
        app.product.outbox.send_soon()

    return act(
        request,
        principal,
        HERE,
        Message("act_probe_sent"),
        deed,
        form="probe",
        again=lambda refused: _page(request, principal, refused),
    )


@router.post("/settled")
def settle(request: Request, principal: MayManageUsers) -> Response:
    """Settle the mails of the office that came back, such as those to sign in."""
    return act(
        request,
        principal,
        HERE,
        lambda count: Message("act_mail_settled", count=count),
        app_context(request).product.returned_mails.settle_office,
        form="settled",
        again=lambda refused: _page(request, principal, refused),
    )


@router.post("/strays")
def drop_strays(request: Request, principal: MayManageUsers) -> Response:
    """Settle the reports that fit no mail."""
    return act(
        request,
        principal,
        HERE,
        Message("act_strays_settled"),
        app_context(request).product.returned_mails.drop_strays,
        form="strays",
        again=lambda refused: _page(request, principal, refused),
    )


def _page(request: Request, principal: Principal, refused: Refused = NOTHING_REFUSED) -> Response:
    app = app_context(request)
    returned = app.product.returned_mails
    manages = Right.MANAGE_USERS in principal.rights()
    return render(
        request,
        "account/mail_check.html",
        {
            "findings": list(check_sender(app.settings, within=SECONDS_TO_ANSWER)),
            "probe": app.office.to_do.last_probe(principal.account),
            "to": principal.account.email,
            # Addresses of accounts are for those who manage them.
            "office_mails": returned.waiting(None) if manages else (),
            "strays": returned.strays() if manages else None,
            "mailbox": app.settings.bounce_imap_host,
            "zone": app.product.pending.zone(),
            "refused": refused,
        },
        status=refused.status,
    )
