"""The next requests: decisions of the engine, one after the other, until enough are chosen."""

from dataclasses import dataclass

from swapflow.advice.marked_round import MarkedRound
from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.situation import StopReason
from swapflow.domain.reviewing.assignment import PullReason
from swapflow.domain.rules import DispatchMode
from swapflow.engine.selection.assign import NoReviewer
from swapflow.engine.selection.decide import DecisionPlan, decide
from swapflow.engine.selection.staffing import PlannedPull


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenPull:
    """One request that a decision chose, and why the decision was made."""

    pull: PlannedPull
    why: PullReason


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenPulls:
    """The next requests, in the order in which decisions chose them.

    Attributes:
        pulls: At most as many as asked for.
        stop: Why the rule would stop asking, where it would; None otherwise.
        blocked: Why requests that were wanted found no reviewer, each reason once.
    """

    pulls: tuple[ChosenPull, ...]
    stop: StopReason | None
    blocked: tuple[NoReviewer, ...]


def choose(
    marked: MarkedRound, *, count: int, cost: int, fitted: Fitted | None = None
) -> ChosenPulls:
    """Choose the next requests and record them as out.

    The rules stay as they are but for what a single answer needs: everything that may be spent is
    named here, and requests need not wait for each other.

    Args:
        marked: The round; afterwards the requests are out in it.
        count: Most requests.
        cost: Most cost of them together.
        fitted: Parameters of the model that are in force; None fits them to the marks.
    """
    spent, committed = marked.costs
    marked.use(
        budget=spent + committed + cost,
        reserve=0.0,
        taper=0.0,
        dispatch=DispatchMode.ROLLING,
        deadline=None,
    )
    chosen: list[ChosenPull] = []
    blocked: dict[NoReviewer, None] = {}
    stop: StopReason | None = None
    while len(chosen) < count:
        left = count - len(chosen)
        marked.use(batch=left, out=len(marked.projection.open) + left)
        plan = decide(marked.projection, marked.arms, fitted=fitted)
        if plan is None:
            break
        blocked |= dict.fromkeys(plan.blocked.values())
        if not plan.pulls:
            stop = plan.stop
            break
        fitted = plan.fitted or fitted
        marked.send(plan)
        chosen += _of(plan)
    return ChosenPulls(pulls=tuple(chosen), stop=stop, blocked=tuple(blocked))


def _of(plan: DecisionPlan) -> list[ChosenPull]:
    return [ChosenPull(pull=pull, why=plan.why) for pull in plan.pulls]
