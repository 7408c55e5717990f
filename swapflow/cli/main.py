"""Where the command starts: the groups, and the one place where errors become messages."""

import gc
import json
import sys
from collections.abc import Sequence
from functools import cache
from typing import Annotated, NoReturn

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from swapflow.cli.cohort import (
    announcements,
    bundle,
    decision_card,
    meeting,
    monitoring,
    offers,
    reconsiderations,
)
from swapflow.cli.cycle import (
    applications,
    approvals,
    calibration,
    copies,
    cycles,
    decisions,
    exchange,
    interview_dates,
    reviewers,
    rounds,
    scores,
)
from swapflow.cli.help import CommandGroup, add_examples
from swapflow.cli.operations import (
    doctor,
    groups,
    maintenance,
    personal_data,
    processes,
    retention,
    returned_mails,
    units,
    users,
)
from swapflow.cli.output import clean
from swapflow.cli.research import advise, demo, paper_studies, past_rounds, plan, replay, studies
from swapflow.cli.reviewing import inbox, practice
from swapflow.errors import (
    ConflictError,
    DamagedRecordError,
    InvalidInputError,
    NotFoundError,
    SwapflowError,
    UnavailableError,
)


INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""

LOOK_FOR_GARBAGE = 20_000
"""After how many new objects Python looks for garbage among them; by itself after 700."""

_CODES: tuple[tuple[type[SwapflowError], int], ...] = (
    (InvalidInputError, 2),
    (NotFoundError, 3),
    (ConflictError, 4),
    (DamagedRecordError, 5),
    (UnavailableError, 5),
)

app = typer.Typer(
    cls=CommandGroup,
    name="swapflow",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # its boxes cost 0.4 s, which is most of a --help
    help="Decides, score by score, whom to review or interview next; people decide the rest.",
    epilog=(
        "Exit codes: 0 done · 1 a check did not pass · 2 the input cannot be used · "
        "3 not found · 4 the program has moved on · 5 Redis or the database does not answer."
    ),
)
app.add_typer(rounds.app, name="round")
app.add_typer(units.app, name="units")
app.add_typer(groups.app, name="groups")
# Joined here, so that no group of commands imports another.
cycles.app.add_typer(decisions.app)
cycles.app.add_typer(reconsiderations.app, name="reconsider")
app.add_typer(cycles.app, name="cycle")
app.add_typer(applications.app, name="applications")
app.add_typer(reviewers.app, name="reviewers")
app.add_typer(inbox.app, name="inbox")
app.add_typer(practice.app, name="practice")
app.add_typer(exchange.app, name="exchange")
app.add_typer(approvals.app, name="approvals")
app.add_typer(interview_dates.app, name="interviews")
app.add_typer(scores.app, name="scores")
app.add_typer(meeting.app, name="meeting")
app.add_typer(offers.app, name="offers")
app.add_typer(announcements.app, name="letters")
app.add_typer(monitoring.app, name="monitoring")
app.add_typer(personal_data.app, name="personal-data")
app.add_typer(personal_data.app, name="person", hidden=True, deprecated=True)
app.add_typer(users.app, name="user")
app.add_typer(returned_mails.app, name="mail")
past_rounds.register(studies.app)
app.add_typer(studies.app, name="study")
app.add_typer(maintenance.database, name="db")
app.add_typer(maintenance.live_state, name="state")
processes.register(app)
doctor.register(app)
demo.register(app)
replay.register(app)
plan.register(app)
advise.register(app)
bundle.register(app, cycles=cycles.app)
decision_card.register(cycles.app)
calibration.register(cycles.app)
copies.register(cycles.app)
personal_data.register(cycles.app)
retention.register(rounds.app)
paper_studies.register(studies.app)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version as installed

        print(f"swapflow {installed('swapflow')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            is_eager=True,
            callback=_print_version,
            help="Print the version and leave.",
        ),
    ] = False,
) -> None:
    """Decides, score by score, whom to review or interview next; people decide the rest."""


def run() -> NoReturn:
    """Run the command line and leave with its exit code."""
    # Nearly all that a short command makes are classes and functions that stay until it ends.
    # Python would look through them for garbage again and again, and once more before it leaves:
    # a third of the time of `cycle status`.
    gc.set_threshold(LOOK_FOR_GARBAGE)
    code = main(sys.argv[1:])
    gc.freeze()
    sys.exit(code)


@cache
def command() -> TyperGroup:
    """Build the commands from their signatures, once for the life of a process."""
    built = typer.main.get_command(app)
    assert isinstance(built, TyperGroup)
    add_examples(built)
    return built


def main(arguments: Sequence[str]) -> int:
    """Run one command; returns its exit code. Errors raised on purpose never show a traceback."""
    # Read by hand: an error may come before the options are parsed.
    as_json = "--json" in arguments
    try:
        code = command().main(list(arguments), prog_name="swapflow", standalone_mode=False)
    except SwapflowError as error:
        code = next((code for kind, code in _CODES if isinstance(error, kind)), 1)
        _complain(type(error).__name__, str(error), as_json=as_json)
    except TyperException as error:
        code = _misused(error, as_json=as_json)
    except (typer.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    return code if isinstance(code, int) else 0


def _misused(error: TyperException, *, as_json: bool) -> int:
    """Report an unknown command or option; a group without a command shows its help instead."""
    show = getattr(error, "show", None)
    if as_json or show is None:
        message = getattr(error, "format_message", error.__str__)()
        _complain("UsageError", message, as_json=as_json)
    else:
        show()
    return 2


def _complain(name: str, message: str, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"error": name, "message": message}, ensure_ascii=False), file=sys.stderr)
    else:
        print(f"swapflow: {clean(message)}", file=sys.stderr)


if __name__ == "__main__":
    run()
