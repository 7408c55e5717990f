"""XLSX files, read as the spreadsheet shows them."""

import math
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from io import BytesIO
from itertools import islice
from typing import Protocol, cast
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from openpyxl import load_workbook
from openpyxl.utils import column_index_from_string
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.workbook.workbook import Workbook
from openpyxl.xml import DEFUSEDXML

from swapflow.errors import InvalidInputError
from swapflow.files.tables.cells import check_cells, check_columns, clean, spelling
from swapflow.files.tables.header_names import KNOWN
from swapflow.files.tables.workbook_archive import check_archive, check_directory
from swapflow.untrusted.limits import (
    LONGEST_CELL,
    LONGEST_NUMBER_FORMAT,
    MOST_CELLS,
    MOST_EMPTY,
)


assert DEFUSEDXML, "openpyxl reads untrusted XML safely only with defusedxml installed"

_EXACT = 15
EXACT_DIGITS = 10**_EXACT
"""A spreadsheet's numbers keep 15 digits; longer ones have lost their last."""

_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
_MERGED = re.compile(
    rb'<(?:\w+:)?mergeCell\b[^<>]*\bref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"'
)
_HIDDEN = re.compile(rb'<(?:\w+:)?row\b[^<>]*\bhidden="(?:1|true)"')
_SHOWN_DIGITS = re.compile(r'"([^"]*)"|\\(.)|([-/ 0])')
_DAYS_TO_1904 = 1462
_LOOKED_AT = 20
"""Rows of a sheet that its header is looked for in, where there are several sheets."""
_UNREADABLE = (
    zipfile.BadZipFile,
    InvalidFileException,
    DefusedXmlException,
    ParseError,
    KeyError,
    ValueError,
    TypeError,
    IndexError,
    AttributeError,
    OSError,
    EOFError,
    NotImplementedError,  # a member is packed in a way that zipfile does not know
    OverflowError,
    RecursionError,
    RuntimeError,  # a member of the archive has a password
    struct.error,
    zlib.error,
)


class _OpenCell(Protocol):
    value: object
    number_format: str | None
    data_type: str


class _WorkbookSheet(Protocol):
    """What is used of openpyxl's read-only sheet, whose published types do not fit it."""

    title: str
    _worksheet_path: str

    def reset_dimensions(self) -> None: ...
    def iter_rows(self) -> Iterator[tuple[_OpenCell, ...]]: ...


@dataclass(slots=True)
class SheetRecords:
    """One sheet's records: (row number, cells), and what was noticed.

    Attributes:
        title: Name of the sheet.
        titles: Names of the visible sheets.
        formulas: (row number, column from 0) of every cell that holds a formula.
    """

    title: str = ""
    titles: tuple[str, ...] = ()
    records: list[tuple[int, list[str]]] = field(default_factory=list)
    formulas: set[tuple[int, int]] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)


def is_workbook(data: bytes) -> bool:
    """Whether the bytes are an XLSX file.

    Raises:
        InvalidInputError: If they are an archive of more files than are looked at.
    """
    if not data.startswith(b"PK\x03\x04"):
        return False
    check_directory(data)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        return False


def read_workbook(data: bytes, *, name: str, sheet: str, rows: int, cells: int) -> SheetRecords:
    """Read one sheet.

    Numbers come as shown: zeros of a number format are kept, dates are spelled year-month-day, a
    whole number has no decimals. A formula gives its stored value.

    Args:
        data: The file.
        name: What messages call it.
        sheet: Name of the sheet, "" for the first visible one.
        rows: Most rows.
        cells: Most cells.

    Raises:
        InvalidInputError: If the file is damaged, too large, or has no such sheet.
    """
    try:
        return _read(data, name=name, sheet=sheet, rows=rows, cells=cells)
    except _UNREADABLE as error:
        raise InvalidInputError(
            "workbook_unreadable", name=name, problem=type(error).__name__
        ) from error


