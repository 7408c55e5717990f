"""Sheets for reviewers who answer by mail: out, filled in, and back through import."""

import csv
import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import pytest
from openpyxl import load_workbook
from starlette.testclient import TestClient

from swapflow.domain.cohort.proposal import Waiver
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.reviewer import DeclineKind
from swapflow.domain.reviewing.assignment import Assignment
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import Floor
from swapflow.engine.scoring.sheet_plan import ReturnedRow
from swapflow.files.exports.offline_sheet import NOT_ASKED, sheet_file
from swapflow.files.exports.writers import Format
from swapflow.files.imports.offline_sheet import read_sheet_file
from swapflow.identity.permissions import Role
from tests.engine.cycle_by_hand import applicant, reviewer
from tests.web.site import RUBRIC, SITE_RULES, Site


KEY = "request key"
PREPARATION = "mark: Preparation [1, 2, 3, 4 or N/A]"
PROMISE = "mark: Promise [1, 2, 3 or N/A]"


@dataclass
class Paper:
    """A sheet in a reviewer's hands: rows by header, as a spreadsheet program would save them."""

    name: str
    headers: list[str]
    rows: list[dict[str, str]] = field(default_factory=list)

    def fill(self, row: int, preparation: str, promise: str, **others: str) -> None:
        self.rows[row] |= {PREPARATION: preparation, PROMISE: promise, **others}

    def csv(self) -> bytes:
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, self.headers)
        writer.writeheader()
        writer.writerows(self.rows)
        return text.getvalue().encode()


def staff_of(site: Site) -> TestClient:
    return site.signed_in(Role.OPERATIONS)


def number_of(site: Site, name: str) -> int:
    return next(r.number for r in site.product.reviewers.list("fall") if r.external_id == name)


def taken(site: Site, name: str = "R1", form: str = "csv") -> Paper:
    answer = staff_of(site).get(f"/reviewers/fall/{number_of(site, name)}/sheet?form={form}")
    assert answer.status_code == 200
    file = re.search(r'filename="([^"]+)"', answer.headers["content-disposition"])
    assert file is not None
    if form == "csv":
        reader = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline=""))
        return Paper(file[1], list(reader.fieldnames or ()), [dict(row) for row in reader])
    page = load_workbook(io.BytesIO(answer.content)).worksheets[0]
    headers, *rows = ([str(c or "") for c in row] for row in page.iter_rows(values_only=True))
    return Paper(file[1], headers, [dict(zip(headers, row, strict=True)) for row in rows])


def sent_back(site: Site, data: bytes, name: str = "back.csv", **typed: str) -> tuple[str, str]:
    """Upload a file; gives the address and the text of its preview."""
    staff = staff_of(site)
    kept = staff.post("/reviewers/fall/sheets", files={"file": (name, data)}, data=typed)
    assert kept.status_code == 303, kept.text
    address = kept.headers["location"]
    return address, staff.get(address).text


def stored(site: Site, data: bytes, name: str = "back.csv") -> str:
    """Upload a file and store what it holds; gives the page that says what came of it."""
    staff = staff_of(site)
    address, _ = sent_back(site, data, name)
    done = staff.post(address, data={"do": "apply"})
    return staff.get(done.headers["location"]).text if done.status_code == 303 else done.text


def test_a_sheet_goes_out_and_its_reviews_come_back_under_both_names(site: Site) -> None:
    site.launched()
    waiting = site.product.tasks.inbox("fall", "R1")
    paper = taken(site)
    assert paper.name == f"fall-reviewer-{number_of(site, 'R1')}.csv"
    assert [row[KEY] for row in paper.rows] == [site.product.tasks.code(a.id) for a in waiting]

    paper.fill(0, "4", "N/A", remark="Clear and careful.")
    paper.fill(1, "2", "3")
    said = stored(site, paper.csv())

    assert "2 reviews stored" in said
    first, second = (site.product.tasks.score(a.id) for a in waiting[:2])
    assert first is not None
    assert first.marks == {"Preparation": 4.0, "Promise": None}
    assert first.remark == "Clear and careful."
    assert (first.score.reviewer, first.score.typed_by) == (
        number_of(site, "R1"),
        "operations@example.org",
    )
    assert first.score.counts
    assert second is not None
    assert second.marks == {"Preparation": 2.0, "Promise": 3.0}
    assert [a.id for a in site.product.tasks.inbox("fall", "R1")] == [a.id for a in waiting[2:]]
    line = next(
        e for _, e in site.office.context.ledger.audit(at_most=50) if "from a file" in e.what
    )
    assert line.who == "operations@example.org"
    assert "R1" in line.detail


