"""Workbooks of the kinds that offices send: read as the spreadsheet shows them."""

import random
import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from io import BytesIO
from zipfile import ZipFile

import pytest
from openpyxl import Workbook
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from openpyxl.worksheet.worksheet import Worksheet

from swapflow.errors import InvalidInputError
from swapflow.files.tables.table import Table, read_table


DAY = datetime(2026, 2, 16)  # noqa: DTZ001 - a spreadsheet's days have no zone


def book(
    rows: Sequence[Sequence[object]],
    change: Callable[[Workbook, Worksheet], None] = lambda _book, _sheet: None,
) -> Table:
    made = Workbook()
    sheet = made.worksheets[0]
    for row in rows:
        sheet.append(list(row))
    change(made, sheet)
    file = BytesIO()
    made.save(file)
    return read_table(file.getvalue(), name="list.xlsx")


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (123, "0000000", "0000123"),
        (12345678, "0000000", "12345678"),
        (123456789, "000-00-0000", "123-45-6789"),
        (1234567, "000\\-00\\-0000", "001-23-4567"),
        (42, '"A"0000', "A0042"),
        (42, "General", "42"),
        (42, "0", "42"),
        (42, "0.00", "42"),
        (1234, "#,##0", "1234"),
        (-5, "0000", "-5"),
        (0.1 + 0.2, "General", "0.3"),
        (3.25, "0.0", "3.25"),
        (1e30, "General", "1e+30"),
        ("0007", "General", "0007"),
        ("'0007", "General", "0007"),
        (True, "General", "TRUE"),
        (0.85, "0%", "85%"),
        (0.853, "0%", "85.3%"),
        (0.07, "0.00%", "7%"),
        (85, '0"%"', "85%"),
        (1234.5, '#,##0.00 "€"', "1234.5€"),
        (1234.5, "[$$-409]#,##0.00", "$1234.5"),
        (1234.5, '_-"£"* #,##0.00_-;-"£"* #,##0.00_-', "£1234.5"),
        (2.5, "# ?/?", "2 1/2"),
        (0.75, "# ??/??", "3/4"),
        (2.5, "# ?/8", "2 4/8"),
        (85000, "0,", "85"),
        (DAY, "yyyy-mm-dd", "2026-02-16"),
        (DAY, "d-mmm", "2026-02-16"),
        (DAY, "mmm yyyy", "2026-02"),
        (DAY, "yyyy", "2026"),
        (DAY + timedelta(hours=9.5), "hh:mm", "09:30:00"),
        (timedelta(hours=26), "[h]:mm", "26:00:00"),
    ],
)
def test_a_number_is_spelled_with_the_zeros_and_dashes_it_is_shown_with(
    value: object, number_format: str, shown: str
) -> None:
    def format_it(_book: Workbook, sheet: Worksheet) -> None:
        sheet["B2"].number_format = number_format

    assert book([["id", "value"], ["A1", value]], format_it).rows[0]["value"] == shown


def test_a_sheet_of_the_strict_kind_is_read_like_another() -> None:
    made = Workbook()
    made.worksheets[0].append(["id", "name"])
    made.worksheets[0].append(["A1", "Zoe"])
    usual, strict = BytesIO(), BytesIO()
    made.save(usual)
    with ZipFile(usual) as read, ZipFile(strict, "w") as written:
        for member in read.namelist():
            content = re.sub(
                rb"http://schemas\.openxmlformats\.org/(\w+)/2006/(main|relationships)",
                rb"http://purl.oclc.org/ooxml/\1/\2",
                read.read(member),
            )
            written.writestr(member, content)

    table = read_table(strict.getvalue(), name="list.xlsx")

    assert [dict(row.cells) for row in table.rows] == [{"id": "A1", "name": "Zoe"}]


def test_of_two_lists_in_a_workbook_the_one_on_top_is_read_and_that_is_told() -> None:
    def add(made: Workbook, _sheet: Worksheet) -> None:
        other = made.create_sheet("new")
        other.append(["id", "name"])
        other.append(["B1", "Omar"])
        made.active = 1

    table = book([["id", "name"], ["A1", "Zoe"]], add)

    assert table.rows[0]["id"] == "B1"
    assert "the sheet 'new' was read, not 'Sheet'" in table.warnings[0]


def test_cells_that_hold_dates_and_columns_that_are_hidden_are_known() -> None:
    def hide(_made: Workbook, sheet: Worksheet) -> None:
        sheet.column_dimensions["C"].hidden = True

    table = book([["id", "day", "note"], ["A1", DAY, "be kind"]], hide)

    assert table.dates == {(2, "day")}
    assert table.hidden == {"note"}


