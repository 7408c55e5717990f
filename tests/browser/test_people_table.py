"""Applicants, one of them understood beside the table, on a slow line."""

from playwright.sync_api import Route, expect

from swapflow.identity.permissions import Role
from tests.browser.office import DESK, Deployment, wait_for


def test_an_act_that_is_answered_late_shows_in_its_row_and_leaves_the_next_panel_open(
    up: Deployment,
) -> None:
    up.cycle("lateact")
    first, second = up.product.applicants.list("lateact")[:2]
    boss = up.staff("late-acts@example.org", Role.ADMINISTRATOR)
    waiting: list[Route] = []

    def keep_waiting(route: Route) -> None:
        waiting.append(route)

    with up.person(boss, width=DESK) as person:
        page = person.new_page()
        page.goto("/applicants/lateact?sort=name")
        rows = {n: page.locator(f'tr[data-number="{n}"]') for n in (first.number, second.number)}
        panels = {n: page.locator(f'#beside [data-number="{n}"]') for n in rows}
        rows[first.number].locator(".nm a").click()
        panel = panels[first.number]
        expect(panel).to_be_visible()
        page.route(f"**/applicants/lateact/{first.number}/status*", keep_waiting)
        panel.get_by_text("Hold, withdraw or not eligible").click()
        panel.locator("#move-why").fill("asks for time")
        panel.get_by_role("button", name="Hold", exact=True).click()
        wait_for(page, waiting)
        rows[second.number].locator(".nm a").click()
        expect(panels[second.number]).to_be_visible()

        waiting[0].continue_()

        expect(rows[first.number]).to_contain_text("on hold", ignore_case=True)
        expect(rows[second.number].locator(".nm a")).to_have_attribute("aria-current", "true")
        expect(rows[first.number].locator(".nm a")).not_to_have_attribute("aria-current", "true")
        expect(panels[second.number]).to_be_visible()


def test_what_is_typed_in_a_panel_stays_while_an_act_is_answered_and_while_another_is_looked_at(
    up: Deployment,
) -> None:
    up.cycle("typedtoo")
    first, second = up.product.applicants.list("typedtoo")[:2]
    boss = up.staff("typed-too@example.org", Role.ADMINISTRATOR)
    waiting: list[Route] = []

    def keep_waiting(route: Route) -> None:
        waiting.append(route)

    with up.person(boss, width=DESK) as person:
        page = person.new_page()
        page.goto("/applicants/typedtoo?sort=name")
        rows = {n: page.locator(f'tr[data-number="{n}"]') for n in (first.number, second.number)}
        panels = {n: page.locator(f'#beside [data-number="{n}"]') for n in rows}
        rows[first.number].locator(".nm a").click()
        panel = panels[first.number]
        expect(panel).to_be_visible()
        page.route(f"**/applicants/typedtoo/{first.number}/status*", keep_waiting)
        panel.get_by_text("Hold, withdraw or not eligible").click()
        panel.locator("#move-why").fill("asks for time")
        panel.get_by_role("button", name="Hold", exact=True).click()
        wait_for(page, waiting)
        panel.get_by_text("Name and address").click()
        name = panel.locator('[action$="/contact"] [name="name"]')
        name.fill("Ada Byron")
        name.press("ArrowLeft")

        waiting[0].continue_()

        expect(panel).to_contain_text("On hold: no review is asked for.")
        expect(name).to_be_focused()
        name.press_sequentially("x")
        expect(name).to_have_value("Ada Byroxn")
        expect(panel.locator("#move-why")).to_have_value("")
        rows[second.number].locator(".nm a").click()
        expect(panels[second.number].locator('[action$="/contact"] [name="name"]')).to_have_value(
            second.name
        )
        rows[first.number].locator(".nm a").click()
        expect(name).to_be_visible()
        expect(name).to_have_value("Ada Byroxn")
    assert up.product.applicants.list("typedtoo")[0].name == first.name
