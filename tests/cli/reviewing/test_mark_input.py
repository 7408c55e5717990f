"""Scores as people type them at the command."""

import pytest

from swapflow.cli.reviewing.mark_input import read_score
from swapflow.errors import InvalidInputError, ScoreOutOfRangeError


@pytest.mark.parametrize(
    ("typed", "score"),
    [("0", 0.0), ("1", 1.0), ("0,7", 0.7), (".5", 0.5), ("0/100", 0.0), ("100/100", 1.0)],
)
def test_a_scale_includes_both_of_its_ends(typed: str, score: float) -> None:
    assert read_score(typed) == score


@pytest.mark.parametrize("typed", ["-0.1", "1.01", "70", "-1/100", "100.5/100"])
def test_what_lies_outside_its_scale_is_refused(typed: str) -> None:
    with pytest.raises(ScoreOutOfRangeError):
        read_score(typed)


@pytest.mark.parametrize("typed", ["", "good", "7/10", "70/", "1e-1", "nan"])
def test_what_is_no_score_is_refused_as_that(typed: str) -> None:
    with pytest.raises(InvalidInputError, match="score"):
        read_score(typed)
