"""Reconsiderations at the screen and for programs: opened, weighed, signed by two, undone."""

import re

from starlette.testclient import TestClient

from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.cohort.reconsideration import Result
from swapflow.identity.permissions import Role
from tests.web.cohort.fixed_cohorts import chair
from tests.web.cohort.reconsidered import PATH, answered, fixed, name_of, opened
from tests.web.site import Site


API = "/api/v1/cycles/fall"


def digest(client: TestClient) -> str:
    found = re.search(r'name="digest" value="(\w+)"', client.get(PATH).text)
    assert found is not None
    return found[1]


def test_a_person_is_added_at_the_screen_by_two_people(site: Site) -> None:
    client, number = fixed(site)
    before = {o.application: o.verdict for o in site.product.cohort.outcomes("fall", 1)}
    prefilled = client.get(f"{PATH}?applicant={number}").text
    assert f'value="{name_of(site, number)}"' in prefilled
    assert f"{PATH}?applicant={number}#open" in client.get(f"/applicants/fall/{number}").text

    assert opened(site, client, number) == 303
    waiting = client.get(PATH).text
    early = client.post(f"{PATH}/{number}/prepare", data={"result": "added"})
    assert "0 of 2 received, 2 still to come" in waiting
    assert early.status_code == 422
    assert "new reviews are not in yet" in early.text
    assert answered(site) == ["S1", "S2"]

    form = {"result": "added", "reason": "as the marks say", "beyond": "yes"}
    without = client.post(f"{PATH}/{number}/prepare", data=form | {"beyond": ""})
    prepared = client.post(f"{PATH}/{number}/prepare", data=form)
    alone = client.post(f"{PATH}/sign", data={"digest": digest_of(site)})
    second = chair(site, "deputy")
    page = second.get(PATH).text
    signed = second.post(f"{PATH}/sign", data={"digest": digest(second)})

    assert without.status_code == 422
    assert "places are taken" in without.text
    assert (prepared.status_code, alone.status_code, signed.status_code) == (303, 422, 303)
    assert "adds this person beyond them" in page
    after = {o.application: o.verdict for o in site.product.cohort.outcomes("fall", 2)}
    assert {n for n in after if after[n] is not before[n]} == {number}
    assert after[number] is Verdict.SELECTED
    assert "It made version 2 of the list." in client.get(PATH).text
    assert "2 new reviews, estimate" in client.get(f"/applicants/fall/{number}").text
    assert "asks to reopen" not in client.get("/decide/fall").text


def digest_of(site: Site) -> str:
    pending = site.product.cohort.pending("fall")
    assert pending is not None
    return pending.prepared.digest


def test_it_is_undone_by_two_people_at_the_screen(site: Site) -> None:
    client, number = fixed(site)
    opened(site, client, number)
    answered(site)
    site.product.reconsiderations.conclude(
        "fall",
        name_of(site, number),
        names=["a", "b"],
        result=Result.ADDED,
        reason="as the marks say",
        beyond=True,
    )

    silent = client.post(f"{PATH}/{number}/undo", data={"reason": " "})
    asked = client.post(f"{PATH}/{number}/undo", data={"reason": "a mix-up"})
    second = chair(site, "deputy")
    page = second.get(PATH).text
    signed = second.post(f"{PATH}/sign", data={"digest": digest(second)})

    assert (silent.status_code, asked.status_code, signed.status_code) == (422, 303, 303)
    assert "asks to undo the reconsideration" in page
    assert site.product.cycles.get("fall").cohort_version == 3
    assert "undone" in client.get(PATH).text


def test_what_cannot_be_opened_is_said_beside_its_field(site: Site) -> None:
    client, number = fixed(site)
    selected = next(
        o.application
        for o in site.product.cohort.outcomes("fall", 1)
        if o.verdict is Verdict.SELECTED
    )

    for field, typed, problem in (
        ("applicant", "nobody", "no applicant with this id"),
        ("reason", " ", "write why"),
        ("asked_by", "", "who asked for it"),
        ("asked_on", "soon", "like 2027-05-04"),
        ("reviews", "many", "how many new reviews"),
    ):
        form = {
            "applicant": name_of(site, number), "reason": "x", "asked_by": "y", "reviews": "2",
        } | {field: typed}  # fmt: skip
        page = client.post(f"{PATH}/open", data=form)
        assert page.status_code == 422, field
        assert problem in page.text.lower()
        assert page.text.count('aria-invalid="true"') == 1
    assert opened(site, client, selected) == 422
    assert site.product.reconsiderations.list("fall") == ()


