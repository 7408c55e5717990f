"""A meeting from its opening to the signature, and an offer answered: clicked, without scripts."""

from pathlib import Path

from playwright.sync_api import Page, expect

from swapflow.domain.cohort.proposal import Place, Standing, Verdict
from swapflow.identity.permissions import Role, Scope
from tests.browser.office import DESK, PHONE, Deployment, follow


CYCLE = "met"
CHAIR, MEMBER = "met-chair@example.org", "met-r1@example.org"


def test_a_meeting_is_held_signed_and_an_offer_answered(up: Deployment, tmp_path: Path) -> None:
    close = prepared(up)
    with (
        up.person(CHAIR, width=DESK, scripts=False) as desk,
        up.person(MEMBER, width=PHONE, scripts=False) as phone,
    ):
        page, theirs = desk.new_page(), phone.new_page()
        page.goto(f"/decide/{CYCLE}")
        follow(page.get_by_role("link", name="Meeting", exact=True))
        follow(page.get_by_role("button", name="Open the meeting"))
        expect(page.get_by_text("still need an outcome")).to_be_visible()

        open_with_a_conflict(page, theirs, close[0])
        sign_is_refused(page, close[1].external_id)
        follow(page.get_by_role("link", name="Go to the meeting"))
        for place in close[1:]:
            follow(page.locator(f"#a-{place.application}").get_by_role("link"))
            record(page, proposed(place), "as we said")
        expect(page.get_by_text("Each applicant too close to call")).to_be_visible()
        with page.expect_download() as loading:
            page.get_by_role("link", name="Minutes as PDF").click()
        loading.value.save_as(tmp_path / "minutes.pdf")
        assert (tmp_path / "minutes.pdf").read_bytes().startswith(b"%PDF-")

        follow(page.get_by_role("button", name="Close the meeting"))
        follow(page.get_by_role("link", name="Go on to the list and the signatures"))
        follow(page.get_by_role("button", name="Sign as"))
        expect(page.get_by_text("The list is final (version 1)")).to_be_visible()
        follow(page.get_by_role("link", name="Offers and answers"))
        answer_an_offer(page)

    outcomes = up.product.cohort.outcomes(CYCLE, 1)
    assert sum(outcome.verdict is Verdict.SELECTED for outcome in outcomes) == 3
    said = [offer.answer.value for offer in up.product.offers.standing(CYCLE).offers]
    assert said == ["declined", "waiting", "waiting", "waiting"]


def prepared(up: Deployment) -> tuple[Place, ...]:
    """A list on which some are too close to call; the first of them is a member's conflict."""
    up.cycle(CYCLE, applicants=8)
    for known in up.product.reviewers.list(CYCLE):
        for task in up.tasks(CYCLE, known.external_id)[:2]:
            up.answer(task)
    up.product.cycles.stop(CYCLE, by="ops", reason="enough for this year")
    up.staff(CHAIR, Role.CHAIR)
    up.office.users.grant(up.office.users.get(MEMBER), Role.COMMITTEE, Scope.OFFICE, by="test")
    close = up.product.meetings.agenda(CYCLE).close
    assert len(close) > 1
    up.product.reviewers.add_conflicts(CYCLE, [(close[0].external_id, "R1")], source="test")
    return close


def open_with_a_conflict(page: Page, theirs: Page, place: Place) -> None:
    """A member in conflict is named before the file opens, and never sees it."""
    row = page.locator(f"#a-{place.application}")
    expect(row).to_contain_text("In conflict: Met-R1")
    follow(row.get_by_role("link"))
    expect(page.get_by_text("In conflict: Met-R1.")).to_be_visible()
    expect(page.get_by_text("clear, well argued")).to_have_count(0)
    theirs.goto(f"/decide/{CYCLE}/meeting/{place.application}?shown=true")
    expect(theirs.get_by_text("the file does not open for you")).to_be_visible()
    expect(theirs.get_by_text("clear, well argued")).to_have_count(0)

    follow(page.get_by_role("link", name="They have left: open"))
    follow(page.get_by_role("button", name="Out", exact=True))
    expect(page.locator("#outcome-reason-problem")).to_be_visible()
    record(page, proposed(place), "spoke to the point")
    expect(row).to_contain_text("spoke to the point")


def record(page: Page, outcome: str, reason: str) -> None:
    page.get_by_label("Why", exact=True).fill(reason)
    follow(page.get_by_role("button", name=outcome, exact=True))


def proposed(place: Place) -> str:
    return "In" if place.standing is Standing.COHORT else "Waitlist"


def sign_is_refused(page: Page, missing: str) -> None:
    """Prepare the list and try to sign it while the meeting is not through."""
    follow(page.get_by_role("link", name="Leave the wall"))
    follow(page.get_by_role("button", name="Prepare list for signature"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Reasons and signature")
    if page.get_by_label("Why it is accepted").count():
        page.get_by_label("Why it is accepted").fill("a small round")
    follow(page.get_by_role("button", name="Prepare for signature"))
    follow(page.get_by_role("button", name="Sign as"))
    expect(page.get_by_role("alert")).to_contain_text("no outcome yet")
    expect(page.get_by_role("alert")).to_contain_text(missing)


def answer_an_offer(page: Page) -> None:
    """Offer the places, record that the first declined, and pass the place on."""
    page.get_by_label("Last day for an answer").fill("2030-04-15")
    follow(page.get_by_role("button", name="Record these offers"))
    expect(page.get_by_text("3 places: 0 accepted, 3 not answered yet")).to_be_visible()
    page.locator("main details", has_text="Record an answer").last.locator("summary").click()
    follow(page.get_by_role("button", name="Declined").last)
    expect(page.get_by_text("1 place can be offered now")).to_be_visible()
    follow(page.get_by_role("button", name="Record these offers"))
    expect(page.get_by_role("status").last).to_contain_text("3 not answered yet, 1 declined")
