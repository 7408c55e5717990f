"""Small inputs as offices bring them, each from the list to what must come of it, by commands."""

import csv
import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from swapflow import bootstrap
from swapflow.domain.people.application import Application
from swapflow.domain.people.reviewer import Reviewer
from swapflow.ledger.sql_ledger import SqlLedger
from tests.cli.office import Office


RULES = """
purpose = "real"
budget = 900
rule = "budget"
blind = {blind}
zone = "Europe/Vienna"

[[places]]
name = "studio"
number = {places}

[[kinds]]
name = "review"
cost = 15
gain = 1
maximum = 3
window_days = 10

[[floors]]
kind = "review"
count = {floor}
for = "all"

[[rubrics]]
kind = "review"

[[rubrics.criteria]]
name = "Craft"
weight = 1
marks = [
  {{ mark = 1, means = "not yet" }},
  {{ mark = 3, means = "sound" }},
  {{ mark = 5, means = "masterly" }},
]
"""

Rows = Sequence[Mapping[str, str]]


def program(office: Office, *, blind: bool = True, places: int = 1, floor: int = 1) -> None:
    """Make the program `art`."""
    office.do("db", "upgrade")
    office.do("round", "new", "spring", "--name", "Spring 2031")
    text = RULES.format(blind=str(blind).lower(), places=places, floor=floor)
    rules = office.write("art.toml", text)
    office.do("cycle", "new", "art", "--round", "spring", "--rules", rules)


def people(*names: str, house: str = "atelier") -> list[dict[str, str]]:
    """Applicants by id, with an address each."""
    return [
        {
            "id": one,
            "name": f"Painter {one}",
            "email": f"{one}@{house}.example",
            "essay": f"On {one}",
        }
        for one in names
    ]


def roster(*names: str) -> list[dict[str, str]]:
    return [{"id": one, "name": f"Judge {one}", "email": f"{one}@jury.example"} for one in names]


def filled(office: Office, applicants: Rows, reviewers: Rows, *, launch: bool = True) -> None:
    """Import both lists, and launch."""
    office.do(
        "applications", "import", "art", office.write("a.csv", applicants), "--show-proposed"
    )
    office.do("reviewers", "import", "art", office.write("r.csv", reviewers))
    if launch:
        office.do("cycle", "launch", "art")
        office.turn()


def told(said: Any) -> str:  # noqa: ANN401 - what a command came to
    """Return everything that a command said, on one line."""
    return " ".join(f"{said.out} {said.err}".split())


def tasks(office: Office, reviewer: str) -> list[str]:
    """List whom a reviewer is asked about, by id."""
    return [office.applicant_of(task) for task in office.tasks(reviewer, "art")]


def score(office: Office, reviewer: str, applicant: str, mark: int = 3) -> None:
    (task,) = [t for t in office.tasks(reviewer, "art") if office.applicant_of(t) == applicant]
    office.do(
        "inbox", "score", str(task["task"]), "--reviewer", reviewer, f"--mark=Craft={mark}"
    )  # fmt: skip


def reviewers() -> dict[str, Reviewer]:
    """Read the roster as it is stored."""
    return {one.external_id: one for one in bootstrap.swapflow().reviewers.list("art")}


def applicants() -> dict[str, Application]:
    """Read the applicants as they are stored."""
    return {one.external_id: one for one in bootstrap.swapflow().applicants.list("art")}


def workbook(rows: Sequence[Sequence[object]]) -> Any:  # noqa: ANN401 - the library has no types
    """Make a workbook of one sheet, to be changed and kept."""
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in rows:
        sheet.append(list(row))
    return book


def kept(office: Office, book: Any, name: str) -> str:  # noqa: ANN401 - untyped
    path = office.folder / name
    book.save(path)
    return str(path)


# Case cf, a conflict that is recorded late


def test_a_conflict_recorded_late_takes_back_what_is_out_and_names_a_score(office: Office) -> None:
    program(office, floor=2)
    filled(office, people("P1", "P2", "P3"), roster("j1", "j2", "j3"))
    first = tasks(office, "j1")
    office.do(
        "reviewers", "conflicts", "art", "--applicant", first[0], "--reviewer", "j1"
    )  # fmt: skip
    office.turn()
    assert first[0] not in tasks(office, "j1")

    score(office, "j1", first[1])
    office.do("reviewers", "conflicts", "art", "--applicant", first[1], "--reviewer", "j1")
    status = office.do("cycle", "status", "art")
    assert first[1] in told(status)
    assert len(office.ask("cycle", "status", "art")["conflicting_scores"]) == 1
    assert "conflicting_scores" in {
        one["code"] for one in office.ask("cycle", "to-do", "art")["to_do"]
    }


