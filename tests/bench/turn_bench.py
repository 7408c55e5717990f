"""What a coordinator's turn costs beside an earlier commit, and the numbers about a list.

Run it with `python -m tests.bench.turn_bench`; it prints what `measure` returns. Both trees run
the same program in memory, in turn: one review comes in, then a turn is timed, in processor time.
The earlier commit runs with this tree's interpreter and libraries.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from swapflow.bandit.estimation.list_quality import list_quality
from tests.bench.earlier_tree import ROOT, checked_out


BEFORE = "e48ba9f3"
"""The last commit whose looks did not say how good the list is."""

APPLICATIONS, PLACES, REVIEWERS = 800, 75, 45
TURNS, ROUNDS = 60, 3
MANY = 20_000

SCRIPT = f"""
import json, statistics, time
from tests.engine.cycle_by_hand import World, rules
from swapflow.domain.rules import SeatLine
world = World(
    rules=rules(
        budget=4 * {APPLICATIONS}, lines=(SeatLine(name="all", places={PLACES}),), packet=40
    ),
    applications={APPLICATIONS},
    roster={REVIEWERS},
)
world.turn()
for _ in range(2):
    world.answer_all()
    world.turn()
taken = []
for one in world.waiting()[:{TURNS}]:
    world.submit(one, 0.5)
    began = time.process_time()
    world.coordinator.turn()
    taken.append(1000 * (time.process_time() - began))
print(json.dumps(taken))
"""


def measure(*, rounds: int = ROUNDS) -> dict[str, Any]:
    """Measure all of it.

    Returns:
        `list_quality_ms`: the closed form at 20,000 applicants, the median of 20; and
        `turn_ms` with the medians `before` and `now` and their `ratio`. Without the earlier
        commit `left_out` says why.
    """
    return {f"list_quality_ms_n{MANY}": time_closed_form(), "turn_ms": compare(rounds=rounds)}


def time_closed_form(n: int = MANY, *, repeats: int = 20) -> float:
    """Return the milliseconds of expected loss, range and probabilities of n applicants."""
    rng = np.random.default_rng(1)
    mean, deviation = rng.normal(0.5, 0.1, n), rng.uniform(0.02, 0.1, n)
    members = np.sort(np.argsort(-mean)[: n // 10])
    taken = []
    for _ in range(repeats):
        began = time.process_time()
        list_quality(mean, deviation, members)
        taken.append(time.process_time() - began)
    return 1000 * statistics.median(taken)


def compare(*, rounds: int = ROUNDS) -> dict[str, Any]:
    """Time turns of both trees, round by round."""
    with tempfile.TemporaryDirectory(prefix="sf-turn-") as name, ExitStack() as stack:
        try:
            before = stack.enter_context(checked_out(BEFORE, Path(name) / "before-tree"))
        except LookupError as missing:
            return {"now": _turns(ROOT), "left_out": str(missing)}
        pairs = [(_turns(before), _turns(ROOT)) for _ in range(rounds)]
    earlier, now = (statistics.median(side) for side in zip(*pairs, strict=True))
    return {"before": earlier, "now": now, "ratio": now / earlier, "commit": BEFORE}


def _turns(tree: Path) -> float:
    """Return the median milliseconds of a turn of this tree."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        check=True,
        capture_output=True,
        text=True,
    )
    return float(statistics.median(json.loads(done.stdout.splitlines()[-1])))


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
