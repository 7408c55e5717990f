"""Backups that people of the office make, and rehearsals of restoring one."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from swapflow.engine.ports.backups import BackupRun, RunKind, RunState
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.program_page import NOTHING_REFUSED, Refused, act
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/setup/backups")

MayBackUp = Annotated[Principal, Depends(may(Right.BACK_UP))]


@router.get("")
def show_backups(request: Request, principal: MayBackUp) -> Response:
    """Show the last backup and its age, those there are, and what rehearsals came to."""
    return _page(request, principal)


@router.post("")
def back_up(request: Request, principal: MayBackUp) -> Response:
    """Begin a backup; the page says how far it is."""
    backups = app_context(request).product.backups
    return act(
        request,
        principal,
        "/setup/backups",
        Message("act_backup_begun"),
        lambda: backups.start(by=principal.name),
        form="backup",
        again=lambda refused: _page(request, principal, refused),
    )


@router.post("/rehearsal")
def rehearse(request: Request, principal: MayBackUp) -> Response:
    """Begin a rehearsal of restoring the newest backup; the page says what it found."""
    backups = app_context(request).product.backups
    return act(
        request,
        principal,
        "/setup/backups",
        Message("act_rehearsal_begun"),
        lambda: backups.start_rehearsal(by=principal.name),
        form="rehearsal",
        again=lambda refused: _page(request, principal, refused),
    )


def _page(request: Request, principal: Principal, refused: Refused = NOTHING_REFUSED) -> Response:
    del principal
    product = app_context(request).product
    backups, now = product.backups, product.cycles.now()
    runs, last = backups.runs(), backups.last()
    running = next((one for one in runs if backups.under_way(one)), None)
    return render(
        request,
        "account/backups.html",
        {
            "can": backups.can,
            "last": last,
            "age": None if last is None else max((now - last).days, 0),
            "overdue": backups.overdue_days(),
            "copies": backups.copies(),
            "running": running,
            "runs": [(one, _state(one, goes_on=one is running)) for one in runs],
            "rehearsed": next(
                (
                    one
                    for one in runs
                    if one.kind is RunKind.REHEARSAL and one.state is RunState.DONE
                ),
                None,
            ),
            "zone": product.pending.zone(),
            "refused": refused,
        },
        status=refused.status,
    )


def _state(run: BackupRun, *, goes_on: bool) -> RunState:
    """Return a run's state; one whose process is gone is interrupted, whatever is stored."""
    gone = run.state is RunState.RUNNING and not goes_on
    return RunState.INTERRUPTED if gone else run.state
