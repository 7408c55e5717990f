"""`make bench`: run every bench of this folder and leave the figures in var/bench.json.

A bench is a module named `*_bench` with a function `measure` that returns named figures.
"""

import importlib
import json
import pkgutil
import sys
import time
from pathlib import Path

import tests.bench


ROOT = Path(__file__).parents[2]


def main() -> int:
    """Run them one after the other; figures are printed as they come."""
    figures: dict[str, float] = {}
    for module in sorted(found.name for found in pkgutil.iter_modules(tests.bench.__path__)):
        if not module.endswith("_bench"):
            continue
        print(f"{module} …", file=sys.stderr, flush=True)
        began = time.perf_counter()
        measured: dict[str, float] = importlib.import_module(f"tests.bench.{module}").measure()
        assert not figures.keys() & measured.keys(), f"{module} measures what another does"
        figures |= measured
        for name, value in measured.items():
            print(f"  {name:40} {value:12.4g}")
        print(f"  ({time.perf_counter() - began:.0f} s)", file=sys.stderr)
    file = ROOT / "var" / "bench.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    print(f"written: {file.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
