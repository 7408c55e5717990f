"""`swapflow practice`: files that reviewers mark together before a launch."""

from pathlib import Path
from typing import Annotated

import typer

from swapflow.cli.help import CommandGroup
from swapflow.cli.options import AsJson, By, CycleId, product
from swapflow.cli.output import Listing, many, report
from swapflow.cli.reviewing.mark_input import read_answer


app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    help="Practice files: all reviewers mark the same few files before the launch.",
)

Number = Annotated[
    int, typer.Argument(metavar="FILE", min=1, help="Its number, as `practice list` shows it.")
]


@app.command("list")
def list_practice(cycle: CycleId, as_json: AsJson = False) -> None:
    """List practice files with their marks, and who is still to mark them."""
    practice, missing = product().practice.read(cycle), product().practice.missing(cycle)
    report(
        {
            "cycle": cycle,
            "files": [
                {
                    "file": file.number + 1,
                    "title": file.title,
                    "marks": list(practice.values(file.number)),
                }
                for file in practice.files
            ],
            "missing": [one.external_id for one in missing],
        },
        Listing(
            headers=("file", "title", "marks of 100"),
            rows=tuple(
                (
                    file.number + 1,
                    file.title,
                    ", ".join(f"{value:.0f}" for value in practice.values(file.number)),
                )
                for file in practice.files
            ),
            empty="there is no practice file",
        ),
        *[f"still to mark them: {', '.join(r.external_id for r in missing)}" for _ in missing[:1]],
        as_json=as_json,
    )


@app.command("add")
def add_practice(
    cycle: CycleId,
    by: By,
    title: Annotated[str, typer.Option(metavar="TEXT", help="What the file is called.")],
    file: Annotated[
        Path,
        typer.Option("--file", metavar="FILE", help="A text file, as UTF-8."),
    ],
    as_json: AsJson = False,
) -> None:
    """Put a practice file before the reviewers of a program that is not launched."""
    from swapflow.errors import InvalidInputError

    try:
        text = file.read_text("utf-8")
    except OSError as error:
        raise InvalidInputError("file_unreadable", file=file, problem=error.strerror) from error
    except UnicodeDecodeError as error:
        raise InvalidInputError("practice_file_not_text", file=file) from error
    number = product().practice.add_file(cycle, title, text, by=by)
    report(
        {"cycle": cycle, "file": number + 1, "by": by},
        f"practice file {number + 1} is in place; each reviewer finds it in their inbox",
        as_json=as_json,
    )


@app.command("mark")
def mark_practice(
    cycle: CycleId,
    file: Number,
    reviewer: Annotated[str, typer.Option(metavar="ID", help="The reviewer who marks.")],
    mark: Annotated[
        list[str] | None,
        typer.Option(metavar="CRITERION=MARK", help="One for each criterion; N/A is a choice."),
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(metavar="S", help="One overall score: 0 to 1, or 70/100."),
    ] = None,
    remark: Annotated[str, typer.Option(metavar="TEXT", help="Shown without a name.")] = "",
    as_json: AsJson = False,
) -> None:
    """Mark a practice file as a reviewer; a mark stays as it was given."""
    swapflow = product()
    rules = swapflow.cycles.rules(cycle)
    rubric = rules.rubric(rules.kinds[0].name)
    answer = read_answer("", marks=mark or (), score=score, rubric=rubric, remark=remark)
    swapflow.practice.mark(
        cycle,
        file - 1,
        swapflow.practice.reviewer_number(cycle, reviewer),
        marks=answer.marks,
        value=answer.utility,
        remark=answer.remark,
    )
    values = swapflow.practice.read(cycle).values(file - 1)
    report(
        {"cycle": cycle, "file": file, "marks": list(values)},
        f"stored; {many(len(values), 'mark')} so far: {', '.join(f'{v:.0f}' for v in values)}",
        as_json=as_json,
    )


@app.command("note")
def note_practice(
    cycle: CycleId,
    file: Number,
    by: By,
    text: Annotated[str, typer.Option(metavar="TEXT", help="What the reviewers should read.")],
    as_json: AsJson = False,
) -> None:
    """Add a note of staff to the discussion of a practice file."""
    product().practice.add_note(cycle, file - 1, text, by=by)
    report({"cycle": cycle, "file": file, "by": by}, "the note is stored", as_json=as_json)
