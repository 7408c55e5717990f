"""Reviewing without a connection, with a real service worker: a review is sent once, by itself."""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.reviewing.assignment import Assignment
from tests.browser.office import ARGUMENTS, PHONE, Deployment, chromium, patient, saved, show_form
from tests.chaos.proxy import Link, Links
from tests.support.waiting import wait_until


@dataclass
class Phone:
    """A browser with a folder of its own, whose way to the office can be cut."""

    up: Deployment
    folder: Path
    links: Links
    link: Link

    @contextmanager
    def opened(self, email: str) -> Iterator[tuple[BrowserContext, Page]]:
        """Open the browser, with all that it kept; its cookie is as it was."""
        context = self.up.browser.browser_type.launch_persistent_context(
            self.folder,
            executable_path=chromium(os.environ.get("SWAPFLOW_CHROMIUM")),
            args=ARGUMENTS,
            base_url=f"http://{urlsplit(self.up.settings.address).hostname}:{self.link.port}",
            viewport={"width": PHONE, "height": 740},
            reduced_motion="reduce",
        )
        patient(context)
        try:
            self.up.sign_in(context, email)
            yield context, context.new_page()
        finally:
            with suppress(Exception):  # it may have been killed
                context.close()

    def kill(self) -> None:
        """Kill the browser as a phone does that needs its memory."""
        for process in Path("/proc").iterdir():
            with suppress(OSError, ValueError):
                said = (process / "cmdline").read_bytes()
                if str(self.folder).encode() in said:
                    os.kill(int(process.name), signal.SIGKILL)


@pytest.fixture
def phone(up: Deployment, tmp_path: Path) -> Iterator[Phone]:
    links = Links()
    port = urlsplit(up.settings.address).port
    assert port is not None
    yield Phone(up, tmp_path / "phone", links, links.add("web", port))
    links.close()


def keep(page: Page) -> None:
    """Press "Keep on this device", and wait until the worker is at work."""
    page.goto("/inbox")
    page.get_by_role("button", name="Keep on this device").click()
    expect(page.get_by_role("button", name="Stop keeping on this device")).to_be_visible()
    page.wait_for_function("navigator.serviceWorker.controller !== null")


def code(up: Deployment, task: Assignment) -> str:
    return up.product.tasks.code(task.id)


def give_marks(page: Page, *, which: int = 1) -> None:
    show_form(page)
    for row in page.locator("fieldset[data-weight]").all():
        row.locator("input[type=radio]").nth(which).check(force=True)


def kept_pages(page: Page) -> list[str]:
    """The addresses that the device holds."""
    found: list[str] = page.evaluate(
        """async () => {
          const found = [];
          for (const name of await caches.keys())
            if (name.startsWith("swapflow-kept-"))
              for (const one of await (await caches.open(name)).keys())
                found.push(new URL(one.url).pathname);
          return found;
        }"""
    )
    return found


def scores_of(up: Deployment, cycle: str, task: Assignment) -> list[int]:
    return [s.revision for s in up.product.scores.list(cycle) if s.assignment_id == task.id]


def test_a_review_submitted_offline_survives_the_browser_and_is_stored_once(
    up: Deployment, phone: Phone
) -> None:
    up.cycle("train")
    first = up.tasks("train", "R1")[0]
    address = f"/tasks/{code(up, first)}"
    with phone.opened("train-r1@example.org") as (_, page):
        keep(page)
        page.goto(address)
        expect(page.locator("#review")).to_be_attached()
        wait_until(lambda: address in kept_pages(page), what="the opened review is kept")
        phone.links.cut(phone.link)
        page.goto("/inbox")
        page.goto(address)
        give_marks(page)
        page.get_by_role("button", name="Submit", exact=True).click()
        expect(page.get_by_text("1 waiting to send")).to_be_visible()
        assert scores_of(up, "train", first) == []
        phone.kill()
    with phone.opened("train-r1@example.org") as (_, page):
        page.goto("/inbox")
        expect(page.get_by_text("1 waiting to send")).to_be_visible()
        phone.links.mend(phone.link)
        page.reload()
        expect(page.get_by_role("link", name="Show the receipt")).to_be_visible()
        page.get_by_role("link", name="Show the receipt").click()
        expect(page.locator("#receipt")).to_be_visible()
    assert scores_of(up, "train", first) == [1]


