"""`swapflow db` and `swapflow state`: what an administrator does now and then."""

from typing import Annotated

import typer

from swapflow.cli.options import AsJson, product
from swapflow.cli.output import many, report
from swapflow.errors import InvalidInputError


database = typer.Typer(no_args_is_help=True, help="The database's tables.")
live_state = typer.Typer(no_args_is_help=True, help="What Redis holds; all of it can be rebuilt.")


@database.callback()
def _database() -> None:
    """Keep `upgrade` a command of its own, for more will stand beside it."""


@live_state.callback()
def _live_state() -> None:
    """Keep `rebuild` a command of its own, for more will stand beside it."""


@database.command("upgrade")
def upgrade(as_json: AsJson = False) -> None:
    """Bring the tables up to this version; a SQLite file is copied first."""
    from swapflow.bootstrap import upgrade_database
    from swapflow.settings import load_settings

    upgrade_database(load_settings())
    report({"upgraded": True}, "the database is up to date", as_json=as_json)


@live_state.command("rebuild")
def rebuild(
    cycle: Annotated[
        str | None, typer.Argument(metavar="CYCLE", help="The cycle's short name.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every cycle.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make what Redis holds anew from the record."""
    if (cycle is None) != everything:
        raise InvalidInputError("name a cycle, or give --all (not both)")
    swapflow = product()
    chosen = [known.id for known in swapflow.cycles()] if cycle is None else [cycle]
    for cycle_id in chosen:
        swapflow.rebuild(cycle_id)
    report(
        {"rebuilt": chosen},
        f"rebuilt from the record: {many(len(chosen), 'cycle')}",
        as_json=as_json,
    )
