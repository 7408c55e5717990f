"""The table of processes is computed from what was measured, and marks what was not."""

import pytest

from tests.bench.scaling import LEAST, main, need, slopes


WEB = {
    "seconds": 60.0,
    "requests": {"save": {"count": 5_400}, "submit": {"count": 600}},
    "cpu": {"web": 0.6, "worker": 0.1, "coordinator": 0.2},
}
LOAD = {"scores_per_second": 500.0, "cpu": {"worker": 1.0, "coordinator": 0.5}}


def test_slopes_are_processor_seconds_over_what_was_done() -> None:
    found = slopes(WEB, LOAD)

    assert (found.web, found.worker, found.coordinator) == pytest.approx((0.006, 0.002, 0.001))
    assert (found.requests_per_second, found.reviews_per_second) == pytest.approx((100, 500))


def test_without_the_run_of_reviews_those_of_the_pages_are_the_slope() -> None:
    assert slopes(WEB, None).worker == pytest.approx(0.01)


def test_more_reviewers_need_no_fewer_processes_and_two_of_each_at_least() -> None:
    needs = [need(reviewers, slopes(WEB, LOAD)) for reviewers in (1, 100, 10_000, 1_000_000)]

    for kind in ("web", "workers", "coordinators"):
        counts = [getattr(one, kind) for one in needs]
        assert counts == sorted(counts)
        assert counts[0] == LEAST


def test_a_rate_above_the_highest_that_was_run_is_marked() -> None:
    found = slopes(WEB, LOAD)

    assert not need(1_000, found).extrapolated
    assert need(2_000, found).extrapolated


def test_without_a_measurement_it_names_the_command_that_makes_one(
    tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--web", f"{tmp_path}/none.json"]) == 2
    assert "make load-web" in capsys.readouterr().out
