"""Tables as offices keep them (CSV, TSV, TXT, XLSX), read into rows that know their line.

Nothing is guessed in silence. The encoding is what the byte order mark or strict UTF-8 proves,
else the stated fallback, and the table says which; the separator is counted in the header line;
every cell is text as the spreadsheet shows it. What cannot be read safely is named by line.
"""

import codecs
import csv
import io
import json
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from swapflow.errors import BadRow, BadRowsError, InvalidInputError
from swapflow.files.guard import unguard
from swapflow.files.workbook import is_workbook, read_workbook


Source = str | Path | bytes

FALLBACK_ENCODING = "cp1252"
"""Read when neither a mark nor UTF-8 fits and nobody named another; always reported."""

MOST_BYTES = 50 * 1024 * 1024
MOST_ROWS = 200_000
MOST_CELLS = 4_000_000
TITLE_ROWS = 20
"""How far down the header is looked for."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NAMED_SEPARATOR = re.compile(r'"?sep=([^"\n\r])"?[^\S\n\r]*(\r\n|\r|\n|$)', re.IGNORECASE)
_SEPARATORS = ",;\t|"
_LEGACY_EXCEL = b"\xd0\xcf\x11\xe0"


@dataclass(frozen=True, slots=True)
class Row:
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
        separator: What stands between cells; "" for a workbook.
        warnings: What the reader did that staff should know, in sentences.
        bad: Records that could not be read; importers add theirs and refuse the file.
        formulas: (line, header) of every cell of a workbook that holds a formula.
    """

    source: str
    headers: tuple[str, ...]
    header_line: int
    rows: tuple[Row, ...]
    encoding: str
    separator: str
    warnings: tuple[str, ...] = ()
    bad: tuple[BadRow, ...] = ()
    formulas: frozenset[tuple[int, str]] = frozenset()


@dataclass(slots=True)
class Raw:
    """Records before the header is known: (line, cells) and what was noticed."""

    records: list[tuple[int, list[str]]]
    encoding: str
    separator: str = ""
    warnings: list[str] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)
    formulas: set[tuple[int, int]] = field(default_factory=set)


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
        separator: What stands between the cells of a text file, when staff know it.

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
            if path.stat().st_size > MOST_BYTES:
                raise _too_large(name)
            data = path.read_bytes()
        except OSError as error:
            raise InvalidInputError(
                f"{name}: cannot be read ({error.strerror}). Check the name and the folder"
            ) from error
    if len(data) > MOST_BYTES:
        raise _too_large(name)
    return data, name


def _too_large(name: str) -> InvalidInputError:
    return InvalidInputError(
        f"{name}: larger than {MOST_BYTES // 2**20} MB. Split it, or leave out columns not needed"
    )


# Text


def _read_text(data: bytes, name: str, encoding: str | None, separator: str) -> Raw:
    if data.startswith(_LEGACY_EXCEL):
        raise InvalidInputError(
            f"{name}: this is an old Excel file (.xls) or a protected one. Open it and save it as "
            ".xlsx without a password, or as CSV"
        )
    if data.startswith((b"PK\x03\x04", b"%PDF")):
        raise InvalidInputError(f"{name}: this is no table. Save the list as .xlsx or CSV")
    text, used, warnings = _decode(data, name, encoding)
    if "\0" in text:
        raise InvalidInputError(
            f"{name}: this is no text in {used}. If it is a text file, say its encoding, e.g. "
            "utf-16-le; otherwise save the list as .xlsx or CSV"
        )
    if text.lstrip()[:9].lower().startswith(("<!doctype", "<html", "<table", "<?xml")):
        raise InvalidInputError(
            f"{name}: this is a web page, not a table. Open it in a spreadsheet program and save "
            "it as .xlsx or CSV"
        )
    if not separator and text.lstrip()[:1] in {"[", "{"} and name.casefold().endswith(".json"):
        return _read_json(text, name, used, warnings)
    first = 0
    named = _NAMED_SEPARATOR.match(text)
    if named:
        first, separator = 1, separator or named[1]
        text = text[named.end() :]
    separator = separator or _separator(text)
    records, bad = _records(text, separator, first)
    return Raw(records=records, encoding=used, separator=separator, warnings=warnings, bad=bad)


def _read_json(text: str, name: str, encoding: str, warnings: list[str]) -> Raw:
    """Read a list of objects as a table: their keys are the header, the line is the number.

    The number counts the objects from 2, as a spreadsheet would that holds the header in line 1.
    """
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InvalidInputError(f"{name}: this is no JSON: {error}") from error
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise InvalidInputError(
            f'{name}: a list of objects is expected, such as [{{"id": "A1", "name": "…"}}, …]'
        )
    headers = list(dict.fromkeys(str(key).strip() for item in found for key in item))
    records = [(1, headers)] if headers else []
    for number, item in enumerate(found, start=2):
        cells = {str(key).strip(): _json_cell(value) for key, value in item.items()}
        records.append((number, [cells.get(header, "") for header in headers]))
    if len(records) > MOST_ROWS or len(records) * len(headers) > MOST_CELLS:
        raise InvalidInputError(f"{name}: more than {MOST_ROWS} rows or {MOST_CELLS} cells")
    return Raw(records=records, encoding=encoding, warnings=warnings)


