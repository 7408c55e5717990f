"""Score sources say what they promise: means, spreads, bounds, limits, and the same again."""

from pathlib import Path

import numpy as np
import pytest

from swapflow.automatic_reviewers.recorded_round import read_recording
from swapflow.bandit.estimation.posterior import NO_REVIEWER
from swapflow.bandit.situation import FloatArray, PullKind
from swapflow.errors import InvalidInputError
from swapflow.simulation.intervals import bootstrap_interval, mean_interval, share_interval
from swapflow.simulation.random_numbers import stream_of
from swapflow.simulation.response_delays import Lognormal
from swapflow.simulation.score_sources import (
    BetaMarks,
    ClassifierFallback,
    Gaussian,
    HeavyTailed,
    RecordedMarks,
    RubricMarks,
    ScoreSource,
    Severe,
)


STREAM = stream_of("tests", "sources")
KINDS = (PullKind(cost=1, gain=1), PullKind(cost=3, gain=4))
MANY = np.arange(20_000)
TRUTH = np.array([0.5, 0.2, 0.95])
TWIN = Path(__file__).parents[2] / "swapflow" / "automatic_reviewers" / "data" / "synthetic_twin"


def many_marks(source: ScoreSource, arm: int, kind: int) -> FloatArray:
    return source.marks(np.full(MANY.size, arm), np.full(MANY.size, kind), MANY)


@pytest.mark.parametrize("family", [Gaussian, HeavyTailed, BetaMarks])
@pytest.mark.parametrize(("kind", "spread"), [(0, 0.1), (1, 0.05)])
def test_marks_have_the_truth_as_mean_and_the_gains_spread(
    family: type[Gaussian], kind: int, spread: float
) -> None:
    source = family(truth=TRUTH, kinds=KINDS, sigma=0.1, stream=STREAM, run=1)

    marks = many_marks(source, 0, kind)

    assert marks.mean() == pytest.approx(0.5, abs=5 * spread / MANY.size**0.5)
    assert marks.std() == pytest.approx(spread, rel=0.06)


def test_heavy_tails_are_heavy_and_beta_marks_stay_within_their_bounds() -> None:
    heavy = HeavyTailed(truth=TRUTH, kinds=KINDS, sigma=0.1, stream=STREAM, run=1)
    beta = BetaMarks(truth=TRUTH, kinds=KINDS, sigma=0.3, stream=STREAM, run=1)

    far = np.abs(many_marks(heavy, 0, 0) - 0.5) > 0.35
    bounded = many_marks(beta, 2, 0)

    assert far.mean() > 0.003
    assert bounded.min() >= 0
    assert bounded.max() <= 1
    assert bounded.mean() == pytest.approx(0.95, abs=0.01)


def test_a_true_spread_may_be_another_than_the_gain_says() -> None:
    source = Gaussian(
        truth=TRUTH, kinds=KINDS, sigma=0.1, stream=STREAM, run=1, deviations=(0.2, 0.3)
    )

    assert many_marks(source, 0, 1).std() == pytest.approx(0.3, rel=0.03)


def test_a_rubric_gives_the_nearest_of_its_marks() -> None:
    plain = Gaussian(truth=TRUTH, kinds=KINDS, sigma=0.2, stream=STREAM, run=1)
    levels = (0.0, 0.25, 0.5, 0.75, 1.0)

    marks = many_marks(RubricMarks(source=plain, levels=levels), 0, 0)

    assert set(marks.tolist()) == set(levels)
    nearest = np.abs(many_marks(plain, 0, 0)[:, np.newaxis] - levels).argmin(axis=1)
    assert marks.tolist() == np.array(levels)[nearest].tolist()
    with pytest.raises(InvalidInputError, match="ascending"):
        RubricMarks(source=plain, levels=(1.0, 0.0))


