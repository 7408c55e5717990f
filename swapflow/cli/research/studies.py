"""`swapflow study …`: the group that the studies join, and what their commands share."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.help import CommandGroup
from swapflow.cli.output import warn
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.experiments.sweep import ChunkRunner, Report


LINE_SECONDS = 10.0
"""Time between two lines of progress where there is no terminal to draw on."""

Processes = Annotated[
    int,
    typer.Option(
        "--processes", min=0, metavar="N", help="Local processes; 0 takes one per processor."
    ),
]
Celery = Annotated[
    bool,
    typer.Option(
        "--celery",
        help="Let Celery workers compute (SWAPFLOW_REDIS_URL); they must reach the folder --out.",
    ),
]

app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Studies: the paper's experiments, and what a past round says about the next.",
)


def require_extra() -> None:
    """Refuse to go on without the packages that draw figures.

    Raises:
        InvalidInputError: If they are not installed; says how to install them.
    """
    if find_spec("matplotlib") is None:
        raise InvalidInputError("studies_extra_missing")


def spread_of(*, processes: int, celery: bool) -> "ChunkRunner":
    """Build what computes a sweep's chunks, from the options for it."""
    from swapflow.experiments.sweep import Here
    from swapflow.experiments.sweep_workers import Processes, Workers

    if celery:
        from swapflow.bootstrap import chunk_sender
        from swapflow.settings import load_settings

        return Workers(chunk_sender(load_settings()))
    return Here() if processes == 1 else Processes(processes)


def default_out(name: str) -> Path:
    """Return the folder of a study when none is named: studies/NAME in the data folder."""
    from swapflow.settings import load_settings

    return load_settings().data_dir / "studies" / name


@contextmanager
def progress(label: str) -> "Iterator[Report]":
    """Show how far a sweep is: a bar on a terminal, else a line now and then, both on stderr."""
    if not sys.stderr.isatty():
        yield _lines(label)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress("{task.description}", *columns, console=console) as bars:
        task = bars.add_task(label)
        yield lambda done, total: bars.update(task, completed=done, total=total)


def _lines(label: str) -> Callable[[int, int], None]:
    said = -LINE_SECONDS

    def say(done: int, total: int) -> None:
        nonlocal said
        now = time.monotonic()
        if done == total or now - said >= LINE_SECONDS:
            said = now
            warn(f"{label}: {done} of {total}")

    return say
