"""What every test of the pages starts from: a site with nobody in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from swapflow.ledger.maintenance.upgrade import upgrade
from swapflow.settings import Settings, load_settings
from tests.web.site import ADDRESS, Site


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("empty") / "swapflow.db"
    upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A module that needs other settings overrides this fixture."""
    return load_settings(data_dir=tmp_path, public_url=ADDRESS)


@pytest.fixture
def site(tmp_path: Path, empty_database: Path, settings: Settings) -> Iterator[Site]:
    """A site with an empty database; `site.launched()` makes a running cycle."""
    database = tmp_path / "swapflow.db"
    database.write_bytes(empty_database.read_bytes())
    made = Site(database, settings=settings)
    yield made
    made.ledger.dispose()
