"""`swapflow reviewers sheet`: one row per request, for reviewers who answer by mail."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.options import AsJson, CycleId, product
from swapflow.cli.output import Listing, many, report, warn
from swapflow.errors import BadRowsError, InvalidInputError, NotFoundError


if TYPE_CHECKING:
    from swapflow.domain.people.reviewer import Reviewer
    from swapflow.engine.scoring.sheet_plan import SheetPlan
    from swapflow.engine.services import Swapflow
    from swapflow.files.tables.table import Table


def write_sheets(
    cycle: CycleId,
    out: Annotated[str, typer.Option(metavar="FOLDER", help="Where the files go.")],
    reviewer: Annotated[
        str | None, typer.Option(metavar="ID", help="Only this one; all otherwise.")
    ] = None,
    form: Annotated[str, typer.Option("--format", metavar="xlsx|csv")] = "xlsx",
    as_json: AsJson = False,
) -> None:
    """Write a sheet for each reviewer for whom something waits.

    It comes back filled by `swapflow scores import CYCLE FILE`. Files are named by number, never
    by a person; the list says whose each is.
    """
    from swapflow.files.exports.offline_sheet import FORMATS, file_name, sheet_file
    from swapflow.files.exports.writers import Format, write_file

    if form not in {known.value for known in FORMATS}:
        raise InvalidInputError("sheet_format_option", form=form)
    swapflow = product()
    written: list[dict[str, object]] = []
    for one in _chosen(swapflow, cycle, reviewer):
        tasks = swapflow.scores.offline_sheet(cycle, one.number)
        if not tasks:
            continue
        path = Path(out) / file_name(cycle, one.number, Format(form))
        write_file(path, sheet_file(tasks, Format(form), address=swapflow.address))
        written.append(
            {
                "file": str(path),
                "reviewer": one.external_id,
                "email": one.email,
                "requests": len(tasks),
            }
        )
    report(
        {"cycle": cycle, "sheets": written},
        Listing(
            headers=("file", "reviewer", "mail", "requests"),
            rows=tuple((w["file"], w["reviewer"], w["email"], w["requests"]) for w in written),
            empty="no reviewer has an open review, so no sheet was written",
        ),
        as_json=as_json,
    )


def import_sheet(
    swapflow: "Swapflow",
    cycle: str,
    table: "Table",
    *,
    by: str,
    reviewer: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Enter a sheet that came back, or say what that would do."""
    from swapflow.files.imports.offline_sheet import returned

    back = returned(table)
    for warning in back.warnings:
        warn(f"note: {warning}")
    number = None if reviewer is None else _chosen(swapflow, cycle, reviewer)[0].number
    plan = swapflow.scores.examine_offline_sheet(
        cycle, back.rows, by=by, source=back.source, reviewer=number, bad=back.bad
    )
    if plan.bad:
        raise BadRowsError(plan.source, plan.bad)
    if not dry_run:
        swapflow.scores.enter_offline_sheet(plan, by=by)
    _report(plan, by=by, dry_run=dry_run, as_json=as_json)


def _report(plan: "SheetPlan", *, by: str, dry_run: bool, as_json: bool) -> None:
    from swapflow.engine.scoring.sheet_plan import RowOutcome

    counts = {fate.value: plan.count(fate) for fate in RowOutcome}
    rows = [
        {
            "line": row.line,
            "task": row.task,
            "applicant": row.applicant,
            "reviewer": row.reviewer,
            "result": row.fate.value,
            "note": row.note,
        }
        for row in plan.rows
        if row.fate is not RowOutcome.BLANK
    ]
    verb = "would be" if dry_run else "were"
    report(
        {"cycle": plan.cycle_id, "dry_run": dry_run, **counts, "rows": rows, "by": by},
        Listing(
            headers=("line", "applicant", "reviewer", "result", "note"),
            rows=tuple(
                (r["line"], r["applicant"], r["reviewer"], r["result"], r["note"]) for r in rows
            ),
            empty="every row is blank",
        ),
        f"{many(counts['new'], 'review')} {verb} stored, {counts['corrected']} corrected, "
        f"{counts['unchanged']} stored before, {many(counts['blank'], 'blank row')} passed over",
        as_json=as_json,
    )


def _chosen(swapflow: "Swapflow", cycle: str, reviewer: str | None) -> "list[Reviewer]":
    roster = list(swapflow.reviewers.list(cycle))
    if reviewer is None:
        return roster
    found = [one for one in roster if one.external_id == reviewer]
    if not found:
        raise NotFoundError("reviewer_not_in_cycle", cycle=cycle, reviewer=reviewer)
    return found
