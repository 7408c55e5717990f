"""How good a list is by a posterior: its expected loss, and who is likely among the best K.

For a plain sum both have a closed form. Every utility is normal and independent of the others, and
the cut c is the number above which K of them are expected. Against a list M of K arms,

    arms outside M lose by lying above c:    E max(u - c, 0)
    members of M lose by lying below c:      E max(c - u, 0)

In every draw the two sums together are at least what the list loses against the best one, and
exactly that where K utilities lie above c. The c at which their expectation is least is the one
above which K utilities are expected; what is left of the excess comes from draws in which another
number lies above (12 % at 5 places, 2 % at 30). A cut at the posterior means instead, the best
outsider's for members and the last member's for outsiders, gave 1.17 to 1.59 times the true loss.

With limits, targets, a spread or pins no cut exists, so the same numbers come from draws.
"""

import math

import numpy as np
import scipy

from swapflow.bandit.oracles.oracle import Oracle
from swapflow.bandit.situation import BoolArray, FloatArray, IntArray, ListQuality
from swapflow.bandit.ties import DECIMALS, rounded


HALVINGS = 60
"""Evaluations after which the cut is found to the last digit, whatever the start."""

FARTHEST = 8.0
"""Standard deviations beyond the outermost means within which the cut is looked for."""

ROOT_TWO_PI = math.sqrt(2 * math.pi)

NORMAL_90 = 1.645
"""Half the width of a 90 % range of a normal, in standard deviations."""

RANGE_WIDENING = 1.2
"""Factor on the standard deviation of a range: parameters are fitted, and the cut fluctuates.

Chosen once, on redraws of the twin; `swapflow study paper list-quality` measures on other seeds
how often the ranges cover the truth.
"""


def list_quality(mean: FloatArray, deviation: FloatArray, members: IntArray) -> ListQuality:
    """Compute the quality of a list under a plain sum, in closed form.

    Args:
        mean: Posterior mean of each arm, shape (n,).
        deviation: Posterior standard deviation of each arm, at least 0, shape (n,).
        members: The list that is shown, sorted indices, shape (K,). It need not hold the highest
            means: people may have decided otherwise.
    """
    size = members.size
    if size in {0, mean.size}:
        likely = np.full(mean.size, float(size > 0))
        ends = (float(size), float(size))
        return ListQuality(
            expected_loss=0.0,
            loss_range=(0.0, 0.0),
            likely=likely,
            belong=float(size),
            belong_range=ends,
        )
    cut = expected_cut(mean, deviation, size)
    inside = np.zeros(mean.size, dtype=np.bool_)
    inside[members] = True
    # A member loses by lying below the cut, so its distance is mirrored.
    distance = np.where(inside, cut - mean, mean - cut)
    z = _standardised(distance, deviation)
    beyond = scipy.special.ndtr(z)
    density = deviation * np.exp(-0.5 * z * z) / ROOT_TWO_PI
    losses = np.maximum(density + distance * beyond, 0.0)
    squares = (distance**2 + deviation**2) * beyond + distance * density
    spread = math.sqrt(float(np.maximum(squares - losses**2, 0.0).sum()))
    expected = float(losses.sum())

    likely = likely_among(mean, deviation, cut=cut, size=size)
    unsure = likely * (1 - likely)
    of_list, of_all = float(unsure[members].sum()), float(unsure.sum())
    # The members' number varies against a fixed total: what varies inside must also leave.
    variance = of_list * (1 - of_list / of_all) if of_all > 0 else 0.0
    belong = float(likely[members].sum())
    return ListQuality(
        expected_loss=expected,
        loss_range=_range(expected, spread),
        likely=likely,
        belong=belong,
        belong_range=_range(belong, math.sqrt(max(variance, 0.0)), most=size),
    )


