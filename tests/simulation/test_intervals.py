"""Error bars beside another library's."""

import math

import numpy as np
import pytest
from scipy import stats

from swapflow.simulation.intervals import mean_interval, share_interval


@pytest.mark.parametrize("values", [[0.0, 1.0], [3.0, 1.0, 4.0, 1.0, 5.0], [2.0] * 30 + [9.0]])
@pytest.mark.parametrize("confidence", [0.95, 0.8])
def test_the_interval_of_a_mean_is_students(values: list[float], confidence: float) -> None:
    found = mean_interval(np.array(values), confidence=confidence)

    low, high = stats.t.interval(
        confidence, len(values) - 1, loc=np.mean(values), scale=stats.sem(values)
    )
    assert found.value == pytest.approx(np.mean(values))
    assert (found.low, found.high) == pytest.approx((low, high))


def test_one_value_has_a_mean_and_no_bounds() -> None:
    found = mean_interval(np.array([2.0]))

    assert (found.value, found.low, found.high) == (2.0, -math.inf, math.inf)


@pytest.mark.parametrize(("hits", "of"), [(0, 7), (3, 7), (7, 7), (1, 400)])
def test_the_interval_of_a_share_is_wilsons(hits: int, of: int) -> None:
    found = share_interval(hits, of)

    expected = stats.binomtest(hits, of).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
