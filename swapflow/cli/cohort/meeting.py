"""`swapflow meeting`: a committee's meeting about the proposed list, at a terminal."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from swapflow.cli.help import CommandGroup
from swapflow.cli.options import (
    ApplicationId,
    AsJson,
    By,
    CycleId,
    Reason,
    ReviewerId,
    own_seat,
    product,
)
from swapflow.cli.output import Listing, many, report
from swapflow.errors import InvalidInputError, NotFoundError


if TYPE_CHECKING:
    from swapflow.engine.cohort.meeting import Agenda
    from swapflow.engine.services import Swapflow

app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    help="A committee's meeting: who is in, out or on the waitlist, and why.",
)

FORMATS = (".html", ".pdf", ".json")


@app.command("show")
def show(
    cycle: CycleId,
    everybody: Annotated[
        bool, typer.Option("--all", help="All on the list, not only those of the meeting.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the places filled, and those too close to call or recorded, in the proposed order."""
    from swapflow.files.exports.minutes import minutes_content

    agenda = product().meetings.agenda(cycle)
    rows = []
    for place in agenda.places:
        said = agenda.words.get(place.application)
        if everybody or place.too_close or said is not None:
            proposed = "in" if place.standing.value == "cohort" else "waitlist"
            close = "too close to call" if place.too_close else ""
            outcome = said.word.value if said else ""
            reason = said.reason if said else ""
            rows.append((place.rank, place.external_id, proposed, close, outcome, reason))
    report(
        minutes_content(agenda),
        Listing(
            headers=("rank", "applicant", "proposed", "", "outcome", "reason"),
            rows=tuple(rows),
            empty="no applicant is too close to call, and nothing was recorded",
        ),
        f"{len(agenda.chosen)} of {many(agenda.size, 'place')} filled so far",
        *(f"{words}: {'kept' if kept else 'NOT KEPT'}" for words, kept in agenda.limits),
        *(() if agenda.drawn is None else (f"drawn check of those out: {agenda.drawn.sentence}",)),
        _stands(agenda),
        as_json=as_json,
    )


@app.command("open")
def open_meeting(cycle: CycleId, by: By, as_json: AsJson = False) -> None:
    """Open the meeting; from now on the decision follows it."""
    opened = product().meetings.open(cycle, by=by)
    if opened:
        _write_down(by, "opened the meeting", cycle)
    report(
        {"cycle": cycle, "opened": opened, "by": by},
        "the meeting is open; record outcomes, close it, then sign"
        if opened
        else "the meeting was opened before",
        as_json=as_json,
    )


