"""Units of a round at the screens and the API: made, filled, given roles in, narrowed to."""

import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from swapflow.identity.api_keys import make_token
from swapflow.identity.permissions import SCOPES, Role, Scope
from tests.support.statement_count import statements_run
from tests.web.client import Browser
from tests.web.cohort.fixed_cohorts import chair, digest, ended, sign
from tests.web.site import ADDRESS, Site


UNITS = "/setup/rounds/round/units"


def in_unit(site: Site, role: Role, unit: str, *, name: str = "") -> TestClient:
    email = f"{name or f'{unit}-{role.value}'}@example.org"
    return site.signed_in(role, email=email, scope=Scope.UNIT, scope_id=unit)


def faculties(site: Site) -> None:
    """`fall` in Physics, which is within Science; `spring` in Arts; `free` in no unit."""

    def fill() -> None:
        site.launched("fall")
        for name in ("spring", "free"):
            site.launched(name, launch=False)
        units = site.office.units
        for name, above in (("Science", None), ("Arts", None), ("Physics", "science")):
            units.add(name, round_id="round", parent_id=above, by="test")
        for cycle, unit in (("fall", "physics"), ("spring", "arts")):
            units.place(units.move(site.product.cycles.get(cycle), unit), by="test")

    site.filled("three programs in units", fill)


