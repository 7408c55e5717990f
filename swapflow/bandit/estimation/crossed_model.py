"""The crossed model of applicants and reviewers, and its fit by EM."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy

from swapflow.bandit.situation import FloatArray, IntArray, Scores


# A number, not a test of convergence: equal scores must take equal steps on every machine.
EM_STEPS = 20


OFFSET_SPREAD = 0.1
"""Prior sd of a kind's offset; without it the first few scores of a kind are all offset."""


LARGEST_BLOCK = 1_000_000
"""Most entries of an array of arms by columns that is held at once (8 MB)."""


SMALL_MATRIX = 300
"""Most columns whose matrix is inverted as any matrix; Cholesky's way is quicker above."""


# Above 0, because the equations divide by variances.
LEAST_VARIANCE = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """The fitted parameters of the model; a decision records them.

    Attributes:
        level: Mean utility, on the scale of the lowest kind that had scores.
        prior_variance: Variance of utilities between arms.
        noise_variance: Variance of one mark of gain 1 around utility and severity (σ²).
        severity_variance: Variance between reviewers (τ²); 0 where severity is not adjusted.
        offsets: How much more generous each kind is than the lowest scored one, shape (kinds,).
        count: Number of scores that the model was fitted to.
    """

    level: float
    prior_variance: float
    noise_variance: float
    severity_variance: float
    offsets: tuple[float, ...]
    count: int

    def to_dict(self) -> dict[str, float]:
        """Return plain numbers for the decision's record."""
        return {
            "level": self.level,
            "prior_variance": self.prior_variance,
            "noise_variance": self.noise_variance,
            "severity_variance": self.severity_variance,
            "count": float(self.count),
        } | {f"offset_{kind}": offset for kind, offset in enumerate(self.offsets)}

    @classmethod
    def from_dict(cls, record: Mapping[str, float]) -> Self:
        """Read the record that `to_dict` wrote; other keys are ignored.

        Raises:
            KeyError: If a parameter is missing.
        """
        kinds = sum(name.startswith("offset_") for name in record)
        return cls(
            level=record["level"],
            prior_variance=record["prior_variance"],
            noise_variance=record["noise_variance"],
            severity_variance=record["severity_variance"],
            offsets=tuple(record[f"offset_{kind}"] for kind in range(kinds)),
            count=int(record["count"]),
        )


