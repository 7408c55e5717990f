"""Step 7, decide: propose to stop, or choose the next pulls and who takes them.

Pure: a plan is a function of projection and live state. `dispatch` writes it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.situation import Look, Rule, StopReason
from swapflow.domain.cycle import CycleStatus, Position
from swapflow.domain.drawn_check import Draw
from swapflow.domain.kind_overlap import drawn_for
from swapflow.domain.reviewing.assignment import PullReason
from swapflow.domain.rules import DispatchMode
from swapflow.engine.ports.live_state import Arms
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.pull_events import PullKey
from swapflow.engine.selection.assign import (
    NoReviewer,
    Seat,
    out_target,
    slots_now,
)
from swapflow.engine.selection.before_stop import (
    draw_at_stop,
    list_at_stop,
    promised_at_stop,
    unread_at_stop,
)
from swapflow.engine.selection.close_floor import Judge, close_for_now, payable
from swapflow.engine.selection.list_quality import QualityQuestion
from swapflow.engine.selection.parameters import Fits, fitted_now, with_fit
from swapflow.engine.selection.rule import coin, list_rule, rule_for
from swapflow.engine.selection.situation import (
    CycleSituation,
    cost_of,
    keeping_for,
    situation_of,
)
from swapflow.engine.selection.staffing import PlannedPull, staffed
from swapflow.engine.selection.taper import taper_room, within_room


MOST_AT_ONCE = 10_000
"""Most pulls that one decision opens: it bounds a transaction, and the memory for open pulls."""

PRIORITY_UNITS = 1_000_000_000
"""Priorities are recorded as integers, in billionths."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionPlan:
    """What a decision is to write.

    Attributes:
        number: The decision's number, from 1.
        read: The position it was made at.
        why: FLOOR, RULE, DRAWN, or CHANCE where kinds are made to overlap.
        pulls: Pulls to open, best first; empty when a stop is proposed.
        stop: The reason to stop, None otherwise.
        look: The rule's assessment; None for a floor, which needs none.
        situation: The situation that the decision read.
        fitted: Parameters of the model after this look (`budget` only).
        blocked: Seats of wanted pulls that no reviewer can take, with the reason.
        draw: Who is drawn of those clearly out, where this decision draws.
        fitted_at: The event whose marks `fitted` rests on, where that is adopted from before.
    """

    number: int
    read: Position
    why: PullReason
    pulls: tuple[PlannedPull, ...]
    stop: StopReason | None
    look: Look | None
    situation: CycleSituation
    fitted: Fitted | None
    blocked: dict[Seat, NoReviewer]
    draw: Draw | None = None
    fitted_at: int | None = None

    @property
    def cohort(self) -> tuple[int, ...]:
        """Applications of the best cohort by the estimates, in the order of their numbers."""
        return () if self.look is None else _numbers(self.situation, self.look.cohort)

    @property
    def contested(self) -> tuple[int, ...]:
        """Applications that another pull could still move, most uncertain first."""
        if self.look is None:
            return ()
        return tuple(int(self.situation.application[arm]) for arm in self.look.contested)


def decide(
    projection: CycleProjection,
    arms: Arms,
    *,
    fitted: Fitted | None = None,
    judge: Judge = QualityQuestion.answer,
    fits: Fits = fitted_now,
) -> DecisionPlan | None:
    """Make the next decision of a running cycle.

    Args:
        projection: The cycle's structure.
        arms: Its live state, at the same position.
        fitted: Parameters that the last decision recorded.
        judge: Says how good a list is that is no plain sum.
        fits: Answers a fit that is due.

    Returns:
        A plan, or None when there is nothing to do but wait.
    """
    if projection.status is not CycleStatus.RUNNING or projection.applications == 0:
        return None
    if projection.rules.dispatch is DispatchMode.LOCKSTEP and projection.open:
        return None
    if projection.open and _room(projection) == 0:
        return None  # no more may be opened, and nothing stops before open pulls are answered
    situation = situation_of(projection, arms)
    if situation.application.size == 0:
        return None
    plan = _floors(projection, arms, situation)
    if plan is not None:
        return plan
    own = rule_for(projection, situation.application, fitted)
    rule, at = with_fit(own, projection, situation, fits)
    plan = _by_rule(projection, arms, situation, rule, judge)
    return None if plan is None else replace(plan, fitted_at=at)


