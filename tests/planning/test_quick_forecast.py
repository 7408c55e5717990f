"""The forecast of a form agrees with the simulated rule, and answers while a person types."""

from dataclasses import replace

import numpy as np
import pytest

from swapflow.domain.rules import Rules
from swapflow.files.rules.rules_file import parse_rules, template
from swapflow.planning.quick_forecast import quick_forecast
from swapflow.planning.round_state import SpendingPolicy
from swapflow.planning.setting import Days, Marks, PlannedReviewer, PlanSetting
from swapflow.planning.simulated_round import simulate
from swapflow.simulation.random_numbers import stream_of


STREAM = stream_of("quick forecast")


def rules(*, places: int, budget: int, interviews: int | None) -> Rules:
    made = parse_rules(template("admissions", zone="UTC"))
    kinds = (made.kinds[0], replace(made.kinds[1], total=interviews))
    return replace(
        made,
        kinds=kinds,
        lines=(replace(made.lines[0], places=places),),
        budget=budget,
        floors=tuple(floor for floor in made.floors if floor.kind == "review"),
    )


def setting(applicants: int, reviews_each: float, *, interviews: int | None = None) -> PlanSetting:
    budget = int(applicants * reviews_each * 20)
    made = rules(places=applicants // 5, budget=budget, interviews=interviews)
    anybody = PlannedReviewer(most=(None, None), packet=made.packet)
    return PlanSetting(
        rules=made,
        applicants=applicants,
        people=(anybody,) * max(4, applicants // 10),
        marks=Marks(),
        days=Days(median=(7.0, 7.0)),
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("applicants", "each", "interviews"),
    [(60, 2.5, None), (60, 4.0, 12), (120, 3.0, None), (120, 6.0, 40)],
)
def test_its_share_is_that_of_the_simulated_rule_within_a_point(
    applicants: int, each: float, interviews: int | None
) -> None:
    round_ = setting(applicants, each, interviews=interviews)
    told = quick_forecast(round_, STREAM).own

    runs = [
        simulate(round_, STREAM, truth=n, luck=n, way=SpendingPolicy.RULES).value
        for n in range(60)
    ]
    even = [
        simulate(round_, STREAM, truth=n, luck=n, way=SpendingPolicy.EVEN).value for n in range(60)
    ]
    noise = 2.5 * np.std(runs) / np.sqrt(60)
    assert abs(told.mean - np.mean(runs)) <= 0.01 + noise
    assert abs(told.evenly - np.mean(even)) <= 0.01 + noise


def test_more_time_never_lowers_the_share_and_the_rule_beats_reading_evenly() -> None:
    round_ = setting(100, 2.5)
    budget = round_.rules.budget
    levels = quick_forecast(round_, STREAM, budgets=(budget, 2 * budget, 4 * budget)).levels

    assert [level.budget for level in levels] == [budget, 2 * budget, 4 * budget]
    assert levels[0].mean < levels[1].mean < levels[2].mean
    assert all(level.mean > level.evenly for level in levels[:2])
    assert all(level.low <= level.mean <= level.high for level in levels)


def test_what_is_spent_and_kept_adds_up_to_the_budget_and_no_limit_is_passed() -> None:
    round_ = setting(80, 5.0, interviews=7)
    told = quick_forecast(round_, STREAM)

    spent = told.spent
    parts = spent.everyone + spent.close + spent.drawn + spent.chosen
    parts += spent.further + spent.other + spent.kept
    assert parts == pytest.approx(round_.rules.budget)
    assert spent.everyone == 80 * 2 * 20
    assert 0 < spent.requests[1] <= 7 + 1e-9
    assert spent.kept >= round_.rules.reserve * round_.rules.budget - 1e-6


def test_a_large_round_is_told_in_its_own_costs_and_with_the_shares_of_a_small_one() -> None:
    small, large = setting(1000, 2.5), setting(20_000, 2.5)
    told = quick_forecast(large, STREAM, budgets=(2 * large.rules.budget,))
    beside = quick_forecast(small, STREAM)

    assert told.own.mean == pytest.approx(beside.own.mean, abs=1e-3)
    assert told.own.budget == large.rules.budget
    assert [level.budget for level in told.levels] == [2 * large.rules.budget]
    assert told.spent.everyone == 20_000 * 2 * 20
    assert told.spent.requests[0] == pytest.approx(20 * beside.spent.requests[0], rel=0.01)


def test_equal_answers_give_an_equal_forecast() -> None:
    assert quick_forecast(setting(60, 2.5), STREAM) == quick_forecast(setting(60, 2.5), STREAM)


def test_the_forecast_and_the_simulated_round_pay_for_the_drawn_check() -> None:
    """Of 96 without a place 5 are drawn; the budget stays the most that is spent."""
    drawing = setting(120, 3.0)
    without = drawing.with_rules(drawn_check=None)

    told, plain = (quick_forecast(one, STREAM).spent for one in (drawing, without))
    played, bare = (
        simulate(one, STREAM, truth=1, luck=1, way=SpendingPolicy.RULES)
        for one in (drawing, without)
    )

    assert told.drawn == pytest.approx(5 * 20, rel=0.05)
    assert plain.drawn == 0
    usable = drawing.rules.budget * (1 - drawing.rules.reserve)
    assert played.cost <= usable
    assert bare.cost <= usable
    # What is kept for the draw, the rule does not spend near the cut.
    assert told.further < plain.further
