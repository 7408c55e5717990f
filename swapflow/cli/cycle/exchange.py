"""`swapflow exchange`: files of the system that applicants come from, and results for it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.help import CommandGroup
from swapflow.cli.options import AsJson, By, CycleId, OutFolder, product
from swapflow.cli.output import Listing, many, report
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.files.intake.answer import IntakeAnswer
    from swapflow.files.intake.run import Drops

app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    help="Files of the system that applicants come from, and results for it.",
)

CHECK_FAILED = 1


@app.command("folder")
def folder(cycle: CycleId, as_json: AsJson = False) -> None:
    """Make a program's drop folder, and list what waits in it."""
    from swapflow.files.intake.drop_folder import make_drop_folder

    product().cycles.get(cycle)
    drops = _drops()
    make_drop_folder(drops.root, cycle)
    found = drops.folders([cycle])[cycle]
    whole = {one.path.name for one in found.whole()}
    waiting = found.waiting()
    report(
        {
            "cycle": cycle,
            "in": str(found.incoming),
            "out": str(found.outgoing),
            "whole": sorted(whole),
            "waiting": [one for one in waiting if one not in whole],
        },
        f"other systems write into {found.incoming} and fetch from {found.outgoing}",
        Listing(
            headers=("file", "state"),
            rows=tuple((one, "whole" if one in whole else "not whole yet") for one in waiting),
            empty="nothing waits there",
        ),
        as_json=as_json,
    )


@app.command("run")
def run(as_json: AsJson = False) -> None:
    """Take what lies whole in the drop folders now, and put out results that became final."""
    from swapflow.files.intake.run import with_folders

    swapflow, drops = product(), _drops()
    names = [cycle.id for cycle in with_folders(swapflow)]
    answers = list(drops.run(swapflow, names))
    sent = drops.put_out(swapflow, names)
    report(
        {
            "taken": [{"cycle": name, **_public(answer)} for name, answer in answers],
            "results": list(sent),
        },
        *(f"{name}: {answer.told()}" for name, answer in answers),
        *(f"{name}: results were put out" for name in sent),
        *(["nothing lies there whole"] if not answers and not sent else []),
        as_json=as_json,
    )


@app.command("take")
def take(
    cycle: CycleId,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A list, a ZIP or a combined PDF.")],
    by: By,
    index: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Which file or pages are whose; see the recipe."),
    ] = None,
    redacted: Annotated[
        bool, typer.Option("--redacted", help="Its documents do not name applicants.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Take one file as a drop folder would: a list whole or not at all. Exit code 1 if refused."""
    from swapflow.domain.lists.exchanged_file import ExchangeOutcome
    from swapflow.files.intake.answer import answer_text
    from swapflow.files.intake.take import Sent, take_file
    from swapflow.settings import load_settings

    for one in (file, index):
        if one is not None and not one.is_file():
            raise InvalidInputError("file_unreadable", file=one, problem="it is not there")
    sent = Sent(
        path=file,
        name=file.name,
        via="command",
        by=by,
        index=index,
        redacted=redacted,
        most_bytes=load_settings().drop_mb * 1_000_000,
    )
    answer = take_file(sent, product=product(), cycle_id=cycle)
    report(
        {"cycle": cycle, **_public(answer)},
        answer_text(answer).decode().replace("\r\n", "\n").rstrip(),
        as_json=as_json,
    )
    if answer.outcome is ExchangeOutcome.REFUSED:
        raise typer.Exit(CHECK_FAILED)


@app.command("list")
def list_exchanged(cycle: CycleId, as_json: AsJson = False) -> None:
    """List what came in and went out, newest first, and what of it needs a person."""
    files = product().exchange.files(cycle)
    report(
        {
            "cycle": cycle,
            "files": [
                {
                    "number": one.number,
                    "file": one.name,
                    "what": one.what.value,
                    "outcome": one.outcome.value,
                    "via": one.via,
                    "at": one.at.isoformat(),
                    "by": one.by,
                    "counts": dict(one.counts),
                    "for_people": one.for_people,
                    "lines": [list(place) for place in one.lines],
                }
                for one in files
            ],
        },
        Listing(
            headers=("number", "file", "what", "outcome", "needs a person", "at"),
            rows=tuple(
                (
                    one.number,
                    one.name,
                    one.what.value,
                    one.outcome.value,
                    one.for_people,
                    f"{one.at:%Y-%m-%d %H:%M}",
                )
                for one in files
            ),
            empty="nothing was exchanged yet",
        ),
        many(len(files), "file"),
        as_json=as_json,
    )


@app.command("done")
def done(
    cycle: CycleId,
    number: Annotated[int, typer.Argument(metavar="NUMBER", help="As `exchange list` shows it.")],
    by: By,
    as_json: AsJson = False,
) -> None:
    """Close what a file left to people; its to-do line goes."""
    product().exchange.finish(cycle, number, by=by)
    report(
        {"cycle": cycle, "number": number, "by": by},
        f"what file {number} left to people is done",
        as_json=as_json,
    )


@app.command("results")
def results(cycle: CycleId, by: By, out: OutFolder = None, as_json: AsJson = False) -> None:
    """Put decisions, cohort, waitlist and reviews out in the other system's columns."""
    from swapflow.files.exports.writers import write_file
    from swapflow.files.intake.results import put_out_results, result_bytes, result_sheets

    swapflow = product()
    if out is None:
        found = _drops().folder(cycle)
        if found is None:
            raise InvalidInputError("drop_folder_missing", cycle=cycle)
        names = put_out_results(swapflow, cycle, found, by=by, via="command")
        files = [str(found.outgoing / name) for name in names]
    else:
        sheets = result_sheets(swapflow, cycle)
        files = [
            str(write_file(out / f"{sheet.name}.csv", result_bytes(sheet))) for sheet in sheets
        ]
    report({"cycle": cycle, "files": files}, *files, as_json=as_json)


@app.command("words")
def words(
    cycle: CycleId,
    by: By,
    said: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=WORD…", help="decision, selected, waitlisted, …"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show, or say, what the other system calls columns and decisions of results."""
    from swapflow.files.intake.results import keep_words, words_of

    pairs = dict(_pair(one) for one in said or ())
    swapflow = product()
    swapflow.cycles.get(cycle)
    known = keep_words(swapflow, cycle, pairs, by=by) if pairs else words_of(swapflow, cycle)
    report(
        {"cycle": cycle, "words": known},
        Listing(headers=("name", "word"), rows=tuple(known.items()), empty=""),
        as_json=as_json,
    )


def _pair(text: str) -> tuple[str, str]:
    name, found, word = text.partition("=")
    if not found:
        raise InvalidInputError("result_word_no_pair", text=text)
    return name.strip(), word


def _drops() -> "Drops":
    from swapflow.files.intake.run import Drops
    from swapflow.settings import load_settings

    settings = load_settings()
    drops = Drops.of(settings, settings.data_dir)
    if drops is None:
        raise InvalidInputError("drop_folder_not_set")
    return drops


def _public(answer: "IntakeAnswer") -> dict[str, object]:
    return {
        "file": answer.name,
        "what": answer.what.value,
        "outcome": answer.outcome.value,
        "again": answer.again,
        "shape": answer.shape,
        "counts": answer.counts,
        "bad": [
            {
                "line": row.line,
                "column": row.column,
                "value": row.value,
                "reason": str(row.reason),
                "cure": str(row.cure),
            }
            for row in answer.bad
        ],
        "left": [{"file": place, "reason": reason} for place, reason in answer.left],
        "held": list(answer.held),
        "notes": list(answer.notes),
    }
