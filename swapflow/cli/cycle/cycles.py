"""`swapflow cycle`: one decision, from its rules to its list."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from swapflow.cli import cycle_output
from swapflow.cli.cohort import reconsiderations
from swapflow.cli.options import AsJson, By, CycleId, FormOption, RawOption, Reason, product
from swapflow.cli.output import Listing, many, report, say, to_text
from swapflow.errors import InvalidInputError, SwapflowError


if TYPE_CHECKING:
    from swapflow.domain.cohort.proposal import Waiver
    from swapflow.domain.rules import Rules
    from swapflow.engine.cohort.finalize import Override
    from swapflow.engine.read_models.progress import Progress
    from swapflow.engine.services import Swapflow


CHECK_FAILED = 1
"""Exit code of `cycle verify` when the record does not agree with itself."""

OVER = frozenset({"ended", "finalized"})

app = typer.Typer(no_args_is_help=True, help="Cycles: one decision each, from rules to list.")
app.add_typer(reconsiderations.app, name="reconsider")

Must = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; on record.")]
OutFolder = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Folder for the files.")
]


@app.command("new")
def new(
    cycle: CycleId,
    round_id: Annotated[str, typer.Option("--round", metavar="ROUND", help="Its round.")],
    by: By,
    template: Annotated[
        Literal["admissions", "hiring", "fellowship"] | None,
        typer.Option(help="Write a commented rules file to start from."),
    ] = None,
    rules: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A rules file that you have.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --template: where it goes; else CYCLE.toml."),
    ] = None,
    name: Annotated[str, typer.Option(metavar="TEXT", help="The program's name in full.")] = "",
    as_json: AsJson = False,
) -> None:
    """Make a cycle from a rules file."""
    if (template is None) == (rules is None):
        raise InvalidInputError(
            "give --template admissions|hiring|fellowship, or --rules FILE (not both)"
        )
    swapflow = product()
    file = rules or out or Path(f"{cycle}.toml")
    written = template is not None and _write_template(file, template)
    try:
        read = _read_rules(file)
        swapflow.new_cycle(cycle, round_id=round_id, rules=read, by=by, name=name)
    except SwapflowError:
        if written:  # a command that fails leaves nothing behind
            file.unlink(missing_ok=True)
        raise
    found = "written" if written else "taken as it stands"
    report(
        {"cycle": cycle, "round": round_id, "rules": str(file), "written": written, "by": by},
        f"cycle {cycle} is made; its rules: {file} ({found})",
        f"change them: edit the file, then swapflow cycle rules {cycle} --set {file} --reason …",
        f"next: swapflow applications import {cycle} applicants.csv",
        f"      swapflow reviewers import {cycle} reviewers.csv",
        f"      swapflow cycle launch {cycle}",
        as_json=as_json,
    )


@app.command("list")
def list_cycles(as_json: AsJson = False) -> None:
    """List the cycles."""
    cycles = product().cycles()
    report(
        {
            "cycles": [
                {
                    "cycle": c.id,
                    "name": c.name,
                    "round": c.round_id,
                    "status": c.status.value,
                    "stop_reason": c.stop_reason,
                    "spent": c.spent,
                    "committed": c.committed,
                    "rules_version": c.rules_version,
                    "cohort_version": c.cohort_version,
                    "created_at": c.created_at.isoformat(),
                }
                for c in cycles
            ]
        },
        Listing(
            headers=("cycle", "name", "round", "status", "spent", "set aside"),
            rows=tuple(
                (c.id, c.name, c.round_id, c.status.value, c.spent, c.committed) for c in cycles
            ),
            empty="there is no cycle yet: swapflow cycle new CYCLE --round ROUND --template …",
        ),
        as_json=as_json,
    )


@app.command("launch")
def launch(cycle: CycleId, by: By, as_json: AsJson = False) -> None:
    """Start a cycle; the first reviews go out."""
    product().launch(cycle, by=by)
    report(
        {"cycle": cycle, "status": "running", "by": by},
        f"cycle {cycle} runs; the first requests go out at the next turn",
        f"watch it: swapflow cycle watch {cycle}",
        as_json=as_json,
    )


@app.command("status")
def status(cycle: CycleId, as_json: AsJson = False) -> None:
    """Say how a cycle stands."""
    seen = product().progress(cycle)
    report(cycle_output.progress_json(seen), *cycle_output.progress_plain(seen), as_json=as_json)


@app.command("watch")
def watch(
    cycle: CycleId,
    every: Annotated[float, typer.Option(min=0.2, help="Seconds between two looks.")] = 2.0,
    looks: Annotated[
        int, typer.Option(min=0, help="Leave after so many looks; 0: when the cycle is over.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Show how a cycle stands, again and again, until it is over or Ctrl-C."""
    swapflow = product()
    if sys.stdout.isatty() and not as_json:
        _watch_live(swapflow, cycle, every=every, looks=looks)
        return
    for seen in _looks(swapflow, cycle, every=every, looks=looks):
        if not say(
            to_text(cycle_output.progress_json(seen))
            if as_json
            else cycle_output.progress_line(seen)
        ):
            return


