"""The kernel and the rule against each other and against the algorithm's box."""

import itertools

import numpy as np
import pytest

from swapflow.bandit.kernel import BLOCK, Kernel, KernelProblem, largest_in_rows, simulate
from swapflow.bandit.oracles.oracle import TopK
from swapflow.bandit.paper import PaperRule
from swapflow.bandit.run import RunTrace, run_rule
from swapflow.bandit.situation import BoolArray, FloatArray, IntArray, PullKind
from swapflow.bandit.strong_pull_policy import StrongPolicy
from tests.bandit.reward_streams import COIN, Coins, MadeRewards, uniform
from tests.bench import straightforward


RUNS, N, SIZE, SIGMA, DELTA, GAIN, COST = 6, 8, 3, 0.3, 0.1, 6.0, 3.0
TRUTH = [0.9, 0.7, 0.65, 0.5, 0.45, 0.4, 0.2, 0.1]
DEVIATIONS = (SIGMA, SIGMA / GAIN**0.5)


class Table:
    """Rewards and coins for many runs, each by its own seed."""

    def __init__(self) -> None:
        self._rewards = [MadeRewards(TRUTH, DEVIATIONS, seed) for seed in range(RUNS)]
        self._coins = [itertools.count() for _ in range(RUNS)]
        self.first_looks = np.array(
            [[reward(arm, 0) for arm in range(N)] for reward in self._rewards]
        )

    def draw(self, runs: IntArray, arms: IntArray, strong: BoolArray) -> FloatArray:
        triples = zip(runs.tolist(), arms.tolist(), strong.tolist(), strict=True)
        return np.array([self._rewards[run](arm, int(kind)) for run, arm, kind in triples])

    def flip(self, runs: IntArray, _arms: IntArray) -> FloatArray:
        return np.array(
            [uniform(run, COIN, 0, next(self._coins[run]), 0) for run in runs.tolist()]
        )


@pytest.mark.parametrize("policy", StrongPolicy)
@pytest.mark.parametrize("tolerance", [0.0, 2.5])
def test_the_kernel_equals_the_rule_step_by_step(policy: StrongPolicy, tolerance: float) -> None:
    table = Table()
    problem = KernelProblem(
        size=SIZE,
        sigma=SIGMA,
        delta=DELTA,
        gain=GAIN,
        cost=COST,
        policy=policy,
        tolerance=tolerance,
    )
    kernel = Kernel(problem, table.first_looks)
    kinds = (PullKind(cost=1, gain=1), PullKind(cost=COST, gain=GAIN))
    rule = PaperRule(
        oracle=TopK(SIZE), sigma=SIGMA, delta=DELTA, policy=policy, tolerance=tolerance
    )
    walks = [
        run_rule(
            rule,
            MadeRewards(TRUTH, DEVIATIONS, seed),
            n=N,
            trace=RunTrace(kinds=kinds),
            rng=Coins(seed, None),
        )
        for seed in range(RUNS)
    ]
    steps = {run: next(walks[run]) for run in range(RUNS)}

    for _ in range(60):
        going = kernel.running.tolist()
        for row, run in enumerate(going):
            assert kernel.mean[row].tolist() == steps[run].situation.mean.tolist()
            assert kernel.information[row].tolist() == steps[run].situation.information.tolist()
            assert kernel.cost[row] == steps[run].situation.cost
        kernel.step(table.draw, table.flip)
        ended = [run for run in going if steps[run].ended is not None]
        assert kernel.running.tolist() == [run for run in going if run not in ended]
        steps = {run: next(walks[run]) for run in kernel.running.tolist()}

    assert tolerance == 0 or kernel.running.size < RUNS


def test_whole_runs_end_with_the_cohort_and_cost_of_the_rule() -> None:
    table = Table()
    problem = KernelProblem(
        size=SIZE, sigma=SIGMA, delta=DELTA, gain=GAIN, cost=COST, tolerance=0.5
    )
    kinds = (PullKind(cost=1, gain=1), PullKind(cost=COST, gain=GAIN))
    rule = PaperRule(oracle=TopK(SIZE), sigma=SIGMA, delta=DELTA, tolerance=0.5)

    outcomes = simulate(
        problem, table.first_looks, draw=table.draw, flip=table.flip, max_steps=3000
    )

    for run in range(RUNS):
        rewards = MadeRewards(TRUTH, DEVIATIONS, run)
        *_, last = run_rule(rule, rewards, n=N, trace=RunTrace(kinds=kinds), rng=Coins(run, None))
        assert outcomes.stopped[run]
        assert np.flatnonzero(outcomes.cohort[run]).tolist() == last.look.cohort.tolist()
        assert outcomes.cost[run] == last.situation.cost
        assert outcomes.mean[run].tolist() == last.situation.mean.tolist()
        assert outcomes.information[run].tolist() == last.situation.information.tolist()


def test_the_rule_equals_the_algorithms_box_in_plain_python() -> None:
    kinds = (PullKind(cost=1, gain=1), PullKind(cost=COST, gain=GAIN))
    rule = PaperRule(oracle=TopK(SIZE), sigma=SIGMA / 3, delta=DELTA)
    deviations = (DEVIATIONS[0] / 3, DEVIATIONS[1] / 3)
    for seed in range(5):
        *_, last = run_rule(
            rule,
            MadeRewards(TRUTH, deviations, seed),
            n=N,
            trace=RunTrace(kinds=kinds),
            rng=Coins(seed, None),
        )
        rewards, coins = MadeRewards(TRUTH, deviations, seed), Coins(seed, None)

        cohort, cost, _ = straightforward.whole_run(
            [rewards(arm, 0) for arm in range(N)],
            size=SIZE,
            sigma=SIGMA / 3,
            delta=DELTA,
            gain=GAIN,
            cost=COST,
            reward=lambda arm, strong, rewards=rewards: rewards(arm, int(strong)),  # type: ignore[misc]  # mypy cannot infer a lambda's default
            coin=coins.random,
            max_steps=100_000,
        )

        assert (cohort, cost) == (last.look.cohort.tolist(), last.situation.cost)


def test_runs_are_numbered_through_all_blocks() -> None:
    runs = 2 * BLOCK + 1
    seen: set[int] = set()

    def draw(rows: IntArray, arms: IntArray, strong: BoolArray) -> FloatArray:
        seen.update(rows.tolist())
        return np.array(TRUTH)[arms]

    outcomes = simulate(
        KernelProblem(size=SIZE, sigma=1.0, delta=DELTA, gain=1, cost=1),
        np.tile(np.array(TRUTH), (runs, 1)),
        draw=draw,
        flip=lambda rows, _arms: np.ones(rows.size),
        max_steps=3,
    )

    assert seen == set(range(runs))
    assert outcomes.pulls.tolist() == [3] * runs
    assert not outcomes.stopped.any()
    assert np.flatnonzero(outcomes.cohort[-1]).tolist() == [0, 1, 2]


def test_the_largest_of_each_row_are_those_of_a_stable_sort() -> None:
    rng = np.random.default_rng(4)
    values = np.round(rng.random((400, 9)) * 5) / 5

    for count in (1, 4, 9):
        marked = largest_in_rows(values, count)

        for row, flags in zip(values, marked, strict=True):
            expected = np.sort(np.argsort(-row, kind="stable")[:count])
            assert np.flatnonzero(flags).tolist() == expected.tolist()
