"""The radii: hand-worked numbers, how they move, and what they refuse."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapflow.bandit.radius import mixture_radius, pair_radius, paper_radius
from swapflow.bandit.situation import UNSCORED_RADIUS
from swapflow.errors import InvalidInputError


informations = st.floats(1, 1e6)


def test_the_papers_radius_has_the_information_outside_the_logarithm() -> None:
    radius = paper_radius(np.array([1.0, 4.0]), cost=2, sigma=0.5, delta=0.1)

    first = 0.5 * math.sqrt(2 * math.log(4 * 2 * 8 / 0.1))
    assert radius.tolist() == pytest.approx([first, first / 2])


@given(informations, st.floats(1, 50))
def test_the_papers_radius_shrinks_as_one_over_root_information(
    information: float, gain: float
) -> None:
    before, after = paper_radius(
        np.array([information, information * gain]), cost=10, sigma=0.2, delta=0.05
    )

    assert after == pytest.approx(before / math.sqrt(gain))


@given(informations, st.floats(1.01, 50), st.floats(0.1, 100))
def test_the_mixture_radius_falls_with_information_and_grows_with_the_field(
    information: float, factor: float, rho: float
) -> None:
    both = np.array([information, information * factor])

    small = mixture_radius(both, sigma=0.3, delta=0.1, arms=10, rho=rho)
    large = mixture_radius(both, sigma=0.3, delta=0.1, arms=100, rho=rho)

    assert small[1] < small[0]
    assert np.all(large > small)


@given(informations, st.floats(0.001, 0.4))
def test_the_mixture_radius_is_never_below_that_of_a_single_look(
    information: float, delta: float
) -> None:
    radius = mixture_radius(np.array([information]), sigma=1.0, delta=delta, arms=1)

    # exp(-x^2 T / 2) bounds one tail of one look; an anytime bound cannot be tighter.
    assert math.exp(-(radius[0] ** 2) * information / 2) <= delta


@given(informations, informations)
def test_a_pair_radius_is_symmetric_and_wider_than_either_arm_alone(
    first: float, second: float
) -> None:
    one, other = np.array([first]), np.array([second])

    radius = pair_radius(one, other, sigma=0.2, delta=0.1, pairs=20)
    swapped = pair_radius(other, one, sigma=0.2, delta=0.1, pairs=20)
    alone = pair_radius(one, np.array([1e12]), sigma=0.2, delta=0.1, pairs=20)

    assert radius == pytest.approx(swapped)
    assert radius[0] > 0.2 * math.sqrt(2 * math.log(20 / 0.1) / first)
    assert alone[0] > 0


def test_an_arm_without_a_score_has_the_radius_of_the_scale() -> None:
    none = np.array([0.0, 4.0])

    assert paper_radius(none, cost=4, sigma=9, delta=0.1)[0] == UNSCORED_RADIUS
    assert mixture_radius(none, sigma=9, delta=0.1, arms=2)[0] == UNSCORED_RADIUS
    both_unscored = pair_radius(none[:1], none[:1], sigma=9, delta=0.1, pairs=1)
    assert both_unscored.tolist() == [2 * UNSCORED_RADIUS]
    one_unscored = pair_radius(none[:1], none[1:], sigma=1, delta=0.1, pairs=1)[0]
    beta = math.log(1 / 0.1) + math.log1p(4 / 3) / 2
    assert one_unscored == pytest.approx(UNSCORED_RADIUS + math.sqrt(2 * beta * 7 / 16))


@pytest.mark.parametrize(
    ("sigma", "delta", "arms", "rho"),
    [
        (0, 0.1, 2, 3),
        (math.nan, 0.1, 2, 3),
        (1, 0, 2, 3),
        (1, 1, 2, 3),
        (1, 0.1, 0, 3),
        (1, 0.1, 2, 0),
    ],
)
def test_settings_that_no_radius_can_be_built_on_are_refused(
    sigma: float, delta: float, arms: int, rho: float
) -> None:
    with pytest.raises(InvalidInputError):
        mixture_radius(np.ones(2), sigma=sigma, delta=delta, arms=arms, rho=rho)
    with pytest.raises(InvalidInputError):
        pair_radius(np.ones(2), np.ones(2), sigma=sigma, delta=delta, pairs=arms, rho=rho)


def test_a_single_arm_leaves_the_mixture_bound_no_more_often_than_promised() -> None:
    runs, looks, delta = 4000, 2000, 0.05
    rng = np.random.default_rng(7)
    information = np.arange(1.0, looks + 1)
    radius = mixture_radius(information, sigma=1.0, delta=delta, arms=1)
    left = 0

    for _ in range(runs // 500):
        means = np.cumsum(rng.standard_normal((500, looks)), axis=1) / information
        left += int(np.any(means > radius, axis=1).sum())

    assert 0.2 * delta < left / runs <= delta


def test_a_pair_leaves_its_bound_no_more_often_than_promised() -> None:
    runs, looks, delta = 2000, 1000, 0.05
    rng = np.random.default_rng(8)
    information = np.arange(1.0, looks + 1)
    left = 0

    for _ in range(runs // 500):
        means = np.cumsum(rng.standard_normal((2, 500, looks)), axis=2) / information
        slow = np.sqrt(information).astype(int)
        difference = means[0] - means[1][:, slow - 1]
        radius = pair_radius(information, slow.astype(float), sigma=1.0, delta=delta, pairs=1)
        left += int(np.any(difference > radius, axis=1).sum())

    assert 0 < left / runs <= delta
