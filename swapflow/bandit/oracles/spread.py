"""`diverse` over one attribute or several, under limits: where greedy is exact and where not.

The value of a cohort is Σ_t weight_t Σ_g √(max(0, sum of the utilities of group g of t)).

    one attribute, no limits, or limits     greedy is exact for utilities of at least 0:
    on its own groups alone                 `oracle.Diverse` has the proof; a group's least is
                                            taken first and its most bounds the same increments
    several attributes, no other limit      the value is monotone and submodular, so greedy has
    than the places                         at least 1 - 1/e of the best (Nemhauser, Wolsey and
                                            Fisher 1978); exchanges then only improve it
    anything else                           no bound: the best sum under the limits, valued by
                                            the slopes at the last answer, then exchanges

The stop of a rule is a heuristic for all of them, because none is linear.
"""

from dataclasses import dataclass, field

import numpy as np

from swapflow.bandit.oracles.bounded import Answers, counts_by_cell, ranked
from swapflow.bandit.oracles.feasibility import refuse_infeasible
from swapflow.bandit.oracles.limits import SLACK, CellLimits, Terms, grid_of
from swapflow.bandit.oracles.oracle import SMALLEST_SUM
from swapflow.bandit.situation import FloatArray, IntArray
from swapflow.errors import InvalidInputError


ROUNDS = 6
"""Most rounds of slopes at the last answer; the value hardly moves after two or three."""

BETTER = 1e-12
"""Least gain of an exchange, larger than an error of rounding."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attribute:
    """An attribute whose groups a cohort spreads over.

    Attributes:
        groups: Group of each arm, numbered from 0, shape (n,).
        weight: How much it counts beside the others; above 0.
    """

    groups: IntArray
    weight: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class SpreadOracle:
    """Roots of groups' sums, over one attribute or several, under the terms.

    Attributes:
        terms: Limits, pinned arms and a fixed number of places; no targets.
        attributes: The attributes that the cohort spreads over.
        checked: Whether the terms come from `feasibility.feasible`, so that some cohort satisfies
            them.

    Raises:
        InfeasibleError: If no cohort satisfies the terms; names the smallest relaxation.
        InvalidInputError: If the terms have targets or a range of places.
    """

    terms: Terms
    attributes: tuple[Attribute, ...]
    checked: bool = False
    _grid: CellLimits = field(init=False, repr=False)
    _group_of: IntArray = field(init=False, repr=False)
    _cohorts: Answers[IntArray] = field(init=False, repr=False, default_factory=Answers)
    _losses: Answers[FloatArray] = field(init=False, repr=False, default_factory=Answers)

    def __post_init__(self) -> None:
        if self.terms.targets or self.terms.fewest != self.terms.size:
            raise InvalidInputError("targets_need_top_k")
        if not self.checked:
            refuse_infeasible(self.terms)
        also = [one.groups == group for one in self.attributes for group in np.unique(one.groups)]
        grid = grid_of(self.terms, also=also)
        group_of = np.zeros((len(self.attributes), grid.cells), dtype=np.int64)
        free = grid.cell >= 0
        for row, attribute in enumerate(self.attributes):
            group_of[row, grid.cell[free]] = attribute.groups[free]
        object.__setattr__(self, "_grid", grid)
        object.__setattr__(self, "_group_of", group_of)

    @property
    def size(self) -> int:
        """K, the number of arms in every cohort."""
        return self.terms.size

    @property
    def linear(self) -> bool:
        """Whether certificates are proofs: never, as an arm's worth depends on others."""
        return False

    def best(self, utilities: FloatArray) -> IntArray:
        """Find a cohort: greedily, or by slopes, then by exchanges (see the module)."""
        if utilities.size != self.terms.n:
            raise InvalidInputError("terms_of_other_arms", arms=self.terms.n, given=utilities.size)
        return self._cohorts.of(utilities, self._find)

    def value(self, utilities: FloatArray, cohort: IntArray) -> float:
        """Add up the roots of all groups' sums, each clipped at 0."""
        worth = 0.0
        for attribute in self.attributes:
            sums = np.bincount(attribute.groups[cohort], weights=utilities[cohort])
            worth += attribute.weight * float(_root(np.asarray(sums, dtype=np.float64)).sum())
        return worth

    def single_exchange_losses(self, utilities: FloatArray) -> FloatArray:
        """Return the losses of exchanging each arm with every cell's border within the limits."""
        return self._losses.of(utilities, self._exchange_losses)

    def slopes(self, utilities: FloatArray, cohort: IntArray) -> FloatArray:
        """Return Σ_t weight_t / (2 √S), with S the sum of the arm's group in the cohort.

        Where a group has nothing in the cohort, S is the arm's own utility.
        """
        own = np.maximum(utilities, SMALLEST_SUM)
        slope = np.zeros(utilities.size)
        for attribute in self.attributes:
            sums = np.bincount(
                attribute.groups[cohort],
                weights=utilities[cohort],
                minlength=int(attribute.groups.max()) + 1,
            )[attribute.groups]
            slope += attribute.weight / (2 * np.sqrt(np.where(sums > SMALLEST_SUM, sums, own)))
        return slope

    def _exchange_losses(self, utilities: FloatArray) -> FloatArray:
        search = _Search(self, utilities)
        cohort = self.best(utilities)
        inside = np.zeros(utilities.size, dtype=np.bool_)
        inside[cohort] = True
        grid = self._grid
        counts = np.bincount(grid.cell[inside & (grid.cell >= 0)], minlength=grid.cells)
        allowed, _ = grid.exchanges(counts)
        first_out, last_in = search.borders(counts)
        losses = np.full(utilities.size, np.inf)
        for arms, sign, partner, may in (
            (np.flatnonzero(inside & (grid.cell >= 0)), -1.0, first_out, allowed[:-1, :-1]),
            (np.flatnonzero(~inside & (grid.cell >= 0)), 1.0, -last_in, allowed[:-1, :-1].T),
        ):
            if arms.size:
                gained = search.gains(counts, grid.cell[arms], sign * utilities[arms], partner)
                gained[~may[grid.cell[arms]] | ~np.isfinite(partner)[None, :]] = -np.inf
                losses[arms] = -gained.max(axis=1)
        clipped: FloatArray = np.maximum(losses, 0.0)
        return clipped

    def _find(self, utilities: FloatArray) -> IntArray:
        search = _Search(self, utilities)
        least = self._least_of_each()
        counts = search.climbed(least) if least is not None else search.sloped()
        return search.cohort(search.exchanged(counts))

    def _least_of_each(self) -> IntArray | None:
        """Return the counts that greedy starts from; None where crossing limits could block it."""
        grid = self._grid
        if grid.lower.size == 1:
            return np.zeros(grid.cells, dtype=np.int64)
        if len(self.attributes) > 1 or np.unique(self._group_of[0]).size < grid.cells:
            return None
        rows = grid.weights[1:]
        if ((rows > 0).sum(axis=0) > 1).any() or ((rows > 0).sum(axis=1) > 1).any():
            return None
        least = np.maximum(grid.lower[1:], 0) @ rows
        return np.asarray(np.rint(least), dtype=np.int64)


