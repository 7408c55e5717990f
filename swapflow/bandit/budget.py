"""The rule `budget`: spend the budget where it is expected to improve the cohort most.

It promises nothing for the worst case: estimates are a fitted model's posterior (`posterior.py`),
the next pull is the one with the highest expected improvement per cost (`knowledge_gradient.py`),
and the cohort is the best under posterior means.
"""

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from swapflow.bandit.decision import certified_loss, compare
from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.estimation.fit_question import FitQuestion
from swapflow.bandit.estimation.knowledge_gradient import (
    LARGEST_BUNDLE,
    PullChooser,
    PullValues,
)
from swapflow.bandit.estimation.list_quality import list_quality
from swapflow.bandit.estimation.posterior import (
    LATEST_FIT,
    FitVersion,
    Posterior,
    posterior,
)
from swapflow.bandit.oracles.oracle import Oracle, TopK
from swapflow.bandit.situation import (
    FloatArray,
    IntArray,
    Look,
    Picks,
    PullKind,
    Situation,
    StopReason,
)
from swapflow.bandit.ties import rounded


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRule:
    """KG* under a fitted posterior; implements `Rule`.

    Attributes:
        oracle: Picks the best cohort under the cycle's objective.
        delta: Error probability of the certified loss that is shown beside the cohort.
        max_applicants: Arms that the certified loss allows for; None takes the present number.
        sigma: Known sd of one mark of gain 1 (last year's), or None to start from a guess.
        sigma_weight: How many scores `sigma`, or the guess, is worth in the fit; `math.inf`
            fixes it.
        severity: Whether means are adjusted for reviewers' severity.
        kind_offsets: Whether means are adjusted for the generosity of kinds.
        tolerance: The cycle is settled when all pulls that may still come are expected to
            improve the cohort by less than this share of its value; at 0 it never is.
        widening: Factor on posterior variances, for choosing only (not for means or reports).
        max_out: Whether (1) or not (0) an arm with a pull out waits for it while few are out.
        few_out: Share of the arms up to which the pulls out are few (W ≤ n/10).
        largest_bundle: Most pulls together that are valued.
        refit_growth: Growth of the number of scores after which the model is fitted again.
        quantile: Radii are this many posterior standard deviations (1.96: 95 % of arms).
        fitted: The parameters in use; None fits at every look, which is slower.
        fit_version: How parameters are fitted.
    """

    oracle: Oracle
    delta: float = 0.05
    max_applicants: int | None = None
    sigma: float | None = None
    sigma_weight: float = 50.0
    severity: bool = False
    kind_offsets: bool = False
    tolerance: float = 0.001
    widening: float = 1.5
    max_out: int = 1
    few_out: float = 0.1
    largest_bundle: int = LARGEST_BUNDLE
    refit_growth: float = 0.1
    quantile: float = 1.96
    fitted: Fitted | None = None
    fit_version: FitVersion = LATEST_FIT

    def needs_refit(self, count: int) -> bool:
        """Whether `count` applied scores are enough above the last fit's count to fit again."""
        if self.fitted is None:
            return True
        return count > self.fitted.count and count >= (1 + self.refit_growth) * self.fitted.count

    def refitted(self, situation: Situation) -> Self:
        """Return the same rule with parameters fitted to all of the situation's scores."""
        return replace(self, fitted=self._fit(situation))

    def fit_question(self, situation: Situation) -> FitQuestion:
        """Return the fit to all of the situation's scores as a value, not yet calculated."""
        return FitQuestion(
            scores=situation.judged,
            n=situation.n,
            kinds=situation.kinds,
            severity=self.severity,
            kind_offsets=self.kind_offsets,
            sigma=self.sigma,
            sigma_weight=self.sigma_weight,
            version=self.fit_version,
        )

    def believe(self, situation: Situation) -> Posterior:
        """Compute the posterior of arms and reviewers under the parameters in use, for reports."""
        return self._posterior(situation, self.fitted or self._fit(situation))

    def look(self, situation: Situation) -> Look:
        """Compute the assessment on received scores: `Rule.look`.

        The radius is `quantile` posterior standard deviations; gap, rival and contested set follow
        from it; they prove nothing. The certified loss is on raw means, given the fitted spread of
        marks (noise and severity together). Expected loss and quality are the posterior's
        (`estimation/list_quality.py`), for a plain sum: where the model does not hold, they bound
        nothing.
        """
        fitted = self.fitted or self._fit(situation)
        believed = self._posterior(situation, fitted)
        estimate = rounded(believed.mean)
        deviation = np.sqrt(believed.variance)
        radius = self.quantile * deviation
        cohort = self.oracle.best(estimate)
        comparison = compare(estimate, radius, cohort, self.oracle)
        plain = isinstance(self.oracle, TopK)
        quality = list_quality(estimate, deviation, cohort) if plain else None
        return Look(
            cohort=cohort,
            rival=comparison.rival,
            contested=comparison.contested,
            estimate=estimate,
            radius=radius,
            gap=comparison.gap,
            certified_loss=certified_loss(
                situation,
                cohort,
                self.oracle,
                # Raw means still hold the severities, which are noise there.
                sigma=math.sqrt(fitted.noise_variance + fitted.severity_variance),
                delta=self.delta,
                max_applicants=self.max_applicants,
            ),
            expected_loss=math.nan if quality is None else quality.expected_loss,
            stop=self._stop(situation, fitted, estimate, cohort),
            parameters=fitted.to_dict() | self._own_parameters(),
            quality=quality,
        )

    def choose(
        self,
        situation: Situation,
        look: Look,
        *,
        at_most: int,
        rng: np.random.Generator,  # noqa: ARG002 - `Rule` has it for the paper's coin
    ) -> Picks:
        """Choose the next pulls under the parameters that `look` records: `Rule.choose`.

        Means stay fixed; a pending pull counts in the variance only. A pull whose value per cost
        rounds to 0 is not chosen.
        """
        # Not fitted again: the pulls rest on the parameters that the decision records.
        values = self._values(Fitted.from_dict(look.parameters), look.estimate, look.cohort)
        chooser = PullChooser(
            # Widened for choosing alone:
            # the worth of what remains decides the stop, and stays plain.
            values=replace(values, widening=self.widening),
            kinds=situation.kinds,
            information=situation.information + situation.pending,
            allowed=situation.allowed,
            kind_left=situation.kind_left,
            budget_left=situation.budget_left,
            once=self._waits(situation, at_most),
            waiting=situation.pending > 0,
        )
        remaining = _Remaining(values, chooser, tolerated=self._tolerated(look))
        if remaining.settled:
            return Picks(picks=(), shortfall=StopReason.SETTLED)
        picks = chooser.choose(at_most, enough=remaining.settles_after)
        if len(picks) == at_most:
            return Picks(picks=picks, shortfall=None)
        return Picks(picks=picks, shortfall=_shortfall(chooser, remaining))

    def _fit(self, situation: Situation) -> Fitted:
        """Fit the model to all scores."""
        return self.fit_question(situation).answer()

    def _posterior(self, situation: Situation, fitted: Fitted) -> Posterior:
        """Compute the posterior under given parameters."""
        return posterior(situation.judged, n=situation.n, kinds=situation.kinds, fitted=fitted)

    def _cut(self, estimate: FloatArray, cohort: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the distance of every mean from its cut (d = Δ/λ), and the slope there (λ)."""
        slope = self.oracle.slopes(estimate, cohort)
        return self.oracle.single_exchange_losses(estimate) / slope, slope

    def _values(self, fitted: Fitted, estimate: FloatArray, cohort: IntArray) -> PullValues:
        """Return the pull values of the posterior, not widened."""
        distance, slope = self._cut(estimate, cohort)
        return PullValues(
            distance=distance,
            slope=slope,
            prior_variance=fitted.prior_variance,
            noise_variance=fitted.noise_variance,
            largest_bundle=self.largest_bundle,
        )

    def _tolerated(self, look: Look) -> float:
        """Return the expected improvement below which the cycle is settled."""
        return self.tolerance * self.oracle.value(look.estimate, look.cohort)

    def _stop(
        self, situation: Situation, fitted: Fitted, estimate: FloatArray, cohort: IntArray
    ) -> StopReason | None:
        """Return SETTLED if all pulls that may still come are worth less than the tolerance.

        Where no arm may get another pull, the cycle is exhausted and not settled.
        """
        still = situation.pending + _open_information(situation.allowed, situation.kinds)
        if not np.any(still > 0):
            return None
        worth = self._values(fitted, estimate, cohort).of_information(
            np.arange(situation.n), situation.information, still
        )
        tolerated = self.tolerance * self.oracle.value(estimate, cohort)
        return StopReason.SETTLED if float(worth.sum()) < tolerated else None

    def _waits(self, situation: Situation, at_most: int) -> bool:
        """Whether so few pulls are out that an arm waits for its first before it gets a second."""
        out = int(np.count_nonzero(situation.pending > 0)) + at_most
        return self.max_out > 0 and out <= self.few_out * situation.n

    def _own_parameters(self) -> dict[str, float]:
        """Return the fixed settings of this look, by name."""
        fixed = {
            "delta": self.delta,
            "tolerance": self.tolerance,
            "widening": self.widening,
            "radius_quantile": self.quantile,
        }
        return fixed if self.sigma is None else fixed | {"given_sigma": self.sigma}


class _Remaining:
    """The total worth of all pulls that arms may still get, updated while pulls are chosen."""

    def __init__(self, values: PullValues, chooser: PullChooser, *, tolerated: float) -> None:
        self._values = values
        self._chooser = chooser
        self._tolerated = tolerated
        self._touched: list[int] = []
        self._worth = self._value(np.arange(chooser.information.size))
        self._at_least = float(self._worth.sum())

    @property
    def settled(self) -> bool:
        """Whether the pulls that are out would settle the cycle."""
        return self._at_least < self._tolerated

    def settles_after(self, arm: int) -> bool:
        """Count a chosen pull for `arm`, and return whether the cycle is now settled."""
        # The total falls at most by the worth of the arm's next pulls, so this is a lower bound;
        # the exact total is computed only where the bound falls below the tolerance.
        self._touched.append(arm)
        self._at_least -= float(self._worth[arm])
        if self.settled:
            touched = np.unique(self._touched)
            self._worth[touched] = self._value(touched)
            self._at_least = float(self._worth.sum())
            self._touched.clear()
        return self.settled

    def _value(self, arms: IntArray) -> FloatArray:
        """Return the value of all pulls that these arms may still get, beside those out."""
        still = _open_information(self._chooser.allowed[arms], self._chooser.kinds)
        return self._values.of_information(arms, self._chooser.information[arms], still)


def _shortfall(chooser: PullChooser, remaining: _Remaining) -> StopReason | None:
    """Return why there are fewer picks than wanted; None if arms only wait for a pull out."""
    if remaining.settled:
        return StopReason.SETTLED
    wanted = (chooser.worth_of(np.arange(chooser.information.size)) > 0).any(axis=0)
    if not (wanted & (chooser.kind_left > 0)).any():
        return StopReason.EXHAUSTED
    return None if (wanted & chooser.affordable()).any() else StopReason.BUDGET


def _open_information(allowed: IntArray, kinds: tuple[PullKind, ...]) -> FloatArray:
    """Return the information that all allowed pulls would give each arm, shape (m,)."""
    return np.asarray(allowed @ np.array([kind.gain for kind in kinds]), dtype=np.float64)
