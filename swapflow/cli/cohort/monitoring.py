"""`swapflow monitoring`: what became of the groups that applicants said they belong to."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.cohort.decision_card import checked_name, write_paper
from swapflow.cli.help import CommandGroup
from swapflow.cli.options import AsJson, By, CycleId, FormOption, RawOption, product
from swapflow.cli.output import Listing, report
from swapflow.domain.people.group_sizes import SMALL


if TYPE_CHECKING:
    from swapflow.monitoring.report import Grouping, Report
    from swapflow.monitoring.tables import StageTable


app = typer.Typer(
    cls=CommandGroup, no_args_is_help=True, help="Groups of applicants, in sums; decides nothing."
)

NOTICE = (
    "Not legal advice. A ratio below 0.8 or a small p is a reason to look, and proves nothing."
)

TOO_SMALL = f"no group of {SMALL} or more: nothing to compare"
OTHERS = "(others, merged)"

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
    """Show who went on at each stage, by group; groups below five persons are merged."""
    made = _made(cycle, by=by, crossed=cross or ())
    if out is not None:
        from swapflow.files.exports.monitoring_report import write_report
        from swapflow.files.exports.writers import Format

        write_report(made, out, Format(form), raw=raw)
    report(_json(made), *_plain(made), as_json=as_json)


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

    made = _made(cycle, by=by, crossed=(sex, race), what="monitoring tables written", whole=True)
    files = write_ll144(made, out, sex=sex, race=race)
    report(
        {"files": [str(file) for file in files]},
        f"wrote {', '.join(file.name for file in files)} to {out}. {NOTICE}",
        as_json=as_json,
    )


@app.command("defence")
def defence(
    cycle: CycleId,
    by: By,
    out: Annotated[
        Path,
        typer.Option("--out", metavar="FILE", help="A file that ends in .html, .pdf or .json."),
    ],
    as_json: AsJson = False,
) -> None:
    """Write the defence file of a decision with reviews by group, for the compliance role."""
    from swapflow.files.exports.defence.defence_file import defence_document, defence_json
    from swapflow.files.exports.monitoring_report import groups_plain, reviews_by_group

    file = checked_name(out)
    made = product().reports.defence(cycle).without_people()
    groups = _made(cycle, by=by, crossed=())
    write_paper(
        file,
        lambda: defence_json(made, groups_plain(groups)),
        lambda: defence_document(made, [reviews_by_group(groups)]),
    )
    report(
        {"cycle": cycle, "file": str(file), "replay_agrees": made.replay.passed},
        f"{file}: without applicants, with reviews by group; not for those who decide. {NOTICE}",
        as_json=as_json,
    )


def _made(
    cycle: str,
    *,
    by: str,
    crossed: "tuple[str, ...] | list[str]",
    what: str = "monitoring read",
    whole: bool = False,
) -> "Report":
    from swapflow.bootstrap import monitoring, office
    from swapflow.settings import load_settings

    made = monitoring(load_settings()).report(cycle, crossed=crossed, whole=whole)
    # A person who reads such a table is written down, before they see it.
    office().audit_log.record(by, what, cycle_id=cycle)
    return made


def _plain(made: "Report") -> list[str | Listing]:
    """Lay out a report: what each attribute comes to, then its tables."""
    parts: list[str | Listing] = [
        (
            f"{made.people} applicants of {made.cycle_id}; made {made.at:%Y-%m-%d %H:%M} UTC. "
            f"{NOTICE} Groups of fewer than {SMALL} are merged, and not named."
        ),
        _summary(made),
    ]
    for grouping in made.groupings:
        title = " × ".join(grouping.attributes)
        for table in grouping.stages:
            parts += [f"\n{title}: {table.stage}", _drawn(table)]
        parts += [f"\n{title}: effort", _effort(grouping)]
    return parts


def _summary(made: "Report") -> Listing:
    return Listing(
        headers=("attribute", "what", "furthest behind", "ratio", "exact p", "look at"),
        rows=tuple(
            (
                " × ".join(one.attributes),
                one.main.stage,
                lowest.group if lowest else TOO_SMALL if one.main.closed else None,
                _number(lowest.ratio) if lowest else None,
                _number(lowest.p) if lowest else None,
                "; ".join(lowest.flags) if lowest else "",
            )
            for one in made.groupings
            for lowest in (one.lowest,)
        ),
    )


def _drawn(table: "StageTable") -> Listing:
    return Listing(
        headers=("group", "went on", "rate", "ratio", "exact p", "ratio if one more", "look at"),
        rows=tuple(
            (
                row.group or OTHERS,
                f"{row.tally.selected} of {row.tally.all}",
                _share(row.tally.rate),
                _number(row.ratio),
                _number(row.p),
                _number(row.flipped),
                "; ".join(row.flags),
            )
            for row in table.rows
        ),
        empty=TOO_SMALL if table.closed else "no applicant got to this stage",
    )


def _effort(grouping: "Grouping") -> Listing:
    return Listing(
        headers=("group", "people", "reviews each", "interviews each", "interviewed", "days"),
        rows=tuple(
            (
                "unknown" if row.group is None else row.group or OTHERS,
                row.people,
                _number(row.reviews),
                _number(row.interviews),
                _share(row.interviewed),
                _number(row.waited),
            )
            for row in grouping.effort
        ),
        empty=TOO_SMALL,
    )


def _json(made: "Report") -> dict[str, object]:
    from swapflow.files.exports.monitoring_report import as_plain

    return as_plain(made)


def _share(value: float) -> str | None:
    return None if math.isnan(value) else f"{value:.1%}"


def _number(value: float) -> str | None:
    return None if math.isnan(value) else f"{value:.2f}"
