"""`swapflow reviewers`: who may be asked, about whom, and how much."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.cycle import barred_pairs
from swapflow.cli.cycle.list_reports import ErasedAgain, erased_told, warn_of_erased
from swapflow.cli.cycle.offline_sheets import write_sheets
from swapflow.cli.help import CommandGroup
from swapflow.cli.options import (
    AsJson,
    By,
    Columns,
    CycleId,
    Encoding,
    ErrorFile,
    Find,
    Must,
    Reason,
    ReviewerId,
    SheetName,
    column_roles,
    kept_errors,
    product,
)
from swapflow.cli.output import Listing, many, report, warn
from swapflow.domain.people.plain_words import search_for
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.domain.people.reviewer import Reviewer
    from swapflow.files.tables.table import Table


app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    help=("Reviewers of a program: import, conflicts, leave."),
)
app.command("sheet")(write_sheets)
app.command("conflicts")(barred_pairs.conflicts)
app.command("waive-conflict")(barred_pairs.waive_conflict)
app.command("remove-conflict")(barred_pairs.remove_conflict)
app.command("lift-bar")(barred_pairs.lift_bar)
app.command("panel")(barred_pairs.panel)

TableFile = Annotated[str, typer.Argument(metavar="FILE", help="CSV, TSV, XLSX or JSON.")]


@app.command("import")
def import_file(
    cycle: CycleId,
    file: TableFile,
    by: By,
    column: Columns = None,
    encoding: Encoding = None,
    sheet: SheetName = "",
    again: ErasedAgain = None,
    errors: ErrorFile = None,
    as_json: AsJson = False,
) -> None:
    """Import reviewers from a file, or change those that are there: all, or none."""
    from swapflow.files.imports.import_settings import Reading
    from swapflow.files.imports.reviewer_list import preview_reviewer_list, take_reviewers
    from swapflow.files.tables.table import read_table

    swapflow = product()

    def read() -> "Table":
        return read_table(file, encoding=encoding, sheet=sheet)

    with kept_errors(errors, read):
        roster = preview_reviewer_list(
            read(),
            Reading(columns=column_roles(column)),
            product=swapflow,
            cycle_id=cycle,
            at_command_line=True,
            again=again or (),
        )
        for warning in (*roster.warnings, *map(str, roster.alike)):
            warn(f"note: {warning}")
        warn_of_erased(roster.erased)
        listed = take_reviewers(
            roster, product=swapflow, cycle_id=cycle, by=by, at_command_line=True
        )
    changes = [
        {"reviewer": one.external_id, "what": d.what, "before": d.before, "after": d.after}
        for one in listed.changed
        for d in one.differences
    ]
    for change in changes:
        warn("changed: {reviewer}: {what} {before!r} is now {after!r}".format(**change))
    parts = [f"{many(len(listed.added), 'reviewer')} imported"]
    if listed.changed:
        parts.append(f"{len(listed.changed)} changed")
    if listed.unchanged:
        parts.append(f"{listed.unchanged} there already, of whom the file says nothing new")
    if listed.held:
        parts.append(f"{len(listed.held)} left out, since they were erased")
    report(
        {
            "cycle": cycle,
            "read": len(roster.found.new),
            "imported": len(listed.added),
            "present": len(listed.changed) + listed.unchanged,
            "changed": len(listed.changed),
            "changes": changes,
            "own_conflicts": [list(pair) for pair in listed.own],
            "erased": erased_told(roster.erased),
        },
        ", ".join(parts),
        as_json=as_json,
    )


@app.command("list")
def list_reviewers(cycle: CycleId, find: Find = "", as_json: AsJson = False) -> None:
    """List the reviewers of a program."""
    fits, roster = search_for(find), product().reviewers.list(cycle)
    found = [r for r in roster if fits(r.name, r.external_id, r.email)]
    report(
        {"cycle": cycle, "reviewers": [_public(r) for r in found]},
        Listing(
            headers=("reviewer", "name", "mail", "takes", "topics", "state"),
            rows=tuple(
                (r.external_id, r.name, r.email, _takes(r), ", ".join(r.topics), _stands(r))
                for r in found
            ),
            empty="no reviewer",
        ),
        many(len(found), "reviewer"),
        as_json=as_json,
    )


@app.command("figures")
def figures(cycle: CycleId, by: By, as_json: AsJson = False) -> None:
    """Show how quick and how late reviewers are; the look is logged under your name."""
    from swapflow.bootstrap import office

    swapflow = product()
    swapflow.reports.require_figures(cycle)
    office().audit_log.record(
        by, "figures about reviewers read", cycle_id=cycle, about="how quick and how late"
    )
    terms = swapflow.reports.figure_terms(cycle)
    names = {r.number: r.external_id or "erased" for r in swapflow.reviewers.list(cycle)}
    rows = [
        {
            "reviewer": names[one.who] if terms.named else f"reviewer {one.who}",
            "overdue": one.overdue,
            "median_days": one.median_days,
        }
        for one in swapflow.reports.reviewer_figures(cycle)
    ]
    until = None if terms.until is None else terms.until.isoformat()
    report(
        {"cycle": cycle, "until": until, "reviewers": rows},
        Listing(
            headers=("reviewer", "overdue", "median days"),
            rows=tuple((r["reviewer"], r["overdue"], _days(r["median_days"])) for r in rows),
            empty="nothing to tell from yet",
        ),
        f"they go on {terms.until:%Y-%m-%d}, 90 days after the list was final"
        if terms.until
        else "they go 90 days after the list is final",
        *(() if terms.named else ("beside a random number, 3 overdue means three or more",)),
        as_json=as_json,
    )


def _days(days: object) -> str | None:
    return f"{days:.1f}" if isinstance(days, float) else None


@app.command("leave")
def leave(
    cycle: CycleId, reviewer: ReviewerId, by: By, reason: Reason = "", as_json: AsJson = False
) -> None:
    """Take a reviewer off the roster; open reviews go to others."""
    moved = product().reviewers.leave(cycle, reviewer, by=by, reason=reason)
    report(
        {"cycle": cycle, "reviewer": reviewer, "requests_moved": moved, "by": by},
        f"{reviewer} has left; {many(moved, 'open review')} to be given to others",
        as_json=as_json,
    )


@app.command("return")
def come_back(
    cycle: CycleId, reviewer: ReviewerId, by: By, reason: Must, as_json: AsJson = False
) -> None:
    """Put a reviewer who left on the roster again, as they were."""
    product().reviewers.come_back(cycle, reviewer, by=by, reason=reason)
    report(
        {"cycle": cycle, "reviewer": reviewer, "by": by},
        f"{reviewer} is back and may be asked again",
        as_json=as_json,
    )


@app.command("purge")
def purge(
    cycle: CycleId,
    reviewer: ReviewerId,
    by: By,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Erase a reviewer's data for good; scores stay under a number, sums and checks too."""
    from swapflow.bootstrap import office

    if not yes:
        if not sys.stdin.isatty():
            raise InvalidInputError("erasing_reviewer_unconfirmed", reviewer=reviewer)
        typer.confirm(f"Erase {reviewer!r} for good? This cannot be undone", abort=True, err=True)
    swapflow = product()
    number = next(
        (r.number for r in swapflow.reviewers.list(cycle) if r.external_id == reviewer), None
    )
    everything = swapflow.reviewers.erase(cycle, reviewer, by=by)
    office().audit_log.record(by, "erased a reviewer", cycle_id=cycle, about=f"reviewer {number}")
    stays = (
        "The account stays: another program names the same address, or it has a role as staff. "
        "`swapflow user list` shows roles; erase in the other program too."
    )
    kept = () if everything else (stays,)
    report(
        {"cycle": cycle, "number": number, "purged": True, "account": not everything, "by": by},
        f"erased: name, mail, id, absences, drafts and mails; what they scored stays, under "
        f"reviewer {number} only. Files exported earlier are yours to delete.",
        *kept,
        as_json=as_json,
    )


def _takes(reviewer: "Reviewer") -> str:
    return ", ".join(
        kind if most is None else f"{kind} (at most {most})"
        for kind, most in sorted(reviewer.capacity.items())
    )


def _stands(reviewer: "Reviewer") -> str:
    if not reviewer.active:
        return "erased" if reviewer.was_erased else "left"
    if reviewer.reserve:
        return "in reserve"
    return "a program" if reviewer.automatic else "active"


def _public(reviewer: "Reviewer") -> dict[str, object]:
    return {
        "reviewer": reviewer.external_id,
        "name": reviewer.name,
        "email": reviewer.email,
        "group": reviewer.group,
        "capacity": dict(reviewer.capacity),
        "packet": reviewer.packet,
        "automatic": reviewer.automatic,
        "topics": list(reviewer.topics),
        "active": reviewer.active,
        "reserve": reviewer.reserve,
        "away": [
            {"first": a.first.isoformat(), "last": a.last.isoformat()} for a in reviewer.absences
        ],
    }
