"""Estimates with and without severities side by side, and how the list would change."""

from dataclasses import dataclass

import numpy as np

from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.situation import FloatArray, Look, Rule, Situation
from swapflow.domain.rules import Estimates, Rules
from swapflow.engine.ports.coordination import Coordination
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.read_models.snapshot import Assessment, Snapshot
from swapflow.engine.selection.list_objective import list_objective
from swapflow.engine.selection.rule import last_fit, list_rule_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedCandidate:
    """One candidate by raw and by adjusted estimates, in the order of the list in force.

    Attributes:
        rank: From 1, by the estimates in force.
        mean: Mean of the marks as given, weighted by information; None without one.
        raw: Estimate with nothing taken out; adjusted: with severity and offsets taken out.
        listed: Whether they are on the list in force.
    """

    application: int
    rank: int
    reviews: int
    mean: float | None
    raw: float
    raw_margin: float
    adjusted: float
    adjusted_margin: float
    listed: bool
    listed_raw: bool
    listed_adjusted: bool

    def listed_by(self, estimates: Estimates) -> bool:
        """Whether they are on the list that these estimates make."""
        return self.listed_raw if estimates is Estimates.RAW else self.listed_adjusted


def in_force(rules: Rules) -> Estimates:
    """Return which estimates make a list under these rules."""
    severity, offsets = rules.takes_out
    if severity and (offsets or len(rules.kinds) == 1):
        return Estimates.ADJUSTED
    return Estimates.RULE if severity or offsets else Estimates.RAW


def comparison_rows(seen: Snapshot, *, ledger: Ledger) -> tuple[ComparedCandidate, ...]:
    """Compare each applicant's two estimates at one snapshot."""
    assessment = seen.assessment(ledger=ledger)
    situation = assessment.situation.situation
    raw, adjusted = (
        _look(seen, assessment, estimates, ledger=ledger)
        for estimates in (Estimates.RAW, Estimates.ADJUSTED)
    )
    listed = _mask(assessment.look, situation.n)
    listed_raw, listed_adjusted = _mask(raw, situation.n), _mask(adjusted, situation.n)
    reviews = np.bincount(situation.scores.arm, minlength=situation.n)
    return tuple(
        ComparedCandidate(
            application=int(assessment.situation.application[arm]),
            rank=rank,
            reviews=int(reviews[arm]),
            mean=float(situation.mean[arm]) if situation.information[arm] else None,
            raw=float(raw.estimate[arm]),
            raw_margin=float(raw.radius[arm]),
            adjusted=float(adjusted.estimate[arm]),
            adjusted_margin=float(adjusted.radius[arm]),
            listed=bool(listed[arm]),
            listed_raw=bool(listed_raw[arm]),
            listed_adjusted=bool(listed_adjusted[arm]),
        )
        for rank, arm in enumerate(assessment.order.tolist(), start=1)
    )


def _mask(look: Look, n: int) -> FloatArray:
    mask = np.zeros(n)
    mask[look.cohort] = 1
    return mask


def _look(
    seen: Snapshot, assessment: Assessment, estimates: Estimates, *, ledger: Coordination
) -> Look:
    """Return the assessment by these estimates."""
    rules, situation = seen.projection.rules, assessment.situation
    if in_force(rules) is estimates:
        return assessment.look
    oracle = list_objective(seen.projection, situation.application).oracle
    fitted = last_fit(ledger, seen.cycle.id)
    rule = list_rule_of(rules, oracle, fitted, estimates=estimates)
    return _up_to_date(rule, situation.situation).look(situation.situation)


def _up_to_date(rule: Rule, situation: Situation) -> Rule:
    """Fit the model of `budget` where the present fit does not suit these scores."""
    if isinstance(rule, BudgetRule) and rule.needs_refit(situation.judged.mark.size):
        return rule.refitted(situation)
    return rule
