"""What staff see of a program: Today, its applicants, its reviewers."""

from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import KindRules
from swapflow.engine.coordination import checked_state
from swapflow.engine.ports.records import Waiting
from swapflow.engine.services.reports import ReportService
from swapflow.engine.services.reviewers import ReviewerService
from swapflow.identity.permissions import Role
from tests.engine.cycle_by_hand import reviewer
from tests.web.everyone import busy
from tests.web.forms import send_form
from tests.web.site import SITE_RULES, Site


@pytest.mark.parametrize("place", ["today", "applicants", "reviewers"])
@pytest.mark.parametrize("cycle", ["fall", "draft", "done"])
def test_staff_open_every_place_of_every_program(site: Site, place: str, cycle: str) -> None:
    client = busy(site).signed_in(Role.ADMINISTRATOR)

    assert client.get(f"/{place}/{cycle}").status_code == 200


def test_cards_and_log_open_and_an_observer_reads_no_names(site: Site) -> None:
    busy(site)
    staff, observer = site.signed_in(Role.ADMINISTRATOR), site.signed_in(Role.OBSERVER)

    for path in ("/applicants/fall/0", "/reviewers/fall/0", "/today/fall/decisions"):
        assert staff.get(path).status_code == 200
    page = observer.get("/today/fall")
    assert page.status_code == 200
    assert "Applicant 1" not in page.text
    assert observer.get("/applicants/fall").status_code == 403
    assert observer.get("/today/fall/data").json()["places"] > 0


def test_a_board_says_the_same_from_the_live_state_and_from_the_ledger(site: Site) -> None:
    busy(site)
    live, published = site.product.reports.dashboard("fall")
    site.product.context.state.forget("fall")
    made, from_state = site.product.reports.dashboard("fall")

    assert (published, from_state) == (True, False)
    assert live.position == made.position
    assert live.application.tolist() == made.application.tolist()
    assert live.too_close.tolist() == made.too_close.tolist()
    assert live.quality is not None
    assert made.quality is not None
    assert live.quality.belong == pytest.approx(made.quality.belong)
    assert live.quality.likely == pytest.approx(made.quality.likely, abs=1e-6)


def test_a_pause_needs_a_reason_and_is_recorded(site: Site) -> None:
    busy(site)
    client = site.signed_in(Role.ADMINISTRATOR)

    assert client.post("/today/fall/pause", data={"reason": " "}).status_code == 422
    assert site.product.cycles.get("fall").status.value == "running"
    assert client.post("/today/fall/pause", data={"reason": "holiday"}).status_code == 303
    assert site.product.cycles.get("fall").status.value == "paused"


def test_a_pin_is_kept_and_taken_back(site: Site) -> None:
    busy(site)
    client = site.signed_in(Role.ADMINISTRATOR)

    page, action = "/applicants/fall/0", "/applicants/fall/0/pin"
    send_form(client, page, action, {"verdict": "in", "reason": "a sibling enrols"})
    assert [(p.application, p.verdict) for p in site.product.reports.pins("fall")] == [(0, "in")]
    send_form(client, page, action, {"verdict": "", "reason": "withdrawn"})
    assert site.product.reports.pins("fall") == ()


def test_nobody_is_called_settled_or_given_a_score_before_a_review_is_in(site: Site) -> None:
    site.launched()
    known = site.product.reviewers.list("fall")[0].external_id
    task = site.product.tasks.inbox("fall", known)[0]
    site.product.tasks.submit(
        [Answer(assignment_id=task.id, marks={"Preparation": 4.0, "Promise": 3.0})]
    )
    site.turn()

    today = site.signed_in(Role.OPERATIONS).get("/today/fall/evidence").text
    table = site.signed_in(Role.OPERATIONS).get("/applicants/fall").text

    assert '<span class="value">11</span><span class="name">without a review so far' in today
    assert '<span class="value">0</span><span class="name">out' in today
    assert table.count(">No review yet<") == 11


# What needs a person


