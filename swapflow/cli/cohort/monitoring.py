"""`swapflow monitoring`: what became of the groups that applicants said they belong to."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.options import AsJson, By, CycleId, FormOption, RawOption
from swapflow.cli.output import Listing, report


if TYPE_CHECKING:
    from swapflow.monitoring.report import Grouping, Report
    from swapflow.monitoring.tables import StageTable


app = typer.Typer(no_args_is_help=True, help="Groups of applicants, in sums; decides nothing.")

NOTICE = (
    "Not legal advice. A ratio below 0.8 or a small p is a reason to look, and proves nothing."
)

Crossed = Annotated[
    list[str] | None,
    typer.Option("--cross", metavar="NAME", help="Attributes to table in pairs; repeatable."),
]


@app.command("report")
def show(
    cycle: CycleId,
    by: By,
    cross: Crossed = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help="Write the sums there too.")
    ] = None,
    form: FormOption = "csv",
    raw: RawOption = False,
    as_json: AsJson = False,
) -> None:
    """Show who went on at each stage, by group; groups below five persons stay closed."""
    made = _made(cycle, by=by, crossed=cross or ())
    if out is not None:
        from swapflow.files.exports.monitoring_report import write_report
        from swapflow.files.exports.writers import Format

        write_report(made, out, Format(form), raw=raw)
    parts: list[str | Listing] = [
        f"{made.people} applicants of {cycle}; made {made.at:%Y-%m-%d %H:%M} UTC. {NOTICE}"
    ]
    for grouping in made.groupings:
        title = " × ".join(grouping.attributes)
        for table in grouping.stages:
            parts += [f"\n{title}: {table.stage}", _drawn(table)]
        parts += [f"\n{title}: effort", _effort(grouping)]
    report(_closed_json(made), *parts, as_json=as_json)


@app.command("ll144")
def ll144(
    cycle: CycleId,
    by: By,
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Where the tables are written.")
    ],
    sex: Annotated[str, typer.Option(metavar="NAME", help="The attribute of sex.")] = "sex",
    race: Annotated[
        str, typer.Option(metavar="NAME", help="The attribute of race or ethnicity.")
    ] = "race",
    as_json: AsJson = False,
) -> None:
    """Write the tables that New York City's Local Law 144 asks an auditor for, as CSV."""
    from swapflow.files.exports.monitoring_report import write_ll144

    made = _made(cycle, by=by, crossed=(sex, race), what="monitoring tables written")
    files = write_ll144(made, out, sex=sex, race=race)
    report(
        {"files": [str(file) for file in files]},
        f"wrote {', '.join(file.name for file in files)} to {out}. {NOTICE}",
        as_json=as_json,
    )


def _made(
    cycle: str, *, by: str, crossed: "tuple[str, ...] | list[str]", what: str = "monitoring read"
) -> "Report":
    from swapflow.bootstrap import monitoring, office
    from swapflow.settings import load_settings

    made = monitoring(load_settings()).report(cycle, crossed=crossed)
    # A person who reads such a table is written down, before they see it.
    office().audit_log.record(by, what, cycle_id=cycle)
    return made


def _drawn(table: "StageTable") -> Listing:
    from swapflow.monitoring.tables import closed_cells

    closed = closed_cells([row.tally.all for row in table.rows])
    rows = tuple(
        (row.group, "fewer than 5, or closed with them", None, None, None, None, "")
        if index in closed
        else (
            row.group,
            f"{row.tally.selected} of {row.tally.all}",
            _share(row.tally.rate),
            _number(row.ratio),
            _number(row.p),
            _number(row.flipped),
            "; ".join(row.flags),
        )
        for index, row in enumerate(table.rows)
    )
    return Listing(
        headers=("group", "went on", "rate", "ratio", "exact p", "ratio if one more", "look at"),
        rows=rows,
        empty="nobody got to this stage",
    )


def _effort(grouping: "Grouping") -> Listing:
    from swapflow.monitoring.tables import closed_cells

    closed = closed_cells([row.people for row in grouping.effort])
    return Listing(
        headers=("group", "people", "reviews each", "interviews each", "interviewed", "days"),
        rows=tuple(
            (row.group or "unknown", None, None, None, None, None)
            if index in closed
            else (
                row.group or "unknown",
                row.people,
                _number(row.reviews),
                _number(row.interviews),
                _share(row.interviewed),
                _number(row.waited),
            )
            for index, row in enumerate(grouping.effort)
        ),
    )


def _closed_json(made: "Report") -> dict[str, object]:
    from swapflow.files.exports.monitoring_report import as_plain

    return as_plain(made)


def _share(value: float) -> str | None:
    return None if math.isnan(value) else f"{value:.1%}"


def _number(value: float) -> str | None:
    return None if math.isnan(value) else f"{value:.2f}"
