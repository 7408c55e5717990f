"""`make screenshots`: every page at both widths, light and dark, and the README's pictures.

Pages go into var/screenshots/, the pictures into docs/pictures/. First comes one program of 60
applicants at two moments, whose figures add up across its pages, beside which the mock-ups can be
laid; then every page that the walk of all pages comes to. With the word `program` it ends after
the first; with `right-to-left` too, in a language that runs that way, and without pictures.
"""

import os
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page, sync_playwright

from swapflow.i18n.languages import SOURCE
from tests.browser.office import ARGUMENTS, DESK, PHONE, Deployment, chromium, deployed, settle
from tests.browser.pictures import FOLDER as PICTURES
from tests.browser.pictures import picture_before_the_committee, picture_near_the_cut
from tests.browser.places import furnish, walk
from tests.browser.shown_program import (
    CHAIR,
    OFFICER,
    SHOWN,
    end_program,
    furnish_program,
    launch_program,
)


FOLDER = Path("var/screenshots")
BEFORE = {"launch": f"/setup/{SHOWN}/questions"}
NEAR_THE_CUT = {
    "to-do": "/",
    "program": f"/today/{SHOWN}",
    "waiting": f"/today/{SHOWN}/waiting",
    "decisions": f"/today/{SHOWN}/decisions",
    "evidence": f"/today/{SHOWN}/evidence",
    "applicants": f"/applicants/{SHOWN}",
    "applicant": f"/applicants/{SHOWN}/14",
    "schedule": f"/applicants/{SHOWN}/slots",
    "dates-that-fit": f"/applicants/{SHOWN}/slots/proposal",
    "reviewers": f"/reviewers/{SHOWN}",
    "reviewer": f"/reviewers/{SHOWN}/0",
    "activity": f"/today/{SHOWN}/activity",
    "mail": f"/today/{SHOWN}/mail",
    "rules": f"/setup/{SHOWN}/rules",
    "score-form": f"/setup/{SHOWN}/rubrics/review",
    "exchange": f"/setup/{SHOWN}/exchange",
    "copies": f"/setup/{SHOWN}/copies",
    "users": "/setup/users",
    "system": "/setup/system",
    "account": "/me",
}
COMMITTEE = {
    "decide": f"/decide/{SHOWN}",
    "confirm-out": f"/decide/{SHOWN}/zones/out",
    "wall": f"/decide/{SHOWN}/meeting",
    "calibration": f"/decide/{SHOWN}/calibration",
    "offers": f"/decide/{SHOWN}/offers",
    "letters": f"/decide/{SHOWN}/letters",
}

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
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        words = set(sys.argv[1:])
        turned = "right-to-left" in words
        with deployed(Path(data), browser, language="ar-XB" if turned else SOURCE) as up:
            taken = _take_program(up, None if turned else Path(data))
            if not {"program", "right-to-left"} & words:
                furnish(up)
                taken += _take_all(up)
        browser.close()
    print(f"{taken} screenshots in {FOLDER}, the README's pictures in {PICTURES}")
    return 0


def _take_program(up: Deployment, data: Path | None) -> int:
    """Take the program's pages; with a folder for the advice's table the pictures too."""
    furnish_program(up)
    taken = _take_pages(up, OFFICER, BEFORE)
    launch_program(up)
    if data is not None:
        picture_near_the_cut(up)
    taken += _take_pages(up, OFFICER, NEAR_THE_CUT)
    taken += _take_pages(up, "reader1@example.org", {"inbox": "/inbox"})
    end_program(up)
    if data is not None:
        picture_before_the_committee(up, data)
    return taken + _take_pages(up, CHAIR, COMMITTEE)


def _take_pages(up: Deployment, who: str, pages: Mapping[str, str]) -> int:
    taken = 0
    with up.person(who) as context:
        page = context.new_page()
        for name, path in pages.items():
            page.goto(path)
            taken += _take(page, f"0-{name}")
    return taken


def _take_all(up: Deployment) -> int:
    taken = 0
    for place, page, _ in walk(up):
        if page.locator("#swagger").count():
            page.wait_for_selector("#swagger .info .title")
        taken += _take(page, re.sub(r"[^a-z0-9]+", "-", place.title.lower()).strip("-")[:100])
    return taken


def _take(page: Page, name: str) -> int:
    for width in (PHONE, DESK):
        for shade in SHADES:
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=shade)
            settle(page)
            if page.locator(".chart, #forecast, [data-forecast]").count():
                page.wait_for_timeout(1_500)  # drawn by a script, and again in the other shade
            page.screenshot(path=FOLDER / f"{name}-{width}-{shade}.png", full_page=True)
    page.emulate_media(color_scheme="light")
    return 2 * len(SHADES)


if __name__ == "__main__":
    sys.exit(main())
