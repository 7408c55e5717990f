"""The way from the plain mean of an arm's marks to its estimate, step by step.

With w = T/(T + σ²/prior variance), the share of its own evidence in an arm's estimate,

    estimate = mean + (1 - w)(level - mean) - w severity - w offset

where severity and offset are the information-weighted means over the arm's marks. This is the
posterior mean of `posterior.py` exactly, so that a page can show why 90 and 80 become 70.
"""

from dataclasses import dataclass

import numpy as np

from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.estimation.posterior import posterior
from swapflow.bandit.situation import FloatArray, PullKind, Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateSteps:
    """What each step adds to the mean of the marks; arrays over n arms, in score units.

    Attributes:
        mean: Information-weighted mean of the marks; the level where there is none.
        few_marks: Nearer to the level, because there are few marks.
        severity: Less the severity of these reviewers.
        kind: Less the generosity of these kinds.
        weight: Share of the arm's own marks in its estimate (w), 0 without a mark.
        level: Mean utility of all arms, towards which few marks leave an estimate.
    """

    mean: FloatArray
    few_marks: FloatArray
    severity: FloatArray
    kind: FloatArray
    weight: FloatArray
    level: float

    @property
    def estimate(self) -> FloatArray:
        """The posterior mean: all steps together."""
        return self.mean + self.few_marks + self.severity + self.kind


def estimate_steps(
    scores: Scores, *, n: int, kinds: tuple[PullKind, ...], fitted: Fitted
) -> EstimateSteps:
    """Divide every posterior mean into its steps.

    Args:
        scores: All scores that count.
        n: Number of arms.
        kinds: Supplies the gains, which weigh the marks.
        fitted: The parameters of the model.
    """
    gain = np.array([kind.gain for kind in kinds], dtype=np.float64)[scores.kind]
    # Arms from n on are practice files, which have no estimate of their own.
    information = np.bincount(scores.arm, gain, minlength=n)[:n]
    severities = posterior(scores, n=n, kinds=kinds, fitted=fitted).severity
    # The last entry serves marks that have no one reviewer.
    severity = np.append(severities, 0.0)[scores.reviewer]
    offset = np.asarray(fitted.offsets)[scores.kind]

    def averaged(values: FloatArray, otherwise: float) -> FloatArray:
        total = np.bincount(scores.arm, gain * values, minlength=n)[:n]
        empty = np.full(n, otherwise)
        return np.asarray(np.divide(total, information, out=empty, where=information > 0))

    weight = information / (information + fitted.noise_variance / fitted.prior_variance)
    mean = averaged(scores.mark, fitted.level)
    return EstimateSteps(
        mean=mean,
        few_marks=(1 - weight) * (fitted.level - mean),
        severity=-weight * averaged(severity, 0.0),
        kind=-weight * averaged(offset, 0.0),
        weight=weight,
        level=fitted.level,
    )
