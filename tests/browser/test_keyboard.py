"""A review and a decision without a mouse: keys that save time, and the Tab key alone."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from swapflow.domain.reviewing.assignment import Assignment
from swapflow.identity.permissions import Role
from tests.browser.by_keys import FOCUS, MOST_TABS, named, tab_to
from tests.browser.office import START, Deployment


CHAIR = "hands@example.org"
REVIEWER = "keys-r1@example.org"


@pytest.fixture(scope="module")
def keys(up: Deployment) -> Deployment:
    up.cycle("keys", applicants=16)
    up.staff(CHAIR, Role.ADMINISTRATOR, Role.CHAIR)
    return up


@pytest.fixture
def page(keys: Deployment) -> Iterator[Page]:
    with keys.person(REVIEWER) as context:
        yield context.new_page()


def task_page(up: Deployment, page: Page) -> Assignment:
    task = next(t for t in up.tasks("keys", "R1") if up.product.tasks.score(t.id) is None)
    page.goto(f"/tasks/{up.product.tasks.code(task.id)}")
    return task


def test_digits_mark_the_row_in_focus_and_j_and_k_move_between_rows(
    keys: Deployment, page: Page
) -> None:
    task = task_page(keys, page)

    page.keyboard.press("j")
    page.keyboard.press("3")
    page.keyboard.press("j")
    page.keyboard.press("2")
    page.keyboard.press("k")
    page.keyboard.press("4")

    expect(page.locator("input[name=c0][value='4']")).to_be_checked()
    expect(page.locator("input[name=c1][value='2']")).to_be_checked()
    page.keyboard.press("n")
    expect(page.locator("input[name=c0][value='na']")).to_be_checked()
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Stored:")).to_be_visible()  # and the next one is open already
    given = keys.product.tasks.score(task.id)
    assert given is not None
    assert given.marks == {"Preparation": 1.0, "Promise": 2.0}


def test_single_letters_that_are_switched_off_do_nothing_and_the_rest_goes_on(
    keys: Deployment, page: Page
) -> None:
    page.goto("/me")
    page.get_by_role("button", name="Switch single letters off").click()
    expect(page.get_by_role("button", name="Switch single letters on")).to_be_visible()
    task_page(keys, page)

    for key in ("j", "3", "?"):
        page.keyboard.press(key)

    expect(page.locator("fieldset input:checked")).to_have_count(0)
    expect(page.locator("dialog[open]")).to_have_count(0)
    # With the keys of every page a mark is still set.
    tab_to(page, lambda here: here["name"] == "c0")
    page.keyboard.press("Space")
    expect(page.locator("input[name=c0]:checked")).to_have_count(1)


def test_a_question_mark_lists_the_keys_and_escape_closes_the_list(
    keys: Deployment, page: Page
) -> None:
    task_page(keys, page)

    page.keyboard.press("?")
    listed = page.get_by_role("dialog", name="Keys")
    expect(listed).to_be_visible()
    page.keyboard.press("Escape")
    expect(listed).to_be_hidden()

    page.get_by_label("Remark for the committee").focus()
    page.keyboard.type("why? j 3")
    expect(listed).to_be_hidden()
    expect(page.get_by_label("Remark for the committee")).to_have_value("why? j 3")
    expect(page.locator("#review input[type=radio]:checked")).to_have_count(0)


def test_a_whole_review_by_tab_space_and_enter_alone(keys: Deployment, page: Page) -> None:
    page.goto("/inbox")

    tab_to(page, lambda here: START.search(here["text"]) is not None)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=2, name="Your review")).to_be_visible()
    code = page.url.rpartition("/")[2]
    task = next(t for t in keys.tasks("keys", "R1") if keys.product.tasks.code(t.id) == code)
    for name in ("c0", "c1"):
        tab_to(page, lambda here, name=name: here["name"] == name)  # type: ignore[misc]  # a default binds the name
        page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")
    tab_to(page, lambda here: here["id"] == "remark")
    page.keyboard.press("Control+A")  # a draft may be there
    page.keyboard.type("by keys alone")
    tab_to(page, named("Submit"))
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_text("Your review is stored")
    given = keys.product.tasks.score(task.id)
    assert given is not None
    assert (given.marks, given.remark) == (
        {"Preparation": 2.0, "Promise": 2.0},
        "by keys alone",
    )


def test_no_page_of_the_walk_traps_the_tab_key(keys: Deployment, page: Page) -> None:
    task_page(keys, page)
    seen: list[str] = []
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        here = page.evaluate(FOCUS)
        if here is None:  # past the last one: back in the browser's own bar
            break
        seen.append(f"{here['tag']} {here['id']} {here['name']} {here['text'][:20]}")
    else:
        raise AssertionError(f"the focus goes round within the page: {seen[-6:]}")
    assert len(seen) > 10
    page.keyboard.press("Shift+Tab")
    assert page.evaluate(FOCUS) is not None


def test_a_decision_is_made_and_signed_by_keys_alone(keys: Deployment) -> None:
    keys.cycle("keyed", applicants=6)
    for known in keys.product.reviewers.list("keyed"):
        for task in keys.tasks("keyed", known.external_id):
            keys.answer(task)
    with keys.person(CHAIR) as context:
        page = context.new_page()
        page.goto("/decide/keyed")
        tab_to(page, lambda here: here["id"] == "stop-reason")
        page.keyboard.type("enough for this year")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Prepare list for signature")).to_be_visible()

        tab_to(page, named("Prepare list for signature"))
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Reasons and signature")
        if page.locator("#waiver").count():
            tab_to(page, lambda here: here["id"] == "waiver")
            page.keyboard.type("a late start")
        tab_to(page, named("Prepare for signature"))
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Waiting for signatures")).to_be_visible()

        tab_to(page, named(f"Sign as {CHAIR}"))
        page.keyboard.press("Space")
        expect(page.get_by_text("The list is final (version 1)")).to_be_visible()
