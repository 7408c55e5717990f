"""A deployment that runs, and the people who sit in front of its pages."""

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from weakref import WeakKeyDictionary

from playwright.sync_api import (
    Browser,
    BrowserContext,
    CDPSession,
    Error,
    Locator,
    Page,
    Request,
    expect,
)

from swapflow.bootstrap import assemble
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import Rules
from swapflow.engine.services import Swapflow
from swapflow.errors import NotFoundError
from swapflow.i18n.languages import SOURCE
from swapflow.identity.account import Method
from swapflow.identity.permissions import Role, Scope
from swapflow.identity.services import Office
from swapflow.processes.deployment import running
from swapflow.settings import Settings, load_settings
from swapflow.web.http.dependencies import cookie_name
from tests.engine.cycle_by_hand import applicant, reviewer
from tests.support.ports import free_port
from tests.support.waiting import wait_until
from tests.web.site import SITE_RULES


PHONE, DESK = 360, 1280
LINK = r"http\S+?(/sign-in/link/\S+)"
CODE = r"\b\d{6}\b"
"""What a mail with a way in holds."""

START = re.compile(r"^(Start|Continue) ")
"""The name of the link to the review that is best done next."""

SAVED = re.compile(r"Saved \d\d?:\d\d")
"""What a review page says once the server has what was typed."""

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1",
]
"""How a browser is begun: it finds no host but this machine."""

PATIENCE = 60_000
"""Milliseconds that an act or a page may take: a bound for what is stuck, not for what is slow."""

SLOW_PAGES = float(os.environ.get("TESTS_SLOW_PAGES", "0"))
"""Seconds by which every answer is held back, and then scripts are slow too.

A test that acts before its page has come fails then, and not only on a busy machine.
"""

SLOWER = 5
"""How many times as long scripts take on slow pages."""

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def chromium(chosen: str | None) -> str | None:
    """Find a browser on this machine."""
    return chosen or next((path for name in NAMES if (path := shutil.which(name))), None)


def patient(context: BrowserContext) -> None:
    """Bound what a browser's pages wait for, and slow the pages down where that is asked for."""
    context.set_default_timeout(PATIENCE)
    context.set_default_navigation_timeout(PATIENCE)
    if SLOW_PAGES:
        context.on("page", _slow)


def cut_off(context: BrowserContext, *, away: bool) -> None:
    """Take the connection of a browser away, or give it back."""
    context.set_offline(away)
    for wire in _wires.get(context, ()):
        _set_line(wire, away=away)


_wires: WeakKeyDictionary[BrowserContext, list[CDPSession]] = WeakKeyDictionary()
"""What slows the pages of each browser; it would undo an end of the connection."""


def _slow(page: Page) -> None:
    with suppress(Error):  # the page may be closed again
        wire = page.context.new_cdp_session(page)
        _wires.setdefault(page.context, []).append(wire)
        _set_line(wire, away=False)
        wire.send("Network.setCacheDisabled", {"cacheDisabled": True})
        wire.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})


def _set_line(wire: CDPSession, *, away: bool) -> None:
    line = {"latency": 1000 * SLOW_PAGES, "downloadThroughput": -1, "uploadThroughput": -1}
    with suppress(Error):
        wire.send("Network.emulateNetworkConditions", line | {"offline": away})


