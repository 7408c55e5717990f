"""The drawn check of those clearly out on the pages: the zone, the checks, the reason, the API."""

import re
from dataclasses import replace

from starlette.testclient import TestClient

from swapflow.domain.cohort.proposal import Standing
from swapflow.domain.drawn_check import DrawnCheck
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import SeatLine
from swapflow.identity.permissions import Role
from tests.web.cohort.fixed_cohorts import chair, digest
from tests.web.site import SITE_RULES, Site


PATH = "/decide/fall"
DRAWN = replace(
    SITE_RULES,
    budget=90,
    settled=0.5,
    lines=(SeatLine(name="all", places=2),),
    drawn_check=DrawnCheck(),
    seed=7,
)


def met(site: Site, *, whole: bool = True) -> TestClient:
    """A list that is to be decided, its meeting open; not whole, the drawn ones are unread."""
    site.filled(f"drawn {whole}", lambda: _end(site, whole=whole))
    client = chair(site)
    assert client.post(f"{PATH}/meeting/open").status_code == 303
    return client


def _end(site: Site, *, whole: bool) -> None:
    site.launched("fall", rules=DRAWN, applicants=20, roster=6)
    names = {a.number: a.external_id for a in site.product.applicants.list("fall")}
    for _ in range(20):
        if site.product.cycles.get("fall").status.value != "running":
            return
        drawn = any(e.type == "out_drawn" for e in site.product.reports.events("fall"))
        if drawn and not whole:
            site.product.cycles.stop("fall", by="ops", reason="no time")
            return
        for known in site.product.reviewers.list("fall"):
            for task in site.product.tasks.inbox("fall", known.external_id):
                high = int(names[task.application][1:]) > 16
                marks: dict[str, float | None] = {
                    "Preparation": 4.0 if high else 1.0,
                    "Promise": 3.0 if high else 1.0,
                }
                site.product.tasks.submit(
                    [Answer(assignment_id=task.id, marks=marks, remark="a remark")]
                )
        site.turn()
    raise AssertionError("asking does not end")


def test_the_zone_page_and_the_checks_say_that_those_drawn_stayed_out(site: Site) -> None:
    client = met(site)
    drawn = next(e for e in site.product.reports.events("fall") if e.type == "out_drawn")

    page, board = client.get(f"{PATH}/zones/out").text, client.get(PATH).text

    assert "Of 5 drawn, 5 stayed out." in page
    assert page.count('<span class="badge">drawn</span>') == len(drawn.payload["drawn"])  # type: ignore[arg-type]  # numbers
    assert "Drawn check of those out: of 5 drawn, 5 stayed out." in board
    assert "✓ read" in board
    assert client.get(f"{PATH}/zones/in").text.count("stayed out") == 0


def test_a_draw_that_was_not_read_needs_a_reason_at_signing(site: Site) -> None:
    client = met(site, whole=False)
    page = client.get(f"{PATH}/zones/out").text
    for place in site.product.meetings.agenda("fall").missing:
        outcome = "in" if place.standing is Standing.COHORT else "waitlist"
        client.post(
            f"{PATH}/meeting/{place.application}", data={"outcome": outcome, "reason": "so"}
        )
    site.product.meetings.close("fall", by="chair")

    without = client.post(f"{PATH}/prepare")
    given = client.post(f"{PATH}/prepare", data={"waiver": "no time is left"})

    assert "Not read by a reviewer new to them" in page
    assert without.status_code == 422
    assert "Say why it is accepted that those drawn" in without.text
    assert given.status_code == 303, given.text
    signed = client.post(f"{PATH}/sign", data={"digest": digest(client)})
    assert signed.status_code == 303, re.findall(r"role=\"alert\">([^<]*)", signed.text)


def test_programs_read_the_draw_with_the_meeting(site: Site) -> None:
    met(site)
    key = site.signed_in(Role.CHAIR, email="reader@example.org")

    zones = key.get("/api/v1/cycles/fall/meeting").json()["clear_zones"]
    checks = key.get("/api/v1/cycles/fall/proposal").json()["checks"]

    [out] = [zone["drawn_check"] for zone in zones if zone["zone"] == "out"]
    assert out["made"]
    assert (len(out["drawn"]), out["stayed_out"], out["unread"]) == (5, 5, [])
    assert out["sentence"] == "of 5 drawn, 5 stayed out"
    [drawn] = [check for check in checks if check["name"] == "drawn_check"]
    assert drawn["met"]
