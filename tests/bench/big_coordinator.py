"""A coordinator that starts on a big cycle, works until it is idle, and says what it took.

Run as `python -m tests.bench.big_coordinator DATABASE REDIS`; prints megabytes and seconds.
"""

import json
import sys
import time
from pathlib import Path

from swapflow.bootstrap import build
from swapflow.settings import load_settings


def main(database: str, redis: str) -> None:
    """Take turns until nothing is left to do."""
    product = build(load_settings(database_url=database, redis_url=redis, resend_seconds=3600.0))
    coordinator = product.cycles.coordinator("big")
    began = time.perf_counter()
    while coordinator.turn():
        pass
    print(json.dumps({"peak_mb": peak_megabytes(), "seconds": time.perf_counter() - began}))


def peak_megabytes() -> float:
    """Read the most memory that this program ever held.

    Not `ru_maxrss`: Linux lets it begin at what the process held that started this one.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise OSError("/proc/self/status does not say how much memory was held")


if __name__ == "__main__":
    main(*sys.argv[1:])
