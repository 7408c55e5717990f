"""What every test of the command starts from."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.cli.office import Office, forget_deployment


@pytest.fixture(scope="session")
def launched(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Launch a cycle once, for every test that starts from one to copy."""

    @cache
    def launch() -> Path:
        folder = tmp_path_factory.mktemp("launched")
        with pytest.MonkeyPatch.context() as monkeypatch:
            sit_down(folder, monkeypatch)
            Office(folder, launch).launch()
            forget_deployment()
        return folder

    return launch


@pytest.fixture
def office(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, launched: Callable[[], Path]
) -> Iterator[Office]:
    """An office with an empty data folder, at a terminal in that folder, with Redis away."""
    sit_down(tmp_path, monkeypatch)
    yield Office(tmp_path, launched)
    forget_deployment()


def sit_down(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "REDIS_URL", "REVIEWER"):
        monkeypatch.delenv(f"SWAPFLOW_{name}", raising=False)
    monkeypatch.setenv("SWAPFLOW_DATA_DIR", str(folder / "var"))
    monkeypatch.setenv("SWAPFLOW_USER", "olga")
    monkeypatch.chdir(folder)
    forget_deployment()
