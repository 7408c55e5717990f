"""What further reviews are expected to bring: the list's loss now, after them, and after more.

How far posterior means will have moved is not known before the marks are in, but how far they may
move is: by their predictive distribution, whose variance is what the marks take off the posterior
variance, and that does not depend on the marks themselves. So means are drawn from it, the
variances are those that there will be, and each draw has its own list and its own loss.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.estimation.knowledge_gradient import PullChooser, PullValues
from swapflow.bandit.estimation.list_quality import list_quality
from swapflow.bandit.estimation.posterior import NO_REVIEWER, Posterior, posterior
from swapflow.bandit.oracles.oracle import Oracle, TopK
from swapflow.bandit.situation import FloatArray, Scores, Situation
from swapflow.bandit.ties import rounded


DRAWS = 64
"""Draws of what the marks may say. They come in mirrored pairs, so that their mean is exact."""

ASIDE = (0, 0, 0, 2)
"""Counter at which these draws start in the stream of a seed, apart from all others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedLoss:
    """How much a list is expected to lack, in points of 100 a place.

    Attributes:
        now: The list of the marks that there are.
        after: The list when the next requests are answered.
        after_twice: The list after as many again, chosen in the light of the first.
    """

    now: float
    after: float
    after_twice: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NextMark:
    """A mark that will be given: arm, reviewer (`NO_REVIEWER` for any) and kind."""

    arm: int
    reviewer: int
    kind: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """Everything that a forecast rests on.

    Attributes:
        oracle: The objective.
        situation: What the rule sees when the requests are out: they are its `pending`.
        model: The rule `budget` with its parameters fitted.
        seed: Of the draws.
    """

    oracle: Oracle
    situation: Situation
    model: BudgetRule
    seed: int

    @property
    def fitted(self) -> Fitted:
        """The parameters of the model."""
        assert self.model.fitted is not None
        return self.model.fitted

    def losses(self, marks: Sequence[NextMark], *, count: int, budget: float) -> ExpectedLoss:
        """Compute the expected loss now, after these marks, and after as many again.

        Args:
            marks: The marks that will come: one for each request that is out.
            count: How many more there are after them.
            budget: Their cost.
        """
        believed = self.model.believe(self.situation)
        rng = _stream(self.seed)
        now = self._loss(believed.mean, np.sqrt(believed.variance), rng)
        if not marks:
            return self._points(now, now, now)
        variance = np.minimum(self._variance_after(marks), believed.variance)
        moved = np.sqrt(believed.variance - variance)
        # Who will be asked after that is open; what is not known of how high they mark is noise.
        unknown = believed.severity_error**2
        noise = self.fitted.noise_variance + float(unknown.mean() if unknown.size else 0.0)
        after, twice = [], []
        for normal in _mirrored(rng, self.situation.n):
            mean = believed.mean + moved * normal
            after.append(self._loss(mean, np.sqrt(variance), rng))
            less = self._variance_after_more(
                mean, variance, count=count, budget=budget, noise=noise
            )
            step = np.sqrt(np.maximum(variance - less, 0.0)) * rng.standard_normal(mean.size)
            twice.append(self._loss(mean + step, np.sqrt(less), rng))
        return self._points(now, float(np.mean(after)), float(np.mean(twice)))

    def _points(self, now: float, after: float, twice: float) -> ExpectedLoss:
        # More evidence never makes an expected list worse: what remains is the draws' own error.
        after = min(now, after)
        scale = 100 / max(self.oracle.best(np.zeros(self.situation.n)).size, 1)
        return ExpectedLoss(
            now=scale * now, after=scale * after, after_twice=scale * min(after, twice)
        )

    def _variance_after(self, marks: Sequence[NextMark]) -> FloatArray:
        """Return the posterior variances when these marks are in, whatever they say."""
        scores, more = self.situation.scores, list(marks)
        level = self.fitted.level
        joined = Scores(
            arm=np.append(scores.arm, [one.arm for one in more]),
            reviewer=np.append(scores.reviewer, [one.reviewer for one in more]),
            kind=np.append(scores.kind, [one.kind for one in more]),
            mark=np.append(scores.mark, np.full(len(more), level)),
        )
        return self._posterior(joined).variance

    def _posterior(self, scores: Scores) -> Posterior:
        situation = self.situation
        return posterior(scores, n=situation.n, kinds=situation.kinds, fitted=self.fitted)

    def _loss(self, mean: FloatArray, deviation: FloatArray, rng: np.random.Generator) -> float:
        """Return what the best list by these means is expected to lack."""
        estimate = rounded(mean)
        members = self.oracle.best(estimate)
        if isinstance(self.oracle, TopK):
            return list_quality(estimate, deviation, members).expected_loss
        # No closed form: one draw of the truth for each draw of the means.
        truth = mean + deviation * rng.standard_normal(mean.size)
        best = self.oracle.value(truth, self.oracle.best(truth))
        return max(best - self.oracle.value(truth, members), 0.0)

    def _variance_after_more(
        self,
        mean: FloatArray,
        variance: FloatArray,
        *,
        count: int,
        budget: float,
        noise: float,
    ) -> FloatArray:
        """Return the variances of one draw after further marks, chosen as the rule would."""
        estimate, situation = rounded(mean), self.situation
        slope = self.oracle.slopes(estimate, self.oracle.best(estimate))
        chooser = PullChooser(
            values=PullValues(
                distance=self.oracle.single_exchange_losses(estimate) / slope,
                slope=slope,
                prior_variance=self.fitted.prior_variance,
                noise_variance=self.fitted.noise_variance,
                widening=self.model.widening,
                largest_bundle=self.model.largest_bundle,
            ),
            kinds=situation.kinds,
            information=situation.information + situation.pending,
            allowed=situation.allowed,
            kind_left=situation.kind_left,
            budget_left=budget,
            waiting=np.zeros(mean.size, dtype=np.bool_),
        )
        gained = np.zeros(mean.size)
        for pick in chooser.choose(count):
            gained[pick.arm] += situation.kinds[pick.kind].gain
        return np.asarray(1 / (1 / variance + gained / noise))