def test_the_same_sheet_twice_changes_nothing_and_another_mark_is_a_correction(site: Site) -> None:
    site.launched()
    task = site.product.tasks.inbox("fall", "R1")[0]
    paper = taken(site)
    paper.fill(0, "4", "3", **{"note to staff": "met once"})
    stored(site, paper.csv())
    events = site.product.cycles.get("fall").position.seq

    _, again = sent_back(site, paper.csv())
    assert "nothing new is in the file" in again
    assert site.product.cycles.get("fall").position.seq == events

    paper.fill(0, "1", "3")
    _, other = sent_back(site, paper.csv())
    assert "another review is stored, and stays on record" in other
    assert "1 review stored" in stored(site, paper.csv())
    given = site.product.tasks.score(task.id)
    assert given is not None
    assert (given.score.revision, given.marks["Preparation"]) == (2, 1.0)
    assert given.notes == {"private": "met once"}


def test_looking_at_a_sheet_stores_nothing(site: Site) -> None:
    site.launched()
    paper = taken(site)
    paper.fill(0, "4", "3")

    _, page = sent_back(site, paper.csv())

    assert "everything can be stored" in page
    assert site.product.scores.list("fall") == ()


@dataclass(frozen=True)
class Fault:
    """One thing wrong in a row, and what must be said of it."""

    name: str
    cells: Mapping[str, str]
    said: str