def stop_plan(projection: CycleProjection, arms: Arms, reason: StopReason) -> DecisionPlan:
    """Build a decision that only proposes to stop, with the assessment of this moment."""
    situation = situation_of(projection, arms)
    rule, _ = with_fit(rule_for(projection, situation.application, None), projection, situation)
    look = rule.look(situation.situation)
    plan = _plan(projection, arms, situation, why=PullReason.RULE, pulls=(), blocked={})
    return replace(plan, look=look, stop=reason, fitted=_fitted(rule))


def look_now(
    projection: CycleProjection, arms: Arms, *, fitted: Fitted | None = None
) -> tuple[CycleSituation, Look, Rule]:
    """Compute the current assessment without deciding anything: for views and reports."""
    situation = situation_of(projection, arms)
    own = list_rule(projection, situation.application, fitted)
    rule, _ = with_fit(own, projection, situation)
    return situation, rule.look(situation.situation), rule


def _floors(
    projection: CycleProjection, arms: Arms, situation: CycleSituation
) -> DecisionPlan | None:
    """Open floor pulls, everyone's first before anyone's second, as far as reviewers go."""
    wanted: list[PullKey] = []
    # What is reserved for floors may be spent on them; staff's reserve may not.
    budget = situation.situation.budget_left + _floor_cost(projection, situation)
    most = _room(projection)
    for kind in range(len(projection.rules.kinds)):
        missing = np.minimum(
            situation.floors_missing[:, kind], situation.situation.allowed[:, kind]
        )
        cost = projection.rules.kinds[kind].cost
        left = min(_panels_now(projection, kind), int(situation.situation.kind_left[kind]))
        limit = min(most, len(wanted) + left)
        for step in range(int(missing.max(initial=0))):
            for arm in np.flatnonzero(missing > step):
                if budget < cost or len(wanted) >= limit:
                    break
                application = int(situation.application[arm])
                ordinal = projection.next_ordinal(application, kind) + step
                wanted.append((application, kind, ordinal))
                budget -= cost
    pulls, blocked = staffed(wanted, [0] * len(wanted), projection)
    if not pulls:
        return None
    return _plan(projection, arms, situation, why=PullReason.FLOOR, pulls=pulls, blocked=blocked)