def test_a_bare_serial_number_among_dates_counts_from_the_year_of_its_workbook() -> None:
    def since_1904(made: Workbook, _sheet: Worksheet) -> None:
        made.epoch = CALENDAR_MAC_1904

    rows: list[list[object]] = [["id", "day"], [1, DAY], [2, DAY], [3, 46069 - 1462]]

    table = book(rows, since_1904)

    assert [row["day"] for row in table.rows] == ["2026-02-16"] * 3


def test_the_sheet_with_a_header_is_read_and_hidden_ones_are_not() -> None:
    def sheets(made: Workbook, _sheet: Worksheet) -> None:
        hidden = made.create_sheet("Old")
        hidden.append(["Ref", "Name"])
        hidden.sheet_state = "hidden"
        people = made.create_sheet("People")
        people.append(["Ref", "Name"])
        people.append(["A1", "Ann"])

    table = book([["Read me first"], ["This file holds the applicants"]], sheets)

    assert (table.sheet, table.sheets) == ("People", ("Sheet", "People"))
    assert [row["Name"] for row in table.rows] == ["Ann"]
    assert table.warnings == (
        "the sheet 'People' was read, not 'Sheet'. Name the sheet if another was meant",
    )


def test_merged_cells_give_their_value_to_each_of_their_rows_and_that_is_told() -> None:
    def merge(_book: Workbook, sheet: Worksheet) -> None:
        sheet.merge_cells("C2:C3")

    table = book(
        [["id", "name", "region"], ["A1", "Ann", "North"], ["A2", "Bo", None], ["A3", "Cy", None]],
        merge,
    )

    assert [row["region"] for row in table.rows] == ["North", "North", ""]
    assert table.warnings == (
        ("rows 2 to 3, column 3 are one merged cell; each of these rows was given 'North'"),
    )


def test_a_merged_header_on_two_rows_is_put_together() -> None:
    def merge(_book: Workbook, sheet: Worksheet) -> None:
        sheet.merge_cells("A1:D1")
        sheet.merge_cells("A2:A3")
        sheet.merge_cells("B2:B3")
        sheet.merge_cells("C2:D2")

    table = book(
        [
            ["Spring intake", None, None, None],
            ["Ref", "Name", "Marks", None],
            [None, None, "Written", "Oral"],
            ["A1", "Ann", 3, 4],
        ],
        merge,
    )

    assert table.headers == ("Ref", "Name", "Written", "Oral")
    assert [dict(row.cells) for row in table.rows] == [
        {"Ref": "A1", "Name": "Ann", "Written": "3", "Oral": "4"}
    ]


def test_hidden_rows_are_read_and_counted_aloud() -> None:
    def hide(_book: Workbook, sheet: Worksheet) -> None:
        sheet.row_dimensions[3].hidden = True

    table = book([["id"], ["A1"], ["A2"], ["A3"]], hide)

    assert [row["id"] for row in table.rows] == ["A1", "A2", "A3"]
    assert table.warnings[0].startswith("1 rows of the sheet are hidden")


def test_a_sheet_that_is_formatted_far_beyond_its_values_is_read() -> None:
    def widen(_book: Workbook, sheet: Worksheet) -> None:
        for row in range(1, 40):
            sheet.cell(row, 2000).number_format = "0.00"
        sheet.cell(9000, 1).number_format = "0.00"

    table = book([["id", "name"], ["A1", "Ann"]], widen)

    assert [dict(row.cells) for row in table.rows] == [{"id": "A1", "name": "Ann"}]


def test_a_small_file_that_unpacks_to_a_huge_one_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from swapflow.files.tables import workbook_archive  # noqa: PLC0415 - only here

    monkeypatch.setattr(workbook_archive, "SMALL_WORKBOOK", 10_000)
    monkeypatch.setattr(workbook_archive, "MOST_PACKED", 5)

    with pytest.raises(InvalidInputError, match="when unpacked"):
        book([["id", "name"], *[["A1", "Ann"]] * 5000])


@pytest.mark.parametrize("name", ["list.xlsx", "LIST.XLSX", "list.xlsm"])
@pytest.mark.parametrize("seed", range(5))
def test_a_workbook_of_torn_bytes_is_named_as_one_and_no_encoding_is_asked_for(
    name: str, seed: int
) -> None:
    torn = random.Random(seed).randbytes(300)

    with pytest.raises(InvalidInputError, match=r"Save the list.* as \.xlsx"):
        read_table(torn, name=name)


def test_a_list_that_was_renamed_to_a_workbook_is_read_as_the_text_that_it_is() -> None:
    table = read_table("id,name\nA1,Zoë\n".encode("cp1252"), name="list.xlsx")

    assert [dict(row.cells) for row in table.rows] == [{"id": "A1", "name": "Zoë"}]
