"""`applications open`, and the pairs of `reviewers`: conflicts, bars, panels."""

from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.cycle_output import conflicting_lines
from swapflow.cli.options import (
    ApplicantOption,
    AsJson,
    By,
    Columns,
    CycleId,
    Encoding,
    ErrorFile,
    Must,
    OpenedId,
    ReviewerOption,
    SheetName,
    column_roles,
    kept_errors,
    own_seat,
    product,
)
from swapflow.cli.output import many, report, warn
from swapflow.errors import InvalidInputError, NotFoundError


if TYPE_CHECKING:
    from pathlib import Path

    from swapflow.engine.services import Swapflow
    from swapflow.files.tables.table import Table


def open_applicant(
    cycle: CycleId, applicant: OpenedId, by: By, reason: Must, as_json: AsJson = False
) -> None:
    """See an applicant though you review in the program; you are never asked about them then."""
    swapflow, seat = product(), own_seat(cycle, by)
    if seat is None:
        raise InvalidInputError("not_a_reviewer_here")
    numbers = {a.external_id: a.number for a in swapflow.applicants.list(cycle)}
    if applicant not in numbers:
        raise NotFoundError("applicant_not_in_program", cycle=cycle, applicant=applicant)
    new = swapflow.reviewers.open_applicant(cycle, numbers[applicant], seat, by=by, reason=reason)
    report(
        {"cycle": cycle, "applicant": applicant, "opened": new},
        f"{applicant} is open to you, and you are never asked about them"
        if new
        else f"{applicant} was open to you before; nothing was changed",
        as_json=as_json,
    )


def conflicts(
    cycle: CycleId,
    by: By,
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="Columns applicant and reviewer, a pair a row."),
    ] = None,
    applicant: Annotated[
        str | None, typer.Option(metavar="ID", help="One pair: the applicant.")
    ] = None,
    reviewer: Annotated[
        str | None, typer.Option(metavar="ID", help="One pair: the reviewer.")
    ] = None,
    column: Columns = None,
    encoding: Encoding = None,
    sheet: SheetName = "",
    errors: ErrorFile = None,
    as_json: AsJson = False,
) -> None:
    """Record conflicts of interest: these reviewers never get these applicants."""
    swapflow = product()
    if file is not None and applicant is None and reviewer is None:
        pairs = _pairs(swapflow, cycle, file, column, encoding, sheet, errors)
    elif file is None and applicant and reviewer:
        pairs = ((applicant, reviewer),)
    else:
        raise InvalidInputError("pairs_file_or_names")
    taken_back = swapflow.reviewers.add_conflicts(cycle, pairs, source=f"staff: {by}")
    recorded = set(pairs)
    scores = [
        one
        for one in swapflow.reviewers.conflicting_scores(cycle)
        if (one.external_id, one.reviewer) in recorded
    ]
    report(
        {
            "cycle": cycle,
            "pairs": len(pairs),
            "taken_back": taken_back,
            "scores": [one.score.assignment_id for one in scores],
            "by": by,
        },
        f"{many(len(pairs), 'conflict')} of interest recorded",
        *([f"{many(taken_back, 'open review')} withdrawn"] if taken_back else ()),
        *conflicting_lines(scores),
        as_json=as_json,
    )


def waive_conflict(
    cycle: CycleId,
    applicant: ApplicantOption,
    reviewer: ReviewerOption,
    by: By,
    reason: Must,
    as_json: AsJson = False,
) -> None:
    """Accept a score in spite of a conflict, with a reason; nothing new is asked."""
    product().reviewers.waive_conflict(cycle, applicant, reviewer, by=by, reason=reason)
    report(
        {"cycle": cycle, "applicant": applicant, "reviewer": reviewer, "by": by},
        f"what {reviewer} said of {applicant} counts in spite of the conflict",
        as_json=as_json,
    )


def remove_conflict(
    cycle: CycleId,
    applicant: ApplicantOption,
    reviewer: ReviewerOption,
    by: By,
    reason: Must,
    as_json: AsJson = False,
) -> None:
    """Take a conflict of interest back that was none; the reviewer may be asked again."""
    _refuse_other_role(cycle, reviewer)
    product().reviewers.remove_conflict(cycle, applicant, reviewer, by=by, reason=reason)
    report(
        {"cycle": cycle, "applicant": applicant, "reviewer": reviewer, "removed": True},
        f"{reviewer} is in no conflict with {applicant} and may be asked about them",
        as_json=as_json,
    )


def lift_bar(
    cycle: CycleId,
    applicant: ApplicantOption,
    reviewer: ReviewerOption,
    by: By,
    reason: Must,
    as_json: AsJson = False,
) -> None:
    """Allow a reviewer to be asked again about the applicant of a voided review."""
    _refuse_other_role(cycle, reviewer)
    lifted = product().reviewers.lift_bar(cycle, applicant, reviewer, by=by, reason=reason)
    report(
        {"cycle": cycle, "applicant": applicant, "reviewer": reviewer, "lifted": lifted},
        f"{reviewer} may be asked about {applicant} again; the voided review does not count"
        if lifted
        else f"{reviewer} might be asked about {applicant} before; nothing was changed",
        as_json=as_json,
    )


def panel(
    cycle: CycleId,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Columns applicant and reviewer, a pair a row.")
    ],
    column: Columns = None,
    encoding: Encoding = None,
    sheet: SheetName = "",
    errors: ErrorFile = None,
    as_json: AsJson = False,
) -> None:
    """Restrict the applicants named in a file to the reviewers named with them."""
    swapflow = product()
    pairs = _pairs(swapflow, cycle, file, column, encoding, sheet, errors)
    taken_back = swapflow.reviewers.set_panel(cycle, pairs)
    named = {applicant for applicant, _ in pairs}
    scores = [
        one
        for one in swapflow.reviewers.conflicting_scores(cycle)
        if one.source == "panel" and one.external_id in named
    ]
    report(
        {
            "cycle": cycle,
            "pairs": len(pairs),
            "taken_back": taken_back,
            "scores": [one.score.assignment_id for one in scores],
        },
        f"{many(len(named), 'applicant')} may go to the reviewers named only",
        *([f"{many(taken_back, 'open review')} of others withdrawn"] if taken_back else ()),
        *conflicting_lines(scores),
        as_json=as_json,
    )


def _refuse_other_role(cycle: str, name: str) -> None:
    """Refuse to let a reviewer be asked again who could read as staff what others said."""
    from swapflow.bootstrap import office
    from swapflow.identity.committee_members import refuse_other_role

    for reviewer in product().reviewers.list(cycle):
        if reviewer.external_id == name:
            users = office().users.list
            refuse_other_role(reviewer, users=users, cycle=product().cycles.get(cycle))


def _pairs(
    swapflow: "Swapflow",
    cycle: str,
    file: str,
    column: list[str] | None,
    encoding: str | None,
    sheet: str,
    errors: "Path | None",
) -> tuple[tuple[str, str], ...]:
    """Read pairs of people whom the program has."""
    from swapflow.files.imports.pairs import read_pairs
    from swapflow.files.tables.table import read_table

    def read() -> "Table":
        return read_table(file, encoding=encoding, sheet=sheet)

    with kept_errors(errors, read):
        table = read()
        for warning in table.warnings:
            warn(f"note: {warning}")
        return read_pairs(
            table,
            mapping=column_roles(column),
            applications=[a.external_id for a in swapflow.applicants.list(cycle)],
            reviewers=[r.external_id for r in swapflow.reviewers.list(cycle)],
        )
