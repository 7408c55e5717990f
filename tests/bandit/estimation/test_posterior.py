import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapflow.bandit.estimation.crossed_model import OFFSET_SPREAD, SMALL_MATRIX, Fitted
from swapflow.bandit.estimation.posterior import (
    NO_REVIEWER,
    PRIOR_FLOOR_SHARE,
    FitVersion,
    Posterior,
    first_scores,
    fit,
    joint_draws,
    lowest_kind_marks,
    posterior,
)
from swapflow.bandit.situation import FloatArray, PullKind, Scores, no_scores
from tests.support.tiers import cases


REVIEW = PullKind(cost=1, gain=1)
INTERVIEW = PullKind(cost=6, gain=7)
KINDS = (REVIEW, INTERVIEW)


def fitted_as(
    *, severity: float = 0.05, offset: float = 0.04, level: float = 0.5, count: int = 0
) -> Fitted:
    return Fitted(
        level=level,
        prior_variance=0.12**2,
        noise_variance=0.16**2,
        severity_variance=severity**2,
        offsets=(0.0, offset),
        count=count,
    )


def some_scores(seed: int, *, arms: int = 12, reviewers: int = 5, count: int = 30) -> Scores:
    rng = np.random.default_rng(seed)
    return Scores(
        arm=np.sort(rng.integers(0, arms, count)),
        reviewer=rng.integers(NO_REVIEWER, reviewers, count),
        kind=rng.integers(0, 2, count),
        mark=rng.random(count),
    )


