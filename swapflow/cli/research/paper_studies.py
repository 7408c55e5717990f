"""`swapflow study paper`: the paper's tables and figures, and those beyond it."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.options import AsJson
from swapflow.cli.output import Listing, report, to_text, warn
from swapflow.cli.research.studies import (
    Celery,
    Processes,
    default_out,
    progress,
    require_extra,
    spread_of,
)


if TYPE_CHECKING:
    from swapflow.experiments.finding import FindingRecord
    from swapflow.experiments.study import Study


def register(app: typer.Typer) -> None:
    """Add the command to the group `study`."""
    app.command()(paper)


def paper(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME…]", help="Which; all when none is named.")
    ] = None,
    list_them: Annotated[bool, typer.Option("--list", help="List the studies and leave.")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="At the size of the paper: hours, not minutes.")
    ] = False,
    runs: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Runs of every cell, instead.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Where random numbers start.")] = 0,
    processes: Processes = 0,
    celery: Celery = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder for tables and figures; else in the data folder."
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of recorded reviews (iclr2023, iclr_prev)."),
    ] = None,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a page that shows them all.")
    ] = None,
    png: Annotated[bool, typer.Option(help="Figures as PNG too, beside SVG.")] = True,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Compute anew what is there from an earlier run.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make the paper's tables and figures anew, and those that go beyond it.

    Interrupted, it goes on where it was. Studies whose data is not here say so.
    """
    require_extra()
    from swapflow.experiments.catalogue import STUDIES, Order, carry_out, chosen
    from swapflow.experiments.findings_page import write_page
    from swapflow.experiments.study import StudyEffort

    studies = chosen(names or [])
    if list_them:
        _list(studies, as_json=as_json)
        return
    order = Order(
        effort=StudyEffort(
            full=full, runs=runs, seed=seed, data=data.absolute() if data else None
        ),
        out=(out or default_out("paper")).absolute(),
        spread=spread_of(processes=processes, celery=celery),
        fresh=fresh,
        png=png,
    )
    began, records = time.monotonic(), []
    for study in studies:
        command = _command(study.name, full=full, runs=runs, seed=seed, data=data)
        with progress(study.name) as show:
            record = carry_out(study, order, command=command, report=show)
        warn(f"{study.name}: {record.missing or f'{record.made.seconds:.0f} s'}")
        records.append(record)
    if page:
        write_page(order.out, page, order=[study.name for study in STUDIES])
    _say(records, order.out, time.monotonic() - began, as_json=as_json)


def _command(name: str, *, full: bool, runs: int | None, seed: int, data: Path | None) -> str:
    """Format the command that makes a study again; the data folder is everybody's own."""
    parts = ["swapflow study paper", name]
    parts += ["--full"] * full + [f"--runs {runs}"] * (runs is not None)
    parts += [f"--seed {seed}"] * bool(seed) + ["--data DIR"] * (data is not None)
    return " ".join(parts)


def _list(studies: "list[Study]", *, as_json: bool) -> None:
    rows = tuple((study.name, study.group, study.title) for study in studies)
    report(
        {"studies": [dict(zip(("name", "group", "title"), row, strict=True)) for row in rows]},
        Listing(headers=("name", "group", "what it shows"), rows=rows),
        as_json=as_json,
    )


def _say(records: "list[FindingRecord]", folder: Path, seconds: float, *, as_json: bool) -> None:
    """Print what was seen, and leave it in a file for programs that names no path here."""
    from dataclasses import asdict

    content: dict[str, object] = {
        "seconds": seconds,
        "studies": {record.study: asdict(record) for record in records},
    }
    (folder / "study.json").write_text(to_text(content) + "\n", encoding="utf-8")
    lines = [
        f"{record.title}\n  {record.missing or record.seen}\n  ({record.effort})"
        for record in records
    ]
    report(
        {**content, "folder": str(folder)},
        *lines,
        f"{seconds:.0f} seconds in all. Tables and figures: {folder}",
        as_json=as_json,
    )