@app.command("record")
def record(
    cycle: CycleId,
    applicant: ApplicationId,
    outcome: Annotated[
        Literal["in", "out", "waitlist", "discuss"],
        typer.Argument(help="What the meeting says."),
    ],
    by: By,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Record what the meeting says about an applicant; a change to the list needs a reason."""
    from swapflow.domain.cohort.meeting import Word

    swapflow = product()
    swapflow.meetings.record(
        cycle,
        _number(swapflow, cycle, applicant),
        Word(outcome),
        reason=reason,
        by=by,
        seat=own_seat(cycle, by, left=True),
    )
    _write_down(by, f"recorded {outcome!r} at the meeting", cycle, about=applicant)
    report(
        {"cycle": cycle, "applicant": applicant, "outcome": outcome, "by": by},
        f"{applicant}: {outcome}",
        _stands(swapflow.meetings.agenda(cycle)),
        as_json=as_json,
    )


@app.command("endorse")
def endorse(
    cycle: CycleId,
    applicant: ApplicationId,
    words: Annotated[str, typer.Argument(metavar="WORDS", help="What speaks for them.")],
    by: By,
    as_json: AsJson = False,
) -> None:
    """Keep words in favour of an applicant; they change no estimate."""
    swapflow = product()
    swapflow.meetings.endorse(
        cycle,
        _number(swapflow, cycle, applicant),
        words,
        by=by,
        seat=own_seat(cycle, by, left=True),
    )
    _write_down(by, "wrote words in favour", cycle, about=applicant)
    report(
        {"cycle": cycle, "applicant": applicant, "by": by},
        f"kept words in favour of {applicant}",
        as_json=as_json,
    )


@app.command("conflict")
def conflict(
    cycle: CycleId,
    applicant: ApplicationId,
    reviewer: ReviewerId,
    by: By,
    as_json: AsJson = False,
) -> None:
    """Declare that a member, by their entry as a reviewer, is in conflict with an applicant."""
    product().reviewers.add_conflicts(cycle, [(applicant, reviewer)], source=f"meeting: {by}")
    _write_down(by, "declared a conflict at the meeting", cycle, about=f"{applicant}, {reviewer}")
    report(
        {"cycle": cycle, "applicant": applicant, "reviewer": reviewer, "by": by},
        f"{reviewer} is in conflict with {applicant}: they leave, and record nothing about them",
        as_json=as_json,
    )


@app.command("minutes")
def minutes(
    cycle: CycleId,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="A file that ends in .html, .pdf or .json; CYCLE-minutes.html when not given.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write what was projected and what was recorded, by whom."""
    from swapflow.bootstrap import office
    from swapflow.files.exports.document import html, pdf
    from swapflow.files.exports.minutes import minutes_document, minutes_json
    from swapflow.files.exports.writers import write_file
    from swapflow.identity.committee_members import members_in_conflict
    from swapflow.settings import load_settings

    file = out or Path(f"{cycle}-minutes.html")
    if file.suffix.lower() not in FORMATS:
        raise InvalidInputError("file_name_ending", file=file, formats=FORMATS)
    swapflow = product()
    agenda = swapflow.meetings.agenda(cycle)
    document = minutes_document(
        agenda,
        members=members_in_conflict(
            agenda.conflicts,
            reviewers=swapflow.reviewers.list(cycle),
            users=office().users.list,
            cycle=agenda.cycle,
        ),
        zone=swapflow.cycles.rules(cycle).zone,
        at=swapflow.cycles.now(),
    )
    match file.suffix.lower():
        case ".json":
            content = minutes_json(agenda)
        case ".html":
            content = html(document)
        case _:
            content = pdf(document, fonts=load_settings().font_folders)
    write_file(file, content)
    report(
        {"cycle": cycle, "file": str(file)},
        f"{file}: reasons about applicants are in it; show it to those who were there",
        as_json=as_json,
    )


@app.command("close")
def close(cycle: CycleId, by: By, as_json: AsJson = False) -> None:
    """Close the meeting; nothing is recorded until it is reopened, and the list can be signed."""
    swapflow = product()
    closed = swapflow.meetings.close(cycle, by=by)
    if closed:
        _write_down(by, "closed the meeting", cycle)
    report(
        {"cycle": cycle, "closed": closed, "by": by},
        _stands(swapflow.meetings.agenda(cycle)),
        as_json=as_json,
    )


@app.command("reopen")
def reopen(cycle: CycleId, by: By, reason: Reason, as_json: AsJson = False) -> None:
    """Reopen the outcomes for recording after the meeting was closed."""
    reopened = product().meetings.reopen(cycle, reason=reason, by=by)
    if reopened:
        _write_down(by, "reopened the meeting", cycle, detail=reason)
    report(
        {"cycle": cycle, "reopened": reopened, "by": by},
        "the meeting is open again" if reopened else "the meeting is open",
        as_json=as_json,
    )


def _number(swapflow: "Swapflow", cycle: str, applicant: str) -> int:
    for application in swapflow.applicants.list(cycle):
        if application.external_id == applicant:
            return application.number
    raise NotFoundError("applicant_not_in_cycle", cycle=cycle, applicant=applicant)


def _write_down(by: str, what: str, cycle: str, *, about: str = "", detail: str = "") -> None:
    from swapflow.bootstrap import office

    office().audit_log.record(by, what, cycle_id=cycle, about=about, detail=detail)


def _stands(agenda: "Agenda") -> str:
    if agenda.meeting is None:
        return "no meeting was opened about this list"
    missing = [place.external_id for place in agenda.missing]
    if missing:
        said = f"still without an outcome; record it, then sign: {', '.join(missing)}"
    else:
        said = "every applicant too close to call has an outcome"
    if agenda.meeting.closed:
        return f"closed by {agenda.meeting.closed.by}; {said}"
    return f"open; {said}"
