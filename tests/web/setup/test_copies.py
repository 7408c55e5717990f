"""The page Copies, and its API: practice programs and next year's program."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from swapflow.domain.cohort.announcement import Group, Wording
from swapflow.domain.cycle import CycleStatus
from swapflow.engine.copies.later_rules import years_later, years_until
from swapflow.engine.offers.announcement_wording import usual_wording
from swapflow.identity.permissions import Role
from swapflow.identity.principal import Principal
from tests.web.api.programs import program
from tests.web.cohort.fixed_cohorts import fixed, offered
from tests.web.site import SITE_RULES, Site


BANNER = 'id="practice-program"'
DEADLINE = datetime(2027, 3, 1, 12, tzinfo=UTC)
RULES = replace(
    SITE_RULES,
    deadline=DEADLINE,
    applications_close=datetime(2028, 2, 29, tzinfo=UTC),
    notice="on the web page since September",
)


def made(client: TestClient, **form: str) -> str:
    """Make a practice program by the page; gives its id."""
    sent = client.post("/setup/fall/copies/practice", data=form)
    assert sent.status_code == 303, sent.text
    found = re.fullmatch(r"/setup/(fall-practice-[0-9a-f]{6})/launch", sent.headers["location"])
    assert found is not None
    return found[1]


def test_staff_make_a_practice_program_fill_it_and_throw_it_away(site: Site) -> None:
    site.launched("fall")
    staff = site.signed_in(Role.COORDINATOR)
    assert "Make a practice program" in staff.get("/setup/fall/copies").text

    practice = made(staff, applicants="9")
    launch = staff.get(f"/setup/{practice}/launch").text
    site.product.cycles.launch(practice, by="o")
    site.turn()
    filled = staff.post(f"/setup/{practice}/automatic-reviews")

    assert BANNER in launch
    assert "reviewers get no mail" in launch
    assert len(site.product.applicants.list(practice)) == 9
    assert filled.status_code == 303
    told = staff.get(f"/setup/{practice}/copies").text
    assert re.search(r"Had \d+ open reviews? marked by automatic reviewers\.", told)
    assert staff.post(f"/setup/{practice}/throw-away").headers["location"] == "/today"
    assert [cycle.id for cycle in site.product.cycles.list()] == ["fall"]


def test_a_count_that_is_none_comes_back_beside_its_field(site: Site) -> None:
    site.launched("fall")

    sent = site.signed_in(Role.COORDINATOR).post(
        "/setup/fall/copies/practice", data={"applicants": "many"}
    )

    assert sent.status_code == 422
    assert 'value="many"' in sent.text
    assert "rite a whole number, or leave it empty" in sent.text


def test_pages_of_a_practice_program_say_so_and_others_do_not(site: Site) -> None:
    site.launched("fall")
    staff = site.signed_in(Role.OPERATIONS)
    practice = made(staff)
    site.product.cycles.launch(practice, by="o")
    site.turn()
    reviewer = site.signed_in(email="r1@example.org")
    code = site.product.tasks.code(site.product.tasks.inbox(practice, "R1")[0].id)
    own = site.product.tasks.code(site.product.tasks.inbox("fall", "R1")[0].id)

    for path in (f"/today/{practice}", f"/applicants/{practice}", f"/decide/{practice}"):
        page = staff.get(path).text
        assert BANNER in page, path
        assert 'class="in-practice"' in page
        assert "PRACTICE · MS fall" in page
    assert BANNER in reviewer.get(f"/tasks/{code}").text
    for client, path in ((staff, "/today/fall"), (staff, "/today"), (reviewer, f"/tasks/{own}")):
        assert BANNER not in client.get(path).text, path


def test_practice_counts_in_nothing_that_is_to_be_done(site: Site) -> None:
    site.launched("fall")
    staff, reviewer = site.signed_in(Role.OPERATIONS), site.signed_in(email="r1@example.org")
    before = staff.get("/today").text
    inbox = reviewer.get("/inbox").text
    things = site.office.to_do.of(_principal(site), site.product.pending)

    practice = made(staff)
    site.product.cycles.launch(practice, by="o")
    site.turn()

    home, after = staff.get("/today").text, reviewer.get("/inbox").text
    assert 'id="practice-title"' in home
    assert f'href="/today/{practice}"' in home
    for pattern in (r"<h1>(.*?)</h1>", r'<ul class="tasks" id="things">.*?</ul>'):
        assert re.findall(pattern, home, re.DOTALL) == re.findall(pattern, before, re.DOTALL)
    assert re.findall(r"<h1>.*?</h1>", after) == re.findall(r"<h1>.*?</h1>", inbox)
    assert 'id="training"' in after
    assert 'id="training"' not in inbox
    assert site.office.to_do.of(_principal(site), site.product.pending) == things
    found = staff.get("/find", params={"q": "Invented"}).text
    assert practice not in re.sub(r'(?s)<details class="menu switcher">.*?</details>', "", found)
    assert site.product.pending.signatures() == ()


def _principal(site: Site) -> Principal:
    return site.office.to_do.context.principal_of(site.account("operations@example.org"))


def test_next_years_program_starts_at_its_questions_with_what_was_chosen(site: Site) -> None:
    site.launched("fall", rules=RULES)
    site.product.reviewers.add_conflicts("fall", [("A001", "R1")], source="declared")
    staff = site.signed_in(Role.OPERATIONS)

    sent = staff.post(
        "/setup/fall/copies/next-year",
        data={
            "name": "MS Fall 2028",
            "round": "+",
            "new_round": "2028/2029",
            "years": "1",
            **dict.fromkeys(("roster", "rights", "columns", "letters"), "yes"),
        },
    )

    assert sent.headers["location"] == "/setup/ms-fall-2028/questions"
    cycle = site.product.cycles.get("ms-fall-2028")
    assert (cycle.status, cycle.practice_of) == (CycleStatus.DRAFT, "")
    assert site.product.applicants.list(cycle.id) == ()
    rules = site.product.cycles.rules(cycle.id)
    assert rules.deadline == years_later(DEADLINE, 1)
    assert rules.applications_close == datetime(2029, 2, 28, tzinfo=UTC)
    assert (rules.notice, rules.seed, rules.version) == ("", 0, 1)
    assert rules.rubrics == site.product.cycles.rules("fall").rubrics
    people = site.product.reviewers.list
    assert [r.email for r in people(cycle.id)] == [r.email for r in people("fall")]
    assert staff.get("/setup/ms-fall-2028/questions").status_code == 200


def test_letters_of_next_year_begin_with_the_texts_last_sent(site: Site) -> None:
    client = fixed(site)
    assert offered(client, until="2030-04-15") == 303
    words = usual_wording() | {
        Group.OFFERED: Wording(subject="A place for you", text="Dear {name},\n\nCome to us.")
    }
    site.product.announcements.send("fall", words, by="chair", hold=timedelta())

    site.product.copies.next_year("fall", "next", round_id="round", name="Next", by="o")

    texts = site.product.announcements.usual_wording("next")
    assert texts[Group.OFFERED].subject == "A place for you"
    assert site.product.announcements.usual_wording("fall") == texts


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ({"name": "", "round": "round"}, "rite the name of the new program"),
        ({"name": "Next", "round": ""}, "hoose the round that the new program belongs to"),
        ({"name": "Next", "round": "round", "years": "9"}, "ates can lie 1 to 5 years later"),
    ],
)
def test_what_is_missing_is_said_and_nothing_is_made(
    site: Site, form: dict[str, str], problem: str
) -> None:
    site.launched("fall")

    sent = site.signed_in(Role.OPERATIONS).post("/setup/fall/copies/next-year", data=form)

    assert sent.status_code == 422
    assert problem in sent.text
    assert [cycle.id for cycle in site.product.cycles.list()] == ["fall"]


@pytest.mark.parametrize(
    ("day", "now", "years"),
    [
        (datetime(2027, 3, 1, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC), 0),
        (datetime(2024, 3, 1, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC), 3),
        (datetime(2024, 2, 29, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC), 2),
    ],
)
def test_years_until_a_day_lies_ahead(day: datetime, now: datetime, years: int) -> None:
    assert years_until(day, now) == years


def test_the_api_makes_fills_and_throws_away(site: Site) -> None:
    site.launched("fall")
    client = program(site, Role.OPERATIONS)

    made_one = client.post("/api/v1/cycles/fall/practice-programs", json={"applicants": 8})
    practice = made_one.json()["id"]
    assert (made_one.status_code, made_one.json()["practice_of"]) == (201, "fall")
    site.product.cycles.launch(practice, by="o")
    site.turn()
    filled = client.post(f"/api/v1/cycles/{practice}/automatic-reviews")
    assert filled.json()["count"] > 0
    assert client.post("/api/v1/cycles/fall/throw-away").status_code == 409
    gone = client.post(f"/api/v1/cycles/{practice}/throw-away")
    assert gone.json()["applicants"] == 8
    assert client.get(f"/api/v1/cycles/{practice}").status_code == 404
    later = client.post(
        "/api/v1/cycles/fall/next-year", json={"id": "next", "round": "round", "roster": False}
    )
    assert (later.status_code, later.json()["status"]) == (201, "draft")
    assert site.product.reviewers.list("next") == ()
