"""What a list of people brought, in words or as JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from swapflow.cli.cycle import applicant_columns
from swapflow.cli.output import Listing, many, report


if TYPE_CHECKING:
    from swapflow.engine.intake.column_choice import ReviewerColumns
    from swapflow.engine.intake.list_import import Listed
    from swapflow.engine.intake.list_plan import ListPlan
    from swapflow.files.imports.applicant_list import ListPreview


def report_import(
    cycle: str,
    looked: "ListPreview",
    listed: "Listed | None",
    seen: "ReviewerColumns",
    *,
    as_json: bool,
) -> None:
    """Report what a list brought, or would bring."""
    plan, found = looked.plan, looked.found
    done = f"{many(len(plan.fresh), 'applicant')} imported"
    if listed is None:
        done = f"{many(len(plan.fresh), 'applicant')} can be imported; nothing was changed"
    counts = [
        (len(plan.changed), "changed" if listed else "would be changed"),
        (plan.unchanged, "were there already"),
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


def _told(plan: "ListPlan") -> "Iterator[Listing]":
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
