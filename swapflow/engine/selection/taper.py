"""Fewer requests out near the end of a budget, so that late answers still steer.

With many requests out at once, the last ones are chosen before the answers that should have
decided about them: at 2 reviews each, 450 out in place of 50 lost 14 % more. Rolling dispatch
keeps at most a share of what is not yet spent out, in costs of a review.
"""

import math
from collections.abc import Sequence

from swapflow.domain.rules import DispatchMode, Rules
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.pull_events import PullKey


LEAST_OUT = 40
"""Reviews that may be out however little is left: fewer would cost days and gain nothing."""


def most_out(rules: Rules, *, unspent: float) -> float:
    """Return how many reviews the rule keeps out at most; infinite without a taper.

    Args:
        rules: Supply the share and the cost of a review.
        unspent: Cost not yet spent, what is out included, without the reserve for staff.
    """
    if not rules.taper or rules.dispatch is DispatchMode.LOCKSTEP:
        return math.inf
    return max(LEAST_OUT, math.floor(rules.taper * unspent / rules.kinds[0].cost))


def taper_room(projection: CycleProjection, *, spent: int, for_staff: int) -> float:
    """Return the cost of what the rule may send beside what is out; infinite without a taper.

    Requests that wait for approval are not out: no reviewer can do them now.

    Args:
        projection: Supplies rules and open requests.
        spent: Cost spent so far.
        for_staff: Cost reserved for what staff may still request.
    """
    rules = projection.rules
    limit = most_out(rules, unspent=rules.budget - spent - for_staff)
    if math.isinf(limit):
        return limit
    out = sum(rules.kinds[kind].cost for (_, kind, _), p in projection.open.items() if p.approved)
    if not out:
        # One request may cost more than the least: with nothing out it must go all the same.
        return max(limit * rules.kinds[0].cost, *(kind.cost for kind in rules.kinds))
    return limit * rules.kinds[0].cost - out


def within_room(wanted: Sequence[PullKey], room: float, rules: Rules) -> list[PullKey]:
    """Return the first of these pulls, as far as their cost stays within the room."""
    kept: list[PullKey] = []
    for key in wanted:
        room -= rules.kinds[key[1]].cost
        if room < 0:
            break
        kept.append(key)
    return kept
