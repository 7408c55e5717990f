"""Cards, bundles and monitoring on the pages: who gets them, and what is written down."""

import csv
import io
import json
import re
import zipfile
from dataclasses import replace

from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import Purpose
from swapflow.files.bundles.check import check_bundle
from swapflow.identity.permissions import Role, Scope
from tests.engine.cycle_by_hand import applicant
from tests.web.api.programs import V1, program
from tests.web.monitored import finished, looks
from tests.web.site import SITE_RULES, Site


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
    assert "red" not in re.findall(r"<th scope=\"row\">(\w+)</th>", seen.text)
    assert "others, merged" in seen.text, "one red and one blue applicant would be known otherwise"
    assert seen.text.index("Furthest behind") < seen.text.index("imported → reviewed")
    assert looks(site) == ["compliance@example.org"]
    both = officer.post("/today/fall/monitoring", data={"cross": ["colour", "shape"]})
    assert "colour × shape" in both.text
    wrong = officer.post("/today/fall/monitoring", data={"cross": ["nothing"]})
    assert wrong.status_code == 422
    assert "was declared by no applicant" in wrong.text
    assert len(looks(site)) == 3


def test_whoever_decides_sees_no_groups_even_with_the_compliance_role(site: Site) -> None:
    finished(site)
    for role in (Role.ADMINISTRATOR, Role.OPERATIONS, Role.CHAIR):
        assert site.signed_in(role).get("/today/fall/monitoring").status_code == 403
    both = site.signed_in(Role.COMPLIANCE, email="both@example.org")
    site.office.users.grant(
        site.account("both@example.org"), Role.CHAIR, Scope.CYCLE, "fall", by="test"
    )

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


def test_the_defence_file_is_one_press_for_those_who_may_take_files(site: Site) -> None:
    finished(site)
    chair, member = site.signed_in(Role.CHAIR), site.signed_in(Role.COMMITTEE)
    page, panel = chair.get("/decide/fall").text, chair.get("/applicants/fall/3").text

    for form in ("html", "pdf", "json"):
        assert f"/decide/fall/defence/{form}" in page
        assert f"/applicants/fall/3/defence/{form}" in panel
        program = chair.get(f"/decide/fall/defence/{form}")
        one = chair.get(f"/applicants/fall/3/defence/{form}")
        assert (program.status_code, one.status_code) == (200, 200)
        assert f'filename="fall-3-defence.{form}"' in one.headers["content-disposition"]
        assert b"Name 3" in one.content or form == "pdf"
        api = chair.get(f"{V1}/cycles/fall/defence/{form}")
        assert api.content == program.content or form != "json"
        assert chair.get(f"{V1}/cycles/fall/applicants/3/defence/{form}").status_code == 200
    assert "Why did I get fewer reviews" in chair.get("/applicants/fall/3/defence/html").text
    assert chair.get("/decide/fall/defence/docx").status_code == 404
    assert member.get("/decide/fall/defence/html").status_code == 403
    assert member.get("/applicants/fall/3/defence/html").status_code == 403
    assert "/defence/" not in member.get("/applicants/fall/3").text


def test_reviewers_are_named_in_a_defence_file_for_those_who_may_see_them(site: Site) -> None:
    finished(site)
    chair, office = site.signed_in(Role.CHAIR), site.signed_in(Role.COORDINATOR)

    numbered = office.get("/applicants/fall/3/defence/html").text
    named = office.get("/applicants/fall/3/defence/html?reviewers=true").text

    assert "reviewer R" not in numbered
    assert "reviewer R" in named
    assert "?reviewers=true" in office.get("/applicants/fall/3").text
    assert "?reviewers=true" not in chair.get("/applicants/fall/3").text
    for path in ("/applicants/fall/3", f"{V1}/cycles/fall/applicants/3"):
        assert chair.get(f"{path}/defence/html?reviewers=true").status_code == 403
        assert office.get(f"{path}/defence/html?reviewers=true").status_code == 200


def test_compliance_has_the_file_with_groups_and_without_applicants(site: Site) -> None:
    finished(site)
    officer = site.signed_in(Role.COMPLIANCE)

    plain = officer.get("/decide/fall/defence/html").text
    page = officer.post("/today/fall/monitoring").text
    before = len(looks(site))
    with_groups = officer.post("/today/fall/monitoring/defence", data={"form": "html"})

    assert "/today/fall/monitoring/defence" in page
    assert with_groups.status_code == 200
    assert "Reviews by group" in with_groups.text
    assert "violet" in with_groups.text
    assert len(looks(site)) == before + 1
    assert "Reviews by group" not in plain
    assert "violet" not in plain
    for said in (plain, with_groups.text):
        assert "A003" not in said
        assert "Name 3" not in said
    assert officer.get("/applicants/fall/3/defence/html").status_code == 404
    chair = site.signed_in(Role.CHAIR)
    assert chair.post("/today/fall/monitoring/defence", data={"form": "html"}).status_code == 403


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