def reviewer_count(scores: Scores) -> int:
    """Return the highest reviewer index plus 1."""
    return int(scores.reviewer.max(initial=-1)) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreColumns:
    """The columns of the design beside the arms: reviewers, kinds, then the level."""

    design: "scipy.sparse.csr_array"
    reviewers: int
    seen: FloatArray
    offset_kinds: tuple[int, ...]
    level: bool

    @classmethod
    def of(
        cls,
        scores: Scores,
        *,
        kinds: int,
        severity: bool,
        kind_offsets: bool,
        level: bool = True,
    ) -> Self:
        """Build the columns, with one row per score."""
        reviewers = reviewer_count(scores) if severity else 0
        scored = np.flatnonzero(np.bincount(scores.kind, minlength=kinds)).tolist()
        # The lowest kind with scores has offset 0: else level and offsets could not be told apart.
        offset_kinds = tuple(scored[1:]) if kind_offsets else ()
        rows, columns = [], []
        if reviewers:
            known = np.flatnonzero(scores.reviewer >= 0)
            rows.append(known)
            columns.append(scores.reviewer[known])
        for position, kind in enumerate(offset_kinds):
            of_kind = np.flatnonzero(scores.kind == kind)
            rows.append(of_kind)
            columns.append(np.full(of_kind.size, reviewers + position))
        width = reviewers + len(offset_kinds)
        if level:
            rows.append(np.arange(scores.mark.size))
            columns.append(np.full(scores.mark.size, width))
            width += 1
        row = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
        column = np.concatenate(columns) if columns else np.zeros(0, dtype=np.int64)
        design = scipy.sparse.csr_array(
            (np.ones(row.size), (row, column)), shape=(scores.mark.size, width)
        )
        # A reviewer without a mark would pass the prior
        # off as an estimate of the severities' spread.
        known_reviewers = scores.reviewer[scores.reviewer >= 0]
        seen = np.bincount(known_reviewers, minlength=reviewers)[:reviewers] > 0
        return cls(
            design=design,
            reviewers=reviewers,
            seen=seen.astype(np.float64),
            offset_kinds=offset_kinds,
            level=level,
        )

    def precision(self, fitted: Fitted) -> FloatArray:
        """Return the prior precision of every column, in units of the noise's precision."""
        severities = np.full(self.reviewers, fitted.noise_variance)
        if self.reviewers:
            severities /= fitted.severity_variance
        offsets = np.full(len(self.offset_kinds), fitted.noise_variance / OFFSET_SPREAD**2)
        return np.concatenate([severities, offsets, np.zeros(int(self.level))])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Solved:
    """Solution of the mixed model equations; variances in units of the noise variance."""

    arm: FloatArray
    arm_variance: FloatArray
    column: FloatArray
    column_variance: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossedModel:
    """The sums that the mixed model equations need, over scored arms only."""

    arm: IntArray
    information: FloatArray
    total: FloatArray
    cross: "scipy.sparse.csr_array"
    gram: FloatArray
    moment: FloatArray
    square: float
    count: int

    @classmethod
    def of(cls, scores: Scores, *, gains: FloatArray, design: "scipy.sparse.csr_array") -> Self:
        """Sum up the scores."""
        arm, slot = np.unique(scores.arm, return_inverse=True)
        weighted = scipy.sparse.diags_array(gains) @ design
        members = scipy.sparse.csr_array(
            (np.ones(slot.size), (slot, np.arange(slot.size))), shape=(arm.size, slot.size)
        )
        return cls(
            arm=arm,
            information=np.bincount(slot, gains, minlength=arm.size).astype(np.float64),
            total=np.bincount(slot, gains * scores.mark, minlength=arm.size).astype(np.float64),
            cross=scipy.sparse.csr_array(members @ weighted),
            gram=(design.T @ weighted).toarray(),
            moment=weighted.T @ scores.mark,
            square=float(np.sum(gains * scores.mark**2)),
            count=slot.size,
        )

    def solve(self, *, ratio: float, precision: FloatArray) -> _Solved:
        """Solve for all effects.

        The arms' block is diagonal, so they are eliminated, and one dense system of the size
        of the reviewers (and kinds) remains.

        Args:
            ratio: Noise variance over prior variance.
            precision: Prior precision of the columns, in units of the noise's precision.
        """
        diagonal, scaled, schur = self._eliminate(ratio, precision)
        inverse = _inverse_of(schur)
        column = inverse @ (self.moment - scaled.T @ self.total)
        return _Solved(
            arm=(self.total - self.cross @ column) / diagonal,
            arm_variance=1 / diagonal + _shared_variance(scaled, inverse),
            column=column,
            column_variance=np.diag(inverse).copy(),
        )

    def draw_arms(
        self, *, fitted: Fitted, precision: FloatArray, count: int, rng: np.random.Generator
    ) -> FloatArray:
        """Draw the effects of the scored arms from their joint posterior, shape (count, arms).

        The columns (severities) are drawn first and the arms given them, so arms that the same
        reviewer has seen move together.

        Args:
            fitted: Supplies the variances.
            precision: Prior precision of the columns, in units of the noise's precision.
            count: Number of draws.
            rng: Source of the draws: columns of all draws first, then arms.
        """
        noise = fitted.noise_variance
        diagonal, scaled, schur = self._eliminate(noise / fitted.prior_variance, precision)
        expected = np.linalg.solve(schur, self.moment - scaled.T @ self.total)
        # With schur = L L', the solution of L' x = z has the covariance schur⁻¹.
        factor = np.linalg.cholesky(schur)
        columns = expected[:, None] + math.sqrt(noise) * np.linalg.solve(
            factor.T, rng.standard_normal((expected.size, count))
        )
        given = (self.total[:, None] - self.cross @ columns) / diagonal[:, None]
        own = np.sqrt(noise / diagonal) * rng.standard_normal((count, diagonal.size))
        return np.asarray(given.T + own)

    def _eliminate(
        self, ratio: float, precision: FloatArray
    ) -> tuple[FloatArray, "scipy.sparse.csr_array", FloatArray]:
        """Eliminate the arms: their diagonal, the scaled cross terms, and the columns' system."""
        diagonal = self.information + ratio
        scaled = scipy.sparse.csr_array(scipy.sparse.diags_array(1 / diagonal) @ self.cross)
        schur = self.gram + np.diag(precision) - (self.cross.T @ scaled).toarray()
        return diagonal, scaled, schur

    def residual(self, solved: _Solved) -> float:
        """Return the sum over scores of gain · (mark - estimate)²."""
        crossed = self.cross @ solved.column
        fit = (
            solved.column @ self.gram @ solved.column
            + np.sum(self.information * solved.arm**2)
            + 2 * np.sum(solved.arm * crossed)
        )
        met = self.moment @ solved.column + np.sum(self.total * solved.arm)
        # A difference of large sums: rounding may leave it just below 0.
        return max(float(self.square - 2 * met + fit), 0.0)


