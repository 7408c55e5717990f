"""Options that many commands share, and the names they fall back on."""

import getpass
import os
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from swapflow.errors import (
    BadRowsError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from swapflow.engine.read_models.progress import Progress
    from swapflow.engine.reviewing.seat_view import SeatView
    from swapflow.engine.services import Swapflow
    from swapflow.files.tables.table import Table
    from swapflow.identity.services import Office


Must = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; on record.")]
OutFolder = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Folder for the files.")
]


def login_name() -> str:
    """Return the name under which a command is on record when --by is not given."""
    try:
        return os.environ.get("SWAPFLOW_USER", "") or getpass.getuser()
    except (OSError, KeyError):  # no login name: a container that runs under a bare number
        return f"user {os.getuid()}"


SHOWS_NOBODY = frozenset(
    {
        "applications open",
        "cycle budget",
        "cycle hold",
        "cycle launch",
        "cycle mark-automatically",
        "cycle new",
        "cycle next-year",
        "cycle pause",
        "cycle practise",
        "cycle reserve",
        "cycle resume",
        "cycle rules",
        "cycle status",
        "cycle stop",
        "cycle throw-away",
        "cycle verify",
        "cycle watch",
        "reviewers conflicts",
        "reviewers leave",
        "reviewers list",
        "reviewers panel",
        "reviewers purge",
        "reviewers return",
        "units move",
    }
)
"""Commands of a cycle that show no applicant, or leave them out for its reviewers."""

ABOUT_ONE = frozenset(
    {
        "applications ask",
        "applications correct",
        "applications hold",
        "applications ineligible",
        "applications purge",
        "applications ready",
        "applications reinstate",
        "applications release",
        "applications withdraw",
        "cycle card",
        "cycle explain",
        "cycle pin",
        "cycle put",
        "reviewers lift-bar",
        "reviewers remove-conflict",
        "reviewers waive-conflict",
    }
)
"""Commands about one applicant, whom a reviewer of the cycle must see by name for it."""


def own_seat(cycle: str, by: str = "", *, left: bool = False) -> int | None:
    """Return the number under which the person at the terminal reviews in a cycle.

    They are known by the name that stands in the record: a reviewer's id or mail address.

    Args:
        cycle: The cycle.
        by: The name; the one on record where --by is not given if empty.
        left: Whether a reviewer who has left the roster is known too.
    """
    from swapflow.domain.ids import same_id

    name = same_id(by or login_name())
    try:
        roster = product().reviewers.list(cycle)
    except NotFoundError:  # the command says so itself
        return None
    mine = (
        r.number
        for r in roster
        if (r.active or left) and name in {same_id(r.external_id), same_id(r.email)}
    )
    return next(mine, None)


def seat_of(cycle: str, by: str = "") -> "SeatView | None":
    """Return what the person at the terminal may see as a reviewer of a cycle; None for all."""
    number = own_seat(cycle, by)
    return None if number is None else product().reviewers.seat_view(cycle, number)


def progress_of(cycle: str) -> "Progress":
    """Read how a cycle stands; a reviewer of the cycle is told of no applicant by name."""
    seen = product().reports.progress(cycle)
    if not seen.blocked or seat_of(cycle) is None:
        return seen
    return replace(
        seen, blocked=tuple(("an applicant", kind, why) for _, kind, why in seen.blocked)
    )


def check_command(context: typer.Context, cycle: str) -> str:
    """Refuse a command that shows applicants whom a reviewer of the cycle may not see.

    Raises:
        ForbiddenError: If the person reviews there, and the command is in neither list above; or
            if an option names an applicant whom they may not see by name.
    """
    if not cycle or context.resilient_parsing:  # a shell completes what is typed; nothing is run
        return cycle
    _, _, command = context.command_path.partition(" ")
    if command in ABOUT_ONE:
        _check_one(context, cycle, str(context.params.get("applicant") or ""))
    elif command not in SHOWS_NOBODY and seat_of(cycle, _named_by(context)) is not None:
        raise ForbiddenError("closed_to_reviewer")
    return cycle


def check_applicant(context: typer.Context, applicant: str) -> str:
    """Refuse a command about an applicant whom a reviewer of the cycle may not see by name.

    Raises:
        ForbiddenError: If the person reviews there.
    """
    if context.resilient_parsing:
        return applicant
    _, _, command = context.command_path.partition(" ")
    if command in ABOUT_ONE:
        _check_one(context, str(context.params.get("cycle") or ""), applicant)
    return applicant


