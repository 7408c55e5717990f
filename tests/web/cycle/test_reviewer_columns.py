"""Staff choose what reviewers of a blind program see: in the preview, on a page, by the API."""

import html
import re
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from swapflow.domain.people.identity_mask import HIDDEN
from swapflow.engine.reviewing.documents import DocumentUpload, neutral_name
from swapflow.identity.permissions import Role
from tests.web.api.programs import V1, program
from tests.web.cycle.list_uploads import apply, keep
from tests.web.forms import send_form
from tests.web.site import SITE_RULES, Site


LIST = (
    "id,name,statement,Phone number,colour\n"
    'K1,Zoë Weiß,"I, Zoe Weiss",030 12,blue\nK2,Bo,text,030 13,red\n'
)
STATEMENT, PHONE, COLOUR = "see.2", "see.3", "see.4"


def empty(site: Site) -> TestClient:
    site.launched("fall", launch=False, applicants=0)
    return site.signed_in(Role.OPERATIONS)


def seen(site: Site, number: int = 0) -> dict[str, str]:
    one = site.product.applicants.get("fall", number)
    return site.product.applicants.reviewer_view("fall").fields_of(one)


def chosen(page: str, name: str) -> str:
    """Return what a select of a page stands on."""
    (select,) = re.findall(rf'<select name="{re.escape(name)}".*?</select>', page, re.DOTALL)
    (value,) = re.findall(r'<option value="(\w*)" selected>', select)
    return str(value)


def test_the_preview_proposes_own_work_hides_persons_and_asks_about_the_rest(site: Site) -> None:
    client = empty(site)

    page = client.get(keep(client, LIST)).text

    assert "Columns: 1 shown, 1 hidden, 1 to decide." in page
    assert [chosen(page, name) for name in (STATEMENT, PHONE, COLOUR)] == ["yes", "no", ""]
    assert f"<dt>statement</dt><dd>I, {HIDDEN}</dd>" in page
    assert "<dt>Phone number</dt>" not in page


def test_what_the_preview_says_is_stored_and_said_again_with_the_next_list(site: Site) -> None:
    client = empty(site)
    path = keep(client, LIST)

    done = apply(client, path, said="yes", **{STATEMENT: "no", PHONE: "no", COLOUR: "yes"})
    again = client.get(keep(client, LIST)).text
    site.product.cycles.new(
        "spring", round_id="round", rules=site.product.cycles.rules("fall"), by="ops"
    )
    other = client.post("/setup/spring/applicants", files={"file": ("list.csv", LIST)})
    elsewhere = client.get(other.headers["location"]).text

    assert done.status_code == 303
    assert seen(site) == {"colour": "blue"}
    assert [chosen(again, name) for name in (STATEMENT, PHONE, COLOUR)] == ["no", "no", "yes"]
    assert "same as last time: 1 shown, 2 hidden, 0 to decide" in elsewhere
    assert [chosen(elsewhere, n) for n in (STATEMENT, PHONE, COLOUR)] == ["no", "no", "yes"]


def test_the_page_of_columns_shows_an_applicant_as_reviewers_do(site: Site) -> None:
    client = empty(site)
    apply(client, keep(client, LIST), said="yes")
    hidden = client.get("/applicants/fall/columns").text
    names = [one.name for one in site.product.applicants.columns("fall").columns]
    number = names.index("statement")

    done = send_form(
        client,
        "/applicants/fall/columns",
        "/applicants/fall/columns",
        {f"see.{number}": "yes", f"name.{number}": "statement"},
    )
    page = client.get(done.headers["location"]).text

    one = site.product.applicants.get("fall", 0)
    name = site.product.applicants.reviewer_view("fall").name_of(one)
    assert "Reviewers see no column." in hidden
    assert "1 choice saved." in page
    assert f"<h3>{name}</h3>" in page
    assert f"<dt>statement</dt><dd>I, {HIDDEN}</dd>" in page
    assert "Weiß" not in html.unescape(page)
    assert name in client.get("/applicants/fall/0").text


def test_a_program_made_before_says_so_on_today_until_somebody_chooses(site: Site) -> None:
    site.launched()
    client = site.signed_in(Role.ADMINISTRATOR)
    said = "made before columns were chosen"
    new = client.get("/today/fall/waiting").text
    with site.ledger.write("fall") as tx:
        tx.keep_list_reading("shown", {}, by="before")

    before = client.get("/today/fall/waiting").text
    site.product.applicants.choose_columns("fall", {"statement": True}, by="ops")
    after = client.get("/today/fall/waiting").text

    assert [said in page for page in (new, before, after)] == [False, True, False]


def test_the_api_shows_columns_on_import_and_afterwards(site: Site) -> None:
    empty(site)
    api = program(site)
    address = f"{V1}/cycles/fall"
    sent = {"file": ("list.csv", LIST.encode())}

    tried = api.post(
        f"{address}/applicants/import?dry_run=true&show_proposed=true", files=sent
    ).json()
    stored = api.post(f"{address}/applicants/import?show=colour", files=sent).json()
    put = api.put(f"{address}/columns", json={"show_proposed": True, "hide": ["colour"]}).json()
    wrong = api.put(f"{address}/columns", json={"show": ["no such"]})

    def told(columns: list[dict[str, str]]) -> dict[str, str]:
        return {one["column"]: one["reviewers_see"] for one in columns}

    hidden = {"statement": "no", "Phone number": "no", "colour": "no"}
    assert told(tried["reviewers_see"]) == {**hidden, "statement": "masked"}
    assert told(stored["reviewers_see"]) == {**hidden, "colour": "yes"}
    assert told(put["columns"]) == {**hidden, "statement": "masked"}
    assert api.get(f"{address}/columns").json() == put
    assert (wrong.status_code, wrong.json()["code"]) == (422, "no_such_column")
    assert seen(site) == {"statement": f"I, {HIDDEN}"}


def test_the_api_overwrites_only_the_choices_that_a_program_has_read(site: Site) -> None:
    site.launched()
    api = program(site)
    address = f"{V1}/cycles/fall/columns"
    read = api.get(address).headers["etag"]
    show, hide = {"show": ["statement"]}, {"hide": ["statement"]}

    first = api.put(address, json=show, headers={"If-Match": read})
    same = api.put(address, json=show, headers={"If-Match": read})
    stale = api.put(address, json=hide, headers={"If-Match": read})
    fresh = api.put(address, json=hide, headers={"If-Match": same.headers["etag"]})

    assert [one.status_code for one in (first, same, stale, fresh)] == [200, 200, 409, 200]
    assert first.headers["etag"] == same.headers["etag"] != read
    assert stale.json()["code"] == "changed_since_form"
    assert "statement" in str(stale.json()["params"]["stored"])
    assert api.get(address).headers["etag"] == fresh.headers["etag"]


@pytest.mark.parametrize("blind", [True, False])
def test_the_view_as_a_reviewer_names_files_as_reviewers_see_them(
    site: Site, *, blind: bool
) -> None:
    site.launched("fall", rules=replace(SITE_RULES, blind=blind), launch=False)
    file = DocumentUpload(path="A001_Ada_Lovelace.pdf", body=b"%PDF-1.7 ")
    site.product.applicants.attach_documents("fall", [file], redacted=True)

    page = site.signed_in(Role.OPERATIONS).get("/applicants/fall/columns").text

    assert ("Ada_Lovelace" in page, neutral_name(1, "application/pdf") in page) == (
        not blind,
        blind,
    )
