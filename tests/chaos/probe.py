"""What the campaign's launcher adds to a process under test; the product knows nothing of it.

`sitecustomize` in a temporary folder calls `install` before anything else runs. It notes under
which lease each write was committed, freezes a coordinator right before a write when a file asks
for it, and puts a break in the place of one guard when the campaign is run with `--break`.
"""

import json
import os
import select
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from swapflow.engine.ports.records import Lease
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.ledger.cycle.leases import SqlLeases
from swapflow.ledger.sql_ledger import SqlLedger
from tests.chaos.breaks import BREAKS


SITE = """import os
if "CHAOS_NAME" in os.environ:
    from tests.chaos.probe import install
    install({guard!r})
"""


def install(guard: str = "") -> None:
    """Add the notes to this process, and a break if one is named."""
    if "LD_PRELOAD" in os.environ:
        # libfaketime 0.9.10 that leaves monotonic clocks alone refuses `time.sleep` (EINVAL).
        time.sleep = _sleep  # type: ignore[assignment]  # floats will do
    if guard:
        BREAKS[guard].apply()
    name = os.environ["CHAOS_NAME"]
    if name.startswith("coordinator"):
        _note_leases(Path(os.environ["CHAOS_FOLDER"]), name)


def _sleep(seconds: float, /) -> None:
    select.select([], [], [], float(seconds))


def _note_leases(folder: Path, name: str) -> None:
    notes = folder / "leases" / f"{name}.{os.getpid()}.jsonl"
    notes.parent.mkdir(exist_ok=True)
    nap = folder / "nap" / name
    write, take = SqlLedger.write, SqlLeases.take_lease

    def note(**what: object) -> None:
        with notes.open("a", encoding="ascii") as file:
            file.write(json.dumps({"process": f"{name}.{os.getpid()}", **what}) + "\n")

    @contextmanager
    def noted_write(
        self: SqlLedger, cycle_id: str, *, epoch: int | None = None
    ) -> Iterator[Transaction]:
        if epoch is not None and nap.exists():
            nap.unlink()
            os.kill(os.getpid(), signal.SIGSTOP)
        with write(self, cycle_id, epoch=epoch) as tx:
            if epoch is not None and tx.cycle.epoch != epoch:
                note(what="let in", cycle=cycle_id, epoch=epoch, newer=tx.cycle.epoch)
            before = tx.cycle.position.seq
            yield tx
            after = tx.cycle.position.seq
        if epoch is not None and after > before:
            note(what="wrote", cycle=cycle_id, epoch=epoch, seq=after)

    def noted_take(self: SqlLeases, cycle_id: str, **how: Any) -> Lease | None:  # noqa: ANN401
        lease = take(self, cycle_id, **how)
        if lease is not None:
            note(what="took", cycle=cycle_id, epoch=lease.epoch)
        return lease

    SqlLedger.write = noted_write  # type: ignore[method-assign]  # the same, noted
    SqlLeases.take_lease = noted_take  # type: ignore[method-assign]  # the same, noted
