"""`swapflow cycle card`: one applicant's decision, in plain words."""

from pathlib import Path
from typing import Annotated

import typer

from swapflow.cli.options import ApplicationId, AsJson, CycleId, product
from swapflow.cli.output import report
from swapflow.errors import InvalidInputError


FORMATS = (".html", ".pdf", ".json")


def register(cycles: typer.Typer) -> None:
    """Add the command to `swapflow cycle`."""
    cycles.command("card")(card)


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
    reviewers: Annotated[
        bool, typer.Option("--reviewers", help="Name reviewers by their ids, for the office.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write what was decided about an applicant, and on what it rests."""
    from swapflow.files.exports.decision_card import card_document, card_json
    from swapflow.files.exports.document import html, pdf
    from swapflow.files.exports.writers import write_file
    from swapflow.settings import load_settings

    file = out or Path("card.html")
    if file.suffix.lower() not in FORMATS:
        raise InvalidInputError("file_name_ending", file=file, formats=FORMATS)
    made = product().reports.decision_card(cycle, applicant, name_reviewers=reviewers)
    if file.suffix.lower() == ".json":
        content = card_json(made)
    elif file.suffix.lower() == ".html":
        content = html(card_document(made))
    else:
        content = pdf(card_document(made), fonts=load_settings().font_folders)
    write_file(file, content)
    report(
        {"cycle": cycle, "applicant": applicant, "file": str(file)},
        f"{file}: remarks of reviewers are in it; show it to those who may read them",
        as_json=as_json,
    )
