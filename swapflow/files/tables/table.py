"""Tables as offices keep them (CSV, TSV, TXT, XLSX, JSON), read into rows that know their line.

Nothing is guessed in silence: what the reader took the file for (its encoding, its header, rows
that are none) is named; every cell is text as the spreadsheet shows it. What cannot be read safely
is named by line.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from swapflow.errors import BadRow, BadRowsError, InvalidInputError
from swapflow.files.tables import headers as head
from swapflow.files.tables.cells import shorten
from swapflow.files.tables.delimited import Record, read_delimited
from swapflow.files.tables.encodings import decode
from swapflow.files.tables.json_table import looks_like_json, read_json
from swapflow.files.tables.workbook import is_workbook, read_workbook
from swapflow.untrusted.limits import MOST_CELLS, MOST_ROWS, MOST_TABLE_BYTES


Source = str | Path | bytes

_WORKBOOK_NAMES = (".xlsx", ".xlsm")
_BINARY = 50
"""One character in this many may be NUL before a file is no text at all."""
_MOST_NOTES = 100
_LEGACY_EXCEL = b"\xd0\xcf\x11\xe0"


@dataclass(frozen=True, slots=True)
class TableRow:
    """One record: cells by header, stripped; a column that the row leaves empty is ""."""

    line: int
    cells: Mapping[str, str]

    def __getitem__(self, header: str) -> str:
        return self.cells.get(header, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A file's records.

    Attributes:
        source: What messages call the file.
        headers: Named columns, left to right.
        header_line: Line or row of the header.
        rows: Records that are not blank.
        encoding: Encoding it was read in; "xlsx" for a workbook.
        separator: The character between cells; "" for a workbook.
        warnings: What the reader did that staff should know, in sentences.
        bad: Records that could not be read; importers add theirs and refuse the file.
        formulas: (line, header) of every cell of a workbook that holds a formula.
        dates: The same of every cell that a workbook holds as a date or a time.
        hidden: Headers of columns that a workbook does not show.
        sheet: The sheet of the workbook that was read.
        sheets: Its visible sheets.
        notes: What stands above its header and under its rows.
        grouped: Whether the header was put together from two lines.
    """

    source: str
    headers: tuple[str, ...]
    header_line: int
    rows: tuple[TableRow, ...]
    encoding: str
    separator: str
    warnings: tuple[str, ...] = ()
    bad: tuple[BadRow, ...] = ()
    formulas: frozenset[tuple[int, str]] = frozenset()
    dates: frozenset[tuple[int, str]] = frozenset()
    hidden: frozenset[str] = frozenset()
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    grouped: bool = False


@dataclass(slots=True)
class Raw:
    """Records before the header is known: (line, cells) and what was noticed."""

    records: list[tuple[int, list[str]]]
    encoding: str
    separator: str = ""
    warnings: list[str] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)
    formulas: set[tuple[int, int]] = field(default_factory=set)
    dates: set[tuple[int, int]] = field(default_factory=set)
    hidden: set[int] = field(default_factory=set)
    merged: list[tuple[int, int, int, str]] = field(default_factory=list)
    """First row, last row, column from 1 and value of cells merged over several rows."""
    aligned: bool = False
    """Whether every cell is known to be in its column."""
    sheet: str = ""
    sheets: tuple[str, ...] = ()


def read_table(
    source: Source,
    *,
    encoding: str | None = None,
    name: str = "",
    sheet: str = "",
    separator: str = "",
) -> Table:
    """Read a table whose columns are named by its first full row.

    Args:
        source: Path, or the bytes of an upload.
        encoding: Python's name of the encoding, when staff know it.
        name: What messages call the file; the path's name by default.
        sheet: The workbook's sheet; the first visible one by default.
        separator: The character between the cells of a text file, when staff know it.

    Raises:
        InvalidInputError: If it is no such file, too large, or cannot be a table.
    """
    data, name = _bytes(source, name)
    if is_workbook(data):
        book = read_workbook(data, name=name, sheet=sheet, rows=MOST_ROWS, cells=MOST_CELLS)
        raw = Raw(
            records=book.records,
            encoding="xlsx",
            warnings=book.warnings,
            formulas=book.formulas,
            dates=book.dates,
            hidden=book.hidden,
            merged=book.merged,
            aligned=True,
            sheet=book.title,
            sheets=book.titles,
        )
    else:
        raw = _read_text(data, name, encoding, separator)
    return _table(raw, name)


def _bytes(source: Source, name: str) -> tuple[bytes, str]:
    if isinstance(source, bytes):
        data, name = source, name or "the file"
    else:
        path = Path(source)
        name = name or path.name
        try:
            if path.stat().st_size > MOST_TABLE_BYTES:
                raise _too_large(name)
            data = path.read_bytes()
        except OSError as error:
            raise InvalidInputError(
                "path_unreadable", path=name, problem=error.strerror
            ) from error
    if len(data) > MOST_TABLE_BYTES:
        raise _too_large(name)
    return data, name


