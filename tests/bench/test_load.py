"""A small load on a whole deployment: it is measured, counted right, and its record holds."""

import pytest

from tests.bench.load import Size, faults, measure


pytestmark = pytest.mark.slow  # starts a deployment, and measures for half a minute


def test_a_small_load_is_measured_against_both_limits_and_its_record_holds() -> None:
    said: list[str] = []

    figures = measure(
        Size(applicants=150, reviewers=12, reviews=3, open=1, seconds=12.0, every=3.0, noops=500),
        say=said.append,
    )

    assert figures["problems"] == []
    assert figures["cycles_finished"] >= 1
    assert figures["cycles_launched"] == figures["cycles_finished"] + 3
    assert 150 <= figures["scores"] <= 150 * figures["cycles_launched"]
    assert figures["decisions_timed"] > 0
    assert 0 < figures["decision_ms_p50"] <= figures["decision_ms_p99"]
    assert figures["inserts_per_second"] > 0
    assert 300 < figures["bytes_per_score"] < 10_000
    assert 100 < figures["bytes_per_applicant"] < 10_000
    assert figures["memory"].keys() == {"coordinator", "redis", "web", "worker"}
    assert all(one["rss_mb_last"] > 1 for one in figures["memory"].values())
    assert any("a second" in line for line in said)


def test_too_little_taken_in_and_a_broken_record_are_both_named() -> None:
    figures = {"ingest_over_noop": 0.4, "problems": ["load1: the chain breaks"]}

    assert len(faults(figures)) == 2
    assert faults({"ingest_over_noop": 0.5, "problems": []}) == []
