"""`swapflow applications values`: values of attributes, and spellings that are one value."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.options import AsJson, By, CycleId, Reason, product
from swapflow.cli.output import Listing, many, report
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.engine.intake.value_spellings import ValueReport
    from swapflow.engine.services import Swapflow


def values(
    cycle: CycleId,
    by: By,
    attribute: Annotated[
        str, typer.Option(metavar="NAME", help="With --spelling: the attribute.")
    ] = "",
    spelling: Annotated[
        list[str] | None, typer.Option(metavar="TEXT", help="A spelling of a value; repeatable.")
    ] = None,
    into: Annotated[
        str, typer.Option(metavar="TEXT", help="The value that the spellings are taken for.")
    ] = "",
    apart: Annotated[
        bool, typer.Option("--apart", help="Keep the spellings as values of their own.")
    ] = False,
    mend: Annotated[
        bool, typer.Option("--mend", help="Take every group that is named for one value.")
    ] = False,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """List the values of attributes; take spellings for one value, or keep them apart.

    What is said here is remembered for the next list.
    """
    swapflow = product()
    done = []
    if mend:
        done = _mended(swapflow, cycle, by=by, reason=reason)
    elif apart and attribute and spelling:
        changed = swapflow.applicants.keep_values_apart(
            cycle, attribute, spelling, by=by, reason=reason
        )
        done = [f"{attribute}: kept apart; {many(changed, 'applicant')} changed back"]
    elif into and attribute and spelling and not apart:
        changed = swapflow.applicants.join_values(
            cycle, attribute, spelling, into, by=by, reason=reason
        )
        done = [f"{attribute}: taken for {into!r}; {many(changed, 'applicant')} changed"]
    elif attribute or spelling or into or apart:
        raise InvalidInputError("values_options_incomplete")
    found = swapflow.applicants.values(cycle)
    report(
        {
            "cycle": cycle,
            "attributes": {name: dict(counts) for name, counts in found.counts.items()},
            "perhaps_one": [
                {**asdict(one), "spellings": dict(one.spellings)} for one in found.near
            ],
            "unknown": [asdict(one) for one in found.unknown],
            "done": done,
        },
        _listing(found),
        *map(str, found.messages),
        *done,
        as_json=as_json,
    )


def _mended(swapflow: "Swapflow", cycle: str, *, by: str, reason: str) -> list[str]:
    """Take every group that is named for the value proposed for it."""
    done = []
    for one in swapflow.applicants.values(cycle).near:
        spellings = [spelling for spelling, _ in one.spellings]
        changed = swapflow.applicants.join_values(
            cycle, one.attribute, spellings, one.into, by=by, reason=reason
        )
        done.append(
            f"{one.attribute}: {', '.join(map(repr, spellings))} taken for {one.into!r}; "
            f"{many(changed, 'applicant')} changed"
        )
    return done or ["no spellings are named, so that nothing was changed"]


def _listing(found: "ValueReport") -> Listing:
    return Listing(
        headers=("attribute", "value", "applicants"),
        rows=tuple(
            (name, value, count)
            for name, counts in found.counts.items()
            for value, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        ),
        empty="no attribute",
    )