def _too_large(name: str) -> InvalidInputError:
    return InvalidInputError("table_too_large", name=name, most=MOST_TABLE_BYTES // 2**20)


# Text


def _read_text(data: bytes, name: str, encoding: str | None, separator: str) -> Raw:
    if data.startswith(_LEGACY_EXCEL):
        raise InvalidInputError("table_old_excel", name=name)
    if data.startswith((b"PK\x03\x04", b"%PDF")):
        raise InvalidInputError("not_a_table", name=name)
    try:
        read = decode(data, name, encoding)
    except InvalidInputError as error:
        # A CSV file that was renamed is read; bytes that are no text were a workbook once.
        if name.lower().endswith(_WORKBOOK_NAMES):
            raise InvalidInputError("workbook_torn", name=name) from error
        raise
    if read.text.count("\0") > len(read.text) // _BINARY:
        raise InvalidInputError("not_text_in_encoding", name=name, encoding=read.encoding)
    if read.text.lstrip()[:9].lower().startswith(("<!doctype", "<html", "<table", "<?xml")):
        raise InvalidInputError("table_is_web_page", name=name)
    raw = Raw(records=[], encoding=read.encoding, warnings=read.warnings)
    if not separator and looks_like_json(read.text, name):
        objects = read_json(read.text, name, rows=MOST_ROWS, cells=MOST_CELLS)
        raw.records, raw.bad = objects.records, objects.bad
        raw.warnings += objects.warnings
    else:
        lines = read_delimited(
            read.text, name, separator=separator, rows=MOST_ROWS, cells=MOST_CELLS
        )
        raw.records, raw.bad, raw.separator = lines.records, lines.bad, lines.separator
        raw.warnings += lines.warnings
    return raw


# From records to a table


def _table(raw: Raw, name: str) -> Table:
    filled = [(line, cells) for line, cells in raw.records if any(cells)]
    if not filled:
        if raw.bad:
            raise BadRowsError(name, raw.bad)
        raise InvalidInputError("table_empty", name=name)
    header_line, header, first, told = head.take_header(filled)
    if any(row.line < header_line for row in raw.bad):
        # What was taken for the header may be what follows it.
        raise BadRowsError(name, raw.bad)
    # What is merged within the header is put together with it.
    warnings = [
        *raw.warnings,
        *(
            f"rows {above} to {below}, column {column} are one merged cell; each of these rows "
            f"was given {value[:60]!r}"
            for above, below, column, value in raw.merged
            if below > filled[first - 1][0]
        ),
        *told,
    ]
    body = _body(filled[first:], header, warnings)
    aside = [*filled[: first - (not told)], *filled[first + len(body) :]]
    kept = head.without_copies(header, body, warnings)
    bad = [*raw.bad, *head.repeated(header_line, header, kept)]
    rows: list[TableRow] = []
    named = head.named_width(header)
    unnamed: set[int] = set()
    for line, cells in body:
        problem = None if raw.aligned else head.ragged(line, cells, header, named)
        if problem is not None:
            bad.append(problem)
            continue
        unseen = list(head.controls(line, cells, header))
        if unseen:
            bad += unseen
            continue
        warnings += head.spreadsheet_errors(line, cells, header)
        unnamed.update(
            i for i, cell in enumerate(cells) if cell and (i >= len(header) or not header[i])
        )
        rows.append(TableRow(line, {header[i]: cells[i] for i in kept if i < len(cells)}))
    warnings += [
        f"column {i + 1} has values but no header, so it was left out. "
        f"Name it on line {header_line} if it is needed"
        for i in sorted(unnamed)
    ]
    return Table(
        source=name,
        headers=tuple(header[i] for i in sorted(kept)),
        header_line=header_line,
        rows=tuple(rows),
        encoding=raw.encoding,
        separator=raw.separator,
        warnings=tuple(warnings),
        bad=tuple(sorted(bad, key=lambda row: row.line)),
        formulas=_named(raw.formulas, header),
        dates=_named(raw.dates, header),
        hidden=frozenset(header[i] for i in kept if i in raw.hidden),
        sheet=raw.sheet,
        sheets=raw.sheets,
        notes=tuple(cell for _, cells in aside for cell in cells if cell)[:_MOST_NOTES],
        grouped=bool(told),
    )


def _named(places: set[tuple[int, int]], header: list[str]) -> frozenset[tuple[int, str]]:
    return frozenset((line, header[column]) for line, column in places if column < len(header))


def _body(records: list[Record], header: list[str], warnings: list[str]) -> list[Record]:
    """Return the records that are rows; what is none is named by line."""
    body: list[Record] = []
    for line, cells in records:
        why = head.is_no_row(cells, header)
        if why:
            warnings.append(f"line {line} {why} and was left out")
        else:
            body.append((line, cells))
    least = max(1, len(body) - head.FOOT_ROWS)
    while len(body) > least:
        why = head.is_foot(body[-1], body[:-1])
        if not why:
            break
        line, cells = body.pop()
        warnings.append(f"line {line} ({shorten(next(filter(None, cells)))!r}) {why}")
    return body
