import pytest

from swapflow.simulation.practice_marks import average, simulate


RUNS = 40


@pytest.mark.long
def test_three_practice_files_make_reviewers_comparable_who_share_no_applicant() -> None:
    before, after = average(RUNS, files=0), average(RUNS, files=3)

    assert after.severity < 0.9 * before.severity
    assert after.between_panels < 0.9 * before.between_panels
    assert after.estimate < before.estimate


def test_a_round_is_the_same_whenever_it_is_played() -> None:
    assert simulate(3, files=3) == simulate(3, files=3)
    assert simulate(3, files=3) != simulate(3, files=0)
