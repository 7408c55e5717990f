"""All benchmarks: `python -m tests.bench` prints a table and writes var/bench.json."""

import json
from pathlib import Path
from typing import Any

from tests.bench import (
    command_bench,
    decision_bench,
    fit_bench,
    ingest_bench,
    post_bench,
    turn_bench,
)
from tests.web.score_statements import BUDGETS


OUT = Path("var/bench.json")
TARGETS = {
    "decision_speedup_n1600": (">=", 100.0),
    "growth_nlogn": ("<", 1.0),
    "live_growth_nlogn": ("<", 1.0),
    "kernel_speedup_n50": (">=", 500.0),
    "ingest_over_noop": (">=", 0.5),
    "turn_s": ("<", 0.5),
    "applied_after_ms": ("<", 100.0),
    f"memory_mb_n{ingest_bench.MANY}": ("<", 300.0),
    "post_statements": ("<=", float(BUDGETS["submit and next"])),
    "post_and_stay_statements": ("<=", float(BUDGETS["submit and stay"])),
    "turn_statements": ("<=", float(BUDGETS["turn after one score"])),
    "inbox_statements": ("<=", float(BUDGETS["inbox"])),
    "post_per_second.ratio": (">=", 2.0),
    f"list_quality_ms_n{turn_bench.MANY}": ("<=", 30.0),
    "turn_ms.ratio": ("<=", 1.05),
    "fit_seconds.20000x2000x60000": ("<=", 0.5),
    "fit_mb.20000x2000x60000": ("<=", 60.0),
    "fit_over_before.1600x45x4800": ("<=", 1.0),
    "help_over_typer": ("<=", 2.5),
    "status_over_imports": ("<=", 2.0),
    "advise_own_s_n1000": ("<", 2.0),
}


def main() -> None:
    """Measure, print, write."""
    figures: dict[str, Any] = decision_bench.measure() | ingest_bench.measure()
    figures |= post_bench.measure() | turn_bench.measure()
    figures |= fit_bench.measure() | command_bench.measure()
    for name, figure in _flat(figures):
        print(f"{name:36} {figure:12.4g}  {_against_target(name, figure)}".rstrip())
    if "left_out" in figures["post_per_second"]:
        why = figures["post_per_second"]["left_out"]
        print(f"the comparison with commit {post_bench.BEFORE} is left out: {why}")
    if "left_out" in figures["turn_ms"]:
        why = figures["turn_ms"]["left_out"]
        print(f"the comparison with commit {turn_bench.BEFORE} is left out: {why}")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    print(f"written to {OUT}")


def _flat(figures: dict[str, Any]) -> list[tuple[str, float]]:
    """Return the numbers by name; one that stands within another figure as `OUTER.INNER`."""
    found = []
    for name, figure in figures.items():
        if isinstance(figure, dict):
            found += [(f"{name}.{inner}", value) for inner, value in _flat(figure)]
        elif isinstance(figure, int | float):
            found.append((name, float(figure)))
    return found


def _against_target(name: str, figure: float) -> str:
    """Format a figure's target, and whether the figure meets it."""
    if name not in TARGETS:
        return ""
    sign, target = TARGETS[name]
    met = {"<": figure < target, "<=": figure <= target, ">=": figure >= target}[sign]
    return f"target {sign} {target:g}: {'met' if met else 'MISSED'}"


if __name__ == "__main__":
    main()
