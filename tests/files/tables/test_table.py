import contextlib
import json
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from swapflow.errors import BadRowsError, InvalidInputError
from swapflow.files.tables import table as tabular
from swapflow.files.tables import workbook_archive
from swapflow.files.tables.cells import is_missing, read_number, read_yes_no, spelling, split_list
from swapflow.files.tables.formula_guard import guard, unguard
from swapflow.files.tables.table import read_table


DATA = Path(__file__).parents[1] / "data"
MANIFEST = [
    entry
    for entry in json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))
    if entry["file"].endswith((".csv", ".txt"))
]


@pytest.mark.parametrize("entry", MANIFEST, ids=lambda entry: str(entry["file"]))
def test_a_messy_file_is_read_in_its_encoding_with_its_separator(entry: dict[str, object]) -> None:
    table = read_table(DATA / str(entry["file"]))

    assert table.encoding == entry["encoding"]
    assert table.separator == str(entry["delimiter"]).replace("\\t", "\t")
    assert len(table.rows) == entry.get("records", len(table.rows))
    assert table.header_line == entry.get("header_row", 1)
    assert table.bad == ()


def test_a_byte_order_mark_is_no_part_of_the_first_header() -> None:
    table = read_table(DATA / "01_utf8_bom_quoted.csv")

    assert table.headers[0] == "Ref ID"
    assert [row["First Name"] for row in table.rows][:3] == ["Ada", "Jürgen", "Zoë"]


def test_a_file_that_is_not_utf8_is_read_as_western_european_and_says_so() -> None:
    table = read_table(DATA / "02_semicolon_decimal_comma_cp1252.csv")

    assert [row["Nachname"] for row in table.rows][3:] == ["O’Neill", "Français – Lévy"]
    assert next(row["BewerberNr"] for row in table.rows) == "0007113"
    assert table.warnings == (
        (
            "the file is not UTF-8 and was read as cp1252 (Western European). Check the "
            "names, e.g. "
            "on line 2; if they look wrong, say the encoding"
        ),
    )


def test_the_encoding_that_staff_name_is_taken_without_a_warning() -> None:
    table = read_table("id,name\n1,Łukasz\n".encode("cp1250"), encoding="cp1250")

    assert (table.rows[0]["name"], table.encoding, table.warnings) == ("Łukasz", "cp1250", ())


def test_bytes_that_the_encoding_does_not_know_are_named_by_line() -> None:
    with pytest.raises(
        InvalidInputError, match=r"line 3 contains bytes that cp1252 does not know"
    ):
        read_table(b"id,name\n1,a\n2,\x81\n", encoding="cp1252")


def test_an_encoding_that_does_not_exist_is_named() -> None:
    with pytest.raises(
        InvalidInputError, match=r"there is no encoding 'latin-99'\. Name one such"
    ):
        read_table(b"id\n1\n", encoding="latin-99")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "the file is empty"),
        (b"\n , \n", "the file is empty"),
        (b"\xd0\xcf\x11\xe0 old", "an old Excel file"),
        (b"%PDF-1.7", "this is no table"),
        (b"PK\x03\x04 nonsense", "this is no table"),
        (b"<html><table>", "this is a web page"),
        (bytes(range(32)) * 9, "say its encoding, e.g. utf-16-le"),
    ],
)
def test_what_is_no_table_is_refused_in_words(data: bytes, says: str) -> None:
    with pytest.raises(InvalidInputError, match=says):
        read_table(data)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"gone\.csv: cannot be read \(No such file"):
        read_table(tmp_path / "gone.csv")


def test_a_file_that_is_too_large_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tabular, "MOST_TABLE_BYTES", 10)
    (tmp_path / "big.csv").write_bytes(b"id\n" + b"1\n" * 10)

    with pytest.raises(InvalidInputError, match=r"big\.csv: larger than"):
        read_table(tmp_path / "big.csv")


def test_a_file_with_too_many_rows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tabular, "MOST_ROWS", 3)

    with pytest.raises(InvalidInputError, match="more than 3 rows"):
        read_table(b"id\n1\n2\n3\n")


def test_line_breaks_inside_quotes_stay_in_the_cell_and_lines_are_still_counted() -> None:
    table = read_table(b'id,essay\r\n1,"one\ntwo\n\nthree"\r\n2,"a ""quoted"" word, and more"\r\n')

    assert [(row.line, row["essay"]) for row in table.rows] == [
        (2, "one\ntwo\n\nthree"),
        (6, 'a "quoted" word, and more'),
    ]


def test_a_header_with_a_line_break_does_not_hide_the_separator() -> None:
    table = read_table(b'"ref;\nid";name\n1;a\n')

    assert (table.separator, table.headers) == (";", ("ref;\nid", "name"))


def test_the_separator_is_counted_in_the_header_not_below_a_comma_in_the_title() -> None:
    table = read_table(b"Admissions, autumn 2026\n\nid;name;score\n1;a;1,5\n2;b;2,5\n")

    assert (table.separator, table.header_line, len(table.rows)) == (";", 3, 2)


