"""`swapflow cycle reserve`: what promised reviews need, and what is kept for staff."""

from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.options import AsJson, By, CycleId, Reason, product, seat_of
from swapflow.cli.output import report
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.engine.lifecycle.promises import Promises
    from swapflow.engine.services import Swapflow


def reserve(
    cycle: CycleId,
    by: By,
    take: Annotated[
        bool, typer.Option("--take", help="Pay promised reviews from what is kept for staff.")
    ] = False,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Show what promised reviews still cost and what can pay them, or pay from the reserve."""
    swapflow = product()
    done = []
    taken = 0
    if take:
        if not reason.strip():
            raise InvalidInputError("reason_missing")
        taken = swapflow.cycles.take_from_reserve(cycle, by=by, reason=reason)
        version = swapflow.cycles.get(cycle).rules_version
        done = [f"{taken} taken from the reserve (rules version {version})"]
    found = swapflow.cycles.promises(cycle)
    report(
        {
            "cycle": cycle,
            "taken": taken,
            "promises": promises_json(found, named=seat_of(cycle, by) is None),
        },
        *done,
        *([_told(found)] if found else ["promises are reckoned while a program runs"]),
        *([str(found.message)] if found and found.message else []),
        as_json=as_json,
    )


def promises_json(found: "Promises | None", *, named: bool) -> dict[str, object] | None:
    """Return what is owed under stable keys; null unless asking goes on.

    Args:
        found: What is owed.
        named: Whether it says to whom; not to a reviewer of the program.
    """
    if found is None:
        return None
    return {
        "applicants": list(found.applicants) if named else None,
        "needed": found.needed,
        "free": found.free,
        "reserve": found.reserve,
        "short": found.short,
        "from_reserve": found.from_reserve,
        "beyond": found.beyond,
    }


def waiting_lines(swapflow: "Swapflow", cycle: str) -> list[str]:
    """Tell which promises cannot be paid, and whether decisions wait for approvals."""
    found = swapflow.cycles.promises(cycle)
    held = swapflow.cycles.held_by_approvals(cycle)
    return [
        *([str(found.message)] if found is not None and found.message else []),
        *([str(held)] if held else []),
    ]


def _told(found: "Promises") -> str:
    return (
        f"promised reviews not asked for: {found.needed} {found.unit}; free for them: "
        f"{found.free}; kept for staff: {found.reserve}"
    )
