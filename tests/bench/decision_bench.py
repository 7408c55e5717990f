"""Times decisions and whole runs against the straightforward loop, in the same process.

Run it with `python -m tests.bench.decision_bench`; it prints the tables, and what `measure`
returns. All times are processor time: others who use the machine make it no slower on paper.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from swapflow.bandit.oracles.oracle import TopK
from swapflow.bandit.paper import PaperRule
from swapflow.bandit.situation import FloatArray, PullKind, Situation
from swapflow.bandit.strong_pull_policy import StrongPolicy
from swapflow.experiments.kernel.compiled_numbers import (
    compiled,
    draw_uniforms,
    normal_quantiles,
)
from swapflow.experiments.kernel.quick_look import one_pass
from swapflow.experiments.kernel.run_state import AHEAD, MEAN, ORDER, SPREAD
from swapflow.experiments.kernel.simulate import Decider, Radius, SimulationProblem, simulate
from swapflow.simulation.random_numbers import stream_of
from tests.bench import straightforward


SIGMA, DELTA = 0.15, 0.05
KINDS = (PullKind(cost=1, gain=1), PullKind(cost=5, gain=10))
SIZES = (1_600, 12_500, 50_000, 200_000)
"""Numbers of applicants of the table of single decisions; one in sixteen is chosen."""

AUTHORS_STEP_US = 164.0
"""A step of the authors' program at n = 50, K = 7 on a quiet machine like the first one here."""


def measure(sizes: tuple[int, ...] = SIZES) -> dict[str, float]:
    """Time all and print the tables; more is faster.

    Returns:
        `decision_speedup_n1600`: one decision from nothing in compiled code, n = 1600, K = 100.
        `live_decision_speedup_n1600`: the same by the rule that serves live cycles, with the
        certified loss, which the straightforward loop does not compute.
        `kernel_speedup_n50`: run throughput at n = 50, K = 7, up to 2000 pulls a run.
        `growth_nlogn`: cost per decision at the largest n over that at the smallest, divided
        by the growth of n log n (1 or less is no faster).
        `draws_per_second`, `look_ns_n50`: what limits the kernel on this machine.
        Beside them the times behind these ratios, in microseconds.
    """
    figures: dict[str, float] = {}
    rows = [decision_row(n) for n in sizes]
    print(f"{'applicants':>10} {'compiled µs':>12} {'live µs':>10} {'loop µs':>12}")
    for row in rows:
        loop = f"{row.loop:12.1f}" if row.loop else f"{'-':>12}"
        print(f"{row.n:10} {row.compiled:12.1f} {row.live:10.1f} {loop}")
    first, last = rows[0], rows[-1]
    figures["decision_speedup_n1600"] = first.loop / first.compiled
    figures["live_decision_speedup_n1600"] = first.loop / first.live
    figures["decision_us_n1600"] = first.compiled
    figures["live_decision_us_n1600"] = first.live
    figures["decision_straightforward_us_n1600"] = first.loop
    if len(rows) > 1:
        growth = last.n * np.log(last.n) / (first.n * np.log(first.n))
        figures["growth_nlogn"] = last.compiled / first.compiled / growth
        figures["live_growth_nlogn"] = last.live / first.live / growth
        figures[f"decision_us_n{last.n}"] = last.compiled
    return figures | measure_runs() | measure_limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Times of one decision, in microseconds; 0 where it was not timed."""

    n: int
    compiled: float
    live: float
    loop: float


def decision_row(n: int) -> Row:
    """Time one look and one pick among n, three ways."""
    size = n // 16
    rng = np.random.default_rng(1)
    mean = rng.random(n)
    information = rng.integers(1, 9, n).astype(float)
    cost = float(information.sum())
    situation = situation_of(mean, information, cost)
    rule = PaperRule(oracle=TopK(size), sigma=SIGMA, delta=DELTA)
    decider = Decider(SimulationProblem(size=size, sigma=SIGMA, delta=DELTA, gain=10, cost=5), n)
    mean_list, information_list = mean.tolist(), information.tolist()

    def live() -> int:
        look = rule.look(situation)
        return rule.choose(situation, look, at_most=1, rng=rng).picks[0].arm

    def compiled() -> int | None:
        return decider.decide(mean, information, cost=cost)[1]

    def loop() -> int | None:
        return straightforward.one_look(
            mean_list, information_list, cost=cost, size=size, sigma=SIGMA, delta=DELTA
        )[1]

    plain = n <= SIZES[0]
    assert live() == compiled()
    assert not plain or live() == loop()
    repeats = max(3, 80_000 // n)
    return Row(
        n=n,
        compiled=best_of(compiled, repeats) * 1e6,
        live=best_of(live, repeats) * 1e6,
        loop=best_of(loop, 5) * 1e6 if plain else 0.0,
    )


def situation_of(mean: FloatArray, information: FloatArray, cost: float) -> Situation:
    """Set a cycle up in which nothing limits the picks."""
    n = mean.size
    return Situation(
        mean=mean,
        information=information,
        pending=np.zeros(n),
        settled_mean=mean,
        settled_information=information,
        kinds=KINDS,
        allowed=np.full((n, 2), 99),
        kind_left=np.full(2, 9999),
        budget_left=1e9,
        cost=cost,
    )


def measure_runs(pulls: int = 2000) -> dict[str, float]:
    """Time runs at n = 50, K = 7 by the loop and compiled, and print the table."""
    truth = np.random.default_rng(2).random(50)
    loop = time_loop(truth, pulls=min(pulls, 400))
    plain = {"size": 7, "sigma": SIGMA, "delta": DELTA, "gain": 10.0, "cost": 5.0}
    certified = {**plain, "policy": None}
    problems = {
        "paper": (64, SimulationProblem(**plain)),  # type: ignore[arg-type]  # mypy takes the dict's values for one type
        "weak only": (64, SimulationProblem(**plain, policy=StrongPolicy.WEAK)),  # type: ignore[arg-type]  # as above
        "strong only": (64, SimulationProblem(**plain, policy=StrongPolicy.STRONG)),  # type: ignore[arg-type]  # as above
        "paper, w_div": (4, SimulationProblem(**plain, groups=np.arange(50) % 3)),  # type: ignore[arg-type]  # as above
        "mixture": (4, SimulationProblem(**certified, radius=Radius.MIXTURE)),  # type: ignore[arg-type]  # as above
        "pairwise": (4, SimulationProblem(**certified, radius=Radius.PAIRWISE)),  # type: ignore[arg-type]  # as above
    }
    steps = {
        name: time_runs(truth, problem, runs=runs, pulls=pulls)
        for name, (runs, problem) in problems.items()
    }
    print(f"\n{'n = 50, K = 7':16} {'µs a pull':>10} {'times the loop':>15}")
    print(f"{'loop':16} {loop * 1e6:10.2f} {1:15}")
    for name, step in steps.items():
        print(f"{name:16} {step * 1e6:10.3f} {loop / step:15.0f}")
    return {
        "kernel_speedup_n50": loop / steps["paper"],
        "kernel_speedup_over_authors_n50": AUTHORS_STEP_US * 1e-6 / steps["paper"],
        "kernel_step_us_n50": steps["paper"] * 1e6,
        "straightforward_step_us_n50": loop * 1e6,
    }


def measure_limits() -> dict[str, float]:
    """Time what a pull cannot do without: its random numbers, and one pass over its row."""
    block, n = 4096, 56
    chance, coin, normal = np.zeros(AHEAD), np.zeros(AHEAD), np.zeros(AHEAD)
    rng = np.random.default_rng(4)
    table = np.zeros((3, n))
    table[MEAN], table[ORDER] = rng.random(n), rng.random(n)
    table[SPREAD] = np.where(rng.random(n) < 1 / 7, -0.3, 0.3)

    def draw() -> None:
        many_draws(chance, coin, normal, block // AHEAD)

    def look() -> None:
        many_looks(table, block)

    draw()
    look()
    drawn, looked = best_of(draw, 50) / block, best_of(look, 50) / block
    print(
        f"\nof a pull: random numbers {drawn * 1e9:.1f} ns ({1e-6 / drawn:.0f} million pairs a "
        f"second), one pass over {n} applicants {looked * 1e9:.1f} ns"
    )
    return {"draws_per_second": 1 / drawn, "look_ns_n50": looked * 1e9}


@compiled
def many_draws(chance: FloatArray, coin: FloatArray, normal: FloatArray, times: int) -> None:
    """Draw the numbers of an applicant's next pulls again and again."""
    for arm in range(times):
        draw_uniforms(1, arm, 1, 0, 1, 2, chance, coin)
        normal_quantiles(chance, normal)


