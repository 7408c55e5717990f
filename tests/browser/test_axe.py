"""Every page, light and dark, on a phone and on a desk: readable by all, and nothing overflows."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.browser.axe import RUN, SHADES, TAGS, WIDER
from tests.browser.office import AXE, DESK, PHONE, Deployment
from tests.browser.places import furnish, walk
from tests.web.roles import PAGES


SMALL = """() => [...document.querySelectorAll(
    "button, .button, select, textarea, summary, input:not([type=hidden])")]
  .filter(e => e.checkVisibility() && !e.closest(".visually-hidden, .swagger-ui"))
  .filter(e => {
    const label = e.closest("label") || (e.id && document.querySelector(`label[for="${e.id}"]`));
    const choice = ["checkbox", "radio"].includes(e.type) && label ? label : e;
    const box = choice.getBoundingClientRect();
    return box.width > 0 && (box.height < 43.5 || box.width < 43.5);
  }).map(e => e.outerHTML.slice(0, 120))"""

FILES = re.compile(
    r"/health/|/inbox/kept|\.(js|webmanifest|toml|ics|csv|xlsx)$|/(data|events|eml|html|sheet)$"
    r"|/(files|card|defence|results)/\{|/provider|^/try/\{token\}/"
)
"""Addresses of files, of data, of a mail as it was sent, and of an identity provider, which this
deployment has none of: no pages to look at."""

STYLES = Path(__file__).parents[2] / "swapflow" / "web" / "static"


@dataclass
class Seen:
    """What was found on all pages, by what is wrong."""

    unexpected: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    small: list[str] = field(default_factory=list)
    wide: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def seen(up: Deployment) -> Seen:
    """Walk once, and look at every page from all sides while it is open."""
    furnish(up)
    axe = AXE.read_text(encoding="utf-8")
    found = Seen()
    for place, page, status in walk(up):
        found.paths += [place.path.partition("?")[0], page.evaluate("location.pathname")]
        if status != place.status:
            found.unexpected.append(f"{place.title}: {status}, not {place.status}")
            continue
        page.evaluate(f"() => {{ {axe}; }}")  # evaluated, so the content policy stays as it is
        for width in (PHONE, DESK):
            for shade in SHADES:
                page.set_viewport_size({"width": width, "height": 800})
                page.emulate_media(color_scheme=shade)
                wrong = page.evaluate(RUN, _rules(shade))
                found.violations += [f"{place.title} {width} {shade}: {one}" for one in wrong]
            if width == PHONE:
                found.small += [f"{place.title}: {one}" for one in page.evaluate(SMALL)]
                if over := page.evaluate(WIDER):
                    found.wide.append(f"{place.title}: {over} pixels")
        page.emulate_media(color_scheme="light")
    return found


def _rules(shade: str) -> dict[str, object]:
    """All rules by light; by dark those about colour, for nothing else changes."""
    if shade == "light":
        return {"type": "tag", "values": TAGS}
    return {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}


def test_every_page_opens_with_the_status_that_is_meant(seen: Seen) -> None:
    assert seen.unexpected == []


def test_no_page_breaks_wcag_22_aa(seen: Seen) -> None:
    assert seen.violations == []


def test_everything_to_press_is_large_enough_for_a_thumb(seen: Seen) -> None:
    assert seen.small == []


def test_no_page_is_wider_than_a_phone(seen: Seen) -> None:
    assert seen.wide == []


def test_no_page_was_left_out(seen: Seen) -> None:
    unseen = [
        route
        for route in (name.removeprefix("GET ") for name in PAGES if name.startswith("GET "))
        if not FILES.search(route)
        and not any(re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", route), path) for path in seen.paths)
    ]
    assert unseen == []


def test_the_dark_sheet_changes_colours_and_nothing_else() -> None:
    """So that what holds by light of sizes, names and order holds by dark."""
    for sheet in STYLES.glob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        for block in re.findall(r"prefers-color-scheme: dark\)\s*\{(.*?\})\s*\}", text, re.DOTALL):
            inside = block.partition("{")[2].rstrip("} \n")
            rules = [one.strip() for one in re.sub(r"/\*.*?\*/", "", inside).split(";")]
            assert all(one.startswith("--") for one in rules if one), (sheet.name, rules)
