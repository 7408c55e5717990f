"""`swapflow mail`: mails that come back, from a mail server's pipe, a file or the mailbox."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.help import CommandGroup
from swapflow.cli.options import AsJson, By, check_command, product
from swapflow.cli.output import Listing, many, report
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.domain.returned_mail import TakenIn


app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    help="Mails that come back: read them from a pipe, a file or a mailbox, and deal with them.",
)

OfProgram = Annotated[
    str,
    typer.Option(
        "--cycle",
        metavar="CYCLE",
        help="The program; the office's own mails without it.",
        callback=check_command,
    ),
]


@app.command("bounces")
def bounces(
    source: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A mail, an mbox or a Maildir; - for standard input."),
    ],
    as_json: AsJson = False,
) -> None:
    """Read mails that came back; a mail that is read twice counts once."""
    from swapflow.bootstrap import mails_in, take_returned_mail

    here = product().returned_mails
    counts = Counter(
        take_returned_mail(here, mail)
        for content in _contents(source)
        for mail in mails_in(content)
    )
    _tell(counts, as_json=as_json)


@app.command("fetch")
def fetch(as_json: AsJson = False) -> None:
    """Look once into the mailbox for mails that come back, as a coordinator does by itself."""
    from swapflow.bootstrap import read_returned_mails
    from swapflow.settings import load_settings

    _tell(read_returned_mails(product().returned_mails, load_settings()), as_json=as_json)


@app.command("list")
def list_returned(cycle: OfProgram = "", as_json: AsJson = False) -> None:
    """List the mails that came back and were not dealt with yet."""
    from swapflow.i18n.translation import translate

    service = product().returned_mails
    found = service.waiting(cycle or None)
    strays = 0 if cycle else service.strays().count
    report(
        {
            "mails": [
                {
                    "id": one.mail_id,
                    "to": one.to,
                    "subject": one.subject,
                    "kind": one.kind.value,
                    "said": one.said,
                    "at": one.at.isoformat(),
                }
                for one in found
            ],
            "strays": strays,
        },
        Listing(
            headers=("to", "came back", "why", "cure"),
            rows=tuple(
                (one.to, f"{one.at:%Y-%m-%d}", translate(one.kind.words), translate(one.kind.cure))
                for one in found
            ),
            empty="no mail that came back has to be dealt with",
        ),
        *([f"{many(strays, 'report')} that fit no mail of ours"] if strays else []),
        as_json=as_json,
    )


@app.command("settle")
def settle(
    by: By,
    addresses: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ADDRESS]...", help="Addresses to which mail may go again."),
    ] = None,
    cycle: OfProgram = "",
    strays: Annotated[
        bool, typer.Option("--strays", help="Forget the reports that fit no mail of ours.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Mark the mails that came back as dealt with; mail goes to these addresses again."""
    from swapflow.bootstrap import office

    if not addresses and not strays:
        raise InvalidInputError("settle_what")
    service = product().returned_mails
    count = service.settle(cycle or None, addresses) if addresses else 0
    dropped = service.drop_strays() if strays else 0
    office().audit_log.record(
        by,
        "dealt with mails that came back",
        cycle_id=cycle or None,
        detail=f"{count} mails, {dropped} strays",
    )
    report(
        {"settled": count, "strays": dropped},
        f"{many(count, 'mail')} dealt with" + (f", {many(dropped, 'report')} dropped" * strays),
        as_json=as_json,
    )


def _contents(source: str) -> Iterator[bytes]:
    """Yield what the files of a source hold.

    Raises:
        InvalidInputError: If one cannot be read, or is larger than a command takes.
    """
    from swapflow.untrusted.limits import MOST_MAILBOX_BYTES

    if source == "-":
        content = sys.stdin.buffer.read(MOST_MAILBOX_BYTES + 1)
        _refuse_large(source, len(content), MOST_MAILBOX_BYTES)
        yield content
        return
    path = Path(source)
    try:
        folders = [path / name for name in ("new", "cur") if (path / name).is_dir()]
        files = [file for folder in folders for file in sorted(folder.iterdir())]
        for file in files if folders else [path]:
            _refuse_large(file, file.stat().st_size, MOST_MAILBOX_BYTES)
            yield file.read_bytes()
    except OSError as error:
        raise InvalidInputError(
            "bounce_file_unreadable", file=source, problem=error.strerror or type(error).__name__
        ) from error


def _refuse_large(name: str | Path, size: int, most: int) -> None:
    if size > most:
        raise InvalidInputError("bounce_file_large", file=str(name), size=size, most=most)


def _tell(counts: "Counter[TakenIn]", *, as_json: bool) -> None:
    from swapflow.domain.returned_mail import TakenIn

    told = {one.value.replace(" ", "_"): counts[one] for one in TakenIn}
    new, known = many(counts[TakenIn.NEW], "mail"), counts[TakenIn.KNOWN]
    report(
        told,
        (
            f"{new} came back, {known} already known, {counts[TakenIn.STRAY]} fit no mail of "
            f"ours, {counts[TakenIn.PASSED_OVER]} only delays or automatic replies"
        ),
        as_json=as_json,
    )