def words(page: str) -> str:
    """Return the text of a page as it is read."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def key_of(site: Site, email: str, *scopes: str) -> TestClient:
    account = site.account(email)
    key, _ = make_token(
        account, name="k", scopes=scopes, days=1, ledger=site.office.context.ledger
    )
    client = Browser(site.app, base_url=ADDRESS, follow_redirects=False)
    client.headers["Authorization"] = f"Bearer {key}"
    return client


def test_an_office_goes_from_an_empty_installation_to_programs_in_units(site: Site) -> None:
    """The acts are counted: what a worker of the office sends, form by form."""
    office, acts = site.signed_in(Role.ADMINISTRATOR, email="worker@example.org"), 0

    def send(path: str, **fields: str) -> str:
        nonlocal acts
        acts += 1
        sent = office.post(path, data=fields)
        assert sent.status_code == 303, (path, words(sent.text))
        return sent.headers["location"]

    first = {"name": "MSc Physics", "new_round": "2027/2028", "template": "admissions"}
    send("/setup/programs", **first)
    (season,) = site.product.cycles.rounds()
    units = f"/setup/rounds/{season.id}/units"
    assert f'href="{units}"' in office.get("/setup").text
    send(units, name="Faculty of Science", parent="+")
    send(units, name="Physics", parent="faculty-of-science")
    send(units, name="Faculty of Arts", parent="+")
    shown = office.get("/setup/msc-physics/unit?to=physics")
    assert "No one's rights in the program change" in words(shown.text)
    send("/setup/msc-physics/unit", to="physics", shown="")
    arts = {"name": "MA Music", "unit": "faculty-of-arts", "template": "admissions"}
    send("/setup/programs", **arts)
    send(
        f"{units}/faculty-of-science/grants",
        email="dean@example.org",
        name="Dean",
        role="chair",
        where="unit:faculty-of-science",
    )
    send(
        f"{units}/physics/grants",
        email="physics@example.org",
        role="coordinator",
        where="unit:physics",
    )
    site.turn()

    page = words(office.get(units).text)
    assert acts == 8
    assert site.office.units.all().places == {
        "msc-physics": "physics",
        "ma-music": "faculty-of-arts",
    }
    assert "Dean: chair in all of Faculty of Science" in page
    assert {mail.to for mail in site.mails} == {"dean@example.org", "physics@example.org"}
    dean = site.signed_in(email="dean@example.org")
    assert [dean.get(f"/decide/{p}").status_code for p in ("msc-physics", "ma-music")] == [
        200,
        404,
    ]
    coordinator = site.signed_in(email="physics@example.org")
    assert [coordinator.get(f"/setup/{p}").status_code for p in ("msc-physics", "ma-music")] == [
        200,
        404,
    ]


def test_a_units_administrator_is_shown_their_unit_alone(site: Site) -> None:
    faculties(site)
    science = in_unit(site, Role.ADMINISTRATOR, "science")
    in_unit(site, Role.CHAIR, "arts", name="painter")
    in_unit(site, Role.CHAIR, "physics", name="physicist")

    page = words(science.get(UNITS).text)

    assert "Physics" in page
    assert "physicist@example.org: chair in all of Physics" in page
    for hidden in ("Arts", "painter", "spring", "free", "Programs without a unit"):
        assert hidden not in page
    # The role of the chair has permissions that they lack, so no button takes it away.
    assert page.count("Take away administrator") == 1
    assert "Take away chair" not in page


def test_a_units_administrator_gives_roles_up_to_their_own_and_nowhere_else(site: Site) -> None:
    faculties(site)
    science = in_unit(site, Role.ADMINISTRATOR, "science")
    good = {"email": "new@example.org", "role": "observer", "where": "unit:physics"}
    here = f"{UNITS}/science/grants"

    given = science.post(here, data=good)
    refused = {
        name: science.post(here, data={**good, **bad})
        for name, bad in {
            "above": {"role": "chair"},
            "beside": {"where": "unit:arts"},
            "program": {"where": "cycle:spring"},
            "round": {"where": "round:round"},
            "office": {"where": "office"},
            "none": {"role": ""},
            "address": {"email": "no address"},
        }.items()
    }
    elsewhere = science.post(f"{UNITS}/arts/grants", data={**good, "where": "unit:arts"})

    assert given.status_code == 303
    assert {name: answer.status_code for name, answer in refused.items()} == {
        "above": 403,
        "beside": 404,
        "program": 404,
        "round": 422,
        "office": 422,
        "none": 422,
        "address": 422,
    }
    assert elsewhere.status_code == 404
    assert "new@example.org" in refused["above"].text
    account = site.office.users.get("new@example.org")
    grants = site.office.users.grants(account.id)
    assert [(g.role, g.scope, g.scope_id) for g in grants] == [
        (Role.OBSERVER, Scope.UNIT, "physics")
    ]


def test_a_refused_role_makes_no_account(site: Site) -> None:
    faculties(site)
    science = in_unit(site, Role.ADMINISTRATOR, "science")

    science.post(
        f"{UNITS}/science/grants",
        data={"email": "ghost@example.org", "role": "chair", "where": "unit:science"},
    )

    assert "ghost@example.org" not in [u.account.email for u in site.office.users.list()]


def test_a_closed_account_is_not_given_a_role_by_a_unit(site: Site) -> None:
    faculties(site)
    science = in_unit(site, Role.ADMINISTRATOR, "science")
    gone = site.account("gone@example.org")
    site.office.users.deactivate(gone, by="test")

    refused = science.post(
        f"{UNITS}/science/grants",
        data={"email": gone.email, "role": "observer", "where": "unit:science"},
    )

    assert refused.status_code == 422
    assert "is closed" in refused.text
    assert site.office.users.grants(gone.id) == ()


def test_units_are_renamed_and_removed_and_a_stale_name_changes_nothing(site: Site) -> None:
    faculties(site)
    boss = site.signed_in(Role.ADMINISTRATOR)
    site.office.units.add("Law", round_id="round", parent_id=None, by="test")

    renamed = boss.post(f"{UNITS}/law/name", data={"name": "Faculty of Law", "shown": "Law"})
    stale = boss.post(f"{UNITS}/law/name", data={"name": "Laws", "shown": "Law"})
    full = boss.post(f"{UNITS}/science/remove")
    removed = boss.post(f"{UNITS}/law/remove")

    assert (renamed.status_code, stale.status_code) == (303, 409)
    assert "another name by now" in stale.text
    assert (full.status_code, removed.status_code) == (409, 303)
    assert set(site.office.units.all().units) == {"science", "physics", "arts"}


def test_what_a_move_means_is_said_before_and_nothing_moves_till_then(site: Site) -> None:
    faculties(site)
    boss = site.signed_in(Role.ADMINISTRATOR)
    in_unit(site, Role.CHAIR, "science", name="dean")
    in_unit(site, Role.OBSERVER, "arts", name="painter")

    shown = boss.get("/setup/fall/unit?to=arts")
    before = site.office.units.all().places["fall"]
    moved = boss.post("/setup/fall/unit", data={"to": "arts", "shown": "physics"})
    stale = boss.post("/setup/fall/unit", data={"to": "science", "shown": "physics"})

    told = words(shown.text)
    assert re.search(r"dean@example\.org – .*sign", told)
    assert re.search(r"painter@example\.org see .*–", told)
    assert "Move to Arts" in told
    assert before == "physics"
    assert (moved.status_code, stale.status_code) == (303, 409)
    assert "look again" in stale.text
    assert site.office.units.all().places["fall"] == "arts"


def test_a_units_administrator_moves_within_it_and_not_out_of_it(site: Site) -> None:
    faculties(site)
    science = in_unit(site, Role.ADMINISTRATOR, "science")

    out = science.post("/setup/fall/unit", data={"to": "arts", "shown": "physics"})
    free = science.post("/setup/fall/unit", data={"to": "-", "shown": "physics"})
    within = science.post("/setup/fall/unit", data={"to": "science", "shown": "physics"})
    page = words(science.get("/setup/fall/unit?to=arts").text)

    assert (out.status_code, free.status_code, within.status_code) == (403, 403, 303)
    assert "Move to Arts" not in page
    assert "manages people in the unit that it leaves" in page
    assert site.office.units.all().places["fall"] == "science"


def test_a_coordinator_of_a_unit_makes_programs_in_it_and_nowhere_else(site: Site) -> None:
    faculties(site)
    client = in_unit(site, Role.COORDINATOR, "physics")
    form = {"template": "hiring", "round": "round"}

    made = client.post("/setup/programs", data={**form, "name": "Lab", "unit": "physics"})
    none = client.post("/setup/programs", data={**form, "name": "Free", "unit": ""})
    beside = client.post("/setup/programs", data={**form, "name": "Art", "unit": "arts"})
    above = client.post("/setup/programs", data={**form, "name": "Sci", "unit": "science"})

    assert (made.status_code, none.status_code) == (303, 422)
    assert (beside.status_code, above.status_code) == (404, 404)
    assert client.get("/setup/lab").status_code == 200
    assert site.office.units.all().places["lab"] == "physics"
    assert {c.id for c in site.product.cycles.list()} == {"fall", "spring", "free", "lab"}


def test_a_chair_of_the_unit_signs_for_its_programs_and_a_neighbour_cannot(site: Site) -> None:
    path = ended(site)
    units = site.office.units
    for name in ("Science", "Arts"):
        units.add(name, round_id="round", parent_id=None, by="test")
    units.place(units.move(site.product.cycles.get("fall"), "science"), by="test")
    dean, painter = (in_unit(site, Role.CHAIR, unit) for unit in ("science", "arts"))

    prepared = dean.post(f"{path}/prepare")
    waiting = digest(dean)
    neighbour = painter.post(f"{path}/sign", data={"digest": waiting})
    told = site.office.to_do.mail_signers(site.product.pending, site=ADDRESS)
    signed = sign(dean)

    assert (prepared.status_code, neighbour.status_code, signed) == (303, 404, 303)
    assert told == 1
    assert site.product.cohort.signatures("fall", 1) == (("science-chair@example.org", "chair"),)


def test_after_a_move_those_of_the_new_unit_sign_what_waits(site: Site) -> None:
    path = ended(site)
    units = site.office.units
    for name in ("Science", "Arts"):
        units.add(name, round_id="round", parent_id=None, by="test")
    units.place(units.move(site.product.cycles.get("fall"), "science"), by="test")
    dean, painter = (in_unit(site, Role.CHAIR, unit) for unit in ("science", "arts"))
    dean.post(f"{path}/prepare")
    waiting = digest(dean)

    units.place(units.move(site.product.cycles.get("fall"), "arts"), by="test")

    assert dean.post(f"{path}/sign", data={"digest": waiting}).status_code == 404
    assert sign(painter) == 303


def test_to_do_search_and_picker_show_the_programs_of_ones_unit_alone(site: Site) -> None:
    faculties(site)
    pages = ("/today", "/applicants", "/find?q=Applicant", "/decide", "/activity")

    seen = {
        place: {
            program
            for page in pages
            for program in ("fall", "spring", "free")
            if f"MS {program}" in in_unit(site, Role.COMMITTEE, place).get(page).text
        }
        for place in ("science", "physics", "arts")
    }

    assert seen == {"science": {"fall"}, "physics": {"fall"}, "arts": {"spring"}}


def test_to_do_is_narrowed_to_a_unit_and_counts_everything_in_the_bar(site: Site) -> None:
    faculties(site)
    boss = site.signed_in(Role.ADMINISTRATOR)

    whole = boss.get("/today").text
    narrow = boss.get("/today?unit=science").text
    unknown = boss.get("/today?unit=nowhere").text
    one = in_unit(site, Role.COMMITTEE, "physics").get("/today").text

    assert {'href="/today?unit=science"', 'href="/today?unit=arts"'} <= set(
        re.findall(r'href="/today\?unit=\w+"', whole)
    )
    main = narrow[narrow.index("<main") :]
    assert ("MS fall" in main, "MS spring" in main, "MS free" in main) == (True, False, False)
    assert "MS spring" in unknown[unknown.index("<main") :]
    assert "?unit=" not in one
    assert re.findall(r'class="count">(\d+)', narrow) == re.findall(r'class="count">(\d+)', whole)


@pytest.mark.parametrize("path", ["/today/fall", "/applicants/fall", "/decide/fall", "/inbox"])
def test_reach_through_units_costs_no_further_statement(site: Site, path: str) -> None:
    faculties(site)
    by_program = site.signed_in(Role.CHAIR, email="program@example.org", cycle="fall")
    by_unit = in_unit(site, Role.CHAIR, "science", name="unit")
    counts = []

    for client in (by_program, by_unit):
        assert client.get(path).status_code == 200
        with statements_run(site.ledger) as run:
            assert client.get(path).status_code == 200
        counts.append(len(run))

    assert counts[0] == counts[1]


def test_the_api_makes_fills_and_shows_units(site: Site) -> None:
    site.launched("fall")
    site.signed_in(Role.ADMINISTRATOR, email="boss@example.org")
    api = key_of(site, "boss@example.org", *SCOPES)

    science = api.post("/api/v1/units", json={"name": "Science", "round": "round"})
    physics = api.post(
        "/api/v1/units", json={"name": "Physics", "round": "round", "parent": "science"}
    )
    look = api.get("/api/v1/cycles/fall/unit?to=physics")
    moved = api.put("/api/v1/cycles/fall/unit", json={"unit": "physics", "before": None})
    stale = api.put("/api/v1/cycles/fall/unit", json={"unit": None, "before": None})
    role = {"email": "dean@example.org", "role": "chair"}
    given = api.post("/api/v1/units/science/grants", json=role)
    listed = api.get("/api/v1/units").json()["items"]
    people = api.get("/api/v1/units/science/grants").json()["items"]
    taken = api.delete("/api/v1/units/science/grants", params=role)
    new = {"id": "lab", "round": "round", "unit": "physics", "name": "Lab"}
    made = api.post("/api/v1/cycles", json=new)
    renamed = api.patch("/api/v1/units/science", json={"name": "Sciences", "before": "Science"})
    full = api.delete("/api/v1/units/science")

    assert (science.status_code, physics.status_code) == (201, 201)
    assert (look.json()["unit"], moved.json()["unit"]) == (None, "physics")
    assert (stale.status_code, given.status_code, taken.status_code) == (409, 200, 204)
    assert listed == [
        {
            "id": "physics",
            "round": "round",
            "parent": "science",
            "name": "Physics",
            "programs": ["fall"],
        },
        {
            "id": "science",
            "round": "round",
            "parent": None,
            "name": "Science",
            "programs": [],
        },
    ]
    assert people == [
        {
            "email": "dean@example.org",
            "name": "",
            "role": "chair",
            "scope": "unit",
            "scope_id": "science",
        }
    ]
    assert made.status_code == 201, made.text
    assert site.office.units.all().places == {"fall": "physics", "lab": "physics"}
    assert (renamed.json()["name"], full.status_code) == ("Sciences", 409)


def test_a_key_of_a_units_administrator_keeps_to_the_unit_and_to_its_scopes(site: Site) -> None:
    faculties(site)
    in_unit(site, Role.ADMINISTRATOR, "science", name="head")
    whole = key_of(site, "head@example.org", *SCOPES)
    reads = key_of(site, "head@example.org", "read")
    observer = {"email": "new@example.org", "role": "observer"}

    assert [c["id"] for c in reads.get("/api/v1/cycles").json()["items"]] == ["fall"]
    assert [u["id"] for u in reads.get("/api/v1/units").json()["items"]] == ["physics", "science"]
    assert reads.post("/api/v1/units/science/grants", json=observer).status_code == 403
    assert whole.post("/api/v1/units/arts/grants", json=observer).status_code == 404
    beside = {**observer, "scope_id": "arts"}
    assert whole.post("/api/v1/units/science/grants", json=beside).status_code == 404
    above = {**observer, "role": "chair"}
    assert whole.post("/api/v1/units/science/grants", json=above).status_code == 403
    assert whole.post("/api/v1/units/physics/grants", json=observer).status_code == 200
    program = {"id": "x", "round": "round", "unit": "arts"}
    assert whole.post("/api/v1/cycles", json=program).status_code == 403
    assert whole.post("/api/v1/cycles", json={**program, "unit": "physics"}).status_code == 201


def test_the_office_gives_any_role_in_a_unit_on_its_page_of_people(site: Site) -> None:
    faculties(site)
    boss = site.signed_in(Role.ADMINISTRATOR)
    account = site.account("eve@example.org")
    role = {"role": "chair", "where": "unit:physics"}

    given = boss.post(f"/setup/users/{account.id}/grants", data=role)
    page = words(boss.get("/setup/users").text)
    unknown = boss.post(f"/setup/users/{account.id}/grants", data={**role, "where": "unit:x"})

    assert (given.status_code, unknown.status_code) == (303, 422)
    assert "chair in unit Science, Physics" in page
    assert site.signed_in(email="eve@example.org").get("/decide/fall").status_code == 200
    assert chair(site).get("/decide/fall").status_code == 200
