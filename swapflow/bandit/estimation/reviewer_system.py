"""The equations of the reviewers that remain when the applicants are eliminated.

The mixed model equations couple every arm to the reviewers who marked it. The arms' block is
diagonal, so they are eliminated, and one system of the size of the reviewers remains:

    S = diag(G + λ) - C' D⁻¹ C

with G the information that each reviewer gave, λ their prior precision in units of the noise's,
C the information of each arm and reviewer, and D the arms' diagonal. Few reviewers are solved
exactly, with the dense inverse. Many are solved by conjugate gradients, which need C alone, with
traces from fixed probes: time and memory then grow with the marks, not with arms times reviewers.

Source:
    Hestenes and Stiefel 1952 for the solution; Hutchinson 1989 for traces from random signs.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from swapflow.bandit.situation import FloatArray


EXACT_REVIEWERS = 300
"""Most reviewers for whom the dense inverse is computed; it is exact, and as quick up to there."""

PROBES = 8
"""Random signs that a trace is estimated from; see `ReviewerTraces`."""

PROBE_SEED = 2019
"""Fixed, so that equal marks give equal traces on every machine."""

LARGEST_RESIDUAL = 1e-12
"""Share of a right side that may be left at the end: less than what a record keeps."""

MOST_STEPS = 1000
"""Steps after which conjugate gradients end whatever is left; real panels need about 15."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerTraces:
    """What the reviewers' uncertainty adds up to, in units of the noise variance.

    From probes both are estimates. The diagonals of the matrices count exactly, because a sign's
    square is 1; only what reviewers share is estimated.

    Attributes:
        reviewers: Sum of the reviewers' variances, tr S⁻¹.
        arms: What the reviewers' uncertainty adds to the arms' variances, tr(D⁻¹ C S⁻¹ C' D⁻¹).
    """

    reviewers: float
    arms: float


@dataclass(frozen=True, kw_only=True)
class ReviewerSystem:
    """The reviewers' equations at given variances.

    Attributes:
        cross: Information of each arm and reviewer (C), shape (arms, reviewers).
        arm_diagonal: Information and prior precision of each arm (D), shape (arms,).
        own: Information and prior precision of each reviewer (G + λ), shape (reviewers,).
    """

    cross: "scipy.sparse.csr_array"
    arm_diagonal: FloatArray
    own: FloatArray

    def solve(
        self,
        right: FloatArray,
        start: FloatArray | None = None,
        *,
        residual: float = LARGEST_RESIDUAL,
    ) -> FloatArray:
        """Solve S x = right for every column.

        Args:
            right: The right sides, shape (reviewers, columns).
            start: A guess at the solutions; a close one saves steps.
            residual: Share of each right side that may be left; unused where the inverse is exact.

        Returns:
            Shape (reviewers, columns).
        """
        if self._exact:
            return np.asarray(self._inverse @ right)
        return self._conjugate_gradients(right, start, residual)

    def traces(self, solved_probes: FloatArray) -> ReviewerTraces:
        """Compute the traces.

        Args:
            solved_probes: The solutions for `probes`, shape (reviewers, probes); unused where the
                inverse is exact.
        """
        if self._exact:
            twice = self._scaled_by(1 / self.arm_diagonal)
            shared = (twice.T @ twice).toarray()
            return ReviewerTraces(
                reviewers=float(np.trace(self._inverse)),
                arms=float(np.sum(shared * self._inverse)),
            )
        signs = self.probes
        spread = (self.cross @ signs) / self.arm_diagonal[:, None]
        solved_spread = (self.cross @ solved_probes) / self.arm_diagonal[:, None]
        return ReviewerTraces(
            reviewers=float(np.sum(signs * solved_probes)) / PROBES,
            arms=float(np.sum(spread * solved_spread)) / PROBES,
        )

    @cached_property
    def probes(self) -> FloatArray:
        """Signs of ±1, shape (reviewers, probes); no columns where the inverse is exact."""
        if self._exact:
            return np.empty((self.own.size, 0))
        rng = np.random.default_rng(PROBE_SEED)
        return np.asarray(
            rng.integers(0, 2, (PROBES, self.own.size)).T * 2.0 - 1.0, dtype=np.float64
        )

    @property
    def _exact(self) -> bool:
        return self.own.size <= EXACT_REVIEWERS

    @cached_property
    def _inverse(self) -> FloatArray:
        """S⁻¹, dense."""
        scaled = self._scaled
        dense = np.diag(self.own) - (scaled.T @ scaled).toarray()
        return np.asarray(np.linalg.inv(dense), dtype=np.float64)

    @cached_property
    def _scaled(self) -> "scipy.sparse.csr_array":
        """D^-½ C, so that S = diag(own) - scaled' scaled."""
        return self._scaled_by(1 / np.sqrt(self.arm_diagonal))

    def _scaled_by(self, factors: FloatArray) -> "scipy.sparse.csr_array":
        """Return C with every arm's row multiplied by its factor."""
        cross = self.cross
        data = cross.data * np.repeat(factors, np.diff(cross.indptr))
        return scipy.sparse.csr_array((data, cross.indices, cross.indptr), shape=cross.shape)

    def _conjugate_gradients(
        self, right: FloatArray, start: FloatArray | None, residual: float
    ) -> FloatArray:
        """Solve all columns side by side, preconditioned by the diagonal."""
        scaled, turned = self._scaled, scipy.sparse.csr_array(self._scaled.T)
        own = self.own[:, None]
        squares = np.bincount(scaled.indices, scaled.data**2, minlength=self.own.size)
        preconditioner = 1 / (self.own - squares)[:, None]

        solution = np.zeros_like(right) if start is None else start.copy()
        left = right - own * solution + turned @ (scaled @ solution)
        enough = residual**2 * np.maximum((right**2).sum(axis=0), np.finfo(float).tiny)
        toward = preconditioner * left
        direction = toward.copy()
        product = (left * toward).sum(axis=0)
        for _ in range(MOST_STEPS):
            if np.all((left**2).sum(axis=0) <= enough):
                break
            image = own * direction - turned @ (scaled @ direction)
            # A column that is solved has no direction left; its step is 0.
            step = _ratio(product, (direction * image).sum(axis=0))
            solution += step * direction
            left -= step * image
            toward = preconditioner * left
            before, product = product, (left * toward).sum(axis=0)
            direction = toward + _ratio(product, before) * direction
        return solution


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
