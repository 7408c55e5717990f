"""Files of applicants and reviewers: looked at first, then taken whole or not at all."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from openpyxl import Workbook
from starlette.testclient import TestClient

from swapflow.domain.rules import AutomaticReview
from swapflow.identity.permissions import Role
from tests.web.cycle.list_uploads import apply, keep
from tests.web.site import Site


GOOD = "external_id,name,email\nB1,Bea,b1@example.com\nB2,Çağrı,b2@example.com\n"


def empty(site: Site) -> TestClient:
    site.launched("fall", launch=False, applicants=0, roster=0)
    return site.signed_in(Role.OPERATIONS)


def ids(site: Site) -> list[str]:
    return [a.external_id for a in site.product.applicants.list("fall")]


def test_a_good_file_is_shown_first_and_imported_whole(site: Site) -> None:
    client = empty(site)

    path = keep(client, GOOD)
    page = client.get(path).text
    assert ids(site) == []
    done = apply(client, path)

    assert "everything can be imported" in page
    assert "Çağrı" in page
    assert done.status_code == 303, done.text
    assert ids(site) == ["B1", "B2"]
    assert "2 applicants imported" in client.get(done.headers["location"]).text


def test_one_bad_row_keeps_the_whole_file_out_and_is_named(site: Site) -> None:
    client = empty(site)

    path = keep(client, GOOD + ",Nobody,n@example.com\n")
    page = client.get(path).text
    refused = apply(client, path)

    assert "<td>4</td>" in page
    assert "nothing can be imported yet" in page
    assert refused.status_code == 422
    assert ids(site) == []


def test_encoding_and_separator_are_found_and_can_be_said(site: Site) -> None:
    client = empty(site)
    path = keep(client, "Nr;Name;E-Mail\n1;Jürgen;j@example.com\n".encode("cp1252"))

    found = client.get(path).text
    other = client.post(path, data={"do": "preview", "encoding": "cp1251"}).text
    comma = client.post(path, data={"do": "preview", "separator": ","}).text

    assert "Read as cp1252" in found
    assert "Read with semicolons" in found
    assert "Jürgen" in found
    assert "Jьrgen" in other
    assert "Nr;Name;E-Mail" in comma


def test_a_column_is_taken_for_what_staff_say(site: Site) -> None:
    client = empty(site)
    path = keep(client, "code,who,plan\nZ9,Zoe,study\n")

    unmapped = apply(client, path)
    mapped = apply(
        client, path, **{"column.0": "external_id", "column.1": "name", "column.2": "leave out"}
    )

    assert unmapped.status_code == 422
    assert mapped.status_code == 303, mapped.text
    (zoe,) = site.product.applicants.list("fall")
    assert (zoe.external_id, zoe.name, zoe.fields) == ("Z9", "Zoe", {})


def test_a_workbook_and_a_list_of_objects_are_read_too(site: Site) -> None:
    client = empty(site)
    projection = Workbook()
    assert projection.active is not None
    projection.active.append(["id", "name"])
    projection.active.append(["X1", "Xi"])
    file = io.BytesIO()
    projection.save(file)

    first = apply(client, keep(client, file.getvalue(), name="list.xlsx"))
    second = apply(client, keep(client, '[{"id": "J1", "name": "Jo"}]', name="list.json"))

    assert (first.status_code, second.status_code) == (303, 303)
    assert ids(site) == ["X1", "J1"]


def test_the_same_file_again_brings_only_what_is_new(site: Site) -> None:
    client = empty(site)
    apply(client, keep(client, GOOD))

    more = apply(client, keep(client, GOOD + "B3,Bo,b3@example.com\n"))

    assert more.headers["location"].endswith("imported=1&known=2")
    assert ids(site) == ["B1", "B2", "B3"]


def test_a_known_id_under_another_name_is_named_before_anything_is_stored(site: Site) -> None:
    client = empty(site)
    apply(client, keep(client, GOOD))

    path = keep(client, "external_id,name,email\nB1,Someone Else,else@example.com\n")

    assert "This id is in the program with another name" in client.get(path).text
    assert apply(client, path).status_code == 422


def test_one_person_under_two_ids_is_pointed_out(site: Site) -> None:
    client = empty(site)
    apply(client, keep(client, GOOD))

    page = client.get(keep(client, "external_id,name,email\nC9,B. Ea,B1@example.com\n")).text

    assert "Perhaps the same person" in page
    row = "<td>the mail address</td><td>{}</td><td>{}</td>"
    assert row.format("B1", "Bea") in page
    assert row.format("C9", "B. Ea") in page


def test_what_is_no_table_is_refused_beside_the_field(site: Site) -> None:
    client = empty(site)

    for name, data in (("cv.pdf", b"%PDF-1.7"), ("x.csv", b""), ("p.csv", b"<html><p>hi")):
        refused = client.post("/setup/fall/applicants", files={"file": (name, data)})
        assert refused.status_code == 422
        assert 'id="file-problem"' in refused.text
    nothing = client.post("/setup/fall/applicants", data={"file": ""})

    assert nothing.status_code == 422
    assert "Choose a file first" in nothing.text


def test_a_kept_file_is_only_for_whoever_uploaded_it(site: Site) -> None:
    client = empty(site)
    path = keep(client, GOOD)
    other = site.signed_in(Role.OPERATIONS, email="other@example.org")

    assert other.get(path).status_code == 404
    assert apply(other, path).status_code == 404
    assert client.get(path.replace("/applicants/", "/reviewers/")).status_code == 404


def test_a_file_that_was_imported_or_thrown_away_is_gone(site: Site, tmp_path: Path) -> None:
    client = empty(site)
    taken, thrown = keep(client, GOOD), keep(client, GOOD)

    apply(client, taken)
    client.post(thrown, data={"do": "drop"})

    assert client.get(taken).status_code == 404
    assert client.get(thrown).status_code == 404
    assert list((tmp_path / "uploads").iterdir()) == []


def test_reviewers_come_in_and_are_changed_in_what_a_later_file_says(
    site: Site,
) -> None:
    client = empty(site)
    first = "id,name,email,most\nR1,Ann,ann@example.org,3\n"

    path = keep(client, first, what="reviewers")
    apply(client, path, **{"column.3": "capacity:review"})
    later = keep(client, "id,name,email\nr1 ,Ann Roe,roe@example.org\n", what="reviewers")
    shown = client.get(later).text
    apply(client, later)

    (ann,) = site.product.reviewers.list("fall")
    assert (ann.name, ann.email, ann.capacity) == ("Ann Roe", "roe@example.org", {"review": 3})
    assert "ann@example.org" in shown
    assert "roe@example.org" in shown
    assert "Change 1 reviewer" in shown


def test_a_conflict_with_an_unknown_applicant_is_named(site: Site) -> None:
    client = empty(site)

    path = keep(client, "id,conflicts\nR1,NOBODY\n", what="reviewers")

    assert "The program has no applicant of this id" in client.get(path).text
    assert apply(client, path).status_code == 422
    assert site.product.reviewers.list("fall") == ()


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        ("truth:/etc/passwd", "SWAPFLOW_AUTOMATIC_FOLDER"),
        ("replay:/etc", "SWAPFLOW_AUTOMATIC_FOLDER"),
        ("https://169.254.169.254/latest", "inside a private network"),
    ],
)
def test_a_list_that_is_uploaded_names_no_file_or_address_of_the_machine(
    site: Site, program: str, problem: str
) -> None:
    client = empty(site)
    allowed = AutomaticReview(purpose="a trial", approver="A. Person", date="2026-01-01")
    rules = replace(site.product.cycles.rules("fall"), version=2, automatic=allowed)
    site.product.cycles.change_rules("fall", rules, by="ops", reason="a trial")

    path = keep(client, f"id,automatic\nR1,\nR2,{program}\n", what="reviewers")
    page = client.get(path).text

    assert problem in page
    assert "<td>3</td>" in page
    assert apply(client, path).status_code == 422
    assert site.product.reviewers.list("fall") == ()


def test_a_chair_imports_nothing(site: Site) -> None:
    empty(site)
    chair = site.signed_in(Role.CHAIR)

    assert chair.get("/setup/fall/applicants").status_code == 403
    assert chair.post("/setup/fall/applicants", files={"file": ("a.csv", GOOD)}).status_code == 403


def test_a_file_that_comes_again_says_what_it_changes_and_what_stays(site: Site) -> None:
    client = empty(site)
    apply(client, keep(client, GOOD))
    site.product.applicants.correct("fall", "B2", {"name": "Cagri"}, by="olga", reason="")

    path = keep(
        client,
        "external_id,name,email\nB1,Bea,bea@example.com\nB2,Çağrı K,b2@example.com\nB3,Bo,\n",
    )
    page = client.get(path).text
    done = apply(client, path)

    assert (
        "<td>B1</td><td>mail address</td><td>b1@example.com</td><td>bea@example.com</td>" in page
    )
    assert "<td>B2</td><td>name</td><td>Cagri</td><td>Çağrı K</td>" in page
    assert page.count("changed by staff") == 1
    assert done.headers["location"].endswith("imported=1&known=1&changed=1")
    assert (
        "1 applicant imported, 1 changed, 1 were there"
        in client.get(done.headers["location"]).text
    )
    assert [(a.name, a.email) for a in site.product.applicants.list("fall")] == [
        ("Bea", "bea@example.com"),
        ("Cagri", "b2@example.com"),
        ("Bo", ""),
    ]


def test_the_rows_to_cure_come_as_a_file(site: Site) -> None:
    client = empty(site)
    path = keep(client, GOOD + ",=Nobody,n@example.com\n")

    file = client.post(path, data={"do": "errors"})

    assert file.headers["content-disposition"] == 'attachment; filename="fall-to-cure.csv"'
    text = file.content.decode("utf-8-sig")
    assert '"line","what is wrong","cure","external_id","name","email"' in text
    assert '4,"external_id: the id is missing"' in text
    assert '"\t=Nobody"' in text
    assert ids(site) == []


def test_how_columns_were_taken_is_remembered_for_the_next_file(site: Site) -> None:
    client = empty(site)
    said = {"said": "yes", "column.0": "external_id", "column.1": "name", "column.2": "leave out"}
    apply(client, keep(client, "code,who,plan\nZ9,Zoe,study\n"), **said)

    path = keep(client, "plan,code,who\nwork,Z8,Max\n")
    page = client.get(path).text
    taken = apply(client, path)

    assert "as in the last list, columns are taken for what was said then" in page
    assert taken.status_code == 303, taken.text
    assert [(a.external_id, a.name, a.fields) for a in site.product.applicants.list("fall")] == [
        ("Z9", "Zoe", {}),
        ("Z8", "Max", {}),
    ]


def test_what_the_form_says_replaces_what_was_remembered(site: Site) -> None:
    client = empty(site)
    said = {"said": "yes", "column.0": "external_id", "column.1": "name", "column.2": "leave out"}
    apply(client, keep(client, "code,who,plan\nZ9,Zoe,study\n"), **said)

    path = keep(client, "code,who,plan\nZ8,Max,work\n")
    apply(client, path, **{**said, "column.2": "as found"})

    assert site.product.applicants.list("fall")[1].fields == {"plan": "work"}


def test_a_greenhouse_list_proposes_the_mail_address_as_its_key(site: Site) -> None:
    client = empty(site)
    path = keep(
        client,
        "First Name,Last Name,Email,Source,Who gets credit,Prospect Pool\n"
        "Ana,Lima,Ana@example.org,Referral,Sam,\n",
    )

    page = client.get(path).text
    unsaid = apply(client, path, said="yes", key="id")
    done = apply(client, path, said="yes", key="email")

    assert "this looks like a list from Greenhouse" in page
    assert '<option value="email" selected>' in page
    assert unsaid.status_code == 422
    assert done.status_code == 303, done.text
    assert ids(site) == ["ana@example.org"]


def test_a_sheet_of_a_workbook_can_be_chosen(site: Site) -> None:
    client = empty(site)
    projection = Workbook()
    for title, external_id in (("One", "X1"), ("Two", "X2")):
        page = projection.create_sheet(title)
        page.append(["id", "name"])
        page.append([external_id, "Xi"])
    del projection["Sheet"]
    file = io.BytesIO()
    projection.save(file)

    path = keep(client, file.getvalue(), name="list.xlsx")
    apply(client, path, sheet="Two")

    assert ids(site) == ["X2"]