INTERVIEW = KindRules(
    name="interview", cost=3, gain=4.0, maximum=1, total=2, approval=True, requires="review"
)
TWO_KINDS = replace(SITE_RULES, kinds=(*SITE_RULES.kinds[:1], INTERVIEW), budget=60)


def answer_all(site: Site) -> None:
    for known in site.product.reviewers.list("fall"):
        for task in site.product.tasks.inbox("fall", known.external_id):
            good = float(1 + task.application % 4)
            site.product.tasks.submit(
                [
                    Answer(
                        assignment_id=task.id,
                        marks={"Preparation": good, "Promise": min(good, 3.0)},
                    )
                ]
            )
    site.turn()


def asking(site: Site) -> TestClient:
    """A program in which interviews wait for approval."""
    roster = [reviewer(f"R{n}", capacity={"review": None, "interview": 2}) for n in range(1, 6)]
    site.launched(rules=TWO_KINDS, roster=roster)
    for _ in range(6):
        if site.product.approvals.proposed("fall"):
            break
        answer_all(site)
    assert site.product.approvals.proposed("fall")
    return site.signed_in(Role.ADMINISTRATOR)


def test_each_request_that_waits_says_what_speaks_for_it(site: Site) -> None:
    page = asking(site).get("/today/fall/waiting").text

    assert "expected this to do most to settle the list" in page
    assert "Now at rank" in page
    assert page.count('name="pulls"') == len(site.product.approvals.pending("fall"))


def test_a_strike_without_a_reason_comes_back_with_the_same_ones_ticked(site: Site) -> None:
    client = asking(site)
    first = site.product.approvals.pending("fall")[0].pull.id

    page = client.post(
        "/today/fall/requests", data={"what": "strike", "pulls": [first], "reason": " "}
    )

    assert page.status_code == 422
    assert 'id="strike-why-problem"' in page.text
    assert page.text.count(" checked") == 1
    assert f'value="{first}" checked' in page.text


def test_a_request_is_exchanged_on_its_own_page_with_a_reason(site: Site) -> None:
    client = asking(site)
    one = site.product.approvals.pending("fall")[0]
    other = site.product.approvals.choices("fall", one.pull.id).applicants[0]
    typed = {"pull": one.pull.id, "applicant": str(other.number), "reason": ""}

    assert other.name in client.get(f"/today/fall/swap?pull={one.pull.id}").text
    refused = client.post("/today/fall/swap", data=typed)
    done = client.post("/today/fall/swap", data=typed | {"reason": "away until May"})
    site.turn()

    assert refused.status_code == 422
    assert 'id="swap-why-problem"' in refused.text
    assert f'value="{other.number}" selected' in refused.text
    assert done.status_code == 303
    asked = site.product.context.ledger.assignments("fall", application=other.number)
    assert [a.kind for a in asked][-1] == 1


@pytest.mark.parametrize("typed", [{}, {"applicant": "²"}, {"applicant": "-1"}, {"reviewer": "x"}])
def test_an_exchange_for_nobody_is_refused_beside_its_field(
    site: Site, typed: dict[str, str]
) -> None:
    client = asking(site)
    one = site.product.approvals.pending("fall")[0]

    page = client.post(
        "/today/fall/swap", data={"pull": one.pull.id, "reason": "a reason", **typed}
    )

    assert page.status_code == 422
    assert page.text.count('aria-invalid="true"') == 1
    assert 'value="a reason"' in page.text


def test_what_nobody_may_do_is_named_with_the_reason_and_the_cure(site: Site) -> None:
    site.launched(applicants=5, roster=1)
    site.product.reviewers.leave("fall", "R1", by="ops", reason="gone")
    site.turn()

    staff = site.signed_in(Role.ADMINISTRATOR).get("/today/fall/waiting").text
    observer = site.signed_in(Role.OBSERVER).get("/today/fall/waiting").text

    assert "cannot go out: review" in staff
    assert "No reviewer takes this kind" in staff
    assert 'href="/setup/fall/reviewers">Import a reviewer who takes it</a>' in staff
    assert "Applicant 1" in staff
    assert "cannot go out: review" in observer
    assert "Applicant 1" not in observer