# Case self, a reviewer who is an applicant


def test_a_reviewer_who_is_an_applicant_is_not_asked_about_themself(office: Office) -> None:
    program(office)
    them = [{"id": "P1", "name": "Nora Field", "email": "NORA@field.example"}, *people("P2", "P3")]
    judges = [{"id": "j1", "name": "Nora Field", "email": "nora@Field.example"}, *roster("j2")]
    listed = [{**dict.fromkeys(("essay",), ""), **one} for one in them]
    office.do("applications", "import", "art", office.write("a.csv", listed), "--show-proposed")
    said = told(office.do("reviewers", "import", "art", office.write("r.csv", judges)))
    office.do("cycle", "launch", "art")
    office.turn()

    assert "P1" in said
    assert "conflict" in said
    assert "P1" not in tasks(office, "j1")
    assert "P1" in tasks(office, "j2")


# Case wr, withdrawn and reinstated


def test_a_reinstated_applicant_gets_the_same_request_and_its_draft_again(office: Office) -> None:
    program(office, floor=2)
    filled(office, people("P1", "P2"), roster("j1", "j2"))
    score(office, "j1", "P1")
    (before,) = [t for t in office.tasks("j2", "art") if office.applicant_of(t) == "P1"]
    product = bootstrap.swapflow()
    number = next(r.number for r in product.reviewers.list("art") if r.external_id == "j2")
    found = product.tasks.find(str(before["task"]), reviewer=number)
    product.tasks.begin(found)
    product.tasks.save_draft(found, {"remark": "half a thought"}, version=0)

    office.do("applications", "withdraw", "art", "P1", "--reason", "by telephone")
    office.turn()
    assert "P1" not in tasks(office, "j2")
    office.do("applications", "reinstate", "art", "P1", "--reason", "a misunderstanding")
    office.turn()

    (after,) = [t for t in office.tasks("j2", "art") if office.applicant_of(t) == "P1"]
    assert after["task"] == before["task"]
    draft = product.tasks.page(product.tasks.find(str(after["task"]), reviewer=number)).draft
    assert draft is not None
    assert draft.body["remark"] == "half a thought"
    scores = office.ask("scores", "list", "art")["scores"]
    assert len(scores) == 1


# Case busy, declined until a day


def test_busy_until_today_bars_nobody_for_good(office: Office) -> None:
    program(office)
    filled(office, people("P1", "P2"), roster("j1"))
    task = office.tasks("j1", "art")[0]
    who = office.applicant_of(task)
    today = datetime.now(UTC).date().isoformat()
    office.do(
        "inbox", "decline", str(task["task"]), "--reviewer", "j1", "--kind", "busy",
        "--until", today,
    )  # fmt: skip
    office.turn()
    assert who not in tasks(office, "j1")

    ledger = bootstrap.swapflow().context.ledger
    assert isinstance(ledger, SqlLedger)
    ledger.set_clock_offset(36 * 3600)
    office.turn()
    assert who in tasks(office, "j1")


# Case vd, all voided, and undone


def test_a_void_of_all_is_undone_and_the_export_has_one_row_a_review(office: Office) -> None:
    program(office)
    filled(office, people("P1", "P2", "P3", "P4", "P5"), roster("j1"))
    for one in tasks(office, "j1"):
        score(office, "j1", one)
    before = office.ask("scores", "list", "art")["scores"]
    office.do(
        "scores", "void", "--cycle", "art", "--reviewer", "j1", "--reason", "marked upside down"
    )  # fmt: skip
    assert not any(one["counts"] for one in office.ask("scores", "list", "art")["scores"])
    office.do(
        "scores", "restore", "--cycle", "art", "--reviewer", "j1", "--reason", "another list"
    )  # fmt: skip
    office.do("cycle", "export", "art", "--out", "out")

    after = office.ask("scores", "list", "art")["scores"]
    assert len(before) == 5
    assert [(one["score"], one["value"]) for one in after] == [
        (one["score"], one["value"]) for one in before
    ]
    assert all(one["counts"] for one in after)
    file = next(Path("out").rglob("scores.csv"))
    rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8-sig"))))
    assert len(rows) == 5
    counts = {value for row in rows for name, value in row.items() if name.startswith("counts")}
    assert counts == {"yes"}


