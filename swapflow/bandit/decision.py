"""One look of Algorithm 1: the best cohort, its strongest rival, and the gap between them.

Where the paper's text, its proofs and its authors' code differ, we follow:

    line 15, w(M~) = w(M)     both are valued under the worst case u~, as in CLUCB and in the
                              authors' code: valued under the means the cohort could never
                              lose, and the rule would stop at its first look
    equality of values        sets are compared first, values second: equal sets summed in
                              another order differ in the last bits
    the relaxation            gap <= eps, with eps stated by the user (the authors' code has a
                              strict < 0.01 switched on always, the text names it once)
    line 16, arg max          ties go to the lowest index (their code: order of a hash set)
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from swapflow.bandit.oracles.oracle import Oracle
from swapflow.bandit.radius import RHO, mixture_radius
from swapflow.bandit.situation import (
    UNSCORED_MEAN,
    FloatArray,
    IntArray,
    Situation,
    StopReason,
)
from swapflow.bandit.ties import rounded


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A cohort against its strongest rival.

    Attributes:
        rival: Best cohort under the worst case (M~), sorted indices.
        contested: Arms in exactly one of the two, most uncertain first.
        gap: How much more the rival is worth than the cohort under the worst case (u~).
    """

    rival: IntArray
    contested: IntArray
    gap: float


def worst_case(mean: FloatArray, radius: FloatArray, cohort: IntArray) -> FloatArray:
    """Lower the members' estimates and raise all others' by their radii (u~, lines 6 to 11)."""
    utilities = mean + radius
    utilities[cohort] = mean[cohort] - radius[cohort]
    return utilities


def compare(
    mean: FloatArray,
    radius: FloatArray,
    cohort: IntArray,
    oracle: Oracle,
    *,
    tidy: Callable[[FloatArray], FloatArray] = rounded,
) -> Comparison:
    """Find the cohort's strongest rival and how far it is ahead in the worst case.

    Args:
        mean: Estimates (u^), shape (n,).
        radius: Radius of each estimate, shape (n,).
        cohort: The proposed cohort (M), sorted indices.
        oracle: Finds and values cohorts.
        tidy: Rounds numbers before they are ordered; `ties.unrounded` for the rule `paper`.
    """
    utilities = worst_case(mean, radius, cohort)
    rival = oracle.best(tidy(utilities))
    contested = np.setxor1d(cohort, rival, assume_unique=True)
    # Equal sets end here: their values, summed in another order, differ in the last bits and would
    # leave a gap of their own.
    if not contested.size:
        return Comparison(rival=rival, contested=contested, gap=0.0)
    most_uncertain_first = np.argsort(-tidy(radius[contested]), kind="stable")
    gap = oracle.value(utilities, rival) - oracle.value(utilities, cohort)
    return Comparison(rival=rival, contested=contested[most_uncertain_first], gap=gap)


def is_settled(comparison: Comparison, tolerance: float) -> bool:
    """Whether the rival is the cohort itself, or ahead by the tolerance at most."""
    return not comparison.contested.size or comparison.gap <= tolerance


def certified_stop(oracle: Oracle) -> StopReason:
    """Return the reason when the stop test is met: CERTIFIED only where it is a proof."""
    return StopReason.CERTIFIED if oracle.linear else StopReason.SETTLED


def certified_loss(
    situation: Situation,
    cohort: IntArray,
    oracle: Oracle,
    *,
    sigma: float,
    delta: float,
    max_applicants: int | None = None,
    rho: float = RHO,
) -> float:
    """Bound how much value the proposed cohort can lack, whichever rule proposed it.

    For a linear objective, w(best) - w(cohort) is at most this at all looks together, with
    probability 1 - delta. The bound holds for any cohort, because it needs only that no arm of the
    best cohort outside the proposal exceeds its upper bound, and that no arm of the proposal
    outside the best falls below its lower one. It uses each arm's scores up to the first one still
    out, so that scores that arrive early because they are high prove nothing. An interval that
    reaches beyond the range of utilities is cut off there; it still contains the truth.

    Args:
        situation: The cycle; only the settled means and informations and the range are read.
        cohort: The proposed cohort, sorted indices.
        oracle: The objective.
        sigma: Sub-Gaussian constant of one weak pull, in score units.
        delta: Allowed probability that the bound is ever wrong.
        max_applicants: How many arms may ever take part, if more than now.
        rho: Information at which the bound is tightest.

    Returns:
        A value in the objective's units, at least 0.
    """
    information = situation.settled_information
    mean = np.where(information > 0, situation.settled_mean, UNSCORED_MEAN)
    # More arms than the rules foresaw widen the bound; fewer never narrow it.
    arms = max(max_applicants or 0, situation.n)
    radius = mixture_radius(information, sigma=sigma, delta=delta, arms=arms, rho=rho)
    worst = np.clip(worst_case(mean, radius, cohort), situation.lowest, situation.highest)
    rival = oracle.best(rounded(worst))
    # The rival is the best under rounded utilities,
    # so it may lie below the cohort by the rounding.
    return max(oracle.value(worst, rival) - oracle.value(worst, cohort), 0.0)