def season(
    seed: int,
    *,
    arms: int = 2000,
    reviewers: int = 40,
    second: str = "all",
    generous: float = 0.0,
) -> tuple[Scores, FloatArray, FloatArray]:
    """One review each, a second look for some; sd .12 of arms, .05 of reviewers, .16 of noise."""
    rng = np.random.default_rng(seed)
    utility = 0.5 + 0.12 * rng.standard_normal(arms)
    severity = 0.05 * rng.standard_normal(reviewers)
    first = rng.integers(0, reviewers, arms)
    marks = utility + severity[first] + 0.16 * rng.standard_normal(arms)
    who = np.arange(arms) if second == "all" else np.argsort(-marks, kind="stable")[: arms // 5]
    again = (first[who] + 1 + rng.integers(0, reviewers - 1, who.size)) % reviewers
    kind = np.full(who.size, int(generous > 0))
    noise = 0.16 / np.sqrt(np.where(kind == 1, INTERVIEW.gain, 1))
    more = utility[who] + severity[again] + generous + noise * rng.standard_normal(who.size)
    arm = np.concatenate([np.arange(arms), who])
    order = np.argsort(arm, kind="stable")
    scores = Scores(
        arm=arm[order],
        reviewer=np.concatenate([first, again])[order],
        kind=np.concatenate([np.zeros(arms, dtype=np.int64), kind])[order],
        mark=np.concatenate([marks, more])[order],
    )
    return scores, utility, severity


def dense(scores: Scores, *, n: int, fitted: Fitted) -> Posterior:
    """Condition the joint normal of arms, reviewers and marks, with full matrices."""
    reviewers = int(scores.reviewer.max(initial=-1)) + 1
    count = scores.mark.size
    effects = np.zeros((count, n + reviewers))
    effects[np.arange(count), scores.arm] = 1
    known = np.flatnonzero(scores.reviewer >= 0)
    effects[known, n + scores.reviewer[known]] = 1
    prior = np.diag([fitted.prior_variance] * n + [fitted.severity_variance] * reviewers)
    gain = np.where(scores.kind == 1, INTERVIEW.gain, REVIEW.gain)
    covariance = effects @ prior @ effects.T + np.diag(fitted.noise_variance / gain)
    rest = scores.mark - fitted.level - np.array(fitted.offsets)[scores.kind]
    pull = prior @ effects.T @ np.linalg.inv(covariance)
    mean, left = pull @ rest, np.diag(prior - pull @ effects @ prior)
    return Posterior(
        mean=fitted.level + mean[:n],
        variance=left[:n],
        severity=mean[n:],
        severity_error=np.sqrt(left[n:]),
    )


def log_likelihood(scores: Scores, fitted: Fitted) -> float:
    """Restricted log likelihood of one kind's scores, with full matrices."""
    same_arm = scores.arm[:, None] == scores.arm
    same_reviewer = scores.reviewer[:, None] == scores.reviewer
    covariance = (
        fitted.prior_variance * same_arm
        + fitted.severity_variance * same_reviewer
        + fitted.noise_variance * np.eye(scores.mark.size)
    )
    inverse = np.linalg.inv(covariance)
    ones = np.ones(scores.mark.size)
    information = ones @ inverse @ ones
    rest = scores.mark - (ones @ inverse @ scores.mark) / information
    determinant = np.linalg.slogdet(covariance)[1]
    return float(-0.5 * (determinant + math.log(information) + rest @ inverse @ rest))


@pytest.mark.parametrize("severity", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_the_posterior_is_that_of_full_matrices(severity: float, seed: int) -> None:
    scores = some_scores(seed)
    fitted = fitted_as(severity=severity)

    believed = posterior(scores, n=14, kinds=KINDS, fitted=fitted)

    expected = dense(scores, n=14, fitted=fitted)
    assert believed.mean == pytest.approx(expected.mean)
    assert believed.variance == pytest.approx(expected.variance)
    assert believed.severity == pytest.approx(expected.severity)
    assert believed.severity_error == pytest.approx(expected.severity_error)


@pytest.mark.parametrize("reviewers", [SMALL_MATRIX, SMALL_MATRIX + 1, 2 * SMALL_MATRIX])
def test_the_posterior_of_many_reviewers_is_that_of_full_matrices(reviewers: int) -> None:
    scores = some_scores(reviewers, arms=150, reviewers=reviewers, count=700)
    fitted = fitted_as(severity=0.05)

    believed = posterior(scores, n=150, kinds=KINDS, fitted=fitted)

    expected = dense(scores, n=150, fitted=fitted)
    assert believed.mean == pytest.approx(expected.mean, rel=1e-9)
    assert believed.variance == pytest.approx(expected.variance, rel=1e-9)
    assert believed.severity == pytest.approx(expected.severity, rel=1e-9, abs=1e-12)
    assert believed.severity_error == pytest.approx(expected.severity_error, rel=1e-9)


def test_an_interviewers_severity_is_not_divided_by_the_gain() -> None:
    """Seven reviews by seven people pin an arm better than one interview worth seven."""
    fitted = fitted_as(severity=0.16, offset=0.0)
    seven = Scores(
        arm=np.zeros(7, dtype=np.int64),
        reviewer=np.arange(7),
        kind=np.zeros(7, dtype=np.int64),
        mark=np.full(7, 0.8),
    )
    one = Scores(
        arm=np.array([0]), reviewer=np.array([0]), kind=np.array([1]), mark=np.array([0.8])
    )

    by_seven = posterior(seven, n=1, kinds=KINDS, fitted=fitted).variance[0]
    by_one = posterior(one, n=1, kinds=KINDS, fitted=fitted).variance[0]

    assert by_seven == pytest.approx(1 / (1 / 0.12**2 + 7 / (2 * 0.16**2)))
    assert by_one == pytest.approx(1 / (1 / 0.12**2 + 1 / (0.16**2 / 7 + 0.16**2)))


@given(st.integers(0, 10**6))
@cases(20)
def test_renaming_arms_and_reviewers_changes_no_belief(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = some_scores(seed)
    arms, reviewers = rng.permutation(12), np.append(rng.permutation(5), NO_REVIEWER)
    order = rng.permutation(scores.mark.size)
    renamed = Scores(
        arm=arms[scores.arm][order],
        reviewer=reviewers[scores.reviewer][order],
        kind=scores.kind[order],
        mark=scores.mark[order],
    )

    before = posterior(scores, n=12, kinds=KINDS, fitted=fitted_as())
    after = posterior(renamed, n=12, kinds=KINDS, fitted=fitted_as())

    assert after.mean[arms] == pytest.approx(before.mean, abs=1e-12)


def test_without_any_score_every_arm_is_believed_average() -> None:
    fitted = fit(no_scores(), n=3, kinds=KINDS, severity=True, kind_offsets=True)
    believed = posterior(no_scores(), n=3, kinds=KINDS, fitted=fitted)

    assert believed.mean.tolist() == [0.5, 0.5, 0.5]
    assert believed.variance.tolist() == [fitted.prior_variance] * 3
    assert believed.severity.size == 0


@pytest.mark.parametrize("second", ["all", "the best"])
@pytest.mark.parametrize("seed", range(3))
def test_the_fit_finds_the_spreads_whoever_got_a_second_look(seed: int, second: str) -> None:
    scores, _, _ = season(seed, second=second)

    fitted = fit(scores, n=2000, kinds=KINDS, severity=True)

    assert math.sqrt(fitted.noise_variance) == pytest.approx(0.16, abs=0.012)
    assert math.sqrt(fitted.prior_variance) == pytest.approx(0.12, abs=0.012)
    assert math.sqrt(fitted.severity_variance) == pytest.approx(0.05, abs=0.02)


@pytest.mark.long
def test_the_fit_comes_within_half_a_unit_of_the_highest_likelihood() -> None:
    scores, _, _ = season(5, arms=150, reviewers=12)

    fitted = fit(scores, n=150, kinds=KINDS, severity=True, sigma_weight=0)

    reached = log_likelihood(scores, fitted)
    for factor in (0.7, 0.85, 1.15, 1.4):
        for name in ("prior_variance", "noise_variance", "severity_variance"):
            record = fitted.to_dict()
            record[name] *= factor
            assert log_likelihood(scores, Fitted.from_dict(record)) < reached + 0.5
    worse = fitted.to_dict() | {"noise_variance": 2 * fitted.noise_variance}
    assert log_likelihood(scores, Fitted.from_dict(worse)) < reached - 5


def test_before_repeats_two_thirds_of_the_spread_is_noise() -> None:
    rng = np.random.default_rng(3)
    mark = 0.5 + 0.2 * rng.standard_normal(300)
    alone = Scores(
        arm=np.arange(300), reviewer=np.arange(300) % 20, kind=np.zeros(300, int), mark=mark
    )

    fitted = fit(alone, n=300, kinds=KINDS)

    assert fitted.noise_variance == pytest.approx(2 / 3 * mark.var(), rel=0.01)
    assert fitted.prior_variance == pytest.approx(1 / 3 * mark.var(), rel=0.02)


def test_a_known_sigma_takes_the_place_of_the_guess() -> None:
    scores, _, _ = season(1, arms=60, second="the best")

    free = fit(scores, n=60, kinds=KINDS)
    leaning = fit(scores, n=60, kinds=KINDS, sigma=0.05)
    fixed = fit(scores, n=60, kinds=KINDS, sigma=0.05, sigma_weight=math.inf)

    assert fixed.noise_variance == pytest.approx(0.05**2)
    assert fixed.noise_variance < leaning.noise_variance < free.noise_variance


def test_a_sigma_far_too_large_does_not_starve_the_arms() -> None:
    scores, _, _ = season(2, arms=200)

    fitted = fit(scores, n=200, kinds=KINDS, sigma=0.5, sigma_weight=math.inf)

    marks, weights = lowest_kind_marks(scores, n=200)
    spread = np.average((marks - np.average(marks, weights=weights)) ** 2, weights=weights)
    assert fitted.prior_variance == pytest.approx(PRIOR_FLOOR_SHARE * spread)


def test_marks_that_are_all_equal_can_be_fitted() -> None:
    equal = Scores(
        arm=np.repeat(np.arange(5), 2),
        reviewer=np.tile([0, 1], 5),
        kind=np.zeros(10, dtype=np.int64),
        mark=np.full(10, 0.75),
    )

    fitted = fit(equal, n=5, kinds=KINDS, severity=True)
    believed = posterior(equal, n=5, kinds=KINDS, fitted=fitted)

    assert believed.mean == pytest.approx(np.full(5, 0.75))
    assert np.all(believed.variance > 0)


def test_severities_are_found_shrunk_and_taken_out_of_the_means() -> None:
    scores, utility, severity = season(4, reviewers=20)
    fitted = fit(scores, n=2000, kinds=KINDS, severity=True)

    believed = posterior(scores, n=2000, kinds=KINDS, fitted=fitted)
    unadjusted = posterior(scores, n=2000, kinds=KINDS, fitted=fitted_as(severity=0, level=0.5))

    assert np.corrcoef(believed.severity, severity)[0, 1] > 0.9
    assert np.corrcoef(believed.mean, utility)[0, 1] > np.corrcoef(unadjusted.mean, utility)[0, 1]


def test_the_standard_errors_of_severities_mean_what_they_say() -> None:
    misses = []
    for seed in range(6):
        scores, _, severity = season(seed, reviewers=20)
        fitted = fit(scores, n=2000, kinds=KINDS, severity=True)
        believed = posterior(scores, n=2000, kinds=KINDS, fitted=fitted)
        misses.append((believed.severity - severity + severity.mean()) / believed.severity_error)

    assert 0.85 < np.std(misses) < 1.15


def test_a_generous_kind_is_seen_although_only_the_best_got_it() -> None:
    scores, _, _ = season(6, second="the best", generous=0.1)

    fitted = fit(scores, n=2000, kinds=KINDS, kind_offsets=True, severity=True)
    blind = fit(scores, n=2000, kinds=KINDS, severity=True)

    assert fitted.offsets[0] == 0
    assert fitted.offsets[1] == pytest.approx(0.1, abs=0.025)
    assert blind.offsets == (0.0, 0.0)


def test_the_first_interview_of_a_cycle_is_not_all_offset() -> None:
    scores, _, _ = season(7, arms=100)
    scores = Scores(
        arm=np.append(scores.arm, 99),
        reviewer=np.append(scores.reviewer, NO_REVIEWER),
        kind=np.append(scores.kind, 1),
        mark=np.append(scores.mark, 0.99),
    )
    fitted = fit(scores, n=100, kinds=KINDS, kind_offsets=True)
    ignored = posterior(
        Scores(
            arm=scores.arm[:-1],
            reviewer=scores.reviewer[:-1],
            kind=scores.kind[:-1],
            mark=scores.mark[:-1],
        ),
        n=100,
        kinds=KINDS,
        fitted=fitted,
    )

    believed = posterior(scores, n=100, kinds=KINDS, fitted=fitted)

    assert 0 < fitted.offsets[1] < 3 * OFFSET_SPREAD
    assert believed.mean[99] > ignored.mean[99] + 0.02


def test_parameters_survive_the_decisions_record_unchanged() -> None:
    fitted = fit(season(8, arms=50)[0], n=50, kinds=KINDS, severity=True, kind_offsets=True)

    assert Fitted.from_dict(fitted.to_dict() | {"delta": 0.05}) == fitted


def test_first_scores_are_those_of_the_lowest_kind_in_the_given_order() -> None:
    scores = Scores(
        arm=np.array([2, 0, 0, 2, 0]),
        reviewer=np.zeros(5, dtype=np.int64),
        kind=np.array([1, 1, 0, 1, 0]),
        mark=np.array([0.1, 0.2, 0.3, 0.4, 0.5]),
    )

    assert first_scores(scores, n=4).tolist() == [0.3, 0.1]


@pytest.mark.parametrize("severity", [0.0, 0.08], ids=["without severity", "with severity"])
def test_joint_draws_have_the_mean_and_the_covariance_of_the_posterior(severity: float) -> None:
    """Against the normal equations of all effects at once, unscored arms included."""
    scores = some_scores(3, arms=6, reviewers=3, count=14)
    n, fitted = 8, fitted_as(severity=severity)

    drawn = joint_draws(
        scores, n=n, kinds=KINDS, fitted=fitted, count=60_000, rng=np.random.default_rng(1)
    )

    reviewers = 3 if severity else 0
    design = np.zeros((14, n + reviewers))
    design[np.arange(14), scores.arm] = 1
    for row, reviewer in enumerate(scores.reviewer):
        if severity and reviewer >= 0:
            design[row, n + reviewer] = 1
    gain = np.array([1.0, 7.0])[scores.kind]
    prior = np.r_[np.full(n, fitted.prior_variance), np.full(reviewers, severity**2)]
    precision = design.T @ (gain[:, None] * design) / fitted.noise_variance + np.diag(1 / prior)
    covariance = np.linalg.inv(precision)
    rest = scores.mark - fitted.level - np.array(fitted.offsets)[scores.kind]
    mean = fitted.level + (covariance @ (design.T @ (gain * rest)) / fitted.noise_variance)[:n]
    assert np.abs(drawn.mean(axis=0) - mean).max() < 0.003
    assert np.abs(np.cov(drawn.T) - covariance[:n, :n]).max() < 3e-4
    assert drawn.shape == (60_000, n)


RECORDED_FIT = {
    "level": 0.43696261095605127,
    "prior_variance": 0.060184632053047006,
    "noise_variance": 0.07760006863516118,
    "severity_variance": 0.056543682531028525,
    "count": 30.0,
    "offset_0": 0.0,
    "offset_1": 0.0,
}
"""What the release before fitted to `some_scores(11, count=30)`."""


def shuffled(scores: Scores, seed: int) -> Scores:
    order = np.random.default_rng(seed).permutation(scores.mark.size)
    return Scores(
        arm=scores.arm[order],
        reviewer=scores.reviewer[order],
        kind=scores.kind[order],
        mark=scores.mark[order],
    )


@given(st.integers(0, 10**9))
@cases(80)
def test_marks_in_another_order_give_the_same_fit(seed: int) -> None:
    """Bit for bit, with severities and offsets: the fit is a function of the set of marks."""
    scores = some_scores(seed, count=int(np.random.default_rng(seed).integers(1, 40)))

    first, second = (
        fit(each, n=12, kinds=KINDS, severity=True, kind_offsets=True)
        for each in (scores, shuffled(scores, seed))
    )

    assert first == second
    one, other = (
        posterior(each, n=12, kinds=KINDS, fitted=first) for each in (scores, shuffled(scores, 1))
    )
    assert np.array_equal(np.round(one.mean, 9), np.round(other.mean, 9))


def test_the_first_version_of_the_fit_is_kept_as_it_was() -> None:
    """Parameters as the release before computed them, and another order moves them."""
    scores = some_scores(11, count=30)
    old = fit(scores, n=12, kinds=KINDS, severity=True, version=FitVersion.FIRST_MARKS)

    assert old.to_dict() == pytest.approx(RECORDED_FIT, rel=1e-9)
    moved = fit(shuffled(scores, 2), n=12, kinds=KINDS, severity=True, version=FitVersion(1))
    assert abs(moved.prior_variance - old.prior_variance) > 1e-6


def test_with_one_mark_each_both_early_versions_start_alike() -> None:
    """The start is the mean and the variance of the marks that there are."""
    marks = np.random.default_rng(4).random(60)
    scores = Scores(
        arm=np.arange(60),
        reviewer=np.arange(60) % 5,
        kind=np.zeros(60, dtype=np.int64),
        mark=marks,
    )
    first, second = (fit(scores, n=60, kinds=KINDS, version=FitVersion(v)) for v in (1, 2))

    assert first.to_dict() == pytest.approx(second.to_dict(), rel=1e-9)
