"""All benchmarks: `python -m tests.bench` prints a table and writes var/bench.json."""

import json
from pathlib import Path

from tests.bench import decision_bench, ingest_bench


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
}


def main() -> None:
    """Measure, print, write."""
    figures = decision_bench.measure() | ingest_bench.measure()
    for name, figure in figures.items():
        print(f"{name:36} {figure:12.4g}  {_against_target(name, figure)}".rstrip())
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    print(f"written to {OUT}")


def _against_target(name: str, figure: float) -> str:
    """Format a figure's target, and whether the figure meets it."""
    if name not in TARGETS:
        return ""
    sign, target = TARGETS[name]
    met = figure < target if sign == "<" else figure >= target
    return f"target {sign} {target:g}: {'met' if met else 'MISSED'}"


if __name__ == "__main__":
    main()
