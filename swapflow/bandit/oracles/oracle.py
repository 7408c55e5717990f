"""Oracles: each finds the best cohort of exactly K arms under one objective.

    TopK          the K largest utilities
    Diverse       sum over groups of the square root of the group's utility (the paper's w_div)
    DiverseExact  the same objective, also exact when utilities are negative
    Quota         the K largest utilities with a minimum and a maximum per group

All are deterministic: sorts are stable, and of equal choices the lowest index wins. A partial
sort is used only for the value of the K-th largest, which does not depend on its inner order.

Where paper, proofs and the authors' code differ: the paper calls w linear and then uses w_div,
which is not; the authors' greedy oracles may return fewer than K arms once utilities turn
negative (a pick must raise the total), and one breaks ties by the last group. Here a cohort
always has exactly K arms, a group's sum is clipped at 0 before the root, and ties go to the
lowest index.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from swapflow.bandit.situation import BoolArray, FloatArray, IntArray
from swapflow.errors import InfeasibleError, InvalidInputError


SMALLEST_SUM = 1e-6
"""Least sum of a group for the root's slope, which is infinite at 0."""


class Oracle(Protocol):
    """Finds and values cohorts under one objective; immutable."""

    @property
    def size(self) -> int:
        """K, the number of arms in every cohort."""
        ...

    @property
    def linear(self) -> bool:
        """Whether a cohort's value is the sum of its utilities: then certificates are proofs."""
        ...

    def best(self, utilities: FloatArray) -> IntArray:
        """Find the best cohort.

        Args:
            utilities: One per arm, shape (n,); any sign, no NaN.

        Returns:
            Sorted indices, shape (K,).

        Raises:
            InfeasibleError: If no cohort of K arms satisfies the constraints.
            InvalidInputError: If the utilities do not match the oracle's groups.
        """
        ...

    def value(self, utilities: FloatArray, cohort: IntArray) -> float:
        """Value a cohort under the given utilities (w)."""
        ...

    def single_exchange_losses(self, utilities: FloatArray) -> FloatArray:
        """Return, for each arm, the loss of the best exchange of two arms that flips it.

        Flipping a member puts the best possible outsider in its place; flipping an outsider
        replaces the member whose loss costs least. Constraints stay satisfied.

        Returns:
            Losses of value, shape (n,), at least 0; infinite where no exchange is possible.
        """
        ...

    def slopes(self, utilities: FloatArray, cohort: IntArray) -> FloatArray:
        """Return how fast the value moves with each arm's utility, shape (n,), positive."""
        ...


@dataclass(frozen=True, slots=True)
class TopK:
    """The K largest utilities; the value of a cohort is their sum (the paper's w_top)."""

    size: int

    def __post_init__(self) -> None:
        check_size(self.size)

    @property
    def linear(self) -> bool:
        """Whether certificates are proofs: always, as the value is a sum."""
        return True

    def best(self, utilities: FloatArray) -> IntArray:
        """Return the K largest, lowest index first among equals."""
        _check_enough(self.size, utilities.size)
        return np.flatnonzero(largest(utilities, self.size))

    def value(self, utilities: FloatArray, cohort: IntArray) -> float:
        """Add up the cohort's utilities."""
        return float(utilities[cohort].sum())

    def single_exchange_losses(self, utilities: FloatArray) -> FloatArray:
        """Return a member's distance to the (K+1)-th utility, an outsider's to the K-th."""
        _check_enough(self.size, utilities.size)
        if self.size == utilities.size:
            return np.full(utilities.size, np.inf)
        inside = largest(utilities, self.size)
        last_inside = utilities[inside].min()
        first_outside = utilities[~inside].max()
        losses: FloatArray = np.where(inside, utilities - first_outside, last_inside - utilities)
        return losses

    def slopes(self, utilities: FloatArray, cohort: IntArray) -> FloatArray:  # noqa: ARG002 - the slope of a sum is 1 everywhere
        """Return 1 for every arm."""
        return np.ones(utilities.size)


