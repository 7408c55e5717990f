"""What reviewers are afraid of, each fear as one test in a real browser.

Work lost or doubled: the session ended while I typed; the connection was away; I left without
pressing anything; I pressed twice; a second tab wrote over my text; a stale tab over what I had
handed in; the browser filled in other marks when I went back; I went on at another device; my
browser runs no scripts, or none and the session had ended; a colleague on the panel was first.

Links and login: a scanner opened the page to decline, or the link that lets me in; the link is
used up; I am signed in and press it again; the mail is on another device; I land elsewhere than
where the link led.

Fears that need no browser are tested at the application: a review after the due date, a skipped
one that comes again, drafts that cannot be read (`tests/web/reviewing/test_review.py`), links out
of date, guessed codes, unknown addresses, too many links (`tests/web/account/test_sign_in.py`),
and the inbox with nothing in it (`tests/web/reviewing/test_task_list.py`).
"""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from swapflow.domain.reviewing.assignment import Assignment
from swapflow.domain.rules import KindRules
from tests.browser.office import (
    CODE,
    LINK,
    PHONE,
    SAVED,
    Deployment,
    cut_off,
    follow,
    saved,
    show_form,
)
from tests.web.site import SITE_RULES


R1, R2, R3 = (f"fears-r{n}@example.org" for n in (1, 2, 3))


@pytest.fixture(scope="module")
def fears(up: Deployment) -> Deployment:
    """A cycle with more requests than there are tests, four reviewers and their phones."""
    up.cycle("fears", applicants=40, rules=replace(SITE_RULES, packet=10, budget=200))
    return up


@pytest.fixture
def phone(fears: Deployment) -> Iterator[Page]:
    with fears.person(R1, width=PHONE) as context:
        yield context.new_page()


def next_task(up: Deployment, reviewer: str = "R1") -> tuple[Assignment, str]:
    """A request that nobody has touched, and the path of its page."""
    for task in up.tasks("fears", reviewer):
        if up.product.tasks.score(task.id) is None and not up.product.context.ledger.drafts(
            [task.id]
        ):
            return task, f"/tasks/{up.product.tasks.code(task.id)}"
    raise AssertionError("nothing waits")


def give_marks(page: Page, mark: str = "3") -> None:
    show_form(page)
    page.locator(f"input[name=c0][value='{mark}']").check()
    page.locator(f"input[name=c1][value='{mark}']").check()


def submit(page: Page) -> None:
    page.get_by_role("button", name="Submit", exact=True).click()


