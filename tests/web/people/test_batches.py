"""Several applicants in one act, what is taken back of it, and the table as a file."""

import re

from starlette.testclient import TestClient

from swapflow.domain.people.application import ApplicationStatus
from swapflow.identity.permissions import Role
from tests.web.everyone import busy
from tests.web.site import Site


TABLE = "/applicants/fall"
TICKED = f"{TABLE}/ticked"


def staff(site: Site) -> TestClient:
    return busy(site).signed_in(Role.ADMINISTRATOR)


def statuses(site: Site, *numbers: int) -> set[ApplicationStatus]:
    return {site.product.applicants.get("fall", number).status for number in numbers}


def test_ticked_applicants_are_held_and_released_in_one_act_each(site: Site) -> None:
    client = staff(site)

    held = client.post(f"{TICKED}?sort=name", data={"a": [0, 1], "what": "hold", "reason": "late"})
    told = client.get(TABLE).text

    assert held.headers["location"] == f"{TABLE}?sort=name"
    assert "Held 2 applicants." in told
    assert statuses(site, 0, 1) == {ApplicationStatus.HELD}
    client.post(TICKED, data={"a": [0, 1], "what": "release", "reason": "it came"})
    assert statuses(site, 0, 1) == {ApplicationStatus.READY}


def test_one_that_cannot_be_meant_stops_the_whole_act_and_ticks_stay(site: Site) -> None:
    client = staff(site)
    client.post(TICKED, data={"a": [0], "what": "hold", "reason": "late"})

    page = client.post(TICKED, data={"a": [0, 2], "what": "ask:review", "reason": "close"})

    assert page.status_code == 422
    assert "not ready: A001" in page.text
    assert page.text.count(" checked") == 2
    assert 'value="close"' in page.text
    assert site.product.applicants.staff_requests("fall") == ()


def test_an_act_on_nobody_without_a_reason_or_unknown_is_refused(site: Site) -> None:
    client = staff(site)
    before = site.product.cycles.get("fall").position

    for sent in (
        {"what": "hold", "reason": "late"},
        {"a": [0], "what": "hold", "reason": " "},
        {"a": [0], "what": "ask:séance", "reason": "close"},
        {"a": [0], "what": "praise", "reason": "close"},
        {"what": "export"},
    ):
        assert client.post(TICKED, data=sent).status_code == 422, sent
    assert client.post(TICKED, data={"a": [99], "what": "hold", "reason": "x"}).status_code == 404
    assert site.product.cycles.get("fall").position == before


def test_a_request_of_staff_is_taken_back_while_it_waits_and_while_it_is_not_begun(
    site: Site,
) -> None:
    client = staff(site)
    client.post(TICKED, data={"a": [2, 3], "what": "ask:review", "reason": "close"})
    (wish, _) = site.product.applicants.staff_requests("fall")

    undone = client.post(f"{TABLE}/2/ask/undo", data={"wish": str(wish.id)})
    again = client.post(f"{TABLE}/2/ask/undo", data={"wish": str(wish.id), "act": "other"})

    assert undone.status_code == 303
    assert again.status_code in {303, 409}
    waiting = [one.application for one in site.product.applicants.staff_requests("fall")]
    assert waiting == [3]


def test_a_request_of_the_rule_is_not_taken_back_so(site: Site) -> None:
    client = staff(site)
    task = site.product.reports.waiting_for("fall", 0)[0]

    page = client.post(f"{TABLE}/{task.application}/ask/undo", data={"task": task.id})

    assert page.status_code == 409
    assert "cannot be taken back" in page.text
    assert site.product.tasks.get(task.id).status.is_open


def test_the_table_and_the_ticked_of_it_are_files(site: Site) -> None:
    client = staff(site)

    whole = client.get(f"{TABLE}/table.csv").text.splitlines()
    led = client.post(TICKED, data={"a": [1, 4], "what": "export"})
    ticked = client.get(led.headers["location"]).text.splitlines()

    assert len(whole) == 13
    assert len(ticked) == 3
    assert {re.findall(r"A\d+", line)[0] for line in ticked[1:]} == {"A002", "A005"}


def test_a_corrected_name_is_in_the_table_at_once(site: Site) -> None:
    client = staff(site)
    assert "Applicant 3<" in client.get(TABLE).text

    site.product.applicants.correct(
        "fall", "A003", {"name": "Zuzana Novotná"}, by="ops", reason="the passport"
    )

    assert "Zuzana Novotná" in client.get(f"{TABLE}?q=novotna").text
    assert "1 applicant of 12" in client.get(f"{TABLE}?q=novotna").text


def test_views_count_whom_they_show(site: Site) -> None:
    client = staff(site)
    page = client.get(TABLE).text
    counted = dict(re.findall(r'href="\?view=(\w+)">[^<]+<span>(\d+)', page))

    for view, count in counted.items():
        shown = client.get(f"{TABLE}?view={view}").text
        assert shown.count("<tr data-number") == int(count), view


def test_a_sick_reviewer_is_one_form_that_gives_open_reviews_to_others(site: Site) -> None:
    client = staff(site)
    today = site.product.cycles.now().date().isoformat()
    open_before = site.product.reports.waiting_for("fall", 0)

    sent = {"first": today, "last": today, "give": "1"}
    answer = client.post("/reviewers/fall/0/away", data=sent)
    site.turn()

    assert answer.status_code == 303
    assert open_before
    assert site.product.reports.waiting_for("fall", 0) == ()
    taken = [site.product.tasks.get(one.id).status.value for one in open_before]
    assert set(taken) == {"taken back"}
    assert len(site.product.reviewers.list("fall")[0].absences) == 1
    assert site.product.reports.verify("fall").passed


def test_a_conflict_is_one_press_on_the_applicants_page_and_one_to_undo(site: Site) -> None:
    client = staff(site)
    task = site.product.reports.waiting_for("fall", 0)[0]
    here = f"{TABLE}/{task.application}"
    form = rf'action="{here}/conflict">.*?name="reviewer" value="R1"'

    assert re.search(form, client.get(here).text)
    client.post(f"{here}/conflict", data={"reviewer": "R1"})
    page = client.get(here).text
    undo = re.search(rf'action="{here}/conflict/remove">.*?</form>', page)
    assert undo is not None
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', undo[0]))
    client.post(f"{here}/conflict/remove", data=fields)

    assert not site.product.reviewers.conflict_sources("fall")