@compiled
def many_looks(table: FloatArray, times: int) -> float:
    """Pass over a table again and again."""
    total = 0.0
    for turn in range(times):
        above, first = one_pass(table, 1 + 1e-9 * turn, 0.9)
        total += above + first
    return total


def time_runs(truth: FloatArray, problem: SimulationProblem, *, runs: int, pulls: int) -> float:
    """Time a pull within whole runs, first looks and random numbers included, in seconds."""
    stream = stream_of("bench")
    done = 0

    def work() -> None:
        nonlocal done
        outcomes = simulate(problem, truth, stream=stream, runs=range(runs), max_pulls=pulls)
        done = int(outcomes.pulls.sum())

    work()
    return best_of(work, 3) / done


def time_loop(truth: FloatArray, *, pulls: int) -> float:
    """Time a pull by the straightforward loop, in seconds."""
    rng = np.random.default_rng(3)
    gain, cost = KINDS[1].gain, KINDS[1].cost

    def reward(arm: int, strong: bool) -> float:
        deviation = SIGMA / gain**0.5 if strong else SIGMA
        return float(truth[arm] + deviation * rng.standard_normal())

    def work() -> None:
        _, _, done = straightforward.whole_run(
            (truth + SIGMA * rng.standard_normal(truth.size)).tolist(),
            size=7,
            sigma=SIGMA,
            delta=DELTA,
            gain=gain,
            cost=cost,
            reward=reward,
            coin=rng.random,
            max_steps=pulls,
        )
        assert done == pulls

    return best_of(work, 5) / pulls


def best_of(work: Callable[[], object], repeats: int) -> float:
    """Return the shortest of some repeats, in seconds of processor time."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
