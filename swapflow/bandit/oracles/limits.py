"""Conditions of a cohort: places, quotas over crossing groups, and pinned arms.

Arms that belong to the same groups form a cell. Limits and targets depend only on how many arms
each cell has in the cohort, and a cell's largest utilities are always best; so a cohort is a count
per cell. Groups of one attribute make few cells, several attributes one for each combination that
occurs.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from swapflow.bandit.situation import BoolArray, FloatArray, IntArray
from swapflow.errors import InvalidInputError
from swapflow.messages import Message


SLACK = 1e-9
"""Room for rounding where shares of a cohort are compared."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Limit:
    """Limits on the number of arms of one group in a cohort.

    Attributes:
        name: Name of the group in messages, e.g. `region = North`.
        members: Which arms belong to it, shape (n,).
        minimum: Fewest; maximum: most, None for no limit.
        minimum_share: Smallest share of the cohort; maximum_share: largest share.
    """

    name: str
    members: BoolArray
    minimum: int = 0
    maximum: int | None = None
    minimum_share: float = 0.0
    maximum_share: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Target:
    """A number of arms of one group that earns credit without being required.

    The k-th of `number` members adds worth · (√k - √(k-1)) / √number: together they add `worth`,
    each less than the one before.
    """

    name: str
    members: BoolArray
    number: int
    worth: float

    def credits(self) -> FloatArray:
        """Return the credit of each member, falling, shape (number,)."""
        roots = np.sqrt(np.arange(self.number + 1))
        return np.asarray(self.worth * np.diff(roots) / roots[-1])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Terms:
    """The conditions that a cohort must satisfy and the targets that earn it credit.

    Attributes:
        size: Most arms in a cohort (K).
        least: Fewest; below `size` places may stay empty.
        bar: Worth of an empty place: beyond `least` only arms above it are taken.
        limits: Quotas. Groups may overlap.
        targets: Groups that earn credit.
        pinned: 1 for arms that must be in, -1 for arms that must be out, else 0, shape (n,).
    """

    size: int
    pinned: IntArray
    least: int | None = None
    bar: float = 0.0
    limits: tuple[Limit, ...] = ()
    targets: tuple[Target, ...] = ()

    @property
    def fewest(self) -> int:
        """Fewest arms in a cohort."""
        return self.size if self.least is None else self.least

    @property
    def n(self) -> int:
        """Number of arms."""
        return self.pinned.size


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CellLimits:
    """The terms, over counts per cell of the arms that are not pinned.

    Attributes:
        cell: Cell of each arm, -1 where it is pinned, shape (n,).
        room: Arms in each cell, shape (cells,).
        weights: How much one arm of each cell counts in each row, shape (rows, cells); the first
            row counts places, the others follow the limits.
        lower: Least sum of each row; upper: most, shape (rows,). Pinned arms are already
            subtracted.
        credits: For each target its cells, shape (cells,), and the credit of each further member.
        fixed: Arms pinned in, sorted.
    """

    cell: IntArray
    room: IntArray
    weights: FloatArray
    lower: FloatArray
    upper: FloatArray
    credits: tuple[tuple[BoolArray, FloatArray], ...]
    fixed: IntArray

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.room.size

    def holds(self, counts: IntArray) -> bool:
        """Whether counts per cell satisfy the terms."""
        sums = self.weights @ counts
        inside = (sums >= self.lower - SLACK) & (sums <= self.upper + SLACK)
        return bool(inside.all() and (counts >= 0).all() and (counts <= self.room).all())

    def credit(self, counts: IntArray) -> float:
        """Return the credit that the targets give."""
        return sum(
            float(worth[: int(counts[members].sum())].sum()) for members, worth in self.credits
        )

    def exchanges(self, counts: IntArray) -> tuple[BoolArray, FloatArray]:
        """Return between which cells one arm may be exchanged, and the credit gained.

        The last row and column are an empty place: an arm leaves without a replacement, or enters
        without another leaving.

        Returns:
            Whether the terms still hold and the credit gained, both (cells + 1, cells + 1):
            the leaving arm's cell by the entering one's. Whether a cell has an arm to leave or to
            enter is not checked.
        """
        cells = np.arange(self.cells + 1)
        return self.exchanges_of(counts, cells[:, None], cells[None, :])

    def exchanges_of(
        self, counts: IntArray, leaving: IntArray, entering: IntArray
    ) -> tuple[BoolArray, FloatArray]:
        """Compute `exchanges` for some cells only: two arrays of cells that broadcast."""
        sums = self.weights @ counts
        weights = np.column_stack([self.weights, np.zeros(self.lower.size)])
        shape = np.broadcast_shapes(leaving.shape, entering.shape)
        allowed = np.ones(shape, dtype=np.bool_)
        for row, total, least, most in zip(weights, sums, self.lower, self.upper, strict=True):
            after = total - row[leaving] + row[entering]
            allowed &= (after >= least - SLACK) & (after <= most + SLACK)
        gained = np.zeros(shape)
        for members, worth in self.credits:
            held = int(counts[members].sum())
            # One more adds the next credit, one less loses the last.
            more = worth[held] if held < worth.size else 0.0
            less = worth[held - 1] if 0 < held <= worth.size else 0.0
            belongs = np.append(members, False)
            gained += np.where(~belongs[leaving] & belongs[entering], more, 0.0)
            gained -= np.where(belongs[leaving] & ~belongs[entering], less, 0.0)
        return allowed, gained


