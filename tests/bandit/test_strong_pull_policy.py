"""Weak or strong."""

import math

import numpy as np
import pytest

from swapflow.bandit.oracles.oracle import Diverse, TopK
from swapflow.bandit.situation import PullKind
from swapflow.bandit.strong_pull_policy import (
    StrongPolicy,
    information_needed,
    kind_for_need,
    settling_distances,
    strong_probability,
    weak_and_strong,
)


@pytest.mark.parametrize(
    ("policy", "gain", "cost", "expected"),
    [
        (StrongPolicy.PAPER, 10, 5, 5 / 9),
        (StrongPolicy.PAPER, 1, 1, 0.0),
        (StrongPolicy.PAPER, 6, 6, 0.0),
        (StrongPolicy.PAPER, 3, 5, -1.0),
        (StrongPolicy.PAPER, 3, 0.5, 1.25),
        (StrongPolicy.WEAK, 10, 5, 0.0),
        (StrongPolicy.STRONG, 10, 5, 1.0),
        (StrongPolicy.RATIO, 6, 3, 2 / 3),
        (StrongPolicy.SYMDIFF, 6, 3, 2 / 3 * (1 - 4 / 10)),
    ],
)
def test_the_policies_have_their_formulas(
    policy: StrongPolicy, gain: float, cost: float, expected: float
) -> None:
    assert strong_probability(policy, gain=gain, cost=cost, contested=4, size=5) == pytest.approx(
        expected
    )


def test_for_top_k_the_distance_is_to_the_middle_of_the_border() -> None:
    mean = np.array([0.9, 0.1, 0.5, 0.7])

    distances = settling_distances(TopK(2), mean)

    assert distances.tolist() == pytest.approx([0.3, 0.5, 0.1, 0.1])


def test_for_a_diverse_cohort_distances_are_in_score_units() -> None:
    groups = np.zeros(4, dtype=np.int64)
    mean = np.array([0.9, 0.1, 0.5, 0.7])

    diverse = settling_distances(Diverse(2, groups), mean)

    # One group: the same choice as top-k, so nearly the same distances once unscaled.
    assert diverse == pytest.approx(settling_distances(TopK(2), mean), rel=0.25)


def test_an_arm_that_cannot_be_flipped_needs_no_information() -> None:
    distances = settling_distances(TopK(3), np.array([0.3, 0.2, 0.1]))

    assert distances.tolist() == [math.inf] * 3
    assert information_needed(information=2, radius=0.4, distance=math.inf) == -2


def test_halving_a_radius_needs_three_times_the_information_that_is_there() -> None:
    assert information_needed(information=4, radius=0.2, distance=0.1) == pytest.approx(12)
    assert information_needed(information=4, radius=0.2, distance=0.0) == math.inf


@pytest.mark.parametrize(
    ("kinds", "needed", "expected"),
    [
        ([(1, 1), (5, 10)], 4.9, 0),
        ([(1, 1), (5, 10)], 5.0, 1),
        ([(1, 1), (5, 5)], math.inf, 0),
        ([(1, 1), (5, 3)], math.inf, 0),
        ([(1, 1), (2, 3), (6, 30)], 1.0, 0),
        ([(1, 1), (2, 3), (6, 30)], 4.0, 1),
        ([(1, 1), (2, 3), (6, 30)], 9.0, 2),
        ([(6, 30), (1, 1), (2, 3)], 9.0, 0),
        ([(5, 10)], 0.0, 0),
    ],
)
def test_a_dearer_kind_is_taken_when_the_need_pays_for_it(
    kinds: list[tuple[float, float]], needed: float, expected: int
) -> None:
    chosen = kind_for_need([PullKind(cost=cost, gain=gain) for cost, gain in kinds], needed)

    assert chosen == expected


def test_of_two_kinds_the_first_is_weak_even_when_it_is_dearer() -> None:
    review, interview = PullKind(cost=1, gain=1), PullKind(cost=0.5, gain=2)

    assert weak_and_strong([review]) == (0, 0)
    assert weak_and_strong([review, interview]) == (0, 1)
    assert weak_and_strong([PullKind(cost=9, gain=27), interview, review]) == (1, 0)
