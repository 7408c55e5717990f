"""A coordinator that freezes between a decision and its writing, as a stolen machine would.

Run as `python -m tests.system.sleeper N`: it stops itself (SIGSTOP) before its N-th write under
a lease, and says so when a write is refused because the lease is another's by then.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from swapflow.bootstrap import swapflow
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.errors import LeaseLostError
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.processes.coordinator import run_coordinator


HOLDER = "sleeper"
LOST = "the lease is another's"


class SleepyLedger(SqlLedger):
    """A ledger whose process freezes before a write."""

    naps_at = 0
    writes = 0

    @contextmanager
    def write(self, cycle_id: str, *, epoch: int | None = None) -> Iterator[Transaction]:
        if epoch is not None:
            SleepyLedger.writes += 1
            if SleepyLedger.writes == SleepyLedger.naps_at:
                os.kill(os.getpid(), signal.SIGSTOP)
        try:
            with super().write(cycle_id, epoch=epoch) as tx:
                yield tx
        except LeaseLostError:
            print(LOST, flush=True)
            raise


def main(naps_at: int) -> None:
    """Coordinate until told to stop."""
    product = swapflow()
    assert isinstance(product.context.ledger, SqlLedger)
    SleepyLedger.naps_at = naps_at
    product.context.ledger.__class__ = SleepyLedger
    run_coordinator(product, holder=HOLDER)


if __name__ == "__main__":
    main(int(sys.argv[1]))
