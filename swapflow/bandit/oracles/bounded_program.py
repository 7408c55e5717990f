"""The best K under crossing limits as an integer program."""

from bisect import bisect_left, bisect_right

import numpy as np
import scipy

from swapflow.bandit.oracles.limits import CellLimits
from swapflow.bandit.oracles.linear_programs import cheapest
from swapflow.bandit.situation import FloatArray, IntArray


SCALE = 1e4
"""Factor on utilities for the solver, which tells values apart only by 1e-7."""


WHOLE = 1e-6
"""A solution this near to whole numbers is whole."""


NEARBY = 3
"""Arms on either side of a cell's border that a first integer program may move."""


STEPS = (0, 1, 2, 3, *(2**power + 1 for power in range(2, 20)))
"""Distances from a cell's border at which its arms are divided."""


class BoundedProgram:
    """The linear program over pieces of every cell's value, refined near the borders."""

    def __init__(self, grid: CellLimits, values: list[FloatArray]) -> None:
        self._grid = grid
        self._values = values
        # Plain lists: a search among some dozen numbers is over before numpy has begun.
        self._falling: list[list[float]] = [(-part).tolist() for part in values]
        self._prefix = [np.concatenate([[0.0], np.cumsum(part)]) for part in values]
        self._sums = np.concatenate(self._prefix)
        self._start = np.cumsum([0, *(part.size for part in self._prefix[:-1])])
        self._credits = [worth for _, worth in grid.credits]

    def relaxed(self) -> FloatArray:
        """Solve the relaxation: counts per cell, usually whole, shape (cells,)."""
        guess = self._guess().tolist()
        cuts = [self._cuts_around(cell, place) for cell, place in enumerate(guess)]
        while True:
            counts = self._solve_lumped(cuts)
            refined = False
            for cell, count in enumerate(counts.tolist()):
                around = self._border(cell, cuts[cell], count)
                if around is not None:
                    cuts[cell] = sorted({*cuts[cell], *self._cuts_around(cell, around)})
                    refined = True
            if not refined:
                return counts

    def integral(self, shares: FloatArray) -> IntArray:
        """Find the best whole counts from the best fractional ones."""
        room = self._grid.room
        border = np.rint(shares).astype(np.int64)
        low = np.maximum(border - NEARBY, 0)
        high = np.minimum(border + NEARBY, room)
        bound, price = self._prices(shares)
        while True:
            found = self._solve_whole(low, high)
            if found is None:
                low = np.maximum(low - 2 * (high - low) - 1, 0)
                high = np.minimum(high + 2 * (high - low) + 1, room)
                continue
            gap = max(bound - self._worth(found), 0.0) + 1e-9
            wider_low = np.minimum(low, self._above(price + gap))
            wider_high = np.maximum(high, self._above(price - gap, equal=True))
            if (wider_low == low).all() and (wider_high == high).all():
                return found
            low, high = wider_low, wider_high

    def _guess(self) -> IntArray:
        """Guess the counts as if the number of places were the only limit."""
        everyone = np.concatenate(self._values)
        places = int(min(max(self._grid.upper[0], 0), everyone.size))
        if places == 0:
            return np.zeros(self._grid.cells, dtype=np.int64)
        cut = np.partition(everyone, everyone.size - places)[everyone.size - places]
        return self._above(np.full(self._grid.cells, cut))

    def _above(self, price: FloatArray, *, equal: bool = False) -> IntArray:
        """Count the arms of each cell that are worth more than its price (or as much)."""
        find = bisect_right if equal else bisect_left
        counts = [
            find(falling, -at) for falling, at in zip(self._falling, price.tolist(), strict=True)
        ]
        return np.array(counts, dtype=np.int64)

    def _cuts_around(self, cell: int, place: int) -> list[int]:
        """Divide a cell's arms: single ones beside a place, longer and longer runs further away.

        Equal arms on either side of the place are kept together: they have the same value.
        """
        falling = self._falling[cell]
        room = len(falling)
        cuts = {0, room}
        for arm in (place - 1, place):
            if 0 <= arm < room:
                cuts.add(bisect_left(falling, falling[arm]))
                cuts.add(bisect_right(falling, falling[arm]))
        for step in STEPS:
            cuts.add(max(place - step, 0))
            cuts.add(min(place + step, room))
            if step >= max(place, room - place):
                break
        return sorted(cuts)

    def _border(self, cell: int, cuts: list[int], count: float) -> int | None:
        """Return where a cell must be divided further.

        None where its border is between single or equal arms: there the lumped value and the
        real one have the same slopes.
        """
        nearest = round(count)
        whole = abs(count - nearest) <= WHOLE
        beside = (nearest - 1, nearest) if whole else (int(count),)
        falling = self._falling[cell]
        for arm in beside:
            if 0 <= arm < len(falling):
                end = bisect_right(cuts, arm)
                if falling[cuts[end - 1]] != falling[cuts[end] - 1]:
                    return nearest if whole else int(count)
        return None

    def _pieces(self, cuts: list[list[int]]) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return each piece's cell, size and value per arm."""
        lengths = [len(part) for part in cuts]
        at = np.concatenate([np.array(part, dtype=np.int64) for part in cuts])
        sums = self._sums[np.repeat(self._start, lengths) + at]
        # The step from the last cut of one cell to the first of the next is no piece.
        inner = np.ones(at.size - 1, dtype=np.bool_)
        inner[np.cumsum(lengths)[:-1] - 1] = False
        cell = np.repeat(np.arange(len(cuts)), [length - 1 for length in lengths])
        size = np.diff(at)[inner].astype(np.float64)
        return cell, size, np.diff(sums)[inner] / size

    def _matrix(
        self, cell: IntArray
    ) -> tuple["scipy.sparse.csc_array", FloatArray, FloatArray, FloatArray]:
        """Build rows and targets over pieces and credits: matrix, both bounds, credits."""
        grid = self._grid
        slots = sum(worth.size for worth in self._credits)
        top = np.hstack([grid.weights[:, cell], np.zeros((grid.lower.size, slots))])
        bottom = np.zeros((len(self._credits), cell.size + slots))
        start = cell.size
        for row, (members, worth) in enumerate(grid.credits):
            bottom[row, : cell.size] = -members[cell].astype(np.float64)
            bottom[row, start : start + worth.size] = 1.0
            start += worth.size
        lower = np.concatenate([grid.lower, np.full(len(self._credits), -np.inf)])
        upper = np.concatenate([grid.upper, np.zeros(len(self._credits))])
        credit = np.concatenate([*self._credits, np.zeros(0)])
        return scipy.sparse.csc_array(np.vstack([top, bottom])), lower, upper, credit

    def _solve_lumped(self, cuts: list[list[int]]) -> FloatArray:
        cell, size, value = self._pieces(cuts)
        matrix, lower, upper, credit = self._matrix(cell)
        found = cheapest(
            -SCALE * np.concatenate([value, credit]),
            matrix,
            lower,
            upper,
            most=np.concatenate([size, np.ones(credit.size)]),
            whole=False,
            presolve=False,
        )
        assert found is not None, "the terms were found to be satisfiable"
        counts = np.bincount(cell, weights=found[: cell.size], minlength=len(cuts))
        return np.asarray(counts, dtype=np.float64)

    def _solve_whole(self, low: IntArray, high: IntArray) -> IntArray | None:
        """Find the best whole counts between two counts per cell; None if there are none."""
        cuts = [list(range(a, b + 1)) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
        cell, size, value = self._pieces(cuts)
        matrix, lower, upper, credit = self._matrix(cell)
        shift = np.concatenate([self._grid.weights @ low, self._credited(low)])
        found = cheapest(
            -SCALE * np.concatenate([value, credit]),
            matrix,
            lower - shift,
            upper - shift,
            most=np.concatenate([size, np.ones(credit.size)]),
            whole=np.concatenate([np.ones(cell.size), np.zeros(credit.size)]),
            presolve=True,
        )
        if found is None:
            return None
        more = np.bincount(cell, weights=found[: cell.size], minlength=len(cuts))
        return low + np.rint(more).astype(np.int64)

    def _credited(self, counts: IntArray) -> FloatArray:
        """Return how much counts take off each target's row."""
        return np.array([-float(counts[members].sum()) for members, _ in self._grid.credits])

    def _prices(self, shares: FloatArray) -> tuple[float, FloatArray]:
        """Return the relaxation's value, and the least worth of an arm of each cell that is in."""
        from scipy.optimize import linprog  # noqa: PLC0415 - as in linear_programs.py

        cuts = [
            self._cuts_around(cell, place)
            for cell, place in enumerate(np.rint(shares).astype(np.int64).tolist())
        ]
        cell, size, value = self._pieces(cuts)
        matrix, lower, upper, credit = self._matrix(cell)
        dense = matrix.toarray()
        finite_up, finite_low = np.isfinite(upper), np.isfinite(lower)
        found = linprog(
            -np.concatenate([value, credit]),
            A_ub=np.vstack([dense[finite_up], -dense[finite_low]]),
            b_ub=np.concatenate([upper[finite_up], -lower[finite_low]]),
            bounds=[(0.0, most) for most in (*size.tolist(), *(1.0 for _ in credit))],
            method="highs",
        )
        assert found.fun is not None, "the terms were found to be satisfiable"
        marginal = found.ineqlin.marginals
        dual = np.zeros(lower.size)
        dual[finite_up] += marginal[: int(finite_up.sum())]
        dual[finite_low] -= marginal[int(finite_up.sum()) :]
        rows = self._grid.weights.T @ dual[: self._grid.lower.size]
        for place, (members, _) in enumerate(self._grid.credits):
            rows = rows - members * dual[self._grid.lower.size + place]
        return -float(found.fun), -rows

    def _worth(self, counts: IntArray) -> float:
        """Return the value of whole counts."""
        sums = sum(
            float(prefix[count]) for prefix, count in zip(self._prefix, counts, strict=True)
        )
        return sums + self._grid.credit(counts)
