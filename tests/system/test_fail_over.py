"""A server dies for good, its copy takes over, and every receipt that was given stays good."""

from collections.abc import Callable

import pytest

from tests.system.fail_over import FailOver, database_fails_over, faults, redis_fails_over


@pytest.mark.system
@pytest.mark.slow
@pytest.mark.parametrize("fails_over", [database_fails_over, redis_fails_over])
def test_a_fail_over_loses_no_receipt_and_takes_half_a_minute_at_most(
    fails_over: Callable[[], FailOver],
) -> None:
    seen = fails_over()

    assert faults(seen) == []
    assert seen.receipts_after > seen.receipts_before > 0
