"""The bound below which no rule can lose on average."""

from dataclasses import replace

import numpy as np
import pytest

from swapflow.experiments.admissions.fixed_budgets import BUDGETS
from swapflow.experiments.admissions.lower_bound import (
    KnownRound,
    _expected,
    best_value,
    losses,
    most_value,
    rounded_sigma,
    twin_round,
)
from swapflow.experiments.known_rounds import TWIN_SIGMA
from swapflow.experiments.study import floats


ONCE = KnownRound(
    applicants=400,
    places=40,
    spread=0.1,
    level=0.5,
    review=0.15,
    interview=1e4,
    reviews=1,
    cost=6.0,
    floor=1,
)
"""One review for everybody and nothing else that would tell anything."""


def test_the_best_list_of_normal_utilities_is_worth_what_draws_say() -> None:
    drawn = np.sort(np.random.default_rng(1).normal(0.5, 0.1, (2000, 400)), axis=1)[:, -40:]

    assert best_value(ONCE) == pytest.approx(drawn.sum(axis=1).mean(), rel=5e-4)


def test_with_one_review_for_everybody_the_bound_is_choosing_by_it() -> None:
    """Only the places hold on average alone; among 400 that is worth next to nothing."""
    told = 0.1 / np.sqrt(1 + (0.15 / 0.1) ** 2)
    chosen = best_value(replace(ONCE, spread=told))

    assert chosen <= most_value(ONCE, 1.0) <= 1.001 * chosen


def test_more_money_and_fewer_duties_never_lower_the_bound() -> None:
    values = [most_value(twin_round(1), budget) for budget in BUDGETS]

    assert values == sorted(values)
    assert values[-1] < best_value(twin_round(1))
    assert most_value(twin_round(0), 1.1) >= values[0]
    assert most_value(twin_round(2), 2.5) <= most_value(twin_round(1), 2.5)


def test_a_rounded_mark_tells_less_than_an_exact_one() -> None:
    assert TWIN_SIGMA < rounded_sigma() < 1.1 * TWIN_SIGMA


def test_the_expectation_of_a_line_and_of_a_kink_is_exact() -> None:
    means = np.linspace(-1, 1, 801)
    middle = slice(300, 501)

    kink = _expected(np.maximum(means, 0.0), means, 0.1)

    # A value that falls to the left is constant beyond the grid, which only its edge feels.
    assert _expected(means.copy(), means, 0.1)[middle] == pytest.approx(means[middle], abs=1e-9)
    assert kink[400] == pytest.approx(0.1 / np.sqrt(2 * np.pi), rel=1e-3)


def test_no_run_of_the_rule_wins_more_than_the_best_list() -> None:
    found = losses("t", {"floor": 1, "budget": 1.25}, range(2))

    assert found["lost"].min() > 0


@pytest.mark.slow
def test_the_rule_loses_little_more_than_the_bound() -> None:
    """1.10 times at most, but for the chance of 20 runs."""
    best = best_value(twin_round(1))
    bound = 1 - most_value(twin_round(1), 2.0) / best

    found = losses("slow test of the bound", {"floor": 1, "budget": 2.0}, range(20))
    lost = floats(found, "lost") / best

    error = float(lost.std(ddof=1) / np.sqrt(lost.size))
    assert bound - 3 * error <= lost.mean() <= 1.10 * bound + 2 * error