def expected_cut(mean: FloatArray, deviation: FloatArray, size: int) -> float:
    """Find the cut above which `size` utilities are expected, rounded to 1e-9.

    Args:
        mean: Posterior means, shape (n,).
        deviation: Posterior standard deviations, shape (n,).
        size: K, above 0 and below n.
    """
    # Newton's steps inside a bracket that is halved wherever a step would not shrink it enough:
    # an arm without any spread makes a jump, at which there is no slope to follow.
    reach = FARTHEST * float(deviation.max())
    low, high = float(mean.min()) - reach, float(mean.max()) + reach
    precise = 0.5 * 10.0 ** -(DECIMALS + 2)
    cut = 0.5 * (low + high)
    for _ in range(HALVINGS):
        z = _standardised(mean - cut, deviation)
        excess = float(scipy.special.ndtr(z).sum()) - size
        if excess > 0:
            low = cut
        else:
            high = cut
        slope = _density_at(z, deviation)
        step = excess / slope if slope > 0 else math.inf
        previous, cut = cut, cut + step
        if abs(step) < precise:
            break
        if not low < cut < high or abs(step) > 0.5 * (high - low):
            cut = 0.5 * (low + high)
        if high - low < precise or cut == previous:
            break
    return round(cut, DECIMALS)


def likely_among(mean: FloatArray, deviation: FloatArray, *, cut: float, size: int) -> FloatArray:
    """Return the probability of each arm to lie above the cut, shape (n,).

    Arms without any spread that lie at the cut share the places that the others leave.
    """
    likely = scipy.special.ndtr(_standardised(mean - cut, deviation))
    tied = (deviation <= 0) & (rounded(mean) == cut)
    if tied.any():
        left = size - float(likely[~tied].sum())
        likely[tied] = min(max(left / np.count_nonzero(tied), 0.0), 1.0)
    return np.asarray(likely)


def quality_of_draws(oracle: Oracle, utilities: FloatArray, members: IntArray) -> ListQuality:
    """Compute the quality of a list under any objective, from joint draws of the posterior.

    Args:
        oracle: Finds and values lists.
        utilities: Draws of all arms' utilities, shape (draws, n).
        members: The list that is shown, sorted indices.
    """
    draws, n = utilities.shape
    counts = np.zeros(n)
    losses, kept = np.zeros(draws), np.zeros(draws)
    for number, drawn in enumerate(utilities):
        best = oracle.best(drawn)
        counts[best] += 1
        kept[number] = np.intersect1d(best, members, assume_unique=True).size
        # An oracle that searches may find less than the list itself is worth.
        losses[number] = max(oracle.value(drawn, best) - oracle.value(drawn, members), 0.0)
    expected, belong = float(losses.mean()), float(kept.mean())
    return ListQuality(
        expected_loss=expected,
        loss_range=_range(expected, float(losses.std())),
        likely=counts / draws,
        belong=belong,
        belong_range=_range(belong, float(kept.std()), most=members.size),
    )


def too_close(quality: ListQuality, tied: BoolArray, *, least: float) -> BoolArray:
    """Return the arms that are too close to call, shape (n,).

    Args:
        quality: Supplies how likely each arm is among the best.
        tied: Arms tied at the cut: they could be exchanged without any loss, so they are too
            close whatever their probabilities are.
        least: Smallest probability, of being among the best or of not being, that counts.
    """
    # A share of draws and a limit of the rules are decimals: .1 must not lie below .1.
    likely = rounded(quality.likely)
    return np.asarray(((likely >= least) & (rounded(1 - likely) >= least)) | tied)


def _standardised(distance: FloatArray, deviation: FloatArray) -> FloatArray:
    """Return distances in standard deviations: infinite, or 0 at the cut, where there is none."""
    if deviation.size and deviation.min() > 0:
        return distance / deviation
    sign = np.sign(distance)
    endless = np.where(sign == 0, 0.0, np.inf * np.where(sign == 0, 1.0, sign))
    return np.divide(distance, deviation, out=endless, where=deviation > 0)


def _density_at(z: FloatArray, deviation: FloatArray) -> float:
    """Return how fast the expected number above the cut falls as the cut rises."""
    spread = deviation > 0
    return float((np.exp(-0.5 * z[spread] ** 2) / deviation[spread]).sum()) / ROOT_TWO_PI


def _range(middle: float, deviation: float, *, most: float = math.inf) -> tuple[float, float]:
    """Return the 90 % range around a number that is at least 0."""
    half = NORMAL_90 * RANGE_WIDENING * deviation
    return max(middle - half, 0.0), min(middle + half, most)
