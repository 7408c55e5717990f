"""When the dashboard of a cycle is built again and published for the pages."""

import time

from swapflow.engine.coordination.checked_state import checked_arms
from swapflow.engine.coordination.workspace import CycleWorkspace, fitted_of
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.live_state import CycleState
from swapflow.engine.read_models.dashboard import build_dashboard
from swapflow.engine.read_models.dashboard_codec import encode_dashboard
from swapflow.errors import UnavailableError


DASHBOARD_EVERY = 2.0
"""Seconds between two dashboards while there is work to do."""

DASHBOARD_SHARE = 20
"""A dashboard waits this many times as long as building it takes: a twentieth of the time."""


def is_dashboard_due(workspace: CycleWorkspace, *, idle: bool) -> bool:
    """Whether there is news, and enough time has passed since the last dashboard."""
    # Pages fit when decisions do: while a fit is made beside, one here would hold scores up.
    if workspace.dashboard_at == workspace.projection.position or workspace.fits.calculating:
        return False
    return time.monotonic() >= workspace.dashboard_due[0 if idle else 1]


def publish_dashboard(
    cycle_id: str, workspace: CycleWorkspace, *, ledger: Ledger, state: CycleState
) -> None:
    """Build a dashboard and publish it; do nothing while the live state is away or behind."""
    begun = time.monotonic()
    try:
        arms = checked_arms(cycle_id, workspace, ledger=ledger, state=state)
        # Columns of one position and a projection of another would show numbers that never were.
        if arms is None:
            return
        fitted = fitted_of(cycle_id, workspace, ledger=ledger)
        dashboard = build_dashboard(workspace.projection, arms, fitted=fitted, at=ledger.now())
        state.publish(cycle_id, encode_dashboard(dashboard))
    except UnavailableError:
        return
    finally:
        ended = time.monotonic()
        rest = ended + DASHBOARD_SHARE * (ended - begun)
        workspace.dashboard_due = (rest, max(rest, begun + DASHBOARD_EVERY))
    workspace.dashboard_at = workspace.projection.position