def _by_rule(
    projection: CycleProjection,
    arms: Arms,
    situation: CycleSituation,
    rule: Rule,
    judge: Judge,
) -> DecisionPlan | None:
    """Ask for what the rule wants next, or propose to stop."""
    look = rule.look(situation.situation)
    floors_open = bool(situation.floors_missing.any()) or _floor_out(projection)
    if look.stop is not None and not floors_open:
        # High scores tend to come first: open pulls must be answered before the rule may stop.
        asked = (projection, arms, situation, rule, look, look.stop)
        return None if projection.open else _stop_or_chosen(*asked, judge)

    # Only now is it known who is chosen: until the look, the floors of the chosen were reserved
    # for everyone who might be.
    situation = keeping_for(look.cohort, projection, arms, situation)
    room = taper_room(projection, spent=arms.spent, for_staff=situation.for_staff)
    most = min(_room(projection), projection.rules.batch)
    left, close = situation.situation.budget_left, close_for_now(projection, situation, look)
    if most > 0 and room > 0:
        now = _only_now(projection, situation)
        wanted = within_room(_by_chance(projection, now, look)[:most], room, projection.rules)
        wanted = [wanted[i] for i in payable(wanted, close, left=left, rules=projection.rules)]
        pulls, blocked = staffed(wanted, [0] * len(wanted), projection)
        if pulls:
            why = PullReason.CHANCE
            plan = _plan(projection, arms, situation, why=why, pulls=pulls, blocked=blocked)
            return replace(plan, look=look, fitted=_fitted(rule))
        picks = rule.choose(
            now.situation, look, at_most=most, rng=coin(projection.rules, projection.decisions)
        )
        wanted = _keys(projection, situation, [(p.arm, p.kind) for p in picks.picks])
        wanted = within_room(wanted, room, projection.rules)
        kept = payable(wanted, close, left=left, rules=projection.rules)
        wanted = [wanted[i] for i in kept]
        priorities = [round(picks.picks[i].priority * PRIORITY_UNITS) for i in kept]
        pulls, blocked = staffed(wanted, priorities, projection)
        if pulls:
            plan = _plan(
                projection, arms, situation, why=PullReason.RULE, pulls=pulls, blocked=blocked
            )
            return replace(plan, look=look, fitted=_fitted(rule))
    if projection.open:
        return None
    # Once more without the limits of the moment: a pull that only lacks a free reviewer must not
    # end the asking.
    rest = rule.choose(
        situation.situation, look, at_most=1, rng=coin(projection.rules, projection.decisions)
    )
    wanted = _keys(projection, situation, [(p.arm, p.kind) for p in rest.picks])
    paid = payable(wanted, close, left=left, rules=projection.rules)
    if paid or _floor_may_come(projection, situation):
        return None  # wanted, but every reviewer who could is busy or away
    # What is kept for those too close to call pays nothing else.
    shortfall = StopReason.BUDGET if wanted else rest.shortfall
    reason = shortfall or StopReason.EXHAUSTED
    # While a floor is open, no cohort is certified or settled.
    if floors_open and reason in {StopReason.CERTIFIED, StopReason.SETTLED}:
        reason = StopReason.EXHAUSTED
    return _stop_or_chosen(projection, arms, situation, rule, look, reason, judge)


def _by_chance(
    projection: CycleProjection, situation: CycleSituation, look: Look
) -> list[PullKey]:
    """List pulls for drawn applications near the cut that have another kind, but not this one.

    The list stays within the budget and every maximum. The next decision lists a pull that found
    no reviewer again; such a pull never keeps the rule from stopping.
    """
    rules = projection.rules
    if not rules.overlaps:
        return []
    wanted: list[PullKey] = []
    budget = situation.situation.budget_left
    near = np.asarray(look.contested)
    given = projection.given()[situation.application[near]]
    for kind, limits in enumerate(rules.kinds):
        other = (given > 0).any(axis=1) & (given[:, kind] == 0)
        may = situation.situation.allowed[near, kind] > 0
        left = int(situation.situation.kind_left[kind])
        for application in situation.application[near[other & may]].tolist():
            if left <= 0 or budget < limits.cost:
                break
            if drawn_for(rules, projection.ties[application], kind):
                wanted.append((application, kind, projection.next_ordinal(application, kind)))
                budget -= limits.cost
                left -= 1
    return wanted


def _stop_or_chosen(
    projection: CycleProjection,
    arms: Arms,
    situation: CycleSituation,
    rule: Rule,
    look: Look,
    reason: StopReason,
    judge: Judge,
) -> DecisionPlan | None:
    """Propose to stop, unless a promised review is missing, or a drawn applicant is unread."""
    fitted = _fitted(rule)
    seen = list_at_stop(projection, arms, situation, look, fitted, judge)
    if seen is None:
        return None
    wanted = promised_at_stop(projection, situation, look, seen)
    why, draw = PullReason.FLOOR, None
    pulls, blocked = staffed(wanted[: _room(projection)], [0] * len(wanted), projection)
    if not pulls and not _passes(blocked):
        why, draw = PullReason.DRAWN, draw_at_stop(projection, situation, seen)
        wanted = unread_at_stop(projection, situation, draw)[: _room(projection)]
        pulls, unread = staffed(wanted, [0] * len(wanted), projection, new=True)
        blocked |= unread
    # A reviewer who is only away or busy will be back: stopping now would deny what is promised.
    if not pulls and _passes(blocked):
        return None
    if not pulls:
        why = PullReason.RULE
    plan = _plan(projection, arms, situation, why=why, pulls=pulls, blocked=blocked)
    stop = None if pulls else reason
    return replace(plan, look=look, stop=stop, fitted=fitted, draw=draw)


