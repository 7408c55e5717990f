"""Means adjusted for reviewers' severity and kinds' generosity, for a rule on raw means.

`certified` and `paper` choose on means of marks as they were given, and their promises are about
those means. Staff may ask that the list itself is made by adjusted means: each mark less the
severity of its reviewer and the offset of its kind (the crossed model of `posterior`), then
averaged as before. Applicants are not shrunk: only an applicant's reviewers and kinds move its
mean.

Only marks, arms, reviewers and kinds enter, and nothing about an applicant.
"""

from dataclasses import dataclass, replace

import numpy as np

from swapflow.bandit.decision import certified_loss, compare
from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.estimation.posterior import LATEST_FIT, FitVersion, fit, posterior
from swapflow.bandit.oracles.oracle import Oracle
from swapflow.bandit.situation import FloatArray, Look, Picks, PullKind, Rule, Scores, Situation
from swapflow.bandit.ties import rounded


def shifts(scores: Scores, *, n: int, kinds: tuple[PullKind, ...], fitted: Fitted) -> FloatArray:
    """Return how much each arm's mean exceeds the mean that average reviewers would give.

    Args:
        scores: All scores that count.
        n: Number of arms.
        kinds: Supplies the gains, which weigh the marks of a mean.
        fitted: The model.

    Returns:
        In score units, shape (n,); 0 for an arm without a score.
    """
    severity = posterior(scores, n=n, kinds=kinds, fitted=fitted).severity
    # The last entry serves marks that have no one reviewer.
    extra = np.append(severity, 0.0)[scores.reviewer] + np.asarray(fitted.offsets)[scores.kind]
    gain = np.array([kind.gain for kind in kinds])[scores.kind]
    # Practice files are arms from n on: they tell severities, and have no mean to shift.
    total = np.bincount(scores.arm, gain * extra, minlength=n)[:n]
    information = np.bincount(scores.arm, gain, minlength=n)[:n]
    return np.asarray(np.divide(total, information, out=np.zeros(n), where=information > 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedRule:
    """A rule on raw means whose list is made by adjusted means; implements `Rule`.

    Attributes:
        rule: Chooses the pulls and decides when to stop; neither is changed.
        oracle: The objective.
        sigma: Spread of a mark that the rule assumes.
        delta: Probability with which the bound beside the list may fail.
        max_applicants: Arms that the bound allows for; None takes the present number.
        fit_version: How the severities and offsets are fitted.
    """

    rule: Rule
    oracle: Oracle
    sigma: float
    delta: float
    max_applicants: int | None = None
    fit_version: FitVersion = LATEST_FIT

    def look(self, situation: Situation) -> Look:
        """Compute the assessment by adjusted means: `Rule.look`.

        Radii stay those of the raw means: they leave out the uncertainty of severities. The
        certified loss stays about raw means too, for this list, and the stop is never CERTIFIED by
        adjusted means: the rule computes both.
        """
        raw = self.rule.look(situation)
        kinds, scores = situation.kinds, situation.judged
        fitted = fit(
            scores,
            n=situation.n,
            kinds=kinds,
            severity=True,
            kind_offsets=len(kinds) > 1,
            version=self.fit_version,
        )
        shift = shifts(scores, n=situation.n, kinds=kinds, fitted=fitted)
        estimate = rounded(situation.mean - shift)
        cohort = self.oracle.best(estimate)
        comparison = compare(estimate, raw.radius, cohort, self.oracle)
        return replace(
            raw,
            cohort=cohort,
            rival=comparison.rival,
            contested=comparison.contested,
            estimate=estimate,
            gap=comparison.gap,
            certified_loss=certified_loss(
                situation,
                cohort,
                self.oracle,
                sigma=self.sigma,
                delta=self.delta,
                max_applicants=self.max_applicants,
            ),
            parameters=raw.parameters
            | {"adjusted_severity_variance": fitted.severity_variance}
            | {f"adjusted_offset_{kind}": value for kind, value in enumerate(fitted.offsets)},
        )

    def choose(
        self, situation: Situation, look: Look, *, at_most: int, rng: np.random.Generator
    ) -> Picks:
        """Choose as the rule does, on its own look: `Rule.choose`."""
        del look
        return self.rule.choose(situation, self.rule.look(situation), at_most=at_most, rng=rng)
