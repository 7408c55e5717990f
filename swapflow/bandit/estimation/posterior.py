"""The posterior of every arm's utility: a crossed model of arms, reviewers and pull kinds.

A score of kind k by reviewer r for arm a is

    mark = level + offset[k] + utility[a] + severity[r] + noise,    noise ~ N(0, σ²/gain[k])

with utility ~ N(0, prior variance) and severity ~ N(0, τ²). The severity is not divided by the
gain: an interviewer who is strict in an hour is as strict as in a minute.

The model is fitted to all scores by marginal likelihood. The spread within arms that have two
scores is no substitute: the rule decides which arms get a second look, and that estimate of σ was
wrong by 30 % in both directions.
"""

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from swapflow.bandit.estimation.crossed_model import (
    LEAST_VARIANCE,
    CrossedModel,
    Fitted,
    ScoreColumns,
    maximise,
    reviewer_count,
)
from swapflow.bandit.estimation.newton_fit import maximise_by_newton
from swapflow.bandit.situation import UNSCORED_MEAN, FloatArray, PullKind, Scores


NO_REVIEWER = -1
"""Reviewer index of a mark that has no one reviewer (a panel's, an import's): no severity."""

NOISE_SHARE = 2 / 3
"""Share of the first scores' variance taken as noise until arms have two scores (ICC 1/3)."""
SEVERITY_SHARE = 1 / 20
"""Start of the fit for τ²: reviewers made 2 to 9 % of the variance in real data."""
PRIOR_FLOOR_SHARE = 0.2
"""Least prior variance, as a share of the first scores' variance; below it some arms starve."""
USUAL_FIRST_VARIANCE = 0.04
"""Variance of first scores before there are any; real ones had an sd of .16 to .20."""
LEAST_FIRST_VARIANCE = 1e-4
"""Used where all first scores are equal; an sd of .01 is finer than any rubric."""


class FitVersion(IntEnum):
    """How the model is fitted. Rules name it, so that a launched program keeps its own.

    FIRST_MARKS starts from each arm's first mark of its lowest kind, in the order in which scores
    are listed: marks listed in another order moved estimates by up to .034. MARK_SET starts from
    all marks of the lowest kind, each arm counting 1, and sums in an order of its own, so that
    the fit is a function of the set of marks. Both take 20 steps of EM, which end before the
    maximum where marks are few: at 1.1 marks an arm the prior variance stayed 14 % below it.
    MAXIMUM starts as MARK_SET does and ends at the maximum, at a cost that grows with the marks.
    """

    FIRST_MARKS = 1
    MARK_SET = 2
    MAXIMUM = 3


