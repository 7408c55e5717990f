"""A small crowd against a whole deployment: whatever was acknowledged is there afterwards."""

import pytest

from tests.bench.web_load import measure


pytestmark = pytest.mark.slow  # starts a deployment and types for twenty seconds


def test_a_small_crowd_loses_nothing_and_sees_no_error() -> None:
    figures = measure(reviewers=5, seconds=20.0, watchers=1)

    assert figures["errors"] == []
    assert figures["lost"] == []
    assert figures["compared_reviews"] == figures["reviews_stored"] > 0
    assert figures["requests"]["save"]["count"] > figures["compared_reviews"]
