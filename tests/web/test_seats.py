"""A reviewer who holds another role is a reviewer first, on every route and with every role.

The routes come from the application's table, so that a new one is walked without being named here.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from swapflow.domain.event import EventType
from swapflow.domain.reviewing.score import Answer
from swapflow.identity.permissions import RIGHTS, Right, Role
from swapflow.web.seat_doors import DOORS
from tests.engine.cycle_by_hand import applicant
from tests.web.answers import spelled
from tests.web.crawl import walk
from tests.web.roles import COVERING
from tests.web.routes import addresses, routes_of
from tests.web.site import SITE_RULES, Site


ME = "r1@example.org"
OWN = re.compile(r"(\w+ (/api/v1)?|http://testserver)/(tasks|inbox)")
"""One's own reviews, which show what they show to every reviewer; `test_blind` walks them."""

MOST = 6
"""Applicants of the program, each with a name, an address, an id and a text of their own."""


def fill(site: Site, *, blind: bool) -> None:
    """Launch a program in which every reviewer has handed in some reviews, with remarks."""
    site.launched("fall", applicants=0, launch=False, rules=replace(SITE_RULES, blind=blind))
    site.product.applicants.import_all(
        "fall",
        [
            applicant(
                f"QF2027-{number}x",
                name=f"Quillhilda{number}x Featherstonehaugh",
                email=f"quillhilda{number}x@uni.example",
                fields={"statement": f"statement of {number}x"},
            )
            for number in range(MOST)
        ],
    )
    site.product.applicants.choose_columns("fall", {"statement": True}, by="ops")
    site.product.cycles.launch("fall", by="ops")
    site.turn()
    for known in site.product.reviewers.list("fall"):
        for task in site.product.tasks.inbox("fall", known.external_id)[:2]:
            marks: dict[str, float | None] = {"Preparation": 3.0, "Promise": 2.0}
            remark = f"{known.external_id} remarks on {task.application}x"
            site.product.tasks.submit([Answer(assignment_id=task.id, marks=marks, remark=remark)])
    site.turn()


def seen_by_me(site: Site) -> set[int]:
    """Applicants whose review R1 has handed in, and of whom nothing waits for them."""
    mine = site.ledger.assignments("fall", reviewer=0)
    return {a.application for a in mine if a.status.value == "scored"} - {
        a.application for a in mine if a.status.is_open
    }


def traces(number: int) -> tuple[str, ...]:
    """What tells who an applicant is."""
    return (f"Quillhilda{number}x", f"quillhilda{number}x@uni.example", f"QF2027-{number}x")


def judgements(number: int) -> tuple[str, ...]:
    """What others than R1 said of an applicant, and the applicant's own text."""
    return (*(f"R{n} remarks on {number}x" for n in range(2, 5)), f"statement of {number}x")


def everything_told(
    site: Site, client: TestClient, *, methods: set[str]
) -> Iterator[tuple[str, str]]:
    """Ask every route, and follow every link; give where something was told, and what."""
    task = site.product.tasks.inbox("fall", "R2")[0]
    code = site.product.tasks.code(task.id)
    ids = {"score": task.id, "pull": task.pull_id, "what": "pause", "reviewer_number": "1"}
    for method, named, path in addresses(site, methods, tasks=[code], numbers=range(MOST), **ids):
        answer: Response = client.request(method, path)
        assert answer.status_code < 500, (named, path, answer.text[:300])
        yield f"{named} {path}", spelled(answer.content) + str(answer.headers)
    for search in ("Quillhilda", "QF2027", "uni.example"):
        found = client.get("/applicants/fall", params={"q": search})
        yield f"search {search}", found.text.replace(f'value="{search}"', "")
    starts = [f"/{place}/fall" for place in ("today", "applicants", "reviewers", "decide")]
    for response, _ in walk(client, "/", *starts):
        yield str(response.url), response.text


def told_too_much(
    site: Site, client: TestClient, *, blind: bool, methods: set[str]
) -> set[tuple[str, str]]:
    seen = seen_by_me(site)
    assert 0 < len(seen) < MOST
    hidden = [
        trace
        for number in range(MOST)
        for trace in (
            *(() if number in seen and not blind else traces(number)),
            *(() if number in seen else judgements(number)),
        )
    ]
    return {
        (where, trace)
        for where, text in everything_told(site, client, methods=methods)
        for trace in hidden
        if trace in text and not OWN.match(where)
    }


@pytest.mark.parametrize(
    ("role", "blind"),
    [
        *((role, True) for role in COVERING),
        *((role, False) for role in (Role.ADMINISTRATOR, Role.CHAIR)),
    ],
)
def test_a_reviewer_with_another_role_is_told_of_those_alone_whom_they_have_reviewed(
    site: Site, role: Role, blind: bool
) -> None:
    fill(site, blind=blind)
    client = site.signed_in(role, email=ME)

    told = told_too_much(site, client, blind=blind, methods={"GET", "POST", "PUT"})

    assert told == set()
    assert site.product.cycles.get("fall").status.value == "running"


@pytest.mark.parametrize("role", [Role.ADMINISTRATOR, Role.CHAIR, Role.COMMITTEE])
def test_the_same_walk_finds_names_and_remarks_for_a_role_without_a_seat(
    site: Site, role: Role
) -> None:
    fill(site, blind=True)
    client = site.signed_in(role, email="elsewhere@example.org")

    told = {trace for _, trace in told_too_much(site, client, blind=True, methods={"GET"})}

    assert {trace for trace in told if "Quillhilda" in trace}
    assert {trace for trace in told if "remarks" in trace}


