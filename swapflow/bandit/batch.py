"""Several pulls at once: the next pulls while earlier ones are still out.

The paper pulls one arm and waits. People answer after days, so pulls go out in batches or
overlap. Means stay as they are; radii count what is pending as if it had come. A batch of 32
chosen in this way costs 0 to 3 % more than one pull at a time.
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
"""Share up to which a cost may exceed the budget, so that ten costs of 0.1 fit into 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """The arm that gets the next pull.

    Attributes:
        arm: Its index.
        information: Its information received and pending (T + pending).
        radius: Its radius at that information.
        contested: How many arms are contested at this moment.
    """

    arm: int
    information: float
    radius: float
    contested: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoicePolicy:
    """The parts in which the rules differ when they choose among contested arms.

    Attributes:
        tolerance: The gap at which the cohort counts as settled.
        radius_of: Radii at given informations.
        kind_of: The kind preferred for the next arm.
        tidy: Rounds numbers before they are ordered.
    """

    tolerance: float
    radius_of: Callable[[FloatArray], FloatArray]
    kind_of: Callable[[Contender], int]
    tidy: Callable[[FloatArray], FloatArray] = rounded


class Allowance:
    """The pulls that may still be dispatched: per arm and kind, per kind, and in cost.

    Mutable: every chosen pull is subtracted, so that a batch keeps within all limits.
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
        """Whether the arm may get one more pull of the kind, and the budget pays for it."""
        return self._may_unpaid(arm, kind) and self._affordable(kind)

    def kind_for(self, arm: int, preferred: int) -> int | None:
        """Return the preferred kind, else the arm's cheapest possible one, else None."""
        for kind in (preferred, *self._cheapest_first):
            if self.may(arm, kind):
                return kind
        return None

    def open_arms(self, among: IntArray | None = None) -> BoolArray:
        """Mark the arms, all or those in `among`, that may get a pull the budget pays for."""
        payable = [
            kind
            for kind in self._cheapest_first
            if self._kind_left[kind] > 0 and self._affordable(kind)
        ]
        allowed = self._allowed if among is None else self._allowed[among]
        is_open: BoolArray = np.any(allowed[:, payable] > 0, axis=1)
        return is_open

    def lacks_only_money(self, arms: Iterable[int]) -> bool:
        """Whether some of the arms may get a pull that the budget no longer pays for."""
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
        """Whether the arm may get the pull, its cost aside."""
        return bool(self._allowed[arm, kind] > 0 and self._kind_left[kind] > 0)

    def _affordable(self, kind: int) -> bool:
        """Whether the budget pays for one more pull of the kind."""
        cost = self.kinds[kind].cost
        return cost <= self._budget_left + MONEY * max(1.0, cost)


def shortfall_reason(
    allowance: Allowance, arms: Iterable[int], *, waiting: bool
) -> StopReason | None:
    """Return why none of the arms that need a pull can get one.

    Args:
        allowance: What is left.
        arms: The arms that need a pull.
        waiting: Whether any pull is out; its score may change which arms need one.

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
    policy: ChoicePolicy,
    *,
    at_most: int,
    seen: Look | None = None,
) -> Picks:
    """Choose contested arms, the largest radius first, no arm twice before every arm once.

    After each pick the radii, the rival and the contested arms are computed again with the pick
    pending. The batch ends early when the pending pulls would settle the cohort if the means
    stayed as they are. With one pick and nothing out this is line 16 of Algorithm 1.

    Args:
        situation: The cycle.
        cohort: The proposed cohort, which stays fixed.
        oracle: The objective.
        policy: Radii, kinds and tolerance of the rule.
        at_most: How many pulls are wanted.
        seen: The look at this situation; used for the first pick when nothing is out.
    """
    # The radii of a look count received scores only; with pulls out they are too large.
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
            radius = policy.radius_of(information)
            comparison = compare(mean, radius, cohort, oracle, tidy=policy.tidy)
        if is_settled(comparison, policy.tolerance):
            return Picks(picks=tuple(picks), shortfall=certified_stop(oracle))
        contested = comparison.contested
        eligible = contested[allowance.open_arms(contested)].tolist()
        if not eligible:
            waiting = bool(picks) or bool(situation.pending.any())
            reason = shortfall_reason(allowance, contested.tolist(), waiting=waiting)
            return Picks(picks=tuple(picks), shortfall=reason)
        # Every arm that may get a pull has had one of this batch: a second turn begins.
        if served.issuperset(eligible):
            served.clear()
        arm = next(arm for arm in eligible if arm not in served)
        contender = Contender(
            arm=arm,
            information=float(information[arm]),
            radius=float(radius[arm]),
            contested=contested.size,
        )
        kind = allowance.kind_for(arm, policy.kind_of(contender))
        assert kind is not None, "an eligible arm has a kind"
        # Recorded at the precision of the order,
        # so that a replay on another machine finds the same.
        priority = round(contender.radius, DECIMALS)
        picks.append(Pick(arm=arm, kind=kind, priority=priority))
        allowance.give(arm, kind)
        served.add(arm)
        # Counted as if it had come, or the next pick would go to the same arm.
        information[arm] += situation.kinds[kind].gain
    return Picks(picks=tuple(picks), shortfall=None)
