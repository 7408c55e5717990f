"""Webhooks: addresses that are called when something happens, and how the calls go."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from swapflow.domain.cycle import Cycle
from swapflow.engine.services import Swapflow
from swapflow.errors import ForbiddenError, InvalidInputError, NotFoundError
from swapflow.identity.permissions import Right
from swapflow.identity.ports.integration_store import Webhook
from swapflow.identity.principal import Principal, require
from swapflow.identity.services import Office
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import MaySetWebhooks
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models import office
from swapflow.web.api.models.office import Activity, Call, MadeWebhook, NewWebhook
from swapflow.web.api.pagination import Page, Paged
from swapflow.web.api.revisions import MadeFrom, tag
from swapflow.web.http.context import Product, TheOffice, TheSettings
from swapflow.web.http.dependencies import closed_programs


router = APIRouter(prefix="/webhooks", route_class=ApiRoute, tags=["webhooks"])

Id = Annotated[str, Path(max_length=64, pattern=r"^[0-9a-f]{1,64}$")]


@router.get("")
def list_webhooks(
    principal: MaySetWebhooks, office: TheOffice, product: Product, paging: Paged
) -> Page[office.Webhook]:
    """List the webhooks of the programs that the caller sets up."""
    last = paging.last(str)
    rows = sorted(
        (
            _shown(hook)
            for hook in office.webhooks.list()
            if _may(principal, hook.cycle_id, product)
        ),
        key=lambda row: row.id,
    )
    shown = [row for row in rows if last is None or row.id > str(last[0])]
    return paging.page(shown, lambda row: [row.id])


@router.post("", status_code=201)
def create_webhook(
    request: Request,
    principal: MaySetWebhooks,
    office: TheOffice,
    product: Product,
    settings: TheSettings,
    new: NewWebhook,
) -> MadeWebhook:
    """Register an address; it is told what happens from now on. The secret is shown this once."""
    cycle = None if new.program is None else _cycle(product, new.program)
    # Before the program is missed: without the right nobody learns whether there is one.
    require(
        principal,
        Right.SET_UP,
        cycle_id=new.program,
        round_id=None if cycle is None else cycle.round_id,
    )
    if new.program is not None and cycle is None:
        raise NotFoundError("program_not_visible", program=new.program)
    # Calls tell of scores with applicants' ids.
    closed = closed_programs(request, principal)
    if closed and (new.program is None or new.program in closed):
        raise ForbiddenError("closed_to_reviewer")
    made = office.webhooks.make(
        principal,
        new.url,
        events=[event.value for event in new.events],
        cycle_id=new.program,
        reach=settings.reach,
    )
    return MadeWebhook(**_shown(made).model_dump(), secret=made.secret)


@router.get("/{webhook_id}")
def read_webhook(
    webhook_id: Id,
    principal: MaySetWebhooks,
    office: TheOffice,
    product: Product,
    response: Response,
) -> office.Webhook:
    """Read one webhook."""
    found = _find(office, product, principal, webhook_id)
    tag(response, found.revision)
    return _shown(found)


@router.patch("/{webhook_id}")
def change_webhook(
    request: Request,
    webhook_id: Id,
    principal: MaySetWebhooks,
    office: TheOffice,
    product: Product,
    change: Activity,
    precondition: MadeFrom,
) -> office.Webhook:
    """Pause or resume a webhook: when it goes on, it is told what happened meanwhile."""
    found = _find(office, product, principal, webhook_id)
    if office.webhooks.set_active(found, active=change.active, made_from=precondition.made_from):
        what = "let a webhook go on" if change.active else "let a webhook rest"
        note(request, principal, what, about=found.id, cycle_id=found.cycle_id)
        found = _find(office, product, principal, webhook_id)
    precondition.tag(found.revision)
    return _shown(found)


@router.delete("/{webhook_id}", status_code=204)
def remove_webhook(
    request: Request,
    webhook_id: Id,
    principal: MaySetWebhooks,
    office: TheOffice,
    product: Product,
) -> Response:
    """Remove a webhook with everything it was still to be told."""
    found = _find(office, product, principal, webhook_id)
    office.webhooks.remove(found.id)
    note(request, principal, "removed a webhook", about=found.id, cycle_id=found.cycle_id)
    return Response(status_code=204)


@router.get("/{webhook_id}/calls")
def list_calls(
    webhook_id: Id,
    principal: MaySetWebhooks,
    office: TheOffice,
    product: Product,
    paging: Paged,
) -> Page[Call]:
    """List what a webhook is told, newest first, and how that goes."""
    found = _find(office, product, principal, webhook_id)
    last = paging.last(str, str)
    calls = office.webhooks.calls(
        found.id,
        before=None if last is None else (_moment(str(last[0])), str(last[1])),
        at_most=paging.limit + 1,
    )
    rows = [
        Call(
            id=call.id,
            program=call.cycle_id,
            event=call.event,
            number=call.seq,
            state=call.state,
            attempts=call.attempts,
            detail=call.detail,
            created_at=call.created_at,
            due_at=call.due_at,
        )
        for call in calls
    ]
    return paging.page(rows, lambda row: [row.created_at.isoformat(), row.id])


@router.post("/{webhook_id}/calls/{call_id}/again", status_code=204)
def call_again(
    request: Request,
    webhook_id: Id,
    call_id: Annotated[str, Path(max_length=200)],
    principal: MaySetWebhooks,
    office: TheOffice,
    product: Product,
) -> Response:
    """Make a call once more, whatever became of it."""
    found = _find(office, product, principal, webhook_id)
    # PostgreSQL stores no null byte; such an id is unknown like any other.
    if not call_id.isprintable() or not office.webhooks.call_again(found.id, call_id):
        raise NotFoundError("call_unknown")
    note(request, principal, "made a call once more", about=call_id, cycle_id=found.cycle_id)
    return Response(status_code=204)


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInputError("cursor_not_of_list") from error
    if moment.tzinfo is None:
        raise InvalidInputError("cursor_not_of_list")
    return moment


def _cycle(product: Swapflow, cycle_id: str) -> Cycle | None:
    try:
        return product.cycles.get(cycle_id)
    except NotFoundError:
        return None


def _may(principal: Principal, cycle_id: str | None, product: Swapflow) -> bool:
    cycle = None if cycle_id is None else product.cycles.get(cycle_id)
    round_id = None if cycle is None else cycle.round_id
    return Right.SET_UP in principal.rights(cycle_id=cycle_id, round_id=round_id)


def _find(office: Office, product: Swapflow, principal: Principal, webhook_id: str) -> Webhook:
    for webhook in office.webhooks.list():
        if webhook.id == webhook_id and _may(principal, webhook.cycle_id, product):
            return webhook
    raise NotFoundError("webhook_not_yours")


def _shown(webhook: Webhook) -> office.Webhook:
    return office.Webhook(
        id=webhook.id,
        url=webhook.url,
        events=list(webhook.events),
        program=webhook.cycle_id,
        active=webhook.active,
        by=webhook.by,
        created_at=webhook.created_at,
        revision=webhook.revision,
    )
