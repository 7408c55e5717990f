"""Every page, light and dark, on a phone and on a desk: readable by all, and nothing overflows."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.browser.office import AXE, DESK, PHONE, Deployment, everybody, settle


TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RUN = """async tags => (await axe.run(document, {runOnly: {type: "tag", values: tags}}))
  .violations.map(v => `${v.id}: ${v.nodes.slice(0, 3).map(n => n.target + " " +
    (n.any[0] ? n.any[0].message : "")).join(" | ")}`)"""
SMALL = """() => [...document.querySelectorAll(
    "button, .button, select, textarea, summary, input:not([type=hidden])")]
  .filter(e => e.offsetParent !== null && !e.closest(".visually-hidden"))
  .filter(e => {
    const label = e.closest("label") || (e.id && document.querySelector(`label[for="${e.id}"]`));
    const choice = ["checkbox", "radio"].includes(e.type) && label ? label : e;
    const box = choice.getBoundingClientRect();
    return box.width > 0 && (box.height < 43.5 || box.width < 43.5);
  }).map(e => e.outerHTML.slice(0, 120))"""
WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
Walked = tuple[tuple[str, tuple[str, ...]], ...]


@pytest.fixture(scope="module")
def walked(up: Deployment) -> Walked:
    found = everybody(up)
    assert all(paths for _, paths in found)
    return found


def pages(
    up: Deployment, walked: Walked, *, width: int, dark: bool = False
) -> Iterator[tuple[str, Page]]:
    for email, paths in walked:
        with up.person(email, width=width, dark=dark) as context:
            page = context.new_page()
            for path in paths:
                page.goto(path)
                settle(page)
                yield f"{email.partition('@')[0] or 'nobody'} {path}", page


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_no_page_breaks_wcag_22_aa(up: Deployment, walked: Walked, width: int, dark: bool) -> None:
    axe = AXE.read_text(encoding="utf-8")
    wrong = []
    for name, page in pages(up, walked, width=width, dark=dark):
        page.evaluate(f"() => {{ {axe}; }}")  # evaluated, so the content policy stays as it is
        wrong += [f"{name}: {violation}" for violation in page.evaluate(RUN, TAGS)]
    assert wrong == []


def test_everything_to_press_is_large_enough_for_a_thumb(up: Deployment, walked: Walked) -> None:
    small = [
        f"{name}: {tag}"
        for name, page in pages(up, walked, width=PHONE)
        for tag in page.evaluate(SMALL)
    ]
    assert small == []


def test_no_page_is_wider_than_a_phone(up: Deployment, walked: Walked) -> None:
    wide = {
        name: over
        for name, page in pages(up, walked, width=PHONE)
        if (over := page.evaluate(WIDER)) > 0
    }
    assert wide == {}