def test_the_late_are_reminded_at_once_and_only_once_a_day(site: Site) -> None:
    busy(site)
    site.later(40 * 86_400)
    client = site.signed_in(Role.ADMINISTRATOR)
    mails = len(site.mails)
    waiting = [w for w in site.product.reports.waiting("fall") if w.overdue]
    page = client.get("/today/fall/waiting").text

    assert waiting
    assert "Remind all who are late" in page
    assert client.post("/today/fall/remind").status_code == 303
    site.later(40 * 86_400 + 11)  # within ten seconds it would be the same act
    again = client.post("/today/fall/remind")
    site.turn()
    assert len(site.mails) - mails >= 1
    assert again.status_code == 409
    assert "asked today already" in again.text


@pytest.mark.parametrize(
    ("chart", "head"),
    [
        ("intervals", "rank,score,margin,standing,waiting"),
        ("decisions", "number,at,too_close,could_gain,could_change,lacks"),
        ("budget", "at,spent,asked_for,left"),
        ("load", "reviewer,overdue,open,done"),
    ],
)
def test_every_chart_has_its_numbers_as_a_table_and_to_download(
    site: Site, chart: str, head: str
) -> None:
    busy(site)
    client = site.signed_in(Role.ADMINISTRATOR)

    answer = client.get(f"/today/fall/data.csv?chart={chart}")

    assert f"data.csv?chart={chart}" in client.get("/today/fall/evidence").text
    assert answer.text.splitlines()[0] == head
    assert len(answer.text.splitlines()) > 1
    assert client.get("/today/fall/data.csv?chart=secrets").status_code == 404


def test_reviewers_are_named_in_the_chart_only_to_those_who_may_see_them(site: Site) -> None:
    busy(site)

    staff = site.signed_in(Role.OPERATIONS).get("/today/fall/data").json()["load"]
    observer = site.signed_in(Role.OBSERVER).get("/today/fall/data").json()["load"]

    assert staff[0]["reviewer"].startswith("Reviewer ")
    assert [row["reviewer"] for row in observer][:2] == ["reviewer 1", "reviewer 2"]
    assert [row["done"] for row in staff] == [row["done"] for row in observer]


def test_a_kind_that_the_board_does_not_know_yet_breaks_nothing(site: Site) -> None:
    busy(site)
    rules = site.product.cycles.rules("fall")
    client = site.signed_in(Role.ADMINISTRATOR)

    longer = replace(rules, kinds=(*rules.kinds, replace(INTERVIEW, name="a talk")))
    site.product.cycles.change_rules("fall", longer, by="ops", reason="talks were asked for")

    assert site.product.reports.dashboard("fall")[0].closed.shape[1] == len(rules.kinds)
    pages = ("today/fall", "today/fall/evidence", "applicants/fall", "applicants/fall/0")
    for address in (f"/{page}" for page in (*pages, "reviewers/fall")):
        page = client.get(address)
        assert page.status_code == 200, address
    assert "a talk" in client.get("/today/fall/evidence").text


