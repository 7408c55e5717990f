"""Reviewer severity: how severe each one is, with its error, and their agreement with others.

Always reported, whether or not the rules take severity out of the estimates.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.estimation.posterior import (
    LEAST_FIRST_VARIANCE,
    NOISE_SHARE,
    SEVERITY_SHARE,
    first_scores,
    fit,
    posterior,
)
from swapflow.bandit.situation import PullKind, Scores


MOST_FITTED = 5_000
"""Most scores for which the spread of severities is fitted here; above, a usual share is used."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeverityEstimates:
    """How each reviewer of the roster judges; NaN where there is no data.

    Attributes:
        severity: How much more generous (positive) or strict (negative) than the mean of all, in
            score units and shrunk towards it, shape (reviewers,).
        error: Its standard error, shape (reviewers,).
        apart: Mean distance from the other reviewers' mean mark of the same applicant, in score
            units, shape (reviewers,).
        shared: Over how many applicants, shape (reviewers,).
    """

    severity: Floats
    error: Floats
    apart: Floats
    shared: NDArray[np.int64]


def no_severity(reviewers: int) -> SeverityEstimates:
    """Return estimates that tell of none of a number of reviewers."""
    unknown = np.full(reviewers, np.nan)
    return SeverityEstimates(
        severity=unknown,
        error=unknown,
        apart=unknown,
        shared=np.zeros(reviewers, dtype=np.int64),
    )


def estimate_severity(
    scores: Scores,
    *,
    n: int,
    kinds: tuple[PullKind, ...],
    reviewers: int,
    fitted: Fitted | None,
    most_fitted: int = MOST_FITTED,
) -> SeverityEstimates:
    """Estimate reviewer severity from all scores that count.

    Args:
        scores: All scores that count.
        n: Number of arms.
        kinds: Supplies the gains.
        reviewers: Size of the roster.
        fitted: What the rule has fitted, if it has; used where it allows for severities.
        most_fitted: Scores up to which it is fitted here otherwise.
    """
    severity, error = np.full(reviewers, np.nan), np.full(reviewers, np.nan)
    known = np.unique(scores.reviewer[scores.reviewer >= 0])
    if known.size:
        if fitted is None or not fitted.severity_variance or len(fitted.offsets) != len(kinds):
            few = scores.mark.size <= most_fitted
            fitted = _fit(scores, n, kinds) if few else _usual(scores, n, kinds)
        told = posterior(scores, n=n, kinds=kinds, fitted=fitted)
        # The level is fitted over applicants: with few marks, severities need not average 0.
        severity[known] = told.severity[known] - told.severity[known].mean()
        error[known] = told.severity_error[known]
    apart, shared = _apart(scores, n=n, reviewers=reviewers)
    return SeverityEstimates(severity=severity, error=error, apart=apart, shared=shared)


def _fit(scores: Scores, n: int, kinds: tuple[PullKind, ...]) -> Fitted:
    return fit(scores, n=n, kinds=kinds, severity=True, kind_offsets=len(kinds) > 1)


def _usual(scores: Scores, n: int, kinds: tuple[PullKind, ...]) -> Fitted:
    """Use the usual shares of the first scores' variance as parameters."""
    spread = max(float(np.var(first_scores(scores, n=n))), LEAST_FIRST_VARIANCE)
    return Fitted(
        level=float(scores.mark.mean()),
        prior_variance=(1 - NOISE_SHARE) * spread,
        noise_variance=NOISE_SHARE * spread,
        severity_variance=SEVERITY_SHARE * spread,
        offsets=(0.0,) * len(kinds),
        count=scores.mark.size,
    )


def _apart(scores: Scores, *, n: int, reviewers: int) -> tuple[Floats, NDArray[np.int64]]:
    """Return the mean distance of each reviewer's marks from the others' on the same arm."""
    total = np.bincount(scores.arm, weights=scores.mark, minlength=n)
    count = np.bincount(scores.arm, minlength=n)
    # Only arms with another reviewer's mark can be compared.
    with_others = (count[scores.arm] > 1) & (scores.reviewer >= 0)
    arm, mark = scores.arm[with_others], scores.mark[with_others]
    distance = np.abs(mark - (total[arm] - mark) / (count[arm] - 1))
    who = scores.reviewer[with_others]
    shared = np.bincount(who, minlength=reviewers).astype(np.int64)
    summed = np.bincount(who, weights=distance, minlength=reviewers)
    apart = np.where(shared > 0, summed / np.maximum(shared, 1), np.nan)
    return apart, shared