def _inverse_of(matrix: FloatArray) -> FloatArray:
    """Invert a symmetric positive definite matrix, by its Cholesky factor where it is large."""
    if len(matrix) <= SMALL_MATRIX:
        return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    factor, failed = scipy.linalg.lapack.dpotrf(matrix, lower=1, clean=1)
    if failed:
        raise np.linalg.LinAlgError
    # The lower triangle alone; above the diagonal it holds zeros.
    lower, _ = scipy.linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)
    inverse = lower + lower.T
    inverse.flat[:: len(matrix) + 1] /= 2
    return np.asarray(inverse, dtype=np.float64)


def _shared_variance(scaled: "scipy.sparse.csr_array", inverse: FloatArray) -> FloatArray:
    """Return what the columns' uncertainty adds to each arm's variance, shape (arms,)."""
    arms, columns = scaled.shape
    # Block by block: an array of all arms by all reviewers took 320 MB at 20,000 by 2,000.
    height = max(LARGEST_BLOCK // max(columns, 1), 1)
    blocks = (scaled[first : first + height] for first in range(0, arms, height))
    sums = [np.asarray((block * (block @ inverse)).sum(axis=1)).ravel() for block in blocks]
    return np.concatenate(sums) if sums else np.zeros(0)


def maximise(
    crossed: CrossedModel,
    columns: ScoreColumns,
    *,
    start: Fitted,
    prior_floor: float,
    guess: float,
    guess_weight: float,
) -> Fitted:
    """Maximise the marginal likelihood by EM."""
    fitted = start
    reviewers = columns.reviewers
    seen = float(columns.seen.sum())
    for _ in range(EM_STEPS):
        noise = fitted.noise_variance
        ratio, precision = noise / fitted.prior_variance, columns.precision(fitted)
        solved = crossed.solve(ratio=ratio, precision=precision)

        # E of the squared residual: what the estimates leave, plus what they leave unknown.
        unknown = (
            crossed.arm.size
            + precision.size
            - ratio * solved.arm_variance.sum()
            - precision @ solved.column_variance
        )
        expected = crossed.residual(solved) + noise * max(float(unknown), 0.0)
        if not math.isinf(guess_weight):
            noise = (expected + guess_weight * guess) / (crossed.count + guess_weight)
        arms = np.mean(solved.arm**2 + fitted.noise_variance * solved.arm_variance)
        severity = (
            solved.column[:reviewers] ** 2
            + fitted.noise_variance * solved.column_variance[:reviewers]
        )
        offsets = list(start.offsets)
        for position, kind in enumerate(columns.offset_kinds):
            offsets[kind] = float(solved.column[reviewers + position])
        fitted = Fitted(
            level=float(solved.column[-1]),
            prior_variance=max(float(arms), prior_floor),
            noise_variance=max(float(noise), LEAST_VARIANCE),
            severity_variance=(
                max(float(severity @ columns.seen) / seen, LEAST_VARIANCE) if seen else 0.0
            ),
            offsets=tuple(offsets),
            count=crossed.count,
        )
    return fitted
