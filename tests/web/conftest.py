"""What every test of the pages starts from: a site with nobody in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from swapflow.settings import Settings, load_settings
from tests.support.migrated import new_database
from tests.web.site import ADDRESS, Site


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A module that needs other settings overrides this fixture."""
    return load_settings(data_dir=tmp_path, public_url=ADDRESS)


@pytest.fixture
def site(tmp_path: Path, settings: Settings) -> Iterator[Site]:
    """A site with an empty database; `site.launched()` makes a running cycle."""
    database = tmp_path / "swapflow.db"
    new_database(database)
    made = Site(database, settings=settings)
    yield made
    made.ledger.dispose()
