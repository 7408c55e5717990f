"""Reads recorded vectors, whatever files their folder holds, and compares the bandit with them.

The folder is SWAPFLOW_GOLDEN, else ../shared/golden beside the repository.
"""

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from swapflow.bandit import hardness
from swapflow.bandit.batch import ChoicePolicy, Contender, choose_contested
from swapflow.bandit.decision import compare
from swapflow.bandit.oracles.oracle import Diverse, DiverseExact, Oracle, TopK
from swapflow.bandit.oracles.quota import Quota
from swapflow.bandit.paper import PaperRule
from swapflow.bandit.radius import mixture_radius, pair_radius, paper_radius
from swapflow.bandit.run import Rewards, RunStep, RunTrace, run_rule
from swapflow.bandit.situation import FloatArray, IntArray, PullKind, Situation, StopReason
from swapflow.bandit.strong_pull_policy import (
    StrongPolicy,
    information_needed,
    kind_for_need,
    settling_distances,
    strong_probability,
)
from swapflow.errors import InfeasibleError
from tests.bandit.golden_kg import check_kg
from tests.bandit.reward_streams import Coins, MadeRewards, StoredRewards


ROOT = Path(__file__).resolve().parents[2]
FOLDER = (ROOT / os.environ.get("SWAPFLOW_GOLDEN", "../shared/golden")).resolve()
FILES = sorted(FOLDER.glob("*.json"))
RELATIVE = 1e-9

POLICIES = {
    "paper": StrongPolicy.PAPER,
    "weak": StrongPolicy.WEAK,
    "strong": StrongPolicy.STRONG,
    "ratio": StrongPolicy.RATIO,
    "sj": StrongPolicy.RATIO,
    "sj_frac": StrongPolicy.RATIO,
    "s/(s+j)": StrongPolicy.RATIO,
    "symdiff": StrongPolicy.SYMDIFF,
}


def check_index(rows: list[dict[str, Any]]) -> None:
    """The list names runs whose files say the same; files that are not here are passed over."""
    for row in rows:
        path = FOLDER / row["file"]
        if not path.exists():
            continue
        run = json.loads(path.read_text(encoding="utf-8"))
        assert run["result"]["status"] == row["status"]
        assert run["result"]["final"] == row["final"]
        assert len(run["steps"]) == row["steps"]
        assert run["result"]["cost"] == close(row["cost"])


def check_run(vector: dict[str, Any]) -> None:
    """Replay a whole run with the stored rewards, then with the same rewards made anew."""
    settings = vector["input"]
    stream = vector["stream"]
    made = MadeRewards(
        settings["means"], (settings["sd_weak"], settings["sd_strong"]), settings["seed"]
    )
    for rewards, coins in (
        (StoredRewards(stream), Coins(settings["seed"], stream["coins"])),
        (made, Coins(settings["seed"], None)),
    ):
        replay(vector, rewards, coins)
        assert coins.drawn == len(stream["coins"])
    check_truth(settings, vector.get("truth", {}))


def replay(
    vector: Mapping[str, Any],
    rewards: Rewards,
    coins: Coins,
    *,
    rule_class: type[PaperRule] = PaperRule,
) -> None:
    """Walk through a run step by step."""
    settings, result = vector["input"], vector["result"]
    oracle = oracle_of(settings)
    rule = rule_class(
        oracle=oracle,
        sigma=settings["sigma"],
        delta=settings["delta"],
        tolerance=settings["eps"],
        policy=POLICIES[settings["policy"]],
    )
    budget = settings.get("budget")
    trace = RunTrace(
        kinds=two_kinds(settings),
        budget=math.inf if budget is None else budget,
        overshoot=True,
        max_pulls=settings["max_steps"],
    )
    steps = list(run_rule(rule, rewards, n=len(settings["means"]), trace=trace, rng=coins))
    last = steps[-1]
    looks = [step for step in steps if step.picks]

    assert steps[0].situation.mean.tolist() == close(vector["init"])
    pulled = [step for step in vector["steps"] if "p" in step]
    assert len(looks) == len(pulled)
    for number, expected in enumerate(vector["steps"]):
        check_step(rule, steps[number], expected, status=result["status"])
        if "p" in expected:
            check_pull(settings, steps[number], steps[number + 1], expected)

    # A run cut by max_steps makes no further look, so it does not see whether it would stop.
    cut = len(looks) == settings["max_steps"]
    assert cut == (result["status"] == "max_steps")
    if not cut:
        certified = StopReason.CERTIFIED if oracle.linear else StopReason.SETTLED
        statuses = {"converged": certified, "budget": StopReason.BUDGET}
        assert last.ended is statuses[result["status"]]
    assert last.look.cohort.tolist() == result["final"]
    assert last.situation.cost == close(result["cost"])
    assert last.situation.mean.tolist() == close(result["u"])
    assert last.situation.information.tolist() == close(result["T"])