@app.command("pause")
def pause(cycle: CycleId, by: By, reason: Reason = "", as_json: AsJson = False) -> None:
    """Send nothing for a while; scores are still taken, and due times wait."""
    product().pause(cycle, by=by, reason=reason)
    report({"cycle": cycle, "status": "paused", "by": by}, f"{cycle} is paused", as_json=as_json)


@app.command("resume")
def resume(cycle: CycleId, by: By, reason: Reason = "", as_json: AsJson = False) -> None:
    """Go on after a pause, or although the rules propose to stop."""
    product().resume(cycle, by=by, reason=reason)
    report({"cycle": cycle, "status": "running", "by": by}, f"{cycle} goes on", as_json=as_json)


@app.command("stop")
def stop(cycle: CycleId, by: By, reason: Reason = "", as_json: AsJson = False) -> None:
    """End the asking; what a reviewer has opened may still come in."""
    cancelled = product().stop(cycle, by=by, reason=reason)
    report(
        {"cycle": cycle, "status": "ended", "requests_cancelled": cancelled, "by": by},
        f"{cycle} asks for nothing more; {many(cancelled, 'unopened request')} cancelled",
        f"next: swapflow cycle finalize {cycle}",
        as_json=as_json,
    )


@app.command("budget")
def budget(
    cycle: CycleId,
    amount: Annotated[int, typer.Argument(min=1, metavar="AMOUNT", help="In the round's unit.")],
    by: By,
    reason: Must,
    as_json: AsJson = False,
) -> None:
    """Change the budget: a new version of the rules."""
    from dataclasses import replace

    from swapflow.files.rules.rules_file import check_rules

    swapflow = product()
    old = swapflow.rules(cycle)
    wanted = replace(old, budget=amount)
    check_rules(wanted, source=f"a budget of {amount}")
    changed = swapflow.change_rules(cycle, wanted, by=by, reason=reason)
    report(
        {"cycle": cycle, "budget": amount, "before": old.budget, "rules_version": changed.version},
        f"budget: {old.budget} before, {amount} now (rules version {changed.version})",
        as_json=as_json,
    )


