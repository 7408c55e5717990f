"""What staff see of a program: Today, its applicants, its reviewers."""

import pytest

from swapflow.domain.score import Answer
from swapflow.office.rights import Role
from tests.web.everyone import busy
from tests.web.site import Site


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
    live, published = site.product.board("fall")
    site.product.state.forget("fall")
    made, from_state = site.product.board("fall")

    assert (published, from_state) == (True, False)
    assert live.position == made.position
    assert live.application.tolist() == made.application.tolist()
    assert live.contested.tolist() == made.contested.tolist()


def test_a_pause_needs_a_reason_and_is_recorded(site: Site) -> None:
    busy(site)
    client = site.signed_in(Role.ADMINISTRATOR)

    assert client.post("/today/fall/pause", data={"reason": " "}).status_code == 422
    assert site.product.cycle("fall").status.value == "running"
    assert client.post("/today/fall/pause", data={"reason": "holiday"}).status_code == 303
    assert site.product.cycle("fall").status.value == "paused"


def test_a_pin_is_kept_and_taken_back(site: Site) -> None:
    busy(site)
    client = site.signed_in(Role.ADMINISTRATOR)

    client.post("/applicants/fall/0/pin", data={"verdict": "in", "reason": "a sibling enrols"})
    assert [(p.application, p.verdict) for p in site.product.pins("fall")] == [(0, "in")]
    client.post("/applicants/fall/0/pin", data={"verdict": "", "reason": "withdrawn"})
    assert site.product.pins("fall") == ()


def test_nobody_is_called_settled_or_given_a_score_before_a_review_is_in(site: Site) -> None:
    site.launched()
    known = site.product.reviewers("fall")[0].external_id
    task = site.product.inbox("fall", known)[0]
    site.product.submit(
        [Answer(assignment_id=task.id, marks={"Preparation": 4.0, "Promise": 3.0})]
    )
    site.turn()

    today = site.signed_in(Role.OPERATIONS).get("/today/fall").text
    table = site.signed_in(Role.OPERATIONS).get("/applicants/fall").text

    assert '<span class="value">11</span><span class="name">without a review so far' in today
    assert '<span class="value">0</span><span class="name">settled out' in today
    assert table.count("no review yet") == 11
