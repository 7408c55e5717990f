"""How well reviewers agree: intraclass correlation, Krippendorff's alpha, weighted kappa.

All three compare how far apart two marks of one applicant lie with how far apart any two marks
lie. Intervals come from resampling applicants, since marks of one applicant are not independent.

Written by hand: packages that have alpha lack the intervals, the intraclass correlation and the
weighted kappa. The tests compare alpha with one of them.
"""

from dataclasses import dataclass

import numpy as np

from swapflow.bandit.situation import FloatArray, IntArray, Scores
from swapflow.domain.interval import Interval


RESAMPLES = 1000
MOST_LEVELS = 30
"""Most levels for kappa, which is for scales with few steps; with more it equals alpha in use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Agreement about applicants who have at least two marks.

    Attributes:
        icc: ICC(1), one-way: the share of a single mark's variance that is the applicant.
        icc_mean: The same for the mean of an applicant's marks, at the usual number.
        marks_each: That usual number (harmonic-type mean of the one-way layout).
        alpha: Krippendorff's alpha for interval data.
        kappa: Cohen's kappa with linear weights for interchangeable reviewers, None where the
            marks have too many different values.
        same: Share of pairs of reviewers of one applicant who gave the very same mark.
        apart: Mean distance of two marks of one applicant.
    """

    icc: Interval
    icc_mean: Interval
    marks_each: float
    alpha: Interval
    kappa: Interval | None
    same: Interval
    apart: Interval


def agreement(scores: Scores, *, kind: int = 0, seed: int = 0) -> Agreement | None:
    """Measure agreement over the marks of one kind; None if too few applicants have two."""
    own = scores.kind == kind
    arm, mark = scores.arm[own], scores.mark[own]
    counts = np.bincount(arm)
    own = counts[arm] > 1
    if np.count_nonzero(counts > 1) < 2:  # noqa: PLR2004 - one applicant shows no variation
        return None
    table = _Table.of(arm[own], mark[own])
    # A fixed key: the same marks always show the same interval, on every page and in every export.
    rng = np.random.Generator(np.random.Philox(key=seed))
    weights = rng.multinomial(
        table.items, np.full(table.items, 1 / table.items), size=RESAMPLES
    ).astype(np.float64)
    once = np.ones((1, table.items))
    ends = table.figures(weights)
    return Agreement(
        **{
            name: _interval(float(value[0]), ends[name])
            for name, value in table.figures(once).items()
        },
        kappa=_interval(float(table.kappa(once)[0]), table.kappa(weights))
        if table.levels.size <= MOST_LEVELS
        else None,
        marks_each=float(table.usual(once)[0]),
    )


def _interval(value: float, resampled: FloatArray) -> Interval:
    low, high = np.quantile(resampled, (0.025, 0.975))
    return Interval(value, float(min(low, value)), float(max(high, value)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """Per applicant: the number of marks, their sums, and how often each level was given.

    `pairs` holds per applicant the mean distance and the share of equal marks over its pairs.
    """

    count: FloatArray
    total: FloatArray
    square: FloatArray
    histogram: FloatArray
    levels: FloatArray
    distance: FloatArray
    equal: FloatArray

    @classmethod
    def of(cls, arm: IntArray, mark: FloatArray) -> "_Table":
        _, item = np.unique(arm, return_inverse=True)
        levels, level = np.unique(np.round(mark, 9), return_inverse=True)
        items = int(item.max()) + 1
        count = np.bincount(item, minlength=items).astype(np.float64)
        few = levels.size <= MOST_LEVELS
        histogram = np.zeros((items, levels.size if few else 0))
        if few:
            np.add.at(histogram, (item, level), 1.0)
        distance, equal = _pairs(item, mark, items)
        pairs = count * (count - 1) / 2
        return cls(
            count=count,
            total=np.bincount(item, mark, minlength=items).astype(np.float64),
            square=np.bincount(item, mark**2, minlength=items).astype(np.float64),
            histogram=histogram,
            levels=levels,
            distance=distance / pairs,
            equal=equal / pairs,
        )

    @property
    def items(self) -> int:
        """Number of applicants."""
        return self.count.size

    def usual(self, weights: FloatArray) -> FloatArray:
        """Return the marks per applicant as the one-way layout counts them (n0)."""
        items = weights.sum(axis=1)
        total = weights @ self.count
        return np.asarray((total - weights @ self.count**2 / total) / (items - 1))

    def figures(self, weights: FloatArray) -> dict[str, FloatArray]:
        """Return every figure but kappa, for each row of weights."""
        items, total = weights.sum(axis=1), weights @ self.count
        whole, square = weights @ self.total, weights @ self.square
        means = weights @ (self.total**2 / self.count)
        within = (square - means) / (total - items)
        between = (means - whole**2 / total) / (items - 1)
        usual = self.usual(weights)
        variance = np.maximum(between - within, 0.0) / usual
        noise = np.maximum(within, 1e-15)
        # Alpha weighs an applicant's pairs by 1 / (marks - 1); any two marks are the reference.
        spread = 2 * (self.square - self.total**2 / self.count) * self.count / (self.count - 1)
        observed = weights @ spread / total
        expected = 2 * (square - whole**2 / total) / (total - 1)
        return {
            "icc": variance / (variance + noise),
            "icc_mean": variance / (variance + noise / usual),
            "alpha": 1 - observed / np.maximum(expected, 1e-15),
            "same": weights @ self.equal / items,
            "apart": weights @ self.distance / items,
        }

    def kappa(self, weights: FloatArray) -> FloatArray:
        """Return one minus the observed over the expected distance of two marks."""
        share = weights @ (self.histogram / self.count[:, None])
        share /= share.sum(axis=1, keepdims=True)
        apart = np.abs(self.levels[:, None] - self.levels[None, :])
        expected = np.einsum("ri,ij,rj->r", share, apart, share)
        observed = weights @ self.distance / weights.sum(axis=1)
        return np.asarray(1 - observed / np.maximum(expected, 1e-15))


def _pairs(item: IntArray, mark: FloatArray, items: int) -> tuple[FloatArray, FloatArray]:
    """Sum over each applicant's pairs of marks: the distance, and whether they are equal."""
    order = np.lexsort((mark, item))
    item, mark = item[order], mark[order]
    first = np.searchsorted(item, np.arange(items))
    place = np.arange(item.size) - first[item]
    count = np.bincount(item, minlength=items)[item]
    # In sorted order the i-th of m marks is subtracted from m - 1 - i and added i times.
    distance = np.bincount(item, mark * (2 * place - count + 1), minlength=items)
    key = np.unique(np.stack([item, np.round(mark * 1e9)]), axis=1, return_counts=True)
    runs = key[1].astype(np.float64)
    equal = np.bincount(key[0][0].astype(np.int64), runs * (runs - 1) / 2, minlength=items)
    return distance.astype(np.float64), equal.astype(np.float64)