def _read(data: bytes, *, name: str, sheet: str, rows: int, cells: int) -> SheetRecords:
    check_archive(data, name)
    book = SheetRecords()
    values = load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
    worksheet = _sheet(values, name, sheet, book.warnings)
    shown: list[tuple[int, list[_Cell]]] = []
    filled, seen, width = 0, 0, 0
    for number, row in _rows(worksheet):
        seen += len(row)
        while row and not row[-1].text:
            row.pop()
        filled += len(row)
        width = max(width, len(row))
        most_seen = max(seen, width * (len(shown) + 1))
        if number > rows or filled > cells or most_seen > MOST_EMPTY * cells:
            raise InvalidInputError(
                "workbook_too_long", name=name, row=number, rows=rows, cells=cells
            )
        check_columns(len(row), name, number)
        if max((len(cell.text) for cell in row), default=0) > LONGEST_CELL:
            check_cells([cell.text for cell in row], name, number)
        shown.append((number, row))
    book.title = worksheet.title
    book.titles = tuple(sheet.title for sheet in _sheets(values))
    since_1904 = values.epoch == CALENDAR_MAC_1904
    member = worksheet._worksheet_path  # noqa: SLF001 - openpyxl names it nowhere else
    values.close()
    book.records = [
        (number, [cell.text for cell in row] + [""] * (width - len(row))) for number, row in shown
    ]
    _warn_dates(shown, book, since_1904=since_1904)
    _warn_digits(shown, book)
    _warn_formulas(data, book.title, shown, book)
    with zipfile.ZipFile(BytesIO(data)) as archive:
        _look_at_rows(archive.read(member.lstrip("/")), book, name)
    return book


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    is_date: bool = False
    number: float | None = None
    plain: bool = True  # no number format of its own


_EMPTY = _Cell("")


def _sheets(workbook: Workbook) -> list[_WorkbookSheet]:
    visible = [s for s in workbook.worksheets if s.sheet_state == "visible"]
    return cast("list[_WorkbookSheet]", visible)


def _sheet(workbook: Workbook, name: str, wanted: str, warnings: list[str]) -> _WorkbookSheet:
    visible = _sheets(workbook)
    named = [s for s in visible if s.title == wanted] if wanted else visible
    if not named:
        titles = ", ".join(repr(s.title) for s in visible) or "none"
        raise InvalidInputError("worksheet_missing", name=name, wanted=wanted, sheets=titles)
    if len(visible) == 1 or wanted:
        return named[0]
    # A sheet that explains the list may come before it.
    chosen = max(visible, key=lambda s: min(_words(s), 2))
    others = ", ".join(repr(s.title) for s in visible if s is not chosen)
    warnings.append(
        f"the sheet {chosen.title!r} was read, not {others}. Name the sheet if another was meant"
    )
    return chosen


def _words(worksheet: _WorkbookSheet) -> int:
    """Count the words known from headers on the row of a sheet that has most of them."""
    worksheet.reset_dimensions()
    rows = islice(worksheet.iter_rows(), _LOOKED_AT)
    return max(
        (sum(spelling(str(c.value)) in KNOWN for c in row if c.value is not None) for row in rows),
        default=0,
    )


def _rows(worksheet: _WorkbookSheet) -> Iterator[tuple[int, list[_Cell]]]:
    # What the file says of its own size is often wrong, both ways.
    worksheet.reset_dimensions()
    for number, row in enumerate(worksheet.iter_rows(), start=1):
        yield number, [_cell(cell.value, cell.number_format) for cell in row]


def _cell(value: object, number_format: str | None) -> _Cell:
    match value:
        case None:
            return _EMPTY
        case bool():
            return _Cell("TRUE" if value else "FALSE")
        case int() | float():
            digits = _digits(value, number_format or "")
            return _Cell(digits, number=float(value), plain=number_format in {None, "General"})
        case datetime():
            return _Cell(_moment(value), is_date=True)
        case date() | time():
            return _Cell(value.isoformat(), is_date=True)
        case _:
            return _Cell(clean(str(value)))


def _digits(value: float, number_format: str) -> str:
    """Format a number, with the leading zeros and dashes that its format shows."""
    if not math.isfinite(value):
        return str(value)
    if not float(value).is_integer():
        text = f"{value:.{_EXACT}g}"  # as a spreadsheet shows it, not 0.30000000000000004
        return repr(value) if "e" in text else text
    text = str(int(value)) if abs(value) < 1e21 else repr(value)  # noqa: PLR2004 - beyond it repr is clearer
    followed = text.isdigit() and len(number_format) <= LONGEST_NUMBER_FORMAT
    return _formatted(text, number_format) if followed else text


def _formatted(digits: str, number_format: str) -> str:
    """Format digits in a format of zeros, dashes and quoted text; any other is passed over."""
    parts = list(_SHOWN_DIGITS.finditer(number_format))
    if "".join(part[0] for part in parts) != number_format:
        return digits
    zeros = sum(part[3] == "0" for part in parts)
    if not zeros or (zeros == 1 and len(parts) == 1):
        return digits
    left = list(digits.zfill(zeros))
    surplus = "".join(left[: len(left) - zeros])
    rest = iter(left[len(left) - zeros :])
    spelled, begun = "", False
    for part in parts:
        if part[3] == "0":
            spelled += ("" if begun else surplus) + next(rest)
            begun = True
        else:
            spelled += part[1] or part[2] or part[3] or ""
    return spelled


