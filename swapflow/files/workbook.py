"""XLSX files, read as the spreadsheet shows them."""

import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import Protocol, cast
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.workbook.workbook import Workbook
from openpyxl.xml import DEFUSEDXML

from swapflow.errors import InvalidInputError
from swapflow.files.guard import unguard


assert DEFUSEDXML, "openpyxl reads untrusted XML safely only with defusedxml installed"

MOST_UNZIPPED = 300 * 1024 * 1024
EXACT_DIGITS = 10**15
"""A spreadsheet's numbers keep 15 digits; longer ones have lost their last."""

_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
_ZEROS = re.compile(r"0{2,}")
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
    NotImplementedError,
)


class _OpenCell(Protocol):
    value: object
    number_format: str | None
    data_type: str


class _Sheet(Protocol):
    """What is used of openpyxl's read-only sheet, whose published types do not fit it."""

    title: str

    def reset_dimensions(self) -> None: ...
    def iter_rows(self) -> Iterator[tuple[_OpenCell, ...]]: ...


@dataclass(slots=True)
class Book:
    """One sheet's records: (row number, cells), and what was noticed.

    Attributes:
        formulas: (row number, column from 0) of every cell that holds a formula.
    """

    records: list[tuple[int, list[str]]] = field(default_factory=list)
    formulas: set[tuple[int, int]] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)


def is_workbook(data: bytes) -> bool:
    """Whether the bytes are an XLSX file."""
    if not data.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        return False


def read_workbook(data: bytes, *, name: str, sheet: str, rows: int, cells: int) -> Book:
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
            f"{name}: the workbook cannot be read ({type(error).__name__}). Open it in a "
            "spreadsheet program and save it again as .xlsx, or as CSV"
        ) from error


def _read(data: bytes, *, name: str, sheet: str, rows: int, cells: int) -> Book:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        unzipped = sum(info.file_size for info in archive.infolist())
    if unzipped > MOST_UNZIPPED:
        raise InvalidInputError(
            f"{name}: {unzipped // 2**20} MB when unpacked, and {MOST_UNZIPPED // 2**20} MB are "
            "the most. Save the sheet alone, as CSV"
        )
    book = Book()
    values = load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
    worksheet = _sheet(values, name, sheet, book.warnings)
    shown: list[tuple[int, list[_Cell]]] = []
    seen = 0
    for number, row in _rows(worksheet):
        seen += len(row)
        if number > rows or seen > cells:
            raise InvalidInputError(
                f"{name}: row {number}: more than {rows} rows or {cells} cells. Split the file, "
                "or remove formatting from empty rows and columns"
            )
        shown.append((number, row))
    title = worksheet.title
    values.close()
    book.records = [(number, [cell.text for cell in row]) for number, row in shown]
    _warn_dates(shown, book)
    _warn_digits(shown, book)
    _warn_formulas(data, title, shown, book)
    return book


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    is_date: bool = False
    number: float | None = None
    plain: bool = True  # no number format of its own


_EMPTY = _Cell("")


def _sheets(workbook: Workbook) -> list[_Sheet]:
    visible = [s for s in workbook.worksheets if s.sheet_state == "visible"]
    return cast("list[_Sheet]", visible)


def _sheet(workbook: Workbook, name: str, wanted: str, warnings: list[str]) -> _Sheet:
    visible = _sheets(workbook)
    named = [s for s in visible if s.title == wanted] if wanted else visible
    if not named:
        titles = ", ".join(repr(s.title) for s in visible) or "none"
        raise InvalidInputError(
            f"{name}: there is no visible sheet {wanted!r}; there are {titles}. Name one of them"
        )
    if len(visible) > 1 and not wanted:
        others = ", ".join(repr(s.title) for s in visible[1:])
        warnings.append(
            f"the sheet {named[0].title!r} was read, not {others}. "
            "Name the sheet if another was meant"
        )
    return named[0]


def _rows(worksheet: _Sheet) -> Iterator[tuple[int, list[_Cell]]]:
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
            return _Cell(unguard(str(value)).strip())


def _digits(value: float, number_format: str) -> str:
    """Spell a number, with the leading zeros that its format shows."""
    text = str(int(value)) if float(value).is_integer() and abs(value) < 1e21 else repr(value)  # noqa: PLR2004 - beyond it repr is clearer
    if _ZEROS.fullmatch(number_format) and text.isdigit():
        return text.zfill(len(number_format))
    return text


def _moment(value: datetime) -> str:
    if value.time() == time(0):
        return value.date().isoformat()
    return value.isoformat(sep=" ", timespec="seconds")


def _warn_dates(shown: Sequence[tuple[int, list[_Cell]]], book: Book) -> None:
    """Turn bare serial numbers into dates where the column holds dates, and only there."""
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
            text = _moment(serial_date(cell.number))
            book.records[i][1][column] = text
            book.warnings.append(
                f"row {number}, column {column + 1}: the number {cell.text} stands among dates "
                f"and was read as {text}"
            )


def serial_date(serial: float) -> datetime:
    """Give the day and time that a spreadsheet's serial number means (1900 system)."""
    return datetime(1899, 12, 30) + timedelta(seconds=round(serial * 86_400))  # noqa: DTZ001 - a spreadsheet's times have no zone


def _warn_digits(shown: Sequence[tuple[int, list[_Cell]]], book: Book) -> None:
    book.warnings.extend(
        f"row {number}, column {column + 1}: {cell.text} is stored as a number, and a "
        "spreadsheet keeps only 15 digits of it; its last digits may be wrong. Store it as text"
        for number, row in shown
        for column, cell in enumerate(row)
        if cell.number is not None and abs(cell.number) >= EXACT_DIGITS
    )


def _warn_formulas(
    data: bytes, title: str, shown: Sequence[tuple[int, list[_Cell]]], book: Book
) -> None:
    """Note every formula, and name those whose value the file does not hold.

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