def _json_cell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case str():
            return unguard(value).strip()
        case list():
            return "; ".join(map(_json_cell, value))
        case dict():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return str(value)


def _decode(data: bytes, name: str, encoding: str | None) -> tuple[str, str, list[str]]:
    """Give the text, the encoding it was read in, and what to say about that."""
    marked = next((known for mark, known in _MARKS if data.startswith(mark)), None)
    try:
        if encoding:
            return data.decode(encoding).removeprefix("\ufeff"), encoding, []
        if marked:
            return data.decode(marked), marked, []
    except LookupError as error:
        raise InvalidInputError(
            f"{name}: there is no encoding {encoding!r}. Name one such as utf-8, cp1252 or utf-16"
        ) from error
    except UnicodeError as error:
        raise _undecodable(name, encoding or marked or "", data, error) from error
    try:
        return data.decode("utf-8"), "utf-8", []
    except UnicodeDecodeError:
        pass
    try:
        text = data.decode(FALLBACK_ENCODING)
    except UnicodeDecodeError as error:
        raise _undecodable(name, FALLBACK_ENCODING, data, error) from error
    line = next(i for i, part in enumerate(data.split(b"\n"), start=1) if not part.isascii())
    warning = (
        f"the file is not UTF-8 and was read as {FALLBACK_ENCODING} (Western European). "
        f"Check the names, e.g. on line {line}; if they look wrong, say the encoding"
    )
    return text, FALLBACK_ENCODING, [warning]


def _undecodable(name: str, encoding: str, data: bytes, error: UnicodeError) -> InvalidInputError:
    at = error.start if isinstance(error, UnicodeDecodeError) else 0
    line = data[:at].count(b"\n") + 1
    return InvalidInputError(
        f"{name}: line {line} holds bytes that {encoding} does not know. Save the file as UTF-8 "
        "(in Excel: CSV UTF-8), or say its encoding"
    )


def _separator(text: str) -> str:
    """Find what separates the cells: the most frequent candidate in the header line.

    A title line above the header is passed over: its commas, if any, do not go on below it.
    """
    lines = list(_unquoted_lines(text))
    for i, line in enumerate(lines):
        after = lines[i + 1] if i + 1 < len(lines) else line
        counts = {c: line.count(c) for c in _SEPARATORS if line.count(c) and after.count(c)}
        if counts:
            return max(counts, key=lambda c: counts[c])
    return max(_SEPARATORS, key=lines[0].count) if lines else ","


def _unquoted_lines(text: str) -> Iterator[str]:
    """Give the first lines that are not blank, without what stands in quotes."""
    given, inside, line = 0, False, ""
    for physical in io.StringIO(text, newline=""):
        for part in re.split(r'(")', physical.rstrip("\r\n")):
            if part == '"':
                inside = not inside
            elif not inside:
                line += part
        if inside:
            continue
        if line.strip() or '"' in physical:
            yield line
            given += 1
        line = ""
        if given > TITLE_ROWS:
            return