def test_a_separator_line_is_honoured_and_counted() -> None:
    table = read_table(b"sep=|\nid|na,me\n1|a\n")

    assert (table.headers, table.rows[0].line) == (("id", "na,me"), 3)


def test_rows_that_do_not_line_up_with_the_header_are_named_with_a_cure() -> None:
    table = read_table(b"id,name,city\n1,Ann,Rome\n2,Bo\n3,Cy,Bonn, Germany\n4,Di,Oslo\n")

    assert [str(row) for row in table.bad] == [
        (
            "line 3, value '2 | Bo': the row has 2 cells, the header has 3. Add the missing "
            "cells, "
            "empty ones too, so that every value is in its column"
        ),
        (
            "line 4, value '3 | Cy | Bonn | Germany': the row has 4 cells, the header has 3. "
            "Put a cell that contains the separator into quotation marks"
        ),
    ]
    assert [row["id"] for row in table.rows] == ["1", "4"]


def test_a_quotation_mark_that_is_never_closed_is_named_where_it_opens() -> None:
    table = read_table(b'id,name\n1,Ann\n2,"Bo\n3,Cy\n4,Di\n')

    assert [str(row) for row in table.bad] == [
        (
            "line 3: a cell is opened by a quotation mark that is never closed (read up to "
            "line 5). "
            'Close it, or double a quotation mark that belongs to the text ("")'
        )
    ]


def test_quotation_marks_that_do_not_fit_together_are_named() -> None:
    table = read_table(b'id,name\n1,"Ann" Lee\n')

    assert [(row.line, row.reason) for row in table.bad] == [
        (2, "the quotation marks do not fit together (up to line 2)")
    ]


def test_two_columns_of_one_name_are_refused_and_unnamed_empty_ones_are_not() -> None:
    assert read_table(b"id,name,,\n1,a,,\n").bad == ()
    assert [str(row) for row in read_table(b"id,name,name\n1,a,b\n").bad] == [
        "line 1, column 'name': 2 columns have this header. Rename or remove all but one"
    ]


def test_values_without_a_header_are_left_out_and_reported() -> None:
    table = read_table(b"id,name,\n1,a,secret\n")

    assert table.warnings == (
        "column 3 has values but no header, so it was left out. Name it on line 1 if it is needed",
    )


def test_text_that_looks_like_a_formula_stays_text_and_a_negative_score_a_number() -> None:
    table = read_table(b'id,link,score\n1,"=HYPERLINK(""http://x"",""y"")",-2\n2,"\t=1+1",+3\n')

    assert [row["link"] for row in table.rows] == ['=HYPERLINK("http://x","y")', "=1+1"]
    assert [read_number(row["score"]) for row in table.rows] == [-2.0, 3.0]


# Workbooks


def book(rows: list[list[object]], *, formats: dict[str, str] | None = None) -> bytes:
    made = Workbook()
    sheet = made.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    for cell, number_format in (formats or {}).items():
        sheet[cell].number_format = number_format
    file = BytesIO()
    made.save(file)
    return file.getvalue()


def test_a_workbook_is_read_as_it_is_shown() -> None:
    table = read_table(DATA / "05_excel_dates_leading_zeros.xlsx")

    assert (table.encoding, table.header_line) == ("xlsx", 3)
    assert [row["App No"] for row in table.rows] == ["0000123", "0000012", "0000001", "0045000"]
    assert [row["DOB"] for row in table.rows] == [
        "1999-02-28",
        "2000-02-29",
        "1998-12-31",
        "2023-03-15",
    ]
    assert [row.line for row in table.rows] == [4, 5, 6, 8]
    assert table.rows[1]["National ID"] == "00987654321098765"
    assert table.rows[0]["Submitted"] == "2025-12-01 23:59:00"
    assert [row["Panel score"] for row in table.rows] == ["4.5", "n/a", "3", ""]
    assert [warning.split(":")[0].split(" (")[0] for warning in table.warnings] == [
        "the sheet 'Applicants' was read, not 'Notes'. Name the sheet if another was meant",
        "row 6, column 5",
        "row 8, column 6",
    ]
    assert "the formula has no stored value" in table.warnings[2]
    assert "keeps only 15 digits" in table.warnings[1]


def test_a_bare_serial_number_becomes_a_date_only_in_a_column_of_dates() -> None:
    from datetime import datetime  # noqa: PLC0415 - only here

    day = datetime(2025, 2, 16)  # noqa: DTZ001 - a spreadsheet's days have no zone
    data = book([["id", "day", "score"], [45705, day, 45705], [2, day, 3], [3, 45705, 4]])

    table = read_table(data)

    assert [row["day"] for row in table.rows] == ["2025-02-16", "2025-02-16", "2025-02-17"]
    assert [row["id"] for row in table.rows] == ["45705", "2", "3"]
    assert table.rows[0]["score"] == "45705"
    assert table.warnings == (
        "row 4, column 2: the number 45705 stands among dates and was read as 2025-02-17",
    )


