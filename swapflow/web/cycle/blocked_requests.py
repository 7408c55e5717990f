"""Requests that find no reviewer: why, whom they are about, and where that is cured."""

from typing import Any

from swapflow.domain.cycle import Cycle
from swapflow.domain.rules import Rules
from swapflow.engine.read_models.dashboard import Dashboard
from swapflow.engine.selection.assign import NoReviewer
from swapflow.i18n.languages import gettext_noop
from swapflow.web.http.context import Product


_CURES = {
    NoReviewer.NO_REVIEWER: (
        "/setup/{cycle}/reviewers",
        gettext_noop("Import a reviewer of this kind"),
    ),
    NoReviewer.CONFLICTS: ("/setup/{cycle}/reviewers", gettext_noop("Add a reviewer")),
    NoReviewer.CAPACITY: (
        "/setup/{cycle}/reviewers",
        gettext_noop("Raise capacities or add a reviewer"),
    ),
    NoReviewer.AWAY: ("/reviewers/{cycle}", gettext_noop("Look at who is away")),
    NoReviewer.BUSY: ("/reviewers/{cycle}", gettext_noop("Look at who is busy")),
}
"""Where each obstacle is cured, and what the button says."""


def blocked_requests(
    product: Product, cycle: Cycle, dashboard: Dashboard, rules: Rules, *, named: bool
) -> list[dict[str, Any]]:
    """List what cannot go out, by kind and reason; what waits for an answer is left out."""
    found: dict[tuple[int, NoReviewer], list[int]] = {}
    for one in dashboard.blocked:
        if one.obstacle is not NoReviewer.BUSY and one.kind < len(rules.kinds):
            found.setdefault((one.kind, one.obstacle), []).append(one.application)
    wanted = {number for numbers in found.values() for number in numbers}
    people = {n.number: n for n in product.reports.named(cycle.id, wanted)}
    return [
        {
            "kind": rules.kinds[kind].name,
            "why": obstacle.value,
            "count": len(numbers),
            "more": dashboard.blocked_count > len(dashboard.blocked),
            "who": [people[n] for n in dict.fromkeys(numbers) if n in people] if named else [],
            "path": _CURES[obstacle][0].format(cycle=cycle.id),
            "button": _CURES[obstacle][1],
        }
        for (kind, obstacle), numbers in found.items()
    ]
