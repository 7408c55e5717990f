"""Erased people in lists on the page and at the API: shown, left out, back once ticked."""

import re

from starlette.testclient import TestClient

from swapflow.identity.permissions import Role
from tests.engine.cycle_by_hand import reviewer
from tests.web.api.programs import V1, program
from tests.web.cycle.list_uploads import apply, keep
from tests.web.site import Site


LIST = "external_id,name,email\nA1,Ann,ann@example.com\nB2,Bo,bo@example.com\n"
REVIEWERS = "external_id,name,email\nR1,Rae,rae@example.com\nR2,Sam,sam@example.com\n"
FALL = f"{V1}/cycles/fall"


def with_erased(site: Site) -> TestClient:
    """A program from which Bo was erased, and a browser of staff."""
    site.launched("fall", launch=False, applicants=0, roster=0)
    client = site.signed_in(Role.OPERATIONS)
    apply(client, keep(client, LIST))
    site.product.applicants.erase("fall", "B2", by="olga")
    return client


def ids(site: Site) -> list[str]:
    return [a.external_id for a in site.product.applicants.list("fall") if a.external_id]


def test_the_preview_names_who_was_erased_and_the_import_leaves_them_out(site: Site) -> None:
    client = with_erased(site)

    path = keep(client, LIST)
    page = client.get(path).text
    done = apply(client, path)
    after = client.get(done.headers["location"]).text

    assert "Erased before" in page
    assert "Bring back Bo" in page
    assert not re.search(r'name="again[^>]* checked', page)
    assert ids(site) == ["A1"]
    assert "1 person who was erased is left out." in after
    assert "Erasures before this was remembered are not known." in after


def test_a_person_who_is_ticked_comes_back(site: Site) -> None:
    client = with_erased(site)
    path = keep(client, LIST)

    ticked = client.post(path, data={"said": "yes", "again.0": "B2", "do": "preview"}).text
    apply(client, path, said="yes", **{"again.0": "B2"})

    assert re.search(r'name="again[^>]* checked', ticked)
    assert "Import 2 applicants" in ticked
    assert ids(site) == ["A1", "B2"]
    log = site.signed_in(Role.ADMINISTRATOR).get("/setup/audit").text
    assert "1 back although they were erased, as confirmed" in log


def test_a_file_of_erased_people_alone_imports_nobody(site: Site) -> None:
    client = with_erased(site)

    page = client.get(keep(client, "external_id,email\nX9,BO@example.com\n")).text

    assert "the file has only erased people" in page
    assert re.search(r'value="apply" disabled', page)


def test_erased_people_of_before_are_counted_on_the_preview(site: Site) -> None:
    client = with_erased(site)
    site.product.cycles.forget_erasures("round")

    page = client.get(keep(client, LIST)).text

    assert "1 person was erased from this program before erasures were remembered" in page


def test_an_erased_reviewer_is_named_on_the_preview_and_comes_back_once_ticked(
    site: Site,
) -> None:
    site.launched("fall", launch=False, applicants=0, roster=0)
    client = site.signed_in(Role.OPERATIONS)
    apply(client, keep(client, REVIEWERS, what="reviewers"))
    site.product.reviewers.erase("fall", "R2", by="olga")
    path = keep(client, REVIEWERS, what="reviewers")

    page = client.get(path).text
    apply(client, path)
    left_out = [r.name for r in site.product.reviewers.list("fall")]
    apply(client, keep(client, REVIEWERS, what="reviewers"), said="yes", **{"again.0": "R2"})

    assert "Bring back Sam" in page
    assert left_out == ["Rae", ""]
    assert [r.name for r in site.product.reviewers.list("fall")] == ["Rae", "", "Sam"]


def test_the_api_names_who_was_erased_in_files_and_in_json(site: Site) -> None:
    with_erased(site)
    api = program(site)
    row = {"external_id": "B2", "name": "Bo", "email": "bo@example.com"}

    looked = api.post(f"{FALL}/applicants/import?dry_run=true", files={"file": LIST}).json()
    brought = api.post(f"{FALL}/applicants/import", files={"file": LIST}).json()
    added = api.post(f"{FALL}/applicants", json={"applicants": [row]}).json()
    told = api.post(f"{FALL}/applicants", json={"applicants": [row], "again": ["B2"]}).json()

    for answer in (looked["erased"], brought["erased"], added["held"]):
        assert [(one["external_id"], one["confirmed"]) for one in answer] == [("B2", False)]
        assert answer[0]["erased_from"] == "fall"
    assert looked["erased"][0]["line"] == 3
    assert (added["count"], told) == (0, {"count": 1, "held": []})
    assert ids(site) == ["A1", "B2"]


def test_the_api_brings_back_whom_again_names(site: Site) -> None:
    with_erased(site)
    site.product.reviewers.import_all("fall", [reviewer("R1", email="rae@example.com")])
    site.product.reviewers.erase("fall", "R1", by="olga")
    api = program(site)
    row = {"external_id": "R1", "email": "rae@example.com", "capacity": {"review": None}}
    rae = {"reviewers": [row]}

    brought = api.post(f"{FALL}/applicants/import?again=B2", files={"file": LIST}).json()
    held = api.post(f"{FALL}/reviewers", json=rae).json()
    back = api.post(f"{FALL}/reviewers", json={**rae, "again": ["R1"]}).json()

    assert (brought["new"], brought["erased"][0]["confirmed"]) == (1, True)
    assert (held["count"], [one["external_id"] for one in held["held"]]) == (0, ["R1"])
    assert back == {"count": 1, "held": []}


def test_a_rounds_erasures_are_forgotten_once_its_id_is_typed_or_by_the_api(site: Site) -> None:
    with_erased(site)
    staff = site.signed_in(Role.ADMINISTRATOR)

    page = staff.get("/setup").text
    refused = staff.post("/setup/rounds/round/forget-erasures", data={"round": "other"})
    done = staff.post("/setup/rounds/round/forget-erasures", data={"round": "round"})
    again = program(site).delete(f"{V1}/rounds/round/erasures").json()

    assert "1 erased person is remembered" in page
    assert refused.status_code == 422
    assert "nothing was forgotten" in refused.text
    assert "Forgot 1 erasure, with the key" in staff.get(done.headers["location"]).text
    assert again == {"count": 0}
    assert "erased person is remembered" not in staff.get("/setup").text