def test_groups_are_taken_as_files_and_through_a_persons_api_and_each_is_on_record(
    site: Site,
) -> None:
    finished(site)
    officer = site.signed_in(Role.COMPLIANCE)

    guarded = officer.post("/today/fall/monitoring/files", data={"form": "csv"})
    plain = officer.post(f"{V1}/cycles/fall/monitoring")
    packed = officer.post(f"{V1}/cycles/fall/monitoring?form=json&cross=colour&cross=shape")

    lists = zipfile.ZipFile(io.BytesIO(guarded.content))
    assert lists.namelist() == ["monitoring-stages.csv", "monitoring-effort.csv"]
    assert b"violet" in lists.read("monitoring-stages.csv")
    assert plain.json()["people"] == 12
    both = zipfile.ZipFile(io.BytesIO(packed.content)).read("monitoring-stages.json")
    assert "colour × shape" in {row["attributes"] for row in json.loads(both)}
    assert looks(site) == ["compliance@example.org"] * 3
    strange = officer.post("/today/fall/monitoring/files", data={"form": "pdf"})
    wrong = officer.post("/today/fall/monitoring/files", data={"cross": ["nothing"]})
    assert (strange.status_code, wrong.status_code) == (404, 422)


def test_no_key_and_nobody_who_decides_takes_groups_from_the_api(site: Site) -> None:
    finished(site)
    key = program(site, Role.COMPLIANCE)
    chair = site.signed_in(Role.CHAIR)

    for client in (key, chair):
        assert client.post(f"{V1}/cycles/fall/monitoring").status_code == 403
    assert looks(site) == []


def test_a_program_takes_cards_as_the_page_gives_them(site: Site) -> None:
    finished(site)
    member = program(site, Role.COMMITTEE, scopes=("read",))
    page = site.signed_in(Role.COMMITTEE, email="member@example.org")

    for form, media in (
        ("html", "text/html"),
        ("pdf", "application/pdf"),
        ("json", "application"),
    ):
        got = member.get(f"{V1}/cycles/fall/applicants/3/card/{form}")
        assert got.status_code == 200
        assert got.headers["content-type"].startswith(media)
        assert got.headers["content-disposition"] == f'attachment; filename="fall-3-card.{form}"'
    card = member.get(f"{V1}/cycles/fall/applicants/3/card/json").json()
    shown = page.get("/applicants/fall/3/card/json").json()
    assert card | {"at": ""} == shown | {"at": ""}, "all but the moment at which it was made"
    assert member.get(f"{V1}/cycles/fall/applicants/99/card/json").status_code == 404
    assert member.get(f"{V1}/cycles/fall/applicants/3/card/docx").status_code == 422
    compliance = program(site, Role.COMPLIANCE)
    assert compliance.get(f"{V1}/cycles/fall/applicants/3/card/json").status_code == 403


def test_a_program_takes_the_signed_record_and_with_names_only_who_sees_everybody(
    site: Site,
) -> None:
    finished(site)
    staff, compliance = program(site), program(site, Role.COMPLIANCE)
    chair = program(site, Role.CHAIR)

    got = compliance.get(f"{V1}/cycles/fall/bundle")
    named = staff.get(f"{V1}/cycles/fall/bundle?names=true")

    assert check_bundle(got.content).passed
    assert check_bundle(named.content).passed
    assert got.headers["content-disposition"] == 'attachment; filename="fall.bundle"'
    assert got.content == staff.get(f"{V1}/cycles/fall/files/record.bundle").content
    assert len(named.content) > len(got.content)
    for nobody in (compliance, chair):
        refused = nobody.get(f"{V1}/cycles/fall/bundle?names=true")
        assert refused.status_code == 403
        assert "names" in refused.json()["detail"]
    taken = [
        e.who
        for _, e in site.office.context.ledger.audit(cycle_id="fall")
        if "with names" in e.what
    ]
    assert taken == ["administrator@example.org (by a key)"]


def test_a_record_that_is_not_finished_is_refused_in_words(site: Site) -> None:
    site.launched()

    refused = program(site).get(f"{V1}/cycles/fall/bundle")

    assert refused.status_code == 422
    assert "makes a list final first" in refused.json()["detail"]


def test_a_program_takes_lists_with_and_without_the_guard(site: Site) -> None:
    site.launched(applicants=0, launch=False)
    site.product.applicants.import_all("fall", [applicant(f"=1+{n}") for n in range(9)])
    site.product.cycles.launch("fall", by="ops")
    api = program(site)

    guarded = api.get(f"{V1}/cycles/fall/files/proposed.csv").content
    raw = api.get(f"{V1}/cycles/fall/files/proposed.csv?raw=true").content

    assert b'"\t=1+' in guarded
    assert b'"=1+' in raw


def finished_scores(site: Site) -> None:
    """A launched program in which every first request was answered."""
    rules = replace(SITE_RULES, rubrics=(), purpose=Purpose.SIMULATION, blind=False, budget=12)
    site.launched(rules=rules)
    site.turn()
    for number, task in enumerate(site.ledger.assignments("fall")):
        site.product.tasks.submit([Answer(assignment_id=task.id, utility=0.3 + number / 40)])


def test_after_a_void_the_list_of_scores_says_once_what_counts_and_history_says_the_rest(
    site: Site,
) -> None:
    finished_scores(site)
    api = program(site)
    victim = site.product.scores.list("fall")[0].assignment_id
    site.product.scores.void([victim], by="ops", reason="wrong person")

    def rows(name: str) -> list[dict[str, str]]:
        text = api.get(f"{V1}/cycles/fall/files/{name}?raw=true").text
        return list(csv.DictReader(io.StringIO(text.lstrip("\ufeff"))))

    now = [row for row in rows("scores.csv") if row["score_id"] == victim]
    history = [row for row in rows("score-history.csv") if row["score_id"] == victim]
    every = [row["score_id"] for row in rows("scores.csv")]

    assert [row["counts"] for row in now] == ["no"]
    assert [(row["counted"], row["valid"]) for row in history] == [("yes", "no"), ("no", "yes")]
    assert len(every) == len(set(every))
