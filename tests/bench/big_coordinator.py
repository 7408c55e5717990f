"""A coordinator that starts on a big cycle, works until it is idle, and says what it took.

Run as `python -m tests.bench.big_coordinator DATABASE REDIS`; prints megabytes and seconds.
"""

import json
import resource
import sys
import time

from swapflow.bootstrap import build
from swapflow.settings import load_settings


def main(database: str, redis: str) -> None:
    """Take turns until nothing is left to do."""
    product = build(load_settings(database_url=database, redis_url=redis, resend_seconds=3600.0))
    coordinator = product.coordinator("big")
    began = time.perf_counter()
    while coordinator.turn():
        pass
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"peak_mb": peak, "seconds": time.perf_counter() - began}))


if __name__ == "__main__":
    main(*sys.argv[1:])