def test_another_sheet_can_be_named_and_a_missing_one_is_refused() -> None:
    path = DATA / "05_excel_dates_leading_zeros.xlsx"

    assert read_table(path, sheet="Notes").headers == ("Do not import",)
    with pytest.raises(
        InvalidInputError, match=r"no visible sheet 'Nope'; there are 'Applicants'"
    ):
        read_table(path, sheet="Nope")


def test_a_workbook_that_unpacks_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook_archive, "MOST_UNZIPPED_WORKBOOK", 100)

    with pytest.raises(InvalidInputError, match="MB when unpacked"):
        read_table(book([["id"], [1]]))


def test_a_workbook_with_too_many_cells_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tabular, "MOST_CELLS", 5)

    with pytest.raises(InvalidInputError, match=r"row 3: more than .* or 5 cells"):
        read_table(book([["id", "name"], [1, "a"], [2, "b"]]))


def _tampered(data: bytes, name: str, content: bytes) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(file, "w") as new:
        for info in old.infolist():
            new.writestr(info, content if info.filename == name else old.read(info))
    return file.getvalue()


@pytest.mark.parametrize("part", ["xl/worksheets/sheet1.xml", "xl/workbook.xml"])
def test_a_workbook_with_entities_is_refused_unexpanded(part: str) -> None:
    bomb = (
        b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
        b'<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><x>&b;</x>'
    )

    with pytest.raises(InvalidInputError, match="the workbook cannot be read"):
        read_table(_tampered(book([["id"], [1]]), part, bomb))


def test_a_truncated_workbook_is_refused_in_words() -> None:
    data = book([["id"], [1]])

    with pytest.raises(InvalidInputError, match=r"this is no table|cannot be read"):
        read_table(data[: len(data) // 2])


# Words


@pytest.mark.parametrize("text", ["", " ", "N/A", "-", "#N/A", "NULL", "tbd", "n/a", "–"])
def test_what_means_no_value_is_missing(text: str) -> None:
    assert is_missing(text)


@pytest.mark.parametrize("text", ["0", "0.0", "NaN", "inf", "no"])
def test_a_zero_or_a_word_is_not_missing(text: str) -> None:
    assert not is_missing(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,3", 1.3),
        ("10,25", 10.25),
        ("6.25", 6.25),
        ("-3.5", -3.5),
        ("−1", -1.0),
        (" 3 ", 3.0),
        ("1,234.5", None),
        ("1.234,5", None),
        ("NaN", None),
        ("inf", None),
        ("1e999", None),
        ("8-10", None),
        ("", None),
    ],
)
def test_numbers_are_read_with_point_or_comma_and_nothing_else(
    text: str, number: float | None
) -> None:
    assert read_number(text) == number


def test_headers_are_recognised_by_their_words() -> None:
    assert [spelling(h) for h in ("Ref ID", "e-mail", "submission #", " App No. ")] == [
        "ref_id",
        "e_mail",
        "submission_#",
        "app_no",
    ]


def test_yes_and_no_are_read_and_nothing_between() -> None:
    assert [read_yes_no(t) for t in ("Yes", "x", "1", "no", "0", "maybe", "")] == [
        True,
        True,
        True,
        False,
        False,
        None,
        None,
    ]


def test_lists_are_split_at_semicolons_and_line_breaks() -> None:
    assert split_list(" a; b;;\nc, d ") == ("a", "b", "c, d")


# Properties


@pytest.mark.long
@given(st.text())
def test_a_guarded_text_comes_back_and_cannot_calculate(text: str) -> None:
    guarded = guard(text)

    assert unguard(guarded) == text
    assert not guarded.startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))


@given(st.binary(max_size=300))
def test_any_bytes_give_a_table_or_an_error_for_the_reader(data: bytes) -> None:
    lines = [1]
    with contextlib.suppress(InvalidInputError):
        lines = [row.line for row in read_table(data).rows]

    assert all(line >= 1 for line in lines)


CELL = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=8
).filter(lambda text: text.strip() == text and not text.startswith("\t"))


@given(
    st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=8),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_what_was_written_with_any_separator_and_encoding_is_read_back(
    rows: list[tuple[str, str, str]], separator: str, encoding: str
) -> None:
    def quoted(cell: str) -> str:
        return '"' + cell.replace('"', '""') + '"'

    lines = [("id", "name", "city"), *rows]
    text = "\r\n".join(separator.join(map(quoted, line)) for line in lines)

    table = read_table(text.encode(encoding))

    assert [(row["id"], row["name"], row["city"]) for row in table.rows] == rows
    assert table.bad == ()


def test_a_file_of_nothing_but_an_open_quotation_mark_is_refused() -> None:
    with pytest.raises(BadRowsError, match="never closed"):
        read_table(b'"id,name\n1,a\n')
