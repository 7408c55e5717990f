"""The floor for applicants who are too close to call: what it owes, and the money kept for it.

Who is too close is known only from the marks, so nothing is reserved before the first look. From
then on a pull is opened only if what these applicants still lack stays payable, and what they lack
goes out before a stop.

Who would be left out although the plain average of the marks is above the cut gets one more review
than the floor: a list must not turn on the model alone where few marks speak.
"""

from collections.abc import Callable, Sequence

import numpy as np

from swapflow.bandit.estimation.list_quality import too_close
from swapflow.bandit.situation import BoolArray, IntArray, Look, Situation
from swapflow.domain.rules import FloorFor, Rules
from swapflow.domain.rules_versions import FIRST_AVERAGES
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.pull_events import PullKey
from swapflow.engine.projection.score_table import Integers
from swapflow.engine.selection.list_objective import list_objective
from swapflow.engine.selection.list_quality import JudgedList, QualityQuestion, tied_at_cut
from swapflow.engine.selection.situation import CycleSituation


Judge = Callable[[QualityQuestion], JudgedList | None]
"""A judge of lists; it gives None while it still calculates."""


def close_for_now(projection: CycleProjection, situation: CycleSituation, look: Look) -> Integers:
    """Count what those too close to call still lack, without a calculation of its own.

    Where no closed form says who is too close, the look's contested arms are taken instead: they
    are more, so that too much is kept rather than too little.

    Returns:
        Pulls per application number and kind, shape (applications, kinds).
    """
    lack = np.zeros((projection.applications, len(projection.rules.kinds)), dtype=np.int64)
    if not projection.rules.promises_close:
        return lack
    close = np.zeros(situation.application.size, dtype=np.bool_)
    if look.quality is None:
        close[look.contested] = True
    else:
        oracle = list_objective(projection, situation.application).oracle
        close[list(tied_at_cut(projection.rules, look, oracle))] = True
        close = too_close(look.quality, close, least=projection.rules.too_close)
    lack[situation.application] = lacking(projection, situation, look, close)
    return lack


def payable(
    wanted: Sequence[PullKey], owed: Integers, *, left: float, rules: Rules
) -> tuple[int, ...]:
    """Return the places of those pulls after which the floor's rest can still be paid.

    Args:
        wanted: Pulls, best first.
        owed: What those too close to call lack, per application number and kind; a pull that
            serves it lowers it.
        left: Cost that may still be committed.
        rules: Supply the costs.
    """
    if not rules.promises_close:
        return tuple(range(len(wanted)))
    costs = np.array([kind.cost for kind in rules.kinds], dtype=np.int64)
    rest, kept = owed.copy(), float((owed.sum(axis=0) * costs).sum())
    places = []
    for place, (application, kind, _) in enumerate(wanted):
        cost = rules.kinds[kind].cost
        served = cost if rest[application, kind] > 0 else 0
        # With less left than is owed, only what is owed may go out.
        if left < cost or (left - cost < kept - served and not served):
            continue
        left -= cost
        kept -= served
        rest[application, kind] -= bool(served)
        places.append(place)
    return tuple(places)


def close_lack(
    rules: Rules, situation: Situation, look: Look, *, given: IntArray, close: BoolArray
) -> IntArray:
    """Count what this floor owes each arm beside what it has, shape (n, kinds).

    Args:
        rules: Supply the floor.
        situation: What the rule sees; nothing is owed that it does not allow.
        look: The assessment of it.
        given: Pulls of each kind, those that are out included, shape (n, kinds).
        close: Who is too close to call, shape (n,).
    """
    floors = np.array(rules.floor_counts(FloorFor.CLOSE), dtype=np.int64)
    lack: IntArray = np.maximum(floors[None, :] - given, 0)
    lack[~close] = 0
    if rules.averages > FIRST_AVERAGES and floors.any():
        above = left_out_above_cut(look, situation)
        kind = int(np.argmax(floors > 0))
        more = given[above, kind] <= floors[kind]
        lack[above, kind] = np.maximum(lack[above, kind], more)
    return np.minimum(lack, situation.allowed)


def left_out_above_cut(look: Look, situation: Situation) -> BoolArray:
    """Mark the arms left out although the plain mean of their marks is above the cut.

    The cut is the last estimate on the list; shape (n,).
    """
    above = np.zeros(situation.n, dtype=np.bool_)
    if look.cohort.size:
        cut = look.estimate[look.cohort].min()
        above = (situation.information > 0) & (look.estimate <= cut) & (situation.mean > cut)
        above[look.cohort] = False
    return above


def lacking(
    projection: CycleProjection, situation: CycleSituation, look: Look, close: BoolArray
) -> Integers:
    """Count what this floor owes each arm, shape (n, kinds); `close` says who is too close."""
    given = projection.given()[situation.application]
    return close_lack(projection.rules, situation.situation, look, given=given, close=close)
