"""How many reviews each the usual practices would need for a list as good."""

from collections.abc import Callable
from dataclasses import dataclass

from swapflow.automatic_reviewers.recorded_round import Recording
from swapflow.simulation.baselines import Practice, even, two_tier


MOST_REVIEWS = 8.0
"""Budget in reviews each up to which is looked."""

STEP = 0.5
"""Distance of the budgets that are tried, in reviews each; between them lies a straight line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewsNeeded:
    """Reviews each for a list of a given score; None where no budget up to 8 reaches it.

    Attributes:
        even: When everyone gets as many reviews as the budget allows.
        two_tier: With one round for everyone, then interviews for the best so far.
    """

    even: float | None
    two_tier: float | None


def reviews_needed(
    recording: Recording, practice: Practice, *, utility: float, size: int, seed: int
) -> ReviewsNeeded:
    """Find the smallest budgets at which even reviewing and two-tier practice are as good.

    Args:
        recording: The marks, in the order in which every practice gets them.
        practice: Costs, gains and the reviews of the first round.
        utility: Score of the list to reach.
        size: Places.
        seed: Of who gets what is left over after a full turn.
    """
    each = practice.review.cost * len(recording.items)

    def by_even(budget: float) -> float:
        return even(recording, practice, cost=budget * each, size=size, seed=seed)

    def by_tiers(budget: float) -> float:
        return two_tier(recording, practice, cost=budget * each, size=size)

    return ReviewsNeeded(
        even=first_reaching(utility, by_even, start=1.0),
        two_tier=first_reaching(utility, by_tiers, start=float(practice.floor)),
    )


def first_reaching(
    target: float, value: Callable[[float], float], *, start: float
) -> float | None:
    """Return the first budget at which a value reaches a target, None up to `MOST_REVIEWS`.

    Args:
        target: The value to reach.
        value: The value at a budget.
        start: Smallest budget that is tried.
    """
    before, low = start, value(start)
    if low >= target:
        return start
    while before < MOST_REVIEWS:
        budget = min(before + STEP, MOST_REVIEWS)
        high = value(budget)
        if high >= target:
            return before + (budget - before) * (target - low) / (high - low)
        before, low = budget, high
    return None
