"""What the studies of staff's numbers conclude, of results that are made up here."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from swapflow.bandit.situation import FloatArray
from swapflow.experiments.admissions import list_numbers
from swapflow.experiments.admissions.list_numbers_finding import COUNTED, WITH_NOISE
from swapflow.experiments.catalogue import chosen
from swapflow.experiments.figures import house_style
from swapflow.experiments.finding import Finding
from swapflow.experiments.study import StudyEffort
from swapflow.experiments.sweep import Array, Cell


RUNS = 3
ONES = np.ones((RUNS, list_numbers.BINS))

Made = Callable[[Cell], Mapping[str, Array]]


def concluded(name: str, made: Made) -> Finding:
    """Conclude a study from made-up results of each of its cells, and draw its figures."""
    (study,) = chosen([name])
    effort = StudyEffort(full=True)
    results = {
        part.name: [(cell, made(cell)) for cell in part.cells] for part in study.parts(effort)
    }
    finding = study.conclude(effort, results)
    tables = {key: table.rounded() for key, table in finding.tables.items()}
    for draw in finding.figures.values():
        with house_style():
            assert draw(tables).axes
    return finding


def spread(mean: float) -> FloatArray:
    return mean * np.array([0.9, 1.0, 1.1])


def judged(cell: Cell, counted: bool = False) -> dict[str, Array]:
    one = {
        "expected": spread(2.0),
        "loss": spread(1.0),
        "loss_covered": np.array([1.0, 1.0, 0.0]),
        "belong": spread(20.0),
        "belong_true": spread(19.0),
        "belong_covered": np.ones(RUNS),
        "count": 10 * ONES,
        "said": 5 * ONES,
        "true": 4 * ONES,
    }
    ways = ("", COUNTED) if counted else ("",)
    return {
        f"{budget} {way}{key}": values
        for budget in str(cell["budgets"]).split()
        for way in ways
        for key, values in one.items()
    }


def test_list_quality_tells_ratio_coverage_and_calibration() -> None:
    table = (
        concluded("list-quality", judged).tables["list-quality"].where(round="twin", budget=2.0)
    )

    assert table.numbers("ratio") == pytest.approx([2.0])
    assert table.numbers("loss_covered") == pytest.approx([2 / 3])
    assert table.numbers("calibration_error") == pytest.approx([0.1])


def test_a_truth_with_noise_of_its_own_is_read_in_two_ways() -> None:
    (study,) = chosen(["list-quality"])
    real: Cell = {"round": "insteval", "budgets": "1.5"}
    plain: Cell = {"round": "twin", "budgets": "2"}
    limited: Cell = {"round": "twin, quotas", "budgets": "2"}

    finding = study.conclude(
        StudyEffort(),
        {
            "redraws": [(plain, judged(plain)), (limited, judged(limited))],
            "insteval": [(real, judged(real, counted=True))],
        },
    )

    rounds = finding.tables["list-quality"].column("round")
    assert [name for name in rounds if "insteval" in str(name)] == [
        "insteval",
        f"insteval{WITH_NOISE}",
    ]


def test_the_taper_is_held_against_the_same_rounds_without_it() -> None:
    def made(cell: Cell) -> Mapping[str, Array]:
        share = 0.9 if cell["taper"] else 1.0
        return {"loss": share * spread(0.05), "days": spread(2.0 if cell["taper"] else 1.0)}

    table = concluded("requests-out", made).tables["requests-out"].where(taper=0.5)

    assert table.numbers("share_of_untapered") == pytest.approx([0.9, 0.9])
    assert table.numbers("share_se") == pytest.approx([0.0, 0.0], abs=1e-12)
    assert table.numbers("times_as_long") == pytest.approx([2.0, 2.0])


def test_the_floors_cost_is_the_difference_run_by_run() -> None:
    def made(cell: Cell) -> Mapping[str, Array]:
        more = 0.01 if cell["floor"] else 0.0
        return {"loss": spread(0.05) + more, "close": spread(30.0), "below": spread(1.0)}

    table = concluded("close-floors", made).tables["close-floors"].where(floor=3)

    assert table.numbers("more") == pytest.approx([0.01] * 4)
    assert table.numbers("more_se") == pytest.approx([0.0] * 4, abs=1e-12)


def test_the_rule_stands_beside_the_bound_of_its_floor() -> None:
    finding = concluded("lower-bound", lambda _cell: {"lost": spread(6.0)})

    table = finding.tables["lower-bound"]
    twice = table.where(floor=2, budget=2.5).records()[0]
    once = table.where(floor=1, budget=2.5).records()[0]
    assert float(twice["bound"] or 0) > float(once["bound"] or 0)
    assert "1.10" in finding.seen
