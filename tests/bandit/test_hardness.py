"""Hardness and bounds: hand-worked numbers and the order that theory demands."""

import math

import numpy as np
import pytest

from swapflow.bandit.hardness import (
    expected,
    gaps,
    hardness,
    implicit_pull_bound,
    margin,
    pull_bound,
    scaled_hardness,
    strong_cost_limit,
)
from swapflow.bandit.oracles.oracle import TopK
from swapflow.bandit.strong_pull_policy import StrongPolicy
from swapflow.experiments.kernel.simulate import SimulationProblem, simulate
from swapflow.simulation.random_numbers import stream_of


def test_the_papers_first_example_has_these_gaps() -> None:
    gap = gaps(np.array([0.6, 0.5, 0.3]), TopK(2))

    assert gap.tolist() == pytest.approx([0.3, 0.2, 0.2])
    assert hardness(gap) == pytest.approx(1 / 0.09 + 2 / 0.04)


def test_a_tie_at_the_border_is_infinitely_hard() -> None:
    assert hardness(gaps(np.array([0.5, 0.5, 0.1]), TopK(1))) == math.inf


def test_an_arm_that_cannot_change_sides_adds_no_hardness() -> None:
    assert hardness(gaps(np.array([0.5, 0.1]), TopK(2))) == 0.0
    assert scaled_hardness(0.0, sigma=1.0) == 1.0
    assert scaled_hardness(3.0, sigma=0.5) == 3.0
    assert scaled_hardness(0.5, sigma=0.5, least=0.0) == 0.5


def test_expectations_clip_the_coin_to_a_probability() -> None:
    assert expected(5, 5 / 9) == pytest.approx(1 + 4 * 5 / 9)
    assert expected(5, -1.0) == 1.0
    assert expected(5, 1.25) == 5.0


def test_the_margin_is_real_where_the_paper_prints_the_root_of_a_negative_number() -> None:
    assert margin(sigma=2.0, delta=0.1, count=50) == pytest.approx(
        2 * math.sqrt(2 * math.log(20) / 50)
    )


def test_the_implicit_bound_solves_its_equation_and_is_below_the_explicit_one() -> None:
    pulls = implicit_pull_bound(n=12, scaled=17.0, delta=0.1, cost=3.2, gain=6.0)

    right = 12 + 18 * 17.0 * math.log(4 * 12 * (3.2 * pulls) ** 3 / 0.1) / 6.0
    assert pulls == pytest.approx(right)
    assert pulls < pull_bound(n=12, scaled=17.0, delta=0.1, cost=3.2, gain=6.0)


def test_at_the_corollarys_limit_both_bounds_are_equal() -> None:
    limit = strong_cost_limit(n=20, scaled=30.0, delta=0.1, gain=4.0)

    strong = pull_bound(n=20, scaled=30.0, delta=0.1, cost=limit, gain=4.0)
    weak = pull_bound(n=20, scaled=30.0, delta=0.1, cost=1.0, gain=1.0)

    assert strong == pytest.approx(weak)


@pytest.mark.usefixtures("compiled_once")
@pytest.mark.parametrize("policy", [StrongPolicy.WEAK, StrongPolicy.STRONG, StrongPolicy.PAPER])
def test_real_runs_need_fewer_pulls_than_the_theorems_allow(policy: StrongPolicy) -> None:
    truth, sigma, delta, gain, cost = np.array([0.9, 0.7, 0.4, 0.2]), 0.1, 0.1, 6.0, 3.0
    alpha = {StrongPolicy.WEAK: 0.0, StrongPolicy.STRONG: 1.0, StrongPolicy.PAPER: 3 / 5}[policy]
    problem = SimulationProblem(
        size=2, sigma=sigma, delta=delta, gain=gain, cost=cost, policy=policy
    )

    outcomes = simulate(
        problem, truth, stream=stream_of("tests", "hardness"), runs=range(400), max_pulls=10_000
    )

    scaled = scaled_hardness(hardness(gaps(truth, TopK(2))), sigma=sigma)
    bound = implicit_pull_bound(
        n=4, scaled=scaled, delta=delta, cost=expected(cost, alpha), gain=expected(gain, alpha)
    )
    assert outcomes.stopped.all()
    assert np.all(outcomes.cohort == [True, True, False, False])
    assert outcomes.pulls.max() + 4 < bound