# Case tie, all equal at the cut


def test_equal_marks_are_all_too_close_and_a_waitlisted_person_can_withdraw(
    office: Office,
) -> None:
    program(office, places=2)
    filled(office, people("P1", "P2", "P3", "P4", "P5"), roster("j1", "j2", "j3"))
    for _ in range(20):
        for judge in ("j1", "j2", "j3"):
            for one in tasks(office, judge):
                score(office, judge, one)
        office.turn()
        if office.ask("cycle", "status", "art")["status"] != "running":
            break
    else:
        office.do("cycle", "stop", "art", "--reason", "enough read")
    if office.ask("cycle", "status", "art")["status"] == "proposed":
        office.do("cycle", "stop", "art", "--reason", "nothing is left to read")
    proposed = office.ask("cycle", "finalize", "art", "--check")
    listed = office.ask("cycle", "finalize", "art", "--by", "Dean")
    waiting = listed["waitlist"][0]
    office.do("applications", "withdraw", "art", waiting, "--reason", "took a place elsewhere")

    assert all(place["too_close_to_call"] for place in proposed["places"])
    assert len(listed["selected"]) == 2
    assert applicants()[waiting].status.value == "withdrawn"
    offered = office.do("offers", "make", "art", "--until", "2090-01-01")
    assert waiting not in told(offered)


# Case b1, names and addresses that a later list mends


def test_a_mended_list_stores_names_and_addresses_and_says_each(office: Office) -> None:
    program(office)
    judges = [
        {"id": "j1", "name": "Una", "email": "una+jury@house.example"},
        {"id": "j2", "name": "Vic", "email": "Vic.Long@House.Example"},
    ]
    filled(office, people("P1", "P2"), judges)
    mended = [{"id": "j1", "name": "Una North", "email": "una.new@house.example"}]
    said = told(office.do("reviewers", "import", "art", office.write("m.csv", mended)))
    only_name = office.write("n.csv", [{"id": "j2", "name": "Victor"}])
    named = told(office.do("reviewers", "import", "art", only_name))

    assert "una.new@house.example" in said
    assert "Victor" in named
    assert reviewers()["j1"].name == "Una North"
    assert reviewers()["j1"].email == "una.new@house.example"
    assert reviewers()["j2"].email.lower() == "vic.long@house.example"
    mails = bootstrap.swapflow().outbox.mails("art")
    assert {m.mail.to.lower() for m in mails if m.mail.state == "queued"} <= {
        "una.new@house.example",
        "vic.long@house.example",
    }


# Case dup, one person twice


@pytest.mark.parametrize("again", ["J2 ", " j2", "J2", "j2\u00a0"])
def test_one_person_twice_on_a_roster_is_one_reviewer(office: Office, again: str) -> None:
    program(office, floor=2)
    judges = [*roster("j2"), *roster("j3")]
    filled(office, people("P1", "P2", "P3"), judges, launch=False)
    twice = [{"id": again, "name": "Judge j2", "email": "J2@Jury.example"}]
    office.do("reviewers", "import", "art", office.write("again.csv", twice))
    office.do("cycle", "launch", "art")
    office.turn()

    assert set(reviewers()) == {"j2", "j3"}
    asked = tasks(office, "j2")
    assert len(asked) == len(set(asked))


# Case a18, a list of addresses alone


def test_what_a_list_of_addresses_does_not_say_stays(office: Office) -> None:
    program(office)
    full = [
        {
            "id": "j1", "name": "Una", "email": "una@house.example", "capacity:review": "4",
            "packet": "3", "topics": "oil; ink", "group": "East", "away": "2031-02-01..2031-02-09",
        },
        {
            "id": "j2", "name": "Vic", "email": "vic@house.example", "capacity:review": "no",
            "packet": "", "topics": "clay", "group": "West", "away": "",
        },
    ]  # fmt: skip
    filled(office, people("P1"), full, launch=False)
    before = reviewers()
    addresses = office.write(
        "addresses.csv",
        [
            {"id": "j1", "email": "una.new@house.example"},
            {"id": "j2", "email": "vic.new@house.example"},
        ],
    )
    said = told(office.do("reviewers", "import", "art", addresses))
    after = reviewers()

    assert "una.new@house.example" in said
    assert "capacity" not in said
    for one in ("j1", "j2"):
        assert replace(before[one], email="") == replace(after[one], email="")
        assert after[one].email.endswith(".new@house.example")
    assert after["j1"].capacity == {"review": 4}
    assert after["j2"].capacity == {}


