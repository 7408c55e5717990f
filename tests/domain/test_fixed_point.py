"""Integers for sums: what is rounded, how, and when a pull adds anything."""

import math

import pytest

from swapflow.domain.fixed_point import (
    GAIN_SCALE,
    VALUE_SCALE,
    contribution,
    gain_units,
    value_units,
)
from swapflow.errors import ScoreOutOfRangeError


@pytest.mark.parametrize(
    ("utility", "units"),
    [
        (0.0, 0),
        (1.0, VALUE_SCALE),
        (2 / 3, 666_667),
        (1 / 3, 333_333),
        (0.000_000_4, 0),
        (0.000_000_5, 1),
    ],
)
def test_a_utility_is_rounded_to_the_nearest_millionth_and_halves_go_up(
    utility: float, units: int
) -> None:
    assert value_units(utility) == units


def test_every_mark_in_hundredths_is_stored_exactly() -> None:
    assert [value_units(points / 100) for points in range(101)] == [
        10_000 * points for points in range(101)
    ]


@pytest.mark.parametrize("utility", [-1e-9, 1 + 1e-9, math.nan, math.inf])
def test_what_is_no_utility_is_refused(utility: float) -> None:
    with pytest.raises(ScoreOutOfRangeError):
        value_units(utility)


@pytest.mark.parametrize(("gain", "units"), [(1.0, GAIN_SCALE), (2.5, 2_500), (0.001, 1)])
def test_a_gain_is_stored_in_thousandths(gain: float, units: int) -> None:
    assert gain_units(gain) == units


@pytest.mark.parametrize(
    ("values", "mean"),
    [
        ([400_000], 400_000),
        ([0, 1], 1),
        ([0, 0, 1], 0),
        ([0, 1, 1], 1),
        ([333_333, 333_334], 333_334),
        ([999_999, 1_000_000, 1_000_000], 1_000_000),
    ],
)
def test_a_panel_adds_its_gain_once_and_the_mean_of_its_answers_with_halves_up(
    values: list[int], mean: int
) -> None:
    gain = 3_000

    assert contribution(values, gain=gain, quorum=len(values)) == (gain * mean, gain)


@pytest.mark.parametrize(("values", "quorum"), [([], 0), ([], 1), ([5], 2), ([5, 6], 3)])
def test_a_pull_without_its_quorum_adds_nothing(values: list[int], quorum: int) -> None:
    assert contribution(values, gain=1_000, quorum=quorum) == (0, 0)
