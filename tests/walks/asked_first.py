"""What an office, HR and a works council ask first: each is done on its pages, from the first one.

All walks go through one empty installation, in this order. What would take weeks of real reviewing
is furnished; everything an office does itself is pressed and typed.
"""

import re
import zipfile
from collections.abc import Callable

from playwright.sync_api import expect
from pypdf import PdfReader, PdfWriter

from swapflow.domain.people.kept_data import KeptData
from swapflow.engine.pending.things import PendingCode
from swapflow.identity.permissions import Role
from tests.browser.office import PHONE, patient
from tests.support.identity_provider import PASSWORD
from tests.support.waiting import wait_until
from tests.walks.first_day import ENDED, NO_SUCH, WORKER, FirstDay, WatchedHand, ended
from tests.walks.hand import Hand


REAL = "ms-statistics"
"""The program that is set up through pages."""


def made(one: FirstDay, hand: Hand) -> None:
    """A first program, its applicants and its reviewers."""
    page = hand.page
    people, roster = one.folder / "applicants.csv", one.folder / "reviewers.csv"
    people.write_text(
        "id,name,email,statement,reference\n"
        + "".join(
            f"A{n:03d},Applicant {n},a{n}@example.com,Text {n},Letter {n}\n" for n in range(1, 13)
        )
    )
    roster.write_text(
        "id,name,email\n" + "".join(f"R{n},Reviewer {n},r{n}@example.org\n" for n in range(1, 5))
    )
    hand.follow("Set up")
    hand.fill(page.get_by_label("Name", exact=True), "MS Statistics")
    hand.fill(page.get_by_label("Name of the new round"), "Fall 2027")
    hand.choose("Start from", "admissions")
    hand.press("Make the program")
    for step, file in (("1 Applicants", people), ("2 Reviewers", roster)):
        hand.follow(step)
        hand.attach(file)
        hand.press("Look at the file")
        hand.lead_on(page.locator("main form button.primary"))
        expect(page.locator("#told, .notice.good").first).to_be_visible()
    product = one.up.product
    assert len(product.applicants.list(REAL)) == 12
    assert len(product.reviewers.list(REAL)) == 4


def units(one: FirstDay, hand: Hand) -> None:
    """A faculty whose chair reaches its programs."""
    page, chair = hand.page, "chair@example.edu"
    hand.follow("Set up")
    hand.follow("Units of Fall 2027")
    hand.fill(page.get_by_label("Name of the new unit"), "Faculty of Science")
    hand.press("Make the unit")
    hand.tap(page.locator("summary", has_text="Give a role"))
    hand.fill(page.get_by_label("Mail address").first, chair)
    hand.choose("Role", "chair")
    hand.press("Give the role")
    expect(page.get_by_text("in all of Faculty of Science").first).to_be_visible()
    hand.follow("Move MS Statistics")
    hand.choose("Unit", "faculty-of-science")
    hand.press("Show what")
    hand.press("Move to Faculty of Science")
    with one.up.person(chair) as desk:
        theirs = desk.new_page()
        theirs.goto(f"/decide/{REAL}")
        expect(theirs.get_by_role("heading", level=1)).to_contain_text("MS Statistics")