def _records(
    text: str, separator: str, first: int
) -> tuple[list[tuple[int, list[str]]], list[BadRow]]:
    """Split the text into records, each with the line it begins on."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    records: list[tuple[int, list[str]]] = []
    cells = 0
    begins = first + 1
    while True:
        try:
            record = next(reader)
        except StopIteration:
            return records, []
        except csv.Error as error:
            return records, [_unreadable(begins, first + reader.line_num, error)]
        records.append((begins, [unguard(cell).strip() for cell in record]))
        begins = first + reader.line_num + 1
        cells += len(record)
        if len(records) > MOST_ROWS or cells > MOST_CELLS:
            raise InvalidInputError(
                f"line {begins}: more than {MOST_ROWS} rows or {MOST_CELLS} cells. Split the file"
            )


def _unreadable(begins: int, ends: int, error: csv.Error) -> BadRow:
    reason = (
        f"a cell is opened by a quotation mark that is never closed (read up to line {ends})"
        if "end of data" in str(error)
        else f"the quotation marks do not fit together (up to line {ends})"
        if "expected after" in str(error)
        else f"a cell is too long ({error})"
    )
    return BadRow(
        line=begins,
        column="",
        value="",
        reason=reason,
        cure='Close it, or double a quotation mark that belongs to the text ("")',
    )


# From records to a table


def _table(raw: Raw, name: str) -> Table:
    filled = [(line, cells) for line, cells in raw.records if any(cells)]
    if not filled:
        if raw.bad:
            raise BadRowsError(name, raw.bad)
        raise InvalidInputError(f"{name}: the file is empty. Put a header and rows into it")
    index = _header_index([cells for _, cells in filled])
    header_line, header = filled[index]
    bad = [*raw.bad, *_repeated(header_line, header)]
    rows: list[Row] = []
    unnamed: set[int] = set()
    for line, cells in filled[index + 1 :]:
        problem = _ragged(line, cells, header) if raw.encoding != "xlsx" else None
        if problem is not None:
            bad.append(problem)
            continue
        unnamed.update(
            i for i, cell in enumerate(cells) if cell and (i >= len(header) or not header[i])
        )
        rows.append(Row(line, {h: c for h, c in zip(header, cells, strict=False) if h}))
    warnings = [
        *raw.warnings,
        *(
            f"column {i + 1} has values but no header, so it was left out. "
            f"Name it on line {header_line} if it is needed"
            for i in sorted(unnamed)
        ),
    ]
    return Table(
        source=name,
        headers=tuple(h for h in header if h),
        header_line=header_line,
        rows=tuple(rows),
        encoding=raw.encoding,
        separator=raw.separator,
        warnings=tuple(warnings),
        bad=tuple(sorted(bad, key=lambda row: row.line)),
        formulas=frozenset(
            (line, header[column]) for line, column in raw.formulas if column < len(header)
        ),
    )


def _header_index(records: Sequence[Sequence[str]]) -> int:
    """Find the header: the first row about as full as the fullest, below any title rows.

    The second fullest counts, for one row with a stray separator must not decide.
    """
    counts = [sum(map(bool, cells)) for cells in records[:TITLE_ROWS]]
    full = sorted(counts, reverse=True)[min(1, len(counts) - 1)]
    enough = max(1, math.ceil(0.6 * full))
    return next(i for i, count in enumerate(counts) if count >= enough)


def _repeated(line: int, header: Sequence[str]) -> Iterator[BadRow]:
    named = [h for h in header if h]
    for text in dict.fromkeys(h for h in named if named.count(h) > 1):
        yield BadRow(
            line=line,
            column=text,
            value="",
            reason=f"{named.count(text)} columns have this header",
            cure="Rename or remove all but one",
        )


def _ragged(line: int, cells: Sequence[str], header: Sequence[str]) -> BadRow | None:
    """Name a row whose cells do not line up with the header."""
    width = len(header)
    named = max((i + 1 for i, h in enumerate(header) if h), default=0)
    surplus = len(cells) > width and any(cells[width:])
    if not surplus and len(cells) >= named:
        return None
    return BadRow(
        line=line,
        column="",
        value=shorten(" | ".join(cells)),
        reason=f"the row has {len(cells)} cells, the header has {width}",
        cure="Put a cell that holds the separator into quotation marks"
        if surplus
        else "Add the missing cells, empty ones too, so that every value stands in its column",
    )


# Words that importers share


MISSING = frozenset(
    {"", "-", "–", "—", "n/a", "na", "#n/a", "null", "none", "tbd", "tba", "?", "missing"}
)
"""What stands for "no value", in small letters. Never 0."""


def is_missing(text: str) -> bool:
    """Whether a cell says that there is no value."""
    return text.strip().casefold() in MISSING


def spelling(header: str) -> str:
    """Reduce a header to what counts when columns are recognised: "Ref ID" is "ref_id"."""
    plain = unicodedata.normalize("NFKC", header).casefold().replace("#", " # ")
    return "_".join(re.findall(r"[^\W_]+|#", plain))


def shorten(text: str, most: int = 60) -> str:
    """Cut a value for display."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"


def read_yes_no(text: str) -> bool | None:
    """Read a yes or no as staff write it; None when it is neither."""
    plain = text.strip().casefold()
    if plain in {"yes", "y", "true", "1", "x", "✓", "ja", "oui", "si", "sí"}:
        return True
    if plain in {"no", "n", "false", "0", "nein", "non"}:
        return False
    return None


_NUMBER = re.compile(r"[-+−]?(\d+([.,]\d*)?|[.,]\d+)(e[-+]?\d+)?", re.IGNORECASE)


def read_number(text: str) -> float | None:
    """Read a number with a decimal point or a decimal comma; None when it is none.

    A number with thousands separators is none: "1,234" is 1.234, and "1,234.5" is refused.
    NaN and infinity are none.
    """
    plain = text.strip()
    if not _NUMBER.fullmatch(plain):
        return None
    number = float(plain.replace(",", ".").replace("−", "-"))
    return number if math.isfinite(number) else None


def split_list(text: str) -> tuple[str, ...]:
    """Split a cell that lists things with semicolons or line breaks."""
    return tuple(part.strip() for part in re.split(r"[;\n\r]", text) if part.strip())


def refuse(source: str, bad: Iterable[BadRow]) -> None:
    """Refuse a file that holds bad rows.

    Raises:
        BadRowsError: If there is any, with all of them in the order of the file.
    """
    rows = sorted(bad, key=lambda row: row.line)
    if rows:
        raise BadRowsError(source, rows)
