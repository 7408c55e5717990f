"""Another process that holds a SQLite file, as one does that has stopped in a long write."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.process import Process


TRANSACTION = """
import sqlite3, time
connection = sqlite3.connect({file!r}, timeout=30, isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
time.sleep(600)
"""

LOCK_FILE = """
import fcntl, os, time
fcntl.flock(os.open({lock!r}, os.O_RDWR | os.O_CREAT), fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(600)
"""


@contextmanager
def held(file: Path, script: str = TRANSACTION) -> Iterator[None]:
    """Hold the write lock inside the block: SQLite's own, or swapflow's file beside it."""
    code = script.format(file=str(file), lock=str(file.with_suffix(".lock")))
    with Process([sys.executable, "-c", code]) as holder:
        holder.wait_for(lambda: "held" in holder.output(), what="the lock")
        yield
