"""`swapflow cycle card` and `cycle defence`: a decision in plain words, and its defence file."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.options import ApplicationId, AsJson, CycleId, product
from swapflow.cli.output import report
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.files.exports.document import PrintedDocument


FORMATS = (".html", ".pdf", ".json")


def register(cycles: typer.Typer) -> None:
    """Add the commands to `swapflow cycle`."""
    cycles.command("card")(card)
    cycles.command("defence")(defence)


NameReviewers = Annotated[
    bool, typer.Option("--reviewers", help="Name reviewers by their ids, for the office.")
]


def card(
    cycle: CycleId,
    applicant: ApplicationId,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="A file that ends in .html, .pdf or .json; card.html when not given.",
        ),
    ] = None,
    reviewers: NameReviewers = False,
    as_json: AsJson = False,
) -> None:
    """Write what was decided about an applicant, and on what it rests."""
    from swapflow.files.exports.decision_card import card_document, card_json

    file = checked_name(out or Path("card.html"))
    made = product().reports.decision_card(cycle, applicant, name_reviewers=reviewers)
    write_paper(file, lambda: card_json(made), lambda: card_document(made))
    report(
        {"cycle": cycle, "applicant": applicant, "file": str(file)},
        f"{file}: remarks of reviewers are in it; show it to those who may read them",
        as_json=as_json,
    )


def defence(
    cycle: CycleId,
    applicant: Annotated[
        str, typer.Option("--applicant", metavar="ID", help="The file about this applicant alone.")
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="A file that ends in .html, .pdf or .json; defence.html when not given.",
        ),
    ] = None,
    reviewers: NameReviewers = False,
    as_json: AsJson = False,
) -> None:
    """Write what answers a complaint about a decision: rules, reviews, who decided, replay."""
    from swapflow.files.exports.defence.defence_file import (
        applicant_defence_document,
        applicant_defence_json,
        defence_document,
        defence_json,
    )

    file = checked_name(out or Path("defence.html"))
    reports = product().reports
    if applicant:
        one = reports.applicant_defence(cycle, applicant, name_reviewers=reviewers)
        passed = one.program.replay.passed
        write_paper(
            file, lambda: applicant_defence_json(one), lambda: applicant_defence_document(one)
        )
    else:
        made = reports.defence(cycle)
        passed = made.replay.passed
        write_paper(file, lambda: defence_json(made), lambda: defence_document(made))
    report(
        {"cycle": cycle, "applicant": applicant, "file": str(file), "replay_agrees": passed},
        f"{file}: the replay of the record {'agrees' if passed else 'does not agree'}; read it "
        "before you hand it over, and show remarks to those who may read them",
        as_json=as_json,
    )


def checked_name(file: Path) -> Path:
    """Return a file whose name says a form that can be written.

    Raises:
        InvalidInputError: If its ending is another one.
    """
    if file.suffix.lower() not in FORMATS:
        raise InvalidInputError("file_name_ending", file=file, formats=FORMATS)
    return file


def write_paper(
    file: Path, as_data: Callable[[], bytes], in_words: "Callable[[], PrintedDocument]"
) -> None:
    """Write a file in the form that its name ends in."""
    from swapflow.files.exports.document import html, pdf
    from swapflow.files.exports.writers import write_file
    from swapflow.settings import load_settings

    if file.suffix.lower() == ".json":
        content = as_data()
    elif file.suffix.lower() == ".html":
        content = html(in_words())
    else:
        content = pdf(in_words(), fonts=load_settings().font_folders)
    write_file(file, content)
