"""Several pulls at once: who gets the next ones while earlier ones are still out.

The paper pulls one arm and waits. People answer after days, so pulls go out in batches or
overlap. Means stay as they are; radii count what is pending as if it had come. A batch of 32
chosen like this costs 0 to 3 % more than one pull at a time.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from swapflow.bandit.decision import Comparison, certified_stop, compare, is_settled
from swapflow.bandit.oracles.oracle import Oracle
from swapflow.bandit.situation import (
    BoolArray,
    FloatArray,
    IntArray,
    Look,
    Pick,
    Picks,
    PullKind,
    Situation,
    StopReason,
)
from swapflow.bandit.ties import DECIMALS, rounded


MONEY = 1e-9
"""Budgets are compared up to this share, so that ten costs of 0.1 fit into 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """The arm whose turn it is.

    Attributes:
        arm: Its index.
        information: What it has and what is out for it (T + pending).
        radius: Its radius at that information.
        contested: How many arms are contested at this moment.
    """

    arm: int
    information: float
    radius: float
    contested: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a rule chooses among contested arms.

    Attributes:
        tolerance: The gap at which the cohort counts as settled.
        radius_of: Radii at given informations.
        kind_of: The kind preferred for the arm whose turn it is.
        tidy: Applied to whatever is ordered.
    """

    tolerance: float
    radius_of: Callable[[FloatArray], FloatArray]
    kind_of: Callable[[Contender], int]
    tidy: Callable[[FloatArray], FloatArray] = rounded


class Allowance:
    """What may still be given: per arm and kind, per kind, and in cost.

    Mutable: every pull given is subtracted, so that a batch keeps within all limits.
    """

    def __init__(self, situation: Situation) -> None:
        self.kinds: tuple[PullKind, ...] = situation.kinds
        self._allowed = situation.allowed.copy()
        self._kind_left = situation.kind_left.copy()
        self._budget_left = situation.budget_left
        self._cheapest_first = sorted(
            range(len(self.kinds)), key=lambda kind: self.kinds[kind].cost
        )

    def may(self, arm: int, kind: int) -> bool:
        """Say whether the arm may get one more pull of the kind, and it can be paid."""
        return self._may_unpaid(arm, kind) and self._affordable(kind)

    def kind_for(self, arm: int, preferred: int) -> int | None:
        """Give the preferred kind, else the arm's cheapest possible one, else None."""
        for kind in (preferred, *self._cheapest_first):
            if self.may(arm, kind):
                return kind
        return None

    def open_arms(self, among: IntArray | None = None) -> BoolArray:
        """Mark the arms, all or those named, that may get a pull of a kind that can be paid."""
        payable = [
            kind
            for kind in self._cheapest_first
            if self._kind_left[kind] > 0 and self._affordable(kind)
        ]
        allowed = self._allowed if among is None else self._allowed[among]
        is_open: BoolArray = np.any(allowed[:, payable] > 0, axis=1)
        return is_open

    def lacks_only_money(self, arms: Iterable[int]) -> bool:
        """Say whether some of the arms may get a pull that cannot be paid any more."""
        return any(
            self._may_unpaid(arm, kind) and not self._affordable(kind)
            for arm in arms
            for kind in self._cheapest_first
        )

    def give(self, arm: int, kind: int) -> None:
        """Subtract one pull."""
        self._allowed[arm, kind] -= 1
        self._kind_left[kind] -= 1
        self._budget_left -= self.kinds[kind].cost

    def _may_unpaid(self, arm: int, kind: int) -> bool:
        """Say whether only money could stand in the way of the pull."""
        return bool(self._allowed[arm, kind] > 0 and self._kind_left[kind] > 0)

    def _affordable(self, kind: int) -> bool:
        """Say whether the kind's cost is left."""
        cost = self.kinds[kind].cost
        return cost <= self._budget_left + MONEY * max(1.0, cost)


def shortfall_reason(
    allowance: Allowance, arms: Iterable[int], *, waiting: bool
) -> StopReason | None:
    """Say why none of the arms that matter can get another pull.

    Args:
        allowance: What is left.
        arms: The arms that deserve a pull.
        waiting: Whether any pull is out; its score may change which arms matter.

    Returns:
        BUDGET if only money is missing, None while something is out, else EXHAUSTED.
    """
    if allowance.lacks_only_money(arms):
        return StopReason.BUDGET
    return None if waiting else StopReason.EXHAUSTED


def choose_contested(
    situation: Situation,
    cohort: IntArray,
    oracle: Oracle,
    manner: Manner,
    *,
    at_most: int,
    seen: Look | None = None,
) -> Picks:
    """Choose contested arms, the largest radius first, nobody twice before everyone once.

    After each pick the radii, the rival and the contested arms are worked out anew with the
    pick pending. The batch ends early when what is pending would settle the cohort if the
    means stayed as they are. With one pick and nothing out this is line 16 of Algorithm 1.

    Args:
        situation: The cycle.
        cohort: The proposed cohort, which stays fixed.
        oracle: The objective.
        manner: Radii, kinds and tolerance of the rule.
        at_most: How many pulls are wanted.
        seen: The look at this situation; spares working it out again when nothing is out.
    """
    if situation.pending.any():
        seen = None
    allowance = Allowance(situation)
    mean = situation.mean
    information = situation.information + situation.pending
    served: set[int] = set()
    picks: list[Pick] = []
    while len(picks) < at_most:
        if seen is not None and not picks:
            radius = seen.radius
            comparison = Comparison(rival=seen.rival, contested=seen.contested, gap=seen.gap)
        else:
            radius = manner.radius_of(information)
            comparison = compare(mean, radius, cohort, oracle, tidy=manner.tidy)
        if is_settled(comparison, manner.tolerance):
            return Picks(picks=tuple(picks), shortfall=certified_stop(oracle))
        contested = comparison.contested
        eligible = contested[allowance.open_arms(contested)].tolist()
        if not eligible:
            waiting = bool(picks) or bool(situation.pending.any())
            reason = shortfall_reason(allowance, contested.tolist(), waiting=waiting)
            return Picks(picks=tuple(picks), shortfall=reason)
        if served.issuperset(eligible):
            served.clear()
        arm = next(arm for arm in eligible if arm not in served)
        contender = Contender(
            arm=arm,
            information=float(information[arm]),
            radius=float(radius[arm]),
            contested=contested.size,
        )
        kind = allowance.kind_for(arm, manner.kind_of(contender))
        assert kind is not None, "an eligible arm has a kind"
        priority = round(contender.radius, DECIMALS)
        picks.append(Pick(arm=arm, kind=kind, priority=priority))
        allowance.give(arm, kind)
        served.add(arm)
        information[arm] += situation.kinds[kind].gain
    return Picks(picks=tuple(picks), shortfall=None)