# Case a12, cells that show a percentage


def test_a_percentage_in_a_sheet_of_scores_is_what_it_shows(office: Office) -> None:
    program(office)
    filled(office, people("P1", "P2"), roster("j1"))
    book = workbook([("applicant", "reviewer", "score"), ("P1", "j1", 0.65)])
    book.active["C2"].number_format = "0%"
    said = office.run(
        "scores", "import", "art", kept(office, book, "s.xlsx"), "--kind", "review",
        "--scale", "0..100",
    )  # fmt: skip

    if said.code == 0:
        (one,) = office.ask("scores", "list", "art", "--uncounted")["scores"]
        assert float(one["value"]) == pytest.approx(65)
    else:
        assert "65" in told(said)
        assert "2" in told(said)


# Case a5, m5, what stands around a table


def test_titles_and_notes_around_a_table_are_no_applicants(office: Office) -> None:
    program(office, blind=False)
    book = workbook(
        [
            ("Residencies 2031, all", None, None),
            (None, None, None),
            ("ID", "Name", "E-mail"),
            ("P1", "Iris", "iris@studio.example"),
            ("P2", "Jon", "jon@studio.example"),
            (None, None, None),
            ("Source: list of the registry, as of March", None, None),
        ],
    )
    book.active.merge_cells("A1:C1")
    office.do("applications", "import", "art", kept(office, book, "titled.xlsx"))
    assert set(applicants()) == {"P1", "P2"}

    noted = office.write(
        "noted.csv",
        'id,name,email\nP3,Kit,kit@studio.example\n\n"Note: without late entries, by hand",,\n',
    )
    said = office.run("applications", "import", "art", noted)
    assert set(applicants()) <= {"P1", "P2", "P3"}
    assert said.code == 0 or "Note" in told(said)


# Case a7, ids that became dates


def test_ids_that_became_dates_are_refused_and_the_right_list_comes_in(office: Office) -> None:
    program(office, blind=False)
    book = workbook([("id", "name"), (date(2031, 5, 4), "Iris"), ("17-3", "Jon")])
    book.active["A2"].number_format = "d-mmm"
    refused = office.run("applications", "import", "art", kept(office, book, "dated.xlsx"))
    right = office.write("right.csv", "id,name\n4-5,Iris\n17-3,Jon\n")

    assert refused.code != 0
    assert "date" in told(refused)
    assert applicants() == {}
    office.do("applications", "import", "art", right)
    assert set(applicants()) == {"4-5", "17-3"}


# Case a11, a hidden column


def test_a_hidden_column_of_a_sheet_reaches_no_reviewer(office: Office) -> None:
    program(office, blind=False)
    book = workbook(
        [
            ("id", "name", "essay", "board only"),
            ("P1", "Iris", "On light", "niece of the patron"),
            ("P2", "Jon", "On shade", "left a debt"),
        ],
    )
    book.active.column_dimensions["D"].hidden = True
    said = told(office.do("applications", "import", "art", kept(office, book, "h.xlsx")))
    office.do("reviewers", "import", "art", office.write("r.csv", roster("j1")))
    office.do("cycle", "launch", "art")
    office.turn()

    assert "board only" in said
    for task in office.tasks("j1", "art"):
        shown = told(office.do("inbox", "show", str(task["task"]), "--reviewer", "j1"))
        assert "patron" not in shown
        assert "debt" not in shown


# Case a15, who an applicant is, in a blind program


