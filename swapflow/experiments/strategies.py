"""Comparison strategies: ways to spend a budget on marks. To add one, write a class like these.

    Even             everybody the same number of reviews
    Anybody          reviews for an applicant drawn at random
    RandomCohort     no review at all, a cohort drawn at random
    TwoTier          a review each, then interviews for the best so far: ordinary practice
    ByRule           any of the product's rules: the paper's strategies, CLUCB, certified, budget
    Sar              successive accepts and rejects, CSAR for top-k
    Ocba             optimal computing budget allocation for the best K
    Omniscient       knows the truth: nobody can do better

A strategy spends through a sampler and names a cohort. How it chooses the cohort from what it has
learned is a part of it (`Choice`): by default all of them choose by posterior means, so that a
comparison is about where the reviews went.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, assert_never

import numpy as np

from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.oracles.oracle import Oracle
from swapflow.bandit.paper import PaperRule
from swapflow.bandit.situation import IntArray, Rule
from swapflow.bandit.strong_pull_policy import StrongPolicy
from swapflow.experiments.budgeted_sampler import BudgetedSampler
from swapflow.simulation.score_sources import ScoreSource


class CohortChoice(StrEnum):
    """How a cohort is chosen from the marks."""

    POSTERIOR = "posterior"
    """Best posterior means, without severity."""
    ADJUSTED = "adjusted"
    """Best posterior means, with each reviewer's severity taken out."""
    MEAN = "mean"
    """Best plain means: what the paper does, and most spreadsheets."""


class Strategy(Protocol):
    """A way to spend a budget."""

    @property
    def name(self) -> str:
        """What tables call it."""
        ...

    def spend(
        self, sampler: BudgetedSampler, objective: Oracle, rng: np.random.Generator
    ) -> IntArray:
        """Ask the sampler for marks while it pays, then name the cohort.

        Args:
            sampler: Gives marks and keeps the account; its source's truth is not to be looked at.
            objective: What a good cohort is, and how large.
            rng: For whatever the strategy leaves to chance.

        Returns:
            Sorted indices, shape (K,).
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What came of one strategy in one round.

    Attributes:
        cohort: Sorted indices.
        utility: Value of the cohort under the truth.
        best: Value of the best cohort possible.
        spent: Cost.
        asked: Marks of each kind, all applicants together, shape (kinds,).
    """

    cohort: IntArray
    utility: float
    best: float
    spent: float
    asked: IntArray

    @property
    def loss(self) -> float:
        """Share of the best value that was missed."""
        return 1 - self.utility / self.best


def play(
    strategy: Strategy,
    source: ScoreSource,
    objective: Oracle,
    *,
    budget: float,
    rng: np.random.Generator,
) -> Played:
    """Play a strategy on a budget, and hold its cohort against the truth."""
    sampler = BudgetedSampler(source, budget=budget)
    cohort = strategy.spend(sampler, objective, rng)
    truth = source.truth
    return Played(
        cohort=cohort,
        utility=objective.value(truth, cohort),
        best=objective.value(truth, objective.best(truth)),
        spent=sampler.spent,
        asked=sampler.asked.sum(axis=0),
    )


def choose_cohort(sampler: BudgetedSampler, objective: Oracle, choice: CohortChoice) -> IntArray:
    """Name the cohort that the marks so far speak for."""
    match choice:
        case CohortChoice.MEAN:
            return objective.best(sampler.mean)
        case CohortChoice.POSTERIOR | CohortChoice.ADJUSTED:
            situation = sampler.situation()
            rule = BudgetRule(oracle=objective, severity=choice is CohortChoice.ADJUSTED)
            return objective.best(rule.refitted(situation).believe(situation).mean)
        case _:
            assert_never(choice)


@dataclass(frozen=True, slots=True, kw_only=True)
class Even:
    """Everybody gets the same number of marks of one kind; what is left over goes by lot."""

    name: str = "even"
    kind: int = 0
    choice: CohortChoice = CohortChoice.POSTERIOR

    def spend(
        self, sampler: BudgetedSampler, objective: Oracle, rng: np.random.Generator
    ) -> IntArray:
        """Turn by turn; an applicant who can get no more is passed over."""
        order = rng.permutation(sampler.n)
        while sampler.affordable(self.kind):
            able = order[sampler.allowed[order, self.kind] > 0]
            if not able.size:
                break
            sampler.ask(able[: sampler.affordable(self.kind)], self.kind)
        return choose_cohort(sampler, objective, self.choice)


