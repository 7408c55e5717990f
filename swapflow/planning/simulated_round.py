"""One simulated round: requests go out, people answer after days, the rule looks again.

The rule is the product's own (`engine/selection/rule.py`), and so are the limits: floors
first, budget less reserve, most of a kind, what a kind requires, no reviewer twice on one
applicant, packets and capacities. What is simplified: the rule looks once a day, reviewers have
no conflicts, and what nobody answers goes to another reviewer the same day.
"""

from dataclasses import dataclass, field

import numpy as np

from swapflow.bandit.situation import (
    IntArray,
)
from swapflow.planning.round_state import LAST_DAY, PURPOSE_COIN, RoundState, SpendingPolicy
from swapflow.planning.setting import PlanSetting
from swapflow.planning.spending import spend
from swapflow.simulation.random_numbers import Stream


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOutcome:
    """What came of one simulated round.

    Attributes:
        found: Share of the best possible list that is on the list.
        value: Truth of the list over the truth of the best possible list.
        days: Until the last answer.
        cost: Spent.
        asked: Requests of each kind.
        settled: Whether the rule ended it because more would hardly change the list.
        finished: Whether everything was answered before `LAST_DAY`.
        busiest: Cost of the work of the reviewer who did most.
        cohort: Sorted indices.
    """

    found: float
    value: float
    days: float
    cost: float
    asked: tuple[int, ...]
    settled: bool
    finished: bool
    busiest: float
    cohort: IntArray = field(repr=False)


def simulate(
    setting: PlanSetting, stream: Stream, *, truth: int, luck: int, way: SpendingPolicy
) -> RoundOutcome:
    """Simulate a round.

    Args:
        setting: The round.
        stream: Random numbers; equal ones meet equal luck.
        truth: Number of the applicants' true utilities.
        luck: Number of the reviewers, marks and delays.
        way: How the budget is spent.
    """
    state = RoundState(setting, stream, truth=truth, luck=luck)
    coin = stream.generator(luck, PURPOSE_COIN)
    ending = spend(state, way, coin)
    cohort = ending.cohort
    objective = setting.objective()
    best = objective.best(state.truth)
    return RoundOutcome(
        found=np.intersect1d(cohort, best).size / max(best.size, 1),
        value=objective.value(state.truth, cohort) / max(objective.value(state.truth, best), 1e-9),
        days=state.now,
        cost=state.spent,
        asked=tuple(int(count) for count in state.asked.sum(axis=0)),
        settled=ending.settled,
        finished=state.now < LAST_DAY,
        busiest=float(state.work.max(initial=0.0)),
        cohort=cohort,
    )
