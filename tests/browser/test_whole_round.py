"""One cycle from the first file to the signed list, by hand-like browsing and nothing else.

Staff sit at a desk, reviewers hold phones; only the clock is moved behind their backs.
"""

import csv
import io
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from swapflow.identity.permissions import Role, Scope
from swapflow.ledger.sql_ledger import SqlLedger
from tests.browser.office import LINK, START, Deployment, deployed, follow, show_form
from tests.web.site import PASSWORD


PHONE = 390
CHAIR = "chair@example.org"
EXAMPLE = Path(__file__).parents[2] / "docs" / "example"
REVIEWERS = """id,name,email
ana,Ana,ana@example.org
ben,Ben,ben@example.org
cleo,Cleo,cleo@example.org
"""

NUMBERED = re.compile(r"Applicant \d{6}")
MARKS = {"A01": (5, 5), "A02": (5, 3), "A03": (3, 3), "A04": (3, 1)}
"""What every reviewer thinks of an applicant: preparation (weight 2) and promise (weight 1)."""

OTHERS = (1, 1)
QUIET = 4


@pytest.fixture(scope="module")
def alone(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """A deployment of its own, for its clock is moved."""
    with deployed(tmp_path_factory.mktemp("round"), browser) as deployment:
        yield deployment
    assert deployment.strayed == [], "a page asked another host"


def test_a_cycle_runs_from_import_to_the_signed_list_in_the_browser(
    alone: Deployment, tmp_path: Path
) -> None:
    up = alone
    account = up.office.users.add(CHAIR, name="Carla", password=PASSWORD)
    up.office.users.grant(account, Role.ADMINISTRATOR, Scope.OFFICE, by="test")
    up.office.users.grant(account, Role.CHAIR, Scope.OFFICE, by="test")
    given: dict[tuple[str, str], float] = {}

    with up.person() as desk:
        staff = desk.new_page()
        sign_in(staff)
        set_up(staff)
        launch(staff)
        with (
            up.person(width=PHONE) as anas,
            up.person(width=PHONE) as bens,
            up.person(width=PHONE) as cleos,
        ):
            ana, ben, cleo = anas.new_page(), bens.new_page(), cleos.new_page()
            for phone, email in ((ana, "ana"), (ben, "ben"), (cleo, "cleo")):
                enter_by_mail(up, phone, f"{email}@example.org")

            staff.goto("/today/ms/evidence")
            staff.evaluate("window.notReloaded = true")
            decline_one(ben)
            assert score_next(up, ana, "ana", given)
            expect(done(staff)).to_have_text("1")
            assert staff.evaluate("window.notReloaded")
            score_all(up, (ana, "ana"), (ben, "ben"), given=given)

            pause(staff)
            move_clock(up, days=15)
            see_overdue_and_pass_on(staff)
            cleo.reload()
            expect(cleo.get_by_role("link", name=START)).to_have_count(0)
            score_all(up, (ana, "ana"), (ben, "ben"), given=given)

        decide(staff)
        selected = downloaded(staff, "cohort", tmp_path)
        scores = downloaded(staff, "scores", tmp_path)

    assert [row["external_id"] for row in selected] == ["A01", "A02"]
    assert {reviewer for reviewer, _ in given} == {"ana", "ben"}
    kept = {(row["reviewer"], row["external_id"]): float(row["score"]) for row in scores}
    assert kept == pytest.approx(given, abs=0.001)


def named(up: Deployment) -> dict[str, str]:
    """The office's ids by the numbers that reviewers of a blind program see."""
    view = up.product.applicants.reviewer_view("ms")
    return {view.name_of(one): one.external_id for one in up.product.applicants.list("ms")}


def score_all(
    up: Deployment, *people: tuple[Page, str], given: dict[tuple[str, str], float]
) -> None:
    """Score as these people until, for some seconds, nothing more is asked of them."""
    quiet = 0
    while quiet < QUIET:
        busy = [score_next(up, phone, name, given) for phone, name in people]
        quiet = 0 if any(busy) else quiet + 1
        if quiet:
            people[0][0].wait_for_timeout(500)


def move_clock(up: Deployment, *, days: float) -> None:
    """Set the clock of the deployment some days ahead."""
    ledger = SqlLedger(up.settings.database)
    ledger.set_clock_offset(timedelta(days=days).total_seconds())
    ledger.dispose()


# Staff


def sign_in(staff: Page) -> None:
    staff.goto("/setup")
    staff.get_by_text("Sign in with a password").click()
    staff.locator("#email").fill(CHAIR)
    staff.get_by_label("Password").fill(PASSWORD)
    follow(staff.get_by_role("button", name="Sign in", exact=True))
    expect(staff.get_by_role("heading", level=1)).to_have_text("Set up")


def set_up(staff: Page) -> None:
    """Make round and program; rules from a file and changed by hand; score form; two imports."""
    staff.locator("#p-name").fill("Master of Science")
    staff.locator("#p-new-round").fill("Fall 2027")
    staff.get_by_role("main").get_by_text("Advanced").click()
    staff.locator("#p-id").fill("ms")
    staff.locator("#p-template").select_option("admissions")
    follow(staff.get_by_role("button", name="Make the program"))

    follow(staff.get_by_role("main").get_by_role("link", name="All rules").first)
    staff.locator("#f-file").set_input_files(EXAMPLE / "program.toml")
    follow(staff.get_by_role("button", name="Put it in force"))
    staff.get_by_label("Budget, in minutes").fill("400")
    follow(staff.get_by_role("button", name="Save the rules"))
    expect(staff.get_by_text("2 places, 6 h 40 min of reviewer time").first).to_be_visible()

    staff.goto("/setup/ms/rubrics/review")
    staff.get_by_label("What it means").first.fill("gaps that one year cannot close")
    follow(staff.get_by_role("button", name="Put in force"))
    expect(staff.get_by_text("The score form for review is in force.")).to_be_visible()

    bring_in(staff, "applicants", (EXAMPLE / "applicants.csv").read_bytes(), "8 applicants")
    bring_in(staff, "reviewers", REVIEWERS.encode(), "3 reviewers")


def bring_in(staff: Page, what: str, body: bytes, count: str) -> None:
    staff.goto(f"/setup/ms/{what}")
    staff.get_by_label("File", exact=True).set_input_files(
        {"name": f"{what}.csv", "mimeType": "text/csv", "buffer": body}
    )
    follow(staff.get_by_role("button", name="Look at the file"))
    expect(staff.get_by_text("everything can be imported")).to_be_visible()
    follow(staff.get_by_role("button", name=f"Import {count}"))
    expect(staff.get_by_text(f"{count} imported")).to_be_visible()


def launch(staff: Page) -> None:
    staff.goto("/setup/ms/launch")
    expect(staff.get_by_text("Ready to launch.")).to_be_visible()
    expect(staff.get_by_text("applicants for 2 places")).to_be_visible()
    staff.get_by_role("checkbox").check()
    follow(staff.get_by_role("button", name="Launch Master of Science"))
    expect(staff.get_by_text("The program is launched")).to_be_visible()


def done(staff: Page) -> Locator:
    """The number of reviews done, on the page of evidence."""
    return staff.get_by_role("region", name="Reviews asked for and done").get_by_role("cell").first


def pause(staff: Page) -> None:
    staff.goto("/today/ms")
    staff.locator(".course > summary").click()
    staff.locator("#course-why").fill("holidays")
    follow(staff.get_by_role("button", name="Pause"))
    expect(staff.locator(".course > summary")).to_have_text("Resume")


def see_overdue_and_pass_on(staff: Page) -> None:
    """See what is late; pass one of hers on, take the rest back, and pause her."""
    staff.goto("/today/ms/waiting")
    late = staff.locator("section").filter(has_text=re.compile(r"\d reviews? (is|are) overdue"))
    expect(late).not_to_contain_text("Cleo")
    follow(late.get_by_role("link", name="Where it waits").first)
    waiting = staff.locator("summary").filter(has_text="Give to another reviewer")
    waited = waiting.count()
    waiting.first.click()
    staff.get_by_label("Why").first.fill("no answer for two weeks")
    follow(staff.get_by_role("button", name="Give to another reviewer").first)
    expect(waiting).to_have_count(waited - 1)
    if waited > 1:
        staff.locator("#why").fill("no answer for two weeks")
        follow(staff.get_by_role("button", name="Take back what was not begun"))
    expect(staff.get_by_text("Nothing waits.")).to_be_visible()
    today = datetime.now(UTC).date()
    staff.get_by_label("First day").fill(today.isoformat())
    staff.get_by_label("Away until").fill((today + timedelta(days=60)).isoformat())
    follow(staff.get_by_role("button", name="Record days away"))
    away = re.compile(f"Remove the pause from {today}")
    expect(staff.get_by_role("button", name=away)).to_be_visible()
    staff.goto("/today/ms")
    staff.locator(".course > summary").click()
    staff.locator("#course-why").fill("back from the holidays")
    follow(staff.get_by_role("button", name="Resume"))


def decide(staff: Page) -> None:
    staff.goto("/decide/ms")
    ending = staff.get_by_label("Why asking ends")
    if ending.count():
        ending.fill("nothing is open any more")
        follow(staff.get_by_role("button", name="Stop asking for reviews"))
    follow(staff.get_by_role("button", name="Prepare list for signature"))
    expect(staff.get_by_role("heading", level=1)).to_have_text("Reasons and signature")
    waiver = staff.get_by_label(re.compile("^Why it is accepted"))
    if waiver.count():
        waiver.fill("two of the three reviewers agree")
    follow(staff.get_by_role("button", name="Prepare for signature"))
    follow(staff.get_by_role("button", name=f"Sign as {CHAIR}"))
    expect(staff.get_by_text("The list is final (version 1)")).to_be_visible()


def downloaded(staff: Page, name: str, folder: Path) -> list[dict[str, str]]:
    with staff.expect_download() as download:
        staff.locator(f"a[href*='/files/{name}.csv']:not([href*='raw'])").click()
    path = folder / f"{name}.csv"
    download.value.save_as(path)
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))


