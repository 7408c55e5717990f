"""`swapflow cycle reconsider`: one application looked at again after the list was fixed."""

from datetime import date
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from swapflow.cli.cycle_output import final_digest
from swapflow.cli.help import CommandGroup
from swapflow.cli.options import ApplicationId, AsJson, By, CycleId, Digest, Reason, product
from swapflow.cli.output import Listing, many, report
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.domain.cohort.reconsideration import Reconsideration
    from swapflow.engine.reconsideration.evidence import ReconsiderationEvidence


app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    help="One applicant looked at again by new reviewers, after the list was final.",
)

Must = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; on record.")]
Names = Annotated[
    list[str], typer.Option("--by", metavar="NAME", help="Give it twice: two people sign.")
]

RESULTS = {
    "added": "added to the list",
    "waitlisted": "put on the waitlist",
    "stays": "stays as it was",
    "withdrawn": "taken back",
    "undone": "undone",
}


@app.command("open")
def open_reconsideration(
    cycle: CycleId,
    applicant: ApplicationId,
    by: By,
    reason: Must,
    asked_by: Annotated[
        str, typer.Option("--asked-by", metavar="NAME", help="Who asked, e.g. the applicant.")
    ],
    asked_on: Annotated[
        str, typer.Option("--asked-on", metavar="DATE", help="When; today without it.")
    ] = "",
    reviews: Annotated[
        int,
        typer.Option(
            metavar="N", help="New reviews; 0 where an applicant only withdrew or declined."
        ),
    ] = 2,
    kind: Annotated[
        str, typer.Option(metavar="KIND", help=("Which review or interview; else the first."))
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Ask reviewers who never had the applicant for new reviews: the reserve first."""
    from swapflow.engine.reconsideration.open_reconsideration import ReconsiderationRequest

    wanted = ReconsiderationRequest(
        reason=reason, asked_by=asked_by, asked_on=_day(asked_on), reviews=reviews, kind=kind
    )
    product().reconsiderations.open(cycle, applicant, wanted, by=by)
    report(
        {"cycle": cycle, "applicant": applicant, "reviews": reviews, "by": by},
        f"{applicant} is reconsidered; {many(reviews, 'new review')} asked for",
        f"see its state: swapflow cycle reconsider show {cycle} {applicant}",
        as_json=as_json,
    )


@app.command("list")
def list_all(cycle: CycleId, as_json: AsJson = False) -> None:
    """List the reconsiderations of a program."""
    swapflow = product()
    names = {a.number: a.external_id for a in swapflow.applicants.list(cycle)}
    found = swapflow.reconsiderations.list(cycle)
    report(
        {
            "cycle": cycle,
            "reconsiderations": [_public(r, names) for r in found],
            "digest": final_digest(swapflow, cycle),
        },
        Listing(
            headers=("applicant", "asked by", "on", "reviews", "result", "version", "signed"),
            rows=tuple(
                (
                    names.get(r.application) or f"number {r.application}",
                    r.new.asked_by,
                    r.new.asked_on.isoformat(),
                    str(r.new.reviews),
                    RESULTS[r.closing.result.value] if r.closing else "open",
                    str(r.closing.version or "") if r.closing else "",
                    ", ".join(r.closed_by),
                )
                for r in found
            ),
            empty="nothing was reconsidered",
        ),
        as_json=as_json,
    )


@app.command("show")
def show(cycle: CycleId, applicant: ApplicationId, as_json: AsJson = False) -> None:
    """Show what rank the applicant would have had, and what is proposed."""
    from swapflow.engine.reconsideration.evidence import HOW

    found = product().reconsiderations.evidence(cycle, applicant)
    report(
        {
            "cycle": cycle,
            "applicant": applicant,
            "reviews": found.which.new.reviews,
            "received": found.received,
            "waiting": found.waiting,
            "before": found.before,
            "after": found.after.estimate,
            "line": found.line,
            "waitlist_now": found.stands or None,
            "waitlist_then": found.place,
            "proposes": found.proposes.value,
            "places": found.places,
            "places_held": found.taken,
            "exceptions": list(found.exceptions),
            "digest": found.seal.digest,
        },
        *_statement(found),
        HOW,
        as_json=as_json,
    )


@app.command("conclude")
def conclude(
    cycle: CycleId,
    applicant: ApplicationId,
    by: Names,
    result: Annotated[
        Literal["added", "waitlisted", "stays"] | None,
        typer.Option(help="What is decided; what is proposed without it."),
    ] = None,
    reason: Reason = "",
    beyond: Annotated[
        bool, typer.Option("--beyond", help="Add the person though the places are full.")
    ] = False,
    digest: Digest = "",
    as_json: AsJson = False,
) -> None:
    """Sign what becomes of it; a change of the list moves this person and no one else."""
    from swapflow.domain.cohort.reconsideration import Result

    swapflow = product()
    fixed = digest or swapflow.reconsiderations.evidence(cycle, applicant).seal.digest
    closing = swapflow.reconsiderations.conclude(
        cycle,
        applicant,
        names=by,
        result=None if result is None else Result(result),
        reason=reason,
        beyond=beyond,
        shown=fixed,
    )
    place = f" at place {closing.place}" if closing.place else ""
    report(
        {
            "cycle": cycle,
            "applicant": applicant,
            "result": closing.result.value,
            "place": closing.place or None,
            "version": closing.version or None,
            "beyond_the_places": closing.beyond,
            "exceptions": list(closing.exceptions),
            "by": by,
            "digest": fixed,
        },
        f"{applicant} {RESULTS[closing.result.value]}{place}",
        f"the list is version {closing.version} now; no one else was moved"
        if closing.version
        else "the list is what it was",
        *(f"an exception: {words}" for words in closing.exceptions),
        as_json=as_json,
    )


@app.command("take-back")
def take_back(
    cycle: CycleId, applicant: ApplicationId, by: By, reason: Must, as_json: AsJson = False
) -> None:
    """End a reconsideration without a decision; what is still out is cancelled."""
    product().reconsiderations.take_back(cycle, applicant, by=by, reason=reason)
    report(
        {"cycle": cycle, "applicant": applicant, "result": "withdrawn", "by": by},
        f"the reconsideration of {applicant} was withdrawn; the list is what it was",
        as_json=as_json,
    )


@app.command("undo")
def undo(
    cycle: CycleId,
    applicant: ApplicationId,
    by: Names,
    reason: Must,
    digest: Digest = "",
    as_json: AsJson = False,
) -> None:
    """Undo what a reconsideration made of the list, until the person was offered a place."""
    swapflow = product()
    fixed = digest or final_digest(swapflow, cycle)
    version = swapflow.reconsiderations.undo(
        cycle, applicant, names=by, reason=reason, shown=fixed
    )
    report(
        {
            "cycle": cycle,
            "applicant": applicant,
            "version": version,
            "by": by,
            "digest": fixed,
        },
        f"undone: the list is version {version}, as it was before",
        as_json=as_json,
    )


def _day(text: str) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InvalidInputError("asked_on_not_a_date", text=text) from None


def _public(one: "Reconsideration", names: dict[int, str]) -> dict[str, object]:
    closing = one.closing
    return {
        "applicant": names.get(one.application) or None,
        "number": one.application,
        "asked_by": one.new.asked_by,
        "asked_on": one.new.asked_on.isoformat(),
        "reason": one.new.reason,
        "reviews": one.new.reviews,
        "opened_by": one.by,
        "opened_at": one.at.isoformat(),
        "result": closing.result.value if closing else None,
        "version": (closing.version or None) if closing else None,
        "before": closing.before if closing else None,
        "after": closing.after if closing else None,
        "signed": list(one.closed_by),
    }


def _statement(found: "ReconsiderationEvidence") -> list[str]:
    """Return the status of a reconsideration in words."""
    before = "no estimate" if found.before is None else f"{100 * found.before:.1f}"
    line = "" if found.line is None else f"; the lowest on the list has {100 * found.line:.1f}"
    then = f"place {found.place} of {found.queue} on the waitlist"
    stands = f"place {found.stands}" if found.stands else "no place"
    came = (
        f"{found.received} of {many(found.which.new.reviews, 'new review')} came, "
        f"{found.waiting} still out"
    )
    said = [
        came,
        f"estimate before: {before}; after: {100 * found.after.estimate:.1f}{line}",
        f"waitlist now: {stands}; with the new estimate: {then}",
        f"proposed: {RESULTS[found.proposes.value]}"
        + (f" at place {found.place}" if found.proposes.value == "waitlisted" else ""),
    ]
    if found.beyond:
        said.append(
            f"the places are full ({found.taken} of {found.places} held): adding exceeds them, "
            "which --beyond confirms"
        )
    return [*said, *(f"adding would be an exception: {words}" for words in found.exceptions)]
