"""Radii of estimates around true utilities: the paper's radius and two tighter ones.

All three count information T in weak pulls (a pull of gain s adds s) and assume noise that is
sub-Gaussian with constant sigma per weak pull. They differ in width and in what they promise:

    paper      sigma sqrt(2 ln(4 n Cost^3 / delta) / T)                          as published
    mixture    sigma sqrt(2 (T + rho) ln(n / (2 delta) sqrt((T + rho) / rho) + 1)) / T
    pairwise   one bound on the difference of two arms, for each of K (n - K) pairs

An arm without any score is bounded by the range of utilities instead: `UNSCORED_MEAN` plus or
minus `UNSCORED_RADIUS` is certain, because utilities lie in [0, 1].
"""

import math

import numpy as np

from swapflow.bandit.situation import UNSCORED_RADIUS, FloatArray
from swapflow.errors import InvalidInputError


RHO = 3.0
"""Information at which the mixture radius is tightest; 1 to 10 cost within 5 % of each other."""


def paper_radius(
    information: FloatArray, *, cost: float, sigma: float, delta: float
) -> FloatArray:
    """Bound each estimate as in the paper; all bounds hold at once with probability 1 - delta.

    Args:
        information: T of each arm in weak pulls, shape (n,).
        cost: Cost spent so far in weak pulls (Cost_t); the algorithm starts it at n. Less
            than 1 counts as 1.
        sigma: Sub-Gaussian constant of one weak pull, in score units.
        delta: Allowed probability of error.

    Returns:
        One radius per arm in score units, shape (n,).

    Raises:
        InvalidInputError: If sigma is not positive or delta lies outside (0, 1).

    Source:
        Schumann et al. 2019, Lemma 2 (appendix). Line 7 of Algorithm 1 prints the division by T
        inside the logarithm; we follow the analysis and the authors' code, where it stands
        outside: only that form shrinks as 1 / sqrt(T).
    """
    _check(sigma=sigma, delta=delta)
    log_term = math.log(4 * information.size * max(cost, 1.0) ** 3 / delta)
    if information.size and information.min() > 0:
        scored: FloatArray = sigma * np.sqrt(2 * log_term / information)
        return scored
    unscored = information <= 0
    safe = np.where(unscored, 1.0, information)
    radius: FloatArray = sigma * np.sqrt(2 * log_term / safe)
    radius[unscored] = UNSCORED_RADIUS
    return radius


def mixture_radius(
    information: FloatArray, *, sigma: float, delta: float, arms: int, rho: float = RHO
) -> FloatArray:
    """Bound each estimate on the side that matters, at every moment at once.

    With M the proposed cohort and M* the best, the list can be wrong only if a member of M*
    lies above its upper bound or an arm outside M* below its lower one: n one-sided events of
    probability delta / n each. No union over time is needed (Ville's inequality for a normal
    mixture of exponential martingales), so the cost spent does not appear.

    Args:
        information: T of each arm in weak pulls, shape (n,).
        sigma: Sub-Gaussian constant of one weak pull, in score units.
        delta: Allowed probability that the certificate is ever wrong.
        arms: n of the union bound. Not less than the number of arms that will ever take
            part, so that latecomers do not weaken what was already said.
        rho: Information at which the bound is tightest.

    Returns:
        One radius per arm in score units, shape (n,).

    Raises:
        InvalidInputError: If sigma, rho or arms is not positive or delta lies outside (0, 1).

    Source:
        Robbins 1970; Howard et al. 2021 (one-sided normal mixture, closed form). Checked
        numerically to be no smaller than the exact boundary.
    """
    _check(sigma=sigma, delta=delta)
    if rho <= 0 or arms < 1:
        raise InvalidInputError("rho_or_arms_not_positive", rho=rho, arms=arms)
    unscored = information <= 0
    # The bound has no value at T = 0; the range of utilities takes its place below.
    safe = np.where(unscored, 1.0, information)
    shifted = safe + rho
    log_term = np.log(arms / (2 * delta) * np.sqrt(shifted / rho) + 1)
    radius: FloatArray = sigma * np.sqrt(2 * shifted * log_term) / safe
    radius[unscored] = UNSCORED_RADIUS
    return radius


def pair_radius(
    inside: FloatArray,
    outside: FloatArray,
    *,
    sigma: float,
    delta: float,
    pairs: int,
    rho: float = RHO,
) -> FloatArray:
    """Bound the error of the difference of two arms' estimates, at every moment at once.

    The product of two normal mixtures is a martingale; Ville's inequality bounds it and the
    Cauchy-Schwarz inequality turns the sum of squares into a bound on the difference. An arm
    without a score adds no martingale, only `UNSCORED_RADIUS`.

    Args:
        inside: Information of the first arms, any shape.
        outside: Information of the second arms, a shape that broadcasts with `inside`.
        sigma: Sub-Gaussian constant of one weak pull, in score units.
        delta: Allowed probability that any pair's bound is ever wrong.
        pairs: Number of pairs in the union bound: K (n - K).
        rho: Information at which the bound is tightest.

    Returns:
        One radius per pair, in the broadcast shape.

    Raises:
        InvalidInputError: If sigma, rho or pairs is not positive or delta lies outside (0, 1).

    Source:
        Kaufmann and Koolen 2021 (products of mixture martingales); derived here for the
        Gaussian case: sigma sqrt(2 beta ((Ta+rho)/Ta^2 + (Tb+rho)/Tb^2)) with
        beta = ln(pairs / delta) + ln(1 + Ta/rho) / 2 + ln(1 + Tb/rho) / 2.
    """
    _check(sigma=sigma, delta=delta)
    if rho <= 0 or pairs < 1:
        raise InvalidInputError("rho_or_pairs_not_positive", rho=rho, pairs=pairs)
    beta = math.log(pairs / delta) + (np.log1p(inside / rho) / 2 + np.log1p(outside / rho) / 2)
    spread = _mixture_spread(inside, rho) + _mixture_spread(outside, rho)
    unscored = UNSCORED_RADIUS * ((inside <= 0) * 1.0 + (outside <= 0) * 1.0)
    radius: FloatArray = sigma * np.sqrt(2 * beta * spread) + unscored
    return radius


def _mixture_spread(information: FloatArray, rho: float) -> FloatArray:
    """Return (T + rho) / T^2, or 0 for an arm that has no score."""
    scored = information > 0
    safe = np.where(scored, information, 1.0)
    return np.where(scored, (safe + rho) / safe**2, 0.0)


def _check(*, sigma: float, delta: float) -> None:
    """Raise for a spread or an error probability outside its range."""
    if not sigma > 0:
        raise InvalidInputError("sigma_not_positive", sigma=sigma)
    if not 0 < delta < 1:
        raise InvalidInputError("delta_out_of_range", delta=delta)
