"""The fit of the crossed model by Newton's steps, at a cost that grows with the marks.

The variances maximise the restricted likelihood; the guess at the noise counts as a number of
further marks, and the prior variance has a floor, as in `crossed_model.maximise`. EM takes 20
steps towards that maximum and may end before it. Newton's steps on the logarithms of the
variances, with the average information as curvature, reach it in 6 to 10; each needs solutions of
the reviewers' equations and two traces (`reviewer_system.py`), and no array of arms times
reviewers.

Source:
    Patterson and Thompson 1971 for the restricted likelihood; Gilmour, Thompson and Cullis 1995
    for the average information.
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy

from swapflow.bandit.estimation.crossed_model import LEAST_VARIANCE, OFFSET_SPREAD, Fitted
from swapflow.bandit.estimation.reviewer_system import LARGEST_RESIDUAL, ReviewerSystem
from swapflow.bandit.situation import FloatArray, IntArray, Scores


LONGEST_STEP = 1.0
"""Largest change of a variance's logarithm in one step: the curvature holds near by only."""

FIRST_RESIDUAL = 1e-4
"""Share of a right side that solutions far from the maximum may leave, and those of curvatures."""

RESIDUAL_OF_STEP = 1e-3
"""Later solutions leave at most this share of the last step, so that steps shrink as quickly."""

SETTLED_STEP = 1e-10
"""Changes of a logarithm that end the steps: a tenth of what a record keeps."""

MOST_STEPS = 30
"""Steps after which the fit ends; a variance that falls to 0 never settles."""


