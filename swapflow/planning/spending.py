"""How each way of reviewing spends a simulated round's budget."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.estimation.list_quality import too_close
from swapflow.bandit.situation import (
    BoolArray,
    IntArray,
    Look,
    Rule,
    Situation,
    StopReason,
)
from swapflow.domain.rules import USUAL_TAPER, DispatchMode, FloorFor
from swapflow.engine.selection.before_stop import clearly_out
from swapflow.engine.selection.close_floor import close_lack, payable
from swapflow.engine.selection.rule import rule_of
from swapflow.engine.selection.taper import most_out
from swapflow.planning.round_state import (
    LAST_DAY,
    REFIT_GROWTH,
    Ending,
    Request,
    RoundState,
    SpendingPolicy,
)


MOST_AT_ONCE = 1_000_000
"""Requests at once where nothing limits them."""


def spend(state: RoundState, way: SpendingPolicy, coin: np.random.Generator) -> Ending:
    """Run one simulated round in one way, from its first request to its list."""
    match way:
        case SpendingPolicy.RULES:
            return _by_rule(state, coin)
        case SpendingPolicy.EVEN:
            _stage(state, _even_queue(state))
        case SpendingPolicy.TWO_TIER:
            _stage(state, [(arm, 0) for arm in range(state.truth.size)])
            _stage(state, _best_queue(state))
    return Ending(cohort=_look(state).cohort, settled=False)


def _look(state: RoundState) -> Look:
    """Choose by posterior means with severity taken out, as the rule `budget` does."""
    situation = state.situation(beside=0.0)
    rule = BudgetRule(oracle=state.setting.objective(), severity=True)
    return rule.refitted(situation).look(situation)


def _even_queue(state: RoundState) -> list[Request]:
    """Everybody's first review, then everybody's second, as far as the money goes."""
    arms = range(state.truth.size)
    most = state.rules.kinds[0].maximum
    queue = [(arm, 0) for _ in range(most) for arm in arms]
    return queue[: state.affordable(0)]


def _best_queue(state: RoundState) -> list[Request]:
    """The dearest kind, and what it requires, for the best so far, from the top.

    Without a dearer kind, second reviews.
    """
    situation = state.situation(beside=0.0)
    kind = max(range(len(state.kinds)), key=lambda index: state.kinds[index].cost)
    # Stable, so that ties keep the applicants' order on every machine.
    ranked = np.argsort(-situation.mean, kind="stable")
    most = min(state.affordable(kind), int(state.kind_left()[kind]))
    if kind == 0:
        times = max(1, math.ceil(most / max(1, ranked.size)))
        return [(int(arm), 0) for _ in range(times) for arm in ranked][:most]
    queue: list[Request] = []
    beside = 0.0
    for arm in ranked[:most].tolist():
        wanted = [
            (arm, index)
            for index, count in enumerate(state.rules.with_prerequisites(_only(kind, state)))
            for _ in range(count - int(state.asked[arm, index]))
        ]
        beside += sum(state.rules.kinds[index].cost for _, index in wanted)
        if beside > state.left:
            break
        queue += wanted
    return queue


def _only(kind: int, state: RoundState) -> list[int]:
    """One of a kind, none of the others."""
    return [int(index == kind) for index in range(len(state.kinds))]


def _stage(
    state: RoundState, queue: list[Request], *, limit: float = math.inf, drain: bool = True
) -> None:
    """Send a list out as people have room, and wait for every answer if `drain`."""
    waiting = list(reversed(queue))
    stuck: list[Request] = []
    while (waiting or stuck or (drain and state.anything_out)) and state.now < LAST_DAY:
        before = len(waiting) + len(stuck)
        # Who could not be served goes first now.
        waiting += reversed(stuck)
        stuck = []
        while waiting and state.out < limit:
            arm, kind = waiting[-1]
            if state.room(kind) == 0:
                break
            waiting.pop()
            if not (state.may(arm, kind) and state.send(arm, kind)):
                stuck.append((arm, kind))
        if not state.anything_out and len(waiting) + len(stuck) == before:
            return  # nobody is left who could take what is left
        if waiting or stuck or drain:
            state.wait()


def _by_rule(state: RoundState, coin: np.random.Generator) -> Ending:
    """Floors, then what the rule asks for, then the floors of those on the list."""
    rules = state.rules
    everyone, chosen = rules.floor_counts(FloorFor.ALL), rules.floor_counts(FloorFor.CHOSEN)
    limit = math.inf if rules.out is None else float(rules.out)
    _stage(state, list(_floor_queue(everyone, range(state.truth.size))), limit=limit, drain=False)
    # Held back from the start: those on the list must get their floors in the end.
    kept = sum(c * kind.cost for c, kind in zip(chosen, rules.kinds, strict=True))
    for_draw = _for_draw(state)
    beside = float(kept * state.setting.places) + for_draw
    rule = rule_of(rules, state.setting.objective(), None)
    if isinstance(rule, BudgetRule):
        rule = replace(rule, refit_growth=REFIT_GROWTH)
    lockstep = rules.dispatch is DispatchMode.LOCKSTEP
    draining, settled = False, False
    while state.now < LAST_DAY:
        situation = state.situation(beside=beside)
        rule = _refitted(rule, situation)
        look = rule.look(situation)
        done = look.stop in {StopReason.SETTLED, StopReason.CERTIFIED}
        # Answers that are out may change the rule's mind, so its stop counts once all are in.
        draining = state.anything_out and (draining or done or lockstep)
        if not draining:
            most = rules.batch if lockstep else int(min(sum(_rooms(state)), limit - state.out))
            most = min(most, _taper_room(state))
            picks = () if done else rule.choose(situation, look, at_most=most, rng=coin).picks
            paid = payable(
                [(pick.arm, pick.kind, 0) for pick in picks],
                _close_lack(state, look),
                left=situation.budget_left,
                rules=rules,
            )
            sent = [i for i in paid if state.send(picks[i].arm, picks[i].kind)]
            if not sent and not state.anything_out:
                settled = done
                break
        state.wait()
    look = _floors_before_stop(state, rule, chosen, limit=limit, beside=for_draw)
    if drawn := _drawn(state, look):
        _stage(state, [(arm, 0) for arm in drawn], limit=limit)
        look = _floors_before_stop(state, rule, chosen, limit=limit, beside=0.0)
    return Ending(cohort=look.cohort, settled=settled)


def _floors_before_stop(
    state: RoundState, rule: Rule, chosen: tuple[int, ...], *, limit: float, beside: float
) -> Look:
    """Ask for what the chosen and those too close to call lack; return the last assessment."""
    look = _final_look(state, rule)
    rounds = 4 if state.rules.promises_close else 2
    for _ in range(rounds):  # who comes onto the list by the floors' answers gets one too
        missing = _payable(state, _close_lack(state, look), beside=beside)
        lack = _chosen_lack(state, chosen, look.cohort)
        missing = missing or _payable(state, lack, beside=beside)
        if not missing:
            break
        _stage(state, missing, limit=limit)
        look = _final_look(state, rule)
    return look


def _for_draw(state: RoundState) -> float:
    """Return the cost that is kept for those who will be drawn of the clearly out."""
    check = state.rules.drawn_check
    if check is None:
        return 0.0
    out = max(0, state.truth.size - state.setting.places)
    return float(check.count(out) * state.rules.kinds[0].cost)


def _drawn(state: RoundState, look: Look) -> tuple[int, ...]:
    """Draw those clearly out who are read once more, as far as they can be."""
    check = state.rules.drawn_check
    if check is None:
        return ()
    out = np.flatnonzero(clearly_out(look, _close(state, look))).tolist()
    drawn = check.draw(state.rules.seed, [(arm, arm) for arm in out]).drawn
    return tuple(arm for arm in drawn if state.may(arm, 0))[: state.affordable(0)]


def _close_lack(state: RoundState, look: Look) -> IntArray:
    """Count what those too close to call lack of their floor, shape (n, kinds)."""
    rules = state.rules
    if not rules.promises_close:
        return np.zeros(state.asked.shape, dtype=np.int64)
    situation, close = state.situation(beside=0.0), _close(state, look)
    return close_lack(rules, situation, look, given=state.asked, close=close)


def _close(state: RoundState, look: Look) -> BoolArray:
    """Mark who is too close to call, shape (n,)."""
    close = np.zeros(state.truth.size, dtype=np.bool_)
    if look.quality is None:
        close[look.contested] = True
        return close
    return too_close(look.quality, close, least=state.rules.too_close)


def _taper_room(state: RoundState) -> int:
    """Return how many reviews the taper lets out beside those that are out."""
    rules = state.rules
    if rules.taper is None:
        rules = replace(rules, taper=USUAL_TAPER)  # what the launch will settle
    limit = most_out(rules, unspent=state.left + state.out_cost)
    if math.isinf(limit):
        return MOST_AT_ONCE
    return max(0, int(limit - state.out_cost / rules.kinds[0].cost))


def _rooms(state: RoundState) -> Iterator[int]:
    yield from (state.room(kind) for kind in range(len(state.kinds)))


def _refitted(rule: Rule, situation: Situation) -> Rule:
    if isinstance(rule, BudgetRule) and rule.needs_refit(situation.scores.mark.size):
        return rule.refitted(situation)
    return rule


def _final_look(state: RoundState, rule: Rule) -> Look:
    situation = state.situation(beside=0.0)
    if isinstance(rule, BudgetRule):
        # Fitted anew: the list is made from all marks, however many came since the last fit.
        rule = replace(rule, fitted=None).refitted(situation)
    return rule.look(situation)


def _floor_queue(counts: tuple[int, ...], arms: "range | list[int]") -> Iterator[Request]:
    """Everyone's first of a kind before anyone's second."""
    for kind, count in enumerate(counts):
        for _ in range(count):
            yield from ((int(arm), kind) for arm in arms)


def _chosen_lack(state: RoundState, counts: tuple[int, ...], cohort: IntArray) -> IntArray:
    """Count what those on the list still lack of their floors, shape (n, kinds)."""
    lack = np.zeros_like(state.asked)
    lack[cohort] = np.maximum(np.array(counts, dtype=np.int64) - state.asked[cohort], 0)
    return lack


def _payable(state: RoundState, lack: IntArray, *, beside: float) -> list[Request]:
    """List what is lacking, as far as the budget goes; `beside` is kept for others."""
    queue: list[Request] = []
    for kind in range(lack.shape[1]):
        lacking = [
            (arm, kind)
            for arm in np.flatnonzero(lack[:, kind]).tolist()
            for _ in range(int(lack[arm, kind]))
        ][: state.affordable(kind, beside=beside)]
        beside += len(lacking) * state.rules.kinds[kind].cost
        queue += lacking
    return queue
