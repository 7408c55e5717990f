"""What every test shares: free ports, compiled code and statements, one PostgreSQL a worker."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.postgres import PostgresServer
from tests.support.shared_statements import share_statements


os.environ.setdefault("SWAPFLOW_WEB_PORT", "0")
# One folder for what numba compiles: for all workers, all processes and the next time.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parents[1] / "var" / "numba"))
share_statements()


def pytest_collection_finish() -> None:
    """Leave what the imports made out of every later collection of garbage: none of it goes."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.stop()
