"""From the end of asking to an offer that is answered, in English and in a strange language.

In the strange language every message is spelled so that no plain English may be left anywhere.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest
from playwright.sync_api import Browser, Page, expect

from swapflow.domain.cohort.proposal import Standing, Verdict
from swapflow.i18n.languages import SOURCE, gettext, set_deployment_language, use_language
from swapflow.identity.permissions import Role, Scope
from tests.browser.office import DESK, Deployment, deployed, follow, settle
from tests.support.plain import PLAIN, Words, plain
from tests.web.site import SITE_RULES


CYCLE = "fall"
CHAIR, SECOND = "chair@example.org", "second@example.org"
WHY = "说得好"
"""What people type, in letters that no message has."""

SETTINGS = re.compile(r"^\| .* \|$", re.MULTILINE)
"""The method's settings, by the names that the rules have for them."""

PLACES = re.compile(r"\{(name|program|until)\}")
"""What staff write into a letter where each applicant's own is put in."""

UNFILLED = re.compile(r"%\(\w+\)s|\{\w+\}|⟦")
"""What is left in English of a message that was not filled in, or is in another language."""


@dataclass
class Walk:
    """A person who reads every page of the way.

    Attributes:
        left: What was found on a page that is not in its language, by what was looked at.
    """

    up: Deployment
    tag: str
    left: dict[str, list[str]] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)

    def said(self, message: str, **filled: str) -> str:
        """Return a message in the language of the pages."""
        with use_language(self.tag):
            text = gettext(message)
        return text % filled if filled else text

    def look(self, page: Page, name: str) -> None:
        """Read a page."""
        settle(page)
        html = PLACES.sub("", SETTINGS.sub("", page.content()))
        assert Words(html).language[0] == self.tag, name
        self.note(html, name)

    def note(self, html: str, name: str) -> None:
        """Note what is not in the language: in the strange one the words of plain English."""
        if self.tag == SOURCE:
            found = UNFILLED.findall(html)
        else:
            found = [word for piece in plain(html) for word in piece.split() if PLAIN.search(word)]
        if found:
            self.left[name] = found
        self.seen.append(name)

    def press(self, page: Page, message: str, **filled: str) -> None:
        name = self.said(message, **filled)
        follow(page.get_by_role("button", name=name, exact=True).first)

    def follow(self, page: Page, message: str) -> None:
        follow(page.get_by_role("link", name=self.said(message), exact=True).first)


@pytest.fixture(scope="module", params=[SOURCE, "en-XA"])
def walk(
    request: pytest.FixtureRequest, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Walk]:
    tag = str(request.param)
    folder = tmp_path_factory.mktemp(f"finalize-{tag}")
    with deployed(folder, browser, language=tag) as up:
        yield Walk(up=up, tag=tag)
    set_deployment_language(SOURCE)
    assert up.strayed == [], "a page asked another host"


def test_the_way_to_a_signed_list_and_its_offers_speaks_one_language(walk: Walk) -> None:
    up = walk.up
    prepared(up)
    with up.person(CHAIR, width=DESK) as one, up.person(SECOND, width=DESK) as two:
        page, theirs = one.new_page(), two.new_page()
        end_asking(walk, page)
        hold_meeting(walk, page)
        prepare(walk, page)
        sign(walk, page, CHAIR)
        theirs.goto(f"/decide/{CYCLE}")
        sign(walk, theirs, SECOND)
        expect(
            theirs.get_by_text(walk.said("The list is final (version %(version)s).", version="1"))
        ).to_be_visible()
        walk.look(theirs, "the fixed list")
        look_at_outbox(walk, page)
        offer(walk, page)
        write_letters(walk, page)
        ask_to_reopen(walk, page, theirs)

    assert walk.left == {}, str(walk.left)
    assert len(walk.seen) >= 21
    outcomes = up.product.cohort.outcomes(CYCLE, 1)
    assert sum(outcome.verdict is Verdict.SELECTED for outcome in outcomes) == 3
    said = [one.answer.value for one in up.product.offers.standing(CYCLE).offers]
    assert said.count("declined") == 1


def prepared(up: Deployment) -> None:
    up.cycle(CYCLE, applicants=8, rules=replace(SITE_RULES, signatures=2, budget=40))
    for known in up.product.reviewers.list(CYCLE):
        for task in up.tasks(CYCLE, known.external_id)[:2]:
            up.answer(task)
    for email in (CHAIR, SECOND):
        account = up.office.users.add(email, name=WHY)
        up.office.users.grant(account, Role.ADMINISTRATOR, Scope.OFFICE, by="test")
        up.office.users.grant(account, Role.CHAIR, Scope.OFFICE, by="test")


