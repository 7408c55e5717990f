"""Weak or strong: which kind of pull the chosen arm gets.

`paper` draws a coin whose probability is the strong pull policy spp(s, j); `certified` chooses by
how much information the arm still needs.
"""

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import assert_never

import numpy as np

from swapflow.bandit.oracles.oracle import Oracle
from swapflow.bandit.situation import FloatArray, PullKind


class StrongPolicy(StrEnum):
    """Probability of a strong pull, given its gain s and cost j in weak pulls.

    `PAPER` is the policy of the paper's equation 3; `WEAK` makes the rule CLUCB, `STRONG` its
    strong-only variant. `RATIO` and `SYMDIFF` are found only in the authors' code, which uses
    `SYMDIFF` by default.
    """

    PAPER = "paper"
    WEAK = "weak"
    STRONG = "strong"
    RATIO = "ratio"
    SYMDIFF = "symdiff"


def strong_probability(
    policy: StrongPolicy, *, gain: float, cost: float, contested: int, size: int
) -> float:
    """Return the probability of a strong pull (alpha).

    `PAPER` is (s - j) / (s - 1): 0 when s is 1, and otherwise not clipped, so that it is
    negative (never strong) for j > s. The paper declares a range of [0, 1] and is silent
    about both; so are the proofs, which need s > j.

    Args:
        policy: Which formula.
        gain: s, a strong pull's information in weak pulls.
        cost: j, a strong pull's cost in weak pulls.
        contested: Number of arms in the symmetric difference.
        size: K.
    """
    match policy:
        case StrongPolicy.PAPER:
            return (gain - cost) / (gain - 1) if gain != 1 else 0.0
        case StrongPolicy.WEAK:
            return 0.0
        case StrongPolicy.STRONG:
            return 1.0
        case StrongPolicy.RATIO:
            return gain / (gain + cost)
        case StrongPolicy.SYMDIFF:
            return gain / (gain + cost) * (1 - contested / (2 * size))
        case _:
            assert_never(policy)


def settling_distances(oracle: Oracle, mean: FloatArray) -> FloatArray:
    """Return the radius at which each arm is settled, in score units, shape (n,).

    That is the loss from the best single exchange that flips the arm, less half the smallest such
    loss of all arms (the two arms at the border share it), divided by the arm's slope. For top-k
    this is exactly the distance to the middle between the K-th and the (K+1)-th estimate. Infinite
    for an arm that no exchange can flip.
    """
    losses = oracle.single_exchange_losses(mean)
    smallest = float(losses.min())
    if math.isinf(smallest):
        return losses
    return (losses - smallest / 2) / oracle.slopes(mean, oracle.best(mean))


def information_needed(*, information: float, radius: float, distance: float) -> float:
    """Estimate the weak pulls until the radius is as small as the distance.

    A radius falls as 1 / sqrt(T) (its logarithm hardly moves), so T must grow by the factor
    (radius / distance)^2.

    Returns:
        Weak pulls; infinite at distance 0, negative when the radius is small enough already.
    """
    if distance <= 0:
        return math.inf
    return information * ((radius / distance) ** 2 - 1)


def kind_for_need(kinds: Sequence[PullKind], needed: float) -> int:
    """Return the kind that gives the needed information at least cost.

    Of the paper's two kinds: strong if s > j and at least j weak pulls are still needed. For a
    list, from the cheapest up: a dearer kind is taken if it gives more information per cost and
    costs no more than the kind it replaces would cost for the whole need.

    Args:
        kinds: At least one kind, in any order.
        needed: Information the arm still needs, in weak pulls.

    Returns:
        Index into `kinds`.
    """
    cheapest_first = sorted(range(len(kinds)), key=lambda index: kinds[index].cost)
    chosen = cheapest_first[0]
    for index in cheapest_first[1:]:
        dearer, current = kinds[index], kinds[chosen]
        better_rate = dearer.gain * current.cost > current.gain * dearer.cost
        if better_rate and needed * current.cost / current.gain >= dearer.cost:
            chosen = index
    return chosen


def weak_and_strong(kinds: Sequence[PullKind]) -> tuple[int, int]:
    """Return the two kinds between which the paper's coin decides.

    One kind is both (then the rule is CLUCB); of two, the first is weak and the second strong,
    as in the paper. The paper knows no third: of more, the cheapest is weak, and of the others
    the one with the most information per cost is strong.
    """
    pair = 2
    if len(kinds) <= pair:
        return 0, len(kinds) - 1
    weak = int(np.argmin([kind.cost for kind in kinds]))
    others = [index for index in range(len(kinds)) if index != weak]
    return weak, max(others, key=lambda index: kinds[index].gain / kinds[index].cost)