def test_a_reviewer_who_joins_while_the_page_is_made_breaks_nothing(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy(site)
    observer = site.signed_in(Role.OBSERVER)
    roster, waits = site.product.reviewers.list("fall"), site.product.reports.waiting("fall")
    asked: list[str] = []

    def without_the_newest(_: ReviewerService, cycle_id: str) -> tuple[Reviewer, ...]:
        """Return the roster; before what waits is read, one reviewer is still missing."""
        return tuple(r for r in roster if cycle_id in asked or r.number != waits[0].reviewer)

    def with_the_newest(_: ReportService, cycle_id: str) -> tuple[Waiting, ...]:
        asked.append(cycle_id)
        return waits

    monkeypatch.setattr(ReviewerService, "list", without_the_newest)
    monkeypatch.setattr(ReportService, "waiting", with_the_newest)
    for address in (
        "/today/fall",
        "/today/fall/evidence",
        "/today/fall/data",
        "/today/fall/data.csv?chart=load",
    ):
        asked.clear()
        assert observer.get(address).status_code == 200


def test_the_budget_runs_down_from_all_of_it_to_what_is_left(site: Site) -> None:
    busy(site)
    cycle = site.product.cycles.get("fall")

    rows = site.signed_in(Role.OBSERVER).get("/today/fall/data").json()["budget"]

    assert rows[0]["left"] == SITE_RULES.budget
    assert rows[-1]["spent"] == cycle.spent > 0
    assert rows[-1]["left"] == SITE_RULES.budget - cycle.spent - cycle.committed


def test_the_health_of_the_parts_is_shown_with_the_age_of_the_last_event(site: Site) -> None:
    busy(site)
    site.later(3 * 3600)

    page = site.signed_in(Role.OBSERVER).get("/today/fall/evidence").text

    assert "✓ answers" in page
    assert "✓ at work" in page
    assert "3 hours ago" in page


@pytest.mark.parametrize("what", ["pause", "stop"])
def test_a_refused_change_of_course_comes_back_with_what_was_typed(site: Site, what: str) -> None:
    busy(site)
    client = site.signed_in(Role.ADMINISTRATOR)

    page = client.post(f"/today/fall/{what}", data={"reason": "x" * 2001})

    assert page.status_code == 422
    assert 'id="course-why-problem"' in page.text
    assert "x" * 2001 in page.text
    assert site.product.cycles.get("fall").status.value == "running"


def test_a_mail_that_did_not_fail_is_not_sent_again_and_the_page_says_so(site: Site) -> None:
    busy(site)
    client = site.signed_in(Role.ADMINISTRATOR)
    mail = site.product.outbox.mails("fall", at_most=1)[0].mail

    page = client.post(f"/today/fall/mail/{mail.id}/again")

    assert page.status_code == 422
    assert "Only a mail that failed or was not sent is sent again." in page.text
    assert client.post("/today/fall/mail/none/again").status_code == 404


def test_requests_that_no_worker_takes_are_told_in_the_list_and_on_the_programs_page(
    site: Site,
) -> None:
    for cycle in ("fall", "spring"):
        site.launched(cycle, launch=False)
        site.product.cycles.launch(cycle, by="ops")
    coordinator = site.product.cycles.coordinator("without workers")
    coordinator.turn()
    staff = site.signed_in(Role.OPERATIONS)
    told = "wait for a worker. Check that the worker process runs."
    assert told not in staff.get("/today").text

    # However often they are sent again meanwhile.
    site.later(1800)
    coordinator.turn()

    assert staff.get("/today").text.count(told) == 2
    assert staff.get("/setup/system").text.count(told) == 2
    assert staff.get("/today/fall").text.count(told) == 1


def test_the_list_of_programs_says_which_have_no_coordinator_at_work(site: Site) -> None:
    for cycle in ("fall", "spring"):
        site.launched(cycle, launch=cycle == "fall")
    site.product.cycles.launch("spring", by="ops")

    page = site.signed_in(Role.OPERATIONS).get("/today").text

    assert page.count("the coordinator is not running") == 1
    cards = page.split("<article")[1:]
    (spring,) = [card for card in cards if "the coordinator is not running" in card]
    assert "MS spring" in spring


def test_today_says_that_numbers_in_redis_were_changed_from_outside(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checked_state, "COMPARE_EVERY", 0.0)
    busy(site)
    client, state = site.signed_in(Role.OBSERVER), site.product.context.state
    heading = "Numbers in Redis were changed from outside"
    assert heading not in client.get("/today/fall/waiting").text

    arms = state.arms("fall")
    state.replace("fall", replace(arms, spent=0, committed=0))
    site.coordinator.turn()

    assert heading in client.get("/today/fall/waiting").text
    live = state.arms("fall")
    assert (live.spent, live.committed) == (arms.spent, arms.committed)
