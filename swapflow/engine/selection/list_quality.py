"""How good a cycle's list is by the model, and who is too close to call.

A plain sum under `budget` is answered in closed form by the rule's own look. Everything else is
answered here, outside a coordinator's turn: other objectives by joint draws of the posterior, and
under `paper` and `certified` the model of `budget`, fitted for these numbers alone.
"""

from dataclasses import dataclass, replace

import numpy as np

from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.estimation.list_quality import list_quality, quality_of_draws, too_close
from swapflow.bandit.estimation.posterior import joint_draws
from swapflow.bandit.oracles.oracle import Oracle, TopK
from swapflow.bandit.situation import BoolArray, IntArray, ListQuality, Look, Situation
from swapflow.bandit.ties import rounded
from swapflow.domain.cohort.quality_words import QualityFigures
from swapflow.domain.cycle import Position
from swapflow.domain.rules import Estimates, RuleName, Rules
from swapflow.engine.projection.score_table import Integers
from swapflow.engine.selection.rule import list_rule_of, rule_of


DRAWS = 64
"""Joint draws of all scores: a share of 1 in 2 is then known to about 6 in 100."""

ASIDE = (0, 0, 0, 1)
"""Counter at which these draws start in the stream of a seed, far from a decision's coin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedList:
    """How good a list is at one event.

    Attributes:
        position: The event that all of it includes.
        application: Application number of each candidate, shape (n,).
        members: Indices of those on the list, sorted.
        quality: The model's numbers; `likely` is in the order of `application`.
        too_close: Whether each candidate is too close to call, shape (n,).
    """

    position: Position
    application: Integers
    members: IntArray
    quality: ListQuality
    too_close: BoolArray

    def of(self, numbers: Integers) -> tuple[ListQuality, BoolArray]:
        """Return the quality and who is too close in the order of other application numbers.

        Applications that are no candidates here are certain to be out.
        """
        place = {number: arm for arm, number in enumerate(self.application.tolist())}
        arms = np.array([place.get(number, -1) for number in numbers.tolist()], dtype=np.int64)
        likely, close = np.append(self.quality.likely, 0.0), np.append(self.too_close, False)
        return replace(self.quality, likely=likely[arms]), np.asarray(close[arms])


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityQuestion:
    """A list and what its quality follows from; no later event changes any of it.

    Attributes:
        position: The event that all of it includes.
        rules: The rules in force.
        oracle: The objective that the list was chosen by.
        fitted: Parameters of the model that are still in force (`budget` only).
        situation: What the rule saw.
        application: Application number of each candidate, shape (n,).
        look: The assessment that made the list.
    """

    position: Position
    rules: Rules
    oracle: Oracle
    fitted: Fitted | None
    situation: Situation
    application: Integers
    look: Look

    @property
    def quick(self) -> bool:
        """Whether the look has answered it already."""
        return self.look.quality is not None

    def answer(self, members: IntArray | None = None) -> JudgedList:
        """Compute how good the list is.

        Args:
            members: Another list that is shown instead, sorted indices: people decided otherwise.
        """
        shown = self.look.cohort if members is None else members
        quality = self.look.quality if members is None else None
        quality = quality or self._model_quality(shown)
        tied = np.zeros(self.situation.n, dtype=np.bool_)
        tied[list(tied_at_cut(self.rules, self.look, self.oracle))] = True
        return JudgedList(
            position=self.position,
            application=self.application,
            members=shown,
            quality=quality,
            too_close=too_close(quality, tied, least=self.rules.too_close),
        )

    def _model_quality(self, members: IntArray) -> ListQuality:
        rule = self._model()
        situation = self.situation
        believed = rule.believe(situation)
        if isinstance(self.oracle, TopK):
            return list_quality(rounded(believed.mean), np.sqrt(believed.variance), members)
        assert rule.fitted is not None
        draws = joint_draws(
            situation.judged,
            n=situation.n,
            kinds=situation.kinds,
            fitted=rule.fitted,
            count=DRAWS,
            rng=_stream(self.rules, self.position),
        )
        return quality_of_draws(self.oracle, draws, members)

    def _model(self) -> BudgetRule:
        """Return the rule `budget` with parameters that suit these scores."""
        if self.rules.rule is RuleName.BUDGET:
            estimates = self.rules.estimates
            rule = list_rule_of(self.rules, self.oracle, self.fitted, estimates=estimates)
        else:
            # Their sigma bounds the noise, it does not estimate it: the marks alone fit the model.
            own = replace(self.rules, rule=RuleName.BUDGET, sigma=None, estimates=Estimates.RULE)
            rule = rule_of(own, self.oracle, None)
        assert isinstance(rule, BudgetRule)
        stale = rule.needs_refit(self.situation.judged.mark.size)
        return rule.refitted(self.situation) if stale else rule


def quality_figures(quality: ListQuality, rules: Rules, *, places: int) -> QualityFigures:
    """Return the numbers about a list of this size, in points a place where it is a sum."""
    return QualityFigures(
        places=places,
        expected_loss=quality.expected_loss,
        expected_loss_range=quality.loss_range,
        linear=rules.objective.name == "top-k",
        belong=quality.belong,
        belong_range=quality.belong_range,
    )


def tied_at_cut(rules: Rules, look: Look, oracle: Oracle) -> set[int]:
    """Return the arms that can be exchanged across the cut without any loss."""
    estimate = rounded(look.estimate)
    if not rules.plain:
        losses = oracle.single_exchange_losses(estimate)
        return set(np.flatnonzero(rounded(losses) == 0).tolist())
    last = estimate[look.cohort].min()
    equal = set(np.flatnonzero(estimate == last).tolist())
    return equal if equal - set(look.cohort.tolist()) else set()


def _stream(rules: Rules, position: Position) -> np.random.Generator:
    """Return the generator of one event's draws: every process draws the same."""
    words = [word % 2**64 for word in (rules.seed, position.seq)]
    philox = np.random.Philox(
        key=np.array(words, dtype=np.uint64), counter=np.array(ASIDE, dtype=np.uint64)
    )
    return np.random.Generator(philox)
