"""The budgeted sampler: a strategy asks it for marks, and it keeps the account."""

import numpy as np

from swapflow.bandit.batch import MONEY
from swapflow.bandit.situation import (
    UNSCORED_MEAN,
    FloatArray,
    IntArray,
    Scores,
    Situation,
)
from swapflow.errors import InvalidInputError
from swapflow.simulation.score_sources import ScoreSource


class BudgetedSampler:
    """One round in progress.

    Mutable. Everything that a strategy may know is here; the truth is in the source, and only
    the strategy that knows it all may look there.

    Attributes:
        source: Where marks come from.
        budget: What may be spent.
        spent: What has been spent.
        asked: How many marks of each kind each applicant has been given, shape (n, kinds).
        information: Sum of gains, shape (n,).
        mean: Information-weighted mean mark, `UNSCORED_MEAN` without any, shape (n,).
    """

    def __init__(self, source: ScoreSource, *, budget: float) -> None:
        self.source = source
        self.budget = budget
        self.spent = 0.0
        self.kinds = source.kinds
        self.n = source.truth.size
        self.asked: IntArray = np.zeros((self.n, len(self.kinds)), dtype=np.int64)
        self.information: FloatArray = np.zeros(self.n)
        self._total: FloatArray = np.zeros(self.n)
        self._limits = source.limits
        self._log: list[tuple[IntArray, IntArray, IntArray, FloatArray]] = []

    @property
    def mean(self) -> FloatArray:
        """Information-weighted mean marks."""
        scored = self.information > 0
        divisor = np.where(scored, self.information, 1.0)
        return np.where(scored, self._total / divisor, UNSCORED_MEAN)

    @property
    def allowed(self) -> IntArray:
        """How many more marks of each kind each applicant can be given, shape (n, kinds)."""
        return self._limits - self.asked

    def affordable(self, kind: int = 0) -> int:
        """How many more marks of a kind the budget pays for."""
        cost = self.kinds[kind].cost
        return max(0, int((self.budget - self.spent) / cost + MONEY))

    def ask(self, arms: IntArray, kind: int = 0) -> FloatArray:
        """Get one mark for each of these applicants (one named twice gets two).

        Raises:
            InvalidInputError: If that is more than the budget pays for, or more than an
                applicant can be given. Then nothing is asked.
        """
        arms = np.asarray(arms, dtype=np.int64)
        if arms.size > self.affordable(kind):
            raise InvalidInputError("marks_above_budget", marks=arms.size, kind=kind)
        ordinal = self.asked[arms, kind] + _occurrence(arms)
        if np.any(ordinal >= self._limits[arms, kind]):
            raise InvalidInputError("no_further_mark", kind=kind)
        which = np.full(arms.size, kind, dtype=np.int64)
        marks = self.source.marks(arms, which, ordinal)
        self._log.append((arms, self.source.reviewers(arms, which, ordinal), which, marks))
        gain = self.kinds[kind].gain
        np.add.at(self.asked[:, kind], arms, 1)
        np.add.at(self.information, arms, gain)
        np.add.at(self._total, arms, gain * marks)
        self.spent += arms.size * self.kinds[kind].cost
        return marks

    def scores(self) -> Scores:
        """List all marks by applicant and kind, in the order in which they were asked for.

        Reviewers are numbered anew among those who gave one: the model's equations are as large
        as the highest number.
        """
        if not self._log:
            self._log.append((*(np.zeros(0, dtype=np.int64) for _ in range(3)), np.zeros(0)))  # type: ignore[arg-type]  # four arrays
        arm, reviewer, kind, mark = (np.concatenate(part) for part in zip(*self._log, strict=True))
        order = np.lexsort((kind, arm))
        known = np.unique(reviewer[reviewer >= 0])
        reviewer = np.where(reviewer >= 0, np.searchsorted(known, reviewer), reviewer)
        return Scores(arm=arm[order], reviewer=reviewer[order], kind=kind[order], mark=mark[order])

    def situation(self) -> Situation:
        """Return what a rule sees; nothing is out."""
        mean = self.mean
        return Situation(
            mean=mean,
            information=self.information.copy(),
            pending=np.zeros(self.n),
            settled_mean=mean,
            settled_information=self.information.copy(),
            kinds=self.kinds,
            allowed=self.allowed,
            kind_left=self.allowed.sum(axis=0, dtype=np.float64)
            .clip(max=2.0**62)
            .astype(np.int64),
            budget_left=self.budget - self.spent,
            cost=self.spent / self.kinds[0].cost,
            scores=self.scores(),
        )


def _occurrence(arms: IntArray) -> IntArray:
    """Count, for each entry, the equal entries before it."""
    order = np.argsort(arms, kind="stable")
    ordered = arms[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if arms.size else arms
    lengths = np.diff(np.r_[starts, arms.size])
    count = np.empty(arms.size, dtype=np.int64)
    count[order] = np.arange(arms.size) - np.repeat(starts, lengths)
    return count