def norming(one: FirstDay, hand: Hand) -> None:
    """Three practice files before the launch: a reviewer marks them, sees the others, writes."""
    page = hand.page
    hand.follow("Set up")
    hand.follow("MS Statistics")
    hand.follow("Practice files")
    for title in ("A strong file", "A weak file", "One between"):
        hand.fill(page.get_by_label("Title"), title)
        hand.fill(page.get_by_label("Text of the file"), f"{title}: three papers and a plan.")
        hand.press("Add file")
    expect(page.get_by_text("4 reviewers have not marked every file")).to_be_visible()
    product = one.up.product
    form = product.cycles.rules(REAL).rubrics[0]
    marks: dict[str, float | None] = {each.name: each.marks[-1][0] for each in form.criteria}
    for reviewer in (1, 2, 3):
        for number in range(3):
            product.practice.mark(REAL, number, reviewer, marks=marks, remark="clear")
    address = page.locator("code", has_text=f"/practice/{REAL}").inner_text()
    with one.up.person(width=PHONE) as phone:
        theirs = WatchedHand(phone.new_page(), one.wide, widths=(PHONE,))
        theirs.open(address)
        theirs.fill(theirs.page.locator("#link-email"), "r1@example.org")
        theirs.press("Mail me a sign-in link")
        (text,) = one.mailed.wait_for("r1@example.org")
        (link,) = re.findall(r"http\S+/sign-in/link/\S+", text)
        theirs.open(link)
        theirs.press("Continue as")
        for _ in range(3):
            card = theirs.page.locator("section.card", has_text="Submit mark").first
            for crit in card.locator("fieldset").all():
                theirs.tap(crit.locator("label"))
            theirs.lead_on(card.get_by_role("button", name="Submit mark"))
            expect(theirs.page.get_by_role("status").first).to_be_visible()
        theirs.fill(theirs.page.get_by_label("Your note").first, "I read the plan as vague.")
        theirs.press("Add note")
        hand.acts += theirs.acts
    page.reload()
    expect(page.get_by_text("All reviewers have marked every file.")).to_be_visible()
    expect(page.get_by_text("I read the plan as vague.")).to_be_attached()


def files_in(one: FirstDay, hand: Hand) -> None:
    """The nightly list in the folder, a ZIP and a combined PDF through the page."""
    page = hand.page
    hand.follow("Set up")
    hand.follow("MS Statistics")
    hand.follow("Other systems")
    hand.press("Make the folder")
    incoming = one.drops / REAL / "in"
    rows = "".join(f"B{n},Late {n},b{n}@example.com,Text {n},Letter {n}\n" for n in range(3))
    nightly = incoming / "nightly.csv"
    nightly.write_text(f"id,name,email,statement,reference\n{rows}")
    (incoming / "nightly.csv.done").touch()
    product = one.up.product
    wait_until(lambda: bool(product.exchange.files(REAL)), what="the list is taken")
    assert len(product.applicants.list(REAL)) == 15
    hand.follow("Other systems")
    expect(page.get_by_role("cell", name="nightly.csv")).to_be_visible()
    letters, combined = one.folder / "letters.zip", one.folder / "essays.pdf"
    with zipfile.ZipFile(letters, "w") as archive:
        archive.writestr("A001_reference.txt", "The best of the year.")
    book = PdfWriter()
    for number, who in enumerate(("A001", "A002")):
        book.add_blank_page(200, 200)
        book.add_outline_item(title=f"{who} essay", page_number=number)
    with combined.open("wb") as out:
        book.write(out)
    for file in (letters, combined):
        hand.attach(file)
        hand.press("Send", exact=True)
        expect(page.get_by_role("status").first).to_contain_text("taken")
    names = {file.name for file in product.applicants.files(REAL, 0)}
    assert any("essay" in name for name in names), names
    assert any("reference" in name for name in names), names


def confidential(one: FirstDay, hand: Hand) -> None:
    """Reference letters for those who judge, and not in the applicant's own copy."""
    page = hand.page
    hand.follow("Set up")
    hand.follow("MS Statistics")
    hand.follow("All rules")
    hand.fill(page.get_by_label("Withheld from the applicant's own copy"), "reference")
    hand.press("Save the rules")
    expect(page.get_by_role("status").first).to_be_visible()
    assert one.up.product.cycles.rules(REAL).confidential == ("reference",)
    hand.follow("Applicants", exact=True)
    # The applicant is shown beside the table.
    hand.tap(page.get_by_role("link", name="Applicant 1", exact=True))
    expect(page.locator("#beside").get_by_role("heading", name="Applicant 1")).to_be_visible()
    card = hand.load("page of the decision card").read_text("utf-8")
    assert "Confidential, and left out of this copy" in card
    assert "Letter 1" not in card


