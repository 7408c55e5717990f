"""The review page in a real browser: nothing that was typed is ever lost."""

from playwright.sync_api import Page, Response, Route, expect

from swapflow.domain.reviewing.assignment import Assignment
from tests.browser.office import PHONE, SAVED, Deployment, cut_off, saved, show_form, wait_for


def opened(page: Page, up: Deployment, task: Assignment) -> None:
    answer = page.goto(f"/tasks/{up.product.tasks.code(task.id)}")
    assert answer is not None
    assert answer.ok
    show_form(page)


def give_marks(page: Page) -> None:
    """Choose the second mark of each criterion."""
    names = page.eval_on_selector_all(
        "main input[type=radio]", "all => [...new Set(all.map(i => i.name))]"
    )
    for name in names:
        page.locator(f'input[type=radio][name="{name}"]').nth(1).check(force=True)


def test_a_review_can_be_submitted_without_javascript(up: Deployment) -> None:
    up.cycle("plain")
    task = up.tasks("plain", "R1")[0]
    with up.person("plain-r1@example.org", width=PHONE, scripts=False) as context:
        page = context.new_page()
        opened(page, up, task)
        give_marks(page)
        page.locator("textarea:visible").first.fill("Well argued. 🙂 مرحبا")
        page.get_by_role("button", name="Submit", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Your review is stored")

    assert up.product.context.ledger.assignment(task.id).status.value == "scored"


def test_what_is_typed_is_kept_by_itself_and_is_there_again(up: Deployment) -> None:
    up.cycle("autosave")
    task = up.tasks("autosave", "R1")[0]
    with up.person("autosave-r1@example.org", width=PHONE) as context:
        page = context.new_page()
        opened(page, up, task)
        page.locator("textarea:visible").first.fill("Half a thought")
        expect(page.get_by_text(SAVED).first).to_be_visible()
    with up.person("autosave-r1@example.org", width=PHONE) as other:
        page = other.new_page()
        opened(page, up, task)
        expect(page.locator("textarea:visible").first).to_have_value("Half a thought")


def test_what_is_typed_before_the_script_has_come_is_kept_too(up: Deployment) -> None:
    up.cycle("early")
    task = up.tasks("early", "R1")[0]
    with up.person("early-r1@example.org", width=PHONE) as context:
        page = context.new_page()
        slow: list[Route] = []

        def hold(route: Route) -> None:
            slow.append(route)

        page.route("**/review.js*", hold)
        page.goto(f"/tasks/{up.product.tasks.code(task.id)}", wait_until="commit")
        show_form(page)
        page.locator("textarea:visible").first.fill("A fast typist")
        page.locator("main input[type=radio][value='2']").first.check(force=True)
        wait_for(page, slow)
        slow[0].continue_()
        expect(page.get_by_text(SAVED).first).to_be_visible()
        saved(page)
        page.unroute_all()
        page.reload()
        show_form(page)
        expect(page.locator("textarea:visible").first).to_have_value("A fast typist")
        expect(page.locator("main input[type=radio][value='2']").first).to_be_checked()


def test_a_save_whose_answer_was_lost_is_no_change_from_elsewhere(up: Deployment) -> None:
    up.cycle("lost")
    task = up.tasks("lost", "R1")[0]
    with up.person("lost-r1@example.org", width=PHONE) as context:
        page = context.new_page()
        opened(page, up, task)

        def lose(route: Route) -> None:
            assert route.fetch().ok
            route.abort()

        page.route("**/draft", lose, times=1)
        page.locator("textarea:visible").first.fill("Half")
        expect(page.get_by_text("Not connected – kept on this device")).to_be_visible()
        page.locator("textarea:visible").first.fill("Half a thought")

        saved(page)
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_page_left_before_its_save_was_answered_goes_on_with_the_text(up: Deployment) -> None:
    up.cycle("left")
    task = up.tasks("left", "R1")[0]
    with up.person("left-r1@example.org", width=PHONE) as context:
        page = context.new_page()
        opened(page, up, task)
        answered: list[Route] = []

        def hold(route: Route) -> None:
            assert route.fetch().ok
            answered.append(route)

        page.route("**/draft", hold, times=1)
        page.locator("textarea:visible").first.fill("Half")
        wait_for(page, answered)
        page.locator("textarea:visible").first.fill("Half a thought")
        page.on("dialog", lambda dialog: dialog.accept())  # "Leave this page?"
        page.reload()
        show_form(page)

        saved(page)
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.locator("textarea:visible").first).to_have_value("Half a thought")


def test_a_page_made_before_the_last_save_was_stored_shows_what_was_typed(up: Deployment) -> None:
    up.cycle("older")
    task = up.tasks("older", "R1")[0]
    with up.person("older-r1@example.org", width=PHONE) as context:
        page = context.new_page()
        opened(page, up, task)

        answers: list[Response] = []

        def answer_late(route: Route) -> None:
            made = route.fetch()
            wait_for(page, answers)
            route.fulfill(response=made)

        page.on("response", lambda one: answers.append(one) if "/draft" in one.url else None)

        page.route(f"**/tasks/{up.product.tasks.code(task.id)}", answer_late, times=1)
        page.locator("textarea:visible").first.fill("Half a thought")
        page.reload()
        show_form(page)

        expect(page.locator("textarea:visible").first).to_have_value("Half a thought")
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_what_is_typed_offline_is_sent_on_return(up: Deployment) -> None:
    up.cycle("offline")
    task = up.tasks("offline", "R1")[0]
    with up.person("offline-r1@example.org", width=PHONE) as context:
        page = context.new_page()
        opened(page, up, task)
        cut_off(context, away=True)
        page.locator("textarea:visible").first.fill("Typed in the train")
        expect(page.get_by_text("Not connected – kept on this device")).to_be_visible()
        cut_off(context, away=False)
        expect(page.get_by_text(SAVED).first).to_be_visible()
    with up.person("offline-r1@example.org") as other:
        page = other.new_page()
        opened(page, up, task)
        expect(page.locator("textarea:visible").first).to_have_value("Typed in the train")


def test_pressing_submit_twice_stores_one_review(up: Deployment) -> None:
    up.cycle("twice")
    task = up.tasks("twice", "R1")[0]
    with up.person("twice-r1@example.org", width=PHONE) as context:
        page = context.new_page()
        opened(page, up, task)
        give_marks(page)
        page.get_by_role("button", name="Submit", exact=True).dblclick(no_wait_after=True)
        page.wait_for_url("**/receipt*")
        page.wait_for_timeout(300)
    stored = [s for s in up.product.scores.list("twice") if s.assignment_id == task.id]
    assert len(stored) == 1
