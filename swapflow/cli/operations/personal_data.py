"""`swapflow personal-data export` and `swapflow cycle oversight`: what is held, who did what."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.help import CommandGroup
from swapflow.cli.options import AsJson, By, CycleId, office_of_deployment, product
from swapflow.cli.output import many, report
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.identity.personal_data import PersonalDataReport


app = typer.Typer(
    cls=CommandGroup, no_args_is_help=True, help="Everything known about one person."
)


@app.callback()
def _person() -> None:
    """Keep `export` a command of its own."""


def register(cycles: typer.Typer) -> None:
    """Add a command to `swapflow cycle`."""
    cycles.command("oversight")(oversight)
    cycles.command("hold")(hold)


@app.command("export")
def export(
    cycle: CycleId,
    person: Annotated[str, typer.Argument(metavar="ID", help="The applicant's or reviewer's id.")],
    by: By,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="PATH",
            help="A folder, or a ZIP if it ends in .zip; the folder person-file if not given.",
        ),
    ] = None,
    reviewer: Annotated[
        bool, typer.Option("--reviewer", help="The id is a reviewer's, not an applicant's.")
    ] = False,
    with_confidential: Annotated[
        bool,
        typer.Option(
            "--with-confidential",
            help="Confidential letters and fields too, for the office and not for the applicant.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write everything known about one person, as a folder or ZIP: a page, JSON, files."""
    copies = office_of_deployment().personal_data
    if reviewer:
        found = copies.reviewer(cycle, person, by=by)
    else:
        found = copies.applicant(
            cycle, person, by=by, with_confidential=with_confidential, with_monitoring=True
        )
    place = out or Path("person-file")
    files = _written(found, place)
    rows = sum(len(kept) for kept in found.rows.values())
    report(
        {
            "cycle": cycle,
            "id": person,
            "role": found.role,
            "rows": rows,
            "files": [str(file) for file in files],
            "withheld": list(found.withheld),
        },
        f"{place}: {many(rows, 'row')} of {many(len(found.rows), 'table')}, "
        f"{many(len(found.files), 'document')}",
        *(
            [f"confidential, left out of this copy: {', '.join(found.withheld)}"]
            if found.withheld
            else []
        ),
        "read it before you hand it over: free text may name others",
        as_json=as_json,
    )


def _written(found: "PersonalDataReport", place: Path) -> list[Path]:
    """Write a copy into a folder, or as a ZIP where the name ends so; for this user alone."""
    from swapflow.files.exports.personal_data import personal_data_archive, personal_data_files
    from swapflow.files.exports.writers import write_file

    if place.suffix.lower() == ".zip":
        file = write_file(place, personal_data_archive(found))
        file.chmod(0o600)
        return [file]
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(
            "folder_not_made_choose_other", folder=place, problem=error.strerror
        ) from error
    return [write_file(place / name, body) for name, body in personal_data_files(found)]


def hold(
    cycle: CycleId,
    by: By,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; it is kept in the record.")],
    release: Annotated[bool, typer.Option("--release", help="End the hold.")] = False,
    as_json: AsJson = False,
) -> None:
    """Keep people from being erased while a complaint or lawsuit is open; --release ends that."""
    product().cycles.hold(cycle, by=by, reason=reason, release=release)
    said = "people can be erased again" if release else "no one can be erased until --release"
    report({"cycle": cycle, "held": not release}, f"{cycle}: {said}", as_json=as_json)


def oversight(
    cycle: CycleId,
    by: By,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="A file that ends in .html, .pdf or .json; oversight.html if not given.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write what people did in a program, first of all where they decided otherwise."""
    from swapflow.files.exports.document import html, pdf
    from swapflow.files.exports.personal_data import oversight_document, oversight_json
    from swapflow.files.exports.writers import write_file
    from swapflow.settings import load_settings

    file = out or Path("oversight.html")
    settings = load_settings()
    now = product().cycles.now()
    office = office_of_deployment()
    acts = office.personal_data.acts(cycle)
    if file.suffix.lower() == ".json":
        content = oversight_json(cycle, acts, at=now)
    elif file.suffix.lower() == ".html":
        content = html(oversight_document(cycle, acts, at=now))
    elif file.suffix.lower() == ".pdf":
        content = pdf(oversight_document(cycle, acts, at=now), fonts=settings.font_folders)
    else:
        raise InvalidInputError("personal_data_file_ending", file=file)
    office.audit_log.record(by, "wrote the oversight log", cycle_id=cycle)
    write_file(file, content)
    departed = sum(act.departs for act in acts)
    report(
        {"cycle": cycle, "file": str(file), "acts": len(acts), "departures": departed},
        f"{file}: {many(len(acts), 'act')} on record, {departed} of them "
        "against the list or the course of things",
        as_json=as_json,
    )