def test_identifying_columns_and_every_spelling_of_a_name_stay_hidden(office: Office) -> None:
    program(office)
    secret = {
        "Mobile": "+43 660 5", "Postal address": "Gasse 9, Graz", "Instagram": "@irisgruen",
        "Mädchenname": "Köhler", "Staatsangehörigkeit": "Österreich", "Lieu de naissance": "Lyon",
        "Fecha de nacimiento": "2001-04-05", "Anrede": "Frau", "Guardian": "Otto Grün",
    }  # fmt: skip
    first = {
        "id": "P1", "name": "Íris Grün", "email": "iris@studio.example",
        "essay": "I, Iris Gruen, called Íris Grün; see linkedin.com/in/iris-gruen and @irisgruen",
        **secret,
    }  # fmt: skip
    others = [
        {**first, **dict.fromkeys(secret, "n"), **one, "essay": "On form"}
        for one in people("P2", "P3")
    ]
    file = office.write("a.csv", [first, *others])
    office.do("applications", "import", "art", file, "--show-proposed")
    office.do("reviewers", "import", "art", office.write("r.csv", roster("j1")))
    office.do("cycle", "launch", "art")
    office.turn()

    for task in office.tasks("j1", "art"):
        shown = told(office.do("inbox", "show", str(task["task"]), "--reviewer", "j1"))
        for word in (*secret.values(), "Iris", "Íris", "Gruen", "Grün", "iris-gruen"):
            assert word == "n" or word not in shown, word
    listed = told(office.do("inbox", "list", "art", "--reviewer", "j1"))
    assert "P1" not in listed
    assert "iris@" not in listed


# Case a14, addresses as people write them


@pytest.mark.parametrize(
    ("typed", "known"),
    [
        ("Jon Moss <jon@studio.example>", "jon@studio.example"),
        ('"Moss, J." <jon@studio.example>', "jon@studio.example"),
        ("jon+2031@studio.example", "jon+2031@studio.example"),
        ("JON@STUDIO.EXAMPLE", "jon@studio.example"),
    ],
)
def test_an_address_is_taken_out_of_what_surrounds_it(
    office: Office, typed: str, known: str
) -> None:
    program(office, blind=False)
    row = {"id": "P1", "name": "Jon", "email": typed}
    office.do("applications", "import", "art", office.write("a.csv", [row]))
    office.do("reviewers", "import", "art", office.write("r.csv", [{**row, "id": "j1"}]))

    assert bootstrap.swapflow().applicants.list("art")[0].email.lower() == known
    assert reviewers()["j1"].email.lower() == known


@pytest.mark.parametrize(
    "typed", ["jon@studio.example; moss@studio.example", "jon@studio", "jon@@studio.example"]
)
def test_an_address_that_cannot_work_is_refused_by_its_line(office: Office, typed: str) -> None:
    program(office, blind=False)
    row = {"id": "P1", "name": "Jon", "email": typed}
    for what, name in (("applications", "P1"), ("reviewers", "j1")):
        said = office.run(what, "import", "art", office.write("x.csv", [{**row, "id": name}]))
        assert said.code != 0
        assert "2" in told(said)
        assert "email" in told(said)


# Case a23, ids that differ by their spelling


@pytest.mark.parametrize(("one", "other"), [("0042", "42"), ("3003", "3003.0")])
def test_ids_that_may_be_the_same_are_named(office: Office, one: str, other: str) -> None:
    program(office, blind=False)
    file = office.write("a.csv", f"id,name\n{one},Iris\n{other},Jon\n")
    said = office.run("applications", "import", "art", file)

    assert one in told(said)
    assert other in told(said)


# Case strict, Strict Open XML


def test_a_strict_workbook_is_read_or_named(office: Office) -> None:
    program(office, blind=False)
    book = workbook([("id", "name"), ("P1", "Iris"), ("P2", "Jon")])
    plain = Path(kept(office, book, "plain.xlsx"))
    strict = office.folder / "strict.xlsx"
    swaps = {
        b"http://schemas.openxmlformats.org/spreadsheetml/2006/main":
            b"http://purl.oclc.org/ooxml/spreadsheetml/main",
        b"http://schemas.openxmlformats.org/officeDocument/2006/relationships":
            b"http://purl.oclc.org/ooxml/officeDocument/relationships",
    }  # fmt: skip
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(strict, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            for old, new in swaps.items():
                content = content.replace(old, new)
            target.writestr(name, content)
    said = office.run("applications", "import", "art", str(strict))

    if said.code == 0:
        assert set(applicants()) == {"P1", "P2"}
    else:
        assert "xlsx" in told(said)
    assert "Warning" not in told(said)
