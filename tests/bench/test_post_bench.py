"""The cost of a review is counted as the tests count it, and compared where that can be done."""

from pathlib import Path

import pytest

from tests.bench import post_bench
from tests.bench.earlier_tree import checked_out
from tests.web.score_statements import BUDGETS


def test_the_statements_are_counted_within_their_budgets(tmp_path: Path) -> None:
    """What `make bench` writes is what the tests hold to a budget."""
    figures = post_bench.count(tmp_path)

    assert figures["post_statements"] <= BUDGETS["submit and next"]
    assert figures["post_and_stay_statements"] <= BUDGETS["submit and stay"]
    assert figures["turn_statements"] <= BUDGETS["turn after one score"]
    assert figures["inbox_statements"] <= BUDGETS["inbox"]
    assert min(figures.values()) > 0


def test_a_commit_that_is_not_here_is_named_and_not_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a shallow clone or an unpacked archive the comparison is left out, with the reason."""
    monkeypatch.setattr(post_bench, "BEFORE", "0" * 40)

    with (
        pytest.raises(LookupError, match=f"{'0' * 40} is not here"),
        checked_out(post_bench.BEFORE, tmp_path / "tree"),
    ):
        pass

    assert not (tmp_path / "tree").exists()


@pytest.mark.slow
def test_reviews_are_handed_in_to_both_trees_in_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short comparison finds a rate for both, or says why there is only one."""
    monkeypatch.setattr(post_bench, "REVIEWERS", 10)
    monkeypatch.setattr(post_bench, "WARM_UP", 0.5)

    found = post_bench.compare(tmp_path, rounds=1, seconds=1.0)

    assert found["now"] > 0
    assert found["nothing"] > found["now"]
    assert (found["before"] is None) == ("left_out" in found)
