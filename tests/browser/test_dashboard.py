"""A program in a real browser: what comes in is seen without anybody pressing anything."""

import pytest
from playwright.sync_api import Page, expect

from swapflow.identity.permissions import Role
from tests.browser.office import DESK, PHONE, Deployment


CHARTS = ("chart-intervals", "chart-steps", "chart-budget", "chart-load")
TABLE = "#told-intervals tbody tr"


def watched(page: Page, cycle: str) -> None:
    """Open the evidence, and leave a mark that a reload would wipe out."""
    page.goto(f"/today/{cycle}/evidence")
    page.evaluate("window.stillHere = true")


def done(page: Page) -> int:
    cell = page.locator("#live table tbody tr").first.locator("td").first
    return int(cell.inner_text())


def dots(page: Page, chart: str) -> int:
    """Shapes that a chart has drawn."""
    return page.locator(f"#{chart} svg path").count()


def test_a_score_that_comes_in_changes_tile_table_and_chart_without_a_reload(
    up: Deployment,
) -> None:
    up.cycle("watched")
    up.answer(up.tasks("watched", "R1")[0])
    watcher = up.staff("watcher@example.org", Role.OPERATIONS)
    with up.person(watcher) as context:
        page = context.new_page()
        watched(page, "watched")
        expect(page.locator(TABLE)).to_have_count(1)
        expect(page.locator("#chart-intervals svg path").first).to_be_attached()
        before, drawn = done(page), dots(page, "chart-intervals")

        up.answer(up.tasks("watched", "R2")[0])

        expect(page.locator(TABLE)).to_have_count(2)
        expect(page.locator("#live table tbody td").first).to_have_text(str(before + 1))
        page.wait_for_function(
            "most => document.querySelectorAll('#chart-intervals svg path').length > most",
            arg=drawn,
        )
        assert page.evaluate("window.stillHere") is True


def test_what_is_typed_is_not_replaced_under_the_hands(up: Deployment) -> None:
    up.cycle("typing")
    watcher = up.staff("typist@example.org", Role.ADMINISTRATOR)
    with up.person(watcher) as context:
        page = context.new_page()
        page.goto("/today/typing")
        page.evaluate("window.stillHere = true")
        page.locator(".course > summary").click()
        page.get_by_label("Why", exact=True).fill("half a thought")

        up.answer(up.tasks("typing", "R1")[0])

        expect(page.locator(".around svg.main.wide .d-ring")).to_have_count(1)
        expect(page.get_by_label("Why", exact=True)).to_have_value("half a thought")
        assert page.evaluate("window.stillHere") is True


def test_a_link_to_which_the_tab_key_has_come_keeps_the_focus(up: Deployment) -> None:
    up.cycle("tabbing")
    watcher = up.staff("tabber@example.org", Role.ADMINISTRATOR)
    with up.person(watcher) as context:
        page = context.new_page()
        page.goto("/today/tabbing")
        everyone = page.get_by_role("link", name="See all applicants")
        everyone.focus()

        up.answer(up.tasks("tabbing", "R1")[0])

        expect(page.locator(".around svg.main.wide .d-ring")).to_have_count(1)
        expect(everyone).to_be_focused()


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("dark", [False, True])
def test_every_chart_is_drawn_named_and_no_wider_than_the_page(
    up: Deployment, width: int, dark: bool
) -> None:
    cycle = f"drawn-{width}-{int(dark)}"
    up.cycle(cycle)
    for known in up.product.reviewers.list(cycle):
        for task in up.tasks(cycle, known.external_id)[:2]:
            up.answer(task)
    watcher = up.staff("watcher@example.org", Role.OPERATIONS)
    with up.person(watcher, width=width, dark=dark) as context:
        page = context.new_page()
        watched(page, cycle)
        expect(page.locator(TABLE).first).to_be_attached()
        for chart in CHARTS:
            box = page.locator(f"#{chart}")
            assert len(box.get_attribute("aria-label") or "") > 20
            if chart != "chart-steps":  # there may be no decision after the first marks yet
                drawn = box.locator("svg:visible").first
                expect(drawn).to_be_visible()
            title = box.locator("xpath=preceding-sibling::h2")
            expect(title).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_scripts_the_charts_are_tables(up: Deployment) -> None:
    up.cycle("plain-today")
    up.answer(up.tasks("plain-today", "R1")[0])
    watcher = up.staff("watcher@example.org", Role.OPERATIONS)
    with up.person(watcher, scripts=False) as context:
        page = context.new_page()
        page.goto("/today/plain-today/evidence")
        for name in ("intervals", "steps", "budget", "load"):
            told = page.locator(f"#told-{name}")
            told.get_by_text("The same as a table").click()
            expect(told.locator("table")).to_be_visible()