@dataclass(frozen=True, slots=True, kw_only=True)
class Anybody:
    """Marks of one kind for an applicant drawn at random, again and again."""

    name: str = "anybody"
    kind: int = 0
    choice: CohortChoice = CohortChoice.POSTERIOR

    def spend(
        self, sampler: BudgetedSampler, objective: Oracle, rng: np.random.Generator
    ) -> IntArray:
        """Draw with replacement among those who can still be given one."""
        while sampler.affordable(self.kind):
            able = np.flatnonzero(sampler.allowed[:, self.kind] > 0)
            if not able.size:
                break
            # As many at once as surely fit: nobody's limit can be passed by distinct draws.
            drawn = np.unique(rng.choice(able, size=min(sampler.affordable(self.kind), 16)))
            sampler.ask(drawn, self.kind)
        return choose_cohort(sampler, objective, self.choice)


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomCohort:
    """Reads nothing and draws the cohort by lot: the paper's random comparison."""

    name: str = "random cohort"

    def spend(
        self, sampler: BudgetedSampler, objective: Oracle, rng: np.random.Generator
    ) -> IntArray:
        """Draw a random number for everybody and take the best of them."""
        return objective.best(rng.random(sampler.n))


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoTier:
    """Ordinary practice: a few reviews each, then the dearer kind for the best so far.

    Where there is no dearer kind, or nobody can be given it, the best so far get one more review.
    """

    name: str = "two-tier practice"
    floor: int = 1
    choice: CohortChoice = CohortChoice.POSTERIOR

    def spend(
        self, sampler: BudgetedSampler, objective: Oracle, rng: np.random.Generator
    ) -> IntArray:
        """Reviews for all, then from the best down as far as the budget goes."""
        for _ in range(self.floor):
            able = rng.permutation(np.flatnonzero(sampler.allowed[:, 0] > 0))
            sampler.ask(able[: sampler.affordable()])
        ranked = np.argsort(-sampler.mean, kind="stable")
        dearer = len(sampler.kinds) - 1
        kind = dearer if sampler.allowed[:, dearer].any() else 0
        able = ranked[sampler.allowed[ranked, kind] > 0]
        sampler.ask(able[: sampler.affordable(kind)], kind)
        return choose_cohort(sampler, objective, self.choice)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByRule:
    """One of the product's rules, as the coordinator would follow it, in batches.

    Attributes:
        rule: Makes the rule for an objective.
        floor: Marks of the first kind that everybody gets before the rule is asked.
        batch: Requests per decision.
        choice: How the cohort is chosen; None leaves it to the rule.
    """

    name: str
    rule: Callable[[Oracle], Rule]
    floor: int = 1
    batch: int = 1
    choice: CohortChoice | None = CohortChoice.POSTERIOR

    def spend(
        self, sampler: BudgetedSampler, objective: Oracle, rng: np.random.Generator
    ) -> IntArray:
        """Look, choose, ask; until the rule stops or nothing more can be asked."""
        rule = self.rule(objective)
        for _ in range(self.floor):
            able = np.flatnonzero(sampler.allowed[:, 0] > 0)
            sampler.ask(able[: sampler.affordable()])
        while True:
            situation = sampler.situation()
            if isinstance(rule, BudgetRule) and rule.needs_refit(situation.scores.mark.size):
                rule = rule.refitted(situation)
            look = rule.look(situation)
            picks = rule.choose(situation, look, at_most=self.batch, rng=rng).picks
            if look.stop is not None or not picks:
                break
            for kind in range(len(sampler.kinds)):
                arms = [pick.arm for pick in picks if pick.kind == kind]
                sampler.ask(np.array(arms, dtype=np.int64), kind)
        return (
            look.cohort if self.choice is None else choose_cohort(sampler, objective, self.choice)
        )


def swap(
    *,
    sigma: float,
    delta: float,
    policy: StrongPolicy = StrongPolicy.PAPER,
    batch: int = 1,
    choice: CohortChoice = CohortChoice.POSTERIOR,
) -> ByRule:
    """Build the paper's strategy: SWAP, or CLUCB with the policy `WEAK`, cut at the budget."""
    names = {StrongPolicy.PAPER: "SWAP", StrongPolicy.WEAK: "CLUCB"}
    return ByRule(
        name=names.get(policy, f"SWAP {policy}"),
        rule=lambda objective: PaperRule(
            oracle=objective, sigma=sigma, delta=delta, policy=policy
        ),
        batch=batch,
        choice=choice,
    )