def stored(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("Your review is stored")


def remark_of(page: Page) -> Locator:
    """Find the remark, on the side of a narrow page where it is."""
    show_form(page)
    return page.get_by_label("Remark for the committee")


def save_remark(page: Page, text: str) -> None:
    """Type a remark, and wait until the server has been sent it."""
    with page.expect_response(
        lambda r: r.url.endswith("/draft") and text in (r.request.post_data or "")
    ):
        remark_of(page).fill(text)
    saved(page)


def scores_of(up: Deployment, task: Assignment) -> int:
    return sum(score.assignment_id == task.id for score in up.product.scores.list("fears"))


# Work lost or doubled


def test_the_session_ended_while_i_typed_and_nothing_has_to_be_retyped(
    fears: Deployment, phone: Page
) -> None:
    task, path = next_task(fears)
    phone.goto(path)
    give_marks(phone)
    save_remark(phone, "Typed for an")
    phone.context.clear_cookies()

    # Slowly: every letter is sent, and refused, before the next one comes.
    remark_of(phone).press_sequentially(" hour", delay=1100)
    expect(phone.get_by_role("heading", name="Please sign in again")).to_be_visible()
    expect(remark_of(phone)).to_have_value("Typed for an hour")  # not a letter in the dialog
    before = len(fears.ways_in(R1))
    phone.get_by_role("button", name="Mail me a code").click()
    expect(phone.get_by_label("Code from the mail")).to_be_visible()
    phone.get_by_label("Code from the mail").fill(fears.mailed(R1, CODE, after=before))
    phone.get_by_role("button", name="Sign in", exact=True).click()

    expect(phone.get_by_text(SAVED)).to_be_visible()
    assert phone.url.endswith(path)
    submit(phone)
    stored(phone)
    expect(phone.get_by_text("Typed for an hour")).to_be_visible()
    assert scores_of(fears, task) == 1


def test_a_refusal_that_comes_late_does_not_ask_to_sign_in_a_second_time(
    fears: Deployment, phone: Page
) -> None:
    task, path = next_task(fears)
    phone.goto(path)
    give_marks(phone)
    save_remark(phone, "Typed once")
    phone.context.clear_cookies()
    remark_of(phone).fill("Typed once and signed in")
    expect(phone.get_by_role("heading", name="Please sign in again")).to_be_visible()

    held: list[Route] = []

    def hold_the_first(route: Route) -> None:
        route.continue_() if held else held.append(route)

    phone.route("**/draft", hold_the_first)
    with phone.expect_request("**/draft"):
        phone.evaluate("dispatchEvent(new Event('focus'))")  # the page tries again by itself
    before = len(fears.ways_in(R1))
    phone.get_by_role("button", name="Mail me a code").click()
    phone.get_by_label("Code from the mail").fill(fears.mailed(R1, CODE, after=before))
    phone.get_by_role("button", name="Sign in", exact=True).click()
    expect(phone.get_by_role("heading", name="Please sign in again")).to_be_hidden()
    held[0].fulfill(status=401, json={"detail": "refused before the sign-in"})

    expect(phone.get_by_text(SAVED)).to_be_visible()
    submit(phone)
    stored(phone)
    assert scores_of(fears, task) == 1


def test_the_connection_was_away_and_the_text_is_sent_when_it_is_back(
    fears: Deployment, phone: Page
) -> None:
    task, path = next_task(fears)
    phone.goto(path)
    cut_off(phone.context, away=True)

    give_marks(phone)
    remark_of(phone).fill("Typed in a tunnel")
    expect(phone.get_by_text("Not connected – kept on this device")).to_be_visible()
    submit(phone)
    expect(phone.get_by_text("1 waiting to send")).to_be_visible()
    expect(remark_of(phone)).to_have_value("Typed in a tunnel")
    cut_off(phone.context, away=False)

    stored(phone)
    assert scores_of(fears, task) == 1


def test_i_left_without_pressing_anything_and_find_it_all_again(
    fears: Deployment, phone: Page
) -> None:
    _, path = next_task(fears)
    phone.goto(path)
    cut_off(phone.context, away=True)
    give_marks(phone)
    remark_of(phone).fill("Then the battery died")
    expect(phone.get_by_text("Not connected – kept on this device")).to_be_visible()
    context = phone.context
    phone.close()
    cut_off(context, away=False)

    again = context.new_page()
    again.goto(path)

    expect(remark_of(again)).to_have_value("Then the battery died")
    expect(again.locator("input[name=c0][value='3']")).to_be_checked()
    expect(again.get_by_text(SAVED)).to_be_visible()


def test_i_pressed_twice_and_one_review_was_made(fears: Deployment, phone: Page) -> None:
    task, path = next_task(fears)
    phone.goto(path)
    give_marks(phone)

    phone.get_by_role("button", name="Submit", exact=True).dblclick(no_wait_after=True)

    stored(phone)
    receipt = phone.url
    phone.goto(path)
    expect(phone.get_by_role("button", name="Submit", exact=True)).to_have_count(0)
    phone.goto(receipt)
    stored(phone)
    assert scores_of(fears, task) == 1


def test_a_second_tab_writes_over_nothing_and_both_texts_are_shown(
    fears: Deployment, phone: Page
) -> None:
    _, path = next_task(fears)
    second = phone.context.new_page()
    phone.goto(path)
    second.goto(path)
    save_remark(phone, "from the first tab")

    remark_of(second).fill("from the second tab")

    dialog = second.get_by_role("dialog", name="Changed elsewhere")
    expect(dialog).to_contain_text("from the first tab")
    expect(dialog).to_contain_text("from the second tab")
    second.get_by_role("button", name="Go on with this one").click()
    expect(second.get_by_text(SAVED)).to_be_visible()
    phone.reload()
    expect(remark_of(phone)).to_have_value("from the second tab")


def test_a_stale_tab_does_not_change_what_another_handed_in(
    fears: Deployment, phone: Page
) -> None:
    task, path = next_task(fears)
    second = phone.context.new_page()
    phone.goto(path)
    second.goto(path)
    give_marks(phone)
    submit(phone)
    stored(phone)

    give_marks(second, "1")

    expect(second.get_by_text("This review was handed in already")).to_be_visible()
    assert scores_of(fears, task) == 1
    given = fears.product.tasks.score(task.id)
    assert given is not None
    assert given.marks == {"Preparation": 3.0, "Promise": 3.0}


def test_going_back_and_reloading_shows_the_marks_that_i_gave(
    fears: Deployment, phone: Page
) -> None:
    _, path = next_task(fears)
    phone.goto(path)
    give_marks(phone, "2")
    saved(phone)

    phone.goto("/inbox")
    phone.go_back()
    expect(phone.locator("input[name=c0][value='2']")).to_be_checked()
    phone.reload()
    expect(phone.locator("input[name=c0][value='2']")).to_be_checked()
    expect(phone.locator("input[name=c1][value='2']")).to_be_checked()

    submit(phone)
    stored(phone)
    rows = phone.locator("#receipt dl")
    expect(rows).to_contain_text(re.compile(r"Preparation\s*2\s*Promise\s*2"))
    phone.go_back()
    phone.reload()
    expect(phone.get_by_role("button", name="Submit", exact=True)).to_have_count(0)


def test_what_i_typed_on_the_phone_waits_at_the_desk(fears: Deployment, phone: Page) -> None:
    _, path = next_task(fears)
    phone.goto(path)
    give_marks(phone)
    save_remark(phone, "begun on the phone")

    with fears.person(R1) as desk:
        page = desk.new_page()
        page.goto("/inbox")
        expect(page.get_by_text(re.compile("^Draft")).first).to_be_visible()
        page.goto(path)
        expect(remark_of(page)).to_have_value("begun on the phone")
        submit(page)
        stored(page)


def test_without_scripts_a_review_is_handed_in_all_the_same(fears: Deployment) -> None:
    task, path = next_task(fears, "R2")
    with fears.person(R2, width=PHONE, scripts=False) as context:
        page = context.new_page()
        page.goto(path)
        show_form(page)
        page.locator("input[name=c0][value='3']").check()
        remark_of(page).fill("Well argued. 🙂 مرحبا")
        submit(page)
        expect(page.get_by_text("Not submitted")).to_be_visible()
        expect(remark_of(page)).to_have_value("Well argued. 🙂 مرحبا")
        page.locator("input[name=c1][value='3']").check()
        submit(page)
        stored(page)
    assert scores_of(fears, task) == 1


def test_without_scripts_an_ended_session_loses_nothing_either(fears: Deployment) -> None:
    task, path = next_task(fears, "R2")
    with fears.person(R2, width=PHONE, scripts=False) as context:
        page = context.new_page()
        page.goto(path)
        give_marks(page)
        remark_of(page).fill("Typed for an hour")
        context.clear_cookies()
        submit(page)
        expect(page.get_by_text("What you typed is kept")).to_be_visible()

        with context.expect_page() as opened:
            page.get_by_role("link", name="Sign in, in a new tab").click()
        before = len(fears.ways_in(R2))
        opened.value.locator("#link-email").fill(R2)
        follow(opened.value.get_by_role("button", name="Mail me a sign-in link"))
        opened.value.locator("#code").fill(fears.mailed(R2, CODE, after=before))
        opened.value.get_by_role("button", name="Sign in", exact=True).click()

        page.get_by_role("button", name="Send it again").click()
        stored(page)
        expect(page.get_by_text("Typed for an hour")).to_be_visible()
    assert scores_of(fears, task) == 1


def test_after_somebody_on_the_panel_handed_in_the_others_still_can(up: Deployment) -> None:
    panel = KindRules(name="review", cost=1, gain=1.0, maximum=1, seats=2, quorum=2)
    up.cycle("panel", applicants=4, rules=replace(SITE_RULES, kinds=(panel,), budget=8))
    first = up.tasks("panel", "R1")[0]
    other, fellow = next(
        (f"R{n}", task)
        for n in (2, 3, 4)
        for task in up.tasks("panel", f"R{n}")
        if task.pull_id == first.pull_id
    )
    for reviewer, task in (("R1", first), (other, fellow)):
        with up.person(f"panel-{reviewer.lower()}@example.org", width=PHONE) as context:
            page = context.new_page()
            page.goto(f"/tasks/{up.product.tasks.code(task.id)}")
            give_marks(page)
            submit(page)
            stored(page)


# Links and login


def test_a_scanner_that_opens_the_decline_page_declines_nothing(
    fears: Deployment, phone: Page
) -> None:
    task, path = next_task(fears)

    for _ in range(2):
        phone.goto(f"{path}/decline")
        phone.wait_for_timeout(300)

    assert fears.product.context.ledger.assignment(task.id).status.is_open
    phone.get_by_label("Conflict of interest").check()
    phone.get_by_role("button", name="Decline", exact=True).click()
    expect(phone.get_by_text("Declined.")).to_be_visible()
    assert not fears.product.context.ledger.assignment(task.id).status.is_open


def ask_for_link(up: Deployment, email: str, path: str) -> str:
    """Ask for a way in where a page wanted one; gives the link that is mailed."""
    before = len(up.ways_in(email))
    with up.person(width=PHONE) as context:
        page = context.new_page()
        page.goto(path)
        page.locator("#link-email").fill(email)
        follow(page.get_by_role("button", name="Mail me a sign-in link"))
        return up.mailed(email, LINK, after=before)


def test_a_scanner_that_runs_scripts_does_not_use_up_my_link(fears: Deployment) -> None:
    _, path = next_task(fears, "R3")
    link = ask_for_link(fears, R3, path)
    with fears.person() as scanner:
        robot = scanner.new_page()
        robot.goto(link)
        robot.wait_for_timeout(500)
        assert scanner.cookies() == []

    with fears.person(width=PHONE) as context:
        page = context.new_page()
        page.goto(link)
        page.get_by_role("button", name="Continue as").click()
        expect(page).to_have_url(re.compile(f"{path}$"))


def test_my_link_is_used_up_and_a_new_one_leads_back_to_the_same_review(
    fears: Deployment,
) -> None:
    _, path = next_task(fears, "R3")
    link = ask_for_link(fears, R3, path)
    with fears.person(width=PHONE) as context:
        page = context.new_page()
        page.goto(link)
        page.get_by_role("button", name="Continue as").click()
        expect(page).to_have_url(re.compile(f"{path}$"))
        page.goto(link)  # still signed in: led straight on
        expect(page).to_have_url(re.compile(f"{path}$"))

    with fears.person(width=PHONE) as context:
        page = context.new_page()
        page.goto(link)
        before = len(fears.ways_in(R3))
        follow(page.get_by_role("button", name="Send me a new one"))
        page.goto(fears.mailed(R3, LINK, after=before))
        page.get_by_role("button", name="Continue as").click()
        expect(page).to_have_url(re.compile(f"{path}$"))


def test_i_read_the_mail_on_another_device_and_type_its_code_here(fears: Deployment) -> None:
    _, path = next_task(fears, "R3")
    before = len(fears.ways_in(R3))
    with fears.person() as context:
        page = context.new_page()
        page.goto(path)
        page.locator("#link-email").fill(R3)
        follow(page.get_by_role("button", name="Mail me a sign-in link"))
        code = fears.mailed(R3, CODE, after=before)
        page.locator("#code").fill(f"{code[:3]} {code[3:]}")
        page.get_by_role("button", name="Sign in", exact=True).click()
        expect(page).to_have_url(re.compile(f"{path}$"))
