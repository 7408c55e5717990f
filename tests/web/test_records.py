"""Cards, bundles and monitoring on the pages: who gets them, and what is written down."""

from dataclasses import replace

from swapflow.domain.rules import Purpose
from swapflow.domain.score import Answer
from swapflow.files.unbundle import check_bundle
from swapflow.office.rights import Role, Scope
from tests.engine.world import applicant
from tests.web.site import SITE_RULES, Site


COLOURS = ("violet", "violet", "violet", "violet", "violet", "violet", "red")


def answer(assignment: str, utility: float) -> Answer:
    return Answer(assignment_id=assignment, utility=utility)


def looks(site: Site) -> list[str]:
    entries = site.office.ledger.audit(cycle_id="fall")
    return [entry.who for _, entry in entries if entry.what == "monitoring read"]


def finished(site: Site) -> str:
    """A finished program whose applicants declared a colour for monitoring alone."""
    rules = replace(SITE_RULES, rubrics=(), purpose=Purpose.SIMULATION, blind=False, budget=12)
    site.launched(rules=rules, applicants=0, launch=False)
    people = [
        applicant(f"A{n}", name=f"Name {n}", monitor={"colour": COLOURS[n % 7], "shape": "round"})
        for n in range(12)
    ]
    site.product.import_applications("fall", people)
    site.product.launch("fall", by="ops")
    site.turn()
    for number, task in enumerate(site.ledger.assignments("fall")):
        site.product.submit([answer(task.id, 0.3 + number / 40)])
    site.turn()
    site.product.finalize("fall", by="Chair")
    return "fall"


def test_compliance_alone_sees_groups_and_each_look_is_written_down_first(site: Site) -> None:
    finished(site)
    officer = site.signed_in(Role.COMPLIANCE)

    asked = officer.get("/today/fall/monitoring")
    assert asked.status_code == 200
    assert "violet" not in asked.text
    assert not looks(site), "a GET shows nothing and writes nothing"

    seen = officer.post("/today/fall/monitoring")
    assert seen.status_code == 200
    assert "violet" in seen.text
    assert "closed: fewer than five" in seen.text, "one red applicant would be known otherwise"
    assert looks(site) == ["compliance@example.org"]
    both = officer.post("/today/fall/monitoring", data={"cross": ["colour", "shape"]})
    assert "colour × shape" in both.text
    wrong = officer.post("/today/fall/monitoring", data={"cross": ["nothing"]})
    assert wrong.status_code == 422
    assert "was declared by nobody" in wrong.text
    assert len(looks(site)) == 3


def test_whoever_decides_sees_no_groups_even_with_the_compliance_role(site: Site) -> None:
    finished(site)
    for role in (Role.ADMINISTRATOR, Role.OPERATIONS, Role.CHAIR):
        assert site.signed_in(role).get("/today/fall/monitoring").status_code == 403
    both = site.signed_in(Role.COMPLIANCE, email="both@example.org")
    site.office.grant(site.account("both@example.org"), Role.CHAIR, Scope.CYCLE, "fall", by="test")

    assert both.get("/today/fall/monitoring").status_code == 403
    refused = both.post("/today/fall/monitoring")
    assert refused.status_code == 403
    assert "violet" not in refused.text
    assert not looks(site)
    assert "/monitoring" not in both.get("/today/fall").text


def test_a_card_is_downloaded_as_page_pdf_and_json(site: Site) -> None:
    finished(site)
    member = site.signed_in(Role.COMMITTEE)

    page = member.get("/applicants/fall/3")
    kinds = {}
    for form in ("html", "pdf", "json"):
        assert f"/applicants/fall/3/card/{form}" in page.text
        got = member.get(f"/applicants/fall/3/card/{form}")
        assert got.status_code == 200
        assert got.headers["content-disposition"] == f'attachment; filename="fall-3-card.{form}"'
        kinds[form] = got.headers["content-type"]
        assert b"Name 3" in got.content or form == "pdf"
    assert kinds["pdf"] == "application/pdf"
    assert member.get("/applicants/fall/3/card/docx").status_code == 404
    assert member.get("/applicants/fall/99/card/html").status_code == 404
    assert site.signed_in(Role.COMPLIANCE).get("/applicants/fall/3/card/html").status_code == 403


def test_the_signed_bundle_is_downloaded_without_names(site: Site) -> None:
    finished(site)
    chair = site.signed_in(Role.CHAIR)

    assert "record.bundle" in chair.get("/decide/fall").text
    got = chair.get("/decide/fall/files/record.bundle")

    assert got.status_code == 200
    assert b"Name 3" not in got.content
    assert check_bundle(got.content).passed
    assert site.signed_in(Role.COMPLIANCE).get("/decide/fall/files/record.bundle").content == (
        got.content
    ), "who may export and sees no names may have it too"
