"""Options that many commands share, and the names they fall back on."""

import getpass
import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from swapflow.errors import BadRowsError, InvalidInputError, UnavailableError


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from swapflow.engine.services import Swapflow
    from swapflow.files.tables.table import Table


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
        help="Who does this; it stands in the record.",
    ),
]
Reason = Annotated[str, typer.Option(metavar="TEXT", help="Why; it stands in the record.")]
Find = Annotated[
    str,
    typer.Option(
        metavar="WORDS",
        help="Only those in whose name, id or mail address the words occur; accents do not count.",
    ),
]
CycleId = Annotated[str, typer.Argument(metavar="CYCLE", help="The cycle's short name.")]
ApplicationId = Annotated[
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
        help="What a column holds when its header does not say; repeatable.",
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
