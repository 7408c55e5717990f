"""`make screenshots`: every page at both widths, light and dark, into var/screenshots/."""

import os
import re
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.office import DESK, PHONE, Deployment, chromium, deployed, everybody, settle


FOLDER = Path("var/screenshots")


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
            taken = sum(_take(up, *one) for one in everybody(up))
        browser.close()
    print(f"{taken} screenshots in {FOLDER}")
    return 0


def _take(up: Deployment, email: str, paths: tuple[str, ...]) -> int:
    for width in (PHONE, DESK):
        for dark in (False, True):
            with up.person(email, width=width, dark=dark) as context:
                page = context.new_page()
                for path in paths:
                    page.goto(path)
                    settle(page)
                    shade = "dark" if dark else "light"
                    who = email.partition("@")[0] or "nobody"
                    name = re.sub(r"[^a-z0-9]+", "-", f"{who}{path}".lower()).strip("-")
                    page.screenshot(
                        path=FOLDER / f"{name[:100]}-{width}-{shade}.png", full_page=True
                    )
    return 4 * len(paths)


if __name__ == "__main__":
    sys.exit(main())
