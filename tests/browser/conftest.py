"""A real browser before a real `swapflow up`."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.office import ARGUMENTS, PATIENCE, Deployment, chromium, deployed
from tests.support.tiers import lacks, only_in_full


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    only_in_full("a browser")
    path = chromium(os.environ.get("SWAPFLOW_CHROMIUM"))
    if path is None:
        lacks("no Chromium: install chromium-headless-shell, or name one in SWAPFLOW_CHROMIUM")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield made
        made.close()


@pytest.fixture(scope="session")
def up(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """A deployment for all browser tests; each makes the cycles that it needs."""
    with deployed(tmp_path_factory.mktemp("up"), browser) as deployment:
        yield deployment
    assert deployment.strayed == [], "a page asked another host"
