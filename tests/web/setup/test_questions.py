"""The five questions of a launch: answers become rules, and their forecast stands beside them."""

import re

import pytest
from starlette.testclient import TestClient

from swapflow.domain.rules import FloorFor
from swapflow.identity.permissions import Role
from tests.engine.cycle_by_hand import applicants, reviewers
from tests.web.forms import fields_of
from tests.web.site import Site


def drafted(site: Site) -> TestClient:
    client = site.signed_in(Role.OPERATIONS)
    made = client.post(
        "/setup/programs",
        data={"name": "MSc Informatik (Köln)", "new_round": "2027/28", "template": "admissions"},
    )
    assert made.headers["location"] == "/setup/msc-informatik-koln", made.text
    return client


CYCLE = "msc-informatik-koln"
PATH = f"/setup/{CYCLE}/questions"


def shown(client: TestClient) -> dict[str, str]:
    """What a browser would send back: of radios, those that are chosen."""
    page = client.get(PATH).text
    found = fields_of(re.sub(r'<input type="radio"[^>]*>', "", page))
    for radio in re.findall(r'<input type="radio"[^>]* checked>', page):
        name, value = re.findall(r'(?:name|value)="([^"]*)"', radio)
        found[name] = value
    return found


def answers(client: TestClient, **changed: str) -> dict[str, str]:
    return {**shown(client), **changed}


def test_ids_are_derived_from_names_and_the_round_is_made_with_the_program(site: Site) -> None:
    client = drafted(site)
    again = client.post(
        "/setup/programs",
        data={"name": "MSc Informatik, Köln", "round": "2027-28", "template": "hiring"},
    )

    assert again.headers["location"] == "/setup/msc-informatik-koln-2"
    assert [r.name for r in site.product.cycles.rounds()] == ["2027/28"]


def test_the_answers_become_rules_and_everything_else_stays(site: Site) -> None:
    client = drafted(site)
    before = site.product.cycles.rules(CYCLE)

    stored = client.post(
        PATH,
        data=answers(
            client,
            **{"places.0.number": "12", "hours": "75", "everyone": "3", "close": "4"},
            interviews="near",
            near="9",
            deadline="2027-02-01T12:00",
            do="next",
        ),
    )

    assert stored.headers["location"] == "/setup/msc-informatik-koln/launch", stored.text
    rules = site.product.cycles.rules(CYCLE)
    assert (rules.cohort_size, rules.budget) == (12, 75 * 60)
    floors = {(floor.kind, floor.who): floor.count for floor in rules.floors}
    assert floors == {("review", FloorFor.ALL): 3, ("review", FloorFor.CLOSE): 4}
    assert rules.kinds[1].total == 9
    assert rules.deadline is not None
    assert rules.rubrics == before.rubrics


@pytest.mark.parametrize(
    ("whom", "total", "floors"),
    [
        ("nobody", 0, set()),
        ("chosen", None, {FloorFor.CHOSEN}),
        ("everyone", None, {FloorFor.ALL}),
    ],
)
def test_each_answer_about_interviews_comes_back_as_it_was_given(
    site: Site, whom: str, total: int | None, floors: set[FloorFor]
) -> None:
    client = drafted(site)
    client.post(PATH, data=answers(client, interviews=whom, hours="900"))

    rules = site.product.cycles.rules(CYCLE)
    assert rules.kinds[1].total == total
    assert {floor.who for floor in rules.floors if floor.kind == "interview"} == floors
    assert shown(client)["interviews"] == whom


def test_what_cannot_be_read_is_named_beside_its_question_and_nothing_is_stored(
    site: Site,
) -> None:
    client = drafted(site)
    bad = {
        "places.0.number": "twelve",
        "hours": "-3",
        "everyone": "many",
        "deadline": "soon",
        "interviews": "near",
        "near": "a few",
    }
    refused = client.post(PATH, data=answers(client, **bad))

    assert refused.status_code == 422
    for name in ("places-0-number", "hours", "everyone", "deadline", "near"):
        assert f'id="f-{name}-problem"' in refused.text, name
    assert site.product.cycles.rules(CYCLE).version == 1


def test_an_older_form_overwrites_nothing(site: Site) -> None:
    client = drafted(site)
    old = answers(client, hours="10000")
    client.post(PATH, data=answers(client, hours="9000"))

    refused = client.post(PATH, data=old)

    assert refused.status_code == 409
    assert "-budget = 540000" in refused.text
    assert "+budget = 600000" in refused.text
    assert site.product.cycles.rules(CYCLE).budget == 9000 * 60


