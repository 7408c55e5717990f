"""The bandit agrees with recorded vectors; without their folder this is skipped at home.

Where CI=true it fails instead.
"""

import json
import math
import os
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from swapflow.bandit.paper import PaperRule
from swapflow.bandit.situation import Look, Situation, StopReason
from tests.bandit.golden import CHECKS, FILES, FOLDER, replay
from tests.bandit.golden_kg import check_kg
from tests.bandit.reward_streams import Coins, StoredRewards


def test_the_folder_of_vectors_is_there() -> None:
    if not FILES:
        reason = f"no golden vectors in {FOLDER}: set SWAPFLOW_GOLDEN to their folder"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_bandit_agrees_with_every_recorded_vector(path: Path) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    vector_format = "index" if isinstance(content, list) else content["format"]

    check = CHECKS.get(vector_format)

    assert check is not None, f"{path.name}: nothing here knows the format {vector_format!r}"
    check(content)


def test_an_unknown_format_is_not_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "new.json"
    path.write_text('{"format": "swap-golden-unheard-of/1"}', encoding="utf-8")

    with pytest.raises(AssertionError, match="nothing here knows"):
        test_the_bandit_agrees_with_every_recorded_vector(path)


def run_that_spends_its_budget() -> dict[str, Any]:
    """One strong pull at cost 3 passes a budget of 4, which stops the run: worked out by hand."""
    first, second = math.sqrt(2 * math.log(640)), math.sqrt(2 * math.log(10_000))
    return {
        "input": {
            "means": [0.6, 0.5],
            "K": 1,
            "objective": "top",
            "delta": 0.1,
            "sigma": 1.0,
            "s": 4.0,
            "j": 3.0,
            "policy": "strong",
            "eps": 0.0,
            "max_steps": 9,
            "budget": 4.0,
        },
        "stream": {"weak": [[0.6], [0.5]], "strong": [[0.7], []], "coins": [0.5]},
        "init": [0.6, 0.5],
        "steps": [
            {
                "cost": 2.0,
                "M": [0],
                "Mt": [1],
                "wM": 0.6 - first,
                "wMt": 0.5 + first,
                "gap": 2 * first - 0.1,
                "p": 0,
                "rad_p": first,
                "alpha": 1.0,
                "coin": 0.5,
                "strong": True,
                "reward": 0.7,
                "u_p": 0.68,
                "T_p": 5.0,
                "cost_after": 5.0,
            },
            {
                "cost": 5.0,
                "M": [0],
                "Mt": [1],
                "wM": 0.68 - second / math.sqrt(5),
                "wMt": 0.5 + second,
                "gap": second + second / math.sqrt(5) - 0.18,
                "stop": True,
            },
        ],
        "result": {
            "status": "budget",
            "final": [0],
            "cost": 5.0,
            "u": [0.68, 0.5],
            "T": [5.0, 1.0],
        },
    }


class StopsInTheLook(PaperRule):
    """A wrong rule: its look stops when the budget is spent, as if all were settled."""

    def look(self, situation: Situation) -> Look:
        look = super().look(situation)
        return look if situation.budget_left > 0 else replace(look, stop=StopReason.BUDGET)


class NeverCertain(PaperRule):
    """A wrong rule: it never stops by itself."""

    def look(self, situation: Situation) -> Look:
        return replace(super().look(situation), stop=None)


def follow(vector: dict[str, Any], rule_class: type[PaperRule] = PaperRule) -> None:
    stream = vector["stream"]
    coins = Coins(0, stream["coins"])
    replay(vector, StoredRewards(stream), coins, rule_class=rule_class)
    assert coins.drawn == len(stream["coins"])


@pytest.mark.parametrize("stop", [{}, {"stop": True}, {"stop": False}])
def test_a_spent_budget_ends_the_step_after_its_look(stop: dict[str, bool]) -> None:
    vector = run_that_spends_its_budget()
    vector["steps"][-1].pop("stop")
    vector["steps"][-1].update(stop)

    follow(vector)


def test_a_rule_that_stops_in_the_look_when_the_budget_is_spent_is_caught() -> None:
    with pytest.raises(AssertionError):
        follow(run_that_spends_its_budget(), StopsInTheLook)


@pytest.mark.parametrize(
    "changed", [{"budget": 5.5}, {"budget": 2.0}, {"eps": 9.0}, {"max_steps": 1}]
)
def test_a_run_that_ends_otherwise_than_by_its_budget_is_caught(changed: dict[str, float]) -> None:
    vector = run_that_spends_its_budget()
    vector["input"].update(changed)

    with pytest.raises((AssertionError, IndexError)):
        follow(vector)


def test_a_look_that_should_stop_a_run_and_does_not_is_caught() -> None:
    vector = run_that_spends_its_budget()
    vector["input"]["sigma"] = 0.001
    vector["steps"] = [vector["steps"][0]]
    step = vector["steps"][0]
    radius = 0.001 * math.sqrt(2 * math.log(640))
    for name in ("p", "rad_p", "alpha", "coin", "strong", "reward", "u_p", "T_p", "cost_after"):
        del step[name]
    step.update({"Mt": [0], "wM": 0.6 - radius, "wMt": 0.6 - radius, "gap": 0.0, "stop": True})
    vector["stream"]["coins"] = []
    vector["result"] = {
        "status": "converged",
        "final": [0],
        "cost": 2.0,
        "u": [0.6, 0.5],
        "T": [1.0, 1.0],
    }

    follow(deepcopy(vector))
    with pytest.raises(AssertionError):
        follow(vector, NeverCertain)


def row_of_dear_pulls() -> dict[str, Any]:
    """Two applicants half a point from the cut; a pull of gain 4 costs 2: worked out by hand."""

    def value(gain: float) -> float:
        step = 0.5 / math.sqrt(0.5 + 1 / gain)
        z = 0.5 / step
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        return step * density - 0.5 * math.erfc(z / math.sqrt(2)) / 2

    return {
        "sigma": 1.0,
        "m0": 0.0,
        "t2": 1.0,
        "u": [1.0, 0.0],
        "T": [1.0, 1.0],
        "pending": [0.0, 0.0],
        "K": 1,
        "post_mean": [0.5, 0.0],
        "post_var": [0.5, 0.5],
        "kg_weak": [value(1), value(1)],
        "kinds": [[1.0, 1.0], [4.0, 2.0]],
        "picks": [{"arm": arm, "kind": 1, "value": value(4)} for arm in (0, 1)],
    }


def test_the_value_of_a_dear_pull_is_read_as_that_of_the_pull_and_not_of_its_cost() -> None:
    check_kg([row_of_dear_pulls()])


def test_a_chooser_that_does_not_count_the_cost_of_a_pull_is_caught() -> None:
    row = row_of_dear_pulls()
    for pick in row["picks"]:
        pick["value"] /= 2

    with pytest.raises(AssertionError):
        check_kg([row])


def test_a_chooser_that_goes_by_value_whatever_it_costs_is_caught() -> None:
    row = row_of_dear_pulls()
    row["kinds"][1][1] = 3.0

    with pytest.raises(AssertionError):
        check_kg([row])
