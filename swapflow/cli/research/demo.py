"""`swapflow demo`: a whole simulated round through the real parts."""

import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.output import Listing, report, to_text, warn
from swapflow.cli.research.replay import own_deployment, progress_bars, replay_json, replay_plain


if TYPE_CHECKING:
    from swapflow.engine.services import Swapflow
    from swapflow.simulation.demo import Demonstrated
    from swapflow.simulation.replay import ReplayStep


def register(app: typer.Typer) -> None:
    """Add the command to the top level."""
    app.command()(demo)


def demo(
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for its data; else demo/ in the data folder."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of ties and of the order of marks.")] = 0,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep serving the pages afterwards, with two logins.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Run a whole round through the real parts, on invented applicants, and say what came out."""
    from swapflow.files.bundles.bundle import bundle
    from swapflow.files.bundles.signing_keys import signer_from
    from swapflow.files.exports.sheets import write_cohort_folder
    from swapflow.files.exports.writers import write_file
    from swapflow.settings import load_settings
    from swapflow.simulation.demo import run_demo

    began = time.monotonic()
    home = load_settings().data_dir
    folder = (out or home / "demo").absolute()
    warn("starting Redis, a worker and a coordinator; a whole round takes a minute or two")
    with own_deployment(folder) as running:
        with progress_bars(_shown_steps) as show:
            done = run_demo(running, seed=seed, report=show)
        for part in done:
            cycle = part.program.cycle_id
            outcomes = running.cohort.outcomes(cycle, part.proposal.version)
            signed_by = [by for by, _ in running.cohort.signatures(cycle, part.proposal.version)]
            write_cohort_folder(folder / cycle, part.proposal, outcomes, signed_by=signed_by)
            signed = bundle(
                running.reports.finished(cycle), signer_from(folder / "bundle-key.pem")
            )
            write_file(folder / f"{cycle}.bundle", signed)
        _say_demonstrated(done, folder, time.monotonic() - began, as_json=as_json)
        if keep:
            _keep_serving(running, folder)


def _say_demonstrated(
    done: "Sequence[Demonstrated]", folder: Path, seconds: float, *, as_json: bool
) -> None:
    """Print what came out, and leave the figures in a file."""
    content: dict[str, object] = {
        "seconds": seconds,
        "cycles": {
            d.program.cycle_id: {**replay_json(d.replayed), **_truth_json(d)} for d in done
        },
    }
    # Beside the folder, which the next demo empties.
    figures = folder.parent / "demo.json"
    figures.write_text(to_text(content) + "\n", encoding="utf-8")
    report(
        content,
        *(part for d in done for part in _demonstrated_plain(d)),
        f"\n{seconds:.0f} seconds in all. Lists and method sheets: {folder}; figures: {figures}",
        f"look closer: SWAPFLOW_DATA_DIR={folder} {_explain_last(done[0])}",
        f"check the record: swapflow verify {folder / done[0].program.cycle_id}.bundle",
        "look at the pages, as staff and as a reviewer: swapflow demo --keep",
        as_json=as_json,
    )


def _keep_serving(running: "Swapflow", folder: Path) -> None:
    """Add a program that people can play with, say how to get in, and serve until Ctrl-C."""
    from swapflow.bootstrap import assemble
    from swapflow.settings import load_settings
    from swapflow.simulation.demo import ROUND
    from swapflow.simulation.playground import open_playground

    # The demo's own stores, whatever the environment names: it must not reach the office's.
    settings = load_settings(data_dir=folder, database_url=None, redis_url=None)
    made = open_playground(running, assemble(settings)[1], round_id=ROUND)
    waiting = f"{made.waiting} reviews wait in the program Fellowship"
    print(f"\nThe pages are at {running.address}/sign-in")
    print(f"  staff:    {made.staff.email}  {made.staff.password}")
    print(f"  reviewer: {made.reviewer.email}  {made.reviewer.password}  ({waiting})")
    print("Ctrl-C stops it.", flush=True)
    # A handler that does nothing ends the pause alone;
    # the caller then stops the processes in order.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    signal.pause()


def _shown_steps(steps: object) -> "Mapping[str, ReplayStep]":
    assert isinstance(steps, Mapping)
    return steps


def _explain_last(done: "Demonstrated") -> str:
    """Format the command that explains the last one on the list, who was closest to the cut."""
    return f"swapflow cycle explain {done.program.cycle_id} {done.proposal.cohort[-1].external_id}"


def _demonstrated_plain(done: "Demonstrated") -> "list[str | Listing]":
    places = done.program.places
    return [
        f"\n{done.program.name}: {len(done.proposal.places)} applicants for {places} places",
        *replay_plain(done.replayed, places),
        *_truth_plain(done),
        "where the reviews went:",
        Listing(
            headers=("rank in the end", "applicants", "reviews each", "interviewed"),
            rows=tuple(
                (e.label, e.applications, f"{e.reviews:.2f}", f"{100 * e.interviews:.0f} %")
                for e in done.effort
            ),
        ),
    ]


def _truth_json(done: "Demonstrated") -> dict[str, object]:
    """Format what is known of the truth: losses in points of 100 a place."""
    truth = done.truth
    return {
        "expected_loss": truth.expected_loss,
        "expected_loss_range": list(truth.expected_loss_range),
        "loss": truth.loss,
        "belong": truth.belong,
        "belong_range": list(truth.belong_range),
        "belong_true": truth.belong_true,
        "reviews_needed": {"even": done.needed.even, "two_tier": done.needed.two_tier},
    }


def _truth_plain(done: "Demonstrated") -> list[str]:
    """Format the model's numbers beside the truth, and what others need for the same list."""
    truth, places = done.truth, done.program.places
    low, high = truth.expected_loss_range
    least, most = truth.belong_range
    each = done.replayed.cost / len(done.proposal.places)
    lacks = (
        f"of 100 points a place it lacks {truth.expected_loss:.1f} by the model (90 % range "
        f"{low:.1f} to {high:.1f}) and {truth.loss:.1f} in truth"
    )
    belong = (
        f"of {places} on the list {truth.belong:.0f} belong there by the model (90 % range "
        f"{least:.0f} to {most:.0f}) and {truth.belong_true} in truth"
    )
    needed = (
        f"for a list as good, in place of {each:.1f} reviews each: even reviewing needs "
        f"{_needed(done.needed.even)}, one round each and then interviews "
        f"{_needed(done.needed.two_tier)}"
    )
    return [lacks, belong, needed]


def _needed(each: float | None) -> str:
    return "more than there are marks for" if each is None else f"{each:.1f}"
