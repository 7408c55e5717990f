"""Interviews are moved to a day by dragging, and by keys; both press the page's own button."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from swapflow.domain.rules import KindRules, SeatLine
from swapflow.identity.permissions import Role
from tests.browser.office import DESK, Deployment
from tests.support.waiting import wait_until
from tests.web.site import SITE_RULES


OFFICER = "mover@example.org"


@pytest.fixture
def page(up: Deployment, request: pytest.FixtureRequest) -> Iterator[Page]:
    cycle = f"moved-{request.node.name[5:9]}"
    talk = KindRules(name="interview", cost=1, gain=1.0, maximum=1)
    lines = (SeatLine(name="all", places=1),)
    rules = replace(SITE_RULES, kinds=(talk,), rubrics=(), lines=lines, blind=False, budget=20)
    up.cycle(cycle, applicants=3, rules=rules)
    wait_until(
        lambda: any(one.reviewers for one in up.product.reviewers.interview_requests(cycle)),
        what="an interviewer is found",
    )
    up.staff(OFFICER, Role.ADMINISTRATOR)
    with up.person(OFFICER, width=DESK) as context:
        page = context.new_page()
        # A week ahead, in which every hour is free.
        page.goto(f"/applicants/{cycle}/slots?week=2031-03-10")
        yield page


def set_hours(up: Deployment, cycle: str) -> list[str]:
    asked = up.product.reviewers.interview_requests(cycle)
    return [
        f"{one.interview.starts_at:%a %d %b %Y %H:%M}"
        for one in asked
        if one.interview is not None and one.interview.stands
    ]


def test_drag_a_card_to_a_day_sets_its_first_free_hour(up: Deployment, page: Page) -> None:
    card = page.locator(".without .ask").first
    wednesday = page.locator("td[data-day='2031-03-12']").first
    card.locator("h3").drag_to(wednesday)

    expect(page.locator("[role=status]", has_text="1 date changed")).to_be_visible()
    assert set_hours(up, "moved-drag") == ["Wed 12 Mar 2031 09:00"]


def test_keys_on_the_grip_choose_an_hour_and_set_it(up: Deployment, page: Page) -> None:
    grip = page.locator(".without .grip").first
    grip.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".moving")).to_contain_text("Mon 10 Mar")
    page.keyboard.press("Escape")
    expect(page.locator(".moving")).to_have_text("Nothing was moved.")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".moving")).to_contain_text("Wed 12 Mar")
    expect(page.locator("td.here").first).to_have_attribute("data-day", "2031-03-12")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")

    expect(page.locator("[role=status]", has_text="1 date changed")).to_be_visible()
    assert set_hours(up, "moved-keys") == ["Tue 11 Mar 2031 09:00"]
