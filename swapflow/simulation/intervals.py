"""Honest error bars: how far a figure from a number of runs may be off."""

import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtri, stdtrit

from swapflow.bandit.situation import FloatArray
from swapflow.domain.interval import Interval


def share_interval(hits: int, of: int, *, confidence: float = 0.95) -> Interval:
    """Return a share with Wilson's interval, which is right for 0 hits and for small numbers too.

    Without any run nothing is known: the interval is [0, 1].
    """
    if not of:
        return Interval(math.nan, 0.0, 1.0)
    z = float(ndtri((1 + confidence) / 2))
    share = hits / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z / (1 + z * z / of) * math.sqrt(share * (1 - share) / of + (z / (2 * of)) ** 2)
    # At the ends the bound is the end itself; rounding must not move it past the value.
    low = 0.0 if hits == 0 else middle - half
    high = 1.0 if hits == of else middle + half
    return Interval(share, low, high)


def mean_interval(values: FloatArray, *, confidence: float = 0.95) -> Interval:
    """Return a mean with Student's interval; with fewer than two values it has no bounds."""
    if not values.size:
        return Interval(math.nan, -math.inf, math.inf)
    mean = float(values.mean())
    if values.size == 1:
        return Interval(mean, -math.inf, math.inf)
    error = float(values.std(ddof=1)) / math.sqrt(values.size)
    half = float(stdtrit(values.size - 1, (1 + confidence) / 2)) * error
    return Interval(mean, mean - half, mean + half)


def bootstrap_interval(
    values: FloatArray,
    statistic: Callable[[FloatArray], float],
    *,
    rng: np.random.Generator,
    resamples: int = 1000,
    confidence: float = 0.95,
) -> Interval:
    """Return any figure with the interval of its values on resampled data.

    Args:
        values: One row per run (or whatever was drawn independently), shape (runs, …).
        statistic: Makes the figure of rows.
        rng: Draws the rows.
        resamples: How often.
        confidence: Share of the resampled figures within the bounds.
    """
    rows = values.shape[0]
    figures = [statistic(values[rng.integers(rows, size=rows)]) for _ in range(resamples)]
    tail = (1 - confidence) / 2
    low, high = np.quantile(np.array(figures), (tail, 1 - tail))
    return Interval(statistic(values), float(low), float(high))