class _Search:
    """Searches for counts per cell, for one oracle and one vector of utilities."""

    def __init__(self, oracle: SpreadOracle, utilities: FloatArray) -> None:
        self._oracle = oracle
        self._grid = oracle._grid  # noqa: SLF001 - the two are one thing in two parts
        self._utilities = utilities
        self._order = ranked(self._grid, utilities)
        self._values = [utilities[arms] for arms in self._order]
        self._prefix = [np.concatenate([[0.0], np.cumsum(part)]) for part in self._values]
        # For each attribute: groups of cells, their number, groups of cells and of pinned arms.
        self._groups = [
            (
                attribute,
                group_of,
                int(attribute.groups.max()) + 1,
                np.concatenate([group_of, attribute.groups[self._grid.fixed]]),
            )
            for attribute, group_of in zip(oracle.attributes, oracle._group_of, strict=True)  # noqa: SLF001 - likewise
        ]

    def climbed(self, counts: IntArray) -> IntArray:
        """Add one arm at a time, each time the one that adds most."""
        grid, counts = self._grid, counts.copy()
        left = round(float(grid.upper[0])) - int(counts.sum())
        first_out, _ = self.borders(counts)
        per_cell = self._per_cell(counts)
        index = np.array([self._next(cell, int(count)) for cell, count in enumerate(counts)])
        for _ in range(left):
            sums = grid.weights @ counts
            room = (sums[:, None] + grid.weights <= grid.upper[:, None] + SLACK).all(axis=0)
            gain = np.where(
                room & np.isfinite(first_out), self._entering(per_cell, first_out), -np.inf
            )
            # Of equal gains the arm of the lowest index.
            best = np.flatnonzero(gain == gain.max())
            cell = int(best[np.argmin(index[best])])
            counts[cell] += 1
            count, part = int(counts[cell]), self._values[cell]
            first_out[cell] = part[count] if count < part.size else np.inf
            per_cell[cell] = self._prefix[cell][count]
            index[cell] = self._next(cell, count)
        return counts

    def _next(self, cell: int, count: int) -> int:
        """Return the best arm outside of a cell with `count` arms in; past the last if none is."""
        arms = self._order[cell]
        return int(arms[count]) if count < arms.size else self._utilities.size

    def sloped(self) -> IntArray:
        """Return the best sum under the limits, utilities weighted by the last answer's slopes."""
        best = counts_by_cell(self._grid, self._utilities)
        worth = self._worth(best)
        for _ in range(ROUNDS):
            slopes = self._oracle.slopes(self._utilities, self.cohort(best))
            counts = counts_by_cell(self._grid, self._utilities * slopes)
            found = self._worth(counts)
            if found <= worth + BETTER:
                break
            best, worth = counts, found
        return best

    def exchanged(self, counts: IntArray) -> IntArray:
        """Exchange one arm for another as long as the value grows, the best exchange first."""
        counts = counts.copy()
        for _ in range(4 * self._oracle.size):
            allowed, _ = self._grid.exchanges(counts)
            first_out, last_in = self.borders(counts)
            cells = np.flatnonzero(np.isfinite(last_in))
            if not cells.size:
                break
            gained = self.gains(counts, cells, -last_in[cells], first_out)
            gained[~allowed[cells, :-1] | ~np.isfinite(first_out)[None, :]] = -np.inf
            gained[np.arange(cells.size), cells] = -np.inf
            place = int(np.argmax(gained))
            leaves, enters = divmod(place, self._grid.cells)
            if gained[leaves, enters] <= BETTER:
                break
            counts[cells[leaves]] -= 1
            counts[enters] += 1
        return counts

    def cohort(self, counts: IntArray) -> IntArray:
        """Return the arms: the best of each cell, and those pinned in."""
        chosen = [arms[:count] for arms, count in zip(self._order, counts, strict=True)]
        return np.sort(np.concatenate([self._grid.fixed, *chosen])).astype(np.int64)

    def borders(self, counts: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return each cell's best arm outside (inf if none) and its worst inside (inf if none)."""
        pairs = list(zip(self._values, counts.tolist(), strict=True))
        first_out = [part[count] if count < part.size else np.inf for part, count in pairs]
        last_in = [part[count - 1] if count else np.inf for part, count in pairs]
        return np.array(first_out), np.array(last_in)

    def gains(
        self, counts: IntArray, cells: IntArray, changes: FloatArray, partner: FloatArray
    ) -> FloatArray:
        """Return how much the value grows when arms move one way and a cell's border the other.

        Args:
            counts: Counts per cell as they are.
            cells: Cell of each moving arm, shape (m,).
            changes: What each adds to its groups, negative where it leaves, shape (m,).
            partner: What each cell's border, which moves the other way, adds to its groups, shape
                (cells,).

        Returns:
            Gains, shape (m, cells).
        """
        back = np.where(np.isfinite(partner), partner, 0.0)
        gained = np.zeros((cells.size, self._grid.cells))
        for attribute, group_of, sums in self._sums(self._per_cell(counts)):
            own, other = group_of[cells], group_of
            roots = _root(sums)
            same = own[:, None] == other[None, :]
            apart = (_root(sums[own] + changes) - roots[own])[:, None] + (
                _root(sums[other] + back) - roots[other]
            )[None, :]
            together = (
                _root(sums[own][:, None] + changes[:, None] + back[None, :]) - roots[own][:, None]
            )
            gained += attribute.weight * np.where(same, together, apart)
        return gained

    def _entering(self, per_cell: FloatArray, first_out: FloatArray) -> FloatArray:
        """Return how much each cell's best arm outside would add."""
        more = np.where(np.isfinite(first_out), first_out, 0.0)
        added = np.zeros(more.size)
        for attribute, group_of, sums in self._sums(per_cell):
            roots = _root(sums[group_of] + more) - _root(sums[group_of])
            added += attribute.weight * roots
        return added

    def _per_cell(self, counts: IntArray) -> FloatArray:
        """Return the sum of each cell's arms in the cohort."""
        pairs = zip(self._prefix, counts.tolist(), strict=True)
        return np.array([float(part[count]) for part, count in pairs])

    def _sums(self, per_cell: FloatArray) -> list[tuple[Attribute, IntArray, FloatArray]]:
        """Return, for each attribute, its cells' groups and the sum of every group."""
        fixed = self._grid.fixed
        values = np.concatenate([per_cell, self._utilities[fixed]])
        found = []
        for attribute, group_of, groups, everyone in self._groups:
            sums = np.bincount(everyone, weights=values, minlength=groups)
            found.append((attribute, group_of, np.asarray(sums, dtype=np.float64)))
        return found

    def _worth(self, counts: IntArray) -> float:
        return self._oracle.value(self._utilities, self.cohort(counts))


def _root(sums: FloatArray) -> FloatArray:
    """Return square roots, 0 where a sum is negative."""
    return np.sqrt(np.maximum(sums, 0.0))