FAULTS = (
    Fault("unknown key", {KEY: "fall:0123456789abcdef"}, "The key was changed"),
    Fault("no program's key", {KEY: "fell:0123456789abcdef"}, "The key was changed"),
    Fault("no key", {KEY: ""}, "The key is missing"),
    Fault("edited reviewer", {"reviewer": "R2"}, "not this reviewer&#39;s"),
    Fault("edited applicant", {"applicant": "A999"}, "The applicant was changed"),
    Fault("mark off the scale", {PREPARATION: "9"}, "none of the marks"),
    Fault("no number", {PREPARATION: "good"}, "This is no mark"),
    Fault("a dash for a mark", {PREPARATION: "-"}, "Write N/A"),
    Fault("a formula", {PREPARATION: "=1+1"}, "This is no mark"),
    Fault("a criterion left out", {PREPARATION: ""}, "No mark is given"),
    Fault("everything N/A", {PREPARATION: "N/A", PROMISE: "n/a"}, "No criterion"),
    Fault("a remark too long", {"remark": "x" * 8001}, "8,000 are the most"),
    Fault("a control character", {"remark": "a\x07b"}, "control character"),
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_bad_row_is_named_and_keeps_the_whole_sheet_out(site: Site, fault: Fault) -> None:
    site.launched()
    paper = taken(site)
    paper.fill(0, "4", "3")
    paper.fill(1, "2", "2")
    paper.rows[1] |= fault.cells

    address, page = sent_back(site, paper.csv())
    refused = staff_of(site).post(address, data={"do": "apply"})

    assert fault.said in page
    assert "<td>3</td>" in page, "the line is named"
    assert "nothing can be stored yet" in page
    assert refused.status_code == 422
    assert site.product.scores.list("fall") == ()


def test_a_key_of_another_program_names_it(site: Site) -> None:
    site.launched()
    site.launched("spring")
    paper = taken(site)
    paper.fill(0, "4", "3")
    paper.rows[0][KEY] = "SPRING:0123456789abcdef"

    _, page = sent_back(site, paper.csv())

    assert "of another program (spring)" in page


def test_where_reviewer_and_applicant_leave_no_doubt_the_right_key_is_named(site: Site) -> None:
    site.launched()
    paper = taken(site)
    paper.fill(0, "4", "3")
    right = paper.rows[0][KEY]
    paper.rows[0][KEY] = right[:-1]

    _, page = sent_back(site, paper.csv())

    assert f"this row went out with {right}" in page


CHANGED_KEYS: Mapping[str, Callable[[str], str]] = {
    "upper case and a space": lambda key: key.upper() + " ",
    "in quotation marks": lambda key: f"“{key}”",
    "in angle brackets": lambda key: f"<{key}>",
    "the address of its page": lambda key: f"https://reviews.example.org/tasks/{key}",
    "full-width letters": lambda key: "".join(chr(ord(c) + 0xFEE0) for c in key),
    "a quoted mail's mark": lambda key: "> " + key,
}


@pytest.mark.parametrize("changed", CHANGED_KEYS.values(), ids=CHANGED_KEYS.keys())
def test_a_key_is_read_however_it_was_written(site: Site, changed: Callable[[str], str]) -> None:
    site.launched()
    paper = taken(site)
    paper.fill(0, "4", "3")
    paper.rows[0][KEY] = changed(paper.rows[0][KEY])

    assert "1 review stored" in stored(site, paper.csv())


@pytest.mark.parametrize(
    ("before", "mark"), [("", "> "), ("", ">> "), ("On Monday r1 wrote:\n\n", "> ")]
)
def test_a_sheet_that_a_mail_quotes_is_read(site: Site, before: str, mark: str) -> None:
    site.launched()
    paper = taken(site)
    paper.fill(0, "4", "3")
    text = paper.csv().decode("utf-8-sig")
    quoted = before + "".join(mark + line for line in text.splitlines(keepends=True))

    assert "1 review stored" in stored(site, quoted.encode(), "back.txt")


def test_a_sheet_all_in_capitals_is_read(site: Site) -> None:
    site.launched()
    paper = taken(site)
    paper.fill(0, "4", "n/a")

    assert "1 review stored" in stored(site, paper.csv().decode("utf-8-sig").upper().encode())


def test_a_row_of_another_reviewer_is_refused_even_when_its_reviewer_column_is_gone(
    site: Site,
) -> None:
    site.launched()
    mine, theirs = taken(site, "R1"), taken(site, "R2")
    theirs.fill(0, "4", "3")
    mine.fill(0, "4", "3")
    mine.rows[0]["applicant"] = theirs.rows[0]["applicant"] = "A0"
    plan = site.product.scores.examine_offline_sheet(
        "fall", read(theirs), by="ops", source="x", reviewer=number_of(site, "R1")
    )

    assert [bad.reason for bad in plan.bad] == ["this request is another reviewer's"]


def read(paper: Paper) -> tuple[ReturnedRow, ...]:
    return read_sheet_file(paper.csv(), name=paper.name).rows


def test_a_key_that_stands_twice_is_refused_the_second_time(site: Site) -> None:
    site.launched()
    paper = taken(site)
    paper.fill(0, "4", "3")
    paper.rows.append(dict(paper.rows[0]) | {PREPARATION: "1"})

    _, page = sent_back(site, paper.csv())

    assert "Line 2 has this key already" in page


def test_a_request_that_was_declined_is_refused_and_one_that_was_withdrawn_is_kept(
    site: Site,
) -> None:
    site.launched()
    declined, withdrawn = site.product.tasks.inbox("fall", "R1")[:2]
    paper = taken(site)
    paper.fill(0, "4", "3")
    site.product.tasks.decline(declined.id, DeclineKind.BUSY, by="R1")
    _, page = sent_back(site, paper.csv())
    assert "This request was declined" in page

    paper.fill(0, "", "")
    paper.fill(1, "4", "3")
    one = site.product.applicants.get("fall", withdrawn.application)
    site.product.applicants.move("fall", one.external_id, ApplicationStatus.WITHDRAWN, by="ops")
    site.turn()
    _, page = sent_back(site, paper.csv())
    assert "it is kept, and does not count" in page
    assert "1 review stored" in stored(site, paper.csv())
    given = site.product.tasks.score(withdrawn.id)
    assert given is not None
    assert not given.score.counts


def test_rows_may_be_sorted_and_columns_that_nobody_needs_left_out(site: Site) -> None:
    site.launched()
    paper = taken(site)
    paper.fill(0, "4", "3")
    paper.rows.reverse()
    for row in paper.rows:
        del row["applicant"], row["reviewer"]
    paper.headers = [h for h in paper.headers if h not in {"applicant", "reviewer"}]

    assert "1 review stored" in stored(site, paper.csv())


def test_the_workbook_offers_the_marks_explains_them_and_holds_no_formula(site: Site) -> None:
    site.launched(launch=False, applicants=0)
    evil = {"=HYPERLINK(1)": "=cmd|' /C calc'!A0", "note": "@x"}
    rows = [applicant(f"A{n}", fields=evil) for n in range(1, 7)]
    site.product.applicants.import_all("fall", rows)
    site.product.cycles.launch("fall", by="ops")
    site.turn()
    holder = next(
        r
        for r in site.product.reviewers.list("fall")
        if site.product.tasks.inbox("fall", r.external_id)
    )
    tasks = site.product.scores.offline_sheet("fall", holder.number)
    projection = load_workbook(
        io.BytesIO(sheet_file(tasks, Format.XLSX, address="https://s.example"))
    )
    page, scale = projection.worksheets

    assert [sheet.title for sheet in projection.worksheets] == ["reviews", "scale"]
    assert all(
        cell.data_type != "f" for sheet in projection for row in sheet.iter_rows() for cell in row
    )
    told = [[cell.value for cell in row] for row in scale.iter_rows()]
    assert ["review", "Preparation", 4, "strong"] in told
    assert ["review", "Promise", "N/A", "no basis to judge"] in told
    headers = [cell.value for cell in page[1]]
    column = headers.index(PREPARATION) + 1
    cell = page.cell(2, column).coordinate
    rule = next(r for r in page.data_validations.dataValidation if cell in r.sqref)
    assert rule.formula1 is not None
    first, last = (int(n) for n in re.findall(r"\$C\$(\d+)", rule.formula1))
    assert [scale.cell(n, 3).value for n in range(first, last + 1)] == [1, 2, 3, 4, "N/A"]
    assert not page.cell(2, column).protection.locked
    assert page.cell(2, headers.index(KEY) + 1).protection.locked
    assert page.protection.sheet


def test_a_workbook_comes_back_and_a_formula_in_it_is_named_by_row(site: Site) -> None:
    site.launched()
    staff = staff_of(site)
    sheet = staff.get(f"/reviewers/fall/{number_of(site, 'R1')}/sheet").content
    projection = load_workbook(io.BytesIO(sheet))
    page = projection.worksheets[0]
    columns = {str(cell.value): number for number, cell in enumerate(page[1], start=1)}
    page.cell(2, columns[PREPARATION]).value = 3
    page.cell(2, columns[PROMISE]).value = "N/A"
    good = io.BytesIO()
    projection.save(good)
    page.cell(3, columns[PREPARATION]).value = "=2+1"
    page.cell(3, columns[PROMISE]).value = 2
    bad = io.BytesIO()
    projection.save(bad)

    _, page_of_bad = sent_back(site, bad.getvalue(), "back.xlsx")
    assert "This cell holds a formula, not a value" in page_of_bad
    assert "<td>3</td>" in page_of_bad
    assert site.product.scores.list("fall") == ()
    assert "1 review stored" in stored(site, good.getvalue(), "back.xlsx")


def test_a_cell_that_the_form_does_not_ask_for_is_refused_when_it_is_filled(site: Site) -> None:
    site.launched()
    paper = taken(site)
    assert "confidence [1 to 5]" not in paper.headers
    paper.headers += ["confidence", "mark: Charm"]
    paper.fill(0, "4", "3", confidence="4")
    paper.fill(1, "4", "3", **{"mark: Charm": "4"})

    _, page = sent_back(site, paper.csv())

    assert page.count("does not ask for it") == 2


def test_a_sheet_of_two_kinds_marks_the_cells_that_are_not_asked(site: Site) -> None:
    talk = replace(SITE_RULES.kinds[0], name="talk", cost=3)
    other = replace(RUBRIC, kind="talk", criteria=RUBRIC.criteria[:1])
    both = replace(
        SITE_RULES,
        kinds=(SITE_RULES.kinds[0], talk),
        rubrics=(RUBRIC, other),
        floors=(*SITE_RULES.floors, Floor(kind="talk", count=1)),
        packet=12,
        budget=120,
    )
    people = [reviewer(n, capacity={"review": None, "talk": None}) for n in ("R1", "R2")]
    site.launched(rules=both, roster=people, applicants=6)

    paper = taken(site)

    cells = {(row["kind"], row[PROMISE]) for row in paper.rows}
    assert cells == {("review", ""), ("talk", NOT_ASKED)}
    talks = next(n for n, row in enumerate(paper.rows) if row["kind"] == "talk")
    paper.rows[talks][PREPARATION] = "4"
    assert "1 review stored" in stored(site, paper.csv())


def test_how_sure_a_reviewer_is_comes_back_where_the_rules_ask(site: Site) -> None:
    kinds = tuple(replace(kind, confidence=True) for kind in SITE_RULES.kinds)
    site.launched(rules=replace(SITE_RULES, kinds=kinds))
    task = site.product.tasks.inbox("fall", "R1")[0]
    paper = taken(site)
    paper.fill(0, "4", "3", **{"confidence [1 to 5]": "6"})
    assert "Confidence is 1 to 5" in sent_back(site, paper.csv())[1]

    paper.fill(0, "4", "3", **{"confidence [1 to 5]": "5"})
    stored(site, paper.csv())
    given = site.product.tasks.score(task.id)
    assert given is not None
    assert given.notes == {"confidence": "5"}


def test_a_kind_without_a_form_is_answered_by_one_score(site: Site) -> None:
    site.launched(rules=replace(SITE_RULES, rubrics=()))
    task = site.product.tasks.inbox("fall", "R1")[0]
    paper = taken(site)
    paper.rows[0]["score [0 to 100]"] = "70"
    paper.rows[1]["score [0 to 100]"] = "170"
    assert "A score is 0 to 100" in sent_back(site, paper.csv())[1]

    paper.rows[1]["score [0 to 100]"] = ""
    stored(site, paper.csv())
    given = site.product.tasks.score(task.id)
    assert given is not None
    assert given.score.value == 700_000


def test_a_table_without_keys_holds_reviews_that_nobody_asked_for(site: Site) -> None:
    site.launched()
    table = b"applicant,reviewer,score\nA001,R1,4\nA002,R2,5\n"

    address, page = sent_back(site, table, kind="review", scale="0..5")
    assert "2 reviews that were not asked for" in page
    done = staff_of(site).post(address, data={"do": "apply", "kind": "review", "scale": "0..5"})

    assert done.status_code == 303
    assert [(s.value, s.counts) for s in site.product.scores.list("fall")] == [
        (800_000, False),
        (1_000_000, False),
    ]


def test_somebody_elses_upload_is_not_there_and_a_file_can_be_thrown_away(site: Site) -> None:
    site.launched()
    address, _ = sent_back(site, taken(site).csv())
    stranger = site.signed_in(Role.ADMINISTRATOR)

    assert stranger.get(address).status_code == 404
    assert stranger.post(address, data={"do": "apply"}).status_code == 404
    assert staff_of(site).post(address, data={"do": "drop"}).status_code == 303
    assert staff_of(site).get(address).status_code == 404


@pytest.mark.parametrize("data", [b"", b"\x00\x01\x02", b"%PDF-1.4 no table"])
def test_what_is_no_table_is_refused_beside_the_field(site: Site, data: bytes) -> None:
    site.launched()
    refused = staff_of(site).post("/reviewers/fall/sheets", files={"file": ("x.csv", data)})

    assert refused.status_code == 422
    assert 'id="file-problem"' in refused.text


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("scale", "0..5\x07"),
        ("scale", "5" * 41),
        ("scale", "one to five"),
        ("scale", "3..3"),
        ("kind", "no such kind"),
    ],
)
def test_what_says_how_to_read_a_file_is_refused_beside_its_field(
    site: Site, field: str, value: str
) -> None:
    site.launched()
    staff = staff_of(site)
    file = {"file": ("x.csv", b"applicant,reviewer,score\nA1,R1,3\n")}
    kept = staff.post("/reviewers/fall/sheets", files=file).headers["location"]
    folder = site.settings.data_dir / "uploads"
    files = sorted(folder.rglob("*"))

    refused = staff.post("/reviewers/fall/sheets", files=file, data={field: value})
    previews = [
        staff.post(kept, data={field: value, "do": "preview"}),
        staff.post(kept, data={field: value, "do": "apply"}),
    ]

    assert sorted(folder.rglob("*")) == files
    for page in (refused, *previews):
        assert page.status_code == 422
        assert f'id="{field}-problem"' in page.text
        assert re.search(f'aria-describedby="[^"]*{field}-problem" aria-invalid', page.text)
    if field == "scale":
        assert all(f'value="{value}"' in page.text for page in (refused, *previews))


