"""Hands the same answer in from many threads at once, and prints the receipts as JSON.

Run as `python -m tests.system.submitting ASSIGNMENT UTILITY THREADS FOLDER`: it says that it is
ready by a file in the folder, named by its process number, and waits there for a file `go`.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from threading import Barrier

from swapflow.bootstrap import swapflow
from swapflow.domain.reviewing.score import Answer, Receipt
from swapflow.engine.services import Swapflow


def submit_at_once(
    product: Swapflow, answer: Answer, *, threads: int, wait: Callable[[], None]
) -> list[Receipt]:
    """Submit one answer from several threads, when `wait` is over."""
    barrier = Barrier(threads, action=wait)

    def submit() -> Receipt:
        barrier.wait()
        return product.tasks.submit([answer])[0]

    with ThreadPoolExecutor(threads) as pool:
        return [done.result() for done in [pool.submit(submit) for _ in range(threads)]]


def main(assignment: str, utility: str, threads: str, folder: str) -> None:
    """Submit when told to."""
    product = swapflow()
    product.cycles.list()

    def wait() -> None:
        (Path(folder) / str(os.getpid())).touch()
        while not (Path(folder) / "go").exists():
            time.sleep(0.005)

    answer = Answer(assignment_id=assignment, utility=float(utility))
    receipts = submit_at_once(product, answer, threads=int(threads), wait=wait)
    print(json.dumps([asdict(receipt) for receipt in receipts]))


if __name__ == "__main__":
    main(*sys.argv[1:])
