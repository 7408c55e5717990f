"""The bar of every page: programs to choose, the search, the count of To do, the person's menu."""

import re

import pytest
from starlette.testclient import TestClient

from swapflow.identity.permissions import Grant, Right, Role, Scope, rights_in
from swapflow.web.http.bar.top_bar import COUNT_COOKIE, initials
from tests.engine.cycle_by_hand import applicant
from tests.support.statement_count import statements_run
from tests.web.site import Site


PICKER = re.compile(r'<details class="menu switcher">(.*?)</details>', re.DOTALL)
COUNT = re.compile(r'<span class="count">(\d+)</span>')


def _offered(page: str) -> list[str]:
    found = PICKER.search(page)
    return re.findall(r'href="/\w+/([^"]+)"', found[1]) if found else []


@pytest.mark.parametrize("role", list(Role))
def test_picker_and_search_show_only_what_a_role_may_read(site: Site, role: Role) -> None:
    site.launched("fall")
    site.launched("other", round_id="elsewhere", applicants=15)
    rights = rights_in(
        [Grant(account="a", role=role, scope=Scope.CYCLE, scope_id="fall")],
        cycle_id="fall",
        round_id="round",
    )
    client = site.signed_in(role, cycle="fall")

    page = client.get("/me").text
    searched, elsewhere = client.get("/find?q=A00"), client.get("/find?q=A015")

    assert _offered(page) == (["fall"] if Right.SEE_PROGRESS in rights else [])
    assert ('id="find"' in page) == (Right.SEE_APPLICANTS in rights)
    assert "MS other" not in page + searched.text + elsewhere.text
    assert searched.status_code == (200 if Right.SEE_APPLICANTS in rights else 403)
    assert "/applicants/other" not in searched.text + elsewhere.text
    if Right.SEE_APPLICANTS in rights:
        assert "/applicants/fall/0" in searched.text
        assert "matches “A015”" in elsewhere.text


def test_every_program_in_the_picker_opens_in_the_place_one_is_in(site: Site) -> None:
    site.launched("fall")
    site.launched("draft", launch=False)
    client = site.signed_in(Role.ADMINISTRATOR)

    for path in (
        "/today/fall",
        "/applicants/fall",
        "/reviewers/draft",
        "/decide/fall",
        "/setup/fall",
    ):
        page = client.get(path).text
        found = PICKER.search(page)
        assert found is not None
        links = re.findall(r'href="(/[^"]+)"', found[1])
        place = path.split("/")[1]
        assert links == ["/today", f"/{place}/draft", f"/{place}/fall"]
        assert [client.get(link).status_code for link in links] == [200, 200, 200]
        assert f'<span class="chosen">MS {path.split("/")[2]}</span>' in page


def test_search_ignores_accents_and_goes_to_the_program_one_is_in(site: Site) -> None:
    site.launched("fall", applicants=3, launch=False)
    site.product.applicants.import_all("fall", [applicant("Z9", name="Zoë Novotná")])
    site.launched("spring")
    client = site.signed_in(Role.OPERATIONS)

    inside, over_all = client.get("/today/fall").text, client.get("/today").text

    assert 'action="/applicants/fall"' in inside
    assert 'action="/find"' in over_all
    assert "Zoë Novotná" in client.get("/applicants/fall?q=zoe novotna").text
    found = client.get("/find?q=zoe novotna").text
    assert "Zoë Novotná" in found
    assert "MS fall" in found
    assert '<h2 dir="auto">MS spring' not in found


def test_a_reviewers_bar_has_no_picker_no_search_and_asks_nothing(site: Site) -> None:
    site.launched("fall")
    reviewer, task = site.assigned()

    page = reviewer.get(f"/tasks/{task.id}").text

    assert _offered(page) == []
    assert 'id="find"' not in page
    assert 'class="menu me"' in page


def test_the_bar_costs_staff_one_statement(site: Site) -> None:
    site.launched("fall")
    staff, nobody = site.signed_in(Role.OPERATIONS), site.signed_in()
    for client in (staff, nobody):
        client.get("/me")

    with statements_run(site.ledger) as with_picker:
        staff.get("/me")
    with statements_run(site.ledger) as without:
        nobody.get("/me")

    assert len(with_picker) <= len(without) + 1, "\n".join(with_picker)


def test_the_count_of_to_do_is_kept_for_its_account_until_an_act(site: Site) -> None:
    site.launched("fall")
    site.product.cycles.stop("fall", by="ops", reason="enough for this year")
    client = site.signed_in(Role.ADMINISTRATOR)
    assert COUNT.search(client.get("/me").text) is None

    to_do = client.get("/today").text
    told = re.search(r"(\d+) things? needs? you", to_do)

    assert told is not None
    assert f"<title>({told[1]}) To do · swapflow</title>" in to_do
    assert COUNT.findall(to_do) == [told[1]]
    assert COUNT.findall(client.get("/applicants/fall").text) == [told[1]]
    other = site.signed_in(Role.CHAIR)
    other.cookies.set(COUNT_COOKIE, client.cookies[COUNT_COOKIE])
    assert COUNT.search(other.get("/me").text) is None
    _press(client, "/me/shortcuts", {"keys": "off"})
    client.get("/me")
    assert COUNT.search(client.get("/me").text) is None


def test_single_letters_switched_off_take_the_key_from_the_search(site: Site) -> None:
    site.launched("fall")
    client = site.signed_in(Role.OPERATIONS)
    assert 'aria-keyshortcuts="/"' in client.get("/today/fall").text

    _press(client, "/me/shortcuts", {"keys": "off"})

    page = client.get("/today/fall").text
    assert 'aria-keyshortcuts="/"' not in page
    assert 'data-keys="off"' in page


@pytest.mark.parametrize(
    ("name", "letters"),
    [
        ("Olive Brandt", "OB"),
        ("Ada Maria von Lindqvist", "AL"),
        ("mateo.rossi@example.org", "MR"),
        ("éva", "É"),
        ("(…)", "·"),
    ],
)
def test_initials_are_of_the_first_and_the_last_part(name: str, letters: str) -> None:
    assert initials(name) == letters


def _press(client: TestClient, path: str, data: dict[str, str]) -> None:
    assert client.post(path, data=data).status_code == 303
