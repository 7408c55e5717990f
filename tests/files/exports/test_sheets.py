import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from openpyxl import load_workbook

from swapflow.domain.cohort.proposal import (
    MethodSheet,
    Outcome,
    Place,
    Proposal,
    Standing,
    Verdict,
)
from swapflow.domain.cycle import Position
from swapflow.domain.event import Event, EventType
from swapflow.domain.fixed_point import Delta
from swapflow.domain.people.application import Application, ApplicationStatus
from swapflow.errors import InvalidInputError
from swapflow.files.exports.method_sheet import method_text
from swapflow.files.exports.sheets import (
    cohort_sheet,
    event_lines,
    evidence_sheet,
    method_json,
    outcomes_sheet,
    waitlist_sheet,
    write_cohort_folder,
)
from swapflow.files.exports.writers import Cell, ExportSheet, Format, sheet_bytes, write_sheet
from swapflow.files.imports.applications import read_applications
from swapflow.files.tables.table import read_table
from tests.support.tiers import cases


SHEET = MethodSheet(
    cycle_id="fall",
    position=512,
    head_hash="ab12",
    rules_version=2,
    rule="budget",
    objective="top-k",
    cohort_size=1,
    candidates=2,
    seed=7,
    parameters={"sigma": 0.16, "delta": float("nan")},
    stop_reason="settled",
    stop_sentence="Further reviews would be worth less than the stated share of the total.",
    certified_loss=0.25,
    expected_loss=0.03,
    certificate="mixture",
    promises="No worst-case promise is made.",
    spent=400,
    committed=20,
    budget=1000,
    unit="minutes",
    pulls={"review": 12, "interview": 1},
    decisions=5,
    versions={"swapflow": "0.1.0", "numpy": "2|4"},
    expected_loss_range=(0.021, 0.042),
    belong=0.7,
    belong_range=(0.4, 1.0),
    contested=3,
)


def place(number: int, external_id: str, name: str, standing: Standing) -> Place:
    return Place(
        application=number,
        external_id=external_id,
        name=name,
        rank=number + 1,
        standing=standing,
        estimate=0.123456,
        raw_mean=None if number else 0.5,
        margin=0.05,
        evidence=2.5,
        contested=bool(number),
        tied=False,
        pulls={"review": 2} if number else {"review": 2, "interview": 1},
        floor_missing={"interview": number},
    )


TRICKY = Proposal(
    cycle_id="fall",
    version=1,
    places=(
        place(0, "../../x", '=HYPERLINK("http://x")', Standing.COHORT),
        place(1, "a/b\\c:|", "شيماء 👩🏽‍🔬\u202eevil", Standing.WAITLIST),
    ),
    sheet=SHEET,
)
OUTCOMES = (
    Outcome(
        application=0,
        verdict=Verdict.SELECTED,
        by="C. Chair",
        reason="-2 is no formula, +1 neither",
        at=datetime(2026, 4, 1, tzinfo=UTC),
    ),
)


def test_a_cohort_folder_holds_its_six_files_and_nothing_lands_elsewhere(tmp_path: Path) -> None:
    files = write_cohort_folder(tmp_path / "out" / "v1", TRICKY, OUTCOMES)

    assert [path.name for path in files] == [
        "cohort.csv",
        "waitlist.csv",
        "evidence.csv",
        "outcomes.csv",
        "method.md",
        "method.json",
    ]
    assert sorted(p for p in tmp_path.rglob("*") if p.is_file()) == sorted(files)


def test_writing_a_cohort_again_replaces_its_files(tmp_path: Path) -> None:
    write_cohort_folder(tmp_path, TRICKY)

    write_cohort_folder(tmp_path, replace(TRICKY, places=()))

    assert read_table(tmp_path / "cohort.csv").rows == ()
    assert len(list(tmp_path.iterdir())) == 6


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")

    with pytest.raises(InvalidInputError, match=r"cohort\.csv: cannot be written .*Choose"):
        write_cohort_folder(tmp_path / "file", TRICKY)


def test_a_list_read_back_holds_the_same_people(tmp_path: Path) -> None:
    write_cohort_folder(tmp_path, TRICKY)

    cohort = read_applications(tmp_path / "cohort.csv")
    waitlist = read_applications(tmp_path / "waitlist.csv")

    assert [(a.external_id, a.name) for a in cohort.new] == [("../../x", '=HYPERLINK("http://x")')]
    assert [(a.external_id, a.name) for a in waitlist.new] == [
        ("a/b\\c:|", "شيماء 👩🏽‍🔬\u202eevil")
    ]


def test_the_lists_hold_ranks_and_scores_from_0_to_100() -> None:
    assert cohort_sheet(TRICKY).rows == (("../../x", '=HYPERLINK("http://x")', 1, 12.35, 5.0),)
    assert waitlist_sheet(TRICKY).rows[0][2:] == (2, 12.35, 5.0)


