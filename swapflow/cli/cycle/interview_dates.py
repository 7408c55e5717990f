"""`swapflow interviews`: dates of interviews that fit everyone on a panel."""

from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.help import CommandGroup
from swapflow.cli.options import AsJson, By, CycleId, product
from swapflow.cli.output import Listing, many, report


if TYPE_CHECKING:
    from swapflow.domain.free_days import FreeSpan
    from swapflow.engine.interviews.proposal import DateProposal


app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    help="Interviews: when they are held.",
)


@app.command("dates")
def find_dates(
    cycle: CycleId,
    by: By,
    notice: Annotated[
        int | None,
        typer.Option(metavar="DAYS", help="Working days until the first date; 3 if not given."),
    ] = None,
    set_them: Annotated[
        bool, typer.Option("--set", help="Set the dates and invite by mail; else only shown.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find dates that fit for every interview without one, and set them with --set.

    Interviews in other programs, days away, public holidays and closed days are known. All dates
    are set, or none.
    """
    from swapflow.engine.interviews.schedule import NOTICE
    from swapflow.engine.interviews.slots import InterviewSlot

    swapflow = product()
    proposal = swapflow.reviewers.propose_dates(cycle, notice=NOTICE if notice is None else notice)
    changed = 0
    if set_them and proposal.dates:
        slots = [
            InterviewSlot(
                pull_id=one.requested.pull.id,
                starts_at=one.starts_at,
                minutes=one.requested.minutes,
                # What was found belongs to the dates as they were then.
                made_from=one.requested.interview.revision if one.requested.interview else "0",
            )
            for one in proposal.dates
        ]
        changed = swapflow.reviewers.set_slots(cycle, slots, by=by, hold=swapflow.held_acts.hold)
    _report(proposal, cycle, swapflow.cycles.rules(cycle).zone, changed=changed, as_json=as_json)


def _report(
    proposal: "DateProposal", cycle: str, zone: str, *, changed: int, as_json: bool
) -> None:
    from swapflow.i18n.formatting import moment
    from swapflow.i18n.languages import current_language

    found = [
        {
            "request": one.requested.pull.id,
            "applicant": one.requested.external_id,
            "interviewers": [r.name or r.external_id for r in one.requested.reviewers],
            "starts": one.starts_at,
            "minutes": one.requested.minutes,
        }
        for one in proposal.dates
    ]
    left = [
        {"applicant": one.requested.external_id, "why": str(one.reason)} for one in proposal.left
    ]
    spans = proposal.passed_over(current_language().tag)
    passed = [{"first": one.first, "last": one.last, "name": one.name} for one in spans]
    said = [f"{one['applicant']}: {one['why']}" for one in left]
    said += [f"no dates {_days(one)}: {one.name or 'closed'}" for one in spans]
    if changed:
        said.append(f"{many(changed, 'date')} set; the invitations leave by mail")
    elif found:
        said.append(f"nothing was set: add --set to set {many(len(found), 'date')}")
    report(
        {
            "cycle": cycle,
            "zone": zone,
            "set": changed,
            "dates": found,
            "left": left,
            "passed_over": passed,
        },
        Listing(
            headers=("applicant", "interviewers", "starts", "minutes"),
            rows=tuple(
                (
                    one.requested.external_id,
                    ", ".join(r.name or r.external_id for r in one.requested.reviewers),
                    moment(one.starts_at, zone),
                    one.requested.minutes,
                )
                for one in proposal.dates
            ),
            empty="every interview has a date",
        ),
        *said,
        as_json=as_json,
    )


def _days(one: "FreeSpan") -> str:
    return f"on {one.first}" if one.first == one.last else f"from {one.first} to {one.last}"
