"""The answers of an advisor, computed from a round made of marks."""

import math
from dataclasses import dataclass, replace

import numpy as np

from swapflow.advice.answers import ListStanding, MarkFigures, Ranked, Request
from swapflow.advice.forecast import ExpectedLoss, Forecast, NextMark, gains, named
from swapflow.advice.marked_round import MarkedRound
from swapflow.advice.next_requests import ChosenPull, ChosenPulls
from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.estimation.list_quality import NORMAL_90
from swapflow.bandit.oracles.oracle import Oracle
from swapflow.bandit.situation import StopReason
from swapflow.bandit.ties import rounded
from swapflow.domain.reviewing.assignment import PullReason
from swapflow.domain.rules import Estimates, FloorFor, RuleName
from swapflow.engine.selection.decide import look_now
from swapflow.engine.selection.list_objective import list_objective
from swapflow.engine.selection.list_quality import JudgedList, QualityQuestion
from swapflow.engine.selection.ranking import ranking
from swapflow.engine.selection.rule import rule_of
from swapflow.engine.selection.situation import CycleSituation, situation_of
from swapflow.messages import Message


IN, TOO_CLOSE, OUT = "in", "too close to call", "out"
"""Where an applicant is now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A round as it is looked at.

    Attributes:
        situation: What the rule saw.
        judged: How good the list is, and who is too close to call.
        oracle: The objective.
        model: The rule `budget`, fitted to all marks, whatever the rule of the round is.
        order: Indices of the applicants, best first.
        estimate: Of each applicant, from 0 to 1; deviation: how far it may be off.
    """

    situation: CycleSituation
    judged: JudgedList
    oracle: Oracle
    model: BudgetRule
    order: np.ndarray
    estimate: np.ndarray
    deviation: np.ndarray

    @property
    def fitted(self) -> Fitted:
        """The parameters of the model."""
        assert self.model.fitted is not None
        return self.model.fitted


def look(marked: MarkedRound, fitted: Fitted) -> Seen:
    """Look at a round without deciding anything; `fitted` are the parameters of its marks."""
    projection, arms = marked.projection, marked.arms
    situation, seen, rule = look_now(projection, arms, fitted=fitted)
    oracle = list_objective(projection, situation.application).oracle
    question = QualityQuestion(
        position=arms.position,
        rules=projection.rules,
        oracle=oracle,
        fitted=rule.fitted if isinstance(rule, BudgetRule) else None,
        situation=situation.situation,
        application=situation.application,
        look=seen,
    )
    model = rule if isinstance(rule, BudgetRule) else model_of(marked, oracle, fitted)
    believed = model.believe(situation.situation)
    return Seen(
        situation=situation,
        judged=question.answer(),
        oracle=oracle,
        model=model,
        order=ranking(projection, situation, seen),
        estimate=rounded(seen.estimate),
        deviation=np.sqrt(believed.variance),
    )


def model_of(marked: MarkedRound, oracle: Oracle, fitted: Fitted | None) -> BudgetRule:
    """Return the rule `budget` for this objective, with these parameters."""
    own = replace(marked.rules, rule=RuleName.BUDGET, estimates=Estimates.RULE)
    if marked.rules.rule is not RuleName.BUDGET:
        # The sigma of the other rules bounds the noise, it does not estimate it.
        own = replace(own, sigma=None)
    model = rule_of(own, oracle, fitted)
    assert isinstance(model, BudgetRule)
    return model


def fit(marked: MarkedRound) -> Fitted:
    """Return the parameters of the model, fitted to all marks."""
    situation = situation_of(marked.projection, marked.arms)
    oracle = list_objective(marked.projection, situation.application).oracle
    fitted = model_of(marked, oracle, None).refitted(situation.situation).fitted
    assert fitted is not None
    return fitted


def stop_told(seen: Seen, chosen: ChosenPulls) -> StopReason | None:
    """Return why the rule would stop, as people are told.

    The rule calls a list settled where no review that can be had would change it. That nobody is
    left to read those near the cut is another thing, and has another cure.
    """
    close = seen.judged.too_close
    readable = seen.situation.situation.allowed[close].any()
    if chosen.stop is StopReason.SETTLED and close.any() and not readable:
        return StopReason.EXHAUSTED
    return chosen.stop


# The list


def standing(marked: MarkedRound, fitted: Fitted) -> ListStanding:
    """Return the list as it is now."""
    seen = look(marked, fitted)
    quality, members = seen.judged.quality, set(seen.judged.members.tolist())
    reviews = marked.projection.closed().sum(axis=1)[seen.situation.application]
    names = marked.facts.applicants
    rows = []
    for rank, arm in enumerate(seen.order.tolist(), start=1):
        half = NORMAL_90 * float(seen.deviation[arm])
        estimate = float(seen.estimate[arm])
        zone = TOO_CLOSE if seen.judged.too_close[arm] else (IN if arm in members else OUT)
        rows.append(
            Ranked(
                rank=rank,
                applicant=names[int(seen.situation.application[arm])].id,
                estimate=100 * estimate,
                low=100 * max(0.0, estimate - half),
                high=100 * min(1.0, estimate + half),
                likely=float(quality.likely[arm]),
                zone=zone,
                reviews=int(reviews[arm]),
            )
        )
    places = seen.judged.members.size
    scale = 100 / max(places, 1)
    return ListStanding(
        ranking=tuple(rows),
        cut=rows[places - 1].estimate if places else math.nan,
        places=places,
        too_close=int(seen.judged.too_close.sum()),
        could_change=places - quality.belong,
        loss_range=(scale * quality.loss_range[0], scale * quality.loss_range[1]),
    )


