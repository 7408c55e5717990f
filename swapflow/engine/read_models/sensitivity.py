"""Applicants whose place one more score could change: where the list is least certain."""

import numpy as np

from swapflow.bandit.oracles.oracle import Oracle
from swapflow.bandit.situation import FloatArray
from swapflow.domain.rules import RuleName, Rules
from swapflow.engine.read_models.snapshot import Assessment


SURPRISE = 1.96
"""Standard deviations that a score exceeds one time in twenty."""


def within_one_score(rules: Rules, assessment: Assessment, oracle: Oracle) -> frozenset[int]:
    """Return the numbers of applications that one more score of the first kind could move.

    The test is not whether a score will move them: only whether a score within the usual range
    (nineteen in twenty) would make an exchange of two applicants pay.

    Args:
        rules: The rules in force.
        assessment: The current assessment.
        oracle: The objective that the list was chosen by.
    """
    look, situation = assessment.look, assessment.situation.situation
    distance = oracle.single_exchange_losses(look.estimate)
    slope = oracle.slopes(look.estimate, look.cohort)
    step = _step(rules, assessment, situation.kinds[0].gain)
    near = distance / slope <= SURPRISE * step
    return frozenset(assessment.situation.application[near].tolist())


def _step(rules: Rules, assessment: Assessment, gain: float) -> FloatArray:
    """Return the standard deviation of the move that one more score makes, shape (n,)."""
    look, information = assessment.look, assessment.situation.situation.information
    if rules.rule is RuleName.BUDGET:
        noise = look.parameters["noise_variance"] / gain
        variance: FloatArray = (look.radius / look.parameters["radius_quantile"]) ** 2
    else:
        noise = (rules.sigma or 0.0) ** 2 / gain
        # Without a score, the margin is the only measure of uncertainty.
        known = (rules.sigma or 0.0) ** 2 / np.maximum(information, 1e-9)
        variance = np.where(information > 0, known, look.radius**2)
    return np.asarray(variance / np.sqrt(variance + noise))
