"""`swapflow round`: seasons of an office."""

from dataclasses import asdict
from typing import Annotated

import typer

from swapflow.cli.help import CommandGroup
from swapflow.cli.options import AsJson, By, product
from swapflow.cli.output import Listing, many, report


app = typer.Typer(
    cls=CommandGroup, no_args_is_help=True, help="Seasons of an office; programs belong to one."
)


@app.command("new")
def new(
    round_id: Annotated[str, typer.Argument(metavar="ROUND", help="A short name: fall-2026.")],
    name: Annotated[str, typer.Option(metavar="TEXT", help="Its name in full.")] = "",
    unit: Annotated[str, typer.Option(help="What costs are counted in.")] = "minutes",
    zone: Annotated[str, typer.Option(help="Time zone, such as Europe/Berlin.")] = "UTC",
    as_json: AsJson = False,
) -> None:
    """Make a round."""
    product().cycles.new_round(round_id, name=name, unit=unit, zone=zone)
    report(
        {"round": round_id, "unit": unit, "zone": zone},
        f"round {round_id} is made; costs are counted in {unit}",
        f"next: swapflow cycle new CYCLE --round {round_id} --template admissions",
        as_json=as_json,
    )


@app.command("forget-erasures")
def forget_erasures(
    round_id: Annotated[str, typer.Argument(metavar="ROUND", help="The round.")],
    by: By,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Forget the people a round erased, once it is over; no list is compared with them then."""
    from swapflow.bootstrap import office

    if not yes:
        question = f"Forget the people {round_id!r} erased? This cannot be undone"
        typer.confirm(question, abort=True, err=True)
    forgotten = product().cycles.forget_erasures(round_id)
    office().audit_log.record(by, "forgot erasures", about=round_id, detail=f"{forgotten} people")
    report(
        {"round": round_id, "forgotten": forgotten, "by": by},
        f"{many(forgotten, 'erasure')} of {round_id} forgotten, with the key; a list that brings "
        "an erased person back is taken as any other",
        as_json=as_json,
    )


@app.command("list")
def list_rounds(as_json: AsJson = False) -> None:
    """List the rounds."""
    rounds = product().cycles.rounds()
    report(
        {"rounds": [asdict(known) for known in rounds]},
        Listing(
            headers=("round", "name", "unit", "time zone"),
            rows=tuple((r.id, r.name, r.unit, r.zone) for r in rounds),
            empty="there is no round yet: swapflow round new ROUND",
        ),
        as_json=as_json,
    )