@pytest.mark.parametrize("role", [Role.ADMINISTRATOR, Role.CHAIR, Role.COMMITTEE])
def test_once_asking_has_ended_a_reviewer_with_a_role_sees_what_the_role_shows(
    site: Site, role: Role
) -> None:
    fill(site, blind=True)
    client = site.signed_in(role, email=ME)
    closed = min(set(range(MOST)) - seen_by_me(site))
    assert client.get(f"/applicants/fall/{closed}").status_code == 403

    site.product.cycles.stop("fall", by="ops", reason="enough")

    page = client.get(f"/applicants/fall/{closed}")
    assert page.status_code == 200
    assert f"Quillhilda{closed}x" in page.text
    assert client.get("/decide/fall").status_code == 200


def test_what_was_handed_in_is_seen_under_the_number_with_what_others_said(site: Site) -> None:
    fill(site, blind=True)
    client = site.signed_in(Role.OPERATIONS, email=ME)
    number = min(seen_by_me(site))
    shown = site.product.applicants.reviewer_view("fall").name_of(
        site.product.applicants.get("fall", number)
    )

    page = client.get(f"/applicants/fall/{number}")
    table = client.get("/applicants/fall")

    assert page.status_code == 200
    assert shown in page.text
    assert shown in table.text
    assert f"R1 remarks on {number}x" in page.text
    assert client.get(f"/applicants/fall/{number}/card/html").status_code == 403
    assert client.get(f"/applicants/fall/files/{number}/0").status_code == 403


def test_pages_say_why_there_are_fewer_and_offer_no_tab_that_is_closed(site: Site) -> None:
    fill(site, blind=True)
    client = site.signed_in(Role.OPERATIONS, email=ME)
    other = site.signed_in(Role.OPERATIONS, email="elsewhere@example.org")

    for page in ("/today/fall", "/applicants/fall", "/reviewers/fall/1"):
        assert "You review in this program" in client.get(page).text
        assert "You review in this program" not in other.get(page).text
    for tab in ("/today/fall/decisions", "/today/fall/audit"):
        assert tab not in client.get("/today/fall").text
        assert tab in other.get("/today/fall").text
        assert client.get(tab).status_code == 403


def test_a_conflict_opens_an_applicant_under_the_number(site: Site) -> None:
    fill(site, blind=True)
    client = site.signed_in(Role.COMMITTEE, email=ME)
    closed = min(set(range(MOST)) - seen_by_me(site))
    name = site.product.applicants.get("fall", closed).external_id

    site.product.reviewers.add_conflicts("fall", [(name, "R1")], source="test")

    page = client.get(f"/applicants/fall/{closed}")
    assert page.status_code == 200
    assert not any(trace in page.text for trace in traces(closed))


def test_opening_takes_a_reason_shows_the_name_and_bars_the_reviewer(site: Site) -> None:
    fill(site, blind=True)
    client = site.signed_in(Role.CHAIR, email=ME)
    asked = {t.application for t in site.product.tasks.inbox("fall", "R1")}
    closed = min(asked - seen_by_me(site))
    address = f"/applicants/fall/{closed}"

    form = client.get(address)
    without = client.post(f"{address}/open", data={"reason": " "})
    done = client.post(f"{address}/open", data={"reason": "an appeal came in by mail"})
    again = client.post(f"{address}/open", data={"reason": "an appeal came in by mail"})
    page = client.get(address)

    assert form.status_code == 403
    assert f'action="{address}/open"' in form.text
    assert without.status_code == 422
    assert done.status_code == again.status_code == 303
    assert page.status_code == 200
    assert f"Quillhilda{closed}x" in page.text
    assert closed not in {t.application for t in site.product.tasks.inbox("fall", "R1")}
    opened = [
        e for e in site.product.reports.events("fall") if e.type is EventType.APPLICANT_OPENED
    ]
    assert [dict(e.payload) for e in opened] == [{"a": closed, "r": 0}]
    site.turn()
    verified = site.product.reports.verify("fall", live=False)
    assert verified.passed, verified


def test_who_has_no_seat_opens_nobody(site: Site) -> None:
    fill(site, blind=True)
    client = site.signed_in(Role.CHAIR, email="chair@example.org")

    refused = client.post("/applicants/fall/1/open", data={"reason": "curious"})

    assert refused.status_code == 422
    events = site.product.reports.events("fall")
    assert not any(e.type is EventType.APPLICANT_OPENED for e in events)


def test_every_door_is_of_a_route_that_is_there(site: Site) -> None:
    there = {
        f"{method} {route.path_format.removeprefix('/api/v1')}"
        for route in routes_of(site.app.routes)
        for method in route.methods
    }

    assert set(DOORS) <= there, sorted(set(DOORS) - there)


def test_a_reviewer_without_a_role_reads_no_more_than_before(site: Site) -> None:
    fill(site, blind=False)
    client = site.signed_in(email=ME)

    assert client.get("/applicants/fall").status_code == 404
    assert Right.SEE_APPLICANTS not in RIGHTS[Role.OBSERVER]
