"""The bar at the top by keys, with its menus open, on a phone, and without scripts."""

import pytest
from playwright.sync_api import expect

from swapflow.identity.permissions import Role
from tests.browser.axe import RUN, RUN_IN_BAR, SHADES, TAGS, WIDER
from tests.browser.office import AXE, DESK, PHONE, Deployment


OFFICER = "bar@example.org"
NARROW = 800
"""A window beside another one: too narrow for the field in the bar."""

FIRST, SECOND = "barfirst", "barsecond"


@pytest.fixture(scope="module")
def office(up: Deployment) -> Deployment:
    up.cycle(FIRST, launch=False)
    up.cycle(SECOND, launch=False)
    up.staff(OFFICER, Role.ADMINISTRATOR)
    return up


def test_the_slash_goes_to_the_search_which_finds_in_the_program(office: Deployment) -> None:
    with office.person(OFFICER) as context:
        page = context.new_page()
        page.goto(f"/today/{FIRST}")
        page.keyboard.press("/")
        expect(page.locator("#find")).to_be_focused()
        page.keyboard.type("a001")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/applicants/{FIRST}?q=a001")
        expect(page.locator("tr[data-number]")).to_have_count(1)


def test_the_slash_does_nothing_where_single_letters_are_switched_off(office: Deployment) -> None:
    with office.person(OFFICER) as context:
        page = context.new_page()
        page.goto(f"/today/{FIRST}")
        page.locator(".me summary").click()
        page.locator(".me").get_by_role("button", name="Switch single letters off").click()
        expect(page.locator("body")).to_have_attribute("data-keys", "off")
        page.goto(f"/today/{FIRST}")
        page.keyboard.press("/")
        expect(page.locator("#find")).not_to_be_focused()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_program_is_chosen_by_keys(office: Deployment, scripts: bool) -> None:
    with office.person(OFFICER, scripts=scripts) as context:
        page = context.new_page()
        page.goto(f"/setup/{FIRST}")
        page.locator(".switcher summary").focus()
        page.keyboard.press("Enter")
        other = page.locator(f'.switcher a[href="/setup/{SECOND}"]')
        expect(other).to_be_visible()
        other.focus()
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/setup/{SECOND}")


def test_escape_closes_a_menu_and_returns_to_what_opened_it(office: Deployment) -> None:
    with office.person(OFFICER) as context:
        page = context.new_page()
        page.goto("/me")
        page.locator(".me summary").focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        page.keyboard.press("Escape")
        expect(page.locator(".me")).not_to_have_attribute("open", "")
        expect(page.locator(".me summary")).to_be_focused()


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("shade", SHADES)
def test_open_menus_are_readable_and_lie_within_the_page(
    office: Deployment, width: int, shade: str
) -> None:
    with office.person(OFFICER, width=width, dark=shade == "dark") as context:
        page = context.new_page()
        for path in (f"/applicants/{FIRST}", "/me", "/find?q=a00"):
            page.goto(path)
            page.evaluate(f"() => {{ {AXE.read_text(encoding='utf-8')}; }}")
            for menu in (".switcher", ".me"):
                page.locator(f"{menu} summary").click()
                box = page.locator(f"{menu} > :is(ul, div)").bounding_box()
                assert box is not None
                assert box["x"] >= 0
                assert box["x"] + box["width"] <= width
                assert page.evaluate(RUN_IN_BAR, {"type": "tag", "values": TAGS}) == []
                assert page.evaluate(WIDER) == 0


@pytest.mark.parametrize("width", [PHONE, NARROW, DESK])
def test_each_width_has_one_search_which_keeps_the_view_of_the_table(
    office: Deployment, width: int
) -> None:
    with office.person(OFFICER, width=width) as context:
        page = context.new_page()
        page.goto(f"/today/{FIRST}")
        if width != DESK:
            page.get_by_role("link", name="Find an applicant").click()
            page.wait_for_url(f"**/applicants/{FIRST}")
        page.goto(f"/applicants/{FIRST}?sort=name")
        page.evaluate(f"() => {{ {AXE.read_text(encoding='utf-8')}; }}")
        assert page.evaluate(RUN, {"type": "tag", "values": TAGS}) == []
        page.keyboard.press("/")
        expect(page.get_by_role("searchbox")).to_be_focused()
        page.keyboard.type("a001")
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url: "q=a001" in url and "sort=name" in url)
        expect(page.locator("tr[data-number]")).to_have_count(1)
        expect(page.get_by_role("searchbox")).to_have_count(1)
        expect(page.get_by_role("searchbox")).to_have_value("a001")


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_over_all_programs_the_search_is_one_press_away(office: Deployment, width: int) -> None:
    with office.person(OFFICER, width=width) as context:
        page = context.new_page()
        page.goto("/today")
        if width == DESK:
            page.keyboard.press("/")
        else:
            page.get_by_role("link", name="Find an applicant").click()
            page.wait_for_url("**/find")
        expect(page.get_by_role("searchbox")).to_be_focused()
        page.keyboard.type("a001")
        page.keyboard.press("Enter")
        page.wait_for_url("**/find?q=a001")
        expect(page.get_by_role("searchbox")).to_have_count(1)
        page.keyboard.press("/")
        expect(page.locator("#q")).to_be_focused()
