"""What goes out before a stop: promised reviews, then one review of each who is drawn.

Promised are reviews to those chosen and to those too close to call. Once these are paid, a few of
those clearly out are drawn by the seed, and each is read once more by a reviewer new to them. The
draw is made once: marks that come later change nobody in it, only a drawn applicant who withdraws
unread is replaced by the next in its order.
"""

from dataclasses import dataclass

import numpy as np

from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.situation import BoolArray, Look
from swapflow.domain.drawn_check import Draw, draw_order
from swapflow.domain.event import Json
from swapflow.domain.rules import Estimates
from swapflow.engine.ports.live_state import Arms
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.pull_events import PullKey
from swapflow.engine.selection.close_floor import Judge, lacking
from swapflow.engine.selection.list_objective import list_objective
from swapflow.engine.selection.list_quality import QualityQuestion
from swapflow.engine.selection.rule import list_rule
from swapflow.engine.selection.situation import CycleSituation, chosen_lack, to_draw


WEAK = 0
"""The kind of which a drawn applicant gets one: the first, which is the measure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopList:
    """The list as people would see it if asking stopped now.

    Attributes:
        look: The assessment that makes the list.
        close: Who is too close to call, shape (n,); None where nothing depends on it.
    """

    look: Look
    close: BoolArray | None


def list_at_stop(
    projection: CycleProjection,
    arms: Arms,
    situation: CycleSituation,
    look: Look,
    fitted: Fitted | None,
    judge: Judge,
) -> StopList | None:
    """Judge the list when the rule would stop; None while it is being judged.

    Objectives other than a plain sum are judged by draws: only a stop waits for them, and only in
    a program whose floors or whose drawn check depend on it.

    Args:
        projection: The cycle's structure.
        arms: Its live state.
        situation: What the rule saw.
        look: The rule's assessment.
        fitted: Parameters of the model behind the look (`budget` only).
        judge: Answers how good the list is.
    """
    rules = projection.rules
    asks = rules.promises_close or to_draw(projection) > 0
    if not (asks and look.cohort.size and situation.situation.information.any()):
        return StopList(look=look, close=None)
    if rules.estimates is not Estimates.RULE:
        # The list that people see is made by other estimates than those that choose pulls.
        look = list_rule(projection, situation.application, fitted).look(situation.situation)
    question = QualityQuestion(
        position=arms.position,
        rules=rules,
        oracle=list_objective(projection, situation.application).oracle,
        fitted=fitted,
        situation=situation.situation,
        application=situation.application,
        look=look,
    )
    judged = judge(question)
    return None if judged is None else StopList(look=look, close=judged.too_close)


def promised_at_stop(
    projection: CycleProjection, situation: CycleSituation, look: Look, seen: StopList
) -> list[PullKey]:
    """List what the chosen and those too close to call still lack, as far as it can be paid.

    Args:
        projection: The cycle's structure.
        situation: What the rule saw.
        look: The rule's assessment: it names the chosen.
        seen: The list as people would see it.
    """
    lack = np.zeros((situation.application.size, len(projection.rules.kinds)), dtype=np.int64)
    if projection.rules.promises_close and seen.close is not None:
        lack = lacking(projection, situation, seen.look, seen.close)
    lack[look.cohort] = np.maximum(
        lack[look.cohort], chosen_lack(projection, situation.application[look.cohort])
    )
    close = np.setdiff1d(np.flatnonzero(lack.any(axis=1)), look.cohort)
    owed = [*look.cohort.tolist(), *close.tolist()]
    budget = payable_at_stop(projection, situation) - situation.for_draw
    wanted: list[PullKey] = []
    for kind, limits in enumerate(projection.rules.kinds):
        left = int(situation.situation.kind_left[kind])
        for arm, missing in zip(owed, lack[owed, kind].tolist(), strict=True):
            application = int(situation.application[arm])
            most = budget // max(limits.cost, 1)
            more = min(missing, int(situation.situation.allowed[arm, kind]), most, left)
            budget -= more * limits.cost
            left -= more
            first = projection.next_ordinal(application, kind)
            wanted += [(application, kind, first + step) for step in range(more)]
    return wanted


def draw_at_stop(
    projection: CycleProjection, situation: CycleSituation, seen: StopList
) -> Draw | None:
    """Draw those who are read once more; None where there is nobody to draw.

    After the first draw only those who withdrew unread are replaced.
    """
    rules, drawn = projection.rules, projection.drawn
    if rules.drawn_check is None or seen.close is None:
        return None
    out = _clearly_out(projection, situation, seen)
    ties = [(number, projection.ties[number]) for number in out]
    if not drawn.took_place:
        return rules.drawn_check.draw(rules.seed, ties)
    gone = withdrawn_unread(projection)
    order = draw_order(rules.seed, ties)
    others = tuple(number for number in order if number not in drawn.now)[: len(gone)]
    if not others:
        return None
    return Draw(out=drawn.out, drawn=others, instead=gone[: len(others)])


def withdrawn_unread(projection: CycleProjection) -> tuple[int, ...]:
    """Return the drawn applications that are candidates no more and were not read."""
    read = projection.drawn.read(projection.open)
    return tuple(
        number
        for number in projection.drawn.now
        if number not in read and not projection.statuses[number].is_candidate
    )


def unread_at_stop(
    projection: CycleProjection, situation: CycleSituation, draw: Draw | None
) -> list[PullKey]:
    """List one request for each who is drawn and not read, as far as it can be paid.

    Args:
        projection: The cycle's structure.
        situation: What the rule saw.
        draw: A draw that is made by this decision.
    """
    drawn = projection.drawn
    served = drawn.read(projection.open) | drawn.out_now(projection.open)
    arm_of = {number: arm for arm, number in enumerate(situation.application.tolist())}
    wanted = [
        (number, WEAK, projection.next_ordinal(number, WEAK))
        for number in (*drawn.now, *(draw.drawn if draw else ()))
        if number not in served
        and number in arm_of
        and situation.situation.allowed[arm_of[number], WEAK] > 0
    ]
    paid = payable_at_stop(projection, situation) // max(projection.rules.kinds[WEAK].cost, 1)
    return wanted[: min(max(paid, 0), int(situation.situation.kind_left[WEAK]))]


def drawn_payload(decision: int, draw: Draw) -> dict[str, Json]:
    """Build the payload of the event that records a draw."""
    return {
        "decision": decision,
        "out": draw.out,
        "drawn": list(draw.drawn),
        "instead": list(draw.instead),
    }


def payable_at_stop(projection: CycleProjection, situation: CycleSituation) -> int:
    """Return the cost that a stop may still spend: all but what is kept for staff."""
    spent = situation.spent + situation.committed
    return projection.rules.budget - spent - situation.for_staff


def clearly_out(look: Look, close: BoolArray) -> BoolArray:
    """Mark the arms that are left out and not too close to call, shape (n,)."""
    clear = ~close
    clear[look.cohort] = False
    return clear


def _clearly_out(
    projection: CycleProjection, situation: CycleSituation, seen: StopList
) -> list[int]:
    """List who is out and not too close to call, and can be read.

    Left out is whom a person has pinned out: that outcome has its person.
    """
    assert seen.close is not None, "only a judged list says who is clear"
    ready = projection.ready()
    return [
        number
        for number in situation.application[clearly_out(seen.look, seen.close)].tolist()
        if ready[number] and number not in projection.pins
    ]