def test_it_is_taken_back_with_a_reason(site: Site) -> None:
    client, number = fixed(site)
    opened(site, client, number)

    assert client.post(f"{PATH}/{number}/take-back", data={"reason": ""}).status_code == 422
    taken = client.post(f"{PATH}/{number}/take-back", data={"reason": "they wrote again"})

    assert taken.status_code == 303
    assert "taken back" in client.get(PATH).text
    assert answered(site) == []


def test_a_fresh_reviewer_answers_at_the_screen_though_the_list_is_fixed(site: Site) -> None:
    client, number = fixed(site)
    opened(site, client, number, reviews="1")
    (task,) = [t for n in (1, 2) for t in site.product.tasks.inbox("fall", f"S{n}")]
    seat = next(r for r in site.product.reviewers.list("fall") if r.number == task.reviewer)
    code = site.product.cycles.get("fall").task_code(task.id)
    own = site.signed_in(email=seat.email)

    form = own.get(f"/tasks/{code}").text
    sent = own.post(f"/tasks/{code}", data={"c0": "3", "c1": "2", "then": "stay"})

    assert 'name="c0"' in form, "the form is of use"
    assert sent.status_code == 303, sent.text
    assert site.product.reconsiderations.evidence("fall", name_of(site, number)).received == 1
    assert "Change this review" in own.get(f"/tasks/{code}/receipt").text


def test_programs_do_all_of_it_but_sign(site: Site) -> None:
    client, number = fixed(site)
    new = {"applicant": number, "reason": "a wrong file", "asked_by": "the applicant"}

    made = client.post(f"{API}/reconsiderations", json=new)
    twice = client.post(f"{API}/reconsiderations", json=new)
    site.turn()
    out = client.get(f"{API}/reconsiderations/{number}").json()
    early = client.put(f"{API}/reconsiderations/{number}/decision", json={"beyond": True})
    answered(site)
    then = client.get(f"{API}/reconsiderations/{number}").json()
    prepared = client.put(
        f"{API}/reconsiderations/{number}/decision",
        json={"result": "added", "reason": "as the marks say", "beyond": True},
    )
    second = chair(site, "deputy")
    signed = second.post(f"{API}/decision/signatures", json={"digest": prepared.json()["digest"]})
    (listed,) = client.get(f"{API}/reconsiderations").json()
    undo = client.post(f"{API}/reconsiderations/{number}/undo", json={"reason": "a mix-up"})
    undone = second.post(f"{API}/decision/signatures", json={"digest": undo.json()["digest"]})
    none = client.get(f"{API}/reconsiderations/{number}")

    assert (made.status_code, twice.status_code, early.status_code) == (201, 409, 422)
    assert made.json()["result"] is None
    assert (out["waiting"], out["received"]) == (2, 0)
    assert (then["waiting"], then["received"]) == (0, 2)
    assert then["after"] > then["before"]
    assert (prepared.json()["what"], prepared.json()["needed"]) == ("reconsideration", 2)
    assert signed.json()["done"] is True
    assert (listed["result"], listed["made_version"]) == ("added", 2)
    assert listed["signed"] == ["chair@example.org", "deputy@example.org"]
    assert undo.json()["what"] == "undoing"
    assert undone.json()["done"] is True
    assert none.status_code == 404


def test_who_may_only_look_sees_it_and_changes_nothing(site: Site) -> None:
    client, number = fixed(site)
    opened(site, client, number)
    looking = site.signed_in(Role.COMMITTEE)

    page = looking.get(PATH)
    assert page.status_code == 200
    assert "Have an applicant reconsidered" not in page.text
    assert looking.post(f"{PATH}/{number}/take-back", data={"reason": "x"}).status_code == 403
    assert site.product.reconsiderations.list("fall")[0].is_open
