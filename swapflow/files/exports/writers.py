"""Sheets as CSV, XLSX and JSON, safe to open in a spreadsheet."""

import csv
import io
import json
import math
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell

from swapflow.errors import InvalidInputError
from swapflow.files.tables.formula_guard import guard


Cell = str | int | float | bool | None


MOST_CELL = 32_767
"""Characters that a spreadsheet's cell holds."""


_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class Format(StrEnum):
    """A format that lists come in."""

    CSV = "csv"
    XLSX = "xlsx"
    JSON = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportSheet:
    """A list to be written.

    Attributes:
        name: Title of the sheet and stem of the file.
        headers: Names of the columns, as importers know them.
        rows: Cells in the order of the headers.
    """

    name: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def sheet_bytes(sheet: ExportSheet, form: Format, *, raw: bool = False) -> bytes:
    """Write a list in one of the formats.

    Args:
        sheet: The list.
        form: CSV (UTF-8 with a mark, which Excel needs), XLSX or JSON.
        raw: For programs: without the tab before would-be formulas, and without the mark.
    """
    match form:
        case Format.CSV:
            return _csv(sheet, raw=raw)
        case Format.XLSX:
            return _xlsx(sheet, raw=raw)
        case Format.JSON:
            rows = [
                dict(zip(sheet.headers, map(finite_cell, row), strict=True)) for row in sheet.rows
            ]
            return json_bytes(rows)


def _csv(sheet: ExportSheet, *, raw: bool) -> bytes:
    text = io.StringIO(newline="")
    # Every string is in quotes: a guarding tab outside them would be trimmed.
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerow(_guarded(sheet.headers, raw=raw))
    for row in sheet.rows:
        writer.writerow(_guarded(row, raw=raw))
    return encodable(text.getvalue()).encode("utf-8" if raw else "utf-8-sig")


def _guarded(row: Iterable[Cell], *, raw: bool) -> Iterator[str | int | float]:
    for cell in row:
        shown = table_cell(cell)
        yield guard(shown) if isinstance(shown, str) and not raw else shown


def table_cell(cell: Cell) -> str | int | float:
    """Return a cell as tables hold it: yes or no, blank for no number, no control codes."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    cell = finite_cell(cell)
    if isinstance(cell, str):
        return _FORBIDDEN.sub("\ufffd", cell)
    return "" if cell is None else cell


def finite_cell(cell: Cell) -> Cell:
    """Replace a number that is not finite by an empty cell."""
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def _xlsx(sheet: ExportSheet, *, raw: bool) -> bytes:
    book = Workbook(write_only=True)
    page = book.create_sheet(sheet.name)
    for row in (sheet.headers, *sheet.rows):
        cells: list[object] = []
        for shown in map(table_cell, row):
            if isinstance(shown, str):
                cell = WriteOnlyCell(page, value=(shown if raw else guard(shown))[:MOST_CELL])
                # Else openpyxl makes a formula of text that begins with "=".
                cell.data_type = "s"
            else:
                cell = WriteOnlyCell(page, value=shown)
            cells.append(cell)
        page.append(cells)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def json_bytes(content: object) -> bytes:
    """Format content as JSON, as bytes."""
    text = json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False, default=_plain)
    return encodable(text + "\n").encode()


def encodable(text: str) -> str:
    """Replace lone surrogates, which no encoding can write."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)


def write_sheet(path: str | Path, sheet: ExportSheet, *, raw: bool = False) -> None:
    """Write a list to a file whose suffix (.csv, .xlsx, .json) says the format; else CSV."""
    suffix = Path(path).suffix.lower().lstrip(".")
    form = Format(suffix) if suffix in set(Format) else Format.CSV
    write_file(Path(path), sheet_bytes(sheet, form, raw=raw))


def write_file(path: Path, content: bytes) -> Path:
    """Move a file to its place at once, readable by its owner and group only.

    Raises:
        InvalidInputError: If it cannot be written there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".export-")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(0o640)
        return Path(name).replace(path)
    except OSError as error:
        raise InvalidInputError("path_unwritable", path=path, problem=error.strerror) from error
