"""The office's jobs by the Tab key, Space, Enter and the arrows alone."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from playwright.sync_api import Page, expect

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.rules import KindRules, SeatLine
from swapflow.identity.permissions import Role
from tests.browser.by_keys import named, tab_to
from tests.browser.office import DESK, Deployment
from tests.support.waiting import wait_until
from tests.walks.jobs import BOARD_CHAIR, ended
from tests.web.site import SITE_RULES


OFFICER = "office-keys@example.org"


def press(page: Page, name: str) -> None:
    """Go to a button or a link by its words, press it, and wait for the page that follows."""
    tab_to(page, named(name))
    with page.expect_navigation():
        page.keyboard.press("Enter")


def test_dates_that_fit_are_set_by_keys_alone(up: Deployment) -> None:
    cycle = "keydates"
    talk = KindRules(name="interview", cost=1, gain=1.0, maximum=1)
    lines = (SeatLine(name="all", places=1),)
    rules = replace(SITE_RULES, kinds=(talk,), rubrics=(), lines=lines, blind=False, budget=20)
    up.cycle(cycle, applicants=3, rules=rules)
    requests = up.product.reviewers.interview_requests
    wait_until(lambda: len(requests(cycle)) == 3, what="three interviews are asked for")
    up.staff(OFFICER, Role.ADMINISTRATOR)
    with up.person(OFFICER, width=DESK) as context:
        page = context.new_page()
        page.goto(f"/applicants/{cycle}/slots")
        press(page, "Set 3 dates that fit")
        press(page, "Set the chosen dates")
        expect(page.locator("[role=status]", has_text="3 dates")).to_be_visible()
    assert sum(bool(one.interview and one.interview.stands) for one in requests(cycle)) == 3


def test_an_outcome_of_the_meeting_is_recorded_by_keys_alone(up: Deployment) -> None:
    path = ended(up, "keymeet", applicants=6, places=3, answered=2)
    with up.person(BOARD_CHAIR, width=DESK) as context:
        page = context.new_page()
        page.goto(path)
        press(page, "Open the meeting")
        press(page, "Go to next open applicant")
        first = int(page.url.rpartition("/")[2].partition("?")[0])
        tab_to(page, lambda here: here["name"] == "reason")
        page.keyboard.type("the interview says otherwise")
        press(page, "Waitlist")
        wait_until(
            lambda: first in up.product.meetings.agenda("keymeet").words,
            what="the outcome is recorded",
        )
    said = up.product.meetings.agenda("keymeet").words[first]
    assert said.reason == "the interview says otherwise"


def test_a_sick_reviewer_is_sent_away_by_keys_alone(up: Deployment) -> None:
    cycle = up.cycle("keysick")
    assert up.tasks(cycle, "R1")
    up.staff(OFFICER, Role.ADMINISTRATOR)
    back = datetime.now(UTC).date() + timedelta(days=30)
    with up.person(OFFICER, width=DESK) as context:
        page = context.new_page()
        page.goto(f"/reviewers/{cycle}/0")
        tab_to(page, lambda here: here["type"] == "date" and not here["value"])
        page.keyboard.type(f"{back:%m%d%Y}")
        press(page, "Record days away")
        expect(page.get_by_text("Nothing waits.")).to_be_visible()
    assert up.tasks(cycle, "R1") == ()


def test_a_conflict_is_recorded_by_keys_alone(up: Deployment) -> None:
    cycle = up.cycle("keyconflict")
    task = up.tasks(cycle, "R1")[0]
    up.staff(OFFICER, Role.ADMINISTRATOR)
    with up.person(OFFICER, width=DESK) as context:
        page = context.new_page()
        page.goto(f"/applicants/{cycle}/{task.application}")
        # Others may have been asked about the same applicant meanwhile.
        wanted = re.compile(r"Conflict of interest\W+Reviewer 1$")
        tab_to(
            page,
            lambda here: wanted.match(here["text"]) is not None and here["tag"] == "BUTTON",
        )
        with page.expect_navigation():
            page.keyboard.press("Enter")
        expect(page.locator("#told, .notice.good").first).to_be_visible()
    assert task.id not in {one.id for one in up.tasks(cycle, "R1")}


def test_a_program_is_launched_by_keys_alone(up: Deployment, tmp_path: Path) -> None:
    """From its people's files to the launch; a file is chosen in the dialog that Space opens."""
    cycle = up.cycle("keylaunch", launch=False)
    up.staff(OFFICER, Role.ADMINISTRATOR)
    more = tmp_path / "more.csv"
    more.write_text("id,name,email,statement\nK1,Kim,kim@example.com,I build bridges\n")
    with up.person(OFFICER, width=DESK) as context:
        page = context.new_page()
        # Dialogs are caught from the beginning: a key press overtakes what asks for it only then.
        page.on("filechooser", lambda _: None)
        page.goto(f"/setup/{cycle}/applicants")
        tab_to(page, lambda here: here["type"] == "file")
        with page.expect_file_chooser() as chosen:
            page.keyboard.press("Space")
        chosen.value.set_files(more)
        press(page, "Look at the file")
        tab_to(page, lambda here: here["tag"] == "BUTTON" and "import" in here["text"].lower())
        with page.expect_navigation():
            page.keyboard.press("Enter")
        expect(page.locator("#told, .notice.good").first).to_be_visible()
        page.goto(f"/setup/{cycle}/launch")
        tab_to(page, lambda here: here["type"] == "checkbox")
        page.keyboard.press("Space")
        press(page, "Launch MS keylaunch")
        expect(page.get_by_text("The program is launched")).to_be_visible()
    assert up.product.cycles.get(cycle).status is CycleStatus.RUNNING
    assert "K1" in {one.external_id for one in up.product.applicants.list(cycle)}
