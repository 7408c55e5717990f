"""The rule `paper`: Algorithm 1 of Schumann et al. 2019, unchanged.

What the text leaves open, and how it is read here (see also `decision` and `radius`):

    Cost in the radius   the cost dispatched; the union bound needs only that it is at least
                         the number of pulls
    the coin             strong if alpha > uniform; one draw per pull, after the arm is chosen
                         and before its reward, under every policy
    ties                 bare indices, the lowest first; nothing is rounded
    no feasible pull     the paper knows no limits; here an arm that may not get the kind the
                         coin chose gets another kind it may get, else the next arm has its turn
    more than two kinds  see `strong_pull_policy.weak_and_strong`
"""

from dataclasses import dataclass

import numpy as np

from swapflow.bandit.batch import ChoicePolicy, Contender, choose_contested
from swapflow.bandit.decision import certified_loss, certified_stop, compare, is_settled
from swapflow.bandit.oracles.oracle import Oracle
from swapflow.bandit.radius import paper_radius
from swapflow.bandit.situation import FloatArray, Look, Picks, PullKind, Situation
from swapflow.bandit.strong_pull_policy import StrongPolicy, strong_probability, weak_and_strong
from swapflow.bandit.ties import unrounded


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperRule:
    """Algorithm 1: SWAP, and CLUCB when there is one kind or the policy is `WEAK`.

    Attributes:
        oracle: The objective.
        sigma: Sub-Gaussian constant of one weak pull, in score units.
        delta: Allowed probability of error.
        tolerance: eps; the rule stops when the rival is ahead by no more.
        policy: The strong pull policy spp.
        max_applicants: How many arms may ever take part, for the certified loss shown beside.
    """

    oracle: Oracle
    sigma: float
    delta: float
    tolerance: float = 0.0
    policy: StrongPolicy = StrongPolicy.PAPER
    max_applicants: int | None = None

    def look(self, situation: Situation) -> Look:
        """Compare the best cohort with its strongest rival (lines 5 to 15)."""
        cohort = self.oracle.best(situation.mean)
        radius = self._radius(situation, situation.information)
        comparison = compare(situation.mean, radius, cohort, self.oracle, tidy=unrounded)
        settled = is_settled(comparison, self.tolerance)
        return Look(
            cohort=cohort,
            rival=comparison.rival,
            contested=comparison.contested,
            estimate=situation.mean,
            radius=radius,
            gap=comparison.gap,
            certified_loss=certified_loss(
                situation,
                cohort,
                self.oracle,
                sigma=self.sigma,
                delta=self.delta,
                max_applicants=self.max_applicants,
            ),
            expected_loss=float("nan"),
            stop=certified_stop(self.oracle) if settled else None,
            parameters={
                "sigma": self.sigma,
                "delta": self.delta,
                "tolerance": self.tolerance,
                "cost": situation.cost,
                "strong_probability": self._strong_probability(
                    situation.kinds, comparison.contested.size
                ),
                "heuristic": 0.0 if self.oracle.linear else 1.0,
            },
        )

    def choose(
        self, situation: Situation, look: Look, *, at_most: int, rng: np.random.Generator
    ) -> Picks:
        """Choose the most uncertain contested arms, strong by the coin (lines 16 to 25)."""

        def kind_of(contender: Contender) -> int:
            weak, strong = weak_and_strong(situation.kinds)
            alpha = self._strong_probability(situation.kinds, contender.contested)
            # Drawn where alpha is 0 or 1 too: one number a pull under every policy, so that
            # streams of policies that are compared stay in step.
            return strong if alpha > rng.random() else weak

        def radius_of(information: FloatArray) -> FloatArray:
            return self._radius(situation, information)

        policy = ChoicePolicy(
            tolerance=self.tolerance, radius_of=radius_of, kind_of=kind_of, tidy=unrounded
        )
        return choose_contested(
            situation, look.cohort, self.oracle, policy, at_most=at_most, seen=look
        )

    def _radius(self, situation: Situation, information: FloatArray) -> FloatArray:
        """Return the paper's radius at the cost dispatched so far."""
        return paper_radius(information, cost=situation.cost, sigma=self.sigma, delta=self.delta)

    def _strong_probability(self, kinds: tuple[PullKind, ...], contested: int) -> float:
        """Return alpha, with the strong kind's gain and cost in units of the weak kind's."""
        weak, strong = (kinds[index] for index in weak_and_strong(kinds))
        return strong_probability(
            self.policy,
            gain=strong.gain / weak.gain,
            cost=strong.cost / weak.cost,
            contested=contested,
            size=self.oracle.size,
        )
