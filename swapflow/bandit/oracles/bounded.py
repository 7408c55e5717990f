"""The highest sum of utilities under any limits and targets: exact, by linear programming.

`counts_by_cell` finds how many arms each cell has in the cohort (`limits.py`). Within a cell the
value of its c best is concave in c, so the problem is a linear program over the pieces of these
functions. Only the pieces near each cell's border matter: the others are lumped together, and
where the border falls into a lump, the lump is divided and the program solved again. An optimum
whose borders lie between single arms is one of the whole problem, because there the lumped and the
real functions have the same value and the same slopes.

With groups of one or two attributes the solution is in whole numbers (the rows of two partitions
are totally unimodular). Otherwise it may be fractional; then an integer program gives the exact
answer, over the arms whose reduced cost is within the gap (the gap settles all others).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from swapflow.bandit.oracles.bounded_program import WHOLE, BoundedProgram
from swapflow.bandit.oracles.feasibility import refuse_infeasible
from swapflow.bandit.oracles.limits import CellLimits, Terms, grid_of
from swapflow.bandit.situation import BoolArray, FloatArray, IntArray
from swapflow.bandit.ties import rounded
from swapflow.errors import InvalidInputError


SAME_CREDIT = 1e-12
"""Credits that differ by less than this are the same."""

REMEMBERED = 4
"""Number of answers that an oracle keeps: one look asks for the same utilities twice or more."""


Found = TypeVar("Found", FloatArray, IntArray)


class Answers(Generic[Found]):
    """The last few answers of an oracle, by utilities."""

    def __init__(self) -> None:
        self._known: dict[bytes, Found] = {}

    def of(self, utilities: FloatArray, find: Callable[[FloatArray], Found]) -> Found:
        """Return the cached answer, or find it; the caller may change the array."""
        key = utilities.tobytes()
        if key not in self._known:
            while len(self._known) >= REMEMBERED:
                self._known.pop(next(iter(self._known)))
            self._known[key] = find(utilities)
        return self._known[key].copy()


@dataclass(frozen=True, slots=True, eq=False)
class Bounded:
    """The highest sum of utilities and targets' credits that keeps to the terms.

    Credits and the worth of an empty place do not depend on utilities, so the difference of two
    cohorts is a sum of utilities and a constant: certificates stay proofs.

    Attributes:
        terms: Places, limits, targets and pinned arms.
        checked: Whether the terms come from `feasibility.feasible`, so that some cohort satisfies
            them.

    Raises:
        InfeasibleError: If no cohort satisfies them; names the smallest relaxation.
    """

    terms: Terms
    checked: bool = False
    _grid: CellLimits = field(init=False, repr=False)
    _cohorts: Answers[IntArray] = field(init=False, repr=False, default_factory=Answers)

    def __post_init__(self) -> None:
        if not self.checked:
            refuse_infeasible(self.terms)
        object.__setattr__(self, "_grid", grid_of(self.terms))

    @property
    def size(self) -> int:
        """K, the most arms in a cohort."""
        return self.terms.size

    @property
    def linear(self) -> bool:
        """Whether certificates are proofs: always, as cohorts differ by a sum and a constant."""
        return True

    def best(self, utilities: FloatArray) -> IntArray:
        """Find the best cohort; of equal, exchangeable arms it takes the lowest index."""
        self._match(utilities)
        return self._cohorts.of(utilities, self._find)

    def value(self, utilities: FloatArray, cohort: IntArray) -> float:
        """Add up utilities, the worth of empty places, and credits."""
        empty = self.terms.size - cohort.size
        return float(utilities[cohort].sum()) + self.terms.bar * empty + self._credit(cohort)

    def single_exchange_losses(self, utilities: FloatArray) -> FloatArray:
        """Return the losses of exchanging two arms, or an arm and an empty place."""
        inside = np.zeros(utilities.size, dtype=np.bool_)
        inside[self.best(utilities)] = True
        free = self._grid.cell >= 0
        counts = np.bincount(self._grid.cell[inside & free], minlength=self._grid.cells)
        allowed, gained = self._grid.exchanges(counts)
        first_out, last_in = _borders(self._grid, utilities, inside)
        first_out = np.append(first_out, self.terms.bar)
        last_in = np.append(last_in, self.terms.bar)
        # What the best replacement of a cell's arm brings, and the arm that a cell's arm replaces.
        brought = np.where(allowed, first_out[None, :] + gained, -np.inf).max(axis=1)
        spared = np.where(allowed, last_in[:, None] - gained, np.inf).min(axis=0)
        losses = np.full(utilities.size, np.inf)
        cell = self._grid.cell
        leaving, entering = inside & free, ~inside & free
        losses[leaving] = utilities[leaving] - brought[cell[leaving]]
        losses[entering] = spared[cell[entering]] - utilities[entering]
        clipped: FloatArray = np.maximum(losses, 0.0)
        return clipped

    def slopes(self, utilities: FloatArray, cohort: IntArray) -> FloatArray:  # noqa: ARG002 - the slope of a sum is 1 everywhere
        """Return 1 for every arm."""
        return np.ones(utilities.size)

    def _find(self, utilities: FloatArray) -> IntArray:
        counts = counts_by_cell(self._grid, utilities, bar=self.terms.bar)
        order = ranked(self._grid, utilities)
        counts = _lowest_among_equals(self._grid, utilities, order, counts)
        chosen = [arms[:count] for arms, count in zip(order, counts, strict=True)]
        return np.sort(np.concatenate([self._grid.fixed, *chosen]))

    def _credit(self, cohort: IntArray) -> float:
        inside = np.zeros(self.terms.n, dtype=np.bool_)
        inside[cohort] = True
        return sum(
            float(target.credits()[: int(target.members[inside].sum())].sum())
            for target in self.terms.targets
        )

    def _match(self, utilities: FloatArray) -> None:
        if utilities.size != self.terms.n:
            raise InvalidInputError("terms_of_other_arms", arms=self.terms.n, given=utilities.size)


def counts_by_cell(grid: CellLimits, utilities: FloatArray, *, bar: float = 0.0) -> IntArray:
    """Find how many arms each cell has in the best cohort; exact.

    Args:
        grid: The terms, which some cohort must satisfy.
        utilities: One per arm, shape (n,).
        bar: The worth of an empty place, subtracted from every utility.

    Returns:
        Counts, shape (cells,), without pinned arms.
    """
    values = [utilities[arms] - bar for arms in ranked(grid, utilities)]
    if not any(part.size for part in values):
        return np.zeros(grid.cells, dtype=np.int64)
    programme = BoundedProgram(grid, values)
    shares = programme.relaxed()
    whole = np.rint(shares)
    if np.abs(shares - whole).max() > WHOLE:
        return programme.integral(shares)
    return whole.astype(np.int64)


def ranked(grid: CellLimits, utilities: FloatArray) -> list[IntArray]:
    """List the arms of each cell from its best on, lowest index first among equals."""
    order = np.lexsort((-utilities, grid.cell))
    order = order[np.count_nonzero(grid.cell < 0) :]
    borders = np.cumsum(grid.room)[:-1]
    return [part.astype(np.int64) for part in np.split(order, borders)]


def _borders(
    grid: CellLimits, utilities: FloatArray, inside: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Return each cell's best arm outside (-inf if none) and its worst inside (inf if none)."""
    first_out, last_in = np.full(grid.cells, -np.inf), np.full(grid.cells, np.inf)
    free = grid.cell >= 0
    outside, within = free & ~inside, free & inside
    np.maximum.at(first_out, grid.cell[outside], utilities[outside])
    np.minimum.at(last_in, grid.cell[within], utilities[within])
    return first_out, last_in