def check_step(
    rule: PaperRule, step: RunStep, expected: Mapping[str, Any], *, status: str
) -> None:
    """Compare one look.

    The last step has no pull; the look stopped it only where the run converged. A spent budget
    is tested after the look, and stops the step.
    """
    look, situation = step.look, step.situation
    assert look.cohort.tolist() == expected["M"]
    assert look.rival.tolist() == expected["Mt"]
    assert situation.cost == close(expected["cost"])
    utilities = situation.mean + look.radius
    utilities[look.cohort] = situation.mean[look.cohort] - look.radius[look.cohort]
    assert rule.oracle.value(utilities, look.cohort) == close(expected["wM"])
    assert rule.oracle.value(utilities, look.rival) == close(expected["wMt"])
    # A difference of two values is compared at the precision of the values.
    scale = max(abs(expected["wM"]), abs(expected["wMt"]))
    assert look.gap == pytest.approx(expected["gap"], rel=RELATIVE, abs=RELATIVE * scale)
    last = "p" not in expected
    assert bool(expected.get("stop", False)) <= last
    assert (step.ended is not None) == last
    assert (look.stop is not None) == (last and status == "converged")


def check_pull(
    settings: Mapping[str, Any], step: RunStep, after: RunStep, expected: Mapping[str, Any]
) -> None:
    """Compare one pull and what it left behind."""
    (pick,) = step.picks
    arm = expected["p"]
    assert pick.arm == arm
    assert bool(pick.kind) == expected["strong"]
    assert step.look.radius[arm] == close(expected["rad_p"])
    alpha = strong_probability(
        POLICIES[settings["policy"]],
        gain=settings["s"],
        cost=settings["j"],
        contested=step.look.contested.size,
        size=settings["K"],
    )
    assert alpha == close(expected["alpha"])
    assert step.look.parameters["strong_probability"] == close(expected["alpha"])
    mean, information = after.situation.mean[arm], after.situation.information[arm]
    before_mean, before = step.situation.mean[arm], step.situation.information[arm]
    reward = (mean * information - before_mean * before) / (information - before)
    scale = max(abs(expected["reward"]), abs(mean)) * information / (information - before)
    assert reward == pytest.approx(expected["reward"], abs=RELATIVE * max(scale, 1.0))
    assert mean == close(expected["u_p"])
    assert information == close(expected["T_p"])
    assert after.situation.cost == close(expected["cost_after"])


def check_truth(settings: Mapping[str, Any], truth: Mapping[str, Any]) -> None:
    """Compare the hardness of the run's problem."""
    means = np.array(settings["means"])
    oracle = exact(oracle_of(settings))
    best = oracle.best(means)
    if "M_star" in truth:
        assert oracle.value(means, np.array(truth["M_star"])) == close(truth["w_star"])
        assert oracle.value(means, best) == close(truth["w_star"])
    if "gaps" not in truth:
        return
    gaps = hardness.gaps(means, oracle)
    scale = float(np.abs(means).max())
    assert gaps.tolist() == pytest.approx(truth["gaps"], rel=RELATIVE, abs=RELATIVE * scale)
    raw = hardness.hardness(gaps)
    assert math.isinf(raw) == ("H" not in truth)
    if math.isinf(raw):
        return
    assert raw == close(truth["H"])
    scaled = hardness.scaled_hardness(raw, sigma=settings["sigma"])
    assert scaled == close(truth["H_tilde"])
    if "alpha" not in truth:
        return
    alpha = strong_probability(
        POLICIES[settings["policy"]],
        gain=settings["s"],
        cost=settings["j"],
        contested=0,
        size=settings["K"],
    )
    assert min(max(alpha, 0.0), 1.0) == close(truth["alpha"])
    cost = hardness.expected(settings["j"], alpha)
    gain = hardness.expected(settings["s"], alpha)
    assert (cost, gain) == close((truth["x_cost"], truth["x_gain"]))
    bound = hardness.pull_bound(
        n=means.size, scaled=scaled, delta=settings["delta"], cost=cost, gain=gain
    )
    assert bound == close(truth["bound_pulls"])


