"""The steps from the mean of the marks to the estimate add up, and each is what it says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.estimation.estimate_steps import estimate_steps
from swapflow.bandit.estimation.posterior import NO_REVIEWER, fit, posterior
from swapflow.bandit.situation import PullKind, Scores, no_scores
from tests.support.tiers import cases


REVIEW = PullKind(cost=1, gain=1)
INTERVIEW = PullKind(cost=6, gain=7)
FITTED = Fitted(
    level=0.5,
    prior_variance=0.02,
    noise_variance=0.02,
    severity_variance=0.0,
    offsets=(0.0, 0.1),
    count=2,
)


def scores_of(*rows: tuple[int, int, int, float]) -> Scores:
    arm, reviewer, kind, mark = zip(*rows, strict=True)
    return Scores(
        arm=np.array(arm), reviewer=np.array(reviewer), kind=np.array(kind), mark=np.array(mark)
    )


@given(st.integers(0, 10**9))
@cases(60)
def test_the_steps_add_up_to_the_posterior_mean(seed: int) -> None:
    """With severities, offsets, marks of no one reviewer, and arms without a mark."""
    rng = np.random.default_rng(seed)
    count, kinds = int(rng.integers(1, 40)), (REVIEW, INTERVIEW)
    scores = Scores(
        arm=np.sort(rng.integers(0, 10, count)),
        reviewer=rng.integers(NO_REVIEWER, 4, count),
        kind=rng.integers(0, 2, count),
        mark=rng.random(count),
    )
    fitted = fit(scores, n=12, kinds=kinds, severity=bool(rng.integers(2)), kind_offsets=True)

    steps = estimate_steps(scores, n=12, kinds=kinds, fitted=fitted)

    believed = posterior(scores, n=12, kinds=kinds, fitted=fitted)
    assert steps.estimate == pytest.approx(believed.mean, abs=1e-12)


def test_two_reviews_go_two_thirds_of_the_way_from_the_level() -> None:
    """Worked by hand: 90 and 80 with as much noise as spread; w = 2/(2 + 1)."""
    steps = estimate_steps(
        scores_of((0, 0, 0, 0.9), (0, 1, 0, 0.8)), n=2, kinds=(REVIEW,), fitted=FITTED
    )

    assert steps.mean == pytest.approx([0.85, 0.5])
    assert steps.weight == pytest.approx([2 / 3, 0])
    assert steps.few_marks == pytest.approx([(0.5 - 0.85) / 3, 0])
    assert steps.estimate == pytest.approx([0.5 + 2 / 3 * 0.35, 0.5])


def test_a_generous_kind_is_taken_out_as_far_as_its_mark_counts() -> None:
    """An interview of 7 reviews' worth, .1 more generous: 7/8 of the .1."""
    steps = estimate_steps(
        scores_of((0, 0, 1, 0.8)), n=1, kinds=(REVIEW, INTERVIEW), fitted=FITTED
    )

    assert steps.kind == pytest.approx([-0.1 * 7 / 8])
    assert steps.severity == pytest.approx([0])


def test_without_any_mark_everybody_stands_at_the_level() -> None:
    """Nothing to add, and no own share."""
    steps = estimate_steps(no_scores(), n=3, kinds=(REVIEW,), fitted=FITTED)

    assert steps.estimate.tolist() == [0.5, 0.5, 0.5]
    assert steps.weight.tolist() == [0, 0, 0]
