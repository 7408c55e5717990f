"""Acceptance: each messy file gives what its manifest expects, to the row.

The files were made for this project and are committed; the same tests run on the data folder's
copy (SWAPFLOW_DATA) where there is one, and whatever else its manifest lists must be read too.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from swapflow.errors import BadRowsError
from swapflow.files.imports.applications import examine_applications, read_applications
from swapflow.files.imports.scores import ScoresImport, read_scores
from swapflow.files.tables.table import read_table


COMMITTED = Path(__file__).parents[1] / "data"
SHARED = (
    Path(__file__).parents[3] / os.environ.get("SWAPFLOW_DATA", "../shared/data")
).resolve() / "messy_imports"


@pytest.fixture(params=[COMMITTED, SHARED], ids=["committed", "shared"])
def folder(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    if not path.is_dir():
        pytest.skip("needs messy_imports in the data folder (SWAPFLOW_DATA)")
    return path


def utf8_with_mark(file: Path) -> None:
    found = read_applications(file)

    assert next(iter(found.columns)) == "Ref ID"
    assert [(new.external_id, new.name) for new in found.new] == [
        ("100417", "Ada Okafor"),
        ("100418", "Jürgen Weiß"),
        ("100419", "Zoë D’Angelo"),
        ("100420", "Nguyễn Minh"),
        ("100421", "Łukasz Żak"),
        ("100422", "Sofía Núñez"),
    ]


def decimal_commas(file: Path) -> None:
    found = read_applications(file)

    assert [new.external_id for new in found.new] == [f"000711{n}" for n in range(3, 8)]
    assert [new.name for new in found.new][3:] == ["Seán O’Neill", "Zoé Français – Lévy"]
    scores = read_scores(
        file,
        scale="0..20",
        mapping={"Note_Gutachten": "score", "Region": "reviewer", "BewerberNr": "application"},
    )
    assert [round(20 * s.utility, 9) for s in scores.scores] == [1.3, 2.0, 1.7, 10.25]
    assert [a for _, a, _ in scores.missing] == ["0007117"]


def duplicates(file: Path) -> None:
    found = examine_applications(file)

    assert [new.external_id for new in found.new] == ["B100", "B101", "B102", "B103"]
    merged, shared = found.warnings
    assert merged.startswith("line 4: 'b101' is the same applicant as line 3")
    assert shared.startswith("the e-mail 'b100@example.org' stands under 2 ids")
    conflict, missing = found.bad
    assert (conflict.line, "line 5" in conflict.reason) == (6, True)
    assert (missing.line, missing.reason) == (8, "the id is missing")


def workbook(file: Path) -> None:
    found = read_applications(file)

    assert [new.external_id for new in found.new] == ["0000123", "0000012", "0000001", "0045000"]
    assert found.new[3].monitor["DOB"] == "2023-03-15"
    assert any("no stored value" in warning for warning in found.warnings)


def missing_scores(file: Path) -> None:
    with pytest.raises(BadRowsError) as caught:
        read_scores(file, scale="0..5", reviewers=["r1", "r2", "r3"])
    assert [(row.line, row.value) for row in caught.value.rows] == [
        (12, "-1"),
        (13, "11"),
        (14, "NaN"),
        (15, "inf"),
        (16, "r9"),
    ]
    rest = _without(file, {12, 13, 14, 15, 16})
    assert [(s.application, s.reviewer, 5 * s.utility) for s in rest.scores] == [
        ("C1", "r1", 4),
        ("C2", "r1", 0),
        ("C5", "r1", 3),
        ("C5", "r2", 3),
    ]
    assert [(a, r) for _, a, r in rest.missing] == [
        ("C1", "r2"), ("C2", "r2"), ("C3", "r1"), ("C3", "r3"), ("C4", "r2"), ("C4", "r3"),
    ]  # fmt: skip


def _without(file: Path, lines: set[int]) -> ScoresImport:
    kept = [
        line
        for number, line in enumerate(file.read_bytes().splitlines(keepends=True), start=1)
        if number not in lines
    ]
    return read_scores(b"".join(kept), scale="0..5")


def blank_rows(file: Path) -> None:
    found = read_applications(file)

    assert [(new.external_id, new.name) for new in found.new] == [
        ("D1", "Ann"),
        ("D2", "Ben"),
        ("D3", "Cy"),
    ]


def unicode_text(file: Path) -> None:
    ids = [new.external_id for new in read_applications(file).new]

    assert len(ids) == 3
    assert [len(i) for i in ids] == [10, 10, 10]
    assert any(i.startswith("0") for i in ids)


def hotcrp(file: Path) -> None:
    found = read_scores(file, scale="1..5")

    assert [(s.application, 1 + 4 * s.utility) for s in found.scores] == [
        ("1", 4), ("1", 2), ("2", 3), ("3", 5),
    ]  # fmt: skip
    assert [a for _, a, _ in found.missing] == ["2"]


def easychair(file: Path) -> None:
    found = read_scores(file, scale="-3..3")

    assert [(s.application, s.reviewer, round(6 * s.utility - 3)) for s in found.scores] == [
        ("12", "3", 1),
        ("12", "5", -1),
        ("13", "5", 3),
    ]


def separator_line(file: Path) -> None:
    found = read_scores(file, scale="0..10", mapping={"id": "application", "gruppe": "reviewer"})

    assert [10 * s.utility for s in found.scores] == [7.5, 8, 6.25]


def mixed_dates(file: Path) -> None:
    found = examine_applications(file, dates=["submitted", "reviewed"])

    assert [(row.line, row.value) for row in found.bad] == [(2, "01/02/2025"), (6, "2025-02-30")]
    dates = {new.external_id: new.fields for new in found.new}
    assert dates["H4"]["submitted"] == "2025-02-17"
    assert dates["H7"]["reviewed"] == "2025-02-18T23:30:00-08:00"
    assert (dates["H2"]["submitted"], dates["H3"]["submitted"]) == ("2025-02-13", "2025-02-13")


def greenhouse(file: Path) -> None:
    found = read_applications(file, key="email", mapping={"Office": "select:Office"})

    assert [(new.external_id, new.selection) for new in found.new] == [
        ("ana@example.org", {"Office": "London"}),
        ("bo@example.org", {"Office": "Berlin"}),
    ]
    assert found.new[0].fields["Phone"] == "+44 20 7946 0000"
    assert found.new[1].fields["Notes"] == '"top" pick'


EXPECTED: dict[str, Callable[[Path], None]] = {
    "01_utf8_bom_quoted.csv": utf8_with_mark,
    "02_semicolon_decimal_comma_cp1252.csv": decimal_commas,
    "04_duplicate_ids.csv": duplicates,
    "05_excel_dates_leading_zeros.xlsx": workbook,
    "06_missing_scores.csv": missing_scores,
    "07_blank_rows_and_columns.csv": blank_rows,
    "08_utf16le_tab.txt": unicode_text,
    "10_hotcrp_reviews.csv": hotcrp,
    "11_easychair_review_versions.csv": easychair,
    "12_sep_line.csv": separator_line,
    "14_mixed_dates.csv": mixed_dates,
    "15_greenhouse_prospects.csv": greenhouse,
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_messy_file_gives_what_its_manifest_expects(folder: Path, name: str) -> None:
    EXPECTED[name](folder / name)


def test_every_file_of_the_manifest_is_read_to_the_last_record(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))

    read = {}
    for entry in manifest:
        table = read_table(folder / entry["file"])
        bad = {row.line for row in table.bad if row.line > table.header_line}
        read[entry["file"]] = len(table.rows) + len(bad)
        assert table.header_line == entry.get("header_row", 1)
        if "encoding" in entry:
            assert table.encoding == entry["encoding"]
    assert read == {entry["file"]: entry.get("records", 0) for entry in manifest}
