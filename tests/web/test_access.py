"""Nobody gets further than the table of who may what says, with whomever's ids they try."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
from fastapi.dependencies.models import Dependant
from httpx2 import Response
from starlette.testclient import TestClient

from swapflow.domain.rules import SignInPolicy
from swapflow.identity.account import Method
from swapflow.identity.permissions import RIGHTS, Right, Role, Scope
from swapflow.web.seat_doors import DOORS, Door
from tests.web.roles import (
    ANYBODY,
    API,
    COVERING,
    OWN,
    PAGES,
    SIGNED_IN,
    InOffice,
    InRound,
    InUnit,
    OfRound,
    Somewhere,
)
from tests.web.routes import ENDLESS, routes_of
from tests.web.site import SITE_RULES, Site


CARD = "GET /applicants/{cycle_id}/{number}"
"""It says itself that an applicant is closed, and how to open them."""

LEAVES = {"POST /sign-out"}

LEAST_NUMBERED = 25
"""Addresses that carry more than the program's name."""

SAFE_ASKS = re.compile(
    r"may_\w+|anybody|signed_in|signed|reviewer|own_task|own_task_within|own_seat"
)


def asked(dependant: Dependant) -> set[str]:
    """Name everything that a route depends on, however deep."""
    found: set[str] = set()
    for part in dependant.dependencies:
        found |= {getattr(part.call, "__name__", "")} | asked(part)
    return found


def pages(site: Site) -> set[str]:
    return {
        f"{method} {route.path}"
        for route in routes_of(site.app.routes)
        for method in route.methods - {"HEAD"}
        if not route.path.startswith("/api/")
    }


@pytest.mark.parametrize("number", [10**20, 2**63, 2**31], ids=str)
def test_a_number_that_no_table_holds_is_not_found_on_any_page_and_in_the_api(
    site: Site, number: int
) -> None:
    site.launched()
    client = site.signed_in(Role.ADMINISTRATOR)
    addresses = [
        route.path.replace("{cycle_id}", "fall")
        for route in routes_of(site.app.routes)
        if "GET" in route.methods and re.search(r"\{(?!cycle_id)", route.path)
    ]
    addresses = [re.sub(r"\{[^}]*\}", str(number), address) for address in addresses]

    statuses = {address: client.get(address).status_code for address in addresses}

    assert {a: s for a, s in statuses.items() if s not in {400, 404, 422}} == {}
    assert len(addresses) > LEAST_NUMBERED


def test_every_route_says_who_may_ask(site: Site) -> None:
    silent = [
        route.path
        for route in routes_of(site.app.routes)
        if not any(SAFE_ASKS.fullmatch(name) for name in asked(route.dependant))
    ]

    assert silent == []


def test_the_table_names_every_page_and_no_other(site: Site) -> None:
    assert pages(site) == set(PAGES)


@dataclass(frozen=True, slots=True)
class Walker:
    """A person who tries every page with the ids of the cycle `fall` and of R1's task.

    `fall` belongs to the unit `physics`, which is within `science`; `arts` is beside it.
    """

    name: str
    client: TestClient
    here: frozenset[Right] = frozenset()
    anywhere: frozenset[Right] = frozenset()
    in_office: frozenset[Right] = frozenset()
    of_round: frozenset[Right] = frozenset()
    in_round: frozenset[Right] = frozenset()
    in_unit: frozenset[Right] = frozenset()
    seat: bool = False
    owns_task: bool = False

    def may(self, page: str) -> bool:
        # A reviewer with another role is a reviewer first; `test_seats` looks at what is shown.
        return self.has_right(page) and not (self.seat and self.is_closed(page))

    def is_closed(self, page: str) -> bool:
        """Whether a page is closed to reviewers of `fall` who have handed nothing in yet."""
        needed = (PAGES | API)[page]
        if not isinstance(needed, Right | InOffice) or "{cycle_id}" not in page:
            return False
        door = DOORS.get(page.replace("/api/v1", ""), Door.CLOSED)
        return page == CARD or door not in {Door.FREE, Door.LISTED}

    def has_right(self, page: str) -> bool:
        needed = (PAGES | API)[page]
        if needed == ANYBODY:
            return True
        if needed == SIGNED_IN:
            return self.name != "nobody"
        if needed == OWN:
            return self.owns_task if "{task}" in page else self.seat
        if isinstance(needed, Somewhere | InUnit | InRound | OfRound | InOffice):
            held = {
                Somewhere: self.anywhere,
                InUnit: self.in_unit,
                InRound: self.in_round,
                OfRound: self.of_round,
                InOffice: self.in_office,
            }
            return needed.right in held[type(needed)]
        return needed in (self.here if "{cycle_id}" in page else self.in_office)

    def tries(self, page: str, ids: dict[str, str]) -> Response:
        method, path = page.split(" ")
        address = re.sub(r"{(\w+)(?::\w+)?}", lambda m: ids[m[1]], path)
        return self.client.request(method, address)


