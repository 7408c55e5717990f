"""Estimates with reviewers' severity and kinds' generosity taken out, for a rule that keeps both.

`certified` and `paper` choose on means of marks as they were given, and what they promise is about
those. People may ask that the list itself is made by adjusted means: each mark less what the
crossed model of `posterior` says of its reviewer and of its kind, then averaged as before. No
shrinking of applicants comes in, so a mean moves only by who read.

Marks, arms, reviewers and kinds are all that enters: nothing about an applicant does.
"""

from dataclasses import dataclass, replace

import numpy as np

from swapflow.bandit.decision import certified_loss, compare
from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.estimation.posterior import fit, posterior
from swapflow.bandit.oracles.oracle import Oracle
from swapflow.bandit.situation import FloatArray, Look, Picks, PullKind, Rule, Scores, Situation
from swapflow.bandit.ties import rounded


def shifts(scores: Scores, *, n: int, kinds: tuple[PullKind, ...], fitted: Fitted) -> FloatArray:
    """Say how much more an arm's mean has than it would have from average reviewers.

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
    total = np.bincount(scores.arm, gain * extra, minlength=n)
    information = np.bincount(scores.arm, gain, minlength=n)
    return np.asarray(np.divide(total, information, out=np.zeros(n), where=information > 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedRule:
    """A rule on raw means whose list is made by adjusted ones; implements `Rule`.

    Attributes:
        rule: Chooses what is asked for, and says when to stop; neither is touched.
        oracle: The objective.
        sigma: Spread of a mark that the rule goes by.
        delta: Probability with which the bound beside the list may fail.
        max_applicants: Arms that the bound allows for; None takes those there are.
    """

    rule: Rule
    oracle: Oracle
    sigma: float
    delta: float
    max_applicants: int | None = None

    def look(self, situation: Situation) -> Look:
        """Say what is believed by adjusted means: `Rule.look`.

        Radii stay those of the raw means: what is unknown of severities is not in them. The
        certified loss stays about raw means too, for this list, and the stop is never CERTIFIED
        by adjusted ones: both are the rule's.
        """
        raw = self.rule.look(situation)
        kinds, scores = situation.kinds, situation.scores
        fitted = fit(
            scores, n=situation.n, kinds=kinds, severity=True, kind_offsets=len(kinds) > 1
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
