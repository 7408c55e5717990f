"""Backups that people of the office make, and rehearsals of restoring one."""

from fastapi import APIRouter, Request

from swapflow.engine.ports.backups import BackupRun, RunState
from swapflow.engine.services.backups import BackupService
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import MayBackUp
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.retention import (
    BackupCopy,
    BackupsShown,
    RunOnRecord,
    SeenInBackup,
)
from swapflow.web.http.context import Product


router = APIRouter(prefix="/backups", route_class=ApiRoute, tags=["office"])


@router.get("")
def read_backups(principal: MayBackUp, product: Product) -> BackupsShown:
    """Read which backups are there, and the last runs: who made them and what they came to."""
    del principal
    service = product.backups
    return BackupsShown(
        last=service.last(),
        copies=[
            BackupCopy(file=one.name, made_at=one.made_at, size=one.size)
            for one in service.copies()
        ],
        runs=[_run(service, one) for one in service.runs()],
    )


@router.post("", status_code=202)
def back_up(request: Request, principal: MayBackUp, product: Product) -> RunOnRecord:
    """Begin a backup; `GET /backups` says how far it is. One that goes on already is returned."""
    run = product.backups.start(by=principal.name)
    note(request, principal, "began a backup", about=run.file)
    return _run(product.backups, run)


@router.post("/rehearsal", status_code=202)
def rehearse(request: Request, principal: MayBackUp, product: Product) -> RunOnRecord:
    """Begin a rehearsal: the newest backup is restored beside, verified, and deleted again."""
    run = product.backups.start_rehearsal(by=principal.name)
    note(request, principal, "began a rehearsal of a backup", about=run.file)
    return _run(product.backups, run)


def _run(service: BackupService, one: BackupRun) -> RunOnRecord:
    gone = one.state is RunState.RUNNING and not service.under_way(one)
    return RunOnRecord(
        run=one.id,
        kind=one.kind,
        file=one.file,
        by=one.by,
        at=one.at,
        ended_at=one.ended_at,
        state=RunState.INTERRUPTED if gone else one.state,
        done=one.done,
        total=one.total,
        passed=one.passed,
        problem=str(one.problem),
        saw=[
            SeenInBackup(
                program=seen.program,
                events=seen.events,
                decisions=seen.decisions,
                passed=seen.passed,
                problem=str(seen.problem),
            )
            for seen in one.saw
        ],
    )
