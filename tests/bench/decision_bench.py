"""Times one decision and whole runs against the straightforward loop, in the same process.

Run it with `python -m tests.bench.decision_bench`; it prints what `measure` returns.
"""

import json
import time
from collections.abc import Callable

import numpy as np

from swapflow.bandit.kernel import BLOCK, Kernel, Problem
from swapflow.bandit.oracle import TopK
from swapflow.bandit.paper import PaperRule
from swapflow.bandit.situation import BoolArray, FloatArray, IntArray, PullKind, Situation
from tests.bench import straightforward


SIGMA, DELTA = 0.15, 0.05
KINDS = (PullKind(cost=1, gain=1), PullKind(cost=5, gain=10))


def measure() -> dict[str, float]:
    """Time both; more is faster.

    Returns:
        `decision_speedup_n1600`: one look and one pick, n = 1600, K = 100, top-k, including
        the certified loss, which the straightforward loop does not compute.
        `kernel_speedup_n50`: one step of one run, n = 50, K = 7, 250 runs side by side.
        Beside them the times behind these ratios, in microseconds.
    """
    decision, plain_decision = time_decision(n=1600, size=100)
    step, plain_step = time_step(n=50, size=7, runs=BLOCK)
    return {
        "decision_speedup_n1600": plain_decision / decision,
        "kernel_speedup_n50": plain_step / step,
        "decision_us_n1600": decision * 1e6,
        "decision_straightforward_us_n1600": plain_decision * 1e6,
        "kernel_step_us_n50": step * 1e6,
        "straightforward_step_us_n50": plain_step * 1e6,
    }


def time_decision(*, n: int, size: int) -> tuple[float, float]:
    """Time a decision by the rule and by the loop, in seconds."""
    rng = np.random.default_rng(1)
    mean = rng.random(n)
    information = rng.integers(1, 9, n).astype(float)
    situation = Situation(
        mean=mean,
        information=information,
        pending=np.zeros(n),
        settled_mean=mean,
        settled_information=information,
        kinds=KINDS,
        allowed=np.full((n, 2), 99),
        kind_left=np.full(2, 9999),
        budget_left=1e9,
        cost=float(information.sum()),
    )
    rule = PaperRule(oracle=TopK(size), sigma=SIGMA, delta=DELTA)
    mean_list, information_list = mean.tolist(), information.tolist()

    def decide() -> int:
        look = rule.look(situation)
        return rule.choose(situation, look, at_most=1, rng=rng).picks[0].arm

    def decide_plainly() -> int | None:
        return straightforward.one_look(
            mean_list,
            information_list,
            cost=situation.cost,
            size=size,
            sigma=SIGMA,
            delta=DELTA,
        )[1]

    assert decide() == decide_plainly()
    return best_of(decide, 50), best_of(decide_plainly, 5)


def time_step(*, n: int, size: int, runs: int) -> tuple[float, float]:
    """Time a step of one run by the kernel and by the loop, in seconds."""
    rng = np.random.default_rng(2)
    truth = rng.random(n)
    gain, cost = KINDS[1].gain, KINDS[1].cost
    steps = 50

    def draw(rows: IntArray, arms: IntArray, strong: BoolArray) -> FloatArray:
        deviation = np.where(strong, SIGMA / np.sqrt(gain), SIGMA)
        noisy: FloatArray = truth[arms] + deviation * rng.standard_normal(rows.size)
        return noisy

    def flip(rows: IntArray, arms: IntArray) -> FloatArray:
        return rng.random(rows.size)

    def kernel_steps() -> None:
        first_looks = truth + SIGMA * rng.standard_normal((runs, n))
        problem = Problem(size=size, sigma=SIGMA, delta=DELTA, gain=gain, cost=cost)
        kernel = Kernel(problem, first_looks)
        for _ in range(steps):
            kernel.step(draw, flip)
        assert kernel.running.size == runs

    def reward(arm: int, strong: bool) -> float:
        deviation = SIGMA / gain**0.5 if strong else SIGMA
        return float(truth[arm] + deviation * rng.standard_normal())

    def plain_steps() -> None:
        _, _, done = straightforward.whole_run(
            (truth + SIGMA * rng.standard_normal(n)).tolist(),
            size=size,
            sigma=SIGMA,
            delta=DELTA,
            gain=gain,
            cost=cost,
            reward=reward,
            coin=rng.random,
            max_steps=steps,
        )
        assert done == steps

    return best_of(kernel_steps, 3) / steps / runs, best_of(plain_steps, 5) / steps


def best_of(work: Callable[[], object], repeats: int) -> float:
    """Give the shortest of some repeats, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
