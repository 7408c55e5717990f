"""Conflicts that were none and bars of voided reviews, ended on pages and by the API."""

import pytest

from swapflow.domain.event import EventType
from swapflow.domain.reviewing.score import Answer
from swapflow.identity.permissions import Role
from tests.web.api.programs import V1, program
from tests.web.site import Site


REASON = {"reason": "a namesake"}


def events(site: Site, kind: EventType) -> list[dict[str, object]]:
    return [dict(e.payload) for e in site.product.reports.events("fall") if e.type is kind]


def voided(site: Site) -> tuple[str, int, int]:
    """A program in which a review of R1 was voided: its request, applicant and reviewer."""
    site.launched("fall")
    site.turn()
    task = site.product.tasks.inbox("fall", "R1")[0]
    marks: dict[str, float | None] = {"Preparation": 3.0, "Promise": 2.0}
    site.product.tasks.submit([Answer(assignment_id=task.id, marks=marks)])
    site.product.scores.void([task.id], by="ops", reason="the wrong file")
    return task.id, task.application, task.reviewer


def test_the_page_of_an_applicant_takes_a_conflict_back(site: Site) -> None:
    site.launched("fall")
    site.product.reviewers.add_conflicts("fall", [("A001", "R3")], source="test")
    client = site.signed_in(Role.COORDINATOR)

    page = client.get("/applicants/fall/0")
    address = "/applicants/fall/0/conflict/remove"
    without = client.post(address, data={"reviewer": "R3", "reason": ""})
    done = client.post(address, data={"reviewer": "R3", **REASON})
    site.later(11)  # Sooner it is the same act, and is answered as the first was.
    again = client.post(address, data={"reviewer": "R3", **REASON})

    assert f'action="{address}"' in page.text
    assert without.status_code == 422
    assert done.status_code == 303
    assert again.status_code == 422
    assert site.ledger.conflicts("fall") == ()
    assert events(site, EventType.CONFLICT_REMOVED) == [{"a": 0, "r": 2}]


def test_the_page_of_a_reviewer_lifts_the_bar_of_a_void_and_says_so(site: Site) -> None:
    task, a, r = voided(site)
    client = site.signed_in(Role.COORDINATOR)
    address = f"/reviewers/fall/{r}/reviews/lift"

    page = client.get(f"/reviewers/fall/{r}")
    without = client.post(address, data={"task": task, "reason": " "})
    done = client.post(address, data={"task": task, "reason": "may look anew"})
    after = client.get(f"/reviewers/fall/{r}")

    assert f'action="{address}"' in page.text
    assert without.status_code == 422
    assert "Let them be asked again" in without.text
    assert done.status_code == 303
    assert "may be asked about this applicant again" in after.text
    assert f'action="{address}"' not in after.text
    assert events(site, EventType.BAR_LIFTED) == [{"a": a, "r": r}]


def test_the_api_does_both_and_says_whether_it_was_new(site: Site) -> None:
    _, a, _ = voided(site)
    name = site.product.applicants.get("fall", a).external_id
    site.product.reviewers.add_conflicts("fall", [("A012", "R4")], source="test")
    api = program(site, Role.COORDINATOR)

    removed = api.post(
        f"{V1}/cycles/fall/conflicts/remove",
        json={"applicant": "A012", "reviewer": "R4", **REASON},
    )
    pair = {"applicant": name, "reviewer": "R1", "reason": "may look anew"}
    lifted = [api.post(f"{V1}/cycles/fall/bars/lift", json=pair).json() for _ in range(2)]

    assert removed.status_code == 204
    assert lifted == [{"lifted": True}, {"lifted": False}]


@pytest.mark.parametrize("role", [Role.COMMITTEE, Role.CHAIR, Role.OPERATIONS])
def test_who_could_read_as_staff_is_not_asked_again(site: Site, role: Role) -> None:
    task, a, r = voided(site)
    name = site.product.applicants.get("fall", a).external_id
    site.product.reviewers.add_conflicts("fall", [("A012", "R1")], source="test")
    site.signed_in(role, email="r1@example.org")
    api, client = program(site, Role.COORDINATOR), site.signed_in(Role.COORDINATOR)

    refused = [
        api.post(
            f"{V1}/cycles/fall/{what}",
            json={"applicant": applicant, "reviewer": "R1", **REASON},
        )
        for what, applicant in (("conflicts/remove", "A012"), ("bars/lift", name))
    ]
    pages = [
        client.post(f"/reviewers/fall/{r}/reviews/lift", data={"task": task, **REASON}),
        client.post("/applicants/fall/11/conflict/remove", data={"reviewer": "R1", **REASON}),
    ]

    assert [one.json()["code"] for one in refused] == ["reviewer_reads_as_staff"] * 2
    assert [one.status_code for one in pages] == [409, 409]
    assert events(site, EventType.CONFLICT_REMOVED) == []
    assert events(site, EventType.BAR_LIFTED) == []


def test_the_api_opens_an_applicant_to_a_reviewer_with_a_role(site: Site) -> None:
    site.launched("fall")
    api = program(site, Role.CHAIR, email="r1@example.org")
    address = f"{V1}/cycles/fall/applicants/3"
    closed = api.get(address)

    opened = [api.post(f"{address}/opening", json={"reason": "an appeal"}) for _ in range(2)]

    assert closed.status_code == 403
    assert closed.json()["code"] == "applicant_closed_to_reviewer"
    assert [one.json() for one in opened] == [{"opened": True}, {"opened": False}]
    assert api.get(address).json()["name"] == "Applicant 4"
    assert api.get(f"{address}/explanation").status_code == 200
    assert api.get(f"{V1}/cycles/fall/applicants/4/explanation").status_code == 403
    listed = api.get(f"{V1}/cycles/fall/applicants").json()["items"]
    assert [row["number"] for row in listed] == [3]
