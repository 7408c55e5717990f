"""Today names applicants whose promised reviews cannot be paid, and pays them with one press."""

import re
from dataclasses import replace

from swapflow.domain.rules import Floor, KindRules, SeatLine
from swapflow.identity.permissions import Role
from tests.engine.cycle_by_hand import applicant
from tests.web.api.programs import V1, program
from tests.web.site import RUBRIC, SITE_RULES, Site


RULES = replace(
    SITE_RULES,
    lines=(SeatLine(name="all", places=1),),
    kinds=(KindRules(name="review", cost=20, gain=1.0, maximum=2),),
    floors=(Floor(kind="review", count=2),),
    rubrics=(RUBRIC,),
    packet=20,
    budget=400,
    reserve=225 / 400,
)
"""Four applicants' promises cost 160 of 400; 225 are kept, 15 free."""


def late(site: Site) -> None:
    site.launched("fall", rules=RULES, applicants=4, roster=4)
    site.product.applicants.import_list("fall", [applicant("LATE")])
    site.turn()


def test_today_names_a_late_applicant_and_one_press_pays_from_the_reserve(site: Site) -> None:
    late(site)
    client = site.signed_in(Role.OPERATIONS)

    page = client.get("/today/fall/waiting").text
    assert "1 applicant lacks a promised review" in page
    form = re.search(r'action="/today/fall/reserve">.*?name="shown" value="(\d+)"', page)
    assert form is not None
    assert form[1] == "25"
    stale = client.post("/today/fall/reserve", data={"shown": "24"})
    pressed = client.post("/today/fall/reserve", data={"shown": form[1]})
    site.turn()

    assert stale.status_code == 409
    assert pressed.status_code == 303
    after = client.get(pressed.headers["location"]).text
    assert "lacks a promised review" not in after
    assert "Took 25 from what is kept for staff" in after
    found = site.product.cycles.promises("fall")
    assert found is not None
    assert (found.short, found.reserve) == (0, 200)
    client.post("/today/fall/reserve", data={"shown": form[1]})
    found = site.product.cycles.promises("fall")
    assert found is not None
    assert found.reserve == 200, "a second press takes nothing"


def test_the_api_reads_and_pays_promises(site: Site) -> None:
    late(site)
    api = program(site)

    seen = api.get(f"{V1}/cycles/fall/promises").json()
    paid = api.post(f"{V1}/cycles/fall/reserve", json={"reason": "late", "shown": 25})

    assert (seen["applicants"], seen["needed"], seen["free"], seen["short"]) == (
        ["LATE"],
        40,
        15,
        25,
    )
    assert paid.json()["short"] == 0


def test_the_preview_of_a_list_says_what_late_applicants_need(site: Site) -> None:
    site.launched("fall", rules=RULES, applicants=4, roster=4)
    client = site.signed_in(Role.OPERATIONS)

    kept = client.post("/setup/fall/applicants", files={"file": ("late.csv", "id\nLATE\n")})
    page = client.get(kept.headers["location"]).text

    assert "lacks promised reviews that cost 40 minutes" in page


def test_a_reviewer_with_another_role_pays_promises_without_being_told_to_whom(site: Site) -> None:
    late(site)
    client = site.signed_in(Role.OPERATIONS, email="r1@example.org")

    page = client.get("/today/fall/waiting").text
    form = re.search(r'action="/today/fall/reserve">.*?name="shown" value="(\d+)"', page)
    assert form is not None
    pressed = client.post("/today/fall/reserve", data={"shown": form[1]})

    assert "1 applicant lacks a promised review" in page
    assert "LATE" not in page
    assert pressed.status_code == 303
    found = site.product.cycles.promises("fall")
    assert found is not None
    assert found.short == 0
