"""Deployments that the tests of a run share: starting one takes longer than most tests."""

import shutil
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.system.rounds import SmallRound, small_round


NUMBERS = count(1)


@pytest.fixture(scope="session")
def recordings() -> Iterator[Path]:
    """Not pytest's folder: what processes read must not be longer than their paths may be."""
    folder = Path(tempfile.mkdtemp(prefix="sf-rounds-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def quick(recordings: Path) -> SmallRound:
    """80 applications in about ten decisions."""
    return small_round(recordings / "quick")


@pytest.fixture
def cycle_id() -> str:
    """A name that no other test uses."""
    return f"c{next(NUMBERS)}"
