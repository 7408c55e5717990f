"""The command at a shell: how quick it starts, and what advice takes, cold start included."""

import csv
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np


ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "example"
COMMAND = (sys.executable, "-m", "swapflow.cli.main")
TIMES = 7
SIZES = (100, 1_000, 20_000)
MARKS, REQUESTS = 3, 60


def measure() -> dict[str, float]:
    """Measure commands as processes of their own, in processor time; the best of seven each.

    Returns:
        `help_over_typer` and `status_over_imports`: against a bare import of what they cannot do
        without; `advise_s_nN`, `advise_own_s_nN` and `advise_mb_nN`: seconds with imports,
        seconds of the answer alone, and memory at N applicants with three marks each.
    """
    with tempfile.TemporaryDirectory(prefix="sf-bench-") as name:
        folder = Path(name)
        where = _program(folder)
        took = _in_turn(
            {
                "typer": [sys.executable, "-c", "import typer"],
                "needed": [sys.executable, "-c", "import sqlmodel, numpy, typer"],
                "help": [*COMMAND, "--help"],
                "status": [*COMMAND, "cycle", "status", "masters"],
            },
            where,
        )
        figures = {
            "help_s": took["help"],
            "help_over_typer": took["help"] / took["typer"],
            "status_s": took["status"],
            "status_over_imports": took["status"] / took["needed"],
        }
        for count in SIZES:
            figures |= _advice(folder, count)
    return figures


def _program(folder: Path) -> dict[str, str]:
    """Make the program of the README, and return where it is."""
    where = {"SWAPFLOW_DATA_DIR": str(folder / "data")}
    for line in (
        ("db", "upgrade"),
        ("round", "new", "fall"),
        ("cycle", "new", "masters", "--round", "fall", "--rules", f"{EXAMPLE}/program.toml"),
        ("applications", "import", "masters", f"{EXAMPLE}/applicants.csv", "--show-proposed"),
        ("reviewers", "import", "masters", f"{EXAMPLE}/reviewers.csv"),
    ):
        _run([*COMMAND, *line], where)
    return where


def _advice(folder: Path, count: int) -> dict[str, float]:
    """Measure `advise` on invented marks of some applicants."""
    file, rng = folder / f"marks{count}.csv", np.random.default_rng(count)
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(("applicant", "reviewer", "mark"))
        for applicant, merit in enumerate(rng.normal(6, 1, count)):
            for reviewer in rng.choice(40, MARKS, replace=False):
                mark = round(float(np.clip(rng.normal(merit, 1.2), 1, 10)), 1)
                writer.writerow((f"A{applicant:05d}", f"R{reviewer:02d}", mark))
    question = [*COMMAND, "advise", str(file), "--reviews", str(REQUESTS), "--scale", "1..10"]
    question += ["--places", str(count // 10), "--out", str(folder / f"advice{count}")]
    seconds, memory = _best(question, times=2)
    bare, _ = _best([sys.executable, "-c", "import swapflow.advice.advise, swapflow.cli.main"])
    return {
        f"advise_s_n{count}": seconds,
        f"advise_own_s_n{count}": seconds - bare,
        f"advise_mb_n{count}": memory,
    }


def _in_turn(commands: Mapping[str, Sequence[str]], more: Mapping[str, str]) -> dict[str, float]:
    """Return the least processor time of each command, in seconds.

    They take turns: on a machine with other work, all that is compared is slowed alike.
    """
    runs = [{name: _run(one, more)[0] for name, one in commands.items()} for _ in range(TIMES)]
    return {name: min(run[name] for run in runs) for name in commands}


def _best(command: Sequence[str], *, times: int = TIMES) -> tuple[float, float]:
    """Return the least processor time in seconds, and the memory in MB, of some runs."""
    runs = [_run(command, {}) for _ in range(times)]
    return min(seconds for seconds, _ in runs), min(memory for _, memory in runs)


def _run(command: Sequence[str], more: Mapping[str, str]) -> tuple[float, float]:
    started = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        # Threads of BLAS that wait for each other would be measured, too.
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **more},
    )
    _, status, used = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {started.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


if __name__ == "__main__":
    for figure_name, figure in measure().items():
        print(f"{figure_name:36} {figure:12.4g}")
