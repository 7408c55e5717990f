"""Conflicts of interest on the pages of an applicant and a reviewer, on Today and in the API."""

import pytest
from starlette.testclient import TestClient

from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.identity.permissions import Role
from tests.web.api.programs import V1, program
from tests.web.everyone import busy
from tests.web.forms import send_form
from tests.web.site import Site


def staff(site: Site) -> TestClient:
    return busy(site).signed_in(Role.ADMINISTRATOR)


def applicant(site: Site, number: int) -> str:
    external_id = site.product.applicants.get("fall", number).external_id
    assert external_id
    return external_id


@pytest.mark.parametrize("page", ["applicant", "reviewer"])
def test_a_conflict_recorded_on_a_page_takes_back_the_open_request(site: Site, page: str) -> None:
    client = staff(site)
    task = site.product.reports.waiting_for("fall", 0)[0]
    name = applicant(site, task.application)
    whom = site.product.reviewers.list("fall")[0].external_id

    if page == "applicant":
        answer = client.post(
            f"/applicants/fall/{task.application}/conflict", data={"reviewer": whom}
        )
    else:
        answer = client.post("/reviewers/fall/0/conflict", data={"applicant": name})

    assert answer.status_code == 303
    moved = site.ledger.assignment(task.id)
    assert moved.status is AssignmentStatus.CANCELLED


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/applicants/fall/0/conflict", {"reviewer": "nobody"}),
        ("/applicants/fall/0/conflict", {}),
        ("/reviewers/fall/0/conflict", {"applicant": " "}),
        ("/reviewers/fall/0/conflict", {"applicant": "nobody"}),
    ],
)
def test_a_conflict_that_names_nobody_is_refused_on_its_page(
    site: Site, path: str, sent: dict[str, str]
) -> None:
    client = staff(site)
    before = site.product.cycles.get("fall").position

    page = client.post(path, data=sent)

    assert page.status_code == 422
    assert site.product.cycles.get("fall").position == before


def test_a_score_in_conflict_is_named_on_today_and_before_signing_until_waived(
    site: Site,
) -> None:
    client = staff(site)
    given = site.product.reports.reviews_by("fall", 0)[0]
    name = applicant(site, given.application)
    whom = site.product.reviewers.list("fall")[0].external_id
    link = f'href="/applicants/fall/{given.application}#conflicts"'
    assert link not in client.get("/today/fall/waiting").text

    client.post("/reviewers/fall/0/conflict", data={"applicant": name})

    assert link in client.get("/today/fall/waiting").text
    assert link in client.get("/decide/fall").text
    observer = site.signed_in(Role.OBSERVER)
    assert "1 score counts although" in observer.get("/today/fall/waiting").text
    card = f"/applicants/fall/{given.application}"
    refused = client.post(f"{card}/conflict/waive", data={"reviewer": whom, "reason": ""})
    assert refused.status_code == 422
    assert link in client.get("/today/fall/waiting").text
    client.post(f"{card}/conflict/waive", data={"reviewer": whom, "reason": "never met"})
    assert link not in client.get("/today/fall/waiting").text
    assert link not in client.get("/decide/fall").text


def test_the_api_tells_what_a_conflict_took_back_and_which_scores_stand_against_it(
    site: Site,
) -> None:
    busy(site)
    client = program(site)
    given = site.product.reports.reviews_by("fall", 0)[0]
    task = site.product.reports.waiting_for("fall", 0)[0]
    whom = site.product.reviewers.list("fall")[0].external_id
    pairs = [
        {"applicant": applicant(site, one.application), "reviewer": whom} for one in (given, task)
    ]
    here = f"{V1}/cycles/fall/conflicts"

    answer = client.post(here, json={"pairs": pairs})

    assert answer.json() == {"count": 2, "taken_back": 1}
    (named,) = client.get(f"{here}/scores").json()["scores"]
    assert (named["id"], named["applicant"]) == (given.id, pairs[0]["applicant"])
    assert client.post(f"{here}/waive", json={**pairs[0], "reason": ""}).status_code == 422
    waived = client.post(f"{here}/waive", json={**pairs[0], "reason": "never met"})
    assert waived.status_code == 204
    assert client.get(f"{here}/scores").json() == {"scores": []}


def test_a_mail_address_is_corrected_on_the_applicants_page_and_in_the_api(site: Site) -> None:
    client = staff(site)
    sent = {"name": "New Name", "email": "new@example.org", "reason": "a letter"}

    answer = send_form(client, "/applicants/fall/0", "/applicants/fall/0/contact", sent)

    assert answer.status_code == 303
    assert site.product.applicants.get("fall", 0).email == "new@example.org"
    refused = client.post("/applicants/fall/0/contact", data={**sent, "email": "a@b..c"})
    assert refused.status_code == 422
    assert "a@b..c" in refused.text
    here = f"{V1}/cycles/fall/applicants/0/contact"
    corrected = program(site).post(here, json={"email": "api@example.org"})
    assert corrected.status_code == 200
    now = site.product.applicants.get("fall", 0)
    assert (now.name, now.email) == ("New Name", "api@example.org")
