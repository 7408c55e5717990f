"""Crossing quotas, targets, ranges, pins and several attributes: against trying every cohort."""

import numpy as np
import pytest

from swapflow.bandit.oracles.bounded import Bounded
from swapflow.bandit.oracles.feasibility import feasible, refuse_infeasible
from swapflow.bandit.oracles.limits import Limit, Target, Terms
from swapflow.bandit.oracles.spread import Attribute, SpreadOracle
from swapflow.bandit.situation import FloatArray, IntArray
from swapflow.errors import InfeasibleError, InvalidInputError
from tests.bandit.small_problems import (
    bounded_problem,
    cohorts,
    exchanges,
    keeps,
    spread_problem,
    worth,
)


EVERY_DAY = 200
MANY = 10_000
GREEDY_BOUND = 1 - 1 / np.e


def check_bounded(numbers: range) -> int:
    """Compare with brute force; counts the problems that were refused."""
    refused = 0
    for number in numbers:
        utilities, terms = bounded_problem(number)
        allowed = list(cohorts(terms))
        relaxed, words = feasible(terms)
        assert bool(words) == (not allowed), number
        if words:
            refused += 1
            assert any(True for _ in cohorts(relaxed)), f"{number}: the relaxation has no list"
            with pytest.raises(InfeasibleError):
                Bounded(terms)
            continue
        oracle = Bounded(terms)
        best = oracle.best(utilities)

        assert keeps(terms, best), number
        value = oracle.value(utilities, best)
        assert value == pytest.approx(worth(terms, utilities, best), abs=1e-9)
        assert value == pytest.approx(max(worth(terms, utilities, c) for c in allowed), abs=1e-9)
        losses = np.full(utilities.size, np.inf)
        for moved, other in exchanges(terms, best):
            for arm in moved:
                losses[arm] = min(losses[arm], value - worth(terms, utilities, other))
        found = oracle.single_exchange_losses(utilities)
        assert found == pytest.approx(np.maximum(losses, 0.0), abs=1e-9), number
    return refused


def check_spread(numbers: range) -> dict[int, list[float]]:
    """Compare with brute force; gives the shares of the best value, by kind of problem."""
    shares: dict[int, list[float]] = {kind: [] for kind in range(4)}
    for number in numbers:
        utilities, terms, attributes = spread_problem(number)
        allowed = list(cohorts(terms))
        if not allowed:
            with pytest.raises(InfeasibleError):
                SpreadOracle(terms, attributes)
            continue
        oracle = SpreadOracle(terms, attributes)
        best = oracle.best(utilities)

        assert keeps(terms, best), number
        value = oracle.value(utilities, best)
        highest = max(oracle.value(utilities, cohort) for cohort in allowed)
        shares[number % 4].append(value / highest if highest > 0 else 1.0)
        losses = np.full(utilities.size, np.inf)
        for moved, other in exchanges(terms, best):
            for arm in moved:
                losses[arm] = min(losses[arm], value - oracle.value(utilities, other))
        found = oracle.single_exchange_losses(utilities)
        assert found == pytest.approx(np.maximum(losses, 0.0), abs=1e-8), number
    return shares


def check_shares(shares: dict[int, list[float]]) -> None:
    for exact in (0, 2):
        assert min(shares[exact]) == pytest.approx(1.0), "greedy is exact over one attribute"
    assert min(shares[1]) >= GREEDY_BOUND
    assert np.mean(shares[1]) > 0.999
    assert np.mean(shares[3]) > 0.99


def test_lists_under_crossing_limits_equal_the_best_of_all_lists() -> None:
    assert 0.2 * EVERY_DAY < check_bounded(range(EVERY_DAY)) < 0.7 * EVERY_DAY


def test_spreads_are_exact_over_one_attribute_and_near_the_best_over_several() -> None:
    check_shares(check_spread(range(EVERY_DAY)))


@pytest.mark.slow
def test_ten_thousand_problems_with_crossing_limits_equal_brute_force() -> None:
    assert check_bounded(range(MANY)) > 0.2 * MANY


@pytest.mark.slow
def test_ten_thousand_spreads_keep_what_is_said_of_greedy() -> None:
    check_shares(check_spread(range(MANY)))


def limit(members: list[int], n: int, **numbers: float) -> Limit:
    mask = np.zeros(n, dtype=np.bool_)
    mask[members] = True
    return Limit(name="region = North", members=mask, **numbers)  # type: ignore[arg-type]  # counts and shares


def some(*limits: Limit, size: int = 3, n: int = 6, **more: object) -> Terms:
    settings: dict[str, object] = {"pinned": np.zeros(n, dtype=np.int64), **more}
    return Terms(size=size, limits=limits, **settings)  # type: ignore[arg-type]  # made by the caller


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        (
            some(limit([0, 1], 6, minimum=3)),
            "lower the minimum of region = North from 3 to 2",
        ),
        (
            some(limit([0, 1, 2, 3, 4], 6, maximum=1)),
            "raise the maximum of region = North from 1 to 2",
        ),
        (
            some(limit([0], 6, minimum_share=0.6)),
            "lower the minimum of region = North from 2 to 1 (a share of 33.3%)",
        ),
        (
            some(pinned=np.array([1, 1, 1, 1, 0, 0])),
            "raise the places from 3 to 4, or pin fewer applicants in",
        ),
        (some(size=7), "fill 6 of the 7 places"),
    ],
)
def test_what_cannot_be_is_refused_naming_the_smallest_change(terms: Terms, words: str) -> None:
    with pytest.raises(InfeasibleError, match="no list of") as refusal:
        refuse_infeasible(terms)

    assert str(refusal.value).endswith(f"that allows one: {words}")


def test_equal_arms_are_taken_in_their_order_whatever_group_they_are_in() -> None:
    utilities: FloatArray = np.array([0.9, 0.5, 0.5, 0.5, 0.5, 0.1])
    groups: IntArray = np.array([0, 1, 0, 1, 0, 1])
    crossing = tuple(Limit(name=str(g), members=groups == g, minimum=1, maximum=3) for g in (0, 1))

    assert Bounded(some(*crossing)).best(utilities).tolist() == [0, 1, 2]


def test_a_place_stays_empty_rather_than_go_to_somebody_below_the_bar() -> None:
    utilities = np.array([0.9, 0.8, 0.4, 0.3, 0.2, 0.1])

    assert Bounded(some(size=4, least=1, bar=0.5)).best(utilities).tolist() == [0, 1]
    assert Bounded(some(size=4, least=3, bar=0.5)).best(utilities).tolist() == [0, 1, 2]


def test_a_target_is_followed_as_far_as_it_is_worth_more_than_the_scores_it_costs() -> None:
    utilities = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    members = np.array([False, False, False, True, True, True])

    def chosen(worth: float) -> list[int]:
        wish = Target(name="new site", members=members, number=2, worth=worth)
        return [int(arm) for arm in Bounded(some(targets=(wish,))).best(utilities)]

    assert chosen(0.1) == [0, 1, 2]
    assert chosen(0.3) == [0, 1, 3]  # .21 for the first, who scores .1 less
    assert chosen(2.0) == [0, 3, 4]


def test_a_spread_takes_neither_targets_nor_a_range() -> None:
    attribute = (Attribute(groups=np.array([0, 1, 0, 1, 0, 1])),)

    with pytest.raises(InvalidInputError, match="top-k"):
        SpreadOracle(some(least=1, bar=0.2), attribute)
