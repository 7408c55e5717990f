"""The jobs that are counted: each is done on its pages and checked in the record."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from playwright.sync_api import Page, expect

from swapflow.domain.cohort.meeting import Shown, Word
from swapflow.domain.cohort.proposal import Standing
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.rules import KindRules, SeatLine
from swapflow.identity.permissions import Role
from tests.browser.office import DESK, PHONE, START, Deployment, show_form
from tests.support.waiting import wait_until
from tests.walks.hand import Hand
from tests.walks.mailed import Mailed
from tests.web.site import SITE_RULES


Counts = dict[str, int]

BOARD_CHAIR = "board-chair@example.org"


def first_review(mailed: Mailed, folder: Path) -> Counts:
    """From the mail to the receipt of the first review, on a phone."""
    up = mailed.up
    up.cycle("walk")
    to = "walk-r1@example.org"
    (text,) = mailed.wait_for(to)
    address = re.search(r"http\S+/sign-in/reviews/\S+", text)
    assert address is not None
    with up.person(width=PHONE) as context:
        page = context.new_page()
        hand = Hand(page)
        hand.open(address[0])
        hand.press(re.compile("Continue as"))
        hand.follow(START)
        expect(page.locator("form#review, form").first).to_be_attached()
        if page.locator("label[for=view-score]").is_visible():
            hand.acts += 1
            show_form(page)
        for name in ("c0", "c1"):
            hand.tap(page.locator(f"label[for^={name}-], label:has(input[name={name}])"))
        # Words are typed, not tapped.
        page.locator("[name=remark]").fill("Clear and well argued.")
        hand.press(re.compile("Submit and next"))
        wait_until(
            lambda: up.product.cycles.get("walk").spent > 0, what="the first review is stored"
        )
    return {"mails": len(mailed.texts(to)), "taps": hand.acts}


def dates_12(mailed: Mailed, folder: Path) -> Counts:
    """Dates for 12 interviews that were asked for."""
    up, cycle = mailed.up, "dates"
    talk = KindRules(name="interview", cost=1, gain=1.0, maximum=1)
    lines = (SeatLine(name="all", places=4),)
    rules = replace(SITE_RULES, kinds=(talk,), rubrics=(), lines=lines, blind=False, budget=40)
    up.cycle(cycle, applicants=12, rules=rules)
    requests = up.product.reviewers.interview_requests
    wait_until(lambda: len(requests(cycle)) >= 12, what="12 interviews are asked for")
    up.staff("dates-ops@example.org", Role.OPERATIONS)
    with up.person("dates-ops@example.org") as desk:
        page = desk.new_page()
        page.goto(f"/applicants/{cycle}/slots")
        hand = Hand(page)
        hand.follow(re.compile(r"^Set \d+ dates that fit"))
        hand.press("Set the chosen dates")
        expect(page.locator("[role=status]").first).to_be_visible()
    assert sum(1 for one in requests(cycle) if one.interview and one.interview.stands) >= 12
    return {"acts": hand.acts}


def sixteen(up: Deployment, folder: Path) -> Counts:
    """A meeting about 16 applicants who are too close to call, with four changes."""
    path = ended(up, "sixteen", applicants=16, places=8, answered=2)
    close = up.product.meetings.agenda("sixteen").close
    assert len(close) == 16
    by_number = sorted(close, key=lambda place: place.external_id)
    with up.person(BOARD_CHAIR, width=DESK, scripts=False) as desk:
        page = desk.new_page()
        page.goto(path)
        hand = Hand(page)
        hand.press("Open the meeting", exact=True)
        hand.follow("Go to next open applicant", exact=True)
        expect(page.get_by_role("heading", level=1)).to_contain_text(by_number[0].external_id)
        # Evidence first: nothing of the order is on the wall.
        assert "±" not in page.locator("main").inner_text()
        hand.press("Open the file", exact=True)
        for number, place in enumerate(by_number):
            expect(page.get_by_role("heading", level=1)).to_contain_text(place.external_id)
            expect(page.get_by_text("Why I want to study here")).to_be_visible()
            inside = place.standing is Standing.COHORT
            if number % 4 == 0:
                hand.fill(page.get_by_label("Why", exact=True), "the interview says otherwise")
                hand.press("Waitlist" if inside else "funded", exact=True)
            else:
                hand.press("funded" if inside else "Waitlist", exact=True)
        hand.press("Close the meeting", exact=True)
        expect(page.get_by_text("Closed by")).to_be_visible()
    agenda = up.product.meetings.agenda("sixteen")
    assert agenda.missing == ()
    assert len(agenda.looked_at(Shown.FILE)) == 16
    assert sum(said.reason == "as proposed" for said in agenda.words.values()) == 12
    assert {said.line for said in agenda.words.values() if said.word is Word.IN} == {"funded"}
    return {"acts": hand.acts}


def ended(up: Deployment, cycle: str, *, applicants: int, places: int, answered: int) -> str:
    """Make a program whose asking has ended; return the address of its board."""
    lines = (SeatLine(name="funded", places=places - 1), SeatLine(name="unfunded", places=1))
    budget = 5 * applicants
    up.cycle(cycle, applicants=applicants, rules=replace(SITE_RULES, lines=lines, budget=budget))
    for known in up.product.reviewers.list(cycle):
        for task in up.tasks(cycle, known.external_id)[:answered]:
            up.answer(task)
    up.product.cycles.stop(cycle, by="ops", reason="enough for this year")
    up.staff(BOARD_CHAIR, Role.CHAIR)
    return f"/decide/{cycle}"


def sick_reviewer(up: Deployment, folder: Path) -> Counts:
    """A reviewer is away, and their open reviews go to others."""
    cycle = up.cycle("sick")
    before = len(up.tasks(cycle, "R1"))
    assert before
    up.staff("sick-ops@example.org", Role.OPERATIONS)
    with up.person("sick-ops@example.org") as desk:
        page = desk.new_page()
        page.goto(f"/reviewers/{cycle}/0")
        hand, forms = Hand(page), _posts(page)
        back = datetime.now(UTC).date() + timedelta(days=30)
        hand.fill(page.get_by_label("Away until"), back.isoformat())
        hand.press("Record days away")
        expect(page.get_by_text("Nothing waits.")).to_be_visible()
    assert up.tasks(cycle, "R1") == ()
    return {"forms": len(forms), "acts": hand.acts}


def conflict(up: Deployment, folder: Path) -> Counts:
    """A reviewer turns out to be in conflict with an applicant whom they were asked about."""
    cycle = up.cycle("related")
    task = up.tasks(cycle, "R1")[0]
    up.staff("related-ops@example.org", Role.OPERATIONS)
    with up.person("related-ops@example.org") as desk:
        page = desk.new_page()
        page.goto(f"/applicants/{cycle}/{task.application}")
        hand = Hand(page)
        hand.press(re.compile(r"Conflict of interest ?: Reviewer 1$"))
        expect(page.locator("#told, .notice.good").first).to_be_visible()
    known = {a.number: a.external_id for a in up.product.applicants.list(cycle)}
    assert task.id not in {one.id for one in up.tasks(cycle, "R1")}, known[task.application]
    return {"acts": hand.acts}


def launch(up: Deployment, folder: Path) -> Counts:
    """From an empty office to a program that runs."""
    up.staff("launcher@example.org", Role.ADMINISTRATOR, Role.OPERATIONS)
    people = folder / "applicants.csv"
    people.write_text("id,statement\n" + "".join(f"L{n:02},Text {n}\n" for n in range(40)))
    roster = folder / "reviewers.csv"
    roster.write_text("id,email\n" + "".join(f"v{n},v{n}@example.org\n" for n in range(6)))
    with up.person("launcher@example.org") as desk:
        page = desk.new_page()
        hand = Hand(page)
        page.goto("/setup")
        opened = page.locator("details", has=page.locator("#p-name"))
        if opened.get_attribute("open") is None:
            opened.locator("summary").first.click()
        hand.fill(page.get_by_label("Name", exact=True), "MSc Launch")
        round_ = page.get_by_label("Round", exact=True)
        if round_.count():
            round_.select_option("+")
        hand.fill(page.get_by_label("Name of the new round"), "Autumn 2027")
        hand.choose("Start from", "admissions")
        hand.press("Make the program")
        for path, file in (("applicants", people), ("reviewers", roster)):
            page.goto(f"/setup/msc-launch/{path}")
            hand.attach(file)
            hand.press("Look at the file")
            hand.lead_on(page.locator("main form button.primary"))
            expect(page.locator("#told, .notice.good").first).to_be_visible()
        page.goto("/setup/msc-launch/questions")
        hand.fill_all({"places.0.number": "8", "hours": "60", "deadline": "2099-02-01T12:00"})
        hand.pick("No one")
        expect(page.locator("#forecast .huge")).to_contain_text("%")
        hand.press("Store and go on to the launch")
        page.get_by_role("checkbox").check()
        hand.press("Launch MSc Launch")
        expect(page.get_by_text("The program is launched")).to_be_visible()
    assert up.product.cycles.get("msc-launch").status is CycleStatus.RUNNING
    rules = up.product.cycles.rules("msc-launch")
    assert (rules.cohort_size, rules.budget, rules.kinds[1].total) == (8, 3600, 0)
    return {"fields": hand.fields, "acts": hand.acts}


def sign(mailed: Mailed, folder: Path) -> Counts:
    """From the mail to a signer to the signed list."""
    up, cycle, dean = mailed.up, "signing", "signing-dean@example.org"
    ended(up, cycle, applicants=8, places=3, answered=2)
    up.staff(dean, Role.CHAIR, cycle=cycle)
    up.product.cohort.prepare(cycle, by="ops", waiver="a small round")
    text = mailed.wait_for(dean)[-1]
    address = re.search(r"http\S+", text)
    assert address is not None
    with up.person(dean) as desk:
        page = desk.new_page()
        hand = Hand(page)
        hand.open(address[0])
        hand.press(re.compile("^Sign as"))
        expect(page.get_by_text("The list is final")).to_be_visible()
    assert up.product.cycles.get(cycle).status is CycleStatus.FINALIZED
    return {"acts": hand.acts}


def _posts(page: Page) -> list[str]:
    """Note each form that is sent."""
    sent: list[str] = []
    page.on("request", lambda one: sent.append(one.url) if one.method == "POST" else None)
    return sent


def _in_office(job: Callable[[Deployment, Path], Counts]) -> Callable[[Mailed, Path], Counts]:
    return lambda mailed, folder: job(mailed.up, folder)


WALKS: dict[str, Callable[[Mailed, Path], Counts]] = {
    "first_review": first_review,
    "dates_12": dates_12,
    "meeting_16": _in_office(sixteen),
    "sick_reviewer": _in_office(sick_reviewer),
    "conflict": _in_office(conflict),
    "launch": _in_office(launch),
    "sign": sign,
}
"""The walks by the names under which their counts are kept."""

MOST: dict[str, Counts] = {
    "first_review": {"mails": 1, "taps": 7},
    "dates_12": {"acts": 3},
    "meeting_16": {"acts": 24},
    "sick_reviewer": {"forms": 1},
    "conflict": {"acts": 2},
    "launch": {"fields": 9},
    "sign": {"acts": 2},
}
"""What each may take at most."""