def check_oracles(vector: Mapping[str, Any]) -> None:
    """Compare cohorts by set, and the exact diverse value by value."""
    for row in vector["rows"]:
        utilities, size, groups = np.array(row["u"]), row["K"], np.array(row["groups"])
        top = TopK(size)
        assert top.best(utilities).tolist() == row["topk"]
        assert top.value(utilities, top.best(utilities)) == close(row["w_top"])
        greedy = Diverse(size, groups)
        assert greedy.best(utilities).tolist() == row["wdiv_greedy"]
        assert greedy.value(utilities, greedy.best(utilities)) == close(row["w_greedy"])
        best = DiverseExact(size, groups)
        assert best.value(utilities, best.best(utilities)) == close(row["w_exact"])
        assert best.value(utilities, np.array(row["one_exact_set"])) == close(row["w_exact"])
        check_quota(row, utilities, groups)


def check_quota(row: Mapping[str, Any], utilities: FloatArray, groups: IntArray) -> None:
    """Compare the quota's cohort; where caps leave too few places, that is refused."""
    cap = np.array(row["cap"])
    none = np.zeros_like(cap)
    if not row["quota_full"]:
        with pytest.raises(InfeasibleError, match=f"select {len(row['quota'])}$"):
            Quota(row["K"], groups, none, cap)
    feasible = Quota(len(row["quota"]), groups, none, cap)
    assert feasible.best(utilities).tolist() == row["quota"]


def check_hardness(vector: Mapping[str, Any]) -> None:
    """Compare gaps and bounds."""
    for row in vector["rows"]:
        utilities, groups, size = np.array(row["u"]), np.array(row["groups"]), row["K"]
        top = hardness.gaps(utilities, TopK(size))
        assert top.tolist() == pytest.approx(row["gaps_top"], rel=RELATIVE)
        diverse = hardness.gaps(utilities, DiverseExact(size, groups))
        assert diverse.tolist() == pytest.approx(row["gaps_wdiv"], rel=RELATIVE, abs=1e-12)
        raw = hardness.hardness(top)
        assert raw == close(row["H_top"])
        scaled = hardness.scaled_hardness(raw, sigma=row["sigma"])
        assert scaled == close(row["H_tilde"])
        alpha = strong_probability(
            StrongPolicy.PAPER, gain=row["s"], cost=row["j"], contested=0, size=size
        )
        assert min(max(alpha, 0.0), 1.0) == close(row["alpha"])
        cost, gain = hardness.expected(row["j"], alpha), hardness.expected(row["s"], alpha)
        assert (cost, gain) == close((row["x_cost"], row["x_gain"]))

        def bound(
            cost: float,
            gain: float,
            formula: Callable[..., float] = hardness.pull_bound,
            n: int = utilities.size,
            scaled: float = scaled,
            delta: float = row["delta"],
        ) -> float:
            return formula(n=n, scaled=scaled, delta=delta, cost=cost, gain=gain)

        assert bound(cost, gain) == close(row["bound_swap"])
        assert bound(cost + 0.1, gain - 0.05) == close(row["bound_swap_eps"])
        assert bound(row["j"], row["s"]) == close(row["bound_strong"])
        assert bound(1.0, 1.0) == close(row["bound_weak"])
        unfloored = hardness.scaled_hardness(raw, sigma=row["sigma"], least=0.0)
        implicit = bound(cost, gain, hardness.implicit_pull_bound, scaled=unfloored)
        assert implicit == close(row["implicit"])


def check_radii(vector: Mapping[str, Any]) -> None:
    """Compare each radius at one information."""
    for row in vector["rows"]:
        sigma, delta, n = row["sigma"], row["delta"], row["n"]
        information = np.full(n, float(row["T"]))
        paper = paper_radius(information, cost=row["cost"], sigma=sigma, delta=delta)
        assert paper[0] == close(row["chen"])
        for rho in (3, 10):
            radius = mixture_radius(information[:1], sigma=sigma, delta=delta, arms=n, rho=rho)
            assert radius[0] == close(row[f"mixture_rho{rho}"])
        pair = pair_radius(
            information[:1], np.array([7.0]), sigma=sigma, delta=delta, pairs=5 * (n - 5), rho=3
        )
        assert pair[0] == close(row["pair_with_T7_K5_rho3"])


def check_batch(vector: Mapping[str, Any]) -> None:
    """Compare a look on received scores, and the picks that count pending ones."""
    for row in vector["rows"]:
        check_batch_row(row)


