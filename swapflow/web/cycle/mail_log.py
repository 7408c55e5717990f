"""The mails of a program: sent, waiting, failed; each can be looked at, failed ones sent again.

A sign-in mail belongs to no program and is never shown: it holds a way in.
"""

from email.message import EmailMessage
from email.utils import format_datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, Response

from swapflow.engine.pending.returned_mails import Returned
from swapflow.engine.ports.records import MailRecord
from swapflow.errors import NotReadyError
from swapflow.i18n.languages import gettext_noop
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import may, seat_view_of
from swapflow.web.http.program_page import NOTHING_REFUSED, Refused, act, held, visible
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/today/{cycle_id}/mail")

PAGE = 50

MaySeeMail = Annotated[Principal, Depends(may(Right.SEE_MAIL))]
MayRun = Annotated[Principal, Depends(may(Right.RUN))]

STATES = (
    ("", gettext_noop("All")),
    ("sent", gettext_noop("Sent")),
    ("queued", gettext_noop("Waiting")),
    ("sending", gettext_noop("Being sent")),
    ("failed", gettext_noop("Failed")),
    ("not sent", gettext_noop("Waiting: no mail server")),
    ("came back", gettext_noop("Came back")),
    ("kept back", gettext_noop("Kept back")),
    ("settled", gettext_noop("Came back, dealt with")),
    ("held", gettext_noop("Held")),
    ("taken back", gettext_noop("Taken back")),
    ("void", gettext_noop("Not needed any more")),
)

FRAME_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
)
"""A mail's HTML may style itself and show what it carries, and do nothing else."""


@router.get("")
def list_mails(
    request: Request,
    cycle_id: str,
    principal: MaySeeMail,
    state: str = "",
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
) -> Response:
    """List a program's mails, newest first."""
    return _list(request, cycle_id, principal, state, page)


@router.post("/again")
def send_all_again(request: Request, cycle_id: str, principal: MayRun) -> Response:
    """Queue every mail that failed again."""
    product = app_context(request).product

    def deed() -> None:
        if not product.outbox.queue_all_again(cycle_id):
            raise NotReadyError("no_mail_failed")

    return act(
        request,
        principal,
        f"/today/{cycle_id}/mail?state=queued",
        Message("act_mails_again"),
        deed,
        form="again",
        again=lambda refused: _list(request, cycle_id, principal, "failed", 1, refused),
    )


def _list(
    request: Request,
    cycle_id: str,
    principal: Principal,
    state: str,
    page: int,
    refused: Refused = NOTHING_REFUSED,
) -> Response:
    product = app_context(request).product
    state = state if state in dict(STATES) else ""
    # One more than is shown tells whether there is another page.
    found = product.outbox.mails(
        cycle_id,
        state=state,
        skip=(page - 1) * PAGE,
        at_most=PAGE + 1,
        # An address says who an applicant is, to whom a reviewer with another role may not see.
        without_applicants=seat_view_of(request, principal, cycle_id) is not None,
    )
    return render(
        request,
        "cycle/mail_log.html",
        {
            **_context(request, cycle_id, principal),
            "mails": found[:PAGE],
            "more": len(found) > PAGE,
            "page": page,
            "state": state,
            "states": STATES,
            "counts": product.outbox.count(cycle_id),
            "refused": refused,
        },
        status=refused.status,
    )


@router.get("/{mail_id}")
def show_mail(request: Request, cycle_id: str, mail_id: str, principal: MaySeeMail) -> Response:
    """Show one mail as text and as its reader sees it."""
    return _mail(request, cycle_id, mail_id, principal)


def _mail(
    request: Request,
    cycle_id: str,
    mail_id: str,
    principal: Principal,
    refused: Refused = NOTHING_REFUSED,
) -> Response:
    context = {
        **_context(request, cycle_id, principal),
        "record": app_context(request).product.outbox.mail(cycle_id, mail_id),
        "states": dict(STATES),
        "refused": refused,
    }
    return render(request, "cycle/mail.html", context, status=refused.status)