def test_nothing_waits_then_there_is_no_sheet(site: Site) -> None:
    site.launched(launch=False)
    staff = staff_of(site)

    assert staff.get(f"/reviewers/fall/{number_of(site, 'R1')}/sheet").status_code == 422
    assert staff.get("/reviewers/fall/99/sheet").status_code == 404
    assert staff.get("/reviewers/fall/0/sheet?form=pdf").status_code == 404
    assert "No reviewer has an open review" in staff.get("/reviewers/fall/sheets").text


def submitted(site: Site, task: Assignment) -> None:
    site.product.tasks.submit(
        [Answer(assignment_id=task.id, marks={"Preparation": 2.0, "Promise": 2.0})]
    )


def test_a_fixed_list_takes_no_correction_by_a_sheet(site: Site) -> None:
    site.launched(applicants=6)
    paper = taken(site)
    task = site.product.tasks.inbox("fall", "R1")[0]
    submitted(site, task)
    paper.fill(0, "4", "3")
    site.product.cycles.stop("fall", by="ops", reason="enough")
    site.product.cohort.finalize(
        "fall", by="ops", signed_by=("a", "b"), waiver=Waiver(by="a", reason="too few")
    )

    _, page = sent_back(site, paper.csv())

    assert "the list is fixed" in page
    assert "nothing can be stored yet" in page
