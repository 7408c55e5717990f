"""`swapflow cycle bundle` and `swapflow verify`: a finished cycle as one file, and its check."""

import string
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.cycle_output import not_compared, plain
from swapflow.cli.options import AsJson, CycleId, product
from swapflow.cli.output import many, report
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.files.bundles.check import Checked


CHECK_FAILED = 1
KEY_DIGITS = 64


def register(app: typer.Typer, *, cycles: typer.Typer) -> None:
    """Add one command to the top level and one to `swapflow cycle`."""
    cycles.command("bundle")(bundle)
    app.command("verify")(verify)


def bundle(
    cycle: CycleId,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The file; CYCLE.bundle when not given."),
    ] = None,
    names: Annotated[
        bool, typer.Option("--names", help="Say who the numbers are: names and ids go in.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write the record of a finished program as one signed file that others can check."""
    from swapflow.files.bundles.bundle import Names
    from swapflow.files.bundles.bundle import bundle as make
    from swapflow.files.bundles.signing_keys import signer_from
    from swapflow.files.exports.writers import write_file
    from swapflow.settings import load_settings

    swapflow = product()
    closed = swapflow.reports.finished(cycle)
    signer = signer_from(load_settings().bundle_key_file)
    people = (
        Names(
            applications=swapflow.applicants.list(cycle), reviewers=swapflow.reviewers.list(cycle)
        )
        if names
        else None
    )
    archive = make(closed, signer, names=people)
    file = write_file(out or Path(f"{cycle}.bundle"), archive)
    report(
        {
            "cycle": cycle,
            "file": str(file),
            "bytes": len(archive),
            "key": signer.public,
            "names": names,
        },
        f"{file}: {many(len(closed.events), 'event')}, "
        f"{many(len(closed.decisions), 'decision')}, {many(len(closed.lists), 'list')}, "
        f"{len(archive) / 1e6:.1f} MB",
        f"signed by the key {signer.public}",
        "names and ids are in it: keep it as you keep the applicants' files"
        if names
        else "people are numbers in it; --names says who they are",
        as_json=as_json,
    )


def verify(
    file: Annotated[
        Path, typer.Argument(metavar="BUNDLE", help="A file that `swapflow cycle bundle` wrote.")
    ],
    key: Annotated[
        str,
        typer.Option(
            "--key", metavar="DIGITS", help="The key that must have signed it; any if not given."
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Check a bundle and make every decision in it again; needs no database and no network."""
    from swapflow.files.bundles.check import check_bundle

    # A key cut short when it was pasted must not look like a forged bundle.
    if key and (len(key) != KEY_DIGITS or not set(key) <= set(string.hexdigits)):
        raise InvalidInputError("bundle_key_malformed", key=key, digits=KEY_DIGITS)
    try:
        archive = file.read_bytes()
    except OSError as error:
        raise InvalidInputError("file_unreadable", file=file, problem=error.strerror) from error
    found = check_bundle(archive, key=key)
    report(_json(file, found), *_plain(file, found, asked=bool(key)), as_json=as_json)
    if not found.passed:
        raise typer.Exit(CHECK_FAILED)


def _json(file: Path, found: "Checked") -> dict[str, object]:
    closed, again = found.closed, found.replayed
    last = closed.lists[-1] if closed and closed.lists else None
    return {
        "file": str(file),
        "passed": found.passed,
        "key": found.key,
        "problems": [{"place": p.place, "what": p.what} for p in found.problems],
        "cycle": closed.cycle_id if closed else None,
        "events": again.events if again else 0,
        "decisions": again.decisions if again else 0,
        "lists": len(closed.lists) if closed else 0,
        "proposed": last.proposed if last else [],
        "findings": [
            {"what": f.what, "fatal": f.fatal} for f in (again.findings if again else ())
        ],
        "uncovered": list(again.uncovered) if again else [],
    }


def _plain(file: Path, found: "Checked", *, asked: bool) -> list[str]:
    lines = [f"CHANGED: {problem.place}: {problem.what}" for problem in found.problems]
    if found.closed is None or found.replayed is None:
        return [*lines, f"{file} is NOT as it was signed; nothing of it was replayed"]
    again = found.replayed
    lines += [f"{'DIFFERS' if f.fatal else 'note'}: {plain(f.what)}" for f in again.findings]
    lines += not_compared(again.uncovered, again.erased)
    lines.append(f"{found.closed.cycle_id}: every byte is as it was signed by {found.key}")
    if not asked:
        lines.append("compare that with the key that the office publishes, or give it by --key")
    done = (
        f"{many(again.events, 'event')}, {many(again.decisions, 'decision')} and "
        f"{many(len(found.closed.lists), 'list')} replayed: "
    )
    agree = "all agree" if again.passed else "they do NOT agree with what the file says"
    return [*lines, done + agree]
