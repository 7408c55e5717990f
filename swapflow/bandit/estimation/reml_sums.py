"""Sums over the marks of one kind, which the restricted likelihood is computed from."""

from dataclasses import dataclass

import numpy as np
import scipy

from swapflow.bandit.situation import FloatArray, IntArray, Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class KindSums:
    """Sums over the marks of one kind: eliminated block (E), kept block with levels (Q), cross."""

    count: int
    square: float
    eliminated: FloatArray
    cross: "scipy.sparse.csr_array"
    kept: "scipy.sparse.csr_array"
    eliminated_total: FloatArray
    kept_total: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The row and column of each effect in the equations."""

    arms: int
    columns: int
    kinds: int
    arms_kept: bool

    def sums(self, scores: Scores, column: IntArray, kind: int) -> KindSums:
        """Sum the marks of one kind."""
        own = np.flatnonzero(scores.kind == kind)
        mark = scores.mark[own]
        rows = np.arange(own.size)
        known = column[own] >= 0
        arm = self._design(rows, scores.arm[own], own.size, self.arms)
        severity = self._design(rows[known], column[own][known], own.size, self.columns)
        level = self._design(rows, np.full(own.size, kind), own.size, self.kinds)
        kept, gone = (arm, severity) if self.arms_kept else (severity, arm)
        kept = scipy.sparse.csr_array(scipy.sparse.hstack([kept, level]))
        return KindSums(
            count=own.size,
            square=float(mark @ mark),
            eliminated=np.asarray(gone.sum(axis=0)).ravel().astype(np.float64),
            cross=scipy.sparse.csr_array(gone.T @ kept),
            kept=scipy.sparse.csr_array(kept.T @ kept),
            eliminated_total=gone.T @ mark,
            kept_total=kept.T @ mark,
        )

    @staticmethod
    def _design(
        row: IntArray, column: IntArray, rows: int, columns: int
    ) -> "scipy.sparse.csr_array":
        return scipy.sparse.csr_array((np.ones(row.size), (row, column)), shape=(rows, columns))


def inverse_of(factor: FloatArray) -> FloatArray:
    """Invert a matrix from its lower Cholesky factor."""
    # LAPACK fills the lower half alone.
    lower, _ = scipy.linalg.lapack.dpotri(factor, lower=True)
    lower = np.tril(lower)
    return np.asarray(lower + np.tril(lower, -1).T)


def misfit(sums: KindSums, eliminated: FloatArray, kept: FloatArray) -> float:
    """Return the sum of one kind's squared marks less everything estimated."""
    fit = (
        eliminated @ (sums.eliminated * eliminated)
        + kept @ (sums.kept @ kept)
        + 2 * eliminated @ (sums.cross @ kept)
    )
    met = eliminated @ sums.eliminated_total + kept @ sums.kept_total
    # A difference of large sums: rounding may leave it just below 0.
    return max(float(sums.square - 2 * met + fit), 0.0)


def trace_of(
    sums: KindSums,
    diagonal: FloatArray,
    scaled: "scipy.sparse.csr_array",
    inverse: FloatArray,
) -> float:
    """Return the trace of the inverse times a kind's cross products: its uncertainty."""
    own = scipy.sparse.csr_array(scipy.sparse.diags_array(sums.eliminated) @ scaled)
    inner = (scaled.T @ own - 2 * (sums.cross.T @ scaled) + sums.kept).toarray()
    return float(np.sum(sums.eliminated / diagonal) + np.sum(inner * inverse))