def _passes(blocked: dict[Seat, NoReviewer]) -> bool:
    return any(obstacle.passes for obstacle in blocked.values())


def _plan(
    projection: CycleProjection,
    arms: Arms,
    situation: CycleSituation,
    *,
    why: PullReason,
    pulls: tuple[PlannedPull, ...],
    blocked: dict[Seat, NoReviewer],
) -> DecisionPlan:
    return DecisionPlan(
        number=projection.decisions + 1,
        read=arms.position,
        why=why,
        pulls=pulls,
        stop=None,
        look=None,
        situation=situation,
        fitted=None,
        blocked=blocked,
    )


def _fitted(rule: Rule) -> Fitted | None:
    return rule.fitted if isinstance(rule, BudgetRule) else None


def _room(projection: CycleProjection) -> int:
    """Return how many pulls this decision may open, by dispatch mode."""
    if projection.rules.dispatch is DispatchMode.LOCKSTEP:
        return MOST_AT_ONCE
    return min(MOST_AT_ONCE, max(0, out_target(projection) - len(projection.open)))


def _panels_now(projection: CycleProjection, kind: int) -> int:
    """Count the pulls of a kind that reviewers could take now, or that a person would approve."""
    limits = projection.rules.kinds[kind]
    # Reviewers are assigned after an approval, so they do not limit such a kind here.
    return 1_000_000 if limits.approval else slots_now(projection, kind) // limits.seats


def _only_now(projection: CycleProjection, situation: CycleSituation) -> CycleSituation:
    """Limit each kind to the seats that reviewers could take at this moment."""
    arms = situation.situation
    now = [_panels_now(projection, kind) for kind in range(len(projection.rules.kinds))]
    left = np.minimum(arms.kind_left, np.array(now, dtype=np.int64))
    return replace(situation, situation=replace(arms, kind_left=left))


def _floor_cost(projection: CycleProjection, situation: CycleSituation) -> int:
    return cost_of(projection, situation.floors_missing)


def _floor_out(projection: CycleProjection) -> bool:
    """Whether a floor's pull is still open: then no cohort is certified or settled."""
    return any(pull.why is PullReason.FLOOR for pull in projection.open.values())


def _floor_may_come(projection: CycleProjection, situation: CycleSituation) -> bool:
    """Whether a floor is open that a reviewer could still fill and the budget could pay."""
    left = situation.situation.budget_left + _floor_cost(projection, situation)
    fillable = np.minimum(situation.floors_missing, situation.situation.allowed) > 0
    return any(
        fillable[:, kind].any() and left >= limits.cost
        for kind, limits in enumerate(projection.rules.kinds)
    )


def _keys(
    projection: CycleProjection, situation: CycleSituation, picks: Sequence[tuple[int, int]]
) -> list[PullKey]:
    """Number the pulls that a rule picked."""
    ordinals: dict[tuple[int, int], int] = {}
    keys = []
    for arm, kind in picks:
        application = int(situation.application[arm])
        pair = (application, kind)
        ordinals[pair] = ordinals.get(pair, projection.next_ordinal(application, kind) - 1) + 1
        keys.append((application, kind, ordinals[pair]))
    return keys


def _numbers(situation: CycleSituation, arms: np.ndarray) -> tuple[int, ...]:
    return tuple(sorted(int(situation.application[arm]) for arm in arms))
