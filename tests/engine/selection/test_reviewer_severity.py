"""How reviewers judge: severity with its error, and the distance from the others."""

import numpy as np
import pytest

from swapflow.bandit.situation import PullKind, Scores
from swapflow.engine.selection.reviewer_severity import estimate_severity


KINDS = (PullKind(cost=1, gain=1.0),)


def scores(rows: list[tuple[int, int, float]]) -> Scores:
    arm, reviewer, mark = zip(*rows, strict=True)
    return Scores(
        arm=np.array(arm),
        reviewer=np.array(reviewer),
        kind=np.zeros(len(rows), dtype=np.int64),
        mark=np.array(mark),
    )


def world(offset: float, *, arms: int = 60) -> Scores:
    """Every applicant is judged by two of three reviewers; the last is more generous."""
    rng = np.random.default_rng(7)
    rows = []
    for arm in range(arms):
        truth = rng.uniform(0.3, 0.7)
        for reviewer in sorted(rng.choice(3, size=2, replace=False)):
            generous = offset if reviewer == 2 else 0.0
            rows.append((arm, int(reviewer), truth + generous + rng.normal(0, 0.05)))
    return scores(rows)


def test_a_generous_reviewer_is_told_from_the_others_beyond_the_error() -> None:
    told = estimate_severity(world(0.15), n=60, kinds=KINDS, reviewers=4, fitted=None)

    assert told.severity[2] > 2 * told.error[2]
    assert told.severity[2] - told.severity[0] == pytest.approx(0.15, abs=0.04)
    assert np.isnan(told.severity[3])


def test_reviewers_alike_are_not_called_strict_or_generous() -> None:
    told = estimate_severity(world(0.0), n=60, kinds=KINDS, reviewers=3, fitted=None)

    assert np.all(np.abs(told.severity) < 2 * told.error + 0.01)


def test_reviewers_who_all_gave_the_same_mark_are_neither_generous_nor_strict() -> None:
    rows = [(0, 0, 0.61), (1, 1, 0.61), (2, 0, 0.61), (2, 2, 0.61), (3, 1, 0.61), (3, 2, 0.61)]

    told = estimate_severity(scores(rows), n=6, kinds=KINDS, reviewers=3, fitted=None)

    assert told.severity.mean() == pytest.approx(0.0, abs=1e-12)
    assert np.abs(told.severity).max() < 0.005


def test_above_the_most_that_are_fitted_a_usual_share_stands_in_and_the_order_stays() -> None:
    told = estimate_severity(
        world(0.15), n=60, kinds=KINDS, reviewers=3, fitted=None, most_fitted=10
    )

    assert int(np.argmax(told.severity)) == 2


def test_the_distance_from_the_others_is_counted_over_shared_applicants_alone() -> None:
    rows = [(0, 0, 0.5), (0, 1, 0.7), (0, 2, 0.9), (1, 0, 0.4), (2, 1, 0.1), (2, 2, 0.2)]

    told = estimate_severity(scores(rows), n=3, kinds=KINDS, reviewers=3, fitted=None)

    assert told.apart == pytest.approx([0.3, (0.0 + 0.1) / 2, (0.3 + 0.1) / 2])
    assert told.shared.tolist() == [1, 2, 2]


def test_nothing_is_said_before_the_first_score() -> None:
    none = Scores(
        arm=np.zeros(0, dtype=np.int64),
        reviewer=np.zeros(0, dtype=np.int64),
        kind=np.zeros(0, dtype=np.int64),
        mark=np.zeros(0),
    )

    told = estimate_severity(none, n=3, kinds=KINDS, reviewers=2, fitted=None)

    assert np.isnan(told.severity).all()
    assert told.shared.tolist() == [0, 0]
