"""`swapflow applications`: applicants come in, move, and leave."""

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from swapflow.cli.cycle import applicant_columns, applicant_values, barred_pairs
from swapflow.cli.cycle.list_reports import ErasedAgain, report_import, warn_of_erased
from swapflow.cli.help import CommandGroup
from swapflow.cli.options import (
    ApplicationId,
    AsJson,
    By,
    Columns,
    CycleId,
    Encoding,
    ErrorFile,
    Find,
    Reason,
    SheetName,
    column_roles,
    kept_errors,
    product,
    split_pair,
)
from swapflow.cli.output import Listing, many, report, warn
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.plain_words import search_for
from swapflow.errors import InvalidInputError, NotReadyError


if TYPE_CHECKING:
    from swapflow.domain.people.application import Application
    from swapflow.engine.services import Swapflow
    from swapflow.files.tables.table import Table


app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    help=("Applicants of a program: import, move, ask, erase."),
)
app.command("columns")(applicant_columns.columns)
app.command("values")(applicant_values.values)
app.command("open")(barred_pairs.open_applicant)

_GONE = (ApplicationStatus.WITHDRAWN, ApplicationStatus.INELIGIBLE)
_HERE = (ApplicationStatus.INCOMPLETE, ApplicationStatus.READY, ApplicationStatus.HELD)


@app.command("import")
def import_file(
    cycle: CycleId,
    file: Annotated[str, typer.Argument(metavar="FILE", help="CSV, TSV, XLSX or JSON.")],
    by: By,
    wave: Annotated[
        int, typer.Option(min=0, help="Number of the wave; 0 takes the next one.")
    ] = 0,
    column: Columns = None,
    encoding: Encoding = None,
    sheet: SheetName = "",
    key: Annotated[
        Literal["id", "email"] | None,
        typer.Option(help="What names an applicant in the file; an id, unless said before."),
    ] = None,
    dates: Annotated[
        list[str] | None, typer.Option(metavar="HEADER", help="A column of dates; repeatable.")
    ] = None,
    date_order: Annotated[
        str, typer.Option(metavar="dmy|mdy", help="How dates such as 01/02/2026 are meant.")
    ] = "",
    age_bands: applicant_columns.AgeBandStarts = "",
    show: applicant_columns.ShownColumn = None,
    show_proposed: applicant_columns.ShowProposed = False,
    anew: Annotated[
        bool, typer.Option("--anew", help="Forget how the columns of the last file were taken.")
    ] = False,
    again: ErasedAgain = None,
    check: Annotated[
        bool, typer.Option("--check", help="Say what would be imported; change nothing.")
    ] = False,
    errors: ErrorFile = None,
    as_json: AsJson = False,
) -> None:
    """Import applicants from a file, and change those it changes: all of them, or none.

    Known applicants are found by their id. What staff decided or corrected by hand stays.
    """
    from swapflow.files.imports.applicant_list import preview_applicant_list, take_applicants
    from swapflow.files.imports.import_settings import Reading
    from swapflow.files.tables.cells import refuse
    from swapflow.files.tables.table import read_table

    swapflow = product()

    def read() -> "Table":
        return read_table(file, encoding=encoding, sheet=sheet)

    said = {"date_order": date_order, "age_bands": age_bands}
    columns = column_roles(column)
    chosen = Reading(columns=columns, key=key or "", dates=tuple(dates or ()), **said)
    with kept_errors(errors, read):
        looked = preview_applicant_list(
            read(),
            chosen,
            product=swapflow,
            cycle_id=cycle,
            as_last_time=not anew,
            again=again or (),
        )
        for warning in (*looked.warnings, *map(str, looked.alike)):
            warn(f"note: {warning}")
        warn_of_erased(looked.erased)
        refuse(looked.table.source, looked.bad)
        choices = looked.choices(show or (), proposed=show_proposed)
        listed = None
        if not check:
            listed = take_applicants(
                looked,
                product=swapflow,
                cycle_id=cycle,
                by=by,
                wave=wave,
                choices=choices if show or show_proposed else None,
            )
    report_import(cycle, looked, listed, looked.columns.after(choices), as_json=as_json)


@app.command("list")
def list_applications(
    cycle: CycleId,
    status: Annotated[
        ApplicationStatus | None, typer.Option(help="Only those with this status.")
    ] = None,
    find: Find = "",
    as_json: AsJson = False,
) -> None:
    """List the applicants of a program."""
    is_found = search_for(find)
    found = [
        a
        for a in product().applicants.list(cycle)
        if status in {None, a.status} and is_found(a.name, a.external_id, a.email)
    ]
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


@app.command("correct")
def correct(
    cycle: CycleId,
    applicant: ApplicationId,
    by: By,
    name: Annotated[str | None, typer.Option(metavar="TEXT", help="The name.")] = None,
    email: Annotated[str | None, typer.Option(metavar="ADDRESS", help="The address.")] = None,
    field: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A field; empty removes it; repeatable."),
    ] = None,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Correct what is known of an applicant; files imported later leave it so."""
    # Given twice, a field takes the last value, as later options do everywhere.
    values = dict(split_pair(one, "--field", "NAME=VALUE") for one in field or ())
    said = {
        **({} if name is None else {"name": name}),
        **({} if email is None else {"email": email}),
        **{f"field:{what}": value for what, value in values.items()},
    }
    if not said:
        raise InvalidInputError("nothing_to_correct")
    changed = product().applicants.correct(cycle, applicant, said, by=by, reason=reason)
    report(
        {"cycle": cycle, **_public(changed), "by": by},
        f"{applicant} is corrected; files imported later leave it so",
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
    """Mark an incomplete applicant as complete."""
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
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; it is kept in the record.")],
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
    """Erase an applicant's data for good; sums and checks of the record stay."""
    if not yes:
        # A script cannot be asked, and must not wait for an answer.
        if not sys.stdin.isatty():
            raise InvalidInputError("erasing_applicant_unconfirmed", applicant=applicant)
        typer.confirm(f"Erase {applicant!r} for good? This cannot be undone", abort=True, err=True)
    product().applicants.erase(cycle, applicant, by=by)
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
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; it is kept in the record.")],
    as_json: AsJson = False,
) -> None:
    """Ask for one more review of an applicant, from the reserve."""
    wish = product().applicants.ask(cycle, applicant, kind, by=by, reason=reason)
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
    # `release` of a withdrawn applicant would bring them back, which its name does not say.
    status = _status(swapflow, cycle, applicant)
    if status not in set(allowed):
        raise NotReadyError(
            "applicant_in_other_state",
            applicant=applicant,
            status=status,
            allowed=allowed,
            done=done,
        )
    swapflow.applicants.move(cycle, applicant, to, by=by, reason=reason)
    report(
        {"cycle": cycle, "applicant": applicant, "status": to.value, "by": by},
        f"{applicant} is {done}",
        as_json=as_json,
    )


def _status(swapflow: "Swapflow", cycle: str, applicant: str) -> str:
    from swapflow.engine.preconditions import find

    return find(swapflow.applicants.list(cycle), applicant, cycle).status.value


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
