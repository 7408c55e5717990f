"""The studies of the paper through the command, their theory, and that figures show the CSV."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes

from swapflow.bandit.strong_pull_policy import StrongPolicy
from swapflow.cli.main import main
from swapflow.experiments.admissions import fixed_budgets
from swapflow.experiments.admissions.admissions_gains import experiment
from swapflow.experiments.catalogue import STUDIES, chosen
from swapflow.experiments.figures import canvas, house_style, label, save
from swapflow.experiments.finding import Finding, FindingTable, read_record
from swapflow.experiments.findings_page import page_of
from swapflow.experiments.known_rounds import redrawn_twin, twin
from swapflow.experiments.paper import example, hardness, pull_mix_zones, stopping, theorems
from swapflow.experiments.paper.theory import (
    BoundSetting,
    bound_on_cost,
    bound_with_margins,
    cheapest_plan,
    corollary_line,
    meant_plan,
    printed_plan,
)
from swapflow.experiments.study import StudyEffort
from swapflow.experiments.sweep import Cell, Here


pytestmark = pytest.mark.usefixtures("compiled_once")

SMALL = StudyEffort(runs=2)


def run(*arguments: str) -> int:
    return main(["study", "paper", *arguments, "--processes", "1"])


def found(name: str, folder: Path) -> Finding:
    (study,) = chosen([name])
    return study.run(SMALL, folder, spread=Here(), report=lambda _done, _total: None)


def test_the_strong_bound_is_the_weak_bound_where_the_corollary_draws_its_line() -> None:
    sigma, delta, raw, n = 0.5, 0.1, 300.0, 20
    gain = 3.0
    limit = float(
        corollary_line(np.array([gain]), n=n, raw_hardness=raw, sigma=sigma, delta=delta)[0]
    )

    assert limit == pytest.approx((4 * n * 4 * sigma**2 * raw / delta) ** (2 / 3))
    weak = BoundSetting(size=5, sigma=sigma, delta=delta, gain=1, cost=1, policy=StrongPolicy.WEAK)
    strong = BoundSetting(
        size=5, sigma=sigma, delta=delta, gain=gain, cost=limit, policy=StrongPolicy.STRONG
    )
    pulls = bound_on_cost(n, raw, strong) / limit
    assert pulls == pytest.approx(bound_on_cost(n, raw, weak))


def test_expected_cost_and_gain_are_those_of_the_papers_coin() -> None:
    setting = BoundSetting(size=3, sigma=1, delta=0.1, gain=10, cost=5)

    assert setting.strong == pytest.approx(5 / 9)
    assert setting.expected_cost == pytest.approx(5 / 9 * 5 + 4 / 9)
    assert setting.expected_gain == pytest.approx(5 / 9 * 10 + 4 / 9)


def test_margins_only_widen_the_bound_and_say_nothing_for_few_arms() -> None:
    setting = BoundSetting(size=3, sigma=1, delta=0.1, gain=10, cost=5)

    wide = bound_with_margins(1000, 50.0, setting, pulls=5000)

    assert wide > bound_on_cost(1000, 50.0, setting) / setting.expected_cost
    assert bound_with_margins(3, 50.0, setting, pulls=5000) == math.inf


@pytest.mark.parametrize("gain", [3, 7, 12])
def test_example_1_is_the_cheapest_plan_as_meant_and_never_as_printed(gain: int) -> None:
    for cost in range(2, gain):
        for needed in range(1, 60):
            best = cheapest_plan(needed, gain=gain, cost=cost)
            meant = meant_plan(needed, gain=gain, cost=cost)
            printed = printed_plan(needed, gain=gain, cost=cost)

            assert (meant.cost, meant.information >= needed) == (best.cost, True)
            assert printed.cost != best.cost or printed.information < needed


def test_the_example_stands_as_the_papers_figure_does() -> None:
    finding = example.find(0)

    arms = finding.tables["example"].records()
    assert [row["in_cohort"] for row in arms] == [True, True, False]
    assert [row["in_rival"] for row in arms] == [True, False, True]


@pytest.mark.slow
def test_strong_pulls_that_cost_nothing_extra_win_and_useless_ones_lose(tmp_path: Path) -> None:
    rows = {(r["s"], r["j"]): r for r in found("zones", tmp_path).tables["zones"].records()}

    assert float(rows[19, 1]["strong_over_weak"] or 0) < -1
    assert float(rows[1, 19]["strong_over_weak"] or 0) > 1
    assert rows[1, 1]["strong_over_weak"] == 0


def test_no_cost_of_top_k_is_above_its_bound(tmp_path: Path) -> None:
    table = found("hardness", tmp_path).tables["hardness"]

    assert not any(table.column("above_bound"))
    pairs = zip(table.numbers("bound_before_loosening"), table.numbers("bound_cost"), strict=True)
    assert all(tight < loose for tight, loose in pairs)


def test_greedy_w_div_is_exact_where_no_utility_is_negative(tmp_path: Path) -> None:
    arrays = theorems.greedy("t", {"signs": "at least 0"}, range(60))
    signed = theorems.greedy("t", {"signs": "of any sign"}, range(60))

    assert arrays["greedy"].max() < 1e-12
    assert signed["exact"].max() < 1e-12


def test_error_rates_are_counted_against_the_best_cohort() -> None:
    cell = {"instance": "loose δ, n = 3", "rule": "paper, coin"}

    arrays = theorems.errors("t", cell, range(50))

    assert arrays["wrong"].mean() <= 0.5
    assert arrays["stopped"].all()


@pytest.mark.slow
def test_certified_stops_sooner_than_the_paper_and_pairwise_sooner_still() -> None:
    def cost(rule: str) -> float:
        cell: Cell = {"instance": "clear border", "rule": rule, "s": 1.0, "j": 1.0, "eps": 0.0}
        return float(stopping.stop_costs("stopping/radii/0", cell, range(5))["cost"].mean())

    assert cost("certified, weak") <= cost("paper, weak") / 3
    assert cost("pairwise, weak") <= cost("paper, weak") / 4


def test_the_rule_budget_loses_less_than_even_reviewing_on_a_redrawn_twin() -> None:
    def loss(strategy: str) -> float:
        cell: Cell = {"strategy": strategy, "budget": 1.5}
        return float(fixed_budgets.twin_losses("t", cell, range(2))["loss"].mean())

    assert loss("budget") < loss("two-tier") < 0.2
    assert loss("budget") < loss("even")


def test_swap_stops_by_itself_near_the_papers_cost() -> None:
    cell: Cell = {"way": "SWAP", "by": "", "s": 7.0, "only": ""}

    arrays = experiment("t", cell, range(1))

    assert 1600 < float(arrays["cost"][0]) < 3000


def test_a_redrawn_twin_looks_like_the_twin() -> None:
    drawn, own = redrawn_twin(np.random.default_rng(1)), twin()

    assert drawn.truth.std() == pytest.approx(own.truth.std(), rel=0.1)
    assert np.nanstd(drawn.table) == pytest.approx(np.nanstd(own.table), rel=0.1)
    assert len({tuple(row) for row in drawn.judges[:50]}) > 40


def test_a_study_through_the_command_leaves_tables_figures_and_a_record(tmp_path: Path) -> None:
    page = tmp_path / "page.md"

    code = run("example", "theorems", "--runs", "3", "--out", str(tmp_path), "--page", str(page))

    assert code == 0
    names = {path.name for path in tmp_path.iterdir()}
    assert {"example.csv", "example.svg", "example.png", "theorems.csv", "study.json"} <= names
    record = read_record(tmp_path / "theorems.json")
    assert record.made.command == "swapflow study paper theorems --runs 3"
    assert record.seen
    assert "](theorems.svg)" in page.read_text()
    assert json.loads((tmp_path / "study.json").read_text())["studies"]["theorems"]["seen"]
    assert str(tmp_path) not in (tmp_path / "study.json").read_text()


def test_the_same_study_gives_the_same_files(tmp_path: Path) -> None:
    for place in ("one", "two"):
        assert run("zones", "--runs", "2", "--out", str(tmp_path / place)) == 0

    for name in ("zones.csv", "zones.svg", "zones-weak-strong.svg"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_study_without_its_data_says_so_and_the_others_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("reviews-needed", "example", "--out", str(tmp_path)) == 0

    assert "--data" in capsys.readouterr().out
    assert read_record(tmp_path / "reviews-needed.json").missing
    assert (tmp_path / "example.csv").exists()
    assert "Not run here" in page_of(tmp_path, base=tmp_path, order=[])


def test_an_unknown_study_is_refused_with_the_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("heat") == 2

    assert "zones" in capsys.readouterr().err


def test_tables_come_back_from_csv_as_they_were_written(tmp_path: Path) -> None:
    table = FindingTable(
        columns=("a", "b", "c", "d"), rows=((1, 0.123456789, "x, y", None), (2, 3.0, "z", True))
    )

    table.write(tmp_path / "t.csv")

    assert FindingTable.read(tmp_path / "t.csv") == table.rounded()


def labelled(axes: Axes) -> bool:
    return bool(axes.get_title(loc="left") and axes.get_xlabel() and axes.get_ylabel())


@pytest.mark.parametrize("name", ["example", "zones", "hardness", "theorems"])
def test_figures_are_titled_labelled_and_drawn_from_the_csv(name: str, tmp_path: Path) -> None:
    finding = found(name, tmp_path)
    tables = {key: table.rounded() for key, table in finding.tables.items()}

    for draw in finding.figures.values():
        with house_style():
            figure = draw(tables)
        panels = [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]
        assert panels
        assert all(labelled(axes) for axes in panels)


def test_the_points_of_a_figure_are_the_numbers_of_its_csv(tmp_path: Path) -> None:
    finding = found("hardness", tmp_path)
    table = finding.tables["hardness"].rounded()

    with house_style():
        figure = finding.figures["hardness"]({"hardness": table})

    drawn = {line.get_label(): line for line in figure.axes[0].lines}["cost of SWAP"]
    assert sorted(np.asarray(drawn.get_ydata()).tolist()) == sorted(table.numbers("cost"))


def test_a_figure_is_the_same_bytes_twice(tmp_path: Path) -> None:
    for place in ("a", "b"):
        with house_style():
            figure, (axes,) = canvas()
            axes.plot([1, 2], [3, 4])
            label(axes, title="t", x="x (unit)", y="y (unit)")
        save(figure, tmp_path / place)

    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_every_study_has_a_name_of_its_own_and_says_what_the_paper_shows() -> None:
    names = [study.name for study in STUDIES]

    assert len(set(names)) == len(names)
    assert all(study.paper and study.title for study in STUDIES)
    assert {hardness.STUDIES[0].name, pull_mix_zones.STUDIES[0].name} <= set(names)
