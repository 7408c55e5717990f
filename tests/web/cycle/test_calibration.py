"""Calibration at the screen and at the API: severities, agreement, raw against adjusted."""

from dataclasses import replace

from starlette.testclient import TestClient

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import Estimates, Floor, KindRules, RuleName, SeatLine
from swapflow.identity.permissions import Role
from tests.engine.read_models.severe_reviewers import severe
from tests.web.cohort.fixed_cohorts import chair, sign
from tests.web.forms import revision_in
from tests.web.site import SITE_RULES, Site


PATH = "/decide/fall/calibration"
API = "/api/v1/cycles/fall"
PLAIN = replace(
    SITE_RULES,
    lines=(SeatLine(name="all", places=10),),
    rubrics=(),
    kinds=(KindRules(name="review", cost=1, gain=1.0, maximum=4),),
    floors=(Floor(kind="review", count=4),),
    budget=160,
    rule=RuleName.CERTIFIED,
    sigma=0.16,
    packet=100,
)


def judged(site: Site, *, panels: bool = False, people: int = 6, **changes: object) -> None:
    """Forty applicants, each read by four; raw as the rule `certified` has it."""
    rules = replace(PLAIN, **changes)  # type: ignore[arg-type]  # tests name fields
    site.launched("fall", rules=rules, applicants=40, roster=people, launch=False)
    if panels:
        pairs = [
            (f"A{n:03d}", f"R{2 * of + half}")
            for n in range(1, 41)
            for half in [1 + n % 2]
            for of in range(people // 2)
        ]
        site.product.reviewers.set_panel("fall", pairs)
    site.product.cycles.launch("fall", by="ops")
    names = {a.number: a.external_id for a in site.product.applicants.list("fall")}
    site.turn()
    while site.product.cycles.get("fall").status is CycleStatus.RUNNING:
        for known in site.product.reviewers.list("fall"):
            by = known.external_id
            for task in site.product.tasks.inbox("fall", by):
                mark = severe(names[task.application], "review", task.ordinal, by)
                site.product.tasks.submit([Answer(assignment_id=task.id, utility=mark)])
        site.turn()
    site.product.cycles.stop("fall", by="ops", reason="enough")


def asks(client: TestClient, estimates: str, reason: str = "one was strict") -> int:
    data = {"estimates": estimates, "reason": reason}
    page = client.get(PATH).text
    if f'action="{PATH}"' in page:
        data["revision"] = revision_in(page, PATH)
    return client.post(PATH, data=data).status_code


def test_the_page_shows_agreement_and_whom_adjusting_moves(site: Site) -> None:
    judged(site)
    seen = site.product.reports.calibration("fall")
    coming = seen.comes_in(Estimates.ADJUSTED)
    assert coming

    page = site.signed_in(Role.COORDINATOR).get(PATH)

    assert page.status_code == 200
    assert "The list is made by marks as they were given." in page.text
    assert "would come in" in page.text
    for row in (*coming, *seen.goes_out(Estimates.ADJUSTED)):
        assert f"/applicants/fall/{row.application}" in page.text
        assert f"{100 * row.adjusted:.1f}" in page.text
    assert "only accounts with the role calibration see" in page.text
    assert "Marks above the others" not in page.text
    assert "Krippendorff" in page.text
    assert "<svg" in page.text
    assert "all can be compared" in page.text
    assert site.product.cycles.rules("fall").version == 1


def test_who_may_not_see_reviewers_reads_numbers_instead_of_names(site: Site) -> None:
    judged(site, panels=True, people=8)
    cycle = site.product.cycles.get("fall")
    numbers = sorted(str(cycle.reviewer_number(n)) for n in range(8))

    page = site.signed_in(Role.COMMITTEE).get(PATH).text
    told = site.signed_in(Role.COMMITTEE, email="c2@example.org").get(f"{API}/calibration").json()

    assert "Reviewer 1" not in page
    assert all(f"reviewer {number}" in page for number in numbers)
    assert sorted(number for group in told["groups"] for number in group) == numbers


def test_a_list_by_adjusted_estimates_is_asked_for_signed_and_on_record(site: Site) -> None:
    judged(site)
    client = chair(site)
    seen = site.product.reports.calibration("fall")
    raw = {place.application for place in site.product.cohort.propose("fall").cohort}

    assert asks(client, "adjusted") == 303

    page = client.get("/decide/fall").text
    assert "The list is made by adjusted estimates" in page
    moved = {row.application for row in seen.comes_in(Estimates.ADJUSTED)}
    gone = {row.application for row in seen.goes_out(Estimates.ADJUSTED)}
    assert {p.application for p in site.product.cohort.propose("fall").cohort} == (
        raw | moved
    ) - gone
    log = [line for _, line in site.ledger.office().audit(cycle_id="fall")]
    assert ("asked for the list by adjusted estimates", "chair@example.org") in [
        (line.what, line.who) for line in log
    ]
    assert site.product.cycles.rules_history("fall")[0].reason == "one was strict"
    client.post("/decide/fall/prepare")
    sign(client)
    assert site.product.cycles.get("fall").status is CycleStatus.FINALIZED
    assert "the list is made by adjusted estimates" in client.get("/decide/fall").text
    late = client.post(PATH, data={"estimates": "rule", "reason": "second thoughts"})
    assert late.status_code == 422
    assert "The list is final" in late.text
    assert "reopen it" in late.text
    assert site.product.reports.verify("fall", live=False).findings == ()


def test_a_request_is_undone_and_needs_a_reason_and_the_right(site: Site) -> None:
    judged(site)
    client = chair(site)

    without = client.post(PATH, data={"estimates": "adjusted", "reason": " "})
    assert without.status_code == 422
    assert "Write why" in without.text
    assert client.post(PATH, data={"estimates": "best", "reason": "why"}).status_code == 422
    assert asks(site.signed_in(Role.COMMITTEE), "adjusted") == 403
    assert site.product.cycles.rules("fall").version == 1

    assert asks(client, "adjusted") == 303
    again = client.post(PATH, data={"estimates": "adjusted", "reason": "more so"})
    assert again.status_code == 422
    assert "by adjusted estimates already" in again.text
    assert asks(client, "rule") == 303
    assert site.product.cycles.rules("fall").estimates is Estimates.RULE


def test_reviewers_who_cannot_be_compared_are_named_on_the_page_and_at_the_api(
    site: Site,
) -> None:
    judged(site, panels=True, people=8)

    page = site.signed_in(Role.COORDINATOR).get(PATH).text
    told = site.signed_in(Role.OPERATIONS).get(f"{API}/calibration").json()

    assert "2 groups of reviewers cannot be compared with each other" in page
    assert "<li>Reviewer 1, Reviewer 3, Reviewer 5, Reviewer 7</li>" in page
    assert "<li>Reviewer 2, Reviewer 4, Reviewer 6, Reviewer 8</li>" in page
    assert not told["connected"]
    assert told["groups"] == [["R1", "R3", "R5", "R7"], ["R2", "R4", "R6", "R8"]]
    assert told["groups_that_stay_apart"] == told["groups"]


def test_today_and_the_launch_page_warn_of_groups_that_stay_apart(site: Site) -> None:
    site.launched("fall", roster=4, launch=False)
    pairs = [(f"A{n:03d}", f"R{of}") for n in range(1, 13) for of in ((1, 2) if n % 2 else (3, 4))]
    site.product.reviewers.set_panel("fall", pairs)
    coordinator = site.signed_in(Role.COORDINATOR)

    assert (
        "2 groups of reviewers will share no applicant"
        in coordinator.get("/setup/fall/launch").text
    )
    site.product.cycles.launch("fall", by="ops")
    site.turn()

    page = coordinator.get("/today/fall/waiting").text
    assert "2 groups of reviewers will share no applicant" in page
    assert "<li>Reviewer 1, Reviewer 2</li><li>Reviewer 3, Reviewer 4</li>" in page
    watched = site.signed_in(Role.OBSERVER).get("/today/fall/waiting").text
    assert "2 groups of reviewers will share no applicant" in watched
    assert "Reviewer 1" not in watched


def test_the_api_tells_what_the_page_tells_and_takes_the_request(site: Site) -> None:
    judged(site)
    client = chair(site)
    seen = site.product.reports.calibration("fall")

    told = client.get(f"{API}/calibration").json()

    assert (told["estimates"], told["in_force"], told["connected"]) == ("rule", "raw", True)
    assert told["reviewers"] == [], "how severe reviewers are is told for a logged look"
    (change,) = told["changes"]
    assert change["comes_in"] == [r.application for r in seen.comes_in(Estimates.ADJUSTED)]
    assert len(told["applicants"]) == 40
    (kind,) = told["kinds"]
    assert kind["icc"]["low"] < kind["icc"]["value"] < kind["icc"]["high"]
    body = {"estimates": "adjusted", "reason": "one was strict"}
    assert client.put(f"{API}/estimates", json=body).json() == {
        "estimates": "adjusted",
        "rules_version": 2,
    }
    assert client.put(f"{API}/estimates", json={"estimates": "adjusted"}).status_code == 422


def test_before_launch_and_before_scores_the_page_says_so(site: Site) -> None:
    site.launched("draft", launch=False)
    site.launched("fall")
    client = chair(site)

    assert "nothing to compare" in client.get("/decide/draft/calibration").text
    assert client.get("/api/v1/cycles/draft/calibration").status_code == 422
    assert "There is no score yet" in client.get(PATH).text