def mail(one: FirstDay, hand: Hand) -> None:
    """Whether mail arrives: the check, a test mail, and one of the office that came back."""
    page, gone = hand.page, "gone@example.edu"
    one.mailed.server.refuse[gone] = NO_SUCH
    hand.follow("Set up")
    hand.follow("Does mail arrive?")
    expect(page.get_by_role("heading", name="What other servers check")).to_be_visible()
    hand.press("Send a test mail to me")
    assert one.mailed.wait_for(WORKER)
    one.up.office.users.add(gone, name="Gone")
    page.goto("/setup/users")
    hand.tap(page.locator("summary", has_text=gone))
    hand.press("Mail another invitation")
    wait_until(
        lambda: bool(one.up.product.returned_mails.waiting(None)), what="the invitation came back"
    )
    hand.follow("Set up")
    hand.follow("Does mail arrive?")
    expect(page.get_by_text(f"Mail to {gone} came back")).to_be_visible()
    hand.press("Mark as dealt with", exact=True)
    expect(page.get_by_text(f"Mail to {gone} came back")).to_have_count(0)


def groups(one: FirstDay, hand: Hand) -> None:
    """A group of the university gives a role."""
    page = hand.page
    hand.follow("Set up")
    hand.follow("People and rights")
    hand.follow("Roles by groups")
    hand.fill(page.get_by_label("Group", exact=True), "admissions-office")
    hand.choose("Role", "coordinator")
    hand.press("Show who would gain the role")
    hand.press("Give the group the role")
    expect(page.get_by_text("admissions-office").first).to_be_visible()
    who = "ana@example.edu"
    one.provider.knows("ana", email=who, email_verified=True, groups=["admissions-office"])
    # The provider is another host, so this browser is not kept to one.
    context = one.up.browser.new_context(base_url=one.up.settings.address)
    patient(context)
    there = context.new_page()
    there.goto("/sign-in")
    there.get_by_role("link", name="Sign in with Example University").click()
    there.get_by_label("Login").fill("ana")
    there.get_by_label("Password").fill(PASSWORD)
    there.get_by_role("button", name="Log in").click()
    expect(there.get_by_role("link", name="MS Statistics").first).to_be_visible()
    context.close()
    (user,) = [each for each in one.up.office.users.list() if each.account.email == who]
    assert [grant.role for grant in user.grants] == [Role.COORDINATOR]


def backup(one: FirstDay, hand: Hand) -> None:
    """A backup, and the rehearsal that it opens and verifies."""
    page = hand.page
    hand.follow("Set up")
    hand.follow("Backups")
    hand.press("Back up now")
    wait_until(lambda: bool(one.up.product.backups.copies()), what="a backup is stored")
    hand.press("Rehearse a restore")
    expect(page.get_by_text("✓ opens and verifies")).to_be_visible()


def practice(one: FirstDay, hand: Hand) -> None:
    """A practice program with automatic marks, and its end."""
    page = hand.page
    hand.follow("Set up")
    hand.follow("MS Statistics")
    hand.follow("Copies")
    hand.fill(page.get_by_label("Invented applicants"), "21")
    hand.tap(page.get_by_label("Automatic reviewers mark everything"))
    hand.press("Make a practice program")
    expect(page).to_have_url(re.compile("/launch"))
    (copy,) = [each for each in one.up.product.cycles.list() if each.is_practice]
    assert len(one.up.product.applicants.list(copy.id)) == 21
    hand.follow("Copies")
    hand.press("Throw away the practice program")
    wait_until(
        lambda: not any(each.is_practice for each in one.up.product.cycles.list()),
        what="the practice program is gone",
    )


def next_year(one: FirstDay, hand: Hand) -> None:
    """The program of next year from this one."""
    page = hand.page
    hand.follow("Set up")
    hand.follow("MS Statistics")
    hand.follow("Copies")
    hand.fill(page.get_by_label("Name of the program"), "MS Statistics 2028")
    hand.fill(page.get_by_label("Name of a new round"), "Fall 2028")
    hand.press("Make next year's program")
    expect(page.get_by_text("MS Statistics 2028").first).to_be_visible()
    product = one.up.product
    (new,) = [each for each in product.cycles.list() if each.name == "MS Statistics 2028"]
    assert {each.id: each.name for each in product.cycles.rounds()}[new.round_id] == "Fall 2028"
    assert len(product.reviewers.list(new.id)) == 4


