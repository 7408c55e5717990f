"""Replays recorded marks through a rule in bare arrays, beside even and two-tier practice.

Every pull answers at once, in lockstep batches. A seed reorders applicants (which decides ties)
and the marks within each applicant; applicants, interviews and utilities stay the same.
"""

import csv
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
import pytest

from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.estimation.posterior import NO_REVIEWER
from swapflow.bandit.oracles.oracle import TopK
from swapflow.bandit.situation import (
    UNSCORED_MEAN,
    BoolArray,
    FloatArray,
    IntArray,
    PullKind,
    Scores,
    Situation,
)


ROOT = Path(__file__).parents[2]
DATA = (ROOT / os.environ.get("SWAPFLOW_DATA", "../shared/data")).resolve()

REVIEW = PullKind(cost=1, gain=1)
INTERVIEW = PullKind(cost=6, gain=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """Recorded marks of n applicants.

    Attributes:
        marks: Reviews in order, NaN after the last, shape (n, most).
        reviewers: Who gave them, `NO_REVIEWER` where not known, shape (n, most).
        interviews: One interview each, or NaN where there is none, shape (n,).
        utility: What a cohort is judged by, shape (n,).
    """

    marks: FloatArray
    reviewers: IntArray
    interviews: FloatArray
    utility: FloatArray

    @property
    def n(self) -> int:
        """Number of applicants."""
        return self.utility.size

    def shuffled(self, seed: int) -> Self:
        """Reorder applicants, and the marks within each."""
        rng = np.random.default_rng(seed)
        rows = rng.permutation(self.n)[:, None]
        key = np.where(np.isnan(self.marks), np.inf, rng.random(self.marks.shape))[rows[:, 0]]
        places = np.argsort(key, axis=1, kind="stable")
        return replace(
            self,
            marks=self.marks[rows, places],
            reviewers=self.reviewers[rows, places],
            interviews=self.interviews[rows[:, 0]],
            utility=self.utility[rows[:, 0]],
        )

    def best_value(self, k: int) -> float:
        """Utility of the best cohort."""
        return float(np.sort(self.utility)[-k:].sum())

    def share_lost(self, cohort: IntArray) -> float:
        """Share of the best utility that a cohort lacks."""
        return 1 - float(self.utility[cohort].sum()) / self.best_value(cohort.size)


@dataclass(slots=True, kw_only=True)
class Asked:
    """Which recorded marks have been asked for: a first part of the reviews, and interviews."""

    recorded: Recorded
    reviews: IntArray
    interviewed: BoolArray
    cost: float = 0.0

    @classmethod
    def nobody(cls, recorded: Recorded) -> Self:
        """Start with no mark at all."""
        n = recorded.n
        return cls(
            recorded=recorded,
            reviews=np.zeros(n, dtype=np.int64),
            interviewed=np.zeros(n, dtype=np.bool_),
        )

    def review(self, arms: IntArray) -> None:
        """Ask for the next review of each."""
        np.add.at(self.reviews, arms, 1)
        self.cost += REVIEW.cost * arms.size

    def interview(self, arms: IntArray) -> None:
        """Ask for the interview of each."""
        self.interviewed[arms] = True
        self.cost += INTERVIEW.cost * arms.size

    def scores(self) -> Scores:
        """All marks asked for, by arm, then kind, then order."""
        arm, order = np.nonzero(np.arange(self.recorded.marks.shape[1]) < self.reviews[:, None])
        strong = np.flatnonzero(self.interviewed)
        arms = np.concatenate([arm, strong])
        kinds = np.repeat([0, 1], [arm.size, strong.size])
        by_arm = np.lexsort((kinds, arms))
        return Scores(
            arm=arms[by_arm],
            reviewer=np.concatenate(
                [self.recorded.reviewers[arm, order], np.full(strong.size, NO_REVIEWER)]
            )[by_arm],
            kind=kinds[by_arm],
            mark=np.concatenate(
                [self.recorded.marks[arm, order], self.recorded.interviews[strong]]
            )[by_arm],
        )

    def situation(self, *, budget: float) -> Situation:
        """What a rule sees."""
        scores = self.scores()
        n = self.recorded.n
        gain = np.where(scores.kind == 1, INTERVIEW.gain, REVIEW.gain)
        information = np.bincount(scores.arm, gain, minlength=n).astype(np.float64)
        total = np.bincount(scores.arm, gain * scores.mark, minlength=n)
        mean = np.where(information > 0, total / np.maximum(information, 1), UNSCORED_MEAN)
        left = np.count_nonzero(~np.isnan(self.recorded.marks), axis=1) - self.reviews
        interviews = ~self.interviewed & ~np.isnan(self.recorded.interviews)
        return Situation(
            mean=mean,
            information=information,
            pending=np.zeros(n),
            settled_mean=mean,
            settled_information=information,
            kinds=(REVIEW, INTERVIEW),
            allowed=np.column_stack([left, interviews.astype(np.int64)]),
            kind_left=np.full(2, 10**9),
            budget_left=budget - self.cost,
            cost=self.cost,
            scores=scores,
        )


def run_budget(
    recorded: Recorded, rule: BudgetRule, *, per_applicant: float, batch: int, floor: int = 1
) -> Asked:
    """Ask `floor` reviews of everyone, then follow the rule until the budget is spent."""
    budget = round(per_applicant * recorded.n)
    asked = Asked.nobody(recorded)
    for _ in range(floor):
        asked.review(np.arange(recorded.n))
    rng = np.random.default_rng(0)
    while True:
        situation = asked.situation(budget=budget)
        if rule.needs_refit(situation.scores.mark.size):
            rule = rule.refitted(situation)
        look = rule.look(situation)
        picks = rule.choose(situation, look, at_most=batch, rng=rng).picks
        if not picks:
            return asked
        asked.review(np.array([pick.arm for pick in picks if pick.kind == 0], dtype=np.int64))
        asked.interview(np.array([pick.arm for pick in picks if pick.kind == 1], dtype=np.int64))


def run_even(recorded: Recorded, *, per_applicant: float, seed: int) -> Asked:
    """Ask the same number of reviews of everyone; what is left over goes to a random part."""
    budget = round(per_applicant * recorded.n)
    asked = Asked.nobody(recorded)
    order = np.random.default_rng(seed).permutation(recorded.n)
    available = np.count_nonzero(~np.isnan(recorded.marks), axis=1)
    for number in range(recorded.marks.shape[1]):
        takers = order[available[order] > number]
        asked.review(takers[: int(budget - asked.cost)])
    return asked


def run_two_tier(recorded: Recorded, *, per_applicant: float, floor: int = 1) -> Asked:
    """Ask `floor` reviews of everyone and interview the best by their means with the rest."""
    budget = round(per_applicant * recorded.n)
    asked = Asked.nobody(recorded)
    for _ in range(floor):
        asked.review(np.arange(recorded.n))
    count = int((budget - asked.cost) // INTERVIEW.cost)
    if count:
        asked.interview(TopK(min(count, recorded.n)).best(asked.situation(budget=budget).mean))
    return asked


def chosen(asked: Asked, rule: BudgetRule) -> IntArray:
    """The best cohort under the rule's posterior means, fitted to all marks asked for.

    Even and two-tier practice choose by the same means, but without severity: raw means would
    rank a single high mark above two good ones, and lose more (1.25 n: .134 against .129).
    """
    situation = asked.situation(budget=0)
    return rule.refitted(situation).look(situation).cohort


def with_generous_interviews(recorded: Recorded, *, by: float) -> Recorded:
    """Add the same amount to every interview mark."""
    return replace(recorded, interviews=recorded.interviews + by)


def read_twin() -> Recorded:
    """The synthetic twin of the paper's admissions: 1,600 applicants, true utility known."""
    items = _rows("synthetic_twin/items.csv")
    place = {row["item_id"]: index for index, row in enumerate(items)}
    marks = np.full((len(items), 4), np.nan)
    reviewers = np.full((len(items), 4), NO_REVIEWER)
    for row in _rows("synthetic_twin/scores.csv"):
        where = place[row["item_id"]], int(row["order"]) - 1
        marks[where] = (float(row["score"]) - 1) / 9
        reviewers[where] = int(row["reviewer_id"].removeprefix("R"))
    interviews = np.full(len(items), np.nan)
    for row in _rows("synthetic_twin/interviews.csv"):
        interviews[place[row["item_id"]]] = float(row["score01"])
    utility = np.array([float(row["true_utility"]) for row in items])
    return Recorded(marks=marks, reviewers=reviewers, interviews=interviews, utility=utility)


def read_iclr() -> Recorded:
    """ICLR 2023, decided papers: first published marks; judged by the mean of the final ones."""
    items = [row for row in _rows("iclr2023/items.csv") if row["accepted"] in {"0", "1"}]
    place = {row["item_id"]: index for index, row in enumerate(items)}
    rows = [row for row in _rows("iclr2023/scores.csv") if row["item_id"] in place]
    most = max(int(row["order"]) for row in rows)
    marks = np.full((len(items), most), np.nan)
    final = np.full((len(items), most), np.nan)
    for row in rows:
        where = place[row["item_id"]], int(row["order"]) - 1
        marks[where] = (float(row["score_20221105"] or row["score"]) - 1) / 9
        final[where] = (float(row["score"]) - 1) / 9
    return Recorded(
        marks=marks,
        reviewers=np.full(marks.shape, NO_REVIEWER),
        interviews=np.full(len(items), np.nan),
        utility=np.nanmean(final, axis=1),
    )


def _rows(name: str) -> list[dict[str, str]]:
    """Rows of a data file; skips the test where the data folder is missing."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"needs {name} in the data folder (SWAPFLOW_DATA)")
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
