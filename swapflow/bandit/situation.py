"""What a rule receives when it looks at a cycle, and what it returns."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

UNSCORED_MEAN = 0.5
"""Estimate of an arm without any score; utilities lie in [0, 1] in every cycle."""

UNSCORED_RADIUS = 0.5
"""Radius of an arm without any score: with the mean above, the only certain one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullKind:
    """One way to get information.

    Attributes:
        cost: Cost of one pull (the paper's j for a strong pull), in any unit.
        gain: Information of one pull in weak pulls (the paper's s).
    """

    cost: float
    gain: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Every score that counts, sparse, in an order that does not depend on arrival.

    Attributes:
        arm: Index of the scored arm, shape (m,).
        reviewer: Index of the reviewer (any dense numbering; -1 where a mark has no single
            reviewer, so no severity is subtracted from it), shape (m,).
        kind: Index into the situation's kinds, shape (m,).
        mark: Utility in [0, 1], shape (m,).
    """

    arm: IntArray
    reviewer: IntArray
    kind: IntArray
    mark: FloatArray


def no_scores() -> Scores:
    """Return the scores of a cycle in which no reviewer has answered yet."""
    none = np.zeros(0, dtype=np.int64)
    return Scores(arm=none, reviewer=none, kind=none, mark=np.zeros(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A cycle at one moment, as arrays over its n arms (candidates only).

    Arms come in the order that decides ties: of equal arms the lowest index wins.

    Attributes:
        mean: Information-weighted mean (û), shape (n,); `UNSCORED_MEAN` where information is 0.
        information: Sum of gains received (T), shape (n,).
        pending: Sum of gains dispatched and not yet received, shape (n,).
        settled_mean: The means over each arm's scores up to the first one still out in
            dispatch order, shape (n,). Equal to `mean` when nothing is out. The live
            certificate uses these, so that high scores that arrive early prove nothing.
        settled_information: The information behind `settled_mean`, shape (n,).
        kinds: The pull kinds, cheapest first by convention of the rules file.
        allowed: How many more pulls of each kind each arm may still get, shape (n, kinds): limits
            per arm, prerequisites, holds and reviewers are already counted.
        kind_left: How many more pulls of each kind the cycle may still dispatch, shape (kinds,).
        budget_left: Cost that may still be committed, in the unit of the kinds' costs.
        cost: Cost dispatched so far (the paper's Cost), in units of one weak pull.
        scores: The scores behind the means (`budget` fits its model to them).
        practice: Marks of practice files, which link reviewers and are nobody's: arms from n on,
            which no rule chooses and no list holds.
        lowest: No true utility lies below; the certified loss is clipped to it.
        highest: No true utility lies above.
    """

    mean: FloatArray
    information: FloatArray
    pending: FloatArray
    settled_mean: FloatArray
    settled_information: FloatArray
    kinds: tuple[PullKind, ...]
    allowed: IntArray
    kind_left: IntArray
    budget_left: float
    cost: float
    scores: Scores = field(default_factory=no_scores)
    practice: Scores = field(default_factory=no_scores)
    lowest: float = -np.inf
    highest: float = np.inf

    @property
    def n(self) -> int:
        """Number of arms."""
        return self.mean.size

    @property
    def judged(self) -> Scores:
        """What the model is fitted to: the scores, and the marks of practice files behind them."""
        if not self.practice.mark.size:
            return self.scores
        both = (self.scores, self.practice)
        return Scores(
            arm=np.concatenate([one.arm for one in both]),
            reviewer=np.concatenate([one.reviewer for one in both]),
            kind=np.concatenate([one.kind for one in both]),
            mark=np.concatenate([one.mark for one in both]),
        )


class StopReason(StrEnum):
    """Why a cycle needs no further pull."""

    CERTIFIED = "certified"
    SETTLED = "settled"
    BUDGET = "budget"
    DEADLINE = "deadline"
    EXHAUSTED = "exhausted"
    STAFF = "staff"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuality:
    """How good a list of K arms is by a model's posterior.

    Attributes:
        expected_loss: How much value the list is expected to lack, in the objective's units.
        loss_range: 90 % range of what it lacks.
        likely: Probability of each arm to be among the best K, shape (n,).
        belong: How many of the list's arms are expected to be among the best K (H).
        belong_range: 90 % range of their number.
    """

    expected_loss: float
    loss_range: tuple[float, float]
    likely: FloatArray
    belong: float
    belong_range: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A rule's assessment at one moment.

    Attributes:
        cohort: The best cohort under the rule's estimates (M), sorted indices, shape (K,).
        rival: The best cohort when every estimate is wrong by its whole radius (M̃).
        contested: Cohort △ rival, most uncertain first.
        estimate: The utilities by which the cohort was chosen: û, or posterior means, shape (n,).
        radius: Radius of each estimate, shape (n,).
        gap: w(rival) - w(cohort) under the rule's own worst case ũ.
        certified_loss: The gap under the mixture radius on `settled_mean`, under every rule.
        expected_loss: The model's estimate of the loss (`budget` with a plain sum, else NaN:
            other objectives need draws, which no decision waits for).
        stop: CERTIFIED or SETTLED when the received scores meet the rule's test, else None.
        parameters: Parameters fitted or fixed for this look, by name, for the decision's record.
        quality: How good the cohort is by the model, where `expected_loss` is known.
    """

    cohort: IntArray
    rival: IntArray
    contested: IntArray
    estimate: FloatArray
    radius: FloatArray
    gap: float
    certified_loss: float
    expected_loss: float
    stop: StopReason | None
    parameters: dict[str, float]
    quality: ListQuality | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """One pull that a rule chooses, with the priority that chose it (rounded to 1e-9)."""

    arm: int
    kind: int
    priority: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Picks:
    """The next pulls that a rule chooses, best first.

    Attributes:
        picks: At most as many as asked for.
        shortfall: Why there are fewer than asked for: BUDGET (nothing affordable left),
            EXHAUSTED (no contested arm may get another pull), SETTLED or CERTIFIED (the pending
            pulls would settle it), or None when there are as many as asked for or when arms merely
            wait for a pull that is out.
    """

    picks: tuple[Pick, ...]
    shortfall: StopReason | None


class Rule(Protocol):
    """One of the three rules: how to assess a cycle, and which pulls to choose next.

    Both methods are pure: equal arguments give equal answers on every machine, up to the rounding
    of the answers.
    """

    def look(self, situation: Situation) -> Look:
        """Compute the assessment on received scores alone."""
        ...

    def choose(
        self, situation: Situation, look: Look, *, at_most: int, rng: np.random.Generator
    ) -> Picks:
        """Choose the next pulls, counting pending ones; `rng` is for the paper's coin."""
        ...
