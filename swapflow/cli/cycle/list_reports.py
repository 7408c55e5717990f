"""What a list of people brought, and whom of it was left out since they were erased."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.cycle import applicant_columns
from swapflow.cli.output import Listing, many, report, warn


if TYPE_CHECKING:
    from swapflow.engine.intake.column_choice import ReviewerColumns
    from swapflow.engine.intake.list_import import Listed
    from swapflow.engine.intake.list_plan import ListPlan
    from swapflow.files.imports.applicant_list import ErasedLine, ListPreview


ErasedAgain = Annotated[
    list[str] | None,
    typer.Option(
        "--again",
        metavar="ID",
        help="Bring back an erased person that the file has again; repeatable.",
    ),
]


def warn_of_erased(erased: Iterable["ErasedLine"]) -> None:
    """Name each row of a person who was erased, and how it is confirmed."""
    for one in erased:
        cure = "" if one.row.confirmed else f": --again {one.row.external_id}"
        warn(f"note: {one.message}{cure}")


def erased_told(erased: Iterable["ErasedLine"]) -> list[dict[str, object]]:
    """Return the rows of erased people under stable keys."""
    return [
        {
            "line": one.line,
            "id": one.row.external_id,
            "name": one.row.name,
            "email": one.row.email,
            "same": list(one.row.same),
            "erased_from": one.row.program,
            "erased_on": one.row.day,
            "confirmed": one.row.confirmed,
        }
        for one in erased
    ]


def report_import(
    cycle: str,
    looked: "ListPreview",
    listed: "Listed | None",
    seen: "ReviewerColumns",
    *,
    as_json: bool,
) -> None:
    """Report what a list of applicants did, or would do where nothing was imported."""
    plan, found = looked.plan, looked.found
    done = f"{many(len(plan.fresh), 'applicant')} imported"
    if listed is None:
        done = f"{many(len(plan.fresh), 'applicant')} can be imported; nothing was changed"
    counts = [
        (len(plan.changed), "changed" if listed else "would be changed"),
        (plan.unchanged, "were there already"),
        (len(plan.erased.held), "left out, since they were erased"),
    ]
    done += "".join(f", {count} {what}" for count, what in counts if count)
    report(
        {
            "cycle": cycle,
            "read": len(found.new),
            "imported": 0 if listed is None else len(listed.added),
            "new": len(plan.fresh),
            "changed": len(plan.changed),
            "present": plan.unchanged,
            "changes": [
                {"applicant": known.application.external_id, **asdict(one)}
                for known in plan.known
                for one in known.differences
            ],
            "checked_only": listed is None,
            "wave": listed.added[0].wave if listed and listed.added else None,
            "own_conflicts": [list(pair) for pair in listed.own] if listed else [],
            "erased": erased_told(looked.erased),
            "encoding": found.encoding,
            "columns": dict(found.columns),
            "reviewers_see": applicant_columns.columns_told(seen) if seen.is_blind else None,
            "warnings": [*looked.warnings, *map(str, looked.alike)],
        },
        Listing(headers=("column", "taken for"), rows=tuple(found.columns.items())),
        *_told(plan),
        *([applicant_columns.columns_line(seen)] if seen.is_blind and seen.columns else []),
        done,
        as_json=as_json,
    )


def _told(plan: "ListPlan") -> Iterator[Listing]:
    """List what a file changes, and what stays as staff have it."""
    rows = tuple(
        (
            known.application.external_id,
            one.what,
            one.before,
            one.after,
            "stays: changed by staff" if one.kept else "changes",
        )
        for known in plan.known
        for one in known.differences
    )
    if rows:
        yield Listing(headers=("applicant", "what", "now", "in the file", "result"), rows=rows)