def named(reviewer: int, unnamed: Sequence[bool]) -> int:
    """Return a reviewer's number as the model knows it: people without a name are nobody."""
    return NO_REVIEWER if reviewer < 0 or unnamed[reviewer] else reviewer


def gains(
    oracle: Oracle,
    situation: Situation,
    model: BudgetRule,
    picks: Sequence[tuple[int, int]],
) -> list[float]:
    """Return what each request alone is expected to add to the list, in points of 100 a place.

    Args:
        oracle: The objective.
        situation: As before the requests.
        model: The fitted model.
        picks: (arm, kind) in order; later ones of an applicant count the earlier ones as given.
    """
    fitted = model.fitted
    assert fitted is not None
    estimate = rounded(model.believe(situation).mean)
    members = oracle.best(estimate)
    slope = oracle.slopes(estimate, members)
    values = PullValues(
        distance=oracle.single_exchange_losses(estimate) / slope,
        slope=slope,
        prior_variance=fitted.prior_variance,
        noise_variance=fitted.noise_variance,
    )
    information = (situation.information + situation.pending).astype(np.float64)
    found = []
    for arm, kind in picks:
        gain = situation.kinds[kind].gain
        place = np.array([arm])
        worth = values.of_information(place, information[place], np.array([gain]))
        information[arm] += gain
        found.append(100 * float(worth[0]) / max(members.size, 1))
    return found


def _mirrored(rng: np.random.Generator, n: int) -> list[FloatArray]:
    half = rng.standard_normal((DRAWS // 2, n))
    return [*half, *(-half)]


def _stream(seed: int) -> np.random.Generator:
    words = np.array([seed % 2**64, 0], dtype=np.uint64)
    counter = np.array(ASIDE, dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=words, counter=counter))
