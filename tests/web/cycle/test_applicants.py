"""What staff do about applicants, and how what was refused comes back."""

import pytest

from swapflow.domain.people.application import ApplicationStatus
from swapflow.engine.reviewing.documents import DocumentUpload
from swapflow.identity.permissions import Role
from tests.web.api.programs import V1, program
from tests.web.everyone import busy
from tests.web.forms import revision_in, send_form
from tests.web.site import Site


HERE = "/applicants/fall/0"


@pytest.mark.parametrize(
    "bad", ["", "   ", "x" * 3000, "a\x07b"], ids=["none", "blank", "long", "control"]
)
@pytest.mark.parametrize("form", ["status", "ask", "pin"])
def test_a_refused_reason_comes_back_beside_its_field_with_what_was_typed(
    site: Site, form: str, bad: str
) -> None:
    client = busy(site).signed_in(Role.ADMINISTRATOR)
    before = site.product.cycles.get("fall").position
    typed = {"reason": bad, "what": "hold", "verdict": "in", "kind": "review"}

    page = client.post(f"{HERE}/{form}", data=typed)

    assert page.status_code == 422
    assert "<h1>Applicant 1</h1>" in page.text
    assert page.text.count('aria-invalid="true"') == 1
    assert f'value="{bad}"' in page.text
    assert site.product.cycles.get("fall").position == before
    assert site.product.reports.pins("fall") == ()
    assert site.product.context.ledger.wishes("fall") == ()


def test_a_kind_that_is_not_there_is_refused_beside_its_field(site: Site) -> None:
    client = busy(site).signed_in(Role.ADMINISTRATOR)

    page = client.post(f"{HERE}/ask", data={"kind": "séance", "reason": "a close call"})

    assert page.status_code == 422
    assert 'id="kind-problem"' in page.text
    assert 'value="a close call"' in page.text


def test_erasing_needs_the_id_and_says_so_beside_the_field(site: Site) -> None:
    client = busy(site).signed_in(Role.ADMINISTRATOR)

    page = client.post(f"{HERE}/erase", data={"confirm": "A002"})

    assert page.status_code == 422
    assert 'id="confirm-problem"' in page.text
    assert 'value="A002"' in page.text
    assert site.product.applicants.get("fall", 0).external_id == "A001"


def test_an_applicant_is_held_and_released_with_a_reason_each(site: Site) -> None:
    client = busy(site).signed_in(Role.ADMINISTRATOR)

    hold = {"what": "hold", "reason": "a document is missing"}
    send_form(client, HERE, f"{HERE}/status", hold)
    assert site.product.applicants.get("fall", 0).status is ApplicationStatus.HELD
    release = {"what": "release", "reason": "it has come"}
    send_form(client, HERE, f"{HERE}/status", release)
    assert site.product.applicants.get("fall", 0).status is ApplicationStatus.READY


def test_the_table_says_what_happened_last_and_filters_sort_and_paging_keep_each_other(
    site: Site,
) -> None:
    busy(site)
    client = site.signed_in(Role.OPERATIONS)

    table = client.get("/applicants/fall?q=Applicant&standing=&sort=name").text

    assert table.count("answered <span") + table.count("asked <span") == 12
    assert 'href="?q=Applicant&amp;sort=score"' in table
    assert 'value="Applicant"' in table
    assert '<option value="name" selected>name</option>' in table
    moves = site.product.applicants.last_moves("fall", [0, 1])
    assert all(at.tzinfo is not None for at, _ in moves.values())
    assert site.product.applicants.last_moves("fall", []) == {}


def test_applicants_are_found_without_their_accents_on_the_page_and_by_the_api(
    site: Site,
) -> None:
    site.launched(launch=False, applicants=3)
    site.product.applicants.correct(
        "fall", "A002", {"name": "Nguyễn Thị Hoa"}, by="ops", reason="the passport"
    )

    page = site.signed_in(Role.OPERATIONS).get("/applicants/fall?q=hoa+nguyen").text
    api = program(site)
    rows = api.get(f"{V1}/cycles/fall/applicants", params={"q": "nguyen", "limit": 1}).json()

    assert "Nguyễn Thị Hoa" in page
    assert "1 applicant of 3" in page
    assert [row["external_id"] for row in rows["items"]] == ["A002"]
    assert rows["next"] is None


def test_the_card_leads_to_documents_and_to_the_decision_that_asked(site: Site) -> None:
    busy(site)
    pdf = b"%PDF-1.4\n%%EOF\n"
    site.product.applicants.attach_documents(
        "fall", [DocumentUpload(path="A001_essay.pdf", body=pdf)], redacted=True
    )
    client = site.signed_in(Role.OPERATIONS)

    card = client.get(HERE).text

    assert 'href="/applicants/fall/files/0/0"' in card
    assert client.get("/applicants/fall/files/0/0").content == pdf
    assert 'href="/today/fall/decisions?before=2">Decision 1</a>' in card


@pytest.mark.parametrize("form", ["contact", "status", "pin"])
def test_a_form_refused_for_its_reason_still_tells_what_it_was_made_from(
    site: Site, form: str
) -> None:
    client = busy(site).signed_in(Role.ADMINISTRATOR)
    action = f"{HERE}/{form}"
    mine = {"name": "One", "email": "one@example.org", "what": "hold", "verdict": "in"}
    other = {"name": "Two", "email": "two@example.org", "what": "withdraw", "verdict": "out"}
    opened = revision_in(client.get(HERE).text, action)
    between = send_form(client, HERE, action, {**other, "reason": "by phone"})
    assert between.status_code == 303

    unreasoned = client.post(action, data={**mine, "reason": "", "revision": opened})
    kept = revision_in(unreasoned.text, action)
    stale = client.post(action, data={**mine, "reason": "a letter", "revision": kept})
    shown = revision_in(stale.text, action)
    taken = client.post(action, data={**mine, "reason": "a letter", "revision": shown})

    assert [one.status_code for one in (unreasoned, stale, taken)] == [422, 409, 303]
    assert kept == opened != shown
