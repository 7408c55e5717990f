"""`swapflow approvals`: requests that a named person must let through first."""

from typing import Annotated

import typer

from swapflow.cli.help import CommandGroup
from swapflow.cli.options import AsJson, By, CycleId, product
from swapflow.cli.output import Listing, many, report
from swapflow.errors import InvalidInputError


app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    help="Reviews and interviews that contact an applicant: a named person approves each batch.",
)

Requests = Annotated[
    list[str] | None,
    typer.Argument(metavar="REQUEST", help="Ids, as `approvals list` shows them."),
]


@app.command("list")
def list_waiting(cycle: CycleId, as_json: AsJson = False) -> None:
    """List what waits for approval."""
    swapflow = product()
    waiting, held = swapflow.approvals.proposed(cycle), swapflow.cycles.held_by_approvals(cycle)
    report(
        {
            "cycle": cycle,
            "held": str(held) if held else "",
            "requests": [
                {"request": request, "applicant": applicant, "kind": kind, "decision": decision}
                for request, applicant, kind, decision in waiting
            ],
        },
        Listing(
            headers=("request", "applicant", "kind", "decision"),
            rows=waiting,
            empty="nothing waits for approval",
        ),
        *([str(held)] if held else []),
        as_json=as_json,
    )


@app.command("approve")
def approve(
    cycle: CycleId,
    by: By,
    requests: Requests = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Approve all that wait at this moment.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Release reviews that wait for approval."""
    swapflow = product()
    chosen = _chosen(requests, everything, swapflow.approvals.proposed(cycle))
    approved = swapflow.approvals.approve(cycle, chosen, by=by) if chosen else 0
    report(
        {"cycle": cycle, "approved": approved, "by": by},
        f"{many(approved, 'review')} approved by {by}; reviewers are found at the next turn",
        as_json=as_json,
    )


@app.command("strike")
def strike(
    cycle: CycleId,
    by: By,
    requests: Annotated[
        list[str], typer.Argument(metavar="REQUEST", help="Ids, as `approvals list` shows them.")
    ],
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; it is kept in the record.")],
    as_json: AsJson = False,
) -> None:
    """Decline reviews; the time kept for them is free again."""
    struck = product().approvals.strike(cycle, requests, by=by, reason=reason)
    report(
        {"cycle": cycle, "struck": struck, "by": by},
        f"{many(struck, 'review')} declined by {by}",
        as_json=as_json,
    )


def _chosen(
    requests: list[str] | None,
    everything: bool,
    waiting: tuple[tuple[str, str, str, int], ...],
) -> list[str]:
    if bool(requests) == everything:
        raise InvalidInputError("requests_or_all")
    return [request for request, *_ in waiting] if everything else list(requests or ())
