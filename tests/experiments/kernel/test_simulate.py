"""The compiled loops and the rules themselves decide alike."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from swapflow.bandit.situation import FloatArray
from swapflow.bandit.strong_pull_policy import StrongPolicy
from swapflow.errors import InvalidInputError
from swapflow.experiments.kernel import compiled
from swapflow.experiments.kernel.compiled_cohorts import mark_largest
from swapflow.experiments.kernel.run_state import COST, RunOutcomes, new_run
from swapflow.experiments.kernel.simulate import (
    Computation,
    Decider,
    Radius,
    SimulationProblem,
    fixed_of,
    simulate,
)
from swapflow.simulation.random_numbers import stream_of
from tests.bandit.golden import FILES, FOLDER, POLICIES
from tests.bench import straightforward
from tests.support.tiers import cases, lacks
from tests.support.waiting import CAP


pytestmark = pytest.mark.usefixtures("compiled_once")

STREAM = stream_of("tests", "kernel")
EVERYDAY = cases(25, quiet=[HealthCheck.too_slow])
MANY = settings(EVERYDAY, max_examples=10_000)

GOLDEN_RUNS = [
    path
    for path in FILES
    if (content := json.loads(path.read_text("utf-8")))
    and isinstance(content, dict)
    and content.get("format") == "swap-golden/1"
    and content["input"]["objective"] != "quota"
    and content["input"].get("oracle") != "wdiv_exact"
]
"""Recorded runs of the objectives that the compiled loops know."""


@st.composite
def problems(draw: st.DrawFn) -> tuple[SimulationProblem, FloatArray]:
    n = draw(st.integers(2, 12))
    radius = draw(st.sampled_from(Radius))
    diverse = radius is not Radius.PAIRWISE and draw(st.booleans())
    coins = [*StrongPolicy] if radius is Radius.PAPER else [*StrongPolicy][:4]
    need = [None] if radius is not Radius.PAPER and not diverse else []
    # Twentieths make ties of truths and of means without noise; sevenths are no round floats.
    truth = [draw(st.integers(0, 20)) / draw(st.sampled_from((20, 7))) for _ in range(n)]
    problem = SimulationProblem(
        size=draw(st.integers(1, n)),
        sigma=draw(st.sampled_from((0.05, 0.3, 1.0))),
        delta=draw(st.sampled_from((0.01, 0.1, 0.5))),
        gain=draw(st.sampled_from((1, 2.5, 6))),
        cost=draw(st.sampled_from((1, 1.5, 3, 8))),
        radius=radius,
        policy=draw(st.sampled_from((*coins, *need))),
        tolerance=draw(st.sampled_from((0.0, 0.1))),
        groups=np.array([draw(st.integers(0, 2)) for _ in range(n)]) if diverse else None,
        budget=draw(st.sampled_from((float("inf"), 3.0 * n))),
        deviations=draw(st.sampled_from((None, (0.0, 0.0), (0.4, 0.01)))),
    )
    return problem, np.array(truth)


def as_lists(outcomes: RunOutcomes) -> list[object]:
    return [
        getattr(outcomes, name).tolist()
        for name in ("cohort", "cost", "pulls", "stopped", "mean", "information")
    ]


def check(problem: SimulationProblem, truth: FloatArray, start: int) -> None:
    def ended(way: Computation) -> list[object]:
        runs = range(start, start + 2)
        return as_lists(simulate(problem, truth, stream=STREAM, runs=runs, max_pulls=40, way=way))

    expected = ended(Computation.RULES)

    assert ended(Computation.COMPILED) == expected


@EVERYDAY
@given(problems(), st.integers(0, 1 << 20))
def test_all_ways_decide_alike(made: tuple[SimulationProblem, FloatArray], start: int) -> None:
    check(*made, start)


@pytest.mark.parametrize("policy", [StrongPolicy.PAPER, StrongPolicy.WEAK])
@pytest.mark.parametrize(("n", "size"), [(64, 9), (65, 65), (150, 12), (151, 1)])
def test_tables_of_any_width_decide_as_the_rules_do(
    n: int, size: int, policy: StrongPolicy
) -> None:
    problem = SimulationProblem(size=size, sigma=0.3, delta=0.1, gain=6, cost=3, policy=policy)
    truth = stream_of("tests", f"border/{n}").generator(0).random((4, n))

    def ended(way: Computation) -> list[object]:
        runs = range(4)
        return as_lists(simulate(problem, truth, stream=STREAM, runs=runs, max_pulls=250, way=way))

    assert ended(Computation.COMPILED) == ended(Computation.RULES)


def test_the_largest_are_those_of_a_stable_sort_whatever_threshold_is_tried_first() -> None:
    rng = np.random.default_rng(4)
    marked = np.zeros(9, dtype=np.bool_)

    for row in np.round(rng.random((200, 9)) * 5) / 5:
        for count in (1, 4, 9):
            mark_largest(row, count, float(rng.choice((np.inf, 0.5, row[0]))), marked)

            expected = np.sort(np.argsort(-row, kind="stable")[:count])
            assert np.flatnonzero(marked).tolist() == expected.tolist()


@pytest.mark.slow
@MANY
@given(problems(), st.integers(0, 1 << 20))
def test_all_ways_decide_alike_on_ten_thousand_problems(
    made: tuple[SimulationProblem, FloatArray], start: int
) -> None:
    check(*made, start)


def test_there_are_recorded_runs_to_hold_the_compiled_loops_against() -> None:
    if not GOLDEN_RUNS:
        lacks(f"no golden vectors in {FOLDER}: set SWAPFLOW_GOLDEN to their folder")


@pytest.mark.parametrize("path", GOLDEN_RUNS, ids=lambda path: path.stem)
def test_the_compiled_loops_agree_with_every_recorded_run_step_by_step(path: Path) -> None:
    vector = json.loads(path.read_text("utf-8"))
    problem = problem_of(vector["input"])
    n = len(vector["input"]["means"])
    fixed = fixed_of(problem, STREAM, n=n, max_pulls=vector["input"]["max_steps"])
    run = new_run(n, groups=problem.groups, pairwise=problem.radius is Radius.PAIRWISE)
    rewards, coins = vector["stream"], iter(vector["stream"]["coins"])
    used: dict[tuple[str, int], int] = {}

    def reward(kind: str, arm: int) -> float:
        used[kind, arm] = used.get((kind, arm), -1) + 1
        return float(rewards[kind][arm][used[kind, arm]])

    run.mean[:] = [reward("weak", arm) for arm in range(run.mean.size)]
    compiled.begin(fixed, run)
    for step in vector["steps"]:
        assert np.flatnonzero(run.member).tolist() == step["M"]
        arm, contested = compiled.look_closely(fixed, run)
        assert np.flatnonzero(run.rival).tolist() == step["Mt"]
        # The quick look, where there is one, keeps no rival.
        assert compiled.next_pull(fixed, run)[0] == arm
        assert run.numbers[COST] == pytest.approx(step["cost"], rel=1e-9)
        if "p" not in step:
            assert arm < 0 or run.numbers[COST] >= fixed.budget
            break
        assert arm == step["p"]
        strong = compiled.is_strong(fixed, run, arm, contested, next(coins))
        assert strong == step["strong"]
        compiled.fold(fixed, run, arm, strong, reward("strong" if strong else "weak", arm))
        assert run.mean[arm] == pytest.approx(step["u_p"], rel=1e-9)
        assert run.information[arm] == pytest.approx(step["T_p"], rel=1e-9)

    assert np.flatnonzero(run.member).tolist() == vector["result"]["final"]
    assert run.mean.tolist() == pytest.approx(vector["result"]["u"], rel=1e-9)


def problem_of(given_input: dict[str, Any]) -> SimulationProblem:
    diverse = given_input["objective"] == "wdiv"
    budget = given_input.get("budget")
    return SimulationProblem(
        size=given_input["K"],
        sigma=given_input["sigma"],
        delta=given_input["delta"],
        gain=given_input["s"],
        cost=given_input["j"],
        policy=POLICIES[given_input["policy"]],
        tolerance=given_input["eps"],
        groups=np.array(given_input["groups"]) if diverse else None,
        budget=float("inf") if budget is None else budget,
    )


def test_runs_do_not_depend_on_who_else_runs() -> None:
    problem = SimulationProblem(size=3, sigma=0.3, delta=0.1, gain=6, cost=3, tolerance=0.5)
    truth = np.linspace(0, 1, 9)

    together = simulate(problem, truth, stream=STREAM, runs=range(10))
    alone = simulate(problem, truth, stream=STREAM, runs=range(7, 8))

    assert together.cost[7] == alone.cost[0]
    assert together.mean[7].tolist() == alone.mean[0].tolist()


def test_policies_meet_the_same_luck() -> None:
    truth = np.linspace(0, 1, 9)

    def first_looks(policy: StrongPolicy) -> list[list[float]]:
        problem = SimulationProblem(size=3, sigma=0.3, delta=0.1, gain=6, cost=3, policy=policy)
        done = simulate(problem, truth, stream=STREAM, runs=range(4), max_pulls=0)
        return [list(row) for row in done.mean.tolist()]

    assert first_looks(StrongPolicy.WEAK) == first_looks(StrongPolicy.STRONG)


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"sigma": 0.0}, "sigma must be positive"),
        ({"delta": 1.0}, "delta between 0 and 1"),
        ({"policy": None}, "by need"),
        ({"radius": Radius.PAIRWISE, "groups": np.zeros(9, dtype=np.int64)}, "plain top-k"),
        ({"radius": Radius.MIXTURE, "policy": StrongPolicy.SYMDIFF}, "paper's radius"),
    ],
)
def test_a_problem_that_makes_no_sense_is_refused(changed: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InvalidInputError, match=complaint):
        SimulationProblem(**{"size": 3, "sigma": 0.3, "delta": 0.1, **changed})


def test_a_cohort_larger_than_the_field_is_refused() -> None:
    problem = SimulationProblem(size=10, sigma=0.3, delta=0.1)

    with pytest.raises(InvalidInputError, match="10 of 9 cannot be chosen"):
        simulate(problem, np.zeros(9), stream=STREAM, runs=range(1))


@pytest.mark.parametrize("seed", range(8))
def test_a_single_decision_is_that_of_the_algorithms_box(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, size = 40 + seed, 1 + 5 * seed
    mean = np.round(rng.random(n), 2)
    information = rng.integers(1, 9, n).astype(float)
    cost = float(information.sum())
    sigma = (0.001, 0.1)[seed % 2]

    cohort, arm = Decider(SimulationProblem(size=size, sigma=sigma, delta=0.05), n).decide(
        mean, information, cost=cost
    )

    expected = straightforward.one_look(
        mean.tolist(), information.tolist(), cost=cost, size=size, sigma=sigma, delta=0.05
    )
    assert (cohort.tolist(), arm) == expected


def test_without_numba_the_same_runs_are_made_more_slowly() -> None:
    code = """
import sys
sys.modules["numba"] = None
import numpy as np
from swapflow.experiments.kernel.simulate import Radius, SimulationProblem, fastest, simulate
from swapflow.simulation.random_numbers import stream_of
for radius, policy in ((Radius.PAPER, "paper"), (Radius.MIXTURE, None)):
    problem = SimulationProblem(
        size=2, sigma=0.2, delta=0.1, gain=4, cost=2, radius=radius, policy=policy
    )
    done = simulate(problem, np.linspace(0, 1, 6), stream=stream_of("bare"), runs=range(3))
    print(fastest(), done.cost.tolist())
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=CAP
    )

    def costs(radius: Radius, policy: StrongPolicy | None) -> list[float]:
        problem = SimulationProblem(
            size=2, sigma=0.2, delta=0.1, gain=4, cost=2, radius=radius, policy=policy
        )
        runs = simulate(problem, np.linspace(0, 1, 6), stream=stream_of("bare"), runs=range(3))
        return [float(cost) for cost in runs.cost]

    assert done.stdout.splitlines() == [
        f"rules {costs(Radius.PAPER, StrongPolicy.PAPER)}",
        f"rules {costs(Radius.MIXTURE, None)}",
    ]