LATEST_FIT = FitVersion.MAXIMUM
"""The version for programs launched from now on, and wherever none is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Posterior:
    """The posterior after the scores.

    Attributes:
        mean: Posterior mean of each arm's utility: severities and offsets removed, shape (n,).
        variance: Its posterior variance, the uncertainty of severities included, shape (n,).
        severity: Each reviewer's shrunk severity (positive: generous), shape (reviewers,).
        severity_error: Standard error of each severity, shape (reviewers,).
    """

    mean: FloatArray
    variance: FloatArray
    severity: FloatArray
    severity_error: FloatArray


def fit(
    scores: Scores,
    *,
    n: int,
    kinds: tuple[PullKind, ...],
    severity: bool = False,
    kind_offsets: bool = False,
    sigma: float | None = None,
    sigma_weight: float = 50.0,
    version: FitVersion = LATEST_FIT,
) -> Fitted:
    """Fit the model to all scores, from a cold start.

    Equal scores give equal parameters, in whatever order they are listed (in the first version:
    in equal order); nothing is carried over from earlier fits.

    Args:
        scores: All scores that count.
        n: Number of arms.
        kinds: Supplies the gains.
        severity: Whether reviewers have a severity of their own.
        kind_offsets: Whether kinds have an offset of their own.
        sigma: Known sd of one mark of gain 1 (last year's). It replaces the guess that two
            thirds of the first scores' variance is noise.
        sigma_weight: How many scores that guess (or `sigma`) is worth; `math.inf` fixes it.
        version: How the fit is made; a launched program keeps the one it began with.

    Source:
        Patterson and Thompson 1971 for the restricted likelihood: the level is integrated out.
        `newton_fit.py` finds its maximum; the earlier versions take steps of EM towards it
        (Dempster, Laird and Rubin 1977).
    """
    if version is not FitVersion.FIRST_MARKS:
        scores = in_canonical_order(scores)
    level, spread = _start_of(scores, n=n, version=version)
    spread = max(spread, LEAST_FIRST_VARIANCE)
    guess = sigma**2 if sigma is not None else NOISE_SHARE * spread
    start = Fitted(
        level=level,
        prior_variance=max((1 - NOISE_SHARE) * spread, LEAST_VARIANCE),
        noise_variance=guess,
        severity_variance=SEVERITY_SHARE * spread if severity else 0.0,
        offsets=(0.0,) * len(kinds),
        count=scores.mark.size,
    )
    if not scores.mark.size:
        return start

    gains = _gains(scores, kinds)
    if version is FitVersion.MAXIMUM:
        return maximise_by_newton(
            scores,
            gains=gains,
            start=start,
            severity=severity,
            kind_offsets=kind_offsets,
            prior_floor=PRIOR_FLOOR_SHARE * spread,
            guess=guess,
            guess_weight=sigma_weight,
        )
    columns = ScoreColumns.of(
        scores, kinds=len(kinds), severity=severity, kind_offsets=kind_offsets
    )
    crossed = CrossedModel.of(scores, gains=gains, design=columns.design)
    return maximise(
        crossed,
        columns,
        start=start,
        prior_floor=PRIOR_FLOOR_SHARE * spread,
        guess=guess,
        guess_weight=sigma_weight,
    )


def posterior(scores: Scores, *, n: int, kinds: tuple[PullKind, ...], fitted: Fitted) -> Posterior:
    """Estimate utilities and severities from the scores, under given parameters (BLUP).

    Args:
        scores: All scores that count; may be more than the model was fitted to. Arms from n on
            (practice files) link reviewers and are left out of what is returned.
        n: Number of arms.
        kinds: Supplies the gains.
        fitted: The parameters. Without severity variance, all severities are 0.
    """
    with_severity = fitted.severity_variance > 0
    columns, crossed = _centred(scores, kinds, fitted)
    solved = crossed.solve(
        ratio=fitted.noise_variance / fitted.prior_variance,
        precision=columns.precision(fitted),
    )

    # An arm without a score keeps the level and the whole prior variance.
    own = crossed.arm < n
    mean = np.full(n, fitted.level)
    mean[crossed.arm[own]] += solved.arm[own]
    variance = np.full(n, fitted.prior_variance)
    variance[crossed.arm[own]] = solved.arm_variance[own] * fitted.noise_variance
    reviewers = reviewer_count(scores)
    if not with_severity:
        return Posterior(
            mean=mean,
            variance=variance,
            severity=np.zeros(reviewers),
            severity_error=np.zeros(reviewers),
        )
    return Posterior(
        mean=mean,
        variance=variance,
        severity=solved.column,
        severity_error=np.sqrt(solved.column_variance * fitted.noise_variance),
    )


def joint_draws(
    scores: Scores,
    *,
    n: int,
    kinds: tuple[PullKind, ...],
    fitted: Fitted,
    count: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw the utilities of all arms from their joint posterior, under given parameters.

    Severities are drawn first, then the arms given them; arms without a score are drawn from the
    prior.

    Args:
        scores: All scores that count.
        n: Number of arms.
        kinds: Supplies the gains.
        fitted: The parameters.
        count: Number of draws.
        rng: Source of the draws.

    Returns:
        Shape (count, n).
    """
    columns, crossed = _centred(scores, kinds, fitted)
    precision = columns.precision(fitted)
    scored = crossed.draw_arms(fitted=fitted, precision=precision, count=count, rng=rng)
    drawn = math.sqrt(fitted.prior_variance) * rng.standard_normal((count, n))
    own = crossed.arm < n
    drawn[:, crossed.arm[own]] = scored[:, own]
    return np.asarray(fitted.level + drawn)


def _centred(
    scores: Scores, kinds: tuple[PullKind, ...], fitted: Fitted
) -> tuple[ScoreColumns, CrossedModel]:
    """Sum up the scores less level and offsets, which are known under given parameters."""
    columns = ScoreColumns.of(
        scores,
        kinds=len(kinds),
        severity=fitted.severity_variance > 0,
        kind_offsets=False,
        level=False,
    )
    rest = scores.mark - fitted.level - np.asarray(fitted.offsets)[scores.kind]
    centred = Scores(arm=scores.arm, reviewer=scores.reviewer, kind=scores.kind, mark=rest)
    crossed = CrossedModel.of(centred, gains=_gains(scores, kinds), design=columns.design)
    return columns, crossed


def first_scores(scores: Scores, *, n: int) -> FloatArray:
    """Return each scored arm's first mark of its lowest kind, in the order of the arms."""
    order = np.lexsort((np.arange(scores.arm.size), scores.kind, scores.arm))
    arms = scores.arm[order]
    leads = np.ones(arms.size, dtype=np.bool_)
    leads[1:] = arms[1:] != arms[:-1]
    return scores.mark[order[leads & (arms < n)]]


def in_canonical_order(scores: Scores) -> Scores:
    """Return the same scores in an order that depends on nothing but the scores themselves."""
    order = np.lexsort((scores.mark, scores.kind, scores.reviewer, scores.arm))
    return Scores(
        arm=scores.arm[order],
        reviewer=scores.reviewer[order],
        kind=scores.kind[order],
        mark=scores.mark[order],
    )


def _start_of(scores: Scores, *, n: int, version: FitVersion) -> tuple[float, float]:
    """Return level and variance of a mark of each scored arm, from which the fit starts."""
    if version is FitVersion.FIRST_MARKS:
        first = first_scores(scores, n=n)
        level = float(np.mean(first)) if first.size else UNSCORED_MEAN
        return level, float(np.var(first)) if first.size > 1 else USUAL_FIRST_VARIANCE
    marks, weights = lowest_kind_marks(scores, n=n)
    if not marks.size:
        return UNSCORED_MEAN, USUAL_FIRST_VARIANCE
    level = float(np.average(marks, weights=weights))
    if round(float(weights.sum())) < 2:  # noqa: PLR2004 - a spread needs two arms
        return level, USUAL_FIRST_VARIANCE
    return level, float(np.average((marks - level) ** 2, weights=weights))


def lowest_kind_marks(scores: Scores, *, n: int) -> tuple[FloatArray, FloatArray]:
    """Return each scored arm's marks of its lowest kind, and weights that make every arm count 1.

    One mark drawn at random for each arm has the mean and the variance of these.
    """
    own = scores.arm < n
    arm, kind = scores.arm[own], scores.kind[own]
    lowest = np.full(n, np.iinfo(np.int64).max)
    np.minimum.at(lowest, arm, kind)
    used = kind == lowest[arm]
    counts = np.bincount(arm[used], minlength=n)
    return scores.mark[own][used], 1.0 / counts[arm[used]]


def _gains(scores: Scores, kinds: tuple[PullKind, ...]) -> FloatArray:
    """Return the gain of every score."""
    return np.array([kind.gain for kind in kinds], dtype=np.float64)[scores.kind]
