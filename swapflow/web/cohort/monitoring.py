"""Monitoring: what became of groups of applicants, in sums, for the compliance role alone.

Each look is written into the audit log before anything is shown; so looking is a POST, and the
page that a GET gives holds no number.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import Response

from swapflow.bootstrap import monitoring_beside
from swapflow.errors import ForbiddenError, InvalidInputError, NotFoundError
from swapflow.files.exports.document import can_make_pdf
from swapflow.files.exports.monitoring_report import (
    as_plain,
    groups_plain,
    report_archive,
    reviews_by_group,
)
from swapflow.files.exports.writers import Format
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.monitoring.report import Report
from swapflow.web.cohort.decision_card import defence_bytes
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.program_page import held, visible
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/today/{cycle_id}/monitoring")

MaySee = Annotated[Principal, Depends(may(Right.SEE_MONITORING))]

DECIDES = frozenset({Right.DECIDE, Right.SIGN})
"""Who holds one of these in a program does not see its groups, whatever else they are."""


@router.get("")
def ask(request: Request, cycle_id: str, principal: MaySee) -> Response:
    """Show what looking means; shows no number and reads none."""
    _keep_apart(request, cycle_id, principal)
    return _page(request, cycle_id, principal)


@router.post("")
def look(
    request: Request,
    cycle_id: str,
    principal: MaySee,
    cross: Annotated[list[str] | None, Form(max_length=20)] = None,
) -> Response:
    """Write down who looks, then show the tables."""
    try:
        report = made(request, cycle_id, principal, cross or ())
    except InvalidInputError as error:
        return _page(request, cycle_id, principal, shown={"problem": error.message}, status=422)
    names = monitoring_beside(app_context(request).product).attributes(cycle_id)
    shown = {
        "report": as_plain(report),
        "names": names,
        "crossed": sorted(set(cross or ())),
        "forms": list(Format),
    }
    return _page(request, cycle_id, principal, shown=shown)


@router.post("/files")
def take(
    request: Request,
    cycle_id: str,
    principal: MaySee,
    form: Annotated[str, Form(max_length=10)] = "csv",
    cross: Annotated[list[str] | None, Form(max_length=20)] = None,
    raw: Annotated[bool, Form()] = False,  # noqa: FBT002 - a form's field
) -> Response:
    """Write down who looks, then give the sums as a ZIP of lists."""
    if form not in set(Format):
        raise NotFoundError("monitoring_format_unknown")
    try:
        report = made(request, cycle_id, principal, cross or ())
    except InvalidInputError as error:
        return _page(request, cycle_id, principal, shown={"problem": error.message}, status=422)
    name = f"{cycle_id}-monitoring.zip"
    return Response(
        report_archive(report, Format(form), raw=raw),
        media_type="application/zip",
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "private, no-store",
        },
    )


@router.post("/defence")
def defend(
    request: Request,
    cycle_id: str,
    principal: MaySee,
    form: Annotated[str, Form(max_length=10)] = "pdf",
) -> Response:
    """Write down who looks, then give the program's defence file with its reviews by group."""
    report = made(request, cycle_id, principal, ())
    content, media = defence_bytes(
        request,
        principal,
        cycle_id,
        form,
        parts=[reviews_by_group(report)],
        more=groups_plain(report),
    )
    return Response(
        content,
        media_type=media,
        headers={
            "Content-Disposition": f'attachment; filename="{cycle_id}-defence.{form}"',
            "Cache-Control": "private, no-store",
        },
    )


def made(request: Request, cycle_id: str, principal: Principal, cross: Iterable[str]) -> Report:
    """Write down who looks, then make the report.

    Raises:
        ForbiddenError: If they may decide or sign in the program.
        InvalidInputError: If an attribute is not known.
    """
    _keep_apart(request, cycle_id, principal)
    app = app_context(request)
    monitoring = monitoring_beside(app.product)
    names, crossed = monitoring.attributes(cycle_id), sorted(set(cross))
    pairs = " × ".join(name for name in crossed if name in names)
    # Before the report is made: a look that fails halfway is on record too.
    app.office.audit_log.record(principal.name, "monitoring read", cycle_id=cycle_id, about=pairs)
    return monitoring.report(cycle_id, crossed=crossed)


def _keep_apart(request: Request, cycle_id: str, principal: Principal) -> None:
    """Refuse a principal who decides in this program.

    Raises:
        ForbiddenError: If they may decide or sign there.
    """
    app = app_context(request)
    if held(app, principal, app.product.cycles.get(cycle_id)) & DECIDES:
        raise ForbiddenError("monitoring_not_for_deciders")


def _page(
    request: Request,
    cycle_id: str,
    principal: Principal,
    *,
    status: int = 200,
    shown: Mapping[str, object] | None = None,
) -> Response:
    app = app_context(request)
    cycle = app.product.cycles.get(cycle_id)
    content = {
        "cycle": cycle,
        "cycles": visible(app, principal, Right.SEE_MONITORING),
        "rights": held(app, principal, cycle),
        "tab": "monitoring",
        "zone": app.product.cycles.rules(cycle_id).zone,
        "report": None,
        "names": (),
        "crossed": (),
        "problem": "",
        "defended": cycle.cohort_version > 0,
        "pdf_too": can_make_pdf(),
    }
    return render(request, "cohort/monitoring.html", content | dict(shown or {}), status=status)
