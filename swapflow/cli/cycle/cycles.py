"""`swapflow cycle`: one decision, from its rules to its list."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from swapflow.cli import cycle_output
from swapflow.cli.cycle import promised_reviews
from swapflow.cli.cycle.rules_change import read_rules_of, set_rules
from swapflow.cli.help import CommandGroup
from swapflow.cli.options import (
    AsJson,
    By,
    CycleId,
    Must,
    Reason,
    product,
    progress_of,
    seat_of,
)
from swapflow.cli.output import Listing, many, report, say, to_text, warn
from swapflow.errors import InvalidInputError, SwapflowError
from swapflow.messages import Message


if TYPE_CHECKING:
    from swapflow.engine.read_models.progress import Progress


OVER = frozenset({"ended", "finalized"})

app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    help=("Programs: one list of applicants with its places, from rules to the final list."),
)
app.command("reserve")(promised_reviews.reserve)


@app.command("new")
def new(
    cycle: CycleId,
    round_id: Annotated[str, typer.Option("--round", metavar="ROUND", help="Its round.")],
    by: By,
    template: Annotated[
        Literal["admissions", "hiring", "fellowship"] | None,
        typer.Option(help="Write a commented rules file to start from."),
    ] = None,
    rules: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A rules file that you have.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --template: where it goes; else CYCLE.toml."),
    ] = None,
    name: Annotated[str, typer.Option(metavar="TEXT", help="The program's name in full.")] = "",
    unit: Annotated[str, typer.Option(metavar="UNIT", help="The unit that it belongs to.")] = "",
    as_json: AsJson = False,
) -> None:
    """Make a program from a rules file."""
    if (template is None) == (rules is None):
        raise InvalidInputError("template_or_rules")
    swapflow = product()
    file = rules or out or Path(f"{cycle}.toml")
    # A file that is there already is taken and never overwritten.
    written = template is not None and _write_template(file, template)
    try:
        read = read_rules_of(file)
        swapflow.cycles.new(cycle, round_id=round_id, rules=read, by=by, name=name, unit=unit)
    except SwapflowError:
        if written:  # a command that fails leaves nothing behind
            file.unlink(missing_ok=True)
        raise
    found = "written" if written else "taken as it is"
    report(
        {"cycle": cycle, "round": round_id, "rules": str(file), "written": written, "by": by},
        f"program {cycle} is made; its rules: {file} ({found})",
        f"change them: edit the file, then swapflow cycle rules {cycle} --set {file} --reason …",
        f"next: swapflow applications import {cycle} applicants.csv",
        f"      swapflow reviewers import {cycle} reviewers.csv",
        f"      swapflow cycle launch {cycle}",
        as_json=as_json,
    )


@app.command("list")
def list_cycles(as_json: AsJson = False) -> None:
    """List the programs."""
    cycles = product().cycles.list()
    report(
        {
            "cycles": [
                {
                    "cycle": c.id,
                    "name": c.name,
                    "round": c.round_id,
                    "status": c.status.value,
                    "stop_reason": c.stop_reason,
                    "spent": c.spent,
                    "committed": c.committed,
                    "rules_version": c.rules_version,
                    "cohort_version": c.cohort_version,
                    "created_at": c.created_at.isoformat(),
                    "practice_of": c.practice_of,
                }
                for c in cycles
            ]
        },
        Listing(
            headers=("cycle", "name", "round", "status", "spent", "set aside"),
            rows=tuple(
                (c.id, c.name, c.round_id, c.status.value, c.spent, c.committed) for c in cycles
            ),
            empty="there is no program yet: swapflow cycle new CYCLE --round ROUND --template …",
        ),
        as_json=as_json,
    )


@app.command("launch")
def launch(
    cycle: CycleId,
    by: By,
    check: Annotated[
        bool, typer.Option("--check", help="Say what is in the way and what to think of.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Launch a program; the first reviews go out."""
    swapflow = product()
    nameless = seat_of(cycle, by) is not None
    if check:
        seen = swapflow.cycles.preview(cycle)
        seen = seen.nameless() if nameless else seen
        ready = "nothing is in the way of a launch" if not seen.obstacles else "to cure first:"
        report(
            {
                "cycle": cycle,
                "obstacles": [str(one) for one in seen.obstacles],
                "notes": [str(one) for one in seen.warnings],
            },
            *(f"note: {one}" for one in seen.warnings),
            ready,
            *(f"  - {one}" for one in seen.obstacles),
            as_json=as_json,
        )
        return
    for message in swapflow.applicants.values(cycle).messages:
        warn(f"note: {message}")
    swapflow.cycles.launch(cycle, by=by, nameless=nameless)
    leaves = swapflow.outbox.leaves
    report(
        {"cycle": cycle, "status": "running", "by": by, "mail_leaves": leaves},
        f"program {cycle} runs; the first reviews go out at the next turn",
        *(() if leaves else (str(Message("launch_without_mail")),)),
        f"watch it: swapflow cycle watch {cycle}",
        as_json=as_json,
    )


@app.command("to-do")
def to_do(cycle: CycleId, as_json: AsJson = False) -> None:
    """List what waits for people in a program, and where it is done."""
    swapflow = product()
    swapflow.cycles.get(cycle)
    things = swapflow.pending.in_cycle(cycle)
    report(
        {
            "cycle": cycle,
            "to_do": [
                {
                    "code": thing.code.value,
                    "params": dict(thing.params),
                    "text": thing.message,
                    "link": f"{swapflow.address}{thing.path}",
                }
                for thing in things
            ],
        },
        Listing(
            headers=("what waits", "where"),
            rows=tuple((thing.message, f"{swapflow.address}{thing.path}") for thing in things),
            empty="nothing waits for a person",
        ),
        as_json=as_json,
    )