def _lowest_among_equals(
    grid: CellLimits, utilities: FloatArray, order: list[IntArray], counts: IntArray
) -> IntArray:
    """Replace arms by equal ones of a lower index in other cells, where the terms allow it."""
    counts = counts.copy()
    tidy = rounded(utilities)
    last = np.array([arms[c - 1] if c else -1 for arms, c in zip(order, counts, strict=True)])
    first = np.array(
        [arms[c] if c < arms.size else -1 for arms, c in zip(order, counts, strict=True)]
    )
    for _ in range(utilities.size):
        equal = (
            (last[:, None] > first[None, :])
            & (first[None, :] >= 0)
            & (tidy[last][:, None] == tidy[first][None, :])
        )
        np.fill_diagonal(equal, val=False)
        inside, outside = np.nonzero(equal)
        if inside.size:
            allowed, gained = grid.exchanges_of(counts, inside, outside)
            may = allowed & (np.abs(gained) <= SAME_CREDIT)
            inside, outside = inside[may], outside[may]
        if not inside.size:
            break
        # The arm of the highest index leaves, the equal one of the lowest enters.
        leaves = int(inside[np.argmax(last[inside])])
        candidates = outside[inside == leaves]
        enters = int(candidates[np.argmin(first[candidates])])
        for cell, more in ((leaves, -1), (enters, 1)):
            counts[cell] += more
            arms, count = order[cell], int(counts[cell])
            last[cell] = arms[count - 1] if count else -1
            first[cell] = arms[count] if count < arms.size else -1
    return counts
