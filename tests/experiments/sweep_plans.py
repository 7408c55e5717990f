"""Sweeps that are small enough for a test."""

from swapflow.experiments.comparison import normal_applicants
from swapflow.experiments.sweep import Cell, Sweep


CELLS: tuple[Cell, ...] = tuple(
    {"strategy": name, "budget": budget, "n": 20, "size": 4, "batch": 4}
    for name in ("even", "two-tier practice")
    for budget in (20, 40)
)


def plan(runs: int = 60, study: str = "tests") -> Sweep:
    return Sweep(study=study, cells=CELLS, work=normal_applicants, runs=runs, chunk=10)
