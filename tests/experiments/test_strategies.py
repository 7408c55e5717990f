"""Strategies keep to the budget, know no more than they asked for, and beat what they should."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from swapflow.bandit.oracles.oracle import TopK
from swapflow.bandit.situation import FloatArray, IntArray, PullKind
from swapflow.errors import InvalidInputError
from swapflow.experiments.budgeted_sampler import BudgetedSampler
from swapflow.experiments.comparison import normal_applicants, strategies
from swapflow.experiments.strategies import (
    CohortChoice,
    Played,
    Strategy,
    TwoTier,
    choose_cohort,
    play,
    swap,
)
from swapflow.experiments.sweep import Cell
from swapflow.simulation.random_numbers import stream_of
from swapflow.simulation.score_sources import Gaussian
from tests.support.waiting import CAP


STREAM = stream_of("tests", "strategies")
REVIEW, INTERVIEW = PullKind(cost=1, gain=1), PullKind(cost=3, gain=5)
ALL = strategies(batch=5)


class Limited(Gaussian):
    """Nobody can be given more than two marks of a kind."""

    @property
    def limits(self) -> IntArray:
        return np.full((self.truth.size, len(self.kinds)), 2)


def source(run: int = 0, *, kinds: tuple[PullKind, ...] = (REVIEW,), n: int = 30) -> Limited:
    truth = STREAM.generator(run).standard_normal(n)
    return Limited(truth=truth, kinds=kinds, sigma=1.0, stream=STREAM, run=run)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("budget", [0, 17, 45, 1000])
def test_every_strategy_keeps_to_budget_and_limits_and_names_a_whole_cohort(
    name: str, budget: int
) -> None:
    played = play(ALL[name], source(), TopK(5), budget=budget, rng=STREAM.generator(0, 1))

    assert np.unique(played.cohort).size == 5
    assert played.spent <= budget
    assert played.spent == played.asked @ [1]
    assert 0 <= played.loss <= 2


def test_the_loss_is_the_share_of_the_best_value_that_was_missed() -> None:
    played = Played(
        cohort=np.array([0]), utility=3.0, best=4.0, spent=0.0, asked=np.zeros(1, dtype=np.int64)
    )

    assert played.loss == 0.25


@pytest.mark.parametrize("strategy", [swap(sigma=1, delta=0.1, batch=3), TwoTier()])
def test_interviews_are_paid_at_their_price(strategy: Strategy) -> None:
    made = source(kinds=(REVIEW, INTERVIEW))

    played = play(strategy, made, TopK(5), budget=60, rng=STREAM.generator(0, 1))

    assert played.asked[1] > 0
    assert played.spent == played.asked @ [1, 3]


def test_strategies_rank_as_they_should_at_two_reviews_each() -> None:
    def utility(name: str) -> float:
        cell: Cell = {"strategy": name, "budget": 200, "n": 100, "size": 10, "batch": 10}
        done = normal_applicants("rank", cell, range(12))
        utility, best = (np.asarray(done[key], dtype=float) for key in ("utility", "best"))
        return float(np.mean(utility / best))

    found = {name: utility(name) for name in ALL if name != "OCBA"}

    assert found["omniscient"] == 1
    assert found["budget"] > found["even"] > found["random cohort"]
    assert found["SWAP"] > found["random cohort"] + 0.5


def test_the_same_run_gives_the_same_marks_whatever_was_asked_before() -> None:
    made = source()
    once, twice = BudgetedSampler(made, budget=100), BudgetedSampler(made, budget=100)

    first = once.ask(np.array([3, 7, 3]))
    twice.ask(np.array([7, 1, 2]))
    second = twice.ask(np.array([3, 3]))

    assert first[[0, 2]].tolist() == second.tolist()
    # Who is named twice has been asked about twice.
    assert once.asked[[3, 7], 0].tolist() == [2, 1]
    assert twice.asked[[3, 7], 0].tolist() == [2, 1]


def test_the_desk_keeps_the_account() -> None:
    sampler = BudgetedSampler(source(kinds=(REVIEW, INTERVIEW)), budget=10)

    review = sampler.ask(np.array([4]))[0]
    interview = sampler.ask(np.array([4]), 1)[0]

    assert sampler.spent == 4
    assert sampler.affordable(1) == 2
    assert sampler.information[4] == 6
    assert sampler.mean[4] == pytest.approx((review + 5 * interview) / 6)
    assert sampler.allowed[4].tolist() == [1, 1]
    assert sampler.scores().mark.tolist() == [review, interview]


@pytest.mark.parametrize(("arms", "complaint"), [(range(11), "cost more"), ([1] * 3, "further")])
def test_the_desk_refuses_what_cannot_be_asked_and_asks_nothing(
    arms: list[int], complaint: str
) -> None:
    sampler = BudgetedSampler(source(), budget=10)

    with pytest.raises(InvalidInputError, match=complaint):
        sampler.ask(np.array(arms))

    assert (sampler.spent, sampler.asked.sum()) == (0, 0)


def test_without_a_single_mark_a_cohort_is_named_all_the_same() -> None:
    sampler = BudgetedSampler(source(), budget=0)

    for choice in CohortChoice:
        assert choose_cohort(sampler, TopK(3), choice).tolist() == [0, 1, 2]


def test_the_example_of_the_developers_page_runs() -> None:
    page = Path(__file__).parents[2] / "docs" / "developers.md"
    section = page.read_text("utf-8").split("## Add a score source or a strategy", 1)[1]
    code = re.findall(r"```python\n(.*?)```", section, flags=re.DOTALL)[0]

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=CAP
    )

    losses = dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())
    assert set(losses) == {"even", "top half"}
    assert float(losses["top half"]) < float(losses["even"])


def test_a_comparison_uses_the_same_applicants_for_every_strategy() -> None:
    def best(name: str) -> FloatArray:
        cell: Cell = {"strategy": name, "budget": 20, "n": 20, "size": 4, "batch": 4}
        return np.asarray(normal_applicants("same", cell, range(3))["best"], dtype=float)

    assert best("even").tolist() == best("omniscient").tolist()