@dataclass(frozen=True, slots=True, eq=False)
class Diverse:
    """Sum over groups of sqrt(max(0, sum of the group's chosen utilities)): the paper's w_div.

    `best` is greedy: every group offers its best arm left, and the offer that adds most is taken,
    K times. For utilities of at least 0 this is exactly optimal, not merely within 1 - 1/e. Proof:
    for a given number c of arms from group g the best choice is its c largest, worth f_g(c) =
    sqrt(sum of the c largest). The increments of the sum fall with c and the root is concave and
    increasing, so the increments of f_g fall with c. The problem is thus to maximise a sum of
    functions with falling increments over counts that add up to K, and any K increments that are
    largest overall form a prefix within every group; greedy takes these. With negative utilities
    the clip breaks the argument: see `DiverseExact`.

    Attributes:
        size: K.
        groups: Group of each arm, numbered from 0, shape (n,).
    """

    size: int
    groups: IntArray

    def __post_init__(self) -> None:
        check_size(self.size)
        check_groups(self.groups)

    @property
    def linear(self) -> bool:
        """Whether certificates are proofs: never, as an arm's worth depends on others.

        Hence the stop at gap <= eps is a heuristic. Arms common to cohort and rival are held
        at their lower bound, where the root changes how much the other arms differ; on one known
        instance 23 % of runs stop on a cohort .4 % below the best.
        """
        return False

    def best(self, utilities: FloatArray) -> IntArray:
        """Add the offer that adds most, K times; of equal offers the lowest index."""
        check_match(self.groups, utilities)
        _check_enough(self.size, utilities.size)
        members = _ranked_members(utilities, self.groups)
        ranked = [utilities[arms].tolist() for arms in members]
        indices = [arms.tolist() for arms in members]

        sums = [0.0] * len(members)
        # The arm's index comes second in each offer, so that of equal gains the lowest index wins.
        offers = [
            (-_root(values[0]), indices[group][0], group, 0)
            for group, values in enumerate(ranked)
            if values
        ]
        heapq.heapify(offers)
        chosen: list[int] = []
        while len(chosen) < self.size:
            _, arm, group, place = offers[0]
            chosen.append(arm)
            sums[group] += ranked[group][place]
            if place + 1 == len(ranked[group]):
                heapq.heappop(offers)
                continue
            gain = _root(sums[group] + ranked[group][place + 1]) - _root(sums[group])
            heapq.heapreplace(offers, (-gain, indices[group][place + 1], group, place + 1))
        return np.sort(np.array(chosen, dtype=np.int64))

    def value(self, utilities: FloatArray, cohort: IntArray) -> float:
        """Add up the roots of the groups' sums, each clipped at 0."""
        sums = np.bincount(self.groups[cohort], weights=utilities[cohort])
        return float(np.sqrt(np.maximum(sums, 0.0)).sum())

    def single_exchange_losses(self, utilities: FloatArray) -> FloatArray:
        """Return the losses of the best exchange, within the arm's group or across groups."""
        cohort = self.best(utilities)
        inside = np.zeros(utilities.size, dtype=np.bool_)
        inside[cohort] = True
        count = int(self.groups.max()) + 1
        sums = np.zeros(count)
        np.add.at(sums, self.groups[cohort], utilities[cohort])
        roots = _roots(sums)
        first_out = group_extreme(utilities, self.groups, ~inside, largest_one=True)
        last_in = group_extreme(utilities, self.groups, inside, largest_one=False)

        # How much another group gains by its best outsider, or loses by its weakest member.
        entering = np.where(np.isfinite(first_out), _roots(sums + first_out) - roots, -np.inf)
        leaving = np.where(np.isfinite(last_in), _roots(sums - last_in) - roots, -np.inf)
        entering_elsewhere = _best_of_others(entering)
        leaving_elsewhere = _best_of_others(leaving)

        group = self.groups
        own_root = roots[group]
        sum_if_flipped = np.where(inside, sums[group] - utilities, sums[group] + utilities)
        partner = np.where(inside, first_out[group], -last_in[group])
        within = _roots(sum_if_flipped + partner) - own_root
        within[~np.isfinite(partner)] = -np.inf
        across = (
            _roots(sum_if_flipped)
            - own_root
            + np.where(inside, entering_elsewhere[group], leaving_elsewhere[group])
        )
        return np.maximum(-np.maximum(within, across), 0.0)

    def slopes(self, utilities: FloatArray, cohort: IntArray) -> FloatArray:
        """Return 1 / (2 sqrt(S_g)), with S_g the sum of the arm's group in the cohort.

        Where a group has nothing in the cohort its root has no finite slope; then S_g is the arm's
        own utility, at least `SMALLEST_SUM`.
        """
        sums = np.bincount(
            self.groups[cohort],
            weights=utilities[cohort],
            minlength=int(self.groups.max()) + 1,
        )[self.groups]
        own = np.maximum(utilities, SMALLEST_SUM)
        return 1 / (2 * np.sqrt(np.where(sums > SMALLEST_SUM, sums, own)))


