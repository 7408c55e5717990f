"""Translate a cycle's rules into the bandit's rule that carries them out."""

from dataclasses import replace

import numpy as np

from swapflow.bandit.adjusted import AdjustedRule
from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.certified import Certificate, CertifiedRule
from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.estimation.posterior import FitVersion
from swapflow.bandit.oracles.oracle import Oracle
from swapflow.bandit.paper import PaperRule
from swapflow.bandit.situation import Rule
from swapflow.bandit.strong_pull_policy import StrongPolicy
from swapflow.domain.rules import Estimates, RuleName, Rules
from swapflow.engine.ports.coordination import Coordination
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.score_table import Integers
from swapflow.engine.selection.list_objective import list_objective
from swapflow.errors import InvalidRulesError


def rule_for(projection: CycleProjection, application: Integers, fitted: Fitted | None) -> Rule:
    """Build the bandit's rule for a cycle's candidates.

    Args:
        projection: Supplies rules and groups.
        application: The candidates, in the order of the situation.
        fitted: Parameters of the model that are still in force (`budget` only).
    """
    return rule_of(projection.rules, list_objective(projection, application).oracle, fitted)


def list_rule(projection: CycleProjection, application: Integers, fitted: Fitted | None) -> Rule:
    """Build the rule that makes the list: the cycle's own, or the one that people chose instead.

    Args:
        projection: Supplies rules and groups.
        application: The candidates, in the order of the situation.
        fitted: As for `rule_for`.
    """
    return list_rule_of(
        projection.rules,
        list_objective(projection, application).oracle,
        fitted,
        estimates=projection.rules.estimates,
    )


def list_rule_of(
    rules: Rules, oracle: Oracle, fitted: Fitted | None, *, estimates: Estimates
) -> Rule:
    """Build the rule that makes a list from these estimates, for a given objective.

    The last decision's fit is valid only for a model that takes out the same effects.
    """
    if estimates is Estimates.RULE:
        return rule_of(rules, oracle, fitted)
    adjusted = estimates is Estimates.ADJUSTED
    if rules.rule is RuleName.BUDGET:
        # Variances that were fitted with severities taken out are too small for a model that
        # leaves them in, and the other way round.
        same = (rules.severity, rules.kind_offsets) == (adjusted, adjusted)
        wanted = replace(rules, severity=adjusted, kind_offsets=adjusted)
        return rule_of(wanted, oracle, fitted if same else None)
    own = rule_of(rules, oracle, fitted)
    if not adjusted:
        return own
    return AdjustedRule(
        rule=own,
        oracle=oracle,
        sigma=_sigma(rules),
        delta=rules.delta,
        max_applicants=rules.max_applicants,
        fit_version=FitVersion(rules.fit),
    )


def rule_of(rules: Rules, oracle: Oracle, fitted: Fitted | None) -> Rule:
    """Build the bandit's rule that a cycle's rules name, for a given objective."""
    match rules.rule:
        case RuleName.BUDGET:
            return BudgetRule(
                oracle=oracle,
                delta=rules.delta,
                max_applicants=rules.max_applicants,
                sigma=rules.sigma,
                severity=rules.severity,
                kind_offsets=rules.kind_offsets,
                tolerance=rules.settled,
                fitted=fitted,
                fit_version=FitVersion(rules.fit),
            )
        case RuleName.CERTIFIED:
            return CertifiedRule(
                oracle=oracle,
                sigma=_sigma(rules),
                delta=rules.delta,
                tolerance=rules.epsilon,
                rho=rules.rho,
                max_applicants=rules.max_applicants,
                certificate=Certificate(rules.certificate),
            )
        case RuleName.PAPER:
            return PaperRule(
                oracle=oracle,
                sigma=_sigma(rules),
                delta=rules.delta,
                tolerance=rules.epsilon,
                policy=StrongPolicy(rules.policy),
                max_applicants=rules.max_applicants,
            )


def coin(rules: Rules, decision: int) -> np.random.Generator:
    """Return the random generator of a decision, from the seed and its number alone."""
    # Counter-based, so that a replay draws the same numbers without drawing the earlier ones.
    words = [word % 2**64 for word in (rules.seed, decision)]
    return np.random.Generator(np.random.Philox(key=np.array(words, dtype=np.uint64)))


def _sigma(rules: Rules) -> float:
    if rules.sigma is None:
        raise InvalidRulesError("rule_needs_sigma", rule=rules.rule.value)
    return rules.sigma


def last_fit(ledger: Coordination, cycle_id: str) -> Fitted | None:
    """Read the parameters that the last decision with a model recorded."""
    look = ledger.last_look(cycle_id)
    return Fitted.from_dict(look) if look is not None and "prior_variance" in look else None
