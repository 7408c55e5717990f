"""`swapflow scores`: staff correct, void, bring in and admit scores."""

from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.cycle.offline_sheets import import_sheet
from swapflow.cli.help import CommandGroup
from swapflow.cli.options import (
    AsJson,
    By,
    Columns,
    CycleId,
    Encoding,
    ErrorFile,
    SheetName,
    column_roles,
    kept_errors,
    product,
)
from swapflow.cli.output import Listing, hundred, many, report, warn
from swapflow.cli.reviewing.mark_input import read_answer
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.domain.reviewing.score import Score
    from swapflow.engine.services import Swapflow


app = typer.Typer(
    cls=CommandGroup, no_args_is_help=True, help="Scores: correct, void, import, admit."
)

ScoreId = Annotated[
    str, typer.Argument(metavar="SCORE", help="Its id, as `scores list` shows it.")
]
Why = Annotated[
    str, typer.Option("--reason", metavar="TEXT", help="Why; it is kept in the record.")
]


@app.command("list")
def list_scores(
    cycle: CycleId,
    applicant: Annotated[
        str | None, typer.Option(metavar="ID", help="Only this applicant's.")
    ] = None,
    reviewer: Annotated[
        str | None, typer.Option(metavar="ID", help="Only this reviewer's.")
    ] = None,
    uncounted: Annotated[
        bool, typer.Option("--uncounted", help="Only those that do not count.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the scores as they are now. For staff: reviewers see their own inbox only."""
    swapflow = product()
    rows = [
        row
        for row in _rows(swapflow, cycle)
        if applicant in {None, row["applicant"]}
        and reviewer in {None, row["reviewer"]}
        and not (uncounted and row["counts"])
    ]
    report(
        {"cycle": cycle, "scores": rows},
        Listing(
            headers=("score", "applicant", "kind", "reviewer", "of 100", "counts", "why"),
            rows=tuple(
                (
                    row["score"],
                    row["applicant"],
                    row["kind"],
                    row["reviewer"],
                    hundred(float(str(row["value"])) / 100),
                    row["counts"],
                    row["reason"],
                )
                for row in rows
            ),
            empty="no score yet",
        ),
        as_json=as_json,
    )


@app.command("correct")
def correct(
    score: ScoreId,
    by: By,
    reason: Why,
    mark: Annotated[
        list[str] | None,
        typer.Option(metavar="CRITERION=MARK", help="One for each criterion; N/A is a choice."),
    ] = None,
    overall: Annotated[
        str | None,
        typer.Option("--score", metavar="S", help="One overall score: 0 to 1, or 70/100."),
    ] = None,
    remark: Annotated[str, typer.Option(metavar="TEXT", help="For the committee.")] = "",
    saw_others: Annotated[
        bool,
        typer.Option("--saw-others", help="Others' marks were seen: it is kept, not counted."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Put another score in the place of one; the old one stays on record."""
    swapflow = product()
    found = swapflow.tasks.get(score)
    rules = swapflow.cycles.rules(found.cycle_id)
    answer = read_answer(
        score,
        marks=mark or (),
        score=overall,
        rubric=rules.rubric(rules.kinds[found.kind].name),
        remark=remark,
    )
    seq = swapflow.scores.correct(answer, by=by, reason=reason, saw_others=saw_others)
    now = next(row for row in _rows(swapflow, found.cycle_id) if row["score"] == score)
    report(
        {**now, "number": seq, "by": by},
        f"corrected: {hundred(float(str(now['value'])) / 100)} of 100, "
        f"{'counted' if now['counts'] else 'not counted'}; the old score stays on record",
        as_json=as_json,
    )


@app.command("void")
def void(
    by: By,
    reason: Why,
    scores: Annotated[
        list[str] | None,
        typer.Argument(metavar="SCORE", help="Ids, as `scores list` shows them."),
    ] = None,
    cycle: Annotated[
        str | None, typer.Option(metavar="CYCLE", help="With --reviewer: the program.")
    ] = None,
    reviewer: Annotated[
        str | None, typer.Option(metavar="ID", help="All scores of this reviewer.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make scores count no more; they stay on record."""
    if bool(scores) == (reviewer is not None) or (reviewer is None) != (cycle is None):
        raise InvalidInputError("scores_or_reviewer")
    swapflow = product()
    if reviewer is not None and cycle is not None:
        voided = swapflow.scores.void_reviewer(cycle, reviewer, by=by, reason=reason)
    else:
        for name in scores or ():  # all are there, or none is touched
            swapflow.tasks.get(name)
        voided = swapflow.scores.void(scores or (), by=by, reason=reason)
    report(
        {"voided": voided, "by": by},
        f"{many(voided, 'score')} counted before and do not count any more",
        as_json=as_json,
    )


@app.command("restore")
def restore(
    by: By,
    reason: Why,
    scores: Annotated[
        list[str] | None,
        typer.Argument(metavar="SCORE", help="Ids, as `scores list` shows them."),
    ] = None,
    cycle: Annotated[
        str | None, typer.Option(metavar="CYCLE", help="With --reviewer: the program.")
    ] = None,
    reviewer: Annotated[
        str | None, typer.Option(metavar="ID", help="All voided scores of this reviewer.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Undo voids: the scores count again, all of them or none."""
    if bool(scores) == (reviewer is not None) or (reviewer is None) != (cycle is None):
        raise InvalidInputError("scores_or_reviewer")
    swapflow = product()
    if reviewer is not None and cycle is not None:
        restored = swapflow.scores.restore_reviewer(cycle, reviewer, by=by, reason=reason)
    else:
        restored = swapflow.scores.restore(scores or (), by=by, reason=reason)
    report(
        {"restored": restored, "by": by},
        f"{many(restored, 'score')} again among those that count",
        as_json=as_json,
    )


@app.command("import")
def import_file(
    cycle: CycleId,
    file: Annotated[str, typer.Argument(metavar="FILE", help="CSV, TSV, XLSX or JSON.")],
    by: By,
    kind: Annotated[
        str,
        typer.Option(metavar="KIND", help=("The review or interview, where no column names it.")),
    ] = "",
    scale: Annotated[
        str, typer.Option(metavar="0..5", help="Worst and best of a single score: 5..1 also.")
    ] = "",
    column: Columns = None,
    encoding: Encoding = None,
    sheet: SheetName = "",
    errors: ErrorFile = None,
    reviewer: Annotated[
        str | None,
        typer.Option(metavar="ID", help="A sheet that came back: the reviewer it must be of."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be stored, and store nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Enter a sheet that came back, or keep scores that were not asked for.

    A sheet of `swapflow reviewers sheet` is known by its keys: its reviews count as those of the
    reviewers who were asked, entered by you. Any other table has scores that were not asked for;
    they count only when staff admit them.
    """
    from swapflow.files.imports.offline_sheet import is_sheet
    from swapflow.files.imports.scores import read_scores, volunteered
    from swapflow.files.tables.table import read_table

    swapflow = product()
    # Read once: which of the two kinds of file it is shows only in its header.
    table = read_table(file, encoding=encoding, sheet=sheet)
    if is_sheet(table):
        import_sheet(
            swapflow, cycle, table, by=by, reviewer=reviewer, dry_run=dry_run, as_json=as_json
        )
        return
    if reviewer is not None:
        raise InvalidInputError("reviewer_option_without_sheet", source=table.source)
    applications = {a.external_id: a.number for a in swapflow.applicants.list(cycle)}
    reviewers = {r.external_id: r.number for r in swapflow.reviewers.list(cycle)}
    with kept_errors(errors, lambda: table):
        found = read_scores(
            table,
            rules=swapflow.cycles.rules(cycle),
            kind=kind,
            scale=scale,
            applications=list(applications),
            reviewers=list(reviewers),
            mapping=column_roles(column),
        )
    for warning in found.warnings:
        warn(f"note: {warning}")
    for line, applicant, by_whom in found.missing:
        warn(f"note: line {line}: no score of {applicant} by {by_whom}; passed over")
    if dry_run:
        report(
            {"cycle": cycle, "dry_run": True, "imported": len(found.scores)},
            f"{many(len(found.scores), 'score')} would be kept",
            as_json=as_json,
        )
        return
    with kept_errors(errors, lambda: table):
        unasked = volunteered(
            found.scores,
            swapflow.cycles.rules(cycle),
            applications,
            reviewers,
            by=by,
            source=table.source,
        )
    kept = list(swapflow.scores.volunteer(cycle, unasked, imported=True)) if unasked else []
    report(
        {"cycle": cycle, "imported": len(kept), "missing": len(found.missing), "scores": kept},
        *kept,
        f"{many(len(kept), 'score')} kept; none counts until staff admit it: "
        "swapflow scores admit SCORE --reason …",
        as_json=as_json,
    )


@app.command("admit")
def admit(score: ScoreId, by: By, reason: Why, as_json: AsJson = False) -> None:
    """Admit a score that was not asked for."""
    seq = product().scores.admit(score, by=by, reason=reason)
    report(
        {"score": score, "counts": True, "number": seq, "by": by},
        f"{score} counts now",
        as_json=as_json,
    )


def _rows(swapflow: "Swapflow", cycle: str) -> list[dict[str, object]]:
    """Return every score as it is now: the last revision of each."""
    applications = {a.number: a.external_id for a in swapflow.applicants.list(cycle)}
    reviewers = {r.number: r.external_id for r in swapflow.reviewers.list(cycle)}
    kinds = [kind.name for kind in swapflow.cycles.rules(cycle).kinds]
    # Oldest first, so the last revision of each stays.
    standing: dict[str, Score] = {s.assignment_id: s for s in swapflow.scores.list(cycle)}
    return [
        {
            "score": s.assignment_id,
            "applicant": applications[s.application],
            "kind": kinds[s.kind],
            "reviewer": reviewers[s.reviewer],
            "value": 100 * s.value / 1e6,
            "counts": s.counts,
            "reason": s.reason,
            "origin": s.origin.value,
            "late": None if s.late is None else s.late.value,
            "typed_by": s.typed_by or None,
            "revision": s.revision,
            "submitted_at": s.submitted_at.isoformat(),
        }
        for s in standing.values()
    ]
