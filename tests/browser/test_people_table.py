"""Applicants, one of them understood beside the table, on a slow line."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.sync_api import Locator, Page, Route, expect

from swapflow.identity.permissions import Role
from tests.browser.office import DESK, Deployment, wait_for


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoApplicants:
    """The table with a hold of the first applicant that the line has not answered yet.

    Attributes:
        rows: Theirs in the table, the first applicant's before the second's; panels: likewise.
        held: The request; it goes on when told.
    """

    rows: tuple[Locator, Locator]
    panels: tuple[Locator, Locator]
    held: Route

    def look_at(self, which: int) -> None:
        """Open one of the two in the panel."""
        self.rows[which].locator(".nm a").click()
        expect(self.panels[which]).to_be_visible()


@contextmanager
def hold_under_way(up: Deployment, cycle: str) -> Iterator[TwoApplicants]:
    """Put the first applicant of a new program on hold, and keep the request waiting."""
    up.cycle(cycle)
    numbers = [one.number for one in up.product.applicants.list(cycle)[:2]]
    boss = up.staff(f"{cycle}@example.org", Role.ADMINISTRATOR)
    waiting: list[Route] = []

    def keep_waiting(route: Route) -> None:
        waiting.append(route)

    def both(page: Page, form: str) -> tuple[Locator, Locator]:
        first, second = (page.locator(form.format(number)) for number in numbers)
        return first, second

    with up.person(boss, width=DESK) as person:
        page = person.new_page()
        page.goto(f"/applicants/{cycle}?sort=name")
        rows = both(page, 'tr[data-number="{}"]')
        panels = both(page, '#beside [data-number="{}"]')
        rows[0].locator(".nm a").click()
        expect(panels[0]).to_be_visible()
        page.route(f"**/applicants/{cycle}/{numbers[0]}/status*", keep_waiting)
        panels[0].get_by_text("Hold, withdraw or not eligible").click()
        panels[0].locator("#move-why").fill("asks for time")
        panels[0].get_by_role("button", name="Hold", exact=True).click()
        wait_for(page, waiting)
        yield TwoApplicants(rows=rows, panels=panels, held=waiting[0])


def test_an_act_that_is_answered_late_shows_in_its_row_and_leaves_the_next_panel_open(
    up: Deployment,
) -> None:
    with hold_under_way(up, "lateact") as two:
        two.look_at(1)

        two.held.continue_()

        expect(two.rows[0]).to_contain_text("on hold", ignore_case=True)
        expect(two.rows[1].locator(".nm a")).to_have_attribute("aria-current", "true")
        expect(two.rows[0].locator(".nm a")).not_to_have_attribute("aria-current", "true")
        expect(two.panels[1]).to_be_visible()


def test_what_is_typed_in_a_panel_stays_while_an_act_is_answered_and_while_another_is_looked_at(
    up: Deployment,
) -> None:
    with hold_under_way(up, "typedtoo") as two:
        first, second = up.product.applicants.list("typedtoo")[:2]
        panel = two.panels[0]
        panel.get_by_text("Name and address").click()
        name, other = (one.locator('[action$="/contact"] [name="name"]') for one in two.panels)
        name.fill("Ada Byron")
        name.press("ArrowLeft")

        two.held.continue_()

        expect(panel).to_contain_text("On hold: no review is asked for.")
        expect(name).to_be_focused()
        name.press_sequentially("x")
        expect(name).to_have_value("Ada Byroxn")
        expect(panel.locator("#move-why")).to_have_value("")
        two.look_at(1)
        expect(other).to_have_value(second.name)
        two.look_at(0)
        expect(name).to_be_visible()
        expect(name).to_have_value("Ada Byroxn")
    assert up.product.applicants.list("typedtoo")[0].name == first.name


def test_a_confirmation_is_typed_anew_once_another_person_was_looked_at(up: Deployment) -> None:
    with hold_under_way(up, "confirmed") as two:
        two.held.continue_()
        expect(two.panels[0]).to_contain_text("On hold: no review is asked for.")
        fold = two.panels[0].get_by_text("Erase", exact=True).first
        confirm = two.panels[0].locator('[action$="/erase"] [name="confirm"]')
        fold.click()
        confirm.fill("A0001")

        two.look_at(1)
        two.look_at(0)

        expect(confirm).to_be_hidden()
        expect(confirm).to_have_value("")