@dataclass  # without slots: the browser's library hangs something of its own on it
class Deployment:
    """One `swapflow up`, and the same product in this process, on the same database.

    Attributes:
        strayed: Requests to another host; there must be none.
    """

    settings: Settings
    product: Swapflow
    office: Office
    browser: Browser
    strayed: list[str] = field(default_factory=list)

    @contextmanager
    def person(
        self, email: str = "", *, width: int = DESK, dark: bool = False, scripts: bool = True
    ) -> Iterator[BrowserContext]:
        """A browser of its own, signed in unless no address is given."""
        context = self.browser.new_context(
            base_url=self.settings.address,
            viewport={"width": width, "height": 800},
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
            reduced_motion="reduce",
        )
        patient(context)
        # Watched and not held: a request that this process had to let through would stand still
        # while a test sleeps until the office has done something.
        context.on("request", self._only_here)
        if email:
            self.sign_in(context, email)
        try:
            yield context
        finally:
            context.close()

    def sign_in(self, context: BrowserContext, email: str) -> None:
        """Sign a browser in."""
        secret, _ = self.office.sign_in.start_session(
            self.office.users.get(email), method=Method.LINK, agent="test"
        )
        context.add_cookies(
            [{"name": cookie_name(secure=False), "value": secret, "url": self.settings.address}]
        )

    def staff(self, email: str, *roles: Role, cycle: str = "") -> str:
        """Make an account with these roles in one program or everywhere; gives its address."""
        try:
            self.office.users.get(email)
        except NotFoundError:
            account = self.office.users.add(email, name=email.partition("@")[0].title())
            for role in roles:
                scope = Scope.CYCLE if cycle else Scope.OFFICE
                self.office.users.grant(account, role, scope, cycle, by="test")
        return email

    def cycle(
        self,
        cycle: str,
        *,
        applicants: int = 12,
        launch: bool = True,
        rules: Rules = SITE_RULES,
        people: str = "",
    ) -> str:
        """Make a cycle with four reviewers, `CYCLE-rN@example.org`, who have accounts.

        Args:
            cycle: Its id.
            applicants: How many; A001, A002 …
            launch: Whether it runs, and the first requests are out.
            rules: What it goes by; unless they are named, the budget grows with the applicants.
            people: Another cycle whose reviewers sit in this one too.
        """
        product = self.product
        if not any(known.id == "round" for known in product.cycles.rounds()):
            product.cycles.new_round("round", name="Fall 2027")
        if rules is SITE_RULES:
            rules = replace(rules, budget=5 * applicants)
        product.cycles.new(cycle, round_id="round", rules=rules, by="ops", name=f"MS {cycle}")
        product.applicants.import_all(
            cycle,
            [
                applicant(
                    f"A{n:03d}",
                    name=f"Applicant {n}",
                    email=f"a{n}@example.com",
                    fields={"statement": f"Why I want to study here, number {n}."},
                )
                for n in range(1, applicants + 1)
            ],
        )
        product.applicants.choose_columns(cycle, {"statement": True}, by="ops")
        emails = [f"{people or cycle}-r{n}@example.org" for n in range(1, 5)]
        product.reviewers.import_all(
            cycle,
            [
                reviewer(
                    f"R{n}",
                    name=f"Reviewer {n}",
                    email=email,
                    capacity=dict.fromkeys((kind.name for kind in rules.kinds), None),
                )
                for n, email in enumerate(emails, start=1)
            ],
        )
        for email in emails:
            self.staff(email)
        if launch:
            product.cycles.launch(cycle, by="ops")
            asked = not any(kind.approval for kind in rules.kinds)
            wait_until(
                lambda: bool(
                    self.tasks(cycle, "R1") if asked else product.approvals.proposed(cycle)
                ),
                what="the first requests are made",
            )
        return cycle

    def tasks(self, cycle: str, external_id: str) -> tuple[Assignment, ...]:
        """What has been delivered to a reviewer."""
        waiting = self.product.tasks.inbox(cycle, external_id)
        return tuple(a for a in waiting if a.status is not AssignmentStatus.QUEUED)

    def answer(self, assignment: Assignment) -> None:
        """Submit a review without a browser."""
        marks: dict[str, float | None] = {"Preparation": 3.0, "Promise": 2.0}
        self.product.tasks.submit(
            [Answer(assignment_id=assignment.id, marks=marks, remark="clear, well argued")]
        )

    def ways_in(self, to: str) -> list[str]:
        """The text of every mail with a way in that an address got, oldest first."""
        outbox = (self.settings.data_dir / "outbox").glob("*.eml")
        found = []
        for path in sorted(outbox, key=lambda path: path.stat().st_mtime_ns):
            mail = message_from_bytes(path.read_bytes(), policy=default)
            part = mail.get_body(("plain",))
            if to in str(mail["To"]) and part is not None:
                found.append(str(part.get_content()))
        return [text for text in found if re.search(LINK, text)]

    def mailed(self, to: str, wanted: str, *, after: int) -> str:
        """Wait for one more way in than there were, and give what it holds of what is wanted."""
        wait_until(lambda: len(self.ways_in(to)) > after, what=f"a mail to {to}")
        return str(re.findall(wanted, self.ways_in(to)[-1])[0])

    def _only_here(self, request: Request) -> None:
        if not request.url.startswith((self.settings.address, "blob:", "data:")):
            self.strayed.append(request.url)


def follow(place: Locator) -> None:
    """Press a link or a button, and wait until the page is there to which it leads.

    A press alone may return while the page of before is still open: what is typed or looked at
    next would meet that one.
    """
    with place.page.expect_navigation():
        place.click()


def wait_for(page: Page, noted: Sequence[object]) -> None:
    """Wait until something was noted of what a page asks for, or is answered."""

    def is_noted() -> bool:
        page.wait_for_timeout(20)  # what happens in a page comes to this process while it waits so
        return bool(noted)

    wait_until(is_noted, what="the page asks, or is answered")


def saved(page: Page) -> None:
    """Wait until the server holds everything that was typed and marked on a review page."""
    page.wait_for_function(
        "() => !Object.keys(localStorage).some(key => key.startsWith('review:'))"
    )
    expect(page.get_by_text(SAVED).first).to_be_visible()


def show_form(page: Page) -> None:
    """Turn a review page from the file to the form, where it is narrow and shows one of them."""
    page.locator("#review").wait_for(state="attached")
    score = page.locator("label[for=view-score]")
    if score.is_visible() and not page.locator("#view-score").is_checked():
        score.click()


def settle(page: Page) -> None:
    """Wait until scripts have finished what they do when a page opens."""
    page.wait_for_load_state("load")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


@contextmanager
def deployed(data: Path, browser: Browser, *, language: str = SOURCE) -> Iterator[Deployment]:
    """Run `swapflow up` on a folder until the block ends."""
    port = free_port()
    settings = load_settings(
        data_dir=data, web_port=port, database_url=None, redis_url=None, language=language
    )
    more = {"SWAPFLOW_LANGUAGE": language, "SWAPFLOW_TRY_SPREADSHEET": "true"}
    with running(settings, SWAPFLOW_WEB_PORT=str(port), **more):
        product, office = assemble(settings)
        yield Deployment(settings=settings, product=product, office=office, browser=browser)


AXE = Path(__file__).parent.parent / "support" / "axe" / "axe.min.js"