# The requests


def requests(marked: MarkedRound, before: Seen, chosen: ChosenPulls) -> tuple[Request, ...]:
    """Word the requests that were chosen.

    Args:
        marked: The round, with the requests out.
        before: The round as it was before them.
        chosen: The requests.
    """
    arm_of = {int(number): arm for arm, number in enumerate(before.situation.application)}
    picks = [(arm_of[one.pull.key[0]], one.pull.key[1]) for one in chosen.pulls]
    worth = gains(before.oracle, before.situation.situation, before.model, picks)
    rules, facts = marked.rules, marked.facts
    closed = marked.projection.closed()
    return tuple(
        Request(
            applicant=facts.applicants[one.pull.key[0]].id,
            kind=rules.kinds[kind].name,
            reviewer="; ".join(
                facts.readers[r].id for r in one.pull.reviewers if not facts.readers[r].unnamed
            ),
            reason=str(_reason(marked, before, one, arm, closed[one.pull.key[0]].tolist())),
            gain=gain,
            cost=rules.kinds[kind].cost,
        )
        for one, (arm, kind), gain in zip(chosen.pulls, picks, worth, strict=True)
    )


def _reason(
    marked: MarkedRound, before: Seen, chosen: ChosenPull, arm: int, given: list[int]
) -> Message:
    kind = marked.rules.kinds[chosen.pull.key[1]].name
    if chosen.why is PullReason.FLOOR:
        floor = max(
            marked.rules.floor_counts(who)[chosen.pull.key[1]]
            for who in (FloorFor.ALL, FloorFor.CHOSEN, FloorFor.CLOSE)
        )
        return Message(
            "advice_reason_floor", given=given[chosen.pull.key[1]], floor=floor, kind=kind
        )
    if chosen.why is PullReason.CHANCE:
        return Message("advice_reason_chance", kind=kind)
    if not before.situation.situation.information[arm]:
        return Message("advice_reason_unread", kind=kind)
    return Message(
        "advice_reason_close",
        tenths=tenths(
            float(before.judged.quality.likely[arm]), close=bool(before.judged.too_close[arm])
        ),
        places=before.judged.members.size,
        count=sum(given),
    )


def tenths(likely: float, *, close: bool) -> int:
    """Round a likelihood to tenths; never 0 or 10 for an applicant who is too close to call."""
    rounded_up = int(10 * likely + 0.5)
    return min(max(rounded_up, 1), 9) if close else rounded_up


# How the marks look


def figures(marked: MarkedRound, fitted: Fitted) -> MarkFigures:
    """Return how the marks look, by the fitted model."""
    situation = situation_of(marked.projection, marked.arms)
    oracle = list_objective(marked.projection, situation.application).oracle
    model = model_of(marked, oracle, fitted)
    scores = situation.situation.scores
    believed = model.believe(situation.situation)
    giving = np.unique(scores.reviewer[scores.reviewer >= 0])
    severity = believed.severity[giving] if giving.size else np.zeros(1)
    noise = fitted.noise_variance + fitted.severity_variance
    return MarkFigures(
        applicants=len(marked.facts.applicants),
        marked=int(np.unique(scores.arm).size),
        marks=len(marked.facts.given),
        reviewers=int(giving.size),
        average=100 * float(scores.mark.mean()) if scores.mark.size else math.nan,
        spread=100 * math.sqrt(fitted.prior_variance),
        severity=100 * math.sqrt(fitted.severity_variance) if giving.size else 0.0,
        noise=100 * math.sqrt(fitted.noise_variance),
        agreement=fitted.prior_variance / (fitted.prior_variance + noise),
        apart=100 * float(severity.max() - severity.min()),
    )


# What more brings


def expected_loss(marked: MarkedRound, *, fitted: Fitted, more: int | None = None) -> ExpectedLoss:
    """Return what the list is expected to lack now, after the requests out, and after more.

    Args:
        marked: The round; its requests are out.
        fitted: The parameters of the model.
        more: How many further requests there are after those; as many as are out by default.
    """
    situation = situation_of(marked.projection, marked.arms)
    oracle = list_objective(marked.projection, situation.application).oracle
    arm_of = {int(number): arm for arm, number in enumerate(situation.application)}
    unnamed = [reader.unnamed for reader in marked.facts.readers]
    coming = []
    for (application, kind, _), pull in marked.projection.open.items():
        live = [reviewer for _, reviewer in pull.live.values()]
        alone = live[0] if len(live) == 1 and pull.seats == 1 else -1
        coming.append(NextMark(arm=arm_of[application], reviewer=named(alone, unnamed), kind=kind))
    count = len(coming) if more is None else more
    cost = sum(marked.rules.kinds[one.kind].cost for one in coming) / max(len(coming), 1)
    forecast = Forecast(
        oracle=oracle,
        situation=situation.situation,
        model=model_of(marked, oracle, fitted),
        seed=marked.rules.seed,
    )
    return forecast.losses(coming, count=count, budget=cost * count)