# Reviewers


def enter_by_mail(up: Deployment, phone: Page, email: str) -> None:
    before = len(up.ways_in(email))
    phone.goto("/inbox")
    phone.locator("#link-email").fill(email)
    follow(phone.get_by_role("button", name="Mail me a sign-in link"))
    phone.goto(up.mailed(email, LINK, after=before))
    follow(phone.get_by_role("button", name="Continue as"))
    expect(phone.get_by_role("link", name=START)).to_be_visible()


def decline_one(phone: Page) -> None:
    follow(phone.get_by_role("link", name=START))
    show_form(phone)
    follow(phone.get_by_role("link", name=re.compile("^Decline")))
    phone.get_by_label("Conflict of interest").check()
    follow(phone.get_by_role("button", name="Decline"))
    expect(phone.get_by_text("Declined.")).to_be_visible()


def score_next(
    up: Deployment, phone: Page, reviewer: str, given: dict[tuple[str, str], float]
) -> bool:
    """Score what the inbox offers next; False when there is nothing."""
    phone.goto("/inbox")
    start = phone.get_by_role("link", name=START)
    if not start.count():
        return False
    follow(start)
    expect(phone.get_by_role("heading", level=1)).to_have_text(NUMBERED)
    applicant = named(up)[phone.get_by_role("heading", level=1).inner_text()]
    show_form(phone)
    marks = MARKS.get(applicant, OTHERS)
    for name, mark in zip(("c0", "c1"), marks, strict=True):
        phone.locator(f"input[name={name}][value='{mark}']").check()
    phone.get_by_label("Remark for the committee").fill("as the file shows")
    follow(phone.get_by_role("button", name="Submit", exact=True))
    expect(phone.get_by_role("heading", level=1)).to_have_text("Your review is stored")
    given[reviewer, applicant] = 100 * (2 * (marks[0] - 1) / 4 + (marks[1] - 1) / 4) / 3
    return True
