"""`swapflow replay`: a past round again, on recorded marks."""

import json
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from swapflow.cli.options import product
from swapflow.cli.output import Listing, report, to_text, warn
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.engine.services import Swapflow
    from swapflow.simulation.replay import Options, ReplayResult, ReplayStep


LINE_SECONDS = 5.0
MARK = "made-by-swapflow"
"""File by which a folder is known to be ours to empty."""


def register(app: typer.Typer) -> None:
    """Add the command to the top level."""
    app.command()(replay)


def replay(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A past round: items.csv and scores.csv.")
    ],
    cohort: Annotated[int, typer.Option(min=1, help="Places.")],
    budget: Annotated[float, typer.Option(min=0.01, help="Cost in reviews for each applicant.")],
    floor: Annotated[int, typer.Option(min=0, help="Reviews that everyone gets.")] = 1,
    batch: Annotated[int, typer.Option(min=1, help="Reviews in one decision.")] = 50,
    rule: Annotated[
        Literal["budget", "certified", "paper"], typer.Option(help="Who is reviewed next.")
    ] = "budget",
    seed: Annotated[int, typer.Option(min=0, help="Of ties and of the order of marks.")] = 0,
    scale: Annotated[
        str,
        typer.Option(
            metavar="WORST..BEST",
            help="Scale of the scores, e.g. 0..5; read from the file where both ends occur.",
        ),
    ] = "",
    only: Annotated[
        str, typer.Option(metavar="ATTRIBUTE=VALUE", help="Only the applicants of one group.")
    ] = "",
    severity: Annotated[
        bool, typer.Option(help="Estimate how high each reviewer marks, and take it out.")
    ] = True,
    sigma: Annotated[
        float | None, typer.Option(help="Advanced: spread of one mark, for --rule certified.")
    ] = None,
    delta: Annotated[
        float, typer.Option(help="Advanced: probability with which a certificate may fail.")
    ] = 0.05,
    epsilon: Annotated[
        float, typer.Option(help="Advanced: what the list may miss when certified and paper stop.")
    ] = 0.0,
    in_process: Annotated[
        bool, typer.Option("--in-process", help="In this process alone: same result, sooner.")
    ] = False,
    running: Annotated[
        bool, typer.Option("--running", help="On the deployment that runs already.")
    ] = False,
    cycle: Annotated[
        str, typer.Option(metavar="NAME", help="With --running: name of the program it makes.")
    ] = "replay",
    page: Annotated[
        Path | None,
        typer.Option("--report", metavar="OUT.HTML", help="Write what came out as a page."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Replay a past round's marks as the rules would have asked for them."""
    from swapflow.automatic_reviewers.recorded_round import read_recording
    from swapflow.domain.rules import RuleName
    from swapflow.simulation.replay import Options, recorded_program
    from swapflow.simulation.replay import replay as replay_recording

    if in_process and running:
        raise InvalidInputError("in_process_and_running")
    recording = read_recording(folder, scale=scale).shuffled(seed)
    if only:
        recording = recording.only(*_attribute(only))
    options = Options(
        cohort=cohort,
        budget=budget,
        floor=floor,
        batch=batch,
        rule=RuleName(rule),
        severity=severity,
        sigma=sigma,
        delta=delta,
        epsilon=epsilon,
        seed=seed,
    )
    _check(options, len(recording.items))
    program = recorded_program(folder, seed, scale=scale)
    with _deployment(in_process, running) as where, progress_bars(_shown_step) as show:
        found = replay_recording(
            recording, program, options, product=where, cycle_id=cycle, report=show
        )
    if page is not None:
        _write_page(page, found, options, folder=folder, items=len(recording.items))
    known = recording.scale
    content = replay_json(found) | {"scale": [known.worst, known.best]}
    how = "as stated" if known.stated else "read from scores.csv, where both ends occur"
    said = f"scale of the scores: {known.worst:g} to {known.best:g}, {how}"
    report(content, *replay_plain(found, cohort), said, as_json=as_json)


def _write_page(
    path: Path, found: "ReplayResult", options: "Options", *, folder: Path, items: int
) -> None:
    from swapflow.files.exports.html_page import write
    from swapflow.planning.replay_report import page as replay_page

    command = shlex.join(["swapflow", *sys.argv[1:]])
    write(path, replay_page(found, options, folder=folder, items=items, command=command))


@contextmanager
def own_deployment(folder: Path) -> "Iterator[Swapflow]":
    """Start Redis, worker and coordinator on a fresh folder, and stop them at the end.

    Raises:
        InvalidInputError: If the folder holds something that is not ours to remove.
        UnavailableError: If they do not start; the message ends with what they said.
    """
    from swapflow.bootstrap import build, private_files
    from swapflow.processes.deployment import running
    from swapflow.processes.process_specs import with_free_port
    from swapflow.settings import load_settings

    chosen = load_settings(data_dir=folder, database_url=None, redis_url=None)
    settings = with_free_port(chosen)
    with private_files():
        _empty(folder)
        with running(settings, SWAPFLOW_WEB_PORT=str(settings.web_port)):
            yield build(settings)


def _deployment(in_process: bool, running: bool) -> "AbstractContextManager[Swapflow | None]":
    if in_process:
        return nullcontext(None)
    if running:
        return nullcontext(product())
    from swapflow.settings import load_settings

    return own_deployment(load_settings().data_dir / "replay")


def _empty(folder: Path) -> None:
    from swapflow.processes.data_folder_lock import locked_folder

    if folder.exists() and any(folder.iterdir()):
        if not (folder / MARK).exists():
            raise InvalidInputError("folder_not_empty", folder=folder)
        with locked_folder(folder):  # refuses while another run uses it
            pass
        shutil.rmtree(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARK).touch()
    except OSError as error:
        raise InvalidInputError(
            "folder_not_made", folder=folder, problem=error.strerror
        ) from error


def _attribute(text: str) -> tuple[str, str]:
    from swapflow.cli.options import split_pair

    return split_pair(text, "--only", "ATTRIBUTE=VALUE")


def _check(options: "Options", items: int) -> None:
    """Refuse what could not be launched, before anything is started."""
    if options.cohort >= items:
        raise InvalidInputError("demo_decides_nothing", places=options.cohort, applicants=items)
    if not 0 < options.delta < 1:
        raise InvalidInputError("demo_delta_out_of_range", delta=options.delta)
    if options.budget < options.floor:
        raise InvalidInputError(
            "demo_budget_below_floor", budget=options.budget, floor=options.floor
        )


# Progress


@contextmanager
def progress_bars(
    shown: "Callable[[object], Mapping[str, ReplayStep]]",
) -> "Iterator[Callable[[object], None]]":
    """Draw a bar for each cycle on a terminal; elsewhere, a line every few seconds."""
    if not sys.stderr.isatty():
        yield _lines(shown)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f} of {task.total:.0f} spent or asked for"),
        TimeElapsedColumn(),
        console=Console(file=sys.stderr),
    ) as progress:
        bars: dict[str, TaskID] = {}

        def show(steps: object) -> None:
            for name, step in shown(steps).items():
                if name not in bars:
                    bars[name] = progress.add_task(name, total=step.budget)
                label = f"{name} ({step.status.value}, {step.decisions} decisions)"
                progress.update(bars[name], completed=step.spent, description=label)

        yield show