@app.command("rules")
def rules(
    cycle: CycleId,
    by: By,
    set_file: Annotated[
        Path | None,
        typer.Option("--set", metavar="FILE", help="Put this rules file in force."),
    ] = None,
    reason: Annotated[
        str, typer.Option(metavar="TEXT", help="With --set: why; it stands in the record.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Show the rules in force, or put others in force."""
    from swapflow.files.rules.rules_file import rules_text

    swapflow = product()
    if set_file is not None:
        if not reason.strip():
            raise InvalidInputError("why are the rules changed? --reason TEXT")
        read = _read_rules(set_file)
        changed = swapflow.change_rules(cycle, read, by=by, reason=reason)
        said = f"rules version {changed.version} is in force"
        report({"cycle": cycle, "rules_version": changed.version}, said, as_json=as_json)
        return
    text = rules_text(swapflow.rules(cycle))
    version = swapflow.cycle(cycle).rules_version
    report({"cycle": cycle, "rules_version": version, "toml": text}, text, as_json=as_json)


class Where(StrEnum):
    """Where somebody is put."""

    IN = "in"
    OUT = "out"
    FREE = "free"


@app.command("put")
def put(
    cycle: CycleId,
    applicant: Annotated[str, typer.Argument(metavar="APPLICANT", help="The applicant's id.")],
    where: Annotated[
        Where, typer.Argument(help="In every list, out of it, or as the rule says again.")
    ],
    by: By,
    reason: Must,
    as_json: AsJson = False,
) -> None:
    """Put an applicant in or out whatever the scores say; others compete for the rest."""
    from swapflow.engine.lifecycle.pins import Pin

    product().put(cycle, applicant, Pin[where.name], by=by, reason=reason)
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
    out: OutFolder = None,
    as_json: AsJson = False,
) -> None:
    """Fix the cohort: what people decide, beside what was proposed."""
    swapflow = product()
    folder = out or Path(f"{cycle}-cohort")
    _check_folder(folder)
    proposal = swapflow.finalize(
        cycle,
        by=by,
        signed_by=signed_by or (),
        overrides=_overrides(select or (), leave_out or (), reason),
        waiver=_waiver(waive, by),
    )
    files = _write_files(swapflow, cycle, folder)
    outcomes = swapflow.outcomes(cycle, swapflow.cycle(cycle).cohort_version)
    report(
        {
            **cycle_output.proposal_json(proposal, outcomes),
            "by": by,
            "signed_by": list(dict.fromkeys((by, *(signed_by or ())))),
            "files": [str(file) for file in files],
        },
        *cycle_output.proposal_plain(proposal, outcomes),
        f"files: {folder} ({', '.join(file.name for file in files)})",
        as_json=as_json,
    )


@app.command("reopen")
def reopen(
    cycle: CycleId,
    by: Annotated[
        list[str], typer.Option("--by", metavar="NAME", help="Give it twice: two people decide.")
    ],
    reason: Must,
    as_json: AsJson = False,
) -> None:
    """Start another version of a fixed cohort; the old one stays on record."""
    version = product().reopen(cycle, names=by, reason=reason)
    report(
        {"cycle": cycle, "next_version": version, "by": by},
        f"{cycle} is open again; the next finalize stores version {version}",
        as_json=as_json,
    )


@app.command("explain")
def explain(
    cycle: CycleId,
    applicant: Annotated[str, typer.Argument(metavar="APPLICANT", help="The applicant's id.")],
    as_json: AsJson = False,
) -> None:
    """Say why an applicant was asked about, and where the applicant stands. For staff."""
    found = product().explain(cycle, applicant)
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
    """Replay the cycle from its record and compare; exit code 1 if anything differs."""
    found = product().verify(cycle, live=not record_only)
    report(
        {
            "cycle": cycle,
            "passed": found.passed,
            "events": found.events,
            "decisions": found.decisions,
            "findings": [{"what": f.what, "fatal": f.fatal} for f in found.findings],
        },
        *(
            f"{'DIFFERS' if f.fatal else 'note'}: {cycle_output.plain(f.what)}"
            for f in found.findings
        ),
        f"{many(found.events, 'event')} and {many(found.decisions, 'decision')} replayed: "
        + ("all agree with the record" if found.passed else "they do NOT agree with the record"),
        as_json=as_json,
    )
    if not found.passed:
        raise typer.Exit(CHECK_FAILED)


def _write_template(file: Path, template: str) -> bool:
    """Write a rules file where there is none; says whether it did."""
    from swapflow.files.rules.rules_file import template as template_text

    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(template_text(template))
    except FileExistsError:
        return False
    except OSError as error:
        raise InvalidInputError(
            f"{file}: cannot be written ({error.strerror}); choose another place with --out"
        ) from error
    return True


def _read_rules(file: Path) -> "Rules":
    from swapflow.files.rules.rules_file import read_rules

    return read_rules(file)


def _overrides(
    select: Sequence[str], leave_out: Sequence[str], reason: str
) -> "tuple[Override, ...]":
    from swapflow.domain.cohort.proposal import Verdict
    from swapflow.engine.cohort.finalize import Override

    both = sorted(set(select) & set(leave_out))
    if both:
        raise InvalidInputError(f"{both[0]!r} cannot be put in and left out at once")
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
        raise InvalidInputError("a waiver needs a reason: --waive REASON")
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
            f"{folder}: cannot be written ({error.strerror}); choose another with --out"
        ) from error
    if made:
        with suppress(OSError):
            folder.rmdir()


def _write_files(
    swapflow: "Swapflow", cycle: str, folder: Path, form: str = "csv", *, raw: bool = False
) -> tuple[Path, ...]:
    """Write the lists of the latest fixed cohort, or of what is proposed now."""
    from swapflow.domain.cohort.proposal import Proposal
    from swapflow.files.exports.sheets import Format, write_cohort_folder

    version = swapflow.cycle(cycle).cohort_version
    stored = {number: (places, sheet) for number, places, sheet in swapflow.proposals(cycle)}
    if version not in stored:
        return write_cohort_folder(folder, swapflow.propose(cycle), form=Format(form), raw=raw)
    places, sheet = stored[version]
    proposal = Proposal(cycle_id=cycle, version=version, places=places, sheet=sheet)
    outcomes = swapflow.outcomes(cycle, version)
    return write_cohort_folder(
        folder, proposal, outcomes, swapflow.applications(cycle), form=Format(form), raw=raw
    )


def _write_record(
    swapflow: "Swapflow", cycle: str, folder: Path, form: str, *, raw: bool
) -> list[Path]:
    """Write scores with their remarks, the rules in force and every event."""
    from swapflow.files.exports.sheets import event_lines, write_sheet
    from swapflow.files.rules.rules_file import write_rules

    names = (f"scores.{form}", "rules.toml", "events.jsonl")
    scores, rules, events = (folder / name for name in names)
    write_sheet(scores, cycle_output.scores_sheet(swapflow, cycle), raw=raw)
    write_rules(rules, swapflow.rules(cycle))
    try:
        with events.open("w", encoding="utf-8") as file:
            file.writelines(event_lines(swapflow.events(cycle)))
    except OSError as error:
        raise InvalidInputError(f"{events}: cannot be written ({error.strerror})") from error
    return [scores, rules, events]


def _looks(swapflow: "Swapflow", cycle: str, *, every: float, looks: int) -> Iterator["Progress"]:
    number = 0
    while True:
        seen = swapflow.progress(cycle)
        yield seen
        number += 1
        if seen.status in OVER or number == looks:
            return
        time.sleep(every)


def _watch_live(swapflow: "Swapflow", cycle: str, *, every: float, looks: int) -> None:
    from rich.live import Live
    from rich.text import Text

    with Live(auto_refresh=False, transient=False) as live:
        for seen in _looks(swapflow, cycle, every=every, looks=looks):
            lines = [part for part in cycle_output.progress_plain(seen) if isinstance(part, str)]
            live.update(Text("\n".join([*lines, *cycle_output.kind_lines(seen)])), refresh=True)
