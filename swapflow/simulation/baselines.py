"""What the same cost would have bought otherwise: even reviewing, and two-tier practice."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swapflow.automatic_reviewers.recorded_round import Recording
from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.estimation.posterior import NO_REVIEWER
from swapflow.bandit.oracles.oracle import TopK
from swapflow.bandit.situation import UNSCORED_MEAN, PullKind, Scores, Situation
from swapflow.bandit.ties import tie_key


Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Practice:
    """Costs and gains of a recording's reviews and interviews, as the rules have them."""

    review: PullKind
    interview: PullKind | None
    floor: int


def even(recording: Recording, practice: Practice, *, cost: float, size: int, seed: int) -> float:
    """Utility of the cohort when everyone gets as many reviews as the cost allows.

    What is left over after the last full turn goes to a random part, named by the seed.
    """
    reviews = np.zeros(len(recording.items), dtype=np.int64)
    order = _random_order(recording, seed)
    left = int(cost // practice.review.cost)
    for turn in range(recording.most_reviews):
        # Only marks that are on record can be asked for.
        takers = [i for i in order if len(recording.reviews[recording.items[i]]) > turn]
        reviews[takers[:left]] += 1
        left -= min(left, len(takers))
    interviewed = np.zeros(reviews.size, dtype=bool)
    return _utility(recording, practice, reviews, interviewed, size)


def two_tier(recording: Recording, practice: Practice, *, cost: float, size: int) -> float:
    """Utility of the cohort when the floor is followed by interviews for the best so far.

    Without interviews on record, the best so far get a further review each instead.
    """
    available = np.array([len(recording.reviews[item]) for item in recording.items])
    reviews = np.minimum(practice.floor, available)
    left = cost - float(reviews.sum()) * practice.review.cost
    interviewed = np.zeros(reviews.size, dtype=bool)
    strong = practice.interview
    mean = _situation(recording, practice, reviews, interviewed).mean
    ranked = np.argsort(-mean, kind="stable")
    if strong is None or not recording.interviews:
        more = [i for i in ranked if available[i] > reviews[i]]
        reviews[more[: int(left // practice.review.cost)]] += 1
    else:
        held = [i for i in ranked if recording.items[i] in recording.interviews]
        interviewed[held[: int(left // strong.cost)]] = True
    return _utility(recording, practice, reviews, interviewed, size)


def _utility(
    recording: Recording,
    practice: Practice,
    reviews: Integers,
    interviewed: NDArray[np.bool_],
    size: int,
) -> float:
    """Choose by posterior means without severity: raw means would favour single high marks."""
    situation = _situation(recording, practice, reviews, interviewed)
    # The same estimator as the rule's, so that a comparison is about where the reviews went.
    rule = BudgetRule(oracle=TopK(size)).refitted(situation)
    cohort = rule.look(situation).cohort
    return recording.utility_of(tuple(recording.items[arm] for arm in cohort))


def _situation(
    recording: Recording,
    practice: Practice,
    reviews: Integers,
    interviewed: NDArray[np.bool_],
) -> Situation:
    strong = practice.interview or practice.review
    arms, kinds, marks = [], [], []
    for arm, item in enumerate(recording.items):
        for review in recording.reviews[item][: reviews[arm]]:
            arms.append(arm)
            kinds.append(0)
            marks.append(review.utility)
        if interviewed[arm]:
            arms.append(arm)
            kinds.append(1)
            marks.append(recording.interviews[item])
    n = len(recording.items)
    gain = np.where(np.array(kinds) == 1, strong.gain, practice.review.gain)
    information = np.bincount(arms, gain, minlength=n).astype(np.float64)
    total = np.bincount(arms, gain * np.array(marks), minlength=n)
    mean = np.where(information > 0, total / np.maximum(information, 1e-9), UNSCORED_MEAN)
    return Situation(
        mean=mean,
        information=information,
        # Nothing is out and nothing may be asked any more: the look alone is wanted.
        pending=np.zeros(n),
        settled_mean=mean,
        settled_information=information,
        kinds=(practice.review, strong),
        allowed=np.zeros((n, 2), dtype=np.int64),
        kind_left=np.zeros(2, dtype=np.int64),
        budget_left=0.0,
        cost=0.0,
        scores=Scores(
            arm=np.array(arms, dtype=np.int64),
            reviewer=np.full(len(arms), NO_REVIEWER, dtype=np.int64),
            kind=np.array(kinds, dtype=np.int64),
            mark=np.array(marks),
        ),
    )


def _random_order(recording: Recording, seed: int) -> list[int]:
    keys = [tie_key(seed, f"even/{item}") for item in recording.items]
    return sorted(range(len(keys)), key=keys.__getitem__)