def check_batch_row(row: Mapping[str, Any]) -> None:
    """Compare one state."""
    situation = batch_situation(row)
    oracle = oracle_of(row)
    sigma, delta = row["sigma"], row["delta"]

    def radius_of(information: FloatArray) -> FloatArray:
        if row["radius"] == "chen":
            return paper_radius(information, cost=row["cost"], sigma=sigma, delta=delta)
        return mixture_radius(
            information, sigma=sigma, delta=delta, arms=information.size, rho=row["rho"]
        )

    # The vectors measure the need from the middle of the K-th and the next mean throughout.
    distances = settling_distances(TopK(row["K"]), situation.mean)
    contenders: list[Contender] = []

    def kind_of(contender: Contender) -> int:
        contenders.append(contender)
        if row["kind"] != "need":
            return {"weak": 0, "strong": 1}[row["kind"]]
        needed = information_needed(
            information=contender.information,
            radius=contender.radius,
            distance=float(distances[contender.arm]),
        )
        return kind_for_need(situation.kinds, needed)

    cohort = oracle.best(situation.mean)
    comparison = compare(situation.mean, radius_of(situation.information), cohort, oracle)
    picks = choose_contested(
        situation,
        cohort,
        oracle,
        ChoicePolicy(tolerance=0.0, radius_of=radius_of, kind_of=kind_of),
        at_most=row["B"],
    ).picks

    assert cohort.tolist() == row["M"]
    assert comparison.rival.tolist() == row["M_tilde"]
    assert comparison.gap == close(row["certified_loss"])
    expected = row["picks"]
    assert [(pick.arm, ("weak", "strong")[pick.kind]) for pick in picks] == [
        (pick["arm"], pick["kind"]) for pick in expected
    ]
    assert [contender.information for contender in contenders] == close(
        [pick["T_eff_before"] for pick in expected]
    )
    assert [contender.radius for contender in contenders] == close(
        [pick["radius_before"] for pick in expected]
    )
    assert [situation.kinds[pick.kind].gain for pick in picks] == close(
        [pick["gain"] for pick in expected]
    )


def batch_situation(row: Mapping[str, Any]) -> Situation:
    """Set the state up, with nothing that limits the picks."""
    mean, information = np.array(row["u"]), np.array(row["T"])
    return Situation(
        mean=mean,
        information=information,
        pending=np.array(row["pending"]),
        settled_mean=mean,
        settled_information=information,
        kinds=two_kinds(row),
        allowed=np.full((mean.size, 2), 999),
        kind_left=np.full(2, 999),
        budget_left=math.inf,
        cost=row["cost"],
    )


def check_kg_vector(vector: Mapping[str, Any]) -> None:
    """Leave the knowledge gradient to its own checker."""
    rows: Iterable[Mapping[str, Any]] = vector["rows"]
    check_kg(rows)


def two_kinds(settings: Mapping[str, Any]) -> tuple[PullKind, PullKind]:
    """Return the paper's weak and strong pull."""
    return PullKind(cost=1.0, gain=1.0), PullKind(cost=settings["j"], gain=settings["s"])


def oracle_of(settings: Mapping[str, Any]) -> Oracle:
    """Build the oracle that a vector names, or that its objective implies."""
    defaults = {"top": "topk", "wdiv": "wdiv_greedy", "quota": "quota_topk"}
    size, groups = settings["K"], np.array(settings.get("groups") or [], dtype=np.int64)
    match settings.get("oracle", defaults[settings["objective"]]):
        case "topk":
            return TopK(size)
        case "wdiv_greedy":
            return Diverse(size, groups)
        case "wdiv_exact":
            return DiverseExact(size, groups)
        case "quota_topk" | "quota":
            cap = np.array(settings["cap"])
            return Quota(size, groups, np.zeros_like(cap), cap)
        case unknown:
            raise AssertionError(f"no oracle is called {unknown!r}")


def exact(oracle: Oracle) -> Oracle:
    """Replace the greedy oracle where the truth is asked for."""
    return DiverseExact(oracle.size, oracle.groups) if isinstance(oracle, Diverse) else oracle


def close(expected: object) -> object:
    """Compare floats to 1e-9 relative."""
    return pytest.approx(expected, rel=RELATIVE, abs=1e-12)


CHECKS: dict[str, Callable[[Any], None]] = {
    "index": check_index,
    "swap-golden/1": check_run,
    "swap-golden-oracles/1": check_oracles,
    "swap-golden-hardness/1": check_hardness,
    "swap-golden-radii/1": check_radii,
    "swap-golden-batch/1": check_batch,
    "swap-golden-kg/1": check_kg_vector,
}
