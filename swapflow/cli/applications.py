"""`swapflow applications`: applicants come in, move, and leave."""

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from swapflow.cli.options import (
    ApplicationId,
    AsJson,
    By,
    Columns,
    CycleId,
    Encoding,
    Reason,
    column_roles,
    product,
)
from swapflow.cli.output import Listing, many, report, warn
from swapflow.domain.applicant import ApplicationStatus
from swapflow.errors import InvalidInputError, NotReadyError


if TYPE_CHECKING:
    from swapflow.domain.applicant import Application
    from swapflow.engine.facade import Swapflow
    from swapflow.files.applications import ApplicationsImport


app = typer.Typer(no_args_is_help=True, help="Applicants of a cycle: import, move, ask, erase.")

_GONE = (ApplicationStatus.WITHDRAWN, ApplicationStatus.INELIGIBLE)
_HERE = (ApplicationStatus.INCOMPLETE, ApplicationStatus.READY, ApplicationStatus.HELD)


@app.command("import")
def import_file(
    cycle: CycleId,
    file: Annotated[str, typer.Argument(metavar="FILE", help="CSV, TSV or XLSX.")],
    wave: Annotated[
        int, typer.Option(min=0, help="Number of the wave; 0 takes the next one.")
    ] = 0,
    column: Columns = None,
    encoding: Encoding = None,
    key: Annotated[
        Literal["id", "email"], typer.Option(help="What names an applicant in the file.")
    ] = "id",
    dates: Annotated[
        list[str] | None, typer.Option(metavar="HEADER", help="A column of dates; repeatable.")
    ] = None,
    date_order: Annotated[
        str, typer.Option(metavar="dmy|mdy", help="How dates such as 01/02/2026 are meant.")
    ] = "",
    check: Annotated[
        bool, typer.Option("--check", help="Say what would be imported; change nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Import applicants from a file: all of them, or none."""
    from swapflow.files.applications import read_applications

    swapflow = product()
    found = read_applications(
        file,
        mapping=column_roles(column),
        rules=swapflow.rules(cycle),
        encoding=encoding,
        key=key,
        dates=dates or (),
        date_order=date_order,
    )
    for warning in found.warnings:
        warn(f"note: {warning}")
    added = () if check else swapflow.import_applications(cycle, found.new, wave=wave)
    _report_import(cycle, found, added, check=check, as_json=as_json)


@app.command("list")
def list_applications(
    cycle: CycleId,
    status: Annotated[
        ApplicationStatus | None, typer.Option(help="Only those that stand so.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the applicants of a cycle."""
    found = [a for a in product().applications(cycle) if status in {None, a.status}]
    report(
        {"cycle": cycle, "applications": [_public(a) for a in found]},
        Listing(
            headers=("applicant", "name", "mail", "status", "wave"),
            rows=tuple((a.external_id, a.name, a.email, a.status.value, a.wave) for a in found),
            empty="no applicant",
        ),
        many(len(found), "applicant"),
        as_json=as_json,
    )


@app.command("ready")
def ready(
    cycle: CycleId,
    applicant: ApplicationId,
    by: By,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Say that an incomplete application is complete now."""
    _move(cycle, applicant, ApplicationStatus.READY, by, reason, as_json, "ready", "incomplete")


@app.command("hold")
def hold(
    cycle: CycleId,
    applicant: ApplicationId,
    by: By,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Ask for no more reviews of an applicant, who stays a candidate."""
    _move(cycle, applicant, ApplicationStatus.HELD, by, reason, as_json, "held", "ready")


@app.command("release")
def release(
    cycle: CycleId,
    applicant: ApplicationId,
    by: By,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """End a hold."""
    _move(cycle, applicant, ApplicationStatus.READY, by, reason, as_json, "released", "held")


@app.command("ineligible")
def ineligible(
    cycle: CycleId,
    applicant: ApplicationId,
    by: By,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; it stands in the record.")],
    as_json: AsJson = False,
) -> None:
    """Take an applicant out who does not meet the conditions."""
    to = ApplicationStatus.INELIGIBLE
    _move(cycle, applicant, to, by, reason, as_json, "ineligible", *_HERE)


@app.command("withdraw")
def withdraw(
    cycle: CycleId,
    applicant: ApplicationId,
    by: By,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Take an applicant out who no longer wants a place."""
    to = ApplicationStatus.WITHDRAWN
    _move(cycle, applicant, to, by, reason, as_json, "withdrawn", *_HERE)


@app.command("reinstate")
def reinstate(
    cycle: CycleId,
    applicant: ApplicationId,
    by: By,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Put an applicant back who had withdrawn or was ineligible."""
    _move(cycle, applicant, ApplicationStatus.READY, by, reason, as_json, "reinstated", *_GONE)


@app.command("purge")
def purge(
    cycle: CycleId,
    applicant: ApplicationId,
    by: By,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Erase an applicant's data for good; sums and checks of the record stand."""
    if not yes:
        if not sys.stdin.isatty():
            raise InvalidInputError(
                f"this erases {applicant!r} for good and cannot be undone; say so with --yes"
            )
        typer.confirm(f"Erase {applicant!r} for good? This cannot be undone", abort=True, err=True)
    product().purge(cycle, applicant, by=by)
    report(
        {"cycle": cycle, "purged": True, "by": by},
        "erased: name, mail, fields, files, remarks and attributes; what was counted stays "
        "counted, under a number only. Files exported earlier are yours to delete.",
        as_json=as_json,
    )


@app.command("ask")
def ask(
    cycle: CycleId,
    applicant: ApplicationId,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="review, interview, …")],
    by: By,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; it stands in the record.")],
    as_json: AsJson = False,
) -> None:
    """Ask for one more review of an applicant, from the reserve."""
    wish = product().ask(cycle, applicant, kind, by=by, reason=reason)
    report(
        {"cycle": cycle, "applicant": applicant, "kind": kind, "wish": wish, "by": by},
        f"one more {kind} for {applicant} is asked for; it goes out at the next turn if the "
        "reserve can pay it (`swapflow cycle status` says so)",
        as_json=as_json,
    )


def _move(
    cycle: str,
    applicant: str,
    to: ApplicationStatus,
    by: str,
    reason: str,
    as_json: bool,
    done: str,
    *allowed: str,
) -> None:
    """Move one application; refuse a word that would do something else than it says."""
    swapflow = product()
    status = _status(swapflow, cycle, applicant)
    if status not in set(allowed):
        raise NotReadyError(
            f"{applicant!r} is {status}; only an applicant who is {' or '.join(allowed)} "
            f"can be {done}"
        )
    swapflow.move_application(cycle, applicant, to, by=by, reason=reason)
    report(
        {"cycle": cycle, "applicant": applicant, "status": to.value, "by": by},
        f"{applicant} is {done}",
        as_json=as_json,
    )


def _status(swapflow: "Swapflow", cycle: str, applicant: str) -> str:
    from swapflow.engine.intake import find

    return find(swapflow.applications(cycle), applicant, cycle).status.value


def _report_import(
    cycle: str,
    found: "ApplicationsImport",
    added: "tuple[Application, ...]",
    *,
    check: bool,
    as_json: bool,
) -> None:
    before = 0 if check else len(found.new) - len(added)
    said = f"{many(len(added), 'applicant')} imported"
    if check:
        said = f"{many(len(found.new), 'applicant')} can be imported; nothing was changed"
    elif before:
        said += f", {before} were there already"
    report(
        {
            "cycle": cycle,
            "read": len(found.new),
            "imported": len(added),
            "present": before,
            "checked_only": check,
            "wave": added[0].wave if added else None,
            "encoding": found.encoding,
            "columns": dict(found.columns),
            "warnings": list(found.warnings),
        },
        Listing(headers=("column", "taken for"), rows=tuple(found.columns.items())),
        said,
        as_json=as_json,
    )


def _public(application: "Application") -> dict[str, str | int | dict[str, str]]:
    return {
        "applicant": application.external_id,
        "name": application.name,
        "email": application.email,
        "status": application.status.value,
        "wave": application.wave,
        "attributes": dict(application.attributes),
        "fields": dict(application.fields),
    }
