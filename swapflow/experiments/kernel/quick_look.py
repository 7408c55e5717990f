"""A look of the paper's rule with top-k as a few plain passes without a branch; needs numba.

The same answer as `compiled.look` for a tenth of its time. A threshold from the last look says
who is in the rival, so one pass finds whether it still serves and whose turn it is; where equal
values at the border leave no threshold that serves, the answer is `UNSURE`.

The passes go over a table of whole vectors with a row each for `MEAN`, `SPREAD` and `ORDER`.
"""

import math

from swapflow.bandit.situation import FloatArray
from swapflow.experiments.kernel.compiled_numbers import bare, inlined, vectorised
from swapflow.experiments.kernel.run_state import BIG, MEAN, ORDER, PLACES, SPREAD
from swapflow.experiments.kernel.vector_operations import either, larger, smaller


SETTLED, UNSURE = -1, -2
"""In place of an applicant: nobody is contested; it takes a closer look."""


@vectorised
def one_pass(table: FloatArray, factor: float, threshold: float) -> tuple[int, float]:
    """Count who lies above in the worst case, and find the least order of the contested."""
    above, first = 0, BIG
    for arm in range(table.shape[1]):
        spread = table[SPREAD, arm]
        in_rival = table[MEAN, arm] + factor * spread > threshold
        above += in_rival
        contested = in_rival != (spread < 0.0)
        first = smaller(first, either(contested, table[ORDER, arm], BIG))
    return above, first


@vectorised
def _next_below(table: FloatArray, factor: float, threshold: float) -> float:
    """Find the largest worst case that is not above the threshold; -`BIG` if there is none."""
    found = -BIG
    for arm in range(table.shape[1]):
        utility = table[MEAN, arm] + factor * table[SPREAD, arm]
        found = larger(found, either(utility > threshold, -BIG, utility))
    return found


@vectorised
def _next_above(table: FloatArray, factor: float, threshold: float) -> float:
    """Find the smallest worst case above the threshold; `BIG` if there is none."""
    found = BIG
    for arm in range(table.shape[1]):
        utility = table[MEAN, arm] + factor * table[SPREAD, arm]
        found = smaller(found, either(utility > threshold, utility, BIG))
    return found


@vectorised
def extremes(table: FloatArray) -> tuple[float, float]:
    """Find the least mean of a member and the best of an outsider."""
    least, best = BIG, -BIG
    for arm in range(table.shape[1]):
        mean = table[MEAN, arm]
        inside = table[SPREAD, arm] < 0.0
        least = smaller(least, either(inside, mean, BIG))
        best = larger(best, either(inside, -BIG, mean))
    return least, best


@bare
def mended(table: FloatArray, factor: float, threshold: float, missing: int) -> float:
    """Move the threshold past the one who has crossed it; it may not serve afterwards either."""
    if missing == 1:
        crossed = _next_below(table, factor, threshold)
        beyond = _next_below(table, factor, crossed - abs(crossed) * 2.0**-52 - 1e-300)
        return beyond + (crossed - beyond) / 2
    crossed = _next_above(table, factor, threshold)
    beyond = _next_above(table, factor, crossed)
    return crossed + (beyond - crossed) / 2


@bare
def gap_of(table: FloatArray, factor: float, threshold: float) -> float:
    """Sum what the rival gains over the cohort in the worst case."""
    gap = 0.0
    for arm in range(table.shape[1]):
        utility = table[MEAN, arm] + factor * table[SPREAD, arm]
        inside = table[SPREAD, arm] < 0.0
        if (utility > threshold) != inside:
            gap += -utility if inside else utility
    return gap


@inlined
def paper_factor(cost: float, n: int, delta: float) -> float:
    """Return the factor of the paper's radius that depends on the cost."""
    return math.sqrt(2 * math.log(4 * n * max(cost, 1.0) ** 3 / delta))


@bare
def _find(table: FloatArray, factor: float, threshold: float, first: float) -> int:
    """Find the first of the contested that has this order."""
    arm = 0
    while True:
        spread = table[SPREAD, arm]
        in_rival = table[MEAN, arm] + factor * spread > threshold
        if table[ORDER, arm] == first and in_rival != (spread < 0.0):
            return arm
        arm += 1


@inlined
def quick_look(
    table: FloatArray, factor: float, threshold: float, size: int, tolerance: float, whole: bool
) -> tuple[int, float]:
    """Find whose turn it is, and a threshold for the next look.

    Args:
        table: The applicants.
        factor: The factor of the radius that all have in common.
        threshold: What the last look returned.
        size: K.
        tolerance: eps.
        whole: Whether informations are whole numbers, as `PLACES` says.

    Returns:
        An applicant, `SETTLED` or `UNSURE`; and the threshold.
    """
    above, first = one_pass(table, factor, threshold)
    if above == size - 1 or above == size + 1:
        threshold = mended(table, factor, threshold, size - above)
        above, first = one_pass(table, factor, threshold)
    if above != size:
        return UNSURE, threshold
    if first == BIG:
        return SETTLED, threshold
    if tolerance > 0.0 and gap_of(table, factor, threshold) <= tolerance:
        return SETTLED, threshold
    if whole:
        return int(first) & (PLACES - 1), threshold
    return _find(table, factor, threshold, first), threshold