def walkers(site: Site) -> Iterator[Walker]:
    for role in Role:
        held, name = RIGHTS[role], role.value
        client = site.signed_in(role, email=f"o-{name}@example.org")
        yield of_the_office(f"{name} of all", client, held)
        if role in COVERING:
            client = site.signed_in(role, email=f"c-{name}@example.org", cycle="fall")
            yield Walker(f"{name} of the program", client, here=held, anywhere=held)
    held = RIGHTS[Role.ADMINISTRATOR]
    for scope, there, here in (
        (Scope.ROUND, "round", held),
        (Scope.ROUND, "elsewhere", frozenset[Right]()),
        (Scope.CYCLE, "other", frozenset[Right]()),
    ):
        client = site.signed_in(
            Role.ADMINISTRATOR, email=f"{there}@example.org", scope=scope, scope_id=there
        )
        yield Walker(
            f"administrator of {there}",
            client,
            here=here,
            anywhere=held,
            of_round=here,
            in_round=here,
            in_unit=here,
        )
    client = site.signed_in(email="r1@example.org", method=Method.LINK)
    yield Walker("the task's reviewer", client, seat=True, owns_task=True)
    client = site.signed_in(email="r2@example.org", method=Method.LINK)
    yield Walker("another reviewer", client, seat=True)
    # One after the other: a role that is left over would be held beside the next one.
    for role in COVERING:
        held, name = RIGHTS[role], role.value
        client = site.signed_in(role, email="r3@example.org")
        yield of_the_office(f"{name} who reviews", client, held, seat=True)
        account = site.office.users.get("r3@example.org")
        site.office.users.revoke(account, role, Scope.OFFICE, "", by="test")
    yield Walker("somebody without a role", site.signed_in(email="new@example.org"))
    yield Walker("nobody", site.anonymous())


def of_the_office(
    name: str, client: TestClient, held: frozenset[Right], *, seat: bool = False
) -> Walker:
    return Walker(
        name,
        client,
        here=held,
        anywhere=held,
        in_office=held,
        of_round=held,
        in_round=held,
        in_unit=held,
        seat=seat,
    )


def in_units(site: Site) -> Iterator[Walker]:
    """Every right in the program's own unit and in the one beside, two roles in the one above."""
    for role in COVERING:
        held, name = RIGHTS[role], role.value
        above = ("science",) if role in {Role.ADMINISTRATOR, Role.CHAIR} else ()
        for place in ("physics", "arts", *above):
            client = site.signed_in(
                role, email=f"{place}-{name}@example.org", scope=Scope.UNIT, scope_id=place
            )
            here = frozenset[Right]() if place == "arts" else held
            # The page of the round's units shows them their own.
            yield Walker(
                f"{name} of {place}",
                client,
                here=here,
                anywhere=held,
                in_round=held,
                in_unit=here,
            )


def faculties(site: Site) -> None:
    """Launch `fall` in a unit within a unit, and `other` in another round; a unit is beside."""

    def fill() -> None:
        site.launched("fall")
        site.launched("other", round_id="elsewhere")
        units = site.office.units
        for name, above in (("Science", None), ("Arts", None), ("Physics", "science")):
            units.add(name, round_id="round", parent_id=above, by="test")
        units.place(units.move(site.product.cycles.get("fall"), "physics"), by="test")

    site.filled("faculties", fill)


def was_let_in(response: Response) -> bool:
    """Whether access was given, whatever the page then made of an empty form."""
    if response.status_code in {401, 403}:
        return False
    leads = response.headers.get("location", "")
    if response.status_code == 303 and leads.startswith("/sign-in?"):
        return False
    refusals = ("that you may see", "this review is not among yours", "no reviewer role there")
    return not (response.status_code == 404 and any(r in response.text.lower() for r in refusals))


def wrong_pages(site: Site, people: Iterator[Walker]) -> list[tuple[str, str, int]]:
    task = site.product.tasks.inbox("fall", "R1")[0]
    # Ids of things that are there, where a page names one; forms are sent empty.
    ids = dict.fromkeys(re.findall(r"{(\w+)", " ".join(PAGES)), "0")
    ids |= {"cycle_id": "fall", "kind": "review", "what": "pause", "name": "cohort.csv"}
    ids |= {"task": site.product.tasks.code(task.id), "reviewer_number": str(task.reviewer)}
    ids |= {"round_id": "round", "unit_id": "physics"}
    wrong: list[tuple[str, str, int]] = []

    for walker in people:
        for page in PAGES:
            allowed = walker.may(page)
            if page in LEAVES or page.startswith("POST /sign-in") or (page in ENDLESS and allowed):
                continue
            response = walker.tries(page, ids)
            assert response.status_code < 500, (walker.name, page, response.text[:300])
            if was_let_in(response) != allowed:
                wrong.append((walker.name, page, response.status_code))
    return wrong


