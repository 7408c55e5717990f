"""How hard a problem is, and how many pulls the paper's theorems allow for it.

The quantities are those of Schumann et al. 2019 after Chen et al. 2014. Where the statements,
the proofs and the authors' code disagree, we follow the proofs, corrected as far as needed:

    eps1, eps2            printed as sqrt(2 log(delta / 2)), the root of a negative number;
                          log(2 / delta) is meant (Hoeffding)
    X_cost - eps1         in the statement of the main theorem; the proof's explicit bound has
                          X_cost + eps1, and only that is an upper bound
    T, "the total cost"   in the statements; the proofs bound the number of pulls. Multiply by
                          the expected cost of a pull for a cost
    sigma                 the proofs mix sigma, R, R_1, R_2; one sub-Gaussian constant here
    alpha                 the proofs need a probability: the policy's value clipped to [0, 1]
    (1-delta_1)(1-delta_2)(1-delta_3)  in the statement; the proof writes 1 - delta_2 for both
                          margins. The margins here take each delta by itself
    authors' code         leaves out the gaps of the optimal arms, the width and sigma^2, and
                          draws the corollary's line at C^((s-2)/3); none of that is followed
"""

import math

import numpy as np

from swapflow.bandit.oracles.oracle import Diverse, Oracle
from swapflow.bandit.situation import FloatArray, IntArray


WIDTH = 2
"""Fewest arms in which two cohorts of K differ: one exchange."""

_CONSTANT = 499
_PER_ARM = 18


def gaps(utilities: FloatArray, oracle: Oracle) -> FloatArray:
    """Return each arm's gap: the loss of the best cohort if the arm must change sides.

    For top-k and quotas one exchange is the best way to flip an arm, so the gaps have a closed
    form; for the diverse objective they come from an exact table over the groups.

    Args:
        utilities: True utilities, shape (n,).
        oracle: The objective.

    Returns:
        Gaps (Delta_a, equation 1 of the paper), shape (n,); infinite where the arm cannot
        change sides.
    """
    if isinstance(oracle, Diverse):
        return _diverse_gaps(utilities, oracle.groups, oracle.size)
    return oracle.single_exchange_losses(utilities)


def hardness(gap: FloatArray) -> float:
    """Add up the inverse squared gaps (H, equation 2); infinite if the best cohort is tied."""
    if not np.all(gap > 0):
        return math.inf
    return float(np.sum(1 / gap**2))


def scaled_hardness(raw: float, *, sigma: float, width: int = WIDTH, least: float = 1.0) -> float:
    """Return max(width^2 sigma^2 H, 1) (H~ of the proofs); `least` = 0 lets it be smaller."""
    return max(width**2 * sigma**2 * raw, least)


def expected(value: float, strong_probability: float) -> float:
    """Return the expected cost or gain of a pull: alpha times the strong one's, else 1.

    Args:
        value: The strong pull's cost j (for X_cost) or gain s (for X_gain), in weak pulls.
        strong_probability: alpha; clipped to [0, 1].
    """
    alpha = min(max(strong_probability, 0.0), 1.0)
    return alpha * value + (1 - alpha)


def margin(*, sigma: float, delta: float, count: float) -> float:
    """Return Hoeffding's margin sigma sqrt(2 ln(2 / delta) / count).

    With the number of pulls as count this is eps1 of the main theorem, with n it is eps2.
    """
    return sigma * math.sqrt(2 * math.log(2 / delta) / count)


def pull_bound(*, n: int, scaled: float, delta: float, cost: float, gain: float) -> float:
    """Bound the number of pulls: 499 H~ ln(4 n cost^3 H~ / delta) / gain + 2 n.

    Args:
        n: Number of arms.
        scaled: H~.
        delta: Error probability of the radius.
        cost: Cost of a pull in weak pulls: 1 for weak only (Theorem 2 of the appendix), j for
            strong only (Theorem 1), X_cost + eps1 for the coin (the main theorem).
        gain: Information of a pull: 1, s, or X_gain - eps2.

    Returns:
        A number of pulls, not a cost.
    """
    return _CONSTANT * scaled * math.log(4 * n * cost**3 * scaled / delta) / gain + 2 * n


def implicit_pull_bound(*, n: int, scaled: float, delta: float, cost: float, gain: float) -> float:
    """Solve T = n + 18 H' ln(4 n cost^3 T^3 / delta) / gain for its largest solution.

    This is the inequality before the proofs loosen it to the constant 499, several times
    smaller than `pull_bound`. It needs no floor under the hardness, so H' may be
    `scaled_hardness(..., least=0)`; the other arguments are those of `pull_bound`.
    """
    pulls = pull_bound(n=n, scaled=max(scaled, 1.0), delta=delta, cost=cost, gain=gain)
    # The right side grows as the logarithm of T only, so from above the iteration falls to it.
    while True:
        lower = n + _PER_ARM * scaled * math.log(4 * n * (cost * pulls) ** 3 / delta) / gain
        if lower >= pulls * (1 - 1e-15):
            return lower
        pulls = lower


def strong_cost_limit(*, n: int, scaled: float, delta: float, gain: float) -> float:
    """Return the largest j at which the bound for strong only is no worse than for weak only.

    That is C^((s - 1) / 3) with C = 4 n H~ / delta (Corollary 1). Like the corollary it
    compares numbers of pulls, not their costs.
    """
    return float((4 * n * scaled / delta) ** ((gain - 1) / 3))


def _diverse_gaps(utilities: FloatArray, groups: IntArray, size: int) -> FloatArray:
    """Return the gaps from the best cohort with each arm forced to the other side."""
    members = [np.flatnonzero(groups == group) for group in range(int(groups.max()) + 1)]
    members = [arms[np.argsort(-utilities[arms], kind="stable")] for arms in members]
    worth = [_roots(utilities[arms]) for arms in members]
    best = _best_total(worth, size)
    gap = np.empty(utilities.size)
    for group, arms in enumerate(members):
        for arm in arms:
            rest = utilities[arms[arms != arm]]
            worth_without = _roots(rest)
            worth_with = _roots(np.concatenate([[utilities[arm]], rest]))
            worth_with[0] = -np.inf
            without = _best_total([*worth[:group], worth_without, *worth[group + 1 :]], size)
            with_arm = _best_total([*worth[:group], worth_with, *worth[group + 1 :]], size)
            # One of the two is the best cohort itself; the other one is the arm's gap.
            gap[arm] = best - min(without, with_arm)
    return gap


def _roots(ranked: FloatArray) -> FloatArray:
    """Return the worth of the first 0, 1, 2, … of a group's arms."""
    sums = np.concatenate([[0.0], np.cumsum(ranked)])
    roots: FloatArray = np.sqrt(np.maximum(sums, 0.0))
    return roots


def _best_total(worth: list[FloatArray], size: int) -> float:
    """Return the best total worth of `size` arms, or -inf if there are not enough."""
    table = np.full(size + 1, -np.inf)
    table[0] = 0.0
    for values in worth:
        extended = np.full(size + 1, -np.inf)
        for count, value in enumerate(values[: size + 1]):
            extended[count:] = np.maximum(extended[count:], table[: size + 1 - count] + value)
        table = extended
    return float(table[size])
