"""What fitting the model of the rule `budget` costs, in processor time and memory.

Run it with `python -m tests.bench.fit_bench`; it prints what `measure` returns. Each size is
fitted in a process of its own with one thread, so that nothing is counted but the fit.
"""

import json
import os
import subprocess
import sys
from typing import Any


SIZES = ("1600x45x4800", "20000x700x60000", "20000x2000x60000", "200000x5000x600000")
"""Applicants, reviewers and marks."""

FEW = 5_000
"""Most marks of a size whose fit is repeated, and compared with the version before."""

SCRIPT = """
import json, sys, time, tracemalloc
import numpy as np
from swapflow.bandit.estimation.posterior import FitVersion, fit, posterior
from swapflow.bandit.situation import PullKind, Scores

n, reviewers, count, repeats = map(int, sys.argv[1:])
rng = np.random.default_rng(1)
arm = np.concatenate([np.arange(n), rng.integers(0, n, count - n)])
reviewer = rng.integers(0, reviewers, count)
utility, severity = rng.normal(0.5, 0.14, n), rng.normal(0, 0.05, reviewers)
mark = np.round(utility[arm] + severity[reviewer] + rng.normal(0, 0.14, count), 1)
scores = Scores(arm=arm, reviewer=reviewer, kind=np.zeros(count, dtype=np.int64), mark=mark)
kinds = (PullKind(cost=1, gain=1),)

def timed(version):
    taken = []
    for _ in range(repeats):
        began = time.process_time()
        found = fit(scores, n=n, kinds=kinds, severity=True, version=version)
        taken.append(time.process_time() - began)
    return min(taken), found

# The first call loads what the others use.
small = Scores(arm=arm[:50], reviewer=reviewer[:50], kind=scores.kind[:50], mark=mark[:50])
fit(small, n=n, kinds=kinds, severity=True)
seconds, found = timed(FitVersion.MAXIMUM)
before = timed(FitVersion.MARK_SET)[0] if repeats > 1 else None
tracemalloc.start()
fit(scores, n=n, kinds=kinds, severity=True)
mb = tracemalloc.get_traced_memory()[1] / 1e6
print(json.dumps({"seconds": seconds, "before": before, "mb": mb}))
"""


def measure() -> dict[str, Any]:
    """Measure every size.

    Returns:
        `fit_seconds` and `fit_mb` by size, and `fit_over_before`: seconds over those of the
        version before, for the size that both can do in no time.
    """
    found = {size: _measured(size) for size in SIZES}
    return {
        "fit_seconds": {size: figures["seconds"] for size, figures in found.items()},
        "fit_mb": {size: figures["mb"] for size, figures in found.items()},
        "fit_over_before": {
            size: figures["seconds"] / figures["before"]
            for size, figures in found.items()
            if figures["before"]
        },
    }


def _measured(size: str) -> dict[str, float]:
    counts = size.split("x")
    repeats = 5 if int(counts[2]) <= FEW else 1
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *counts, str(repeats)],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
