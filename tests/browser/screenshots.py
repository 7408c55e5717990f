"""`make screenshots`: every page at both widths, light and dark, and the README's pictures.

Pages go into var/screenshots/, the pictures into docs/pictures/; `--pictures` takes these alone.
"""

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import sync_playwright

from tests.browser.office import DESK, PHONE, Deployment, chromium, deployed, settle
from tests.browser.pictures import FOLDER as PICTURES
from tests.browser.pictures import take_pictures
from tests.browser.places import furnish, walk


FOLDER = Path("var/screenshots")
SHADES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")


def main() -> int:
    """Take them all; the old ones go first."""
    path = chromium(os.environ.get("SWAPFLOW_CHROMIUM"))
    if path is None:
        print("no Chromium: install chromium-headless-shell, or name one in SWAPFLOW_CHROMIUM")
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.png"):
        old.unlink()
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu"]
        )
        with deployed(Path(data), browser) as up:
            furnish(up)
            pictures = take_pictures(up, Path(data))
            taken = 0 if "--pictures" in sys.argv else _take_all(up)
        browser.close()
    print(f"{pictures} pictures in {PICTURES}, {taken} screenshots in {FOLDER}")
    return 0


def _take_all(up: Deployment) -> int:
    taken = 0
    for place, page, _ in walk(up):
        name = re.sub(r"[^a-z0-9]+", "-", place.title.lower()).strip("-")[:100]
        if page.locator("#swagger").count():
            page.wait_for_selector("#swagger .info .title")
        for width in (PHONE, DESK):
            for shade in SHADES:
                page.set_viewport_size({"width": width, "height": 800})
                page.emulate_media(color_scheme=shade)
                settle(page)
                page.screenshot(path=FOLDER / f"{name}-{width}-{shade}.png", full_page=True)
                taken += 1
        page.emulate_media(color_scheme="light")
    return taken


if __name__ == "__main__":
    sys.exit(main())