@app.command("status")
def status(cycle: CycleId, as_json: AsJson = False) -> None:
    """Show how far a program is."""
    swapflow = product()
    seen = progress_of(cycle)
    seat = seat_of(cycle)
    scores = [
        one
        for one in swapflow.reviewers.conflicting_scores(cycle)
        if seat is None or seat.names(one.score.application)
    ]
    waiting = promised_reviews.waiting_lines(swapflow, cycle)
    report(
        {
            **cycle_output.progress_json(seen),
            "conflicting_scores": [one.score.assignment_id for one in scores],
            "waiting": waiting,
        },
        *cycle_output.progress_plain(seen),
        *waiting,
        *cycle_output.conflicting_lines(scores),
        as_json=as_json,
    )


@app.command("watch")
def watch(
    cycle: CycleId,
    every: Annotated[float, typer.Option(min=0.2, help="Seconds between two looks.")] = 2.0,
    looks: Annotated[
        int, typer.Option(min=0, help="Leave after this many looks; 0: when the program is over.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Show how far a program is, again and again, until it is over or Ctrl-C."""
    if sys.stdout.isatty() and not as_json:
        _watch_live(cycle, every=every, looks=looks)
        return
    for seen in _looks(cycle, every=every, looks=looks):
        # The reader of a pipe has gone: nobody is watching any more.
        if not say(
            to_text(cycle_output.progress_json(seen))
            if as_json
            else cycle_output.progress_line(seen)
        ):
            return


@app.command("pause")
def pause(cycle: CycleId, by: By, reason: Reason = "", as_json: AsJson = False) -> None:
    """Send nothing for a while; scores are still taken, and due times wait."""
    product().cycles.pause(cycle, by=by, reason=reason)
    report({"cycle": cycle, "status": "paused", "by": by}, f"{cycle} is paused", as_json=as_json)


@app.command("resume")
def resume(cycle: CycleId, by: By, reason: Reason = "", as_json: AsJson = False) -> None:
    """Go on after a pause, or although the rules propose to stop."""
    product().cycles.resume(cycle, by=by, reason=reason)
    report({"cycle": cycle, "status": "running", "by": by}, f"{cycle} goes on", as_json=as_json)


@app.command("stop")
def stop(cycle: CycleId, by: By, reason: Reason = "", as_json: AsJson = False) -> None:
    """End the asking; what a reviewer has opened may still come in."""
    cancelled = product().cycles.stop(cycle, by=by, reason=reason)
    report(
        {"cycle": cycle, "status": "ended", "requests_cancelled": cancelled, "by": by},
        f"{cycle} asks for nothing more; {many(cancelled, 'unopened review')} cancelled",
        f"next: swapflow cycle finalize {cycle}",
        as_json=as_json,
    )


@app.command("budget")
def budget(
    cycle: CycleId,
    amount: Annotated[
        int, typer.Argument(min=1, metavar="AMOUNT", help=("In the unit of the round."))
    ],
    by: By,
    reason: Must,
    as_json: AsJson = False,
) -> None:
    """Change the budget: a new version of the rules."""
    from dataclasses import replace

    from swapflow.files.rules.rules_file import check_rules

    swapflow = product()
    old = swapflow.cycles.rules(cycle)
    wanted = replace(old, budget=amount)
    check_rules(wanted, source=f"a budget of {amount}")
    changed = swapflow.cycles.change_rules(cycle, wanted, by=by, reason=reason)
    report(
        {"cycle": cycle, "budget": amount, "before": old.budget, "rules_version": changed.version},
        f"budget: {old.budget} before, {amount} now (rules version {changed.version})",
        as_json=as_json,
    )


@app.command("rules")
def rules(
    cycle: CycleId,
    by: By,
    set_file: Annotated[
        Path | None,
        typer.Option("--set", metavar="FILE", help="Put this rules file in force."),
    ] = None,
    reason: Annotated[
        str, typer.Option(metavar="TEXT", help="With --set: why; it is kept in the record.")
    ] = "",
    check: Annotated[
        bool, typer.Option("--check", help="With --set: say what would change; change nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the rules in force, or put others in force, and say what that does to the list."""
    from swapflow.files.rules.rules_file import rules_text

    swapflow = product()
    if set_file is not None:
        set_rules(swapflow, cycle, set_file, by=by, reason=reason, check=check, as_json=as_json)
        return
    text = rules_text(swapflow.cycles.rules(cycle))
    version = swapflow.cycles.get(cycle).rules_version
    report({"cycle": cycle, "rules_version": version, "toml": text}, text, as_json=as_json)


def _write_template(file: Path, template: str) -> bool:
    """Write a rules file where there is none; says whether it did."""
    from swapflow.files.rules.rules_file import template as template_text

    try:
        # Made or refused in one step: another command may write the same name.
        with file.open("x", encoding="utf-8") as opened:
            opened.write(template_text(template))
    except FileExistsError:
        return False
    except OSError as error:
        raise InvalidInputError(
            "output_file_unwritable", file=file, problem=error.strerror
        ) from error
    return True


def _looks(cycle: str, *, every: float, looks: int) -> Iterator["Progress"]:
    number = 0
    while True:
        seen = progress_of(cycle)
        yield seen
        number += 1
        if seen.status in OVER or number == looks:
            return
        time.sleep(every)


def _watch_live(cycle: str, *, every: float, looks: int) -> None:
    from rich.live import Live
    from rich.text import Text

    with Live(auto_refresh=False, transient=False) as live:
        for seen in _looks(cycle, every=every, looks=looks):
            lines = [part for part in cycle_output.progress_plain(seen) if isinstance(part, str)]
            live.update(Text("\n".join([*lines, *cycle_output.kind_lines(seen)])), refresh=True)