def explained(one: FirstDay, hand: Hand) -> None:
    """The day by which those without a place must have their letter."""
    page = hand.page
    ended(one)
    page.goto("/")
    hand.follow(re.compile("without a place"))
    hand.fill(page.get_by_label("Minutes until they leave"), "0")
    hand.press("Look at the letters")
    hand.press("Send these letters now")
    waits = one.up.product.pending.in_cycle
    wait_until(
        lambda: PendingCode.EXPLANATIONS not in {each.code for each in waits(ENDED)},
        what="the letters have left",
    )
    page.goto("/")
    expect(page.get_by_text("without a place")).to_have_count(0)


def defended(one: FirstDay, hand: Hand) -> None:
    """The file that answers an appeal, of the decision and of one applicant."""
    page = hand.page
    hand.follow("MS ended")
    hand.follow("Decide")
    assert len(PdfReader(hand.load("Defence file as PDF")).pages) >= 1
    hand.lead_on(page.locator("main table th a"))
    one_applicant = PdfReader(hand.load("PDF of the defence file"))
    assert "review" in one_applicant.pages[0].extract_text()


def results(one: FirstDay, hand: Hand) -> None:
    """Decisions back to the other system, in its words."""
    page = hand.page
    page.goto(f"/setup/{ENDED}/exchange")
    hand.tap(page.locator("summary", has_text="What the other system calls them"))
    hand.fill(page.get_by_label("Column for the decision"), "Decision 1")
    hand.press("Save the words")
    assert "Decision 1" in hand.load("decisions.csv").read_text("utf-8-sig").splitlines()[0]


def returned(one: FirstDay, hand: Hand) -> None:
    """A reviewer's mail came back: the address is corrected."""
    page = hand.page
    hand.follow(re.compile("ail to 1 reviewer came back"))
    hand.follow("Reviewer 4")
    hand.follow("Correct the address")
    hand.fill(page.get_by_label("Mail address"), "found@example.org")
    hand.press("Correct the address")
    assert one.mailed.wait_for("found@example.org")
    page.goto("/")
    expect(page.get_by_text("came back")).to_have_count(0)


def kept(one: FirstDay, hand: Hand) -> None:
    """How long data are kept, what goes when, and a legal hold."""
    page = hand.page
    hand.follow("Set up")
    hand.follow("Kept data Fall 2027")
    hand.fill(page.get_by_label("Days, drafts"), "90")
    hand.press("Set drafts")
    expect(page.locator("tr", has_text="rafts").first).to_contain_text("day")
    hand.tap(page.locator("summary", has_text="Place a legal hold"))
    hand.choose("Program", REAL)
    hand.fill(page.get_by_label("Applicant, by id"), "A001")
    hand.fill(page.get_by_label("Why", exact=True), "a complaint")
    hand.press("Place the hold")
    expect(page.get_by_text("keeps data")).to_be_visible()
    round_id = one.up.product.cycles.get(REAL).round_id
    assert any(
        rule.kind is KeptData.DRAFTS and rule.days == 90
        for rule in one.up.product.retention.rules(round_id)
    )


FIRST: dict[str, Callable[[FirstDay, Hand], None]] = {
    "made": made,
    "units": units,
    "norming": norming,
    "files_in": files_in,
    "confidential": confidential,
    "mail": mail,
    "groups": groups,
    "backup": backup,
    "practice": practice,
    "next_year": next_year,
    "explained": explained,
    "defended": defended,
    "results": results,
    "returned": returned,
    "kept": kept,
}
"""The walks in the order in which they are taken."""

MOST_ACTS: dict[str, int] = {
    "made": 13,
    "units": 12,
    "norming": 31,
    "files_in": 9,
    "confidential": 8,
    "mail": 8,
    "groups": 7,
    "backup": 4,
    "practice": 8,
    "next_year": 6,
    "explained": 4,
    "defended": 5,
    "results": 4,
    "returned": 5,
    "kept": 9,
}
"""What each may take at most; of the practice files 26 acts are a reviewer's."""
