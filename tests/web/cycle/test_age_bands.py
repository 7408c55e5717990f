"""Dates of birth come in by page, command and API; age bands alone are stored."""

import pytest

from swapflow.identity.permissions import Role
from tests.cli.office import forget_deployment
from tests.web.api.programs import V1, program
from tests.web.crawl import Page
from tests.web.cycle.list_uploads import apply, keep
from tests.web.everyone import dump
from tests.web.site import Site
from tests.web.terminal import typed


LIST = "id,name,Date of birth\nB1,Ada,1960-03-04\nB2,Ben,2001-05-06\nB3,Cyd,\n"


def kept(site: Site) -> dict[str, str]:
    """What is stored for reports, by the office's id."""
    names = {a.number: a.external_id for a in site.product.applicants.list("fall")}
    declared = site.ledger.monitoring().declared("fall")
    return {names[number]: values["Date of birth"] for number, values in declared.items()}


def no_date_is_stored(site: Site) -> None:
    stored = repr(dump(site))
    assert "1960-03-04" not in stored
    assert "2001-05-06" not in stored


def test_the_preview_asks_where_the_bands_begin_and_remembers_it(site: Site) -> None:
    site.launched(launch=False, applicants=0)
    client = site.signed_in(Role.COORDINATOR)
    path = keep(client, LIST)

    page = Page(path, client.get(path).text)
    assert "Age bands begin at" in page.words
    assert "dates of birth are not stored" in page.words
    form = next(one for one in page.forms if "age_bands" in one.fields)
    assert form.fields["age_bands"] == "20, 25, 30, 40"
    wrong = client.post(path, data={**form.fields, "age_bands": "young", "do": "apply"})
    assert wrong.status_code == 422
    assert "rising, 12 at most" in wrong.text
    assert 'value="young"' in wrong.text

    assert apply(client, path, **{**form.fields, "age_bands": "18, 65"}).status_code == 303

    assert kept(site) == {"B1": "65 and over", "B2": "18 to 64"}
    no_date_is_stored(site)
    again = Page(path, client.get(keep(client, LIST)).text)
    assert next(f for f in again.forms if "age_bands" in f.fields).fields["age_bands"] == "18, 65"


def test_a_list_without_ages_is_not_asked_about_them(site: Site) -> None:
    site.launched(launch=False, applicants=0)
    client = site.signed_in(Role.COORDINATOR)
    assert "Age bands" not in client.get(keep(client, "id,name\nB1,Ada\n")).text


def test_the_command_takes_bands_and_says_what_it_keeps(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.launched(launch=False, applicants=0)
    file = site.file.parent / "list.csv"
    file.write_text(LIST, encoding="utf-8")
    monkeypatch.setenv("SWAPFLOW_DATABASE_URL", f"sqlite:///{site.file}")
    forget_deployment()
    try:
        told = typed("applications", "import", "fall", str(file), "--age-bands", "50")[1]
    finally:
        forget_deployment()
    assert "under 50, 50 and over" in told
    assert kept(site) == {"B1": "50 and over", "B2": "under 50"}
    no_date_is_stored(site)


def test_the_api_keeps_bands_of_bodies_and_of_files(site: Site) -> None:
    site.launched(launch=False, applicants=0)
    api = program(site)
    born = {"external_id": "B1", "monitoring": {"Date of birth": "1960-03-04"}}
    path = f"{V1}/cycles/fall/applicants"

    wrong = api.post(path, json={"applicants": [born], "age_bands": "3,2"})
    sent = api.post(path, json={"applicants": [born]})
    file = {"file": ("list.csv", LIST.replace("B1,Ada,1960-03-04\n", ""))}
    came = api.post(f"{path}/import?age_bands=21,50", files=file)

    assert (wrong.status_code, sent.status_code, came.status_code) == (422, 201, 200)
    assert kept(site) == {"B1": "40 and over", "B2": "21 to 49"}
    no_date_is_stored(site)