@router.get("/{mail_id}/html")
def show_html(request: Request, cycle_id: str, mail_id: str, principal: MaySeeMail) -> Response:
    """Return a mail's HTML, to be shown in a frame that can do nothing."""
    del principal
    mail = app_context(request).product.outbox.mail(cycle_id, mail_id).mail
    return HTMLResponse(mail.html, headers={"Content-Security-Policy": FRAME_POLICY})


@router.get("/{mail_id}/eml")
def download_mail(
    request: Request, cycle_id: str, mail_id: str, principal: MaySeeMail
) -> Response:
    """Return a mail as a file that mail programs open."""
    del principal
    app = app_context(request)
    record = app.product.outbox.mail(cycle_id, mail_id)
    content = eml(record, sender=app.settings.mail_from)
    headers = {"Content-Disposition": 'attachment; filename="mail.eml"'}
    return Response(content, media_type="message/rfc822", headers=headers)


@router.post("/{mail_id}/again")
def send_again(request: Request, cycle_id: str, mail_id: str, principal: MayRun) -> Response:
    """Queue a mail that failed again."""
    product = app_context(request).product

    def deed() -> None:
        # Read first: a mail that is not there is another answer than one that did not fail.
        product.outbox.mail(cycle_id, mail_id)
        if not product.outbox.queue_again(cycle_id, mail_id):
            raise NotReadyError("mail_did_not_fail")

    return act(
        request,
        principal,
        f"/today/{cycle_id}/mail",
        Message("act_mail_again"),
        deed,
        form="again",
        again=lambda refused: _mail(request, cycle_id, mail_id, principal, refused),
    )


@router.post("/{mail_id}/settled")
def settle(request: Request, cycle_id: str, mail_id: str, principal: MayRun) -> Response:
    """Settle what came back from the address of a mail, so that mail goes there again."""
    product = app_context(request).product
    record = product.outbox.mail(cycle_id, mail_id)
    return act(
        request,
        principal,
        _where_it_shows(product.returned_mails.of_program(cycle_id), cycle_id, mail_id),
        lambda count: Message("act_mail_settled", count=count),
        lambda: product.returned_mails.settle(cycle_id, [record.mail.to]),
        form="again",
        again=lambda refused: _mail(request, cycle_id, mail_id, principal, refused),
    )


def _where_it_shows(returned: Returned, cycle_id: str, mail_id: str) -> str:
    """Return the page of the person from whom a mail came back, or that of the mail."""
    for place, people in (("reviewers", returned.reviewers), ("applicants", returned.applicants)):
        for number, mails in people.items():
            if any(one.mail_id == mail_id for one in mails):
                return f"/{place}/{cycle_id}/{number}"
    return f"/today/{cycle_id}/mail"


def eml(record: MailRecord, *, sender: str) -> bytes:
    """Write a mail as its reader gets it."""
    mail = record.mail
    message = EmailMessage()
    message["From"] = sender
    message["To"] = mail.to
    message["Subject"] = mail.subject
    message["Date"] = format_datetime(record.created_at)
    message.set_content(mail.text)
    if mail.html:
        message.add_alternative(mail.html, subtype="html")
    if mail.calendar:
        message.add_attachment(mail.calendar, subtype="calendar", filename="invitation.ics")
    return bytes(message)


def _context(request: Request, cycle_id: str, principal: Principal) -> dict[str, object]:
    app = app_context(request)
    cycle = app.product.cycles.get(cycle_id)
    rights = held(app, principal, cycle)
    return {
        "cycle": cycle,
        "cycles": visible(app, principal, Right.SEE_PROGRESS),
        "rights": rights,
        "tab": "mail",
        "zone": app.product.cycles.rules(cycle_id).zone,
        "may_run": Right.RUN in rights,
    }
