"""XLSX files, read as the spreadsheet shows them."""

import re
import struct
import warnings
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
from swapflow.files.tables.number_formats import DIGITS, shown_moment, shown_number
from swapflow.files.tables.workbook_archive import check_archive, check_directory
from swapflow.untrusted.limits import (
    LONGEST_CELL,
    MOST_CELLS,
    MOST_EMPTY,
)


assert DEFUSEDXML, "openpyxl reads untrusted XML safely only with defusedxml installed"

EXACT_DIGITS = 10**DIGITS

_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
_MERGED = re.compile(
    rb'<(?:\w+:)?mergeCell\b[^<>]*\bref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"'
)
_HIDDEN = re.compile(rb'<(?:\w+:)?row\b[^<>]*\bhidden="(?:1|true)"')
_COLUMN = re.compile(rb"<(?:\w+:)?col\b([^<>]*)>")
_ATTRIBUTE = re.compile(rb'\b(min|max|hidden)="(\w+)"')
_STRICT = b"http://purl.oclc.org/ooxml/"
_STRICT_NAME = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_USUAL_NAME = rb"http://schemas.openxmlformats.org/\1/2006/"
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
        dates: The same of every cell that holds a date or a time.
        hidden: Columns, from 0, that the sheet does not show.
        merged: (first row, last row, column from 1, value) of cells merged over several rows.
    """

    title: str = ""
    titles: tuple[str, ...] = ()
    records: list[tuple[int, list[str]]] = field(default_factory=list)
    formulas: set[tuple[int, int]] = field(default_factory=set)
    dates: set[tuple[int, int]] = field(default_factory=set)
    hidden: set[int] = field(default_factory=set)
    merged: list[tuple[int, int, int, str]] = field(default_factory=list)
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

    Numbers come as shown: percentages, currencies, fractions and leading zeros as their format
    has them, dates year-month-day, a whole number without decimals. A formula gives its stored
    value.

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
        with warnings.catch_warnings():
            # What the reader misses in a style or an extension is nothing that staff can cure.
            warnings.simplefilter("ignore")
            return _read(data, name=name, sheet=sheet, rows=rows, cells=cells)
    except _UNREADABLE as error:
        raise InvalidInputError(
            "workbook_unreadable", name=name, problem=type(error).__name__
        ) from error


def _read(data: bytes, *, name: str, sheet: str, rows: int, cells: int) -> SheetRecords:
    check_archive(data, name)
    data = _transitional(data)
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
    book.dates = {
        (number, column)
        for number, row in shown
        for column, cell in enumerate(row)
        if cell.is_date
    }
    _warn_dates(shown, book, since_1904=since_1904)
    _warn_digits(shown, book)
    _warn_formulas(data, book.title, shown, book)
    with zipfile.ZipFile(BytesIO(data)) as archive:
        drawn = archive.read(member.lstrip("/"))
    _look_at_rows(drawn, book, name)
    book.hidden = _hidden_columns(drawn, width)
    return book


def _transitional(data: bytes) -> bytes:
    """Write a workbook of the strict kind of Office Open XML as the usual one, which is read.

    The two differ in the names of their namespaces (ISO/IEC 29500-1 and 29500-4, annex A).
    """
    with zipfile.ZipFile(BytesIO(data)) as archive:
        if _STRICT not in archive.read("xl/workbook.xml"):
            return data
        written = BytesIO()
        with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as usual:
            for member in archive.infolist():
                content = archive.read(member)
                if member.filename.endswith((".xml", ".rels")):
                    content = _STRICT_NAME.sub(_USUAL_NAME, content)
                usual.writestr(member.filename, content)
    return written.getvalue()


def _hidden_columns(sheet: bytes, width: int) -> set[int]:
    hidden: set[int] = set()
    for tag in _COLUMN.findall(sheet):
        places = dict(_ATTRIBUTE.findall(tag))
        if places.get(b"hidden") in {b"1", b"true"}:
            first, last = int(places.get(b"min", b"1")), int(places.get(b"max", b"0"))
            hidden.update(range(first - 1, min(last, width)))
    return hidden


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
    # A sheet that explains the list may come before it; of two lists, the one on top counts.
    on_top = workbook.active.title if workbook.active is not None else ""
    chosen = max(visible, key=lambda s: (min(_words(s), 2), s.title == on_top))
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
            text = shown_number(value, number_format or "")
            return _Cell(text, number=float(value), plain=number_format in {None, "General"})
        case datetime() | date() | time() | timedelta():
            return _Cell(shown_moment(value, number_format or ""), is_date=True)
        case _:
            return _Cell(clean(str(value)))


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
            text = shown_moment(serial_date(cell.number, since_1904=since_1904), "")
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
        book.merged.append((first, last, column, cells[0][column - 1]))
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