def _lines(
    shown: "Callable[[object], Mapping[str, ReplayStep]]",
) -> "Callable[[object], None]":
    """Return what writes how far each cycle is, not more often than every few seconds."""
    said = -LINE_SECONDS

    def show(steps: object) -> None:
        nonlocal said
        if time.monotonic() - said < LINE_SECONDS:
            return
        said = time.monotonic()
        for name, step in shown(steps).items():
            warn(
                f"{name}: {step.spent} of {step.budget} spent or asked for, "
                f"{step.decisions} decisions, {step.status.value}"
            )

    return show


def _shown_step(step: object) -> "Mapping[str, ReplayStep]":
    from swapflow.simulation.replay import ReplayStep

    assert isinstance(step, ReplayStep)
    return {"replay": step}


# Results


def replay_json(found: "ReplayResult") -> dict[str, object]:
    """Format a replay for programs."""
    content: dict[str, object] = json.loads(to_text(asdict(found)))
    return content


def replay_plain(found: "ReplayResult", places: int) -> "list[str | Listing]":
    """Format a replay for people."""
    share = _shares(found)
    pulls = ", ".join(f"{count} {kind}" for kind, count in found.pulls.items())
    return [
        Listing(
            headers=("at the same cost", "score of the list", "share of the highest possible"),
            rows=(
                ("swapflow", f"{found.utility:.2f}", share["utility"]),
                ("everyone reviewed evenly", f"{found.even:.2f}", share["even"]),
                ("one round each, then interviews", f"{found.two_tier:.2f}", share["two_tier"]),
                ("highest possible", f"{found.best:.2f}", "100.0 %"),
            ),
        ),
        f"asked for: {pulls}; cost {found.cost}",
        f"why it stopped: {found.why}",
        *_certified(found, places),
        *(
            [f"shared with the recorded decisions: {100 * found.overlap:.0f} %"]
            if found.overlap is not None
            else []
        ),
        f"{found.seconds:.1f} seconds, seed {found.seed}, decisions {found.decisions[:12]}",
    ]


def _shares(found: "ReplayResult") -> dict[str, str]:
    if not found.best:
        return dict.fromkeys(("utility", "even", "two_tier"), "–")
    return {
        name: f"{100 * value / found.best:.1f} %"
        for name, value in (
            ("utility", found.utility),
            ("even", found.even),
            ("two_tier", found.two_tier),
        )
    }


def _certified(found: "ReplayResult", places: int) -> list[str]:
    if not found.shows_certified:
        return []
    if found.certified_loss >= places:
        return ["certified: nothing yet; too few reviews for a list of this size"]
    said = (
        "certified: under the stated assumptions (independent marks, a stated spread, comparable "
        f"reviewers) the list's score is within {found.certified_loss:.2f} of the highest "
        f"obtainable: {100 * found.certified_loss / places:.0f} points of 100 for each place. "
        "This is about marks, not merit."
    )
    return [said]
