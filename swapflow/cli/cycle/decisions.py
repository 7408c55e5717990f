"""Commands about the decision: pin, finalize, reopen, explain, export, verify."""

from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli import cycle_output
from swapflow.cli.help import CommandGroup
from swapflow.cli.options import (
    ApplicationId,
    AsJson,
    By,
    CycleId,
    Digest,
    FormOption,
    Must,
    OutFolder,
    RawOption,
    product,
)
from swapflow.cli.output import many, report, warn
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.domain.cohort.proposal import Waiver
    from swapflow.engine.cohort.finalize import Override
    from swapflow.engine.services import Swapflow


CHECK_FAILED = 1
"""Exit code of `cycle verify` when the record does not agree with itself."""

app = typer.Typer(cls=CommandGroup)
"""The commands; `swapflow cycle` takes them in."""


class Where(StrEnum):
    """Where an applicant is put."""

    IN = "in"
    OUT = "out"
    FREE = "free"


@app.command("put", hidden=True, deprecated=True)
@app.command("pin")
def pin(
    cycle: CycleId,
    applicant: ApplicationId,
    where: Annotated[
        Where, typer.Argument(help="In every list, out of it, or as the rule says again.")
    ],
    by: By,
    reason: Must,
    as_json: AsJson = False,
) -> None:
    """Put an applicant in or out whatever the scores say; others compete for the rest."""
    from swapflow.engine.lifecycle.pins import PinSide

    product().cohort.pin(cycle, applicant, PinSide[where.name], by=by, reason=reason)
    said = "is left to the rule again" if where is Where.FREE else f"is {where.value} from now on"
    report(
        {"cycle": cycle, "applicant": applicant, "pinned": where.value, "by": by},
        f"{applicant} {said}",
        as_json=as_json,
    )


@app.command("finalize")
def finalize(
    cycle: CycleId,
    by: By,
    signed_by: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Who else signs; repeatable.")
    ] = None,
    waive: Annotated[
        str | None,
        typer.Option(metavar="REASON", help="Accept that some lack a review they should have."),
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Put in although not proposed; repeatable."),
    ] = None,
    leave_out: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="To the waitlist although proposed; repeatable."),
    ] = None,
    reason: Annotated[
        str, typer.Option(metavar="TEXT", help="With --select and --leave-out: why.")
    ] = "",
    digest: Digest = "",
    check: Annotated[
        bool, typer.Option("--check", help="Only show the list and its digest; fixes nothing.")
    ] = False,
    out: OutFolder = None,
    as_json: AsJson = False,
) -> None:
    """Fix the cohort: what people decide, beside what was proposed."""
    swapflow = product()
    if check:
        _show_proposal(swapflow, cycle, as_json=as_json)
        return
    folder = out or Path(f"{cycle}-cohort")
    _check_folder(folder)
    for line in cycle_output.conflicting_lines(swapflow.reviewers.conflicting_scores(cycle)):
        warn(line)
    proposal = swapflow.cohort.finalize(
        cycle,
        by=by,
        signed_by=signed_by or (),
        overrides=_overrides(select or (), leave_out or (), reason),
        waiver=_waiver(waive, by),
        shown=digest,
    )
    files = _write_files(swapflow, cycle, folder)
    outcomes = swapflow.cohort.outcomes(cycle, swapflow.cycles.get(cycle).cohort_version)
    report(
        {
            **cycle_output.proposal_json(proposal, outcomes),
            "by": by,
            "signed_by": list(dict.fromkeys((by, *(signed_by or ())))),
            "digest": proposal.seal.digest,
            "files": [str(file) for file in files],
        },
        *cycle_output.proposal_plain(proposal, outcomes),
        f"files: {folder} ({', '.join(file.name for file in files)})",
        as_json=as_json,
    )


def _show_proposal(swapflow: "Swapflow", cycle: str, *, as_json: bool) -> None:
    """Print the list that would be fixed now."""
    proposal = swapflow.cohort.propose(cycle)
    report(
        {**cycle_output.proposal_json(proposal, ()), "digest": proposal.seal.digest},
        *(
            f"{place.rank:4}  {place.external_id}  {place.standing.value}"
            for place in proposal.places
        ),
        f"digest: {proposal.seal.digest}",
        as_json=as_json,
    )


@app.command("reopen")
def reopen(
    cycle: CycleId,
    by: Annotated[
        list[str], typer.Option("--by", metavar="NAME", help="Give it twice: two people decide.")
    ],
    reason: Must,
    digest: Digest = "",
    as_json: AsJson = False,
) -> None:
    """Start another version of a final list; the old one stays on record."""
    swapflow = product()
    fixed = cycle_output.final_digest(swapflow, cycle)
    version = swapflow.cohort.reopen(cycle, names=by, reason=reason, shown=digest or fixed)
    report(
        {"cycle": cycle, "next_version": version, "by": by, "digest": digest or fixed},
        f"{cycle} is open again; the next finalize stores version {version}",
        as_json=as_json,
    )


@app.command("explain")
def explain(
    cycle: CycleId,
    applicant: ApplicationId,
    as_json: AsJson = False,
) -> None:
    """Explain why an applicant was asked about, and the applicant's rank. For staff."""
    found = product().reports.explain(cycle, applicant)
    report(
        cycle_output.explanation_json(found),
        *cycle_output.explanation_plain(found),
        as_json=as_json,
    )


