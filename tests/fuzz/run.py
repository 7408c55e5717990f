"""Feed spoilt files to every reader for a while, and report: python -m tests.fuzz --minutes 30.

The files are made from a seed and a number, so that any one can be made again. They are read in a
process of their own, with little memory and little time for each; one that dies or sticks is
named and replaced. Exit code 1 if any file was answered with anything but a reading or a refusal.
"""

import argparse
import json
import random
import resource
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from tests.fuzz.inputs import Seed, seeds, spoil
from tests.fuzz.readers import READERS


MEMORY = 2 * 2**30
"""Address space of the reading process; most of it is its libraries."""
PATIENCE = 120.0
"""Seconds after which a file counts as stuck; a busy machine is slow, and no hang."""


@dataclass(slots=True)
class Report:
    """What came of it."""

    seed: int
    cases: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    faults: list[dict[str, object]] = field(default_factory=list)
    slowest: float = 0.0
    slowest_case: int = 0
    megabytes: int = 0


def case(seed: int, number: int, good: tuple[Seed, ...]) -> tuple[Seed, bytes]:
    """Make one spoilt file."""
    rng = random.Random(f"{seed}/{number}")
    chosen = rng.choice(good)
    return chosen, spoil(chosen, rng)


def main() -> int:
    """Run for a while, or read one case alone."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="this one alone, here, with its traceback")
    parser.add_argument("--out", type=Path, help="where to write the report, as JSON")
    asked = parser.parse_args()
    if asked.case is not None:
        seed, data = case(asked.seed, asked.case, seeds())
        print(seed.name, repr(data[:2000]))
        print(READERS[seed.kind](data, seed.name))
        return 0
    report = run(asked.seed, asked.minutes)
    told = {
        "seed": report.seed,
        "cases": report.cases,
        "answers": dict(report.answers),
        "slowest_seconds": round(report.slowest, 2),
        "slowest_case": report.slowest_case,
        "peak_megabytes": report.megabytes,
        "faults": report.faults,
    }
    text = json.dumps(told, indent=1)
    print(text)
    if asked.out:
        asked.out.write_text(text + "\n", encoding="utf-8")
    return 1 if report.faults else 0


def run(seed: int, minutes: float) -> Report:
    """Read spoilt files until the time is over."""
    report = Report(seed=seed)
    ends = time.monotonic() + 60 * minutes
    while time.monotonic() < ends:
        _watch(report, ends)
    return report


def _watch(report: Report, ends: float) -> None:
    """Run one reading process until it dies, sticks, or the time is over."""
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_read, args=(there, report.seed, report.cases), daemon=True)
    process.start()
    there.close()
    patience = PATIENCE
    try:
        while time.monotonic() < ends:
            if not here.poll(patience):
                _note(report, "stuck", f"no answer within {patience:.0f} s")
                return
            name, answer, seconds, megabytes, trace = here.recv()
            report.answers[f"{name}: {answer}"] += 1
            if seconds > report.slowest:
                report.slowest, report.slowest_case = seconds, report.cases
            report.megabytes = max(report.megabytes, megabytes)
            if trace:
                _note(report, answer, trace)
            else:
                report.cases += 1
    except EOFError:
        _note(report, "died", f"exit code {process.exitcode}")
    finally:
        process.kill()
        process.join()
        here.close()


def _note(report: Report, what: str, trace: str) -> None:
    report.faults.append({"case": report.cases, "what": what, "trace": trace[-2000:]})
    report.cases += 1


def _read(pipe: Connection, seed: int, first: int) -> None:
    """Read one file after another; tell what came of each."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    good = seeds()
    number = first
    while True:
        chosen, data = case(seed, number, good)
        began, trace = time.process_time(), ""
        try:
            answer = READERS[chosen.kind](data, chosen.name)
        except Exception:  # noqa: BLE001 - whatever escapes is what is looked for
            answer, trace = "fault", traceback.format_exc()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        name = chosen.name.rpartition(".")[2]
        pipe.send((name, answer, time.process_time() - began, peak, trace))
        number += 1
