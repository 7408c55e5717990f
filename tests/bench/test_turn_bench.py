"""The numbers about a list take no time that a turn would feel."""

import pytest

from tests.bench import turn_bench


def test_the_closed_form_stays_within_its_time() -> None:
    """30 ms at 20,000 applicants, in processor time."""
    assert turn_bench.time_closed_form(repeats=5) <= 30


@pytest.mark.slow
def test_a_turn_is_timed_in_both_trees() -> None:
    found = turn_bench.compare(rounds=1)

    assert found["now"] > 0
    if "left_out" not in found:
        assert found["ratio"] < 1.5
