"""What the paper's theorems, corollary and first example say, as numbers to draw and to test.

`bandit.hardness` holds the formulas, with what had to be put right in them; here they meet a
problem. The theorems speak of the number of pulls, which the paper calls total cost; a bound on
cost is that number times the expected cost of a pull.
"""

import math
from dataclasses import dataclass

import numpy as np

from swapflow.bandit.hardness import (
    WIDTH,
    expected,
    gaps,
    hardness,
    margin,
    pull_bound,
    scaled_hardness,
    strong_cost_limit,
)
from swapflow.bandit.oracles.oracle import Oracle, TopK
from swapflow.bandit.situation import FloatArray
from swapflow.bandit.strong_pull_policy import StrongPolicy, strong_probability


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundSetting:
    """What a bound depends on beside the utilities.

    Attributes:
        size: K.
        sigma: Sub-Gaussian constant of one weak pull, in score units.
        delta: Allowed probability of error.
        gain: s.
        cost: j.
        policy: Which pulls are strong.
    """

    size: int
    sigma: float
    delta: float
    gain: float
    cost: float
    policy: StrongPolicy = StrongPolicy.PAPER

    @property
    def strong(self) -> float:
        """Probability of a strong pull, within [0, 1]."""
        alpha = strong_probability(
            self.policy, gain=self.gain, cost=self.cost, contested=1, size=self.size
        )
        return min(max(alpha, 0.0), 1.0)

    @property
    def expected_cost(self) -> float:
        """Expected cost of a pull (X_cost)."""
        return expected(self.cost, self.strong)

    @property
    def expected_gain(self) -> float:
        """Expected gain of a pull (X_gain)."""
        return expected(self.gain, self.strong)


def problem_hardness(
    utilities: FloatArray, setting: BoundSetting, oracle: Oracle | None = None
) -> float:
    """Return H, the sum of inverse squared gaps, for top-k unless another objective is given."""
    return hardness(gaps(utilities, oracle or TopK(setting.size)))


def bound_on_pulls(n: int, raw_hardness: float, setting: BoundSetting) -> float:
    """Bound the number of pulls, with the expected cost and gain of a pull (no margins).

    The theorem widens both by margins that hold with probabilities of their own; without them
    the bound is smaller, so a cost below this one is below the theorem's too.
    """
    return pull_bound(
        n=n,
        scaled=scaled_hardness(raw_hardness, sigma=setting.sigma),
        delta=setting.delta,
        cost=setting.expected_cost,
        gain=setting.expected_gain,
    )


def bound_on_cost(n: int, raw_hardness: float, setting: BoundSetting) -> float:
    """Bound the cost: the pulls of `bound_on_pulls` at the expected cost of a pull each."""
    return bound_on_pulls(n, raw_hardness, setting) * setting.expected_cost


def bound_with_margins(
    n: int, raw_hardness: float, setting: BoundSetting, *, pulls: float
) -> float:
    """Bound the number of pulls as the main theorem does, eps1 and eps2 included.

    Costs and gains of a pull lie between 1 and j or s, so half the range is their sub-Gaussian
    constant. Every delta is the setting's.

    Returns:
        A number of pulls; infinite where X_gain - eps2 is not positive: there the theorem says
        nothing.
    """
    eps1 = margin(sigma=(setting.cost - 1) / 2, delta=setting.delta, count=max(pulls, 1.0))
    eps2 = margin(sigma=(setting.gain - 1) / 2, delta=setting.delta, count=n)
    gain = setting.expected_gain - eps2
    if gain <= 0:
        return math.inf
    return pull_bound(
        n=n,
        scaled=scaled_hardness(raw_hardness, sigma=setting.sigma, width=WIDTH),
        delta=setting.delta,
        cost=setting.expected_cost + eps1,
        gain=gain,
    )


def corollary_line(
    gains: FloatArray, *, n: int, raw_hardness: float, sigma: float, delta: float
) -> FloatArray:
    """Return the corollary's largest j for each s: C^((s - 1) / 3) with C = 4 n H~ / delta."""
    scaled = scaled_hardness(raw_hardness, sigma=sigma)
    line = [strong_cost_limit(n=n, scaled=scaled, delta=delta, gain=float(s)) for s in gains]
    return np.array(line)


@dataclass(frozen=True, slots=True)
class PullPlan:
    """How many pulls of each kind, and what they come to."""

    weak: int
    strong: int
    information: int
    cost: int


def cheapest_plan(needed: int, *, gain: int, cost: int) -> PullPlan:
    """Find the cheapest pulls that give an arm at least `needed` weak pulls of information.

    Tries every number of strong pulls; of equal costs the fewest strong ones.
    """
    plans = [
        _plan(max(needed - strong * gain, 0), strong, gain=gain, cost=cost)
        for strong in range(math.ceil(needed / gain) + 1)
    ]
    return min(plans, key=lambda plan: (plan.cost, plan.strong))


def printed_plan(needed: int, *, gain: int, cost: int) -> PullPlan:
    """Return the plan that Example 1 prints for s = gain > j = cost > 1.

    floor(x / y) + 1[z - (x mod y)] strong pulls and 1[z - (x mod y)] (x mod y) weak ones, where
    1[a] is 1 for a >= 0. Both indicators agree, so a small remainder is paid twice and a large
    one not at all; `meant_plan` has them exclude each other.
    """
    remainder = needed % gain
    small = int(cost - remainder >= 0)
    return _plan(small * remainder, needed // gain + small, gain=gain, cost=cost)


def meant_plan(needed: int, *, gain: int, cost: int) -> PullPlan:
    """Return Example 1's plan as it must be meant: weak pulls for a remainder of at most j."""
    remainder = needed % gain
    small = int(cost - remainder >= 0)
    return _plan(small * remainder, needed // gain + 1 - small, gain=gain, cost=cost)


def _plan(weak: int, strong: int, *, gain: int, cost: int) -> PullPlan:
    """Add up."""
    return PullPlan(weak, strong, weak + strong * gain, weak + strong * cost)
