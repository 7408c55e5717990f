"""`swapflow applications columns`: what reviewers of a blind program see of applicants."""

from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.options import AsJson, By, CycleId, product
from swapflow.cli.output import Listing, report


if TYPE_CHECKING:
    from swapflow.engine.intake.column_choice import ReviewerColumns


AgeBandStarts = Annotated[
    str,
    typer.Option(metavar="AGES", help="Ages at which bands of birth dates begin: 20,25,30,40."),
]
ShownColumn = Annotated[
    list[str] | None,
    typer.Option(
        "--show", metavar="COLUMN", help="A column that blind reviewers see; repeatable."
    ),
]
ShowProposed = Annotated[
    bool,
    typer.Option(
        "--show-proposed",
        help="Show blind reviewers what is known to be applicants' own work, as statements.",
    ),
]


def columns(
    cycle: CycleId,
    by: By,
    show: ShownColumn = None,
    hide: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column to hide from blind reviewers; repeatable."),
    ] = None,
    show_proposed: ShowProposed = False,
    as_json: AsJson = False,
) -> None:
    """List which columns reviewers of a blind program see, or choose them."""
    from swapflow.engine.intake.column_choice import check_named

    swapflow = product()
    found = swapflow.applicants.columns(cycle)
    choices = {
        **(found.proposed() if show_proposed else {}),
        **dict.fromkeys(show or (), True),
        **dict.fromkeys(hide or (), False),
    }
    check_named(choices, {one.name for one in found.columns})
    if choices:
        swapflow.applicants.choose_columns(cycle, choices, by=by)
        found = swapflow.applicants.columns(cycle)
    report(
        {
            "cycle": cycle,
            "blind": found.is_blind,
            "by_choice": found.by_choice,
            "columns": columns_told(found),
            "undecided": found.undecided,
        },
        _column_list(found),
        columns_line(found),
        as_json=as_json,
    )


def columns_told(found: "ReviewerColumns") -> list[dict[str, str | bool]]:
    """Return what reviewers see of each column, for JSON."""
    return [
        {
            "column": one.name,
            "kind": one.kind.value,
            "reviewers_see": one.seen,
            "to_decide": one.is_open,
        }
        for one in found.columns
    ]


def _column_list(found: "ReviewerColumns") -> Listing:
    return Listing(
        headers=("column", "kind", "reviewers see", ""),
        rows=tuple(
            (one.name, one.kind.value, one.seen, "to decide" if one.is_open else "")
            for one in found.columns
        ),
        empty="no column",
    )


def columns_line(found: "ReviewerColumns") -> str:
    """Tell how many columns reviewers see."""
    if not found.is_blind:
        return "the program is not blind: reviewers see every column"
    if not found.by_choice:
        return (
            "the program was made before columns were chosen: reviewers see all but those of a "
            "written list, until you choose with --show or --hide"
        )
    return found.told()
