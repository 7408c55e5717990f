"""Restricted maximum likelihood: spreads of reviewers, applicants and noise."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import scipy

from swapflow.bandit.estimation.reml_sums import KindSums, Layout, inverse_of, misfit, trace_of
from swapflow.bandit.situation import FloatArray, IntArray, Scores


CONFIDENCE_DROP = 3.841458820694124
"""How far twice the log likelihood falls at the ends of a 95 % profile interval (χ², 1 degree)."""


SMALLEST_SHARE = 1e-7
"""A variance below this share of the marks' variance is reported as 0."""


LARGEST_SHARE = 20.0
"""Largest multiple of the marks' variance at which a variance is searched for."""


QUADRATIC = 0.15
"""Below this standard error of its logarithm a variance's profile is a parabola to 1 part in 100
of the interval, and the curvature gives the ends without the search."""


NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadInterval:
    """A standard deviation with its 95 % profile interval; `high` is inf where nothing bounds it.

    Attributes:
        value: The estimate, on the scale of the marks.
        low: Lower end; 0 where the data cannot tell it from 0.
        high: Upper end.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """The shrunk severity of one kind's reviewers.

    Attributes:
        reviewer: Their indices, shape (m,).
        severity: How much higher they mark than the others (negative: stricter), shape (m,).
        error: Standard error of each, shape (m,).
        count: How many marks each gave, shape (m,).
    """

    reviewer: IntArray
    severity: FloatArray
    error: FloatArray
    count: IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class _Solved:
    """Solution of the equations at given variances.

    `deviance` is minus twice the restricted log likelihood, `slope` its gradient in the
    logarithms of the variances.
    """

    deviance: float
    slope: FloatArray
    arm: FloatArray
    severity: FloatArray
    severity_variance: FloatArray
    level: FloatArray
    level_covariance: FloatArray


@dataclass(frozen=True, kw_only=True)
class RemlModel:
    """The sums that the likelihood needs.

    Attributes:
        arms: Number of arms.
        kinds: Number of kinds.
        severe_kinds: Kinds of which some reviewer is known.
        reviewers: (kind, reviewer) of each column of severities, and its number of marks.
        sums: Per kind.
        arms_kept: Whether the arms' block is kept and the reviewers' eliminated.
        variance: Variance of all marks, which sets the scale.
    """

    arms: int
    kinds: int
    severe_kinds: tuple[int, ...]
    column_kind: IntArray
    column_reviewer: IntArray
    column_count: IntArray
    sums: tuple[KindSums, ...]
    arms_kept: bool
    variance: float

    @classmethod
    def of(cls, scores: Scores) -> Self:
        """Sum up the marks."""
        arms = int(scores.arm.max()) + 1
        kinds = int(scores.kind.max()) + 1
        known = np.flatnonzero(scores.reviewer >= 0)
        pairs, place, counts = np.unique(
            np.stack([scores.kind[known], scores.reviewer[known]]),
            axis=1,
            return_inverse=True,
            return_counts=True,
        )
        column = np.full(scores.mark.size, -1, dtype=np.int64)
        column[known] = place.ravel()
        columns = pairs.shape[1]
        arms_kept = arms < columns
        layout = Layout(arms=arms, columns=columns, kinds=kinds, arms_kept=arms_kept)
        return cls(
            arms=arms,
            kinds=kinds,
            severe_kinds=tuple(int(kind) for kind in np.unique(pairs[0])),
            column_kind=pairs[0],
            column_reviewer=pairs[1],
            column_count=counts.astype(np.int64),
            sums=tuple(layout.sums(scores, column, kind) for kind in range(kinds)),
            arms_kept=arms_kept,
            variance=max(float(np.var(scores.mark)), 1e-12),
        )

    @property
    def size(self) -> int:
        """Number of variances."""
        return 1 + self.kinds + len(self.severe_kinds)

    @cached_property
    def _severity_place(self) -> IntArray:
        """Index of each severity column's own variance among all variances."""
        order = {kind: 1 + self.kinds + i for i, kind in enumerate(self.severe_kinds)}
        return np.array([order[int(kind)] for kind in self.column_kind], dtype=np.int64)

    def solve(self, logs: FloatArray) -> _Solved:
        """Solve the equations, with one dense factorisation of the kept block."""
        variances = np.exp(logs)
        arm_precision = np.full(self.arms, 1 / variances[0])
        severity_precision = 1 / variances[self._severity_place]
        weights = 1 / variances[1 : 1 + self.kinds]
        blocks = (arm_precision, severity_precision)
        kept_prior, eliminated_prior = blocks if self.arms_kept else blocks[::-1]

        parts = list(zip(weights.tolist(), self.sums, strict=True))
        diagonal = eliminated_prior + sum(w * s.eliminated for w, s in parts)
        cross = scipy.sparse.csr_array(sum(w * s.cross for w, s in parts))
        scaled = scipy.sparse.csr_array(scipy.sparse.diags_array(1 / diagonal) @ cross)
        kept = sum(w * s.kept for w, s in parts)
        schur = np.asarray((kept - cross.T @ scaled).toarray())
        width = kept_prior.size
        schur[np.arange(width), np.arange(width)] += kept_prior

        factor = scipy.linalg.cho_factor(schur, lower=True, overwrite_a=True, check_finite=False)
        eliminated_total = sum(w * s.eliminated_total for w, s in parts)
        kept_total = sum(w * s.kept_total for w, s in parts)
        kept_effect = scipy.linalg.cho_solve(factor, kept_total - scaled.T @ eliminated_total)
        eliminated_effect = (eliminated_total - cross @ kept_effect) / diagonal
        inverse = inverse_of(factor[0])

        squares = sum(w * s.square for w, s in parts)
        remainder = squares - kept_effect @ kept_total - eliminated_effect @ eliminated_total
        deviance = (
            float(np.sum([s.count * math.log(1 / w) for w, s in parts]))
            - float(np.sum(np.log(arm_precision)) + np.sum(np.log(severity_precision)))
            + float(np.sum(np.log(diagonal)))
            + 2 * float(np.sum(np.log(np.diag(factor[0]))))
            + float(remainder)
        )
        spread = np.asarray((scaled * (scaled @ inverse)).sum(axis=1)).ravel()
        eliminated_variance = 1 / diagonal + spread
        kept_variance = np.diag(inverse)[:width]
        kept_own = kept_effect[:width]
        effects = (
            (kept_own, eliminated_effect) if self.arms_kept else (eliminated_effect, kept_own)
        )
        spreads = (kept_variance, eliminated_variance)
        arm_variance, severity_variance = spreads if self.arms_kept else spreads[::-1]
        slope = np.zeros(self.size)
        slope[0] = self.arms - float(np.sum(effects[0] ** 2 + arm_variance)) / variances[0]
        pulled = 1 - (effects[1] ** 2 + severity_variance) * severity_precision
        np.add.at(slope, self._severity_place, pulled)
        for kind, (weight, sums) in enumerate(parts):
            unknown = trace_of(sums, diagonal, scaled, inverse)
            left = misfit(sums, eliminated_effect, kept_effect)
            slope[1 + kind] = sums.count - weight * (unknown + left)
        return _Solved(
            deviance=deviance,
            slope=slope,
            arm=effects[0],
            severity=effects[1],
            severity_variance=severity_variance,
            level=kept_effect[width:],
            level_covariance=inverse[width:, width:],
        )

    # Maximum and intervals

    def maximise(self) -> FloatArray:
        """Find the logarithms of the variances at which the likelihood is highest."""
        start = np.full(self.size, math.log(0.5 * self.variance))
        start[0] = math.log(0.3 * self.variance)
        start[1 + self.kinds :] = math.log(0.05 * self.variance)
        return self._climb(start, held=None)[0]

    def profile(self, best: FloatArray, place: int, *, error: float) -> SpreadInterval:
        """Return a standard deviation with its profile interval.

        `error` is the standard error of the variance's logarithm.
        """
        floor, ceiling = self._bounds
        value = _root(best[place], floor)
        if error < QUADRATIC:
            reach = math.exp(NORMAL_95 * error / 2)
            return SpreadInterval(value=value, low=value / reach, high=value * reach)
        lowest = self.solve(best).deviance
        step = min(NORMAL_95 * error, 2.0)
        ends = [
            self._end(best, place, lowest, sign * step, bound)
            for sign, bound in ((-1, floor), (1, ceiling))
        ]
        return SpreadInterval(
            value=value,
            low=min(_root(ends[0], floor), value),
            high=math.inf if ends[1] >= ceiling else max(math.exp(ends[1] / 2), value),
        )

    def _end(
        self, best: FloatArray, place: int, lowest: float, step: float, bound: float
    ) -> float:
        """Find where the profile has fallen by `CONFIDENCE_DROP`, or return the bound."""
        # Imported here: it is half of what a process would load at its start.
        from scipy import optimize  # noqa: PLC0415 - see above

        near, others = float(best[place]), best
        heights = {near: -CONFIDENCE_DROP}

        def height(at: float) -> float:
            nonlocal others
            if at not in heights:
                start = others.copy()
                start[place] = at
                others, deviance = self._climb(start, held=place)
                heights[at] = deviance - lowest - CONFIDENCE_DROP
            return heights[at]

        if step < 0 and height(bound) < 0:
            return bound  # the usual end where a variance may as well be 0
        while True:
            far = near + step
            if (step < 0 and far <= bound) or (step > 0 and far >= bound):
                far = bound
            if height(far) >= 0:
                found: float = optimize.brentq(height, near, far, xtol=0.03)
                return found
            if far == bound:
                return bound
            near, step = far, 1.5 * step

    def covariance(self, best: FloatArray) -> FloatArray:
        """Compute the covariance of the logarithms of the variances, from the curvature.

        The curvature is taken at the maximum. A variance at its lower bound has none; its own
        entry is then very large.
        """
        width = 1e-3
        curvature = np.empty((self.size, self.size))
        for place in range(self.size):
            step = np.zeros(self.size)
            step[place] = width
            up, down = self.solve(best + step).slope, self.solve(best - step).slope
            curvature[place] = (up - down) / (2 * width)
        # The deviance is twice the log likelihood.
        information = 0.25 * (curvature + curvature.T)
        values, vectors = np.linalg.eigh(information)
        inverse = vectors @ np.diag(1 / np.maximum(values, 1e-8)) @ vectors.T
        return np.asarray(inverse)

    @property
    def _bounds(self) -> tuple[float, float]:
        return (
            math.log(SMALLEST_SHARE * self.variance),
            math.log(LARGEST_SHARE * self.variance),
        )

    def _climb(self, start: FloatArray, held: int | None) -> tuple[FloatArray, float]:
        """Minimise the deviance; one variance may be held at its value."""
        from scipy import optimize  # noqa: PLC0415 - as in `_end`

        free = np.array([place for place in range(self.size) if place != held])

        def deviance(part: FloatArray) -> tuple[float, FloatArray]:
            logs = start.copy()
            logs[free] = part
            solved = self.solve(logs)
            return solved.deviance, solved.slope[free]

        found = optimize.minimize(
            deviance,
            start[free],
            jac=True,
            method="L-BFGS-B",
            bounds=[self._bounds] * free.size,
            options={"ftol": 1e-10, "gtol": 1e-3} if held is None else {"ftol": 1e-6, "gtol": 0.1},
        )
        logs = start.copy()
        logs[free] = found.x
        return logs, float(found.fun)

    def effects(self, solved: _Solved, kind: int) -> Effects | None:
        """Return the effects of one kind's reviewers."""
        own = self.column_kind == kind
        if not own.any():
            return None
        return Effects(
            reviewer=self.column_reviewer[own],
            severity=solved.severity[own],
            error=np.sqrt(solved.severity_variance[own]),
            count=self.column_count[own],
        )


def _root(log: float, floor: float) -> float:
    """Return the standard deviation for a logarithm of a variance; 0 at the floor."""
    return 0.0 if log <= floor + 1e-6 else math.exp(log / 2)