@app.command("export")
def export(
    cycle: CycleId,
    out: OutFolder = None,
    form: FormOption = "csv",
    raw: RawOption = False,
    as_json: AsJson = False,
) -> None:
    """Write lists, evidence, scores and the record to a folder."""
    swapflow = product()
    folder = out or Path(f"{cycle}-export")
    _check_folder(folder)
    files = [
        *_write_files(swapflow, cycle, folder, form, raw=raw),
        *_write_record(swapflow, cycle, folder, form, raw=raw),
    ]
    report(
        {"cycle": cycle, "files": [str(file) for file in files]},
        *(f"{file}" for file in files),
        as_json=as_json,
    )


@app.command("verify")
def verify(
    cycle: CycleId,
    record_only: Annotated[
        bool, typer.Option("--record-only", help="Leave Redis out of it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Replay the program from its record and compare; exit code 1 if anything differs."""
    found = product().reports.verify(cycle, live=not record_only)
    report(
        {
            "cycle": cycle,
            "passed": found.passed,
            "events": found.events,
            "decisions": found.decisions,
            "findings": [{"what": f.what, "fatal": f.fatal} for f in found.findings],
            "uncovered": list(found.uncovered),
            "erased": found.erased,
        },
        *(
            f"{'DIFFERS' if f.fatal else 'note'}: {cycle_output.plain(f.what)}"
            for f in found.findings
        ),
        *cycle_output.not_compared(found.uncovered, found.erased),
        f"{many(found.events, 'event')} and {many(found.decisions, 'decision')} replayed: "
        + ("all agree with the record" if found.passed else "they do NOT agree with the record"),
        as_json=as_json,
    )
    if not found.passed:
        raise typer.Exit(CHECK_FAILED)


def _overrides(
    select: Sequence[str], leave_out: Sequence[str], reason: str
) -> "tuple[Override, ...]":
    from swapflow.domain.cohort.proposal import Verdict
    from swapflow.engine.cohort.finalize import Override

    both = sorted(set(select) & set(leave_out))
    if both:
        raise InvalidInputError("put_in_and_left_out", applicant=both[0])
    wanted = [(name, Verdict.SELECTED) for name in select]
    wanted += [(name, Verdict.WAITLISTED) for name in leave_out]
    return tuple(
        Override(external_id=name, verdict=verdict, reason=reason) for name, verdict in wanted
    )


def _waiver(waive: str | None, by: str) -> "Waiver | None":
    from swapflow.domain.cohort.proposal import Waiver

    if waive is None:
        return None
    if not waive.strip():
        raise InvalidInputError("waiver_reason_missing_option")
    return Waiver(by=by, reason=waive)


def _check_folder(folder: Path) -> None:
    """Refuse a folder that cannot be written, before anything is decided."""
    made = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise InvalidInputError(
            "output_folder_unwritable", folder=folder, problem=error.strerror
        ) from error
    if made:
        with suppress(OSError):
            folder.rmdir()


def _write_files(
    swapflow: "Swapflow", cycle: str, folder: Path, form: str = "csv", *, raw: bool = False
) -> tuple[Path, ...]:
    """Write the lists of the latest fixed cohort, or of what is proposed now."""
    from swapflow.domain.cohort.proposal import Proposal
    from swapflow.files.exports.sheets import write_cohort_folder
    from swapflow.files.exports.writers import Format

    version = swapflow.cycles.get(cycle).cohort_version
    stored = {
        number: (places, sheet) for number, places, sheet in swapflow.cohort.proposals(cycle)
    }
    if version not in stored:
        return write_cohort_folder(
            folder, swapflow.cohort.propose(cycle), form=Format(form), raw=raw
        )
    places, sheet = stored[version]
    proposal = Proposal(cycle_id=cycle, version=version, places=places, sheet=sheet)
    outcomes = swapflow.cohort.outcomes(cycle, version)
    return write_cohort_folder(
        folder,
        proposal,
        outcomes,
        swapflow.applicants.list(cycle),
        signed_by=[by for by, _ in swapflow.cohort.signatures(cycle, version)],
        form=Format(form),
        raw=raw,
    )


def _write_record(
    swapflow: "Swapflow", cycle: str, folder: Path, form: str, *, raw: bool
) -> list[Path]:
    """Write the reviews, every revision of them, the rules in force and every event."""
    from swapflow.files.exports.sheets import event_lines
    from swapflow.files.exports.writers import write_sheet
    from swapflow.files.rules.rules_file import write_rules

    names = (f"scores.{form}", f"score-history.{form}", "rules.toml", "events.jsonl")
    scores, history, rules, events = (folder / name for name in names)
    now, revisions = cycle_output.score_sheets(swapflow, cycle)
    write_sheet(scores, now, raw=raw)
    write_sheet(history, revisions, raw=raw)
    write_rules(rules, swapflow.cycles.rules(cycle))
    try:
        with events.open("w", encoding="utf-8") as file:
            file.writelines(event_lines(swapflow.reports.events(cycle)))
    except OSError as error:
        raise InvalidInputError(
            "output_unwritable", file=events, problem=error.strerror
        ) from error
    return [scores, history, rules, events]
