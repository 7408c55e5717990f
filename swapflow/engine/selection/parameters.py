"""The model's parameters that a decision rests on: those in force, or a new fit.

A short fit is made in the decision that finds it due. A long one may be made beside the turns:
decisions go on with the parameters in force, and one of them adopts the new ones. The record then
names the event whose marks they were fitted to, so that a replay fits the same.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.estimation.fit_question import FitQuestion
from swapflow.bandit.situation import Rule
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.selection.situation import CycleSituation


LONG_FIT = 10_000
"""Marks from which a fit may be made beside the turns; below, it takes less than .1 s.

Part of what a record means: verify accepts parameters that are due only from here on.
"""

MOST_GROWTH = 2.0
"""Growth of the marks, since the fit in force, from which a decision waits for another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DueFit:
    """A fit that is due in a decision.

    Attributes:
        question: The marks, and how they are fitted.
        at: The number of the event after which it was asked.
        rules_version: The rules in force then.
        in_force: The parameters until then; None where there are none yet.
        open: Whether reviewers are still asked: with nothing open, no later decision need come.
    """

    question: FitQuestion
    at: int
    rules_version: int
    in_force: Fitted | None
    open: bool

    @property
    def may_wait(self) -> bool:
        """Whether a decision may rest on the parameters in force instead."""
        count = self.question.count
        return (
            self.open
            and self.in_force is not None
            and LONG_FIT <= count < MOST_GROWTH * self.in_force.count
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopted:
    """Parameters that a decision takes over.

    Attributes:
        fitted: The parameters.
        at: The number of the event whose marks they were fitted to; None for the decision's own.
    """

    fitted: Fitted
    at: int | None = None


Fits = Callable[[DueFit], Adopted | None]
"""Answers a fit that is due; None where it may wait, and the parameters in force hold."""


def fitted_now(due: DueFit) -> Adopted:
    """Fit at once, in the decision."""
    return Adopted(fitted=due.question.answer())


def with_fit(
    rule: Rule, projection: CycleProjection, situation: CycleSituation, fits: Fits = fitted_now
) -> tuple[Rule, int | None]:
    """Fit the model of `budget` again where the scores have grown enough, or have it fitted.

    Returns:
        The rule with the parameters to use, and the event whose marks they were fitted to, where
        that is an earlier one.
    """
    seen = situation.situation
    if not isinstance(rule, BudgetRule) or not rule.needs_refit(seen.judged.arm.size):
        return rule, None
    adopted = fits(
        DueFit(
            question=rule.fit_question(seen),
            at=projection.position.seq,
            rules_version=projection.rules_version,
            in_force=rule.fitted,
            open=bool(projection.open),
        )
    )
    if adopted is None:
        return rule, None
    return replace(rule, fitted=adopted.fitted), adopted.at