def _check_one(context: typer.Context, cycle: str, applicant: str) -> None:
    seat = seat_of(cycle, _named_by(context)) if applicant else None
    if seat is not None:
        for application in product().applicants.list(cycle):
            if application.external_id == applicant:
                seat.check(application.number, by_name=True)


def _named_by(context: typer.Context) -> str:
    # Options are read before arguments, wherever they were typed.
    return str(context.params.get("by") or "")


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Digest = Annotated[
    str,
    typer.Option(
        "--digest",
        metavar="DIGEST",
        help="Of what was shown before (--json has it); nothing else is done.",
    ),
]

By = Annotated[
    str,
    typer.Option(
        "--by",
        metavar="NAME",
        default_factory=login_name,
        show_default="$SWAPFLOW_USER or your login name",
        help="Who does this; it is kept in the record.",
    ),
]
Reason = Annotated[str, typer.Option(metavar="TEXT", help="Why; it is kept in the record.")]
Find = Annotated[
    str,
    typer.Option(
        metavar="WORDS",
        help="Only those with these words in name, id or mail address; accents do not count.",
    ),
]
CycleId = Annotated[
    str,
    typer.Argument(metavar="CYCLE", help="The program's short name.", callback=check_command),
]
ApplicationId = Annotated[
    str,
    typer.Argument(
        metavar="APPLICANT", help="The applicant's id, as imported.", callback=check_applicant
    ),
]
ApplicantOption = Annotated[str, typer.Option("--applicant", metavar="ID", help="The applicant.")]
ReviewerOption = Annotated[str, typer.Option("--reviewer", metavar="ID", help="The reviewer.")]
OpenedId = Annotated[
    str, typer.Argument(metavar="APPLICANT", help="The applicant's id, as imported.")
]
ReviewerId = Annotated[
    str, typer.Argument(metavar="REVIEWER", help="The reviewer's id, as imported.")
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="HEADER=ROLE",
        help="What a column contains when its header does not say; repeatable.",
    ),
]
Encoding = Annotated[
    str | None, typer.Option(metavar="NAME", help="Encoding of a text file, when you know it.")
]


FormOption = Annotated[
    Literal["csv", "xlsx", "json"], typer.Option("--format", help="Format of the lists.")
]
RawOption = Annotated[
    bool,
    typer.Option("--raw", help="For programs: without the guard against would-be formulas."),
]
SheetName = Annotated[
    str, typer.Option(metavar="NAME", help="The workbook's sheet, where it has several.")
]
ErrorFile = Annotated[
    Path | None,
    typer.Option(
        "--errors",
        metavar="FILE",
        help="Write the rows that keep the file out to a CSV file, reason and cure beside each.",
    ),
]


def product() -> "Swapflow":
    """Build this deployment; heavy parts are loaded here and not before.

    Raises:
        UnavailableError: If there is no database yet; reading one would make an empty file.
    """
    from swapflow.settings import load_settings

    address = load_settings().database
    file = Path(address.removeprefix("sqlite:///"))
    if address.startswith("sqlite:///") and not file.exists():
        raise UnavailableError("database_missing", file=file)
    from swapflow.bootstrap import swapflow

    return swapflow()


def office_of_deployment() -> "Office":
    """Build this deployment's office; as `product`."""
    product()
    from swapflow.bootstrap import office

    return office()


def column_roles(columns: list[str] | None) -> dict[str, str]:
    """Read --column HEADER=ROLE options.

    Raises:
        InvalidInputError: If one has no equals sign.
    """
    return dict(split_pair(column, "--column", "HEADER=ROLE") for column in columns or ())


def split_pair(text: str, option: str, form: str) -> tuple[str, str]:
    """Split NAME=VALUE at its last equals sign, for names may hold one.

    Raises:
        InvalidInputError: If there is none.
    """
    name, sign, value = text.rpartition("=")
    if not sign or not name.strip():
        raise InvalidInputError("option_unreadable", option=option, text=text, form=form)
    return name.strip(), value.strip()


@contextmanager
def kept_errors(file: Path | None, table: "Callable[[], Table]") -> "Iterator[None]":
    """Write the rows that keep a file out to another file, beside saying them.

    Args:
        file: Where to; None for nowhere.
        table: Reads the file whose rows they are.
    """
    try:
        yield
    except BadRowsError as error:
        if file is not None:
            from swapflow.files.exports.rejected_rows import refused_file
            from swapflow.files.exports.writers import write_file

            read = None
            with suppress(InvalidInputError):  # it may be no table at all
                read = table()
            write_file(file, refused_file(read, error.rows))
        raise
