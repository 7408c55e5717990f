"""What every test shares: free ports, compiled code and statements, one PostgreSQL a worker."""

import gc
import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.postgres import PostgresServer
from tests.support.quick_passwords import hash_quickly
from tests.support.shared_statements import share_statements
from tests.support.tiers import TIER, Tier, cases, is_quick, left_to_run, told


os.environ.setdefault("SWAPFLOW_WEB_PORT", "0")
# One folder for what numba compiles: for all workers, all processes and the next time.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parents[1] / "var" / "numba"))
share_statements()
hash_quickly()
settings.register_profile("tier", cases(100))
settings.load_profile("tier")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave modules of the other tiers unread: reading all of them takes half a minute."""
    tests = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    return True if TIER is Tier.QUICK and tests and not is_quick(collection_path) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the items of the tier that have not been run yet."""
    kept = list(left_to_run(items))
    left = set(items) - set(kept)
    config.hook.pytest_deselected(items=list(left))
    items[:] = kept


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """Restore the mask of file rights that this test found: commands set another."""
    mask = os.umask(0o022)
    os.umask(mask)
    try:
        return (yield)
    finally:
        os.umask(mask)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what was not run, and why."""
    for line in told(terminalreporter.getreports("skipped")):
        terminalreporter.write_line(line)


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