def test_nobody_judges_an_applicant_twice_and_severities_have_their_spread() -> None:
    plain = Gaussian(truth=np.zeros(200), kinds=KINDS, sigma=1e-9, stream=STREAM, run=2)
    source = Severe(source=plain, panel=(12, 5), spreads=(0.1, 0.0), stream=STREAM, run=2)

    arms = np.repeat(np.arange(200), 12)
    turns = np.tile(np.arange(12), 200)
    who = source.reviewers(arms, np.zeros_like(arms), turns)
    interviewers = source.reviewers(np.arange(200), np.ones(200, dtype=np.int64), turns[:200] % 5)

    assert all(set(row) == set(range(12)) for row in who.reshape(200, 12).tolist())
    assert set(interviewers.tolist()) == set(range(12, 17))
    assert source.limits.max(axis=0).tolist() == [12, 5]
    marks = source.marks(arms, np.zeros_like(arms), turns)
    assert marks == pytest.approx(source.severity[who], abs=1e-6)
    many = Severe(source=plain, panel=(4000, 5), spreads=(0.1, 0.0), stream=STREAM, run=2)
    assert many.severity[:4000].std() == pytest.approx(0.1, rel=0.06)
    assert not many.severity[4000:].any()


def test_recorded_marks_come_in_their_order_and_the_model_takes_over_after_the_last() -> None:
    recording = read_recording(TWIN)
    recorded = RecordedMarks(recording=recording, kinds=KINDS)
    arm = 5
    own = recording.reviews[recording.items[arm]]
    model = np.full(recorded.truth.size, 0.7)
    fallback = ClassifierFallback(source=recorded, model=model, sigma=0.1, stream=STREAM, run=0)

    asked = np.arange(len(own) + 2000)
    marks = fallback.marks(np.full(asked.size, arm), np.zeros_like(asked), asked)
    who = fallback.reviewers(np.full(asked.size, arm), np.zeros_like(asked), asked)

    assert recorded.limits[arm, 0] == len(own)
    assert marks[: len(own)].tolist() == [review.utility for review in own]
    assert marks[len(own) :].mean() == pytest.approx(0.7, abs=0.015)
    assert marks[len(own) :].std() == pytest.approx(0.1, rel=0.1)
    assert (who[len(own) :] == NO_REVIEWER).all()
    assert recording.reviewers[who[0]] == own[0].reviewer


@pytest.mark.parametrize("leaning", [0.0, 1.0, -1.0])
def test_delays_have_their_mean_and_lean_on_the_mark_as_told(leaning: float) -> None:
    model = Lognormal(mean=(3.0, 10.0), stream=STREAM, run=0, leaning=leaning)
    arms = np.zeros_like(MANY)

    def mean(kind: int, mark: float) -> float:
        marks = np.full(MANY.size, mark)
        return float(model.delays(arms, np.full(MANY.size, kind), MANY, marks).mean())

    assert mean(0, 0.5) == pytest.approx(3.0, rel=0.05)
    assert mean(1, 0.5) == pytest.approx(10.0, rel=0.05)
    assert mean(0, 1.5) == pytest.approx(mean(0, 0.5) * np.exp(leaning))


def test_intervals_cover_as_often_as_they_say() -> None:
    rng = np.random.default_rng(5)
    shares = [share_interval(int(rng.binomial(40, 0.1)), 40) for _ in range(600)]
    means = [mean_interval(rng.standard_normal(8) + 3) for _ in range(600)]

    assert np.mean([one.low <= 0.1 <= one.high for one in shares]) > 0.92
    assert np.mean([one.low <= 3 <= one.high for one in means]) == pytest.approx(0.95, abs=0.03)


def test_intervals_are_honest_at_the_ends() -> None:
    none, nothing = share_interval(0, 100), share_interval(0, 0)
    single = mean_interval(np.array([2.0]))
    rows = np.random.default_rng(1).standard_normal(200)
    median = bootstrap_interval(
        rows, lambda some: float(np.median(some)), rng=np.random.default_rng(2)
    )

    assert none.low == none.value == 0
    assert 0.02 < none.high < 0.05
    assert (nothing.low, nothing.high) == (0, 1)
    assert (single.low, single.value, single.high) == (-np.inf, 2.0, np.inf)
    assert median.low < median.value < median.high
