"""The memory of a deployment's processes over time, from what the kernel counts."""

import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

import numpy as np

from tests.support.process import children


KB = 1024
TEN_MINUTES = 600.0


class MemoryWatch:
    """Notes RSS and PSS of processes at an interval until the block ends.

    Args:
        processes: Gives the process number of each name; those that it started count with it.
        every: Seconds between two looks.
    """

    def __init__(self, processes: Callable[[], Mapping[str, int]], *, every: float = 5.0) -> None:
        self._processes = processes
        self._every = every
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._began = time.monotonic()
        self.seen: dict[str, list[tuple[float, float, float]]] = defaultdict(list)

    def __enter__(self) -> Self:
        self._began = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._end.set()
        self._thread.join()

    def look(self) -> None:
        """Note what every process holds at this moment."""
        at = time.monotonic() - self._began
        for name, pid in self._processes().items():
            held = [memory_mb(one) for one in (pid, *children(pid))]
            if held[0] != (0.0, 0.0):
                rss, pss = (sum(column) for column in zip(*held, strict=True))
                self.seen[name].append((at, rss, pss))

    def figures(self) -> dict[str, dict[str, float]]:
        """Megabytes at the first and last look, and how fast they grew.

        The slope is a straight line through the second half: what a process loads when it starts
        to work is no growth.
        """
        return {name: _figures(looks) for name, looks in sorted(self.seen.items())}

    def _watch(self) -> None:
        self.look()
        while not self._end.wait(self._every):
            self.look()


def memory_mb(pid: int) -> tuple[float, float]:
    """Resident and proportional memory of a process in MB; zeros when it is gone."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")
    except OSError:  # it ended meanwhile
        return 0.0, 0.0
    said = {line.split()[0]: float(line.split()[1]) for line in text.splitlines()[1:]}
    return said["Rss:"] / KB, said["Pss:"] / KB


def cpu_seconds(pid: int) -> float:
    """Processor time that a process and those that it started have had."""
    tick, total = os.sysconf("SC_CLK_TCK"), 0.0
    for one in (pid, *children(pid)):
        try:
            stat = Path(f"/proc/{one}/stat").read_text("utf-8", "replace")
        except OSError:  # it ended meanwhile
            continue
        fields = stat.rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / tick
    return total


def _figures(looks: list[tuple[float, float, float]]) -> dict[str, float]:
    late = np.array(looks[len(looks) // 2 :])
    slopes = [0.0, 0.0]
    if len(late) > 2:
        slopes = [float(np.polyfit(late[:, 0], late[:, n], 1)[0]) * TEN_MINUTES for n in (1, 2)]
    return {
        "rss_mb_first": round(looks[0][1], 1),
        "rss_mb_half": round(float(late[0, 1]), 1),
        "rss_mb_last": round(looks[-1][1], 1),
        "pss_mb_last": round(looks[-1][2], 1),
        "rss_mb_per_10_min": round(slopes[0], 2),
        "pss_mb_per_10_min": round(slopes[1], 2),
    }