def end_asking(walk: Walk, page: Page) -> None:
    page.goto(f"/decide/{CYCLE}")
    walk.look(page, "the list while asking goes on")
    walk.press(page, "Stop asking for reviews")
    expect(page.locator("#stop-problem")).to_be_visible()
    walk.look(page, "ending without a reason")
    page.locator("#stop-reason").fill(WHY)
    walk.press(page, "Stop asking for reviews")
    expect(
        page.get_by_role("button", name=walk.said("Prepare list for signature"))
    ).to_be_visible()
    walk.look(page, "the list to be decided")


def hold_meeting(walk: Walk, page: Page) -> None:
    walk.follow(page, "Meeting")
    walk.look(page, "the meeting before it is open")
    walk.press(page, "Open the meeting")
    walk.look(page, "the open meeting")
    for place in walk.up.product.meetings.agenda(CYCLE).close:
        page.goto(f"/decide/{CYCLE}/meeting/{place.application}?shown=true")
        walk.look(page, f"applicant {place.rank} at the meeting")
        outcome = "In" if place.standing is Standing.COHORT else "Waitlist"
        if place.rank % 2:
            walk.press(page, "Out")
            expect(page.locator("#outcome-reason-problem")).to_be_visible()
            walk.look(page, "an outcome without a reason")
        page.locator("#outcome-reason").fill(WHY)
        walk.press(page, outcome)
    walk.look(page, "the meeting with its outcomes")
    close = page.locator(f"form[action='/decide/{CYCLE}/meeting/close'] button")
    if close.count():
        follow(close)
        walk.look(page, "the closed meeting")
    read_minutes(walk, page)


def read_minutes(walk: Walk, page: Page) -> None:
    answer = page.request.get(f"/decide/{CYCLE}/meeting/files/html")
    assert answer.ok
    walk.note(answer.text(), "the minutes")


def prepare(walk: Walk, page: Page) -> None:
    page.goto(f"/decide/{CYCLE}")
    walk.press(page, "Prepare list for signature")
    walk.look(page, "reasons")
    waiver = page.locator("#waiver")
    if waiver.count():
        walk.press(page, "Prepare for signature")
        expect(page.locator("#waiver-problem")).to_be_visible()
        walk.look(page, "a waiver without a reason")
        waiver.fill(WHY)
    walk.press(page, "Prepare for signature")
    walk.look(page, "the list that waits for signatures")


def sign(walk: Walk, page: Page, who: str) -> None:
    walk.press(page, "Sign as %(me)s", me=who)
    walk.look(page, f"signed by {who}")


def look_at_outbox(walk: Walk, page: Page) -> None:
    page.goto(f"/today/{CYCLE}/mail")
    walk.look(page, "the outbox")
    follow(page.locator(f"main a[href^='/today/{CYCLE}/mail/']").first)
    walk.look(page, "a mail")


def offer(walk: Walk, page: Page) -> None:
    page.goto(f"/decide/{CYCLE}")
    walk.follow(page, "Offers and answers")
    walk.look(page, "who is next")
    page.locator("#make-until").fill("2020-01-01")
    walk.press(page, "Record these offers")
    walk.look(page, "a date that is past")
    page.locator("#make-until").fill("2030-04-15")
    walk.press(page, "Record these offers")
    walk.look(page, "offers made")
    page.locator(
        "#made details summary, section[aria-labelledby=made] details summary"
    ).last.click()
    follow(page.locator("button[name=answer][value=declined]").last)
    walk.look(page, "an answer")
    page.locator("section[aria-labelledby=rate] summary").click()
    page.locator("#rate-accepted").fill("8")
    page.locator("#rate-of").fill("10")
    walk.press(page, "Use this rate")
    walk.look(page, "a rate of acceptance")


def write_letters(walk: Walk, page: Page) -> None:
    walk.follow(page, "Letters")
    walk.look(page, "letters to write")
    page.locator("#letters-minutes").fill("")
    walk.press(page, "Look at the letters")
    walk.look(page, "letters without a time")
    page.locator("#letters-minutes").fill("45")
    walk.press(page, "Look at the letters")
    walk.look(page, "letters as they would leave")
    walk.press(page, "Send these letters in %(minutes)s minutes", minutes="45")
    walk.look(page, "letters that are held")
    follow(page.locator("form[action$='/letters/take-back'] button"))
    walk.look(page, "letters that were taken back")


def ask_to_reopen(walk: Walk, page: Page, theirs: Page) -> None:
    page.goto(f"/decide/{CYCLE}")
    walk.press(page, "Ask to reopen")
    expect(page.locator("#reopen-problem")).to_be_visible()
    page.locator("#reopen-reason").fill(WHY)
    walk.press(page, "Ask to reopen")
    walk.look(page, "a reopening that is asked for")
    theirs.goto(f"/decide/{CYCLE}")
    walk.look(theirs, "a reopening to agree to")
