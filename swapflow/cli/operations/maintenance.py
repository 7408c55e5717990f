"""`swapflow db` and `swapflow state`: what an administrator does now and then."""

import sys
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.help import CommandGroup
from swapflow.cli.options import AsJson, By, product
from swapflow.cli.output import Listing, many, report
from swapflow.errors import InvalidInputError, SwapflowError


if TYPE_CHECKING:
    from swapflow.engine.ports.backups import BackupRun
    from swapflow.engine.services.backups import BackupService


CHECK_FAILED = 1
"""Exit code when a rehearsal finds a record that does not agree with itself."""

database = typer.Typer(cls=CommandGroup, no_args_is_help=True, help="The database's tables.")
live_state = typer.Typer(
    cls=CommandGroup, no_args_is_help=True, help="The contents of Redis; all of it can be rebuilt."
)


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


@database.command("backup")
def backup(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="The new file; made up in DATA_DIR/backups when not given."
        ),
    ] = None,
    *,
    by: By,
    as_json: AsJson = False,
) -> None:
    """Copy the database as of one moment, while everything runs."""
    from swapflow.bootstrap import back_up_database
    from swapflow.settings import load_settings

    settings = load_settings()
    if file is None:
        file = (
            settings.data_dir / "backups" / f"swapflow-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.backup"
        )
    back_up_database(settings, file)
    size = file.stat().st_size
    # A database that waits for an upgrade is backed up too, and has no such record yet.
    with suppress(SwapflowError):
        product().backups.note_made(file.name, size, by=by)
    report(
        {"file": str(file), "bytes": size},
        f"backed up to {file} ({size / 1e6:.1f} MB); keep it on another machine, encrypted",
        as_json=as_json,
    )


@database.command("backups")
def backups(as_json: AsJson = False) -> None:
    """List the last backups and rehearsals, who made them, and what they came to."""
    service = product().backups
    last, runs = service.last(), service.runs()
    report(
        {
            "last": None if last is None else last.isoformat(),
            "copies": [
                {"file": one.name, "made_at": one.made_at.isoformat(), "bytes": one.size}
                for one in service.copies()
            ],
            "runs": [_run(service, one) for one in runs],
        },
        Listing(
            headers=("when", "what", "who", "state", "file"),
            rows=tuple(
                (
                    f"{one.at:%Y-%m-%d %H:%M}",
                    one.kind.value,
                    one.by,
                    _state(service, one),
                    one.file,
                )
                for one in runs
            ),
            empty="no backup is on record",
        ),
        as_json=as_json,
    )


@database.command("rehearse")
def rehearse(
    by: By,
    file: Annotated[
        str,
        typer.Argument(metavar="NAME", help="A backup of DATA_DIR/backups; the newest if blank."),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Restore a backup beside everything else, verify every program, and delete it again."""
    service = product().backups
    run = service.rehearse(by=by, file=file)
    report(
        _run(service, run),
        *(
            f"{'verifies' if one.passed else 'DIFFERS'}: {one.program}, "
            f"{many(one.events, 'event')} and {many(one.decisions, 'decision')}"
            + (f"; {one.problem}" if one.problem else "")
            for one in run.saw
        ),
        f"{run.file} opens, and "
        + (
            f"all of its {many(len(run.saw), 'program')} verify; the copy is deleted again"
            if run.passed
            else "what is in it does NOT agree with its record"
        ),
        as_json=as_json,
    )
    if not run.passed:
        raise typer.Exit(CHECK_FAILED)


def _run(service: "BackupService", one: "BackupRun") -> dict[str, object]:
    return {
        "run": one.id,
        "kind": one.kind.value,
        "file": one.file,
        "by": one.by,
        "at": one.at.isoformat(),
        "ended_at": None if one.ended_at is None else one.ended_at.isoformat(),
        "state": _state(service, one),
        "passed": one.passed,
        "problem": str(one.problem),
        "saw": [asdict(seen) for seen in one.saw],
    }


def _state(service: "BackupService", one: "BackupRun") -> str:
    """Return a run's state; one whose process is gone is interrupted, whatever is stored."""
    from swapflow.engine.ports.backups import RunState

    if one.state is RunState.RUNNING and not service.under_way(one):
        return RunState.INTERRUPTED.value
    return one.state.value


@database.command("restore")
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `db backup` wrote.")],
    yes: Annotated[
        bool, typer.Option("--yes", help="Do not ask; the database of now is replaced.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Put a backup in the database's place; nothing may run meanwhile."""
    from swapflow.bootstrap import restore_database
    from swapflow.processes.data_folder_lock import locked_folder
    from swapflow.settings import load_settings

    settings = load_settings()
    if not yes:
        if not sys.stdin.isatty():
            raise InvalidInputError("restore_unconfirmed")
        typer.confirm(
            "Everything that was written since that backup will be gone. Go on?",
            abort=True,
            err=True,
        )
    # `swapflow up` holds its data folder: nothing of it may run while the file is exchanged.
    with locked_folder(settings.data_dir):
        aside = restore_database(settings, file)
    report(
        {"restored": str(file), "set_aside": None if aside is None else str(aside)},
        f"restored from {file}"
        + ("" if aside is None else f"; what was there before is now {aside}"),
        "next: swapflow db upgrade, start everything, swapflow cycle verify CYCLE",
        as_json=as_json,
    )


@live_state.command("rebuild")
def rebuild(
    cycle: Annotated[
        str | None, typer.Argument(metavar="CYCLE", help="The program's short name.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every program.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make the contents of Redis again from the record."""
    if (cycle is None) != everything:
        raise InvalidInputError("cycle_or_all")
    swapflow = product()
    chosen = [known.id for known in swapflow.cycles.list()] if cycle is None else [cycle]
    for cycle_id in chosen:
        swapflow.reports.rebuild(cycle_id)
    report(
        {"rebuilt": chosen},
        f"rebuilt from the record: {many(len(chosen), 'program')}",
        as_json=as_json,
    )
