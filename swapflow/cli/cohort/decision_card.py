"""`swapflow cycle card` and `cycle defence`: a decision in plain words, and its defence file."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.options import ApplicationId, AsJson, By, CycleId, product
from swapflow.cli.output import report
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.files.exports.document import PrintedDocument
    from swapflow.monitoring.report import Grouping


FORMATS = (".html", ".pdf", ".json")


def register(cycles: typer.Typer) -> None:
    """Add the commands to `swapflow cycle`."""
    cycles.command("card")(card)
    cycles.command("defence")(defence)


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

    file = _checked(out or Path("card.html"))
    made = product().reports.decision_card(cycle, applicant, name_reviewers=reviewers)
    _write(file, lambda: card_json(made), lambda: card_document(made))
    report(
        {"cycle": cycle, "applicant": applicant, "file": str(file)},
        f"{file}: remarks of reviewers are in it; show it to those who may read them",
        as_json=as_json,
    )


def defence(
    cycle: CycleId,
    by: By,
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
    reviewers: Annotated[
        bool, typer.Option("--reviewers", help="Name reviewers by their ids, for the office.")
    ] = False,
    groups: Annotated[
        bool,
        typer.Option("--groups", help="With reviews by group, for the compliance role; logged."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write what answers a complaint about a decision: rules, reviews, who decided, replay."""
    from swapflow.files.exports.defence.defence_file import (
        applicant_defence_document,
        applicant_defence_json,
        defence_document,
        defence_json,
    )

    file = _checked(out or Path("defence.html"))
    reports = product().reports
    if applicant:
        one = reports.applicant_defence(cycle, applicant, name_reviewers=reviewers)
        passed = one.program.replay.passed
        _write(file, lambda: applicant_defence_json(one), lambda: applicant_defence_document(one))
    else:
        made = reports.defence(cycle)
        passed = made.replay.passed
        grouped = _groups(cycle, by) if groups else ()
        _write(file, lambda: defence_json(made, grouped), lambda: defence_document(made, grouped))
    report(
        {"cycle": cycle, "applicant": applicant, "file": str(file), "replay_agrees": passed},
        f"{file}: the replay of the record {'agrees' if passed else 'does not agree'}; read it "
        "before you hand it over, and show remarks to those who may read them",
        as_json=as_json,
    )


def _groups(cycle: str, by: str) -> "tuple[Grouping, ...]":
    from swapflow.bootstrap import monitoring, office
    from swapflow.settings import load_settings

    # A person who reads such a table is written down, before they see it.
    office().audit_log.record(by, "monitoring read", cycle_id=cycle, about="defence file")
    return tuple(monitoring(load_settings()).report(cycle, crossed=()).groupings)


def _checked(file: Path) -> Path:
    if file.suffix.lower() not in FORMATS:
        raise InvalidInputError("file_name_ending", file=file, formats=FORMATS)
    return file


def _write(
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
