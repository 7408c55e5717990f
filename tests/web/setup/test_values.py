"""Spellings of one value: a press on the page, the API, and what is remembered."""

import re
from dataclasses import replace

from swapflow.domain.objective import GroupQuota
from swapflow.identity.permissions import Role
from tests.engine.cycle_by_hand import applicant
from tests.web.api.programs import V1, program
from tests.web.site import SITE_RULES, Site


RULES = replace(SITE_RULES, quotas=(GroupQuota(attribute="site", value="North", minimum=1),))
SPELLINGS = ("North", "South", "NORTH", "South", "North.", "South", "East", "West")


def filled(site: Site) -> None:
    site.launched("fall", rules=RULES, applicants=0, launch=False)
    rows = [
        applicant(f"A{n}", selection={"site": value}) for n, value in enumerate(SPELLINGS, start=1)
    ]
    site.product.applicants.import_list("fall", rows)


def sites(site: Site) -> dict[str, str]:
    return {a.external_id: a.attributes["site"] for a in site.product.applicants.list("fall")}


def test_one_press_before_the_launch_takes_spellings_for_one_value(site: Site) -> None:
    filled(site)
    client = site.signed_in(Role.OPERATIONS)
    page = client.get("/setup/fall/launch").text
    form = re.search(r'action="/setup/fall/values">.*?</form>', page, re.DOTALL)
    assert form is not None
    named = re.findall(r'name="spelling" value="([^"]*)"', form[0])
    assert sorted(named) == ["NORTH", "North", "North."]
    sent = {"attribute": "site", "spelling": named, "into": "North", "back": "launch"}

    pressed = client.post("/setup/fall/values", data={**sent, "do": "join"})

    after = client.get(pressed.headers["location"]).text
    assert "2 applicants changed" in after
    assert "Perhaps one value" not in after
    assert [sites(site)[one] for one in ("A1", "A3", "A5")] == ["North"] * 3
    client.post("/setup/fall/values", data={**sent, "do": "apart"})
    page = client.get("/setup/fall/launch").text
    assert "2 applicants changed back" in page
    assert "Perhaps one value" not in page
    assert sites(site)["A3"] == "NORTH"


def test_a_press_on_the_preview_of_a_list_counts_for_that_list(site: Site) -> None:
    site.launched("fall", rules=RULES, applicants=0, launch=False)
    client = site.signed_in(Role.OPERATIONS)
    data = "id,site\nA1,North\nA2,NORTH\n"
    kept = client.post("/setup/fall/applicants", files={"file": ("people.csv", data)})
    address = kept.headers["location"]
    assert "Perhaps one value" in client.get(address).text

    client.post(
        "/setup/fall/values",
        data={
            "attribute": "site",
            "spelling": ["North", "NORTH"],
            "into": "North",
            "do": "join",
            "back": address.removeprefix("/setup/fall/"),
        },
    )

    page = client.get(address).text
    assert "Perhaps one value" not in page
    assert "is taken for" in page
    client.post(address, data={"do": "apply"})
    assert sites(site) == {"A1": "North", "A2": "North"}


def test_the_form_leads_nowhere_else(site: Site) -> None:
    filled(site)
    client = site.signed_in(Role.OPERATIONS)
    for back in ("//evil.example.org", "../../today", ""):
        sent = {"attribute": "site", "spelling": "NORTH", "into": "North", "do": "join"}
        assert client.post("/setup/fall/values", data={**sent, "back": back}).status_code == 422
    assert sites(site)["A3"] == "NORTH"


def test_the_api_names_and_joins_them(site: Site) -> None:
    filled(site)
    api = program(site)

    (near,) = api.get(f"{V1}/cycles/fall/values").json()["perhaps_one"]
    assert near["spellings"] == {"North": 1, "NORTH": 1, "North.": 1}
    wanted = {
        "attribute": "site",
        "spellings": list(near["spellings"]),
        "into": near["proposed"],
        "reason": "one place",
    }
    assert api.post(f"{V1}/cycles/fall/values", json=wanted).json() == {"count": 2}
    assert api.post(f"{V1}/cycles/fall/values", json=wanted | {"into": ""}).json() == {"count": 2}
    assert sites(site)["A5"] == "North."


def test_joining_in_a_running_program_stands_on_the_record(site: Site) -> None:
    filled(site)
    site.product.cycles.launch("fall", by="ops")
    site.turn()

    changed = site.product.applicants.join_values(
        "fall", "site", ["NORTH", "North."], "North", by="ops", reason="one place"
    )

    assert changed == 2
    assert site.product.reports.verify("fall", live=False).passed
