"""Another process that holds a database, as one does that has stopped in a long write."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL

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


SERVER = """
import sys, time
import psycopg
kept = []
{take}
print("held", flush=True)
time.sleep(600)
"""

ROW = """
kept.append(psycopg.connect({url!r}))
kept[0].execute("SELECT id FROM cycle FOR UPDATE")
"""

TABLES = """
kept.append(psycopg.connect({url!r}))
kept[0].execute("LOCK TABLE cycle, session, account IN ACCESS EXCLUSIVE MODE")
"""

EVERY_CONNECTION = """
while True:
    try:
        kept.append(psycopg.connect({url!r}))
    except psycopg.OperationalError:
        break
"""


@contextmanager
def held_server(url: URL, take: str) -> Iterator[None]:
    """Hold something of a PostgreSQL server inside the block: rows, tables, or connections."""
    address = url.set(drivername="postgresql").render_as_string(hide_password=False)
    code = SERVER.format(take=take.format(url=address))
    with Process([sys.executable, "-c", code]) as holder:
        holder.wait_for(lambda: "held" in holder.output(), what="what is to be held")
        yield