def test_another_review_that_came_first_is_shown_beside_the_one_that_waited(
    up: Deployment, phone: Phone
) -> None:
    up.cycle("both")
    task = up.tasks("both", "R1")[0]
    with phone.opened("both-r1@example.org") as (_, page):
        page.goto(f"/tasks/{code(up, task)}")
        give_marks(page)
        saved(page)
        phone.links.cut(phone.link)
        page.get_by_role("button", name="Submit", exact=True).click()
        expect(page.get_by_text("1 waiting to send")).to_be_visible()
        up.answer(task)
        phone.links.mend(phone.link)
        page.evaluate("dispatchEvent(new Event('online'))")
        expect(page.get_by_text("is stored already")).to_be_visible()
        expect(page.get_by_role("heading", name="On this device")).to_be_visible()
        expect(page.get_by_text("clear, well argued")).to_be_visible()
        page.get_by_role("button", name="Keep the stored one").click()
        expect(page.get_by_text("is stored already")).to_have_count(0)
    assert scores_of(up, "both", task) == [1]


def test_a_review_waits_for_the_sign_in_of_its_author(up: Deployment, phone: Phone) -> None:
    up.cycle("ended")
    task = up.tasks("ended", "R1")[0]
    with phone.opened("ended-r1@example.org") as (context, page):
        page.goto(f"/tasks/{code(up, task)}")
        give_marks(page)
        saved(page)
        phone.links.cut(phone.link)
        page.get_by_role("button", name="Submit", exact=True).click()
        expect(page.get_by_text("1 waiting to send")).to_be_visible()
        context.clear_cookies()
        phone.links.mend(phone.link)
        page.evaluate("dispatchEvent(new Event('online'))")
        expect(page.get_by_text("Sign in to send it")).to_be_visible()
        assert scores_of(up, "ended", task) == []

        up.sign_in(context, "ended-r2@example.org")
        page.goto("/inbox")
        expect(page.get_by_text("A review of another account waits")).to_be_visible()
        assert scores_of(up, "ended", task) == []

        up.sign_in(context, "ended-r1@example.org")
        page.goto("/inbox")
        expect(page.get_by_role("link", name="Show the receipt")).to_be_visible()
    assert scores_of(up, "ended", task) == [1]


def test_nothing_is_kept_before_the_choice_and_nothing_after_signing_out(
    up: Deployment, phone: Phone
) -> None:
    up.cycle("shared")
    task = up.tasks("shared", "R1")[0]
    with phone.opened("shared-r1@example.org") as (_, page):
        page.goto("/inbox")
        page.goto(f"/tasks/{code(up, task)}")
        assert kept_pages(page) == []
        keep(page)
        page.goto(f"/tasks/{code(up, task)}")
        wait_until(lambda: len(kept_pages(page)) > 1, what="both pages are kept")
        page.goto("/me")
        page.get_by_role("button", name="Sign out", exact=True).click()
        page.wait_for_url(re.compile("/sign-in"))
        assert page.evaluate("caches.keys()") == []
        assert page.evaluate("localStorage.length") == 0
        phone.links.cut(phone.link)
        with pytest.raises(Exception, match="ERR_"):
            page.goto("/inbox")


def test_what_the_office_took_back_is_deleted_from_the_device(
    up: Deployment, phone: Phone
) -> None:
    up.cycle("taken")
    task = up.tasks("taken", "R1")[0]
    address = f"/tasks/{code(up, task)}"
    with phone.opened("taken-r1@example.org") as (_, page):
        keep(page)
        page.goto(address)
        wait_until(lambda: address in kept_pages(page), what="the review is kept")
        gone = up.product.context.ledger.application("taken", task.application)
        up.product.applicants.move(
            "taken", gone.external_id, ApplicationStatus.WITHDRAWN, by="ops"
        )
        page.goto("/inbox")
        wait_until(lambda: address not in kept_pages(page), what="the review is deleted")
        assert "/inbox" in kept_pages(page)


def test_a_session_that_was_revoked_keeps_nothing(up: Deployment, phone: Phone) -> None:
    up.cycle("revoked")
    with phone.opened("revoked-r1@example.org") as (context, page):
        keep(page)
        wait_until(lambda: kept_pages(page) == ["/inbox"], what="the list is kept")
        context.clear_cookies()
        page.goto("/inbox")
        page.wait_for_url(re.compile("/sign-in"))
        wait_until(lambda: kept_pages(page) == [], what="the list is deleted")
