"""The worth of a pull: how much one more look is expected to improve the cohort.

With posterior utility ~ N(m, v) and its distance d from the cut, a pull of gain g moves the
posterior mean by a normal step of sd v/√(v + σ²/g). Only a step across the cut changes the cohort,
so the pull is worth sd φ(d/sd) - d Φ(-d/sd).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import scipy

from swapflow.bandit.batch import MONEY
from swapflow.bandit.situation import BoolArray, FloatArray, IntArray, Pick, PullKind
from swapflow.bandit.ties import rounded


LARGEST_BUNDLE = 16
"""Most pulls of one arm that are valued together, however many are allowed."""

FARTHEST = 40.0
"""Standard deviations beyond which a step never happens: φ is 0 in floating point."""

ROOT_TWO_PI = math.sqrt(2 * math.pi)


def expected_crossing(distance: FloatArray, deviation: FloatArray) -> FloatArray:
    """Return sd φ(d/sd) - d Φ(-d/sd): the mean part of a normal step that lies beyond a cut.

    Args:
        distance: How far the cut is away (d ≥ 0, may be inf), any shape.
        deviation: Standard deviation of the step (sd ≥ 0), same shape.

    Source:
        Frazier, Powell and Dayanik 2008, the knowledge gradient for a step with known variance.
    """
    # A pull that moves nothing (sd 0) makes z infinite or no number: neither is below FARTHEST.
    with np.errstate(divide="ignore", invalid="ignore"):
        z = distance / deviation
        step = deviation * (np.exp(-0.5 * z * z) / ROOT_TWO_PI - z * scipy.special.ndtr(-z))
    return np.where(z < FARTHEST, np.maximum(step, 0.0), 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PullValues:
    """The values of pulls under an assessment that stays fixed while one batch is chosen.

    Attributes:
        distance: Distance of each posterior mean from its cut (d), shape (n,).
        slope: Utility per unit of an arm's mean at the cut (λ), shape (n,).
        prior_variance: Variance of utilities between arms.
        noise_variance: Variance of one mark of gain 1 (σ²).
        widening: Factor on posterior variances; guards against variances that the model puts too
            low.
        largest_bundle: Most pulls together to value (the paper's plain form is 1).
    """

    distance: FloatArray
    slope: FloatArray
    prior_variance: float
    noise_variance: float
    widening: float = 1.0
    largest_bundle: int = LARGEST_BUNDLE

    def variance(self, information: FloatArray) -> FloatArray:
        """Return the posterior variance at the given information, widened; same shape."""
        precision = 1 / self.prior_variance + information / self.noise_variance
        return self.widening / precision

    def of_information(
        self, arms: IntArray, information: FloatArray, more: FloatArray
    ) -> FloatArray:
        """Return the value of `more` information on arms with `information`; all shape (m,)."""
        crossing = expected_crossing(self.distance[arms], self._step(information, more))
        return np.asarray(self.slope[arms] * crossing)

    def per_cost(
        self,
        arms: IntArray,
        information: FloatArray,
        allowed: IntArray,
        kinds: tuple[PullKind, ...],
    ) -> FloatArray:
        """Return the value per cost of the best bundle of each kind (KG*), shape (m, kinds).

        That is the highest value of q pulls together, divided by q · cost, for q = 1..allowed. A
        single review is often worth nothing where two are worth much.

        Args:
            arms: Which arms, shape (m,).
            information: Their information, pending included, shape (m,).
            allowed: How many more pulls each may get, shape (m, kinds); 0 gives value 0.
            kinds: The kinds of pull.
        """
        largest = min(int(allowed.max(initial=0)), self.largest_bundle)
        if largest < 1:
            return np.zeros(allowed.shape)
        gain = np.array([kind.gain for kind in kinds])[:, None]
        cost = np.array([kind.cost for kind in kinds])[:, None]
        together = np.arange(1, largest + 1, dtype=np.float64)
        step = self._step(information[:, None, None], together * gain)
        each = expected_crossing(self.distance[arms, None, None], step) / (together * cost)
        best = np.where(together <= allowed[:, :, None], each, 0.0).max(axis=2)
        return np.asarray(self.slope[arms, None] * best)

    def _step(self, information: FloatArray, more: FloatArray) -> FloatArray:
        """Return the standard deviation of the posterior mean's move."""
        variance = self.variance(information)
        with np.errstate(divide="ignore"):
            noise = self.noise_variance / more
        return np.asarray(variance / np.sqrt(variance + noise))


@dataclass(slots=True, kw_only=True)
class PullChooser:
    """Chooses pulls one by one, counting those already chosen as pending.

    The cut stays where the received scores put it, so a choice touches one arm only.

    Attributes:
        values: The fixed values of pulls.
        kinds: The kinds of pull.
        information: Information of every arm, pending included, shape (n,); grows.
        allowed: Pulls that each arm may still get, shape (n, kinds); shrinks.
        kind_left: Pulls that each kind may still have, shape (kinds,); shrinks.
        budget_left: Cost that may still be committed; shrinks.
        tidy: Rounds the priorities; `ties.unrounded` for the plain form.
        once: Whether an arm with a pull out gets no other.
        waiting: Whether each arm has a pull out, shape (n,); grows.
        priority: Value per cost of every arm and kind, 0 where it waits, shape (n, kinds).
        price: Least budget that pays for each kind, shape (kinds,).
    """

    values: PullValues
    kinds: tuple[PullKind, ...]
    information: FloatArray
    allowed: IntArray
    kind_left: IntArray
    budget_left: float
    tidy: Callable[[FloatArray], FloatArray] = rounded
    once: bool = False
    waiting: BoolArray
    priority: FloatArray = field(init=False)
    price: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        # Copied, because choosing counts in place and the arrays belong to the caller's situation.
        self.information = self.information.astype(np.float64, copy=True)
        self.allowed = self.allowed.copy()
        self.kind_left = self.kind_left.copy()
        self.waiting = self.waiting.copy()
        cost = np.array([kind.cost for kind in self.kinds])
        # The slack of `batch`: ten costs of 0.1 must fit into 1.
        self.price = cost - MONEY * np.maximum(1.0, cost)
        self.priority = self._priorities(np.arange(self.information.size))

    def choose(
        self, at_most: int, *, enough: Callable[[int], bool] | None = None
    ) -> tuple[Pick, ...]:
        """Choose the next pulls, best first; ties go to the lowest arm, then the lowest kind.

        Args:
            at_most: How many.
            enough: Called with each chosen arm; returns whether the pulls out will settle the
                cycle.
        """
        picks: list[Pick] = []
        while len(picks) < at_most:
            pick = self._best()
            if pick is None:
                break
            picks.append(pick)
            self._take(pick)
            if enough is not None and enough(pick.arm):
                break
        return tuple(picks)

    def _best(self) -> Pick | None:
        """Return the pull of highest positive priority that is free and affordable."""
        open_kinds = self.affordable()
        if not open_kinds.any():
            return None
        priority = self.priority if open_kinds.all() else self.priority * open_kinds
        # argmax takes the first of equals: the lowest arm, then the lowest kind.
        place = int(np.argmax(priority))
        arm, kind = divmod(place, len(self.kinds))
        value = float(priority[arm, kind])
        return Pick(arm=arm, kind=kind, priority=value) if value > 0 else None

    def affordable(self) -> BoolArray:
        """Return which kinds the budget and their own caps still allow, shape (kinds,)."""
        return np.asarray((self.kind_left > 0) & (self.price <= self.budget_left))

    def _take(self, pick: Pick) -> None:
        """Count a chosen pull as pending and value its arm again."""
        kind = self.kinds[pick.kind]
        self.information[pick.arm] += kind.gain
        self.allowed[pick.arm, pick.kind] -= 1
        self.kind_left[pick.kind] -= 1
        self.budget_left -= kind.cost
        self.waiting[pick.arm] = True
        # A pending pull moves its own arm's variance alone, so no other priority changes.
        touched = np.array([pick.arm])
        self.priority[touched] = self._priorities(touched)

    def worth_of(self, arms: IntArray) -> FloatArray:
        """Return the value per cost of each kind for arms, waiting or not, shape (m, kinds)."""
        worth = self.values.per_cost(arms, self.information[arms], self.allowed[arms], self.kinds)
        return self.tidy(worth)

    def _priorities(self, arms: IntArray) -> FloatArray:
        """Return `worth_of`, and 0 for arms that wait for a pull that is out."""
        if not self.once:
            return self.worth_of(arms)
        priorities = np.zeros((arms.size, len(self.kinds)))
        free = ~self.waiting[arms]
        priorities[free] = self.worth_of(arms[free])
        return priorities
