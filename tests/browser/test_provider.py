"""Signing in through an identity provider in a real browser, there and back."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from swapflow.domain.rules import SignInPolicy
from tests.browser.office import DESK, PHONE, follow, patient, show_form
from tests.support.identity_provider import PASSWORD, IdentityProvider
from tests.web.served import Served, serving
from tests.web.site import SITE_RULES


BUTTON = "Sign in with Example University"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("provider")
    with IdentityProvider() as there, serving(folder, there) as one:
        yield one


@pytest.fixture
def context(browser: Browser, served: Served) -> Iterator[BrowserContext]:
    made = browser.new_context(
        base_url=served.address, viewport={"width": PHONE, "height": 800}, reduced_motion="reduce"
    )
    patient(made)
    yield made
    made.close()


def strict_task(served: Served, cycle: str) -> tuple[str, str]:
    """A program that takes nothing but the provider; gives a task's path and its reviewer."""
    served.site.launched(
        cycle, rules=replace(SITE_RULES, sign_in=SignInPolicy.PROVIDER), round_id="round"
    )
    _, task = served.site.assigned(cycle)
    roster = served.site.product.reviewers.list(cycle)
    email = next(known.email for known in roster if known.number == task.reviewer)
    served.there.knows("reviewer", email=email, email_verified=True)
    return f"/tasks/{served.site.product.tasks.code(task.id)}", email


def log_in_there(page: Page) -> None:
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    page.get_by_label("Login").fill("reviewer")
    page.get_by_label("Password").fill(PASSWORD)
    follow(page.get_by_role("button", name="Log in"))


def test_a_reviewer_goes_to_their_organisation_and_comes_back_to_the_review(
    served: Served, context: BrowserContext
) -> None:
    path, email = strict_task(served, "walk")
    page = context.new_page()

    page.goto(path)
    follow(page.get_by_role("link", name=BUTTON))
    log_in_there(page)

    expect(page).to_have_url(f"{served.address}{path}")
    expect(page.get_by_role("link", name="Back to my reviews")).to_be_visible()
    page.goto("/me")
    expect(page.get_by_role("heading", name=email)).to_be_visible()
    page.go_back()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE


def test_what_was_typed_is_saved_after_a_sign_in_in_another_tab(
    served: Served, context: BrowserContext
) -> None:
    path, email = strict_task(served, "again")
    page = context.new_page()
    page.goto(path)
    follow(page.get_by_role("link", name=BUTTON))
    log_in_there(page)
    show_form(page)
    remark = page.locator("textarea[name=remark]")
    account = served.site.office.users.get(email)
    served.site.ledger.office().end_sessions(account.id)

    remark.fill("typed before the session was found to have ended")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("button", name="Mail me a code")).to_be_hidden()
    with context.expect_page() as opened:
        dialog.get_by_role("link", name=BUTTON).click()
    log_in_there(opened.value)
    expect(opened.value).to_have_url(f"{served.address}{path}")
    opened.value.close()
    page.bring_to_front()
    page.evaluate("window.dispatchEvent(new Event('focus'))")  # headless windows have no focus

    expect(dialog).to_be_hidden()
    expect(page.locator("#status")).to_contain_text("Saved")
    page.reload()
    expect(remark).to_have_value("typed before the session was found to have ended")


def test_whoever_refuses_there_reads_why_and_has_the_other_ways(
    served: Served, browser: Browser
) -> None:
    context = browser.new_context(
        base_url=served.address, viewport={"width": DESK, "height": 800}, java_script_enabled=False
    )
    patient(context)
    page = context.new_page()

    page.goto("/sign-in?next=/me")
    follow(page.get_by_role("link", name=BUTTON))
    page.get_by_role("button", name="Refuse").click()

    expect(page.get_by_role("alert")).to_contain_text("did not agree")
    expect(page.get_by_role("button", name="Mail me a sign-in link")).to_be_visible()
    expect(page.get_by_role("link", name="With another account there")).to_be_visible()
    context.close()