def test_nobody_gets_further_than_the_table_says_with_whomevers_ids(site: Site) -> None:
    faculties(site)

    assert wrong_pages(site, walkers(site)) == []


def test_a_role_in_a_unit_opens_the_pages_of_its_programs_and_none_of_its_neighbours(
    site: Site,
) -> None:
    faculties(site)

    assert wrong_pages(site, in_units(site)) == []


def test_the_table_names_everything_at_the_api_and_nothing_else(site: Site) -> None:
    routes = {
        f"{method} {route.path_format}"
        for route in routes_of(site.app.routes)
        for method in route.methods - {"HEAD"}
        if route.path.startswith("/api/")
    }
    assert routes == set(API)


def wrong_calls(site: Site, people: Iterator[Walker]) -> list[tuple[str, str, int, str]]:
    task = site.product.tasks.inbox("fall", "R1")[0]
    # Requests are sent empty, and about an applicant whom the task does not concern.
    ids = dict.fromkeys(re.findall(r"{(\w+)", " ".join(API)), "0")
    ids |= {"cycle_id": "fall", "task": site.product.tasks.code(task.id), "score": task.id}
    ids |= {"pull": task.pull_id, "version": "1", "number": "999"}
    ids |= {"round_id": "round", "unit_id": "physics"}
    wrong: list[tuple[str, str, int, str]] = []

    for walker in people:
        for asked_for in API:
            response = walker.tries(asked_for, ids)
            assert response.status_code < 500, (walker.name, asked_for, response.text[:300])
            if was_let_in(response) != walker.may(asked_for):
                wrong.append((walker.name, asked_for, response.status_code, response.text[:120]))
    return wrong


def test_nobody_gets_further_at_the_api_either(site: Site) -> None:
    faculties(site)

    assert wrong_calls(site, walkers(site)) == []


def test_a_role_in_a_unit_opens_the_api_of_its_programs_and_of_no_neighbour(site: Site) -> None:
    faculties(site)

    assert wrong_calls(site, in_units(site)) == []


@pytest.mark.parametrize("role", [Role.ADMINISTRATOR, Role.COORDINATOR])
def test_a_role_in_one_program_makes_no_program_in_another_round(site: Site, role: Role) -> None:
    site.launched("fall")
    client = site.signed_in(role, cycle="fall")

    refused = client.post(
        "/setup/programs",
        data={"cycle": "mine", "name": "Mine", "round": "round", "template": "admissions"},
    )

    assert refused.status_code in {403, 404, 422}
    assert [cycle.id for cycle in site.product.cycles.list()] == ["fall"]


def test_a_program_that_may_not_be_seen_looks_like_one_that_is_not_there(site: Site) -> None:
    site.launched("fall")
    client = site.signed_in(Role.CHAIR, cycle="fall")
    site.launched("other", round_id="elsewhere")

    there, nowhere = client.get("/today/other"), client.get("/today/nowhere")

    assert there.status_code == nowhere.status_code == 404
    assert there.text.replace("other", "nowhere") == nowhere.text


def test_a_role_that_is_taken_away_is_gone_with_the_next_click(site: Site) -> None:
    site.launched("fall")
    client = site.signed_in(Role.CHAIR, cycle="fall")
    assert client.get("/today/fall").status_code == 200

    chair = site.office.users.get("chair@example.org")
    site.office.users.revoke(chair, Role.CHAIR, Scope.CYCLE, "fall", by="ops")

    assert client.get("/today/fall").status_code == 404


def test_a_program_that_wants_the_identity_provider_names_the_cure(site: Site) -> None:
    site.launched("fall", rules=replace(SITE_RULES, sign_in=SignInPolicy.PROVIDER))
    by_password = site.signed_in(Role.CHAIR, cycle="fall")
    through = site.signed_in(Role.CHAIR, cycle="fall", method=Method.PROVIDER)
    by_link, task = site.assigned("fall")

    refused = by_password.get("/today/fall")

    review = by_link.get(f"/tasks/{site.product.tasks.code(task.id)}")
    assert refused.status_code == review.status_code == 403
    assert "through their organisation" in refused.text
    assert through.get("/today/fall").status_code == 200


def test_a_session_older_than_a_program_allows_signs_in_again(site: Site) -> None:
    site.launched("fall", rules=replace(SITE_RULES, session_days=0.5))
    site.launched("other", round_id="elsewhere")
    client = site.signed_in(Role.ADMINISTRATOR, email="boss@example.org")
    site.later(11 * 3600)
    assert client.get("/today/fall").status_code == 200

    site.later(13 * 3600)

    again = client.get("/today/fall")
    assert (again.status_code, again.headers["location"]) == (303, "/sign-in?next=/today/fall")