def _moment(value: datetime) -> str:
    if value.time() == time(0):
        return value.date().isoformat()
    return value.isoformat(sep=" ", timespec="seconds")


def _warn_dates(
    shown: Sequence[tuple[int, list[_Cell]]], book: SheetRecords, *, since_1904: bool
) -> None:
    """Convert bare serial numbers to dates where the column holds dates, and only there."""
    width = max((len(row) for _, row in shown), default=0)
    for column in range(width):
        filled = [
            (i, number, row[column])
            for i, (number, row) in enumerate(shown)
            if column < len(row) and row[column].text
        ]
        dates = sum(cell.is_date for _, _, cell in filled)
        bare = [
            (i, number, cell)
            for i, number, cell in filled
            if cell.number is not None and cell.plain and 1 <= cell.number < 2_958_466  # noqa: PLR2004 - up to the year 9999
        ]
        if not bare or dates <= len(bare):
            continue
        for i, number, cell in bare:
            assert cell.number is not None
            text = _moment(serial_date(cell.number, since_1904=since_1904))
            book.records[i][1][column] = text
            book.warnings.append(
                f"row {number}, column {column + 1}: the number {cell.text} stands among dates "
                f"and was read as {text}"
            )


def _look_at_rows(sheet: bytes, book: SheetRecords, name: str) -> None:
    """Fill every row of merged cells with their value, and count the rows that are hidden."""
    places = {number: i for i, (number, _) in enumerate(book.records)}
    looked_at = 0
    for match in _MERGED.finditer(sheet):
        column, first, last = (
            column_index_from_string(match[1].decode()),
            int(match[2]),
            int(match[4]),
        )
        below = range(first, min(last, len(book.records)) + 1)
        looked_at += 1 + len(below)
        if looked_at > MOST_CELLS:
            raise InvalidInputError("workbook_too_much_merged", name=name, most=MOST_CELLS)
        cells = [book.records[places[number]][1] for number in below if number in places]
        if len(cells) < 2 or len(cells[0]) < column or not cells[0][column - 1]:  # noqa: PLR2004 - one row is not merged downward
            continue
        for row in cells[1:]:
            row[column - 1] = cells[0][column - 1]
        book.warnings.append(
            f"rows {first} to {last}, column {column} are one merged cell; each of these rows was "
            f"given {cells[0][column - 1][:60]!r}"
        )
    hidden = len(_HIDDEN.findall(sheet))
    if hidden:
        book.warnings.append(
            f"{hidden} rows of the sheet are hidden, perhaps by a filter, and were read too. "
            "Remove them from the file if they are not meant"
        )


def serial_date(serial: float, *, since_1904: bool = False) -> datetime:
    """Return the day and time that a spreadsheet's serial number means (1900 or 1904 system)."""
    serial += _DAYS_TO_1904 * since_1904
    return datetime(1899, 12, 30) + timedelta(seconds=round(serial * 86_400))  # noqa: DTZ001 - a spreadsheet's times have no zone


def _warn_digits(shown: Sequence[tuple[int, list[_Cell]]], book: SheetRecords) -> None:
    book.warnings.extend(
        f"row {number}, column {column + 1}: {cell.text} is stored as a number, and a "
        "spreadsheet keeps only 15 digits of it; its last digits may be wrong. Store it as text"
        for number, row in shown
        for column, cell in enumerate(row)
        if cell.number is not None and abs(cell.number) >= EXACT_DIGITS
    )


def _warn_formulas(
    data: bytes, title: str, shown: Sequence[tuple[int, list[_Cell]]], book: SheetRecords
) -> None:
    """Record every formula, and name those whose value the file does not hold.

    Only a spreadsheet program computes it.
    """
    # A second reading doubles the time, so it is spared where no sheet has a formula.
    with zipfile.ZipFile(BytesIO(data)) as archive:
        sheets = [n for n in archive.namelist() if n.startswith("xl/worksheets/")]
        if not any(_FORMULA.search(archive.read(name)) for name in sheets):
            return
    formulas = load_workbook(BytesIO(data), read_only=True, keep_links=False)
    worksheet = next(sheet for sheet in _sheets(formulas) if sheet.title == title)
    worksheet.reset_dimensions()
    for (number, row), cells in zip(shown, worksheet.iter_rows(), strict=False):
        for column, cell in enumerate(cells):
            if cell.data_type != "f" or cell.value is None:
                continue
            book.formulas.add((number, column))
            if column >= len(row) or not row[column].text:
                book.warnings.append(
                    f"row {number}, column {column + 1}: the formula has no stored value, so the "
                    "cell was read as empty. Open the file in a spreadsheet program, save it, and "
                    "import it again"
                )
    formulas.close()
