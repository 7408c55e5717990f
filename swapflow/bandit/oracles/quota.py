"""The best K with at least a given number of each group."""

from dataclasses import dataclass

import numpy as np

from swapflow.bandit.oracles.oracle import (
    check_groups,
    check_match,
    check_size,
    group_extreme,
    largest,
)
from swapflow.bandit.situation import FloatArray, IntArray
from swapflow.errors import InfeasibleError, InvalidInputError


@dataclass(frozen=True, slots=True, eq=False)
class Quota:
    """The K largest utilities with at least `minimum` and at most `maximum` arms per group.

    Groups do not overlap, so filling greedily is exact: each group's minimum is taken from its
    best arms, then the best arms left are added while their group has room (a laminar matroid).

    Attributes:
        size: K.
        groups: Group of each arm, numbered from 0, shape (n,).
        minimum: Fewest arms of each group, shape (groups,).
        maximum: Most arms of each group, shape (groups,).
        names: Names of the groups in messages; their numbers when empty.
    """

    size: int
    groups: IntArray
    minimum: IntArray
    maximum: IntArray
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise for quotas that contradict each other or the arms.

        Raises:
            InfeasibleError: If no cohort of K arms exists; the message names the smallest
                change of one number, or of one group of numbers, that would allow one.
            InvalidInputError: If the arrays do not belong together.
        """
        check_size(self.size)
        check_groups(self.groups)
        if not self.minimum.size == self.maximum.size > int(self.groups.max(initial=0)):
            raise InvalidInputError(
                "quota_of_other_groups", minimums=self.minimum.size, maximums=self.maximum.size
            )
        self._check_feasible()

    @property
    def linear(self) -> bool:
        """Whether certificates are proofs: always, as the value is a sum."""
        return True

    def best(self, utilities: FloatArray) -> IntArray:
        """Return every group's minimum, and the best other arms whose group has room."""
        check_match(self.groups, utilities)
        rank = _rank_in_group(utilities, self.groups)
        chosen = rank < self.minimum[self.groups]
        open_arms = np.flatnonzero(~chosen & (rank < self.maximum[self.groups]))
        left = self.size - int(chosen.sum())
        chosen[open_arms[largest(utilities[open_arms], left)]] = True
        return np.flatnonzero(chosen)

    def value(self, utilities: FloatArray, cohort: IntArray) -> float:
        """Add up the cohort's utilities."""
        return float(utilities[cohort].sum())

    def single_exchange_losses(self, utilities: FloatArray) -> FloatArray:
        """Return the losses of exchanging within the group, or across groups within the quotas."""
        cohort = self.best(utilities)
        inside = np.zeros(utilities.size, dtype=np.bool_)
        inside[cohort] = True
        counts = np.bincount(self.groups[cohort], minlength=self.minimum.size)
        may_leave = counts > self.minimum
        may_enter = counts < self.maximum
        first_out = group_extreme(
            utilities, self.groups, ~inside, largest_one=True, count=self.minimum.size
        )
        last_in = group_extreme(
            utilities, self.groups, inside, largest_one=False, count=self.minimum.size
        )
        first_open = np.max(first_out[may_enter], initial=-np.inf)
        last_free = np.min(last_in[may_leave], initial=np.inf)

        # An exchange within a group keeps every count; one across groups needs room on both sides.
        replacement = np.where(may_leave, np.maximum(first_out, first_open), first_out)
        replaced = np.where(may_enter, np.minimum(last_in, last_free), last_in)
        group = self.groups
        loss = np.where(inside, utilities - replacement[group], replaced[group] - utilities)
        return np.maximum(loss, 0.0)

    def slopes(self, utilities: FloatArray, cohort: IntArray) -> FloatArray:  # noqa: ARG002 - the slope of a sum is 1 everywhere
        """Return 1 for every arm."""
        return np.ones(utilities.size)

    def _check_feasible(self) -> None:
        """Raise with the smallest relaxation if no cohort satisfies every quota."""
        members = np.bincount(self.groups, minlength=self.minimum.size)
        for group in np.flatnonzero(self.minimum > np.minimum(members, self.maximum)):
            least, most = int(self.minimum[group]), int(self.maximum[group])
            name, there = self._name(int(group)), int(members[group])
            if most < least:
                raise InfeasibleError(
                    "minimum_above_maximum", group=name, minimum=least, maximum=most
                )
            raise InfeasibleError(
                "minimum_above_members", group=name, minimum=least, members=there
            )
        needed = int(self.minimum.sum())
        if needed > self.size:
            raise InfeasibleError(
                "minimums_above_places",
                needed=needed,
                places=self.size,
                surplus=needed - self.size,
            )
        room = np.minimum(members, self.maximum)
        missing = self.size - int(room.sum())
        if missing > 0:
            held_back = [self._name(int(g)) for g in np.flatnonzero(members > self.maximum)]
            named: dict[str, object] = {"room": int(room.sum()), "places": self.size}
            if held_back:
                named |= {"groups": held_back, "missing": missing}
            code = "maximums_below_places_raise" if held_back else "maximums_below_places"
            raise InfeasibleError(code, **named)

    def _name(self, group: int) -> str:
        """Return the group's name for messages."""
        return self.names[group] if self.names else f"group {group}"


def _rank_in_group(utilities: FloatArray, groups: IntArray) -> IntArray:
    """Number each group's arms from its best (0) on."""
    # Stable: of equals in a group the lowest index ranks first.
    order = np.lexsort((-utilities, groups))
    sizes = np.bincount(groups)
    starts = np.cumsum(sizes) - sizes
    rank = np.empty(utilities.size, dtype=np.int64)
    rank[order] = np.arange(utilities.size) - starts[groups[order]]
    return rank
