"""To do and a program's page are short, whatever the size of a program; an undo keeps its mail."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from swapflow.domain.rules import KindRules, SeatLine
from swapflow.identity.permissions import Role
from tests.browser.office import Deployment, follow
from tests.support.waiting import wait_until
from tests.web.site import SITE_RULES


HEIGHT, WIDTH = 900, 1440
SCREENS = 2
STAFF = "to-do@example.org"


@pytest.mark.parametrize("applicants", [60, 1000])
def test_to_do_and_a_programs_page_are_two_screens_at_most(
    up: Deployment, applicants: int
) -> None:
    cycle = f"long-{applicants}"
    up.cycle(cycle, applicants=applicants)
    for known in up.product.reviewers.list(cycle):
        for task in up.tasks(cycle, known.external_id)[:3]:
            up.answer(task)
    # The other tests' programs are not theirs.
    email = up.staff(f"{cycle}@example.org", Role.ADMINISTRATOR, Role.CHAIR, cycle=cycle)
    shown = up.product.reports.dashboard
    wait_until(lambda: shown(cycle)[0].closed.sum() > 0, what="the reviews are in the numbers")
    with up.person(email, width=WIDTH) as context:
        page = context.new_page()
        page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
        for path in ("/today", f"/today/{cycle}"):
            page.goto(path)
            height = page.evaluate("document.documentElement.scrollHeight")
            assert height <= SCREENS * HEIGHT, f"{path}: {height} pixels"


def test_a_date_that_is_undone_is_told_to_nobody(up: Deployment) -> None:
    cycle = "undone"
    panel = KindRules(name="review", cost=1, gain=1.0, maximum=1, seats=2, quorum=2)
    lines = (SeatLine(name="all", places=1),)
    rules = replace(SITE_RULES, kinds=(panel,), lines=lines, blind=False, budget=20)
    up.cycle(cycle, applicants=2, rules=rules)
    up.staff(STAFF, Role.ADMINISTRATOR, Role.CHAIR)
    with up.person(STAFF, scripts=False) as context:
        page = context.new_page()
        page.goto(f"/applicants/{cycle}/slots")
        form = page.locator("form:has([name=starts])").first
        form.locator("summary").click()
        form.locator("[name=starts]").fill("2031-03-10T14:00")
        follow(form.get_by_role("button", name="Set the date"))
        page.goto("/today")
        undo = page.locator("form.toast", has_text="Set 1 date").get_by_role("button")
        expect(undo).to_be_visible()
        held = up.product.outbox.count(cycle)["held"]
        undo.click()
        expect(page.locator("#told")).to_contain_text("no mail has left")
    counts = up.product.outbox.count(cycle)
    # Two reviewers and the applicant.
    assert held == counts["taken back"] == 3
    assert "held" not in counts