def grid_of(terms: Terms, *, also: Sequence[BoolArray] = ()) -> CellLimits:
    """Build the limits over cells; does not check whether any cohort satisfies them.

    Args:
        terms: The terms.
        also: Further groups that no cell may divide, each as its members, shape (n,).

    Raises:
        InvalidInputError: If the arrays do not belong together.
    """
    _check(terms)
    cell, patterns = _cells([*_memberships(terms), *also], terms.n)
    fixed = np.flatnonzero(terms.pinned > 0)
    # Pinned arms leave the cells: nothing about them is left to choose.
    cell[terms.pinned != 0] = -1
    rows = limit_rows(terms)
    weights = np.array([row.weights(patterns) for row in rows])
    held = np.array([row.held(terms, fixed) for row in rows])
    # The first credits of a target are earned by its members that are pinned in.
    worth = tuple(
        (
            patterns[:, len(terms.limits) + index],
            target.credits()[int(target.members[fixed].sum()) :],
        )
        for index, target in enumerate(terms.targets)
    )
    return CellLimits(
        cell=cell,
        room=np.bincount(cell[cell >= 0], minlength=patterns.shape[0]).astype(np.int64),
        weights=weights,
        lower=np.array([row.lower for row in rows]) - held,
        upper=np.array([row.upper for row in rows]) - held,
        credits=worth,
        fixed=fixed,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRow:
    """One row of the terms: a sum over the cohort that lies between two numbers.

    Attributes:
        limit: Which limit it comes from; -1 for the number of places.
        share: Subtracted for every arm of the cohort: a share is compared with its size.
    """

    limit: int
    lower: float
    upper: float
    share: float = 0.0

    def weights(self, patterns: BoolArray) -> FloatArray:
        """Return how much one arm of each cell counts."""
        if self.limit < 0:
            return np.ones(patterns.shape[0])
        return np.asarray(patterns[:, self.limit] - self.share, dtype=np.float64)

    def held(self, terms: Terms, fixed: IntArray) -> float:
        """Return how much the arms pinned in count."""
        if self.limit < 0:
            return float(fixed.size)
        return float(terms.limits[self.limit].members[fixed].sum() - self.share * fixed.size)

    def give_way(self, terms: Terms, *, held: int, size: int) -> tuple[Terms, Message]:
        """Change the terms so that a cohort of `held` members or `size` arms satisfies the row."""
        if self.limit < 0:
            return _other_size(terms, size)
        limit = terms.limits[self.limit]
        if self.share:
            low = self.upper == np.inf
            before = limit.minimum_share if low else limit.maximum_share
            after = held / max(size, 1)
            changed = (
                replace(limit, minimum_share=after) if low else replace(limit, maximum_share=after)
            )
            code = "lower_smallest_share" if low else "raise_largest_share"
            said = Message(code, group=limit.name, before=before, after=after)
        else:
            low = held < self.lower
            changed, said = _other_count(limit, held, size=terms.size, low=low)
        limits = (*terms.limits[: self.limit], changed, *terms.limits[self.limit + 1 :])
        return replace(terms, limits=limits), said


def limit_rows(terms: Terms) -> list[LimitRow]:
    """Build the rows of the terms: places first, then every limit."""
    rows = [LimitRow(limit=-1, lower=terms.fewest, upper=terms.size)]
    # Where places may stay empty a share is no fixed number: it is compared with the cohort's own
    # size, in a row of its own.
    ranged = terms.fewest < terms.size
    for index, limit in enumerate(terms.limits):
        least, most = _counts(limit, terms.size, shares=not ranged)
        if least > 0 or most < np.inf:
            rows.append(LimitRow(limit=index, lower=least, upper=most))
        if ranged and limit.minimum_share > 0:
            rows.append(LimitRow(limit=index, lower=0.0, upper=np.inf, share=limit.minimum_share))
        if ranged and limit.maximum_share < 1:
            rows.append(LimitRow(limit=index, lower=-np.inf, upper=0.0, share=limit.maximum_share))
    return rows


def _counts(limit: Limit, size: int, *, shares: bool = True) -> tuple[float, float]:
    """Return the fewest and the most of a group, shares of a whole cohort included."""
    least = float(limit.minimum)
    most = np.inf if limit.maximum is None else float(limit.maximum)
    if shares:
        least = max(least, math.ceil(limit.minimum_share * size - SLACK))
        most = min(most, math.floor(limit.maximum_share * size + SLACK))
    return least, most


def counts_of(limits: Sequence[Limit], size: int) -> tuple[IntArray, IntArray]:
    """Return the fewest and the most of each group in a cohort of exactly `size` arms."""
    pairs = [_counts(limit, size) for limit in limits]
    return (
        np.array([least for least, _ in pairs], dtype=np.int64),
        np.array([min(most, size) for _, most in pairs], dtype=np.int64),
    )


def _other_size(terms: Terms, size: int) -> tuple[Terms, Message]:
    if terms.fewest == terms.size:
        # Shares were numbers of a full list; another size must not change them.
        least, most = counts_of(terms.limits, terms.size)
        limits = tuple(
            Limit(name=one.name, members=one.members, minimum=int(low), maximum=int(high))
            for one, low, high in zip(terms.limits, least, most, strict=True)
        )
        terms = replace(terms, limits=limits)
    if size > terms.size:
        return replace(terms, size=size), Message("raise_places", before=terms.size, after=size)
    return replace(terms, least=size), Message("fill_places", filled=size, places=terms.size)


def _other_count(limit: Limit, held: int, *, size: int, low: bool) -> tuple[Limit, Message]:
    """Lower a minimum, or raise a maximum, where it may come from a share."""
    if low:
        from_share = math.ceil(limit.minimum_share * size - SLACK) > held
        changed = replace(
            limit,
            minimum=min(limit.minimum, held),
            minimum_share=min(limit.minimum_share, held / size),
        )
        before = max(limit.minimum, math.ceil(limit.minimum_share * size - SLACK))
    else:
        from_share = math.floor(limit.maximum_share * size + SLACK) < held
        changed = replace(
            limit,
            maximum=None if limit.maximum is None else max(limit.maximum, held),
            maximum_share=max(limit.maximum_share, min(1.0, held / size)),
        )
        _, most = _counts(limit, size)
        before = int(most)
    code = "lower_minimum" if low else "raise_maximum"
    named: dict[str, object] = {"group": limit.name, "before": before, "after": held}
    if from_share:
        return changed, Message(f"{code}_share", **named, share=held / size)
    return changed, Message(code, **named)


def _cells(members: Sequence[BoolArray], n: int) -> tuple[IntArray, BoolArray]:
    """Number the combinations of groups that occur; return each arm's, and its groups."""
    if not members:
        return np.zeros(n, dtype=np.int64), np.zeros((1, 0), dtype=np.bool_)
    table = np.column_stack(members)
    packed = np.ascontiguousarray(np.packbits(table, axis=1))
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, cell = np.unique(keys, return_index=True, return_inverse=True)
    return cell.astype(np.int64), table[first]


def _check(terms: Terms) -> None:
    """Raise for arrays of another length, and for a cohort of 0 places."""
    if terms.size < 1:
        raise InvalidInputError("cohort_without_places", size=terms.size)
    for members in _memberships(terms):
        if members.size != terms.n:
            raise InvalidInputError("limit_of_other_arms", members=members.size, arms=terms.n)


def _memberships(terms: Terms) -> list[BoolArray]:
    """Return the members of each limit's group, then of each target's."""
    limits = [limit.members for limit in terms.limits]
    return limits + [target.members for target in terms.targets]
