"""Answers all that waits in a cycle from eight threads, and prints each receipt once it has it.

Run as `python -m tests.engine.reviewing.handing_in URL`, and killed by the test that reads it.
"""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

from swapflow.domain.reviewing.assignment import Assignment
from swapflow.domain.reviewing.score import Answer, Receipt
from tests.engine.cycle_by_hand import World


def received(printed: str) -> list[Receipt]:
    """Read the receipts that were printed whole."""
    lines = printed.splitlines(keepends=True)
    return [Receipt(**json.loads(line)) for line in lines if line.endswith("}\n")]


def main(url: str) -> None:
    """Submit until nothing waits, or until it is killed."""
    world = World(url=url, there=True)

    def submit(asked: Assignment) -> None:
        utility = asked.application % 10 / 10
        answer = Answer(assignment_id=asked.id, utility=utility, remark="Well argued.")
        (receipt,) = world.product.tasks.submit([answer])
        # One call for a line: the kernel has all of it before the process may die.
        os.write(1, json.dumps(asdict(receipt)).encode() + b"\n")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(submit, world.waiting()))


if __name__ == "__main__":
    main(*sys.argv[1:])
