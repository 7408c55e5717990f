"""The pairwise certificate: every member against every outsider, for plain top-k.

A member a and an outsider b are settled once their estimates differ by the pair's radius. When
all K (n - K) pairs are, the cohort is the best one with probability 1 - delta. The same
certificate chooses the arms: in SWAP's own order the arms that are settled by a per-arm radius
would keep one score each, and their pairs would stay open for ever.
"""

from dataclasses import dataclass

import numpy as np

from swapflow.bandit.batch import Allowance, ChoicePolicy, Contender, shortfall_reason
from swapflow.bandit.decision import Comparison
from swapflow.bandit.radius import pair_radius
from swapflow.bandit.situation import (
    BoolArray,
    FloatArray,
    IntArray,
    Pick,
    Picks,
    Situation,
    StopReason,
)
from swapflow.bandit.ties import DECIMALS, rounded


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCertificate:
    """Compares and chooses by pairs.

    Attributes:
        sigma: Sub-Gaussian constant of one weak pull, in score units.
        delta: Allowed probability that any pair's bound is ever wrong.
        pairs: Number of pairs in the union bound.
        rho: Information at which the bounds are tightest.
    """

    sigma: float
    delta: float
    pairs: int
    rho: float

    def compare(self, situation: Situation, cohort: IntArray) -> Comparison:
        """Find the pairs that are still open, on received scores.

        Returns:
            As rival the cohort after its one worst exchange (the cohort itself if no pair is
            open); as contested every arm of an open pair, the most open first, which may be
            more arms than the rival differs in; and as gap a bound on the loss: the best
            cohort differs from this one by disjoint exchanges, so the loss is at most the sum
            of every member's worst excess, and at most that of every outsider's.
        """
        outside = others(situation.n, cohort)
        if not outside.size:
            return Comparison(rival=cohort, contested=outside, gap=0.0)
        excess = self._excess(situation.mean, situation.information, cohort, outside)
        # Rounded for the order alone,
        # so that it is the same on every machine; bounds keep all digits.
        ordered = rounded(excess)
        if ordered.max() <= 0:
            return Comparison(rival=cohort, contested=outside[:0], gap=0.0)

        row, column = np.unravel_index(int(ordered.argmax()), ordered.shape)
        rival = np.sort(np.append(np.delete(cohort, row), outside[column]))
        worst = np.zeros(situation.n)
        worst[cohort] = ordered.max(axis=1)
        worst[outside] = ordered.max(axis=0)
        unsettled = np.flatnonzero(worst > 0)
        most_open_first = np.argsort(-worst[unsettled], kind="stable")
        return Comparison(
            rival=rival, contested=unsettled[most_open_first], gap=loss_bound(excess)
        )

    def choose(
        self,
        situation: Situation,
        cohort: IntArray,
        policy: ChoicePolicy,
        *,
        at_most: int,
    ) -> Picks:
        """Choose the less known arm of the most open pair, repeatedly.

        A pending pull counts as information. An arm may come several times in one batch: its pairs
        close with every pull, and pulls spread over all open pairs would cost more.
        """
        allowance = Allowance(situation)
        outside = others(situation.n, cohort)
        information = situation.information + situation.pending
        picks: list[Pick] = []
        while len(picks) < at_most:
            excess = self._excess(situation.mean, information, cohort, outside)
            ordered = rounded(excess)
            if ordered.max(initial=0.0) <= 0 or loss_bound(excess) <= policy.tolerance:
                return Picks(picks=tuple(picks), shortfall=StopReason.CERTIFIED)
            arm = _next_arm(ordered, cohort, outside, information, allowance.open_arms())
            if arm is None:
                unsettled = [
                    *cohort[ordered.max(axis=1) > 0].tolist(),
                    *outside[ordered.max(axis=0) > 0].tolist(),
                ]
                waiting = bool(picks) or bool(situation.pending.any())
                reason = shortfall_reason(allowance, unsettled, waiting=waiting)
                return Picks(picks=tuple(picks), shortfall=reason)
            contender = Contender(
                arm=arm,
                information=float(information[arm]),
                radius=float(policy.radius_of(information)[arm]),
                # A pair at a time; how many arms are contested matters to the paper's coin alone.
                contested=2,
            )
            kind = allowance.kind_for(arm, policy.kind_of(contender))
            assert kind is not None, "an eligible arm has a kind"
            openness = ordered[cohort == arm] if arm in cohort else ordered[:, outside == arm]
            picks.append(Pick(arm=arm, kind=kind, priority=round(float(openness.max()), DECIMALS)))
            allowance.give(arm, kind)
            information[arm] += situation.kinds[kind].gain
        return Picks(picks=tuple(picks), shortfall=None)

    def _excess(
        self, mean: FloatArray, information: FloatArray, cohort: IntArray, outside: IntArray
    ) -> FloatArray:
        """Return by how much each outsider may yet beat each member, shape (K, n - K)."""
        radius = pair_radius(
            information[cohort][:, np.newaxis],
            information[outside][np.newaxis, :],
            sigma=self.sigma,
            delta=self.delta,
            pairs=self.pairs,
            rho=self.rho,
        )
        return radius - (mean[cohort][:, np.newaxis] - mean[outside][np.newaxis, :])


def others(n: int, cohort: IntArray) -> IntArray:
    """List the arms outside the cohort, sorted."""
    outside = np.ones(n, dtype=np.bool_)
    outside[cohort] = False
    return np.flatnonzero(outside)


def loss_bound(excess: FloatArray) -> float:
    """Bound the loss by every member's, or every outsider's, worst excess."""
    by_member = np.maximum(excess.max(axis=1), 0.0).sum()
    by_outsider = np.maximum(excess.max(axis=0), 0.0).sum()
    return float(min(by_member, by_outsider))


def _next_arm(
    ordered: FloatArray,
    cohort: IntArray,
    outside: IntArray,
    information: FloatArray,
    may: BoolArray,
) -> int | None:
    """Return the less known arm of the most open pair in which some arm may get a pull."""
    reachable = may[cohort][:, np.newaxis] | may[outside][np.newaxis, :]
    reachable_excess = np.where(reachable, ordered, -np.inf)
    row, column = np.unravel_index(int(reachable_excess.argmax()), ordered.shape)
    if reachable_excess[row, column] <= 0:
        return None
    pair = sorted(
        (int(cohort[row]), int(outside[column])), key=lambda arm: (information[arm], arm)
    )
    return next(arm for arm in pair if may[arm])
