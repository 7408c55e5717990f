"""Shares of applicant, reviewer and chance in a mark: REML.

The model is the one of `posterior.py`, with a separate noise and severity for every kind:

    mark = level[k] + utility[a] + severity[r, k] + noise,    noise ~ N(0, σ²_k)

`posterior.py` fits it while a cycle runs, with one noise, one severity and a guess at the noise;
here it is fitted to a finished round, with intervals. Effects are shrunk (BLUP): three marks move
a reviewer's severity only a little away from 0.

The mixed model equations are solved by elimination. The block of the arms is diagonal and so is
that of the reviewers; the larger one is eliminated, so that a dense system of the size of the
smaller remains: 73,000 marks of 1,100 arms by 3,000 reviewers take seconds.

Source:
    Patterson and Thompson 1971 for the restricted likelihood, Henderson for the equations.
    The gradient follows from the inverse of their coefficient matrix (Searle, Casella and
    McCulloch 1992, chapter 8).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from swapflow.bandit.estimation.reml import Effects, RemlModel, SpreadInterval
from swapflow.bandit.situation import FloatArray, Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """The fitted variance components.

    Attributes:
        utility: Spread between arms.
        noise: Spread of the noise of each kind, shape (kinds,).
        severity: Spread between reviewers of each kind; None where no reviewer is known.
        level: Mean of each kind, shape (kinds,).
        level_covariance: Covariance of those means, shape (kinds, kinds), with the variances taken
            as known.
        effects: Reviewers of each kind; None where no reviewer is known.
        utilities: Shrunk utility of each arm around 0, shape (n,).
        covariance: Covariance of the logarithms of all variances (utility, noises, severities), in
            order.
        likelihood: Restricted log likelihood, up to a constant.
    """

    utility: SpreadInterval
    noise: tuple[SpreadInterval, ...]
    severity: tuple[SpreadInterval | None, ...]
    level: tuple[float, ...]
    level_covariance: FloatArray
    effects: tuple[Effects | None, ...]
    utilities: FloatArray
    covariance: FloatArray
    likelihood: float


def components(scores: Scores, *, intervals: bool = True) -> Components:
    """Fit the variance components of a finished round by restricted maximum likelihood.

    Args:
        scores: All marks; arms, kinds and reviewers by index, `NO_REVIEWER` (-1) for a mark
            without a known reviewer. Every kind from 0 to the highest must occur.
        intervals: Whether to compute profile intervals; else the ends equal the value.

    Raises:
        ValueError: If there is no arm with two marks: noise cannot be told from utility.
    """
    if np.bincount(scores.arm).max(initial=0) < 2:  # noqa: PLR2004 - a spread needs two marks
        raise ValueError("no arm has two marks, so noise cannot be told from utility")
    model = RemlModel.of(scores)
    best = model.maximise()
    covariance = model.covariance(best)
    spreads = [
        model.profile(best, place, error=math.sqrt(covariance[place, place]))
        if intervals
        else _as_spread(best, place)
        for place in range(model.size)
    ]
    solved = model.solve(best)
    kinds = model.kinds
    with_severity = dict(zip(model.severe_kinds, spreads[1 + kinds :], strict=True))
    return Components(
        utility=spreads[0],
        noise=tuple(spreads[1 : 1 + kinds]),
        severity=tuple(with_severity.get(kind) for kind in range(kinds)),
        level=tuple(solved.level.tolist()),
        level_covariance=solved.level_covariance,
        effects=tuple(model.effects(solved, kind) for kind in range(kinds)),
        utilities=solved.arm,
        covariance=covariance,
        likelihood=-0.5 * solved.deviance,
    )


def _as_spread(best: FloatArray, place: int) -> SpreadInterval:
    value = math.exp(best[place] / 2)
    return SpreadInterval(value=value, low=value, high=value)


def of_kinds(scores: Scores, kinds: Sequence[int]) -> Scores:
    """Keep some kinds, numbered from 0 in that order, and number the arms densely."""
    own = np.isin(scores.kind, kinds)
    place = np.full(int(scores.kind.max()) + 1, -1)
    place[list(kinds)] = np.arange(len(kinds))
    _, arm = np.unique(scores.arm[own], return_inverse=True)
    return Scores(
        arm=arm.astype(np.int64),
        reviewer=scores.reviewer[own],
        kind=place[scores.kind[own]].astype(np.int64),
        mark=scores.mark[own],
    )