def test_the_evidence_holds_reviews_by_kind_and_what_is_missing() -> None:
    sheet = evidence_sheet(TRICKY)

    assert sheet.headers[7:9] == ("scores: interview", "scores: review")
    assert [row[2:] for row in sheet.rows] == [
        ("cohort", 12.35, 5.0, 50.0, 2.5, 1, 2, False, False, ""),
        ("waitlist", 12.35, 5.0, None, 2.5, 0, 2, True, False, "1 interview"),
    ]


def test_decisions_stand_beside_what_was_proposed_even_for_people_outside_the_list() -> None:
    outsider = Application(
        cycle_id="fall",
        number=9,
        external_id="Z9",
        name="Zed",
        email="",
        status=ApplicationStatus.READY,
        wave=1,
        tie=0,
        attributes={},
        fields={},
    )
    late = replace(OUTCOMES[0], application=9, verdict=Verdict.NOT_SELECTED, reason="")

    sheet = outcomes_sheet(TRICKY, (*OUTCOMES, late), [outsider])

    assert [row[:4] for row in sheet.rows] == [
        ("../../x", '=HYPERLINK("http://x")', "cohort", "selected"),
        ("Z9", "Zed", "", "not selected"),
    ]


ODD = ExportSheet(
    name="odd",
    headers=("id", "value"),
    rows=(
        ("=1+1", -3.5),
        ("-2", -2),
        ("@cmd", float("nan")),
        ("+41 20", None),
        ("\tx", True),
        ("plain", "＝1"),
        ("bell\x07", 0),
    ),
)


def test_csv_guards_strings_inside_quotes_and_never_numbers() -> None:
    text = sheet_bytes(ODD, Format.CSV)

    assert text.startswith(b"\xef\xbb\xbf")
    assert text.decode("utf-8-sig").splitlines() == [
        '"id","value"',
        '"\t=1+1",-3.5',
        '"\t-2",-2',
        '"\t@cmd",""',
        '"\t+41 20",""',
        '"\t\tx","yes"',
        '"plain","\t＝1"',
        '"bell�",0',
    ]


def test_raw_csv_is_for_programs_without_guard_or_mark() -> None:
    text = sheet_bytes(ODD, Format.CSV, raw=True)

    assert text.decode("utf-8").splitlines()[1] == '"=1+1",-3.5'


def test_a_workbook_holds_text_as_text_and_numbers_as_numbers() -> None:
    page = load_workbook(BytesIO(sheet_bytes(ODD, Format.XLSX))).active

    assert page is not None
    cells = [[cell for cell in row] for row in page.iter_rows(min_row=2)]  # noqa: C416 - cells wanted
    assert [row[0].data_type for row in cells] == ["s"] * 7
    assert [row[0].value for row in cells][:3] == ["\t=1+1", "\t-2", "\t@cmd"]
    assert (cells[0][1].value, cells[1][1].value, cells[0][1].data_type) == (-3.5, -2, "n")


def test_json_has_null_where_there_is_no_number() -> None:
    rows = json.loads(sheet_bytes(ODD, Format.JSON))

    assert rows[0] == {"id": "=1+1", "value": -3.5}
    assert [row["value"] for row in rows[2:5]] == [None, None, True]


def test_the_suffix_of_a_file_says_its_format(tmp_path: Path) -> None:
    for suffix in ("csv", "xlsx", "json"):
        write_sheet(tmp_path / f"odd.{suffix}", ODD)

    assert (tmp_path / "odd.xlsx").read_bytes().startswith(b"PK")
    assert json.loads((tmp_path / "odd.json").read_bytes())[1]["id"] == "-2"
    assert read_table(tmp_path / "odd.csv").rows[0]["id"] == "=1+1"


CELLS = st.one_of(
    st.text(max_size=20),
    st.integers(-(10**6), 10**6),
    st.floats(allow_nan=True),
    st.booleans(),
    st.none(),
)


@cases(60)
@given(st.lists(st.tuples(CELLS, CELLS), max_size=6))
def test_no_string_in_any_spreadsheet_can_calculate(rows: list[tuple[Cell, Cell]]) -> None:
    sheet = ExportSheet(name="list", headers=("a", "b"), rows=tuple(rows))
    formula = ("=", "+", "-", "@", "＝", "＋", "－", "＠")

    text = sheet_bytes(sheet, Format.CSV).decode("utf-8-sig")
    reader: Iterator[Sequence[str | float]] = csv.reader(  # quoted cells are text, others numbers
        io.StringIO(text, newline=""), quoting=csv.QUOTE_NONNUMERIC
    )
    written = list(reader)
    page = load_workbook(BytesIO(sheet_bytes(sheet, Format.XLSX))).active

    assert len(written) == len(rows) + 1
    assert not any(
        isinstance(cell, str) and cell.startswith(formula) for row in written for cell in row
    )
    assert page is not None
    assert not any(cell.data_type == "f" for row in page.iter_rows() for cell in row)


NAMES = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Cf", "Zl", "Zp", "Zs"]), min_size=1, max_size=12
)


