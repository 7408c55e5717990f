"""`swapflow round`: seasons of an office."""

from dataclasses import asdict
from typing import Annotated

import typer

from swapflow.cli.options import AsJson, product
from swapflow.cli.output import Listing, report


app = typer.Typer(no_args_is_help=True, help="Seasons of an office; cycles belong to one.")


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