def test_the_forecast_follows_answers_that_are_not_stored(site: Site) -> None:
    client = drafted(site)
    assert "needs more applicants than places" in client.get(PATH).text
    site.product.applicants.import_all(CYCLE, applicants(60))
    site.product.reviewers.import_all(
        CYCLE, reviewers(6, capacity={"review": None, "interview": None})
    )
    part = {"X-Part": "forecast"}

    def share(hours: str) -> int:
        typed = answers(client, **{"places.0.number": "12"}, hours=hours, interviews="nobody")
        for _ in range(200):
            told = client.post(f"{PATH}/forecast", data=typed, headers=part)
            assert told.status_code == 200
            assert "<html" not in told.text
            if found := re.search(r'class="huge">(\d+)<', told.text):
                return int(found[1])
        raise AssertionError(told.text)

    assert 50 < share("45") < share("120") <= 100
    whole = client.post(f"{PATH}/forecast", data=answers(client, hours="45"))
    assert "Five questions, then launch" in whole.text
    assert 'value="45"' in whole.text
    assert site.product.cycles.rules(CYCLE).version == 1


def test_a_new_answer_about_interviews_lifts_the_limit_of_the_old_one(site: Site) -> None:
    client = drafted(site)
    client.post(PATH, data=answers(client, interviews="near", near="4"))
    client.post(PATH, data=answers(client, interviews="chosen", hours="900"))

    assert site.product.cycles.rules(CYCLE).kinds[1].total is None


def test_interviews_near_the_cut_without_a_number_have_no_limit(site: Site) -> None:
    client = drafted(site)
    client.post(PATH, data=answers(client, interviews="near", near=""))

    rules = site.product.cycles.rules(CYCLE)
    assert rules.kinds[1].total is None
    assert all(floor.kind != "interview" for floor in rules.floors)


def test_time_that_does_not_pay_what_everyone_gets_has_no_forecast_and_says_what_it_costs(
    site: Site,
) -> None:
    client = drafted(site)
    site.product.applicants.import_all(CYCLE, applicants(60))
    site.product.reviewers.import_all(CYCLE, reviewers(6))

    typed = answers(client, hours="40", everyone="2", interviews="nobody")
    told = client.post(f"{PATH}/forecast", data=typed)

    assert "What everyone gets costs 40" in told.text
    assert 'class="huge"' not in told.text


def test_what_keeps_the_forecast_away_is_told_in_its_place(site: Site) -> None:
    client = drafted(site)
    typed = answers(client, hours="none")
    told = client.post(f"{PATH}/forecast", data=typed, headers={"X-Part": "forecast"})

    assert "Write how much time reviewers have in all" in told.text


def test_a_round_of_its_own_is_not_left_behind_by_a_program_that_cannot_be_made(
    site: Site,
) -> None:
    client = drafted(site)
    for bad in ({"id": "Not An Id"}, {"id": CYCLE}, {"zone": "Mars/Base"}, {"template": "none"}):
        form = {"name": "Second", "new_round": "Spring", "template": "hiring", **bad}
        assert client.post("/setup/programs", data=form).status_code == 422, bad

    assert [known.name for known in site.product.cycles.rounds()] == ["2027/28"]


def test_a_new_round_with_the_name_of_another_is_refused(site: Site) -> None:
    client = drafted(site)
    form = {"name": "Second", "new_round": "2027/28", "template": "hiring"}

    assert "There is a round of this name" in client.post("/setup/programs", data=form).text
    assert len(site.product.cycles.list()) == 1


def test_the_drawn_check_is_on_in_a_new_program_and_one_answer_turns_it_off(site: Site) -> None:
    client = drafted(site)
    before = site.product.cycles.rules(CYCLE).drawn_check
    assert shown(client)["drawn"] == "yes"

    client.post(PATH, data=answers(client, hours="900", drawn="no"))
    off = site.product.cycles.rules(CYCLE).drawn_check
    assert shown(client)["drawn"] == "no"
    client.post(PATH, data=answers(client, hours="900", drawn="yes"))

    assert off is None
    assert before is not None
    assert site.product.cycles.rules(CYCLE).drawn_check == before
    refused = client.post(PATH, data=answers(client, drawn="perhaps"))
    assert "Choose yes or no" in refused.text
