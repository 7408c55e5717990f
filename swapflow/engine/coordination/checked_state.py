"""The live state as the coordinator uses it: compared with the events, and mended."""

import time

from swapflow.engine.coordination.workspace import CycleWorkspace
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.live_state import ALTERED, Arms, CycleState


COMPARE_EVERY = 30.0
"""Seconds after which the live state is compared even where nothing is decided from it."""

TELL_EVERY = 60.0
"""Seconds between two notes that it was altered, which may go on all the time."""


def checked_arms(
    cycle_id: str, workspace: CycleWorkspace, *, ledger: CycleReads, state: CycleState
) -> Arms | None:
    """Read the live state, every integer compared with the sums of the events.

    Where it was altered, a note says so, which Today and `swapflow doctor` show, and the sums
    replace it: no decision and no stop follows altered numbers.

    Returns:
        The live state at the projection's position; None where another process has read further.
    """
    arms = state.arms(cycle_id)
    workspace.compared = time.monotonic()
    if arms.position != workspace.projection.position:
        return None
    wrong = workspace.totals.differences(arms)
    if not wrong:
        return arms
    if workspace.told is None or time.monotonic() - workspace.told >= TELL_EVERY:
        with ledger.write(cycle_id) as tx:
            tx.note(
                subject=ALTERED,
                by="coordinator",
                text=f"event {arms.position.seq}: {', '.join(wrong)}",
            )
        workspace.told = time.monotonic()
    arms = workspace.totals.arms()
    state.replace(cycle_id, arms)
    return arms


def is_comparison_due(workspace: CycleWorkspace) -> bool:
    """Whether the live state has not been compared for a while."""
    return time.monotonic() - workspace.compared >= COMPARE_EVERY