def maximise_by_newton(
    scores: Scores,
    *,
    gains: FloatArray,
    start: Fitted,
    severity: bool,
    kind_offsets: bool,
    prior_floor: float,
    guess: float,
    guess_weight: float,
) -> Fitted:
    """Find the parameters at which the penalised restricted likelihood is highest.

    Args:
        scores: All scores that count, at least one.
        gains: Information of each score, in units of a mark of gain 1.
        start: Where the steps begin; supplies the offsets of kinds that have none of their own.
        severity: Whether reviewers have a severity of their own.
        kind_offsets: Whether kinds have an offset of their own.
        prior_floor: Least prior variance.
        guess: The guess at the noise variance.
        guess_weight: How many scores that guess is worth; infinite fixes the noise.
    """
    sums = _Sums.of(scores, gains=gains, severity=severity, kind_offsets=kind_offsets)
    least = np.array([prior_floor, LEAST_VARIANCE, LEAST_VARIANCE])
    free = np.array([True, not math.isinf(guess_weight), bool(sums.reviewers)])
    weight = 0.0 if math.isinf(guess_weight) else guess_weight
    variances = np.array([start.prior_variance, start.noise_variance, start.severity_variance])
    variances[free] = np.maximum(variances, least)[free]

    solved, residual = None, FIRST_RESIDUAL
    for _ in range(MOST_STEPS):
        solved = _solve(sums, variances, near=solved, residual=residual)
        slope = sums.slope(solved, variances, guess=guess, guess_weight=weight)
        # A variance at its least value stays there while the likelihood pulls it further down.
        moved = free & ((variances > least) | (slope > 0))
        if not moved.any():
            break
        curvature = _average_information(sums, solved, variances)
        curvature[1, 1] += 0.5 * weight * guess / variances[1]
        step = np.zeros(3)
        step[moved] = _newton_step(slope[moved], curvature[np.ix_(moved, moved)])
        variances = np.where(moved, np.maximum(variances * np.exp(step), least), variances)
        longest = float(np.abs(step).max())
        if longest < SETTLED_STEP:
            break
        residual = min(max(RESIDUAL_OF_STEP * longest, LARGEST_RESIDUAL), FIRST_RESIDUAL)

    solved = _solve(sums, variances, near=solved, residual=LARGEST_RESIDUAL)
    offsets = list(start.offsets)
    for position, kind in enumerate(sums.offset_kinds):
        offsets[kind] = float(solved.fixed[position])
    return Fitted(
        level=float(solved.fixed[-1]),
        prior_variance=float(variances[0]),
        noise_variance=float(variances[1]),
        severity_variance=float(variances[2]) if sums.reviewers else 0.0,
        offsets=tuple(offsets),
        count=scores.mark.size,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sums:
    """The marks with dense numbers of arms and reviewers, and sums that no variance enters.

    The columns of `fixed` are the kinds with an offset of their own, then the level.
    """

    mark: FloatArray
    gain: FloatArray
    arm: IntArray
    reviewer: IntArray
    arms: int
    reviewers: int
    offset_kinds: tuple[int, ...]
    fixed: FloatArray
    arm_information: FloatArray
    reviewer_information: FloatArray
    cross: "scipy.sparse.csr_array"
    cross_fixed: FloatArray
    reviewer_fixed: FloatArray
    gram_fixed: FloatArray

    @classmethod
    def of(cls, scores: Scores, *, gains: FloatArray, severity: bool, kind_offsets: bool) -> Self:
        """Sum up the scores."""
        arms, arm = np.unique(scores.arm, return_inverse=True)
        known = (scores.reviewer >= 0) & severity
        names, of_known = np.unique(scores.reviewer[known], return_inverse=True)
        # Marks without a reviewer are counted under a last column, which is then cut off.
        reviewer = np.full(scores.mark.size, names.size)
        reviewer[known] = of_known
        kinds = np.unique(scores.kind).tolist()
        # The lowest kind with scores has offset 0: else level and offsets could not be told apart.
        offset_kinds = tuple(kinds[1:]) if kind_offsets else ()
        fixed = np.column_stack(
            [(scores.kind == kind).astype(np.float64) for kind in offset_kinds]
            + [np.ones(scores.mark.size)]
        )
        shape = (arms.size, names.size)
        cross = scipy.sparse.coo_array((gains[known], (arm[known], reviewer[known])), shape=shape)
        weighted = gains[:, None] * fixed
        return cls(
            mark=scores.mark,
            gain=gains,
            arm=arm,
            reviewer=reviewer,
            arms=arms.size,
            reviewers=names.size,
            offset_kinds=offset_kinds,
            fixed=fixed,
            arm_information=_by(arm, gains[:, None], arms.size)[:, 0],
            reviewer_information=_by(reviewer, gains[:, None], names.size + 1)[: names.size, 0],
            cross=scipy.sparse.csr_array(cross),
            cross_fixed=_by(arm, weighted, arms.size),
            reviewer_fixed=_by(reviewer, weighted, names.size + 1)[: names.size],
            gram_fixed=fixed.T @ weighted,
        )

    def totals(self, values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Sum gain · value over every arm, reviewer and fixed column; values (marks, columns)."""
        weighted = self.gain[:, None] * values
        return (
            _by(self.arm, weighted, self.arms),
            _by(self.reviewer, weighted, self.reviewers + 1)[: self.reviewers],
            self.fixed.T @ weighted,
        )

    def slope(
        self, solved: "_Solved", variances: FloatArray, *, guess: float, guess_weight: float
    ) -> FloatArray:
        """Compute the gradient of the log likelihood in the logarithms of the variances."""
        prior, noise, severity = variances
        fixed_precision = np.append(np.full(len(self.offset_kinds), noise / OFFSET_SPREAD**2), 0.0)
        unknown = (
            self.arms
            + self.reviewers
            + fixed_precision.size
            - noise / prior * solved.arm_variance
            - (noise / severity * solved.reviewer_variance if self.reviewers else 0.0)
            - float(fixed_precision @ solved.fixed_variance)
        )
        squares = float(np.sum(self.gain * solved.residual**2)) + noise * max(unknown, 0.0)
        arms = float(solved.arm @ solved.arm) + noise * solved.arm_variance
        reviewers = float(solved.reviewer @ solved.reviewer) + noise * solved.reviewer_variance
        count = self.mark.size + guess_weight
        return 0.5 * np.array(
            [
                arms / prior - self.arms,
                (squares + guess_weight * guess) / noise - count,
                reviewers / severity - self.reviewers if self.reviewers else 0.0,
            ]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Solved:
    """Estimates of all effects, and sums of their variances in units of the noise variance.

    The last three fields serve further right sides at the same variances, and the next step.
    """

    arm: FloatArray
    reviewer: FloatArray
    fixed: FloatArray
    residual: FloatArray
    arm_variance: float
    reviewer_variance: float
    fixed_variance: FloatArray
    equations: "_Equations"
    own_solutions: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class _Equations:
    """The equations at given variances, with the fixed columns bordering the reviewers'."""

    sums: _Sums
    system: ReviewerSystem
    border: FloatArray
    solved_border: FloatArray
    fixed_inverse: FloatArray

    def effects(
        self,
        totals: tuple[FloatArray, FloatArray, FloatArray],
        solved: FloatArray,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return arms, reviewers and fixed columns, given the reviewers' own solutions."""
        sums, diagonal = self.sums, self.system.arm_diagonal[:, None]
        right = totals[2] - sums.cross_fixed.T @ (totals[0] / diagonal)
        fixed = self.fixed_inverse @ (right - self.border.T @ solved)
        reviewer = solved - self.solved_border @ fixed
        left = totals[0] - sums.cross @ reviewer - sums.cross_fixed @ fixed
        return left / diagonal, reviewer, fixed

    def right(self, totals: tuple[FloatArray, FloatArray, FloatArray]) -> FloatArray:
        """Return the right sides of the reviewers' equations."""
        diagonal = self.system.arm_diagonal[:, None]
        return np.asarray(totals[1] - self.sums.cross.T @ (totals[0] / diagonal))

    def residual(
        self, values: FloatArray, effects: tuple[FloatArray, FloatArray, FloatArray]
    ) -> FloatArray:
        """Return what the effects leave of the values, shape (marks, columns)."""
        sums = self.sums
        arm, reviewer, fixed = effects
        # The last row serves marks that have no one reviewer.
        reviewer = np.vstack([reviewer, np.zeros((1, reviewer.shape[1]))])
        return np.asarray(values - arm[sums.arm] - reviewer[sums.reviewer] - sums.fixed @ fixed)


def _solve(
    sums: _Sums, variances: FloatArray, *, near: _Solved | None, residual: float
) -> _Solved:
    """Solve for all effects, starting from the solutions at variances near by."""
    prior, noise, severity = variances
    diagonal = sums.arm_information + noise / prior
    own = sums.reviewer_information + (noise / severity if sums.reviewers else 0.0)
    system = ReviewerSystem(cross=sums.cross, arm_diagonal=diagonal, own=own)
    scaled_fixed = sums.cross_fixed / diagonal[:, None]
    border = sums.reviewer_fixed - sums.cross.T @ scaled_fixed
    totals = sums.totals(sums.mark[:, None])
    right = totals[1] - sums.cross.T @ (totals[0] / diagonal[:, None])

    solutions = system.solve(
        np.hstack([right, border, system.probes]),
        None if near is None else near.own_solutions,
        residual=residual,
    )
    width = border.shape[1]
    solved_border = solutions[:, 1 : 1 + width]
    precision = np.append(np.full(width - 1, noise / OFFSET_SPREAD**2), 0.0)
    gram = sums.gram_fixed + np.diag(precision) - sums.cross_fixed.T @ scaled_fixed
    fixed_inverse = np.linalg.inv(gram - border.T @ solved_border)
    equations = _Equations(
        sums=sums,
        system=system,
        border=border,
        solved_border=solved_border,
        fixed_inverse=fixed_inverse,
    )
    effects = equations.effects(totals, solutions[:, :1])
    traces = system.traces(solutions[:, 1 + width :])
    # What the fixed columns' uncertainty adds to the arms' and the reviewers'.
    through = (sums.cross_fixed - sums.cross @ solved_border) / diagonal[:, None]
    return _Solved(
        arm=effects[0][:, 0],
        reviewer=effects[1][:, 0],
        fixed=effects[2][:, 0],
        residual=equations.residual(sums.mark[:, None], effects)[:, 0],
        arm_variance=float(np.sum(1 / diagonal))
        + traces.arms
        + float(np.sum((through @ fixed_inverse) * through)),
        reviewer_variance=traces.reviewers
        + float(np.sum((solved_border @ fixed_inverse) * solved_border)),
        fixed_variance=np.diag(fixed_inverse).copy(),
        equations=equations,
        own_solutions=solutions,
    )


def _average_information(sums: _Sums, solved: _Solved, variances: FloatArray) -> FloatArray:
    """Compute the average information of the logarithms of prior, noise and severity, (3, 3)."""
    reviewer = np.append(solved.reviewer, 0.0)
    # How the marks would move if a variance's logarithm grew by 1.
    moves = np.column_stack([solved.arm[sums.arm], solved.residual, reviewer[sums.reviewer]])
    equations = solved.equations
    totals = sums.totals(moves)
    solved_moves = equations.system.solve(equations.right(totals), residual=FIRST_RESIDUAL)
    effects = equations.effects(totals, solved_moves)
    left = equations.residual(moves, effects)
    information = moves.T @ (sums.gain[:, None] * left) / (2 * variances[1])
    return np.asarray(0.5 * (information + information.T))


def _newton_step(slope: FloatArray, curvature: FloatArray) -> FloatArray:
    """Return the change of the logarithms, no longer than `LONGEST_STEP` in any of them."""
    # Where two variances cannot be told apart the curvature has no inverse; EM has at least
    # half a unit of it for every effect, so a share of the largest keeps the step finite.
    curvature = curvature + 1e-9 * float(np.trace(curvature)) * np.eye(slope.size)
    step = np.linalg.solve(curvature, slope)
    return np.asarray(step * min(1.0, LONGEST_STEP / max(float(np.abs(step).max()), LONGEST_STEP)))


def _by(group: IntArray, values: FloatArray, size: int) -> FloatArray:
    """Sum the rows of each group, shape (size, columns)."""
    return np.column_stack(
        [np.bincount(group, values[:, column], size) for column in range(values.shape[1])]
    )
