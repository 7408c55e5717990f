"""`swapflow units`: faculties and departments of a round, and the programs in them."""

from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.help import CommandGroup
from swapflow.cli.options import AsJson, By, CycleId, office_of_deployment, product
from swapflow.cli.output import Listing, report
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.identity.unit_rights import ProgramMove


app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    help="Faculties and departments of a round; a role in one reaches its programs.",
)

UnitId = Annotated[str, typer.Argument(metavar="UNIT", help="The unit's id.")]


@app.command("new")
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name: 'Faculty of Science'.")],
    round_id: Annotated[str, typer.Option("--round", metavar="ROUND", help="Its round.")],
    by: By,
    parent: Annotated[
        str, typer.Option("--within", metavar="UNIT", help="The unit that it is within.")
    ] = "",
    unit_id: Annotated[
        str, typer.Option("--id", metavar="UNIT", help="Its id; else made from the name.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Make a unit in a round, or within another unit."""
    made = office_of_deployment().units.add(
        name, round_id=round_id, parent_id=parent or None, by=by, unit_id=unit_id
    )
    report(
        {"unit": made.id, "name": made.name, "round": round_id, "within": made.parent_id},
        f"unit {made.id} is made: {made.name}",
        f"next: swapflow units move CYCLE {made.id}",
        f"      swapflow user grant EMAIL ROLE --unit {made.id}",
        as_json=as_json,
    )


@app.command("list")
def list_units(as_json: AsJson = False) -> None:
    """List the units of all rounds, with their programs and the roles given in them."""
    office = office_of_deployment()
    units = office.units.all()
    rows: list[tuple[str, str, str, list[str], list[str]]] = [
        (
            known.id,
            unit.id,
            units.name(unit.id),
            sorted(cycle for cycle, place in units.places.items() if place == unit.id),
            [
                f"{user.account.email}: {grant.role.value}"
                for user in office.units.people(unit.id)
                for grant in user.grants
                if grant.scope_id == unit.id
            ],
        )
        for known in product().cycles.rounds()
        for _, unit in units.tree(known.id)
    ]
    names = ("round", "unit", "name", "programs", "roles")
    report(
        {"units": [dict(zip(names, row, strict=True)) for row in rows]},
        Listing(
            headers=names,
            rows=tuple((*row[:3], ", ".join(row[3]), ", ".join(row[4])) for row in rows),
            empty="there is no unit yet: swapflow units new NAME --round ROUND",
        ),
        as_json=as_json,
    )


@app.command("rename")
def rename(
    unit: UnitId,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its new name.")],
    by: By,
    as_json: AsJson = False,
) -> None:
    """Rename a unit; its id stays."""
    named = office_of_deployment().units.rename(unit, name, by=by)
    report({"unit": unit, "name": named.name}, f"{unit} is called {named.name}", as_json=as_json)


@app.command("remove")
def remove(unit: UnitId, by: By, as_json: AsJson = False) -> None:
    """Remove a unit in which there is no program, no unit and no role any more."""
    office_of_deployment().units.remove(unit, by=by)
    report({"unit": unit, "removed": True}, f"unit {unit} is removed", as_json=as_json)


@app.command("move")
def move(
    cycle: CycleId,
    by: By,
    unit: Annotated[str, typer.Argument(metavar="UNIT", help="The unit to move to.")] = "",
    none: Annotated[bool, typer.Option("--none", help="Let it belong to no unit.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Say whose rights would change; move nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Move a program to a unit of its round; says first whose rights in it change."""
    if bool(unit) == none:
        raise InvalidInputError("unit_or_none")
    office = office_of_deployment()
    planned = office.units.move(product().cycles.get(cycle), unit or None)
    # Asked on the standard error: the answer in JSON stays one document.
    if not check and not yes:
        for line in _lines(planned):
            typer.echo(line, err=True)
        typer.confirm(f"Move {cycle} to {unit or 'no unit'}?", abort=True, err=True)
    if not check:
        office.units.place(planned, by=by)
    report(
        {
            "cycle": cycle,
            "before": planned.before,
            "unit": planned.after,
            "moved": not check,
            "changed": [
                {
                    "email": one.email,
                    "gained": sorted(one.gained),
                    "lost": sorted(one.lost),
                }
                for one in planned.changed
            ],
        },
        *(_lines(planned) if check or yes else ()),
        f"{cycle} {'would belong' if check else 'belongs'} to {unit or 'no unit'}",
        as_json=as_json,
    )


def _lines(planned: "ProgramMove") -> list[str]:
    """Return lines that tell whose rights a move changes."""
    lines = []
    for one in planned.changed:
        for verb, rights in (("gains", one.gained), ("loses", one.lost)):
            if rights:
                words = "; ".join(sorted(str(right.message) for right in rights))
                lines.append(f"{one.email} {verb} in {planned.cycle.id}: {words}")
    return lines or [f"no one's rights in {planned.cycle.id} change"]