def budget_rule(
    *, batch: int = 1, floor: int = 1, severity: bool = False, kind_offsets: bool = False
) -> ByRule:
    """Build the product's default: the rule `budget`, which never settles here."""
    return ByRule(
        name="budget",
        rule=lambda objective: BudgetRule(
            oracle=objective, severity=severity, kind_offsets=kind_offsets, tolerance=0.0
        ),
        floor=floor,
        batch=batch,
        choice=None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sar:
    """Successive accepts and rejects: phase by phase the clearest case is decided for good.

    For top-k this is CSAR. With a fixed budget and reviews of the first kind only.

    Source:
        Bubeck, Wang and Viswanathan 2013; Chen et al. 2014.
    """

    name: str = "SAR"
    choice: CohortChoice = CohortChoice.POSTERIOR

    def spend(
        self, sampler: BudgetedSampler, objective: Oracle, rng: np.random.Generator
    ) -> IntArray:
        """Ask for the phase's reviews of all undecided applicants, then decide one of them."""
        n, places = sampler.n, objective.size
        total = min(
            sampler.affordable(),
            int(np.minimum(sampler.allowed[:, 0], sampler.affordable()).sum()),
        )
        halves = 0.5 + float((1.0 / np.arange(2, n + 1)).sum())
        undecided = np.arange(n)
        given = 0
        for phase in range(1, n):
            each = int(np.ceil(max(total - n, 0) / (halves * (n + 1 - phase))))
            # The first phase gives everybody one at least: without a mark nobody can be placed.
            for _ in range(max(each, 1) - given):
                able = rng.permutation(undecided[sampler.allowed[undecided, 0] > 0])
                sampler.ask(able[: sampler.affordable()])
            given = max(each, 1)
            ranked = undecided[np.argsort(-sampler.mean[undecided], kind="stable")]
            if not 0 < places < ranked.size or not sampler.affordable():
                break
            mean = sampler.mean[ranked]
            accept, reject = mean[0] - mean[places], mean[places - 1] - mean[-1]
            places -= int(accept > reject)
            undecided = np.sort(ranked[1:] if accept > reject else ranked[:-1])
        return choose_cohort(sampler, objective, self.choice)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ocba:
    """Optimal computing budget allocation for the best K, on posterior means.

    Reviews in proportion to 1 / (distance from the border)², which is best for telling the
    best K apart once the means are known; here they are the latest posterior means.

    Source:
        Chen, He, Fu and Lee 2008, "Efficient simulation budget allocation for selecting an
        optimal subset" (OCBA-m); all applicants have equal noise here.
    """

    name: str = "OCBA"
    batch: int = 1
    choice: CohortChoice = CohortChoice.POSTERIOR

    def spend(
        self, sampler: BudgetedSampler, objective: Oracle, rng: np.random.Generator
    ) -> IntArray:
        """Ask for the next reviews of those who are furthest behind their share."""
        sampler.ask(rng.permutation(sampler.n)[: sampler.affordable()])
        rule = BudgetRule(oracle=objective)
        while sampler.affordable():
            able = sampler.allowed[:, 0] > 0
            if not able.any():
                break
            situation = sampler.situation()
            if rule.needs_refit(situation.scores.mark.size):
                rule = rule.refitted(situation)
            mean = rule.believe(situation).mean
            ranked = np.sort(mean)[::-1]
            border = ranked[objective.size - 1 : objective.size + 1].mean()
            weight = 1 / np.maximum(np.abs(mean - border), 1e-6) ** 2
            wanted = weight / weight.sum() * (sampler.information.sum() + self.batch)
            behind = np.where(able, wanted - sampler.information, -np.inf)
            count = min(self.batch, sampler.affordable(), int(able.sum()))
            sampler.ask(np.argsort(-behind, kind="stable")[:count])
        return choose_cohort(sampler, objective, self.choice)


@dataclass(frozen=True, slots=True, kw_only=True)
class Omniscient:
    """Knows the truth and asks nobody: the most that can be had."""

    name: str = "omniscient"

    def spend(
        self,
        sampler: BudgetedSampler,
        objective: Oracle,
        rng: np.random.Generator,  # noqa: ARG002 - leaves nothing to chance
    ) -> IntArray:
        """Look where nobody else may."""
        return objective.best(sampler.source.truth)
