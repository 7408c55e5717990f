"""A reviewer's pages on a phone, in a language that is long and runs from right to left."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from swapflow.i18n.languages import SOURCE, set_deployment_language
from tests.browser.office import PHONE, Deployment, deployed, settle
from tests.support.waiting import wait_until


@pytest.fixture(scope="module")
def strange(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("strange")
    with deployed(folder, browser, language="ar-XB") as deployment:
        yield deployment
    set_deployment_language(SOURCE)


def test_no_page_of_a_reviewer_is_wider_than_a_phone(strange: Deployment) -> None:
    strange.cycle("fall")
    wait_until(lambda: len(strange.tasks("fall", "R1")) > 1, what="two requests")
    task, done = strange.tasks("fall", "R1")[:2]
    code = strange.product.tasks.code(task.id)
    paths = ["/inbox", f"/tasks/{code}", f"/tasks/{code}/decline", "/me", "/sign-in"]
    strange.answer(done)
    paths.append(f"/tasks/{strange.product.tasks.code(done.id)}/receipt")

    with strange.person("fall-r1@example.org", width=PHONE) as context:
        page = context.new_page()
        wide = {path: width for path in paths if (width := _width(page, path)) > PHONE}

    assert wide == {}


def test_what_the_script_says_is_in_the_same_language_and_notices_start_right(
    strange: Deployment,
) -> None:
    strange.cycle("spring")
    code = strange.product.tasks.code(strange.tasks("spring", "R1")[0].id)

    with strange.person("spring-r1@example.org", width=PHONE) as context:
        page = context.new_page()
        _width(page, f"/tasks/{code}")
        expect(page.locator("#status")).to_contain_text("Šáṽéš áš ýóú ŧýþé")
        page.locator("#view-score").check(force=True)
        page.locator("textarea:visible").first.fill("Half a thought")
        expect(page.locator("#status")).to_contain_text("Šáṽéđ")
        page.get_by_role("button", name="Šúƀɱíŧ").first.click()
        notice = page.locator("#problems")
        # The notice is there before the style sheet is: the expectation waits for it.
        expect(notice).to_have_css("border-right-width", "5px")
        expect(notice).to_have_css("border-left-width", "1px")


def _width(page: Page, path: str) -> int:
    """Open a page that has to run from right to left; gives how wide it is."""
    answer = page.goto(path)
    assert answer is not None
    assert answer.ok, path
    settle(page)
    assert page.evaluate("document.documentElement.dir") == "rtl", path
    return int(page.evaluate("document.documentElement.scrollWidth"))