@cases(60)
@given(st.lists(NAMES, min_size=1, max_size=5, unique_by=lambda text: text.casefold()))
@example(["'0", "'=1", "=1", "O'Neil"])
def test_ids_and_names_survive_export_and_import_in_both_formats(names: list[str]) -> None:
    rows = tuple((f"x-{i}", name) for i, name in enumerate(names))
    sheet = ExportSheet(name="list", headers=("external_id", "name"), rows=rows)

    for form in (Format.CSV, Format.XLSX):
        found = read_applications(sheet_bytes(sheet, form))
        assert [(a.external_id, a.name) for a in found.new] == list(rows)


def test_the_method_is_told_in_plain_words_and_without_a_claim_of_merit() -> None:
    text = method_text(SHEET)
    plain = text.split("## Advanced")[0]

    assert "This is about marks, not merit." in text
    assert "Applicants: 2, for 1 place." in text
    assert "Scores that count: 12 × review, 1 × interview." in text
    assert "Spent: 400 of 1000 minutes; 20 more were kept for open reviews" in text
    assert "further reviews: 25.0 of 100 points a place" in text
    jargon = r"\b(arms?|pulls?|oracle|rival|ledger|watermark|lockstep|sigma|delta)\b|[σδε]"
    assert re.findall(jargon, plain) == []
    assert re.findall(r"best applicants|\bfair\b|unbiased|certified", plain) == []
    assert "| sigma | 0.16 |" in text
    assert "| version of numpy | 2\\|4 |" in text


def test_the_method_sheet_tells_what_is_proven_from_what_is_judged() -> None:
    def of(**changes: object) -> tuple[str, str]:
        sheet = replace(SHEET, **changes)  # type: ignore[arg-type]  # tests name fields
        text = method_text(sheet).split("## What rests on a proof")[1].split("## Advanced")[0]
        proven, judged = text.split("Judgement, tried out on data and not proven:")
        return proven, judged

    proven, judged = of(rule="certified", stop_reason="certified", objective="top-k")
    assert "That this list is within the stated margin" in proven
    assert "The end:" not in judged

    proven, judged = of(rule="certified", stop_reason="budget", objective="top-k")
    assert "That this list is within" not in proven
    assert "how much the list could still gain at most" in proven
    assert "The end: nothing more could be paid" in judged

    proven, judged = of(rule="certified", stop_reason="certified", objective="diverse")
    assert "Nothing about this list as a whole is proven." in proven
    assert "for a list like this there is no proof" in judged


def test_the_models_estimate_never_stands_in_the_section_of_promises() -> None:
    promised, estimate = method_text(SHEET).split("## The model's estimate")

    assert "3.0 of 100" not in promised
    assert "about 3.0 of 100 points a place short" in estimate
    assert "(90 % range 2.1 to 4.2); about 1 of its 1 place would stay" in estimate
    assert "| contested set | 3 |" in estimate


def test_a_loss_that_is_not_known_is_said_to_be_so() -> None:
    text = method_text(replace(SHEET, certified_loss=float("inf"), expected_loss=None))

    assert "How much the list could still gain by further reviews is not known." in text
    assert "The model's estimate" not in text


def test_the_method_for_programs_is_strict_json() -> None:
    content = json.loads(method_json(replace(SHEET, certified_loss=float("inf"))))

    assert content["parameters"] == {"sigma": 0.16, "delta": None}
    assert (content["certified_loss"], content["expected_loss"]) == (None, 0.03)


def test_events_are_written_one_a_line_with_their_place_in_the_chain() -> None:
    event = Event(
        cycle_id="fall",
        position=Position(3, "cd"),
        type=EventType.SCORED,
        version=1,
        payload={"a": 0, "v": 750_000},
        deltas=(Delta(application=0, numerator=5, information=1000, pending=-1000),),
        spent=10,
        committed=-10,
        at=datetime(2026, 1, 1, tzinfo=UTC),
    )

    (first, second) = event_lines([event, event])

    assert first == second
    assert first.endswith("\n")
    assert json.loads(first) == {
        "cycle": "fall",
        "seq": 3,
        "hash": "cd",
        "type": "scored",
        "version": 1,
        "at": "2026-01-01T00:00:00+00:00",
        "payload": {"a": 0, "v": 750_000},
        "deltas": [[0, 5, 1000, -1000]],
        "spent": 10,
        "committed": -10,
    }


@pytest.mark.parametrize("form", Format)
def test_a_cohort_folder_comes_in_every_format_and_raw(tmp_path: Path, form: Format) -> None:
    safe = write_cohort_folder(tmp_path / "safe", TRICKY, OUTCOMES, form=form)
    raw = write_cohort_folder(tmp_path / "raw", TRICKY, OUTCOMES, form=form, raw=True)

    names = [f"{stem}.{form.value}" for stem in ("cohort", "waitlist", "evidence", "outcomes")]
    assert [file.name for file in safe] == [*names, "method.md", "method.json"]
    assert [file.name for file in raw] == [file.name for file in safe]
    if form is Format.CSV:
        assert safe[0].read_bytes().startswith(b"\xef\xbb\xbf")
        assert b"\t" not in raw[0].read_bytes()
