"""The order of applicants: the list best first, then the waitlist."""

import math

import numpy as np

from swapflow.bandit.situation import FloatArray, IntArray, Look
from swapflow.bandit.ties import rounded
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.selection.situation import CycleSituation


def ranking(projection: CycleProjection, situation: CycleSituation, look: Look) -> IntArray:
    """Order the arms: the cohort best first, then the waitlist; ties by their keys.

    The waitlist's order is the order in which people would join if places were added one by one:
    by estimate, and for `diverse` by what each would add to the objective by then.
    """
    estimate = rounded(look.estimate)
    inside = np.zeros(estimate.size, dtype=bool)
    inside[look.cohort] = True
    tie = np.arange(estimate.size)
    order: IntArray = np.lexsort((tie, -estimate, ~inside))
    spread = projection.rules.objective.attributes
    if len(spread) != 1:
        return order
    size = look.cohort.size
    groups = projection.groups_of(spread[0].attribute)[situation.application]
    waiting = _join_order(estimate, groups, chosen=order[:size], others=order[size:])
    return np.concatenate([order[:size], waiting])


def _join_order(
    estimate: FloatArray, groups: IntArray, *, chosen: IntArray, others: IntArray
) -> IntArray:
    """Add others one by one, each time the one who adds most to the sum of roots."""
    sums = {group: float(estimate[chosen[groups[chosen] == group]].sum()) for group in set(groups)}
    queues = {group: [arm for arm in others if groups[arm] == group] for group in sums}
    joined: list[int] = []
    while len(joined) < others.size:
        heads = [(queue[0], group) for group, queue in queues.items() if queue]
        # The arm's index comes second: of equal gains the lower tie key joins first.
        _, arm, group = min(
            (-(_root(sums[group] + estimate[arm]) - _root(sums[group])), int(arm), group)
            for arm, group in heads
        )
        queues[group].pop(0)
        sums[group] += float(estimate[arm])
        joined.append(arm)
    return np.array(joined, dtype=np.int64)


def _root(total: float) -> float:
    return math.sqrt(max(0.0, total))