@dataclass(frozen=True, slots=True, eq=False)
class DiverseExact(Diverse):
    """`Diverse`, exact for utilities of any sign.

    Given the number of arms of each group, its largest are best, so a table over groups and counts
    (the best value of k arms from the first groups) covers every cohort. It costs O(groups K^2)
    and is needed only when some utility is negative. The greedy cohort is kept unless another one
    is better by more than rounding, so that both oracles agree wherever they can.
    """

    def best(self, utilities: FloatArray) -> IntArray:
        """Return the best cohort: the best counts, and the largest utilities of each group."""
        greedy = Diverse.best(self, utilities)
        if utilities.min() >= 0:
            return greedy
        members = _ranked_members(utilities, self.groups)
        counts = self._best_counts([np.cumsum(utilities[arms]) for arms in members])
        exact = np.sort(
            np.concatenate([arms[:count] for arms, count in zip(members, counts, strict=True)])
        )
        margin = 1e-12 * max(1.0, float(np.abs(utilities).max()))
        better = self.value(utilities, exact) > self.value(utilities, greedy) + margin
        return exact if better else greedy

    def _best_counts(self, prefix_sums: Sequence[FloatArray]) -> list[int]:
        """Find how many arms of each group are in, of all counts that add up to K."""
        table = np.full(self.size + 1, -np.inf)
        table[0] = 0.0
        choices: list[IntArray] = []
        for sums in prefix_sums:
            worth = np.concatenate([[0.0], _roots(sums[: self.size])])
            options = np.full((worth.size, self.size + 1), -np.inf)
            for count, root in enumerate(worth):
                options[count, count:] = table[: self.size + 1 - count] + root
            # argmax takes the first of equals: the fewest arms from the later group.
            choice = options.argmax(axis=0)
            table = options[choice, np.arange(self.size + 1)]
            choices.append(choice)
        left = self.size
        counts: list[int] = []
        for choice in reversed(choices):
            counts.append(int(choice[left]))
            left -= counts[-1]
        return counts[::-1]


def largest(values: FloatArray, count: int) -> BoolArray:
    """Mark the `count` largest values; of equal ones the lowest indices."""
    if count <= 0:
        return np.zeros(values.size, dtype=np.bool_)
    if count >= values.size:
        return np.ones(values.size, dtype=np.bool_)
    threshold = np.partition(values, values.size - count)[values.size - count]
    marked: BoolArray = values >= threshold
    surplus = int(np.count_nonzero(marked)) - count
    if surplus:
        at_threshold = np.flatnonzero(values == threshold)
        marked[at_threshold[at_threshold.size - surplus :]] = False
    return marked


def _root(total: float) -> float:
    """Return the root of a group's sum, clipped at 0."""
    return total**0.5 if total > 0 else 0.0


def _roots(totals: FloatArray) -> FloatArray:
    """Return the roots of groups' sums, each clipped at 0."""
    roots: FloatArray = np.sqrt(np.maximum(totals, 0.0))
    return roots


def _ranked_members(utilities: FloatArray, groups: IntArray) -> list[IntArray]:
    """List each group's arms, best first, lowest index first among equals."""
    order = np.lexsort((-utilities, groups))
    borders = np.cumsum(np.bincount(groups))[:-1]
    return [part.astype(np.int64) for part in np.split(order, borders)]


def group_extreme(
    utilities: FloatArray,
    groups: IntArray,
    among: BoolArray,
    *,
    largest_one: bool,
    count: int | None = None,
) -> FloatArray:
    """Return each group's largest or smallest utility among some arms; -inf or inf if none."""
    size = int(groups.max()) + 1 if count is None else count
    if largest_one:
        extreme = np.full(size, -np.inf)
        np.maximum.at(extreme, groups[among], utilities[among])
    else:
        extreme = np.full(size, np.inf)
        np.minimum.at(extreme, groups[among], utilities[among])
    return extreme


def _best_of_others(values: FloatArray) -> FloatArray:
    """Return, for each place, the largest value at any other place; -inf if there is none."""
    if values.size == 1:
        return np.array([-np.inf])
    first = int(values.argmax())
    others = np.full(values.size, values[first])
    others[first] = np.delete(values, first).max()
    return others


def check_size(size: int) -> None:
    """Raise for a cohort of less than 1 place."""
    if size < 1:
        raise InvalidInputError("cohort_without_places", size=size)


def _check_enough(size: int, arms: int) -> None:
    """Raise for a cohort larger than the number of arms."""
    if size > arms:
        raise InfeasibleError("fewer_arms_than_places", places=size, arms=arms)


def check_groups(groups: IntArray) -> None:
    """Raise for group numbers below 0."""
    if groups.size and int(groups.min()) < 0:
        raise InvalidInputError("groups_not_from_zero")


def check_match(groups: IntArray, utilities: FloatArray) -> None:
    """Raise for utilities whose number is not that of the groups' arms."""
    if groups.size != utilities.size:
        raise InvalidInputError("groups_of_other_arms", groups=groups.size, arms=utilities.size)
