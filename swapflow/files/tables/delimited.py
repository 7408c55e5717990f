"""Records out of delimited text, each with the line it begins on."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from swapflow.errors import BadRow, InvalidInputError
from swapflow.files.tables.cells import check_cells, check_columns, clean
from swapflow.messages import Message
from swapflow.untrusted.limits import LONGEST_CELL, MOST_COLUMNS


Record = tuple[int, list[str]]

_NAMED_SEPARATOR = re.compile(
    r'"?sep=([^"\n\r])"?[^\S\n\r]{0,99}\1{0,20000}(\r\n|\r|\n|$)', re.IGNORECASE
)
_MAIL_QUOTE = re.compile(r"(?m)^[ \t]{0,9}>(?:[ \t]{0,9}>){0,9} ?")
_SEPARATORS = "\t;|,"
"""The rarer in plain text come first, and win where two fit alike."""
_RARE = "\x1f~^"
_LOOKED_AT = 50
"""Lines that the separator is looked for in."""
_MOST_MISFITS = 20
"""Cells with unfit quotation marks after which reading stops."""
_SAMPLE = 1_000_000
"""Characters that the separator is looked for in: a line may be as long as the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How the cells are written."""

    separator: str
    quote: str = '"'
    spaced: bool = False
    escape: str | None = None


@dataclass(slots=True)
class Delimited:
    """What was read.

    Attributes:
        records: (line, cells), blank ones too.
        separator: The character between cells.
        bad: Records that cannot be read.
        warnings: What staff should know, in sentences.
    """

    records: list[Record]
    separator: str
    bad: list[BadRow]
    warnings: list[str] = field(default_factory=list)


def read_delimited(text: str, name: str, *, separator: str, rows: int, cells: int) -> Delimited:
    """Read records.

    Args:
        text: The file, decoded.
        name: What messages call it.
        separator: The character between cells, "" to find out.
        rows: Most records.
        cells: Most cells.

    Raises:
        InvalidInputError: If there are more.
    """
    text, quoted = _without_mail_quotes(text)
    first = 0
    named = _NAMED_SEPARATOR.match(text)
    if named:
        first, separator = 1, separator or named[1]
        text = text[named.end() :]
    known = bool(separator)
    separator = separator or find_separator(text)
    size = _Size(name, rows, cells)
    found = _in_the_best_dialect(text, separator, first, size)
    unwrapped = None if known else _unwrapped(found, size)
    found = unwrapped or found
    if quoted:
        found.warnings.append(
            f"{quoted} lines begin with '>' as a mail quotes them; the marks were taken off"
        )
    return found


def _without_mail_quotes(text: str) -> tuple[str, int]:
    """Take off the marks by which a mail program quotes lines, and count these lines.

    Only where more than half of the lines have them: a cell may begin with ">".
    """
    lines = [line for line in text.splitlines() if line.strip()]
    quoted = sum(_MAIL_QUOTE.match(line) is not None for line in lines)
    if 2 * quoted <= len(lines) or quoted < 2:  # noqa: PLR2004 - a header and a row
        return text, 0
    return _MAIL_QUOTE.sub("", text), quoted


def find_separator(text: str) -> str:
    """Find what separates the cells: what cuts most lines into the same number of them.

    A title above the header is in the minority, and so are commas inside a text.
    """
    lines = list(_unquoted_lines(text))
    return max(
        [c for c in _SEPARATORS if _agreement(lines, c)]
        or [c for c in _RARE if _agreement(lines, c)[:1] == (len(lines),)]
        or [","],
        key=lambda c: _agreement(lines, c),
    )


def _agreement(lines: Sequence[str], separator: str) -> tuple[int, ...]:
    """Return how many lines have the most frequent number of cells, and that number."""
    widths = Counter(n for line in lines if (n := line.count(separator)))
    return max(((lines, n) for n, lines in widths.items()), default=())


def _unquoted_lines(text: str) -> Iterator[str]:
    """Return the first lines that are not blank, without quoted text."""
    given, inside, line = 0, False, ""
    for physical in io.StringIO(text[:_SAMPLE], newline=""):
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
        if given > _LOOKED_AT:
            return


@dataclass(frozen=True, slots=True)
class _Size:
    name: str
    rows: int
    cells: int


def _in_the_best_dialect(text: str, separator: str, first: int, size: _Size) -> Delimited:
    """Read as spreadsheets write; in another way only where that fits better."""
    plain = Dialect(separator=separator, quote=_quote(text, separator))
    best = _read(text, plain, first, size)
    mark = re.escape(separator)
    variants = []
    if separator != " " and re.search(rf'{mark}[ ]+"', text):
        variants.append((replace(plain, spaced=True), "spaces before quotation marks"))
    if '\\"' in text:
        variants.append((replace(plain, escape="\\"), "backslashes before quotation marks"))
    for dialect, what in variants:
        other = _read(text, dialect, first, size)
        if _misfits(other) < _misfits(best) + dialect.spaced:
            best = other
            best.warnings.append(f"the file was read with {what}; check such cells")
    return best


def _quote(text: str, separator: str) -> str:
    """Return which quotation marks the header uses."""
    header = next((line for line in text[:_SAMPLE].splitlines() if line.strip()), "")
    cells = [cell.strip() for cell in header.split(separator)]
    single = len(cells) > 1 and all(
        len(cell) > 1 and cell[0] == cell[-1] == "'" for cell in cells if cell
    )
    return "'" if single and any(cells) else '"'


def _misfits(found: Delimited) -> int:
    widths = Counter(len(cells) for _, cells in found.records if any(cells))
    return len(found.bad) + widths.total() - max(widths.values(), default=0)


def _read(text: str, dialect: Dialect, first: int, size: _Size) -> Delimited:
    lines = list(io.StringIO(text, newline=""))
    found = Delimited([], dialect.separator, [])
    start, cells = 0, 0
    while start < len(lines):
        reader = csv.reader(
            (lines[i] for i in range(start, len(lines))),
            delimiter=dialect.separator,
            quotechar=dialect.quote,
            skipinitialspace=dialect.spaced,
            escapechar=dialect.escape,
            strict=True,
        )
        begins = start
        try:
            for record in reader:
                _check_record(record, size.name, first + begins + 1)
                found.records.append((first + begins + 1, [clean(cell) for cell in record]))
                begins = start + reader.line_num
                cells += len(record)
                if len(found.records) > size.rows or cells > size.cells:
                    raise InvalidInputError(
                        "file_too_long",
                        name=size.name,
                        line=first + begins,
                        rows=size.rows,
                        cells=size.cells,
                    )
        except csv.Error as error:
            ends = first + start + reader.line_num
            found.bad.append(_unreadable(first + begins + 1, ends, error))
            if len(found.bad) >= _MOST_MISFITS:
                return found
            # The mark may be a slip: what follows is read for itself, and its faults named too.
            start = begins + 1
        else:
            return found
    return found


def _check_record(record: list[str], name: str, line: int) -> None:
    """Refuse a record before its cells are looked at one by one."""
    if len(record) > MOST_COLUMNS:
        # A spreadsheet writes separators for every column that was ever touched.
        check_columns(max((i for i, c in enumerate(record, 1) if c), default=0), name, line)
    if max(map(len, record), default=0) > LONGEST_CELL:
        check_cells(record, name, line)


def _unreadable(begins: int, ends: int, error: csv.Error) -> BadRow:
    reason = (
        Message("quote_never_closed", line=ends)
        if "end of data" in str(error)
        else Message("quotes_do_not_fit", line=ends)
        if "expected after" in str(error)
        else Message("cell_too_long", problem=str(error))
    )
    return BadRow(
        line=begins,
        column="",
        value="",
        reason=reason,
        cure='Close it, or double a quotation mark that belongs to the text ("")',
    )


def _unwrapped(found: Delimited, size: _Size) -> Delimited | None:
    """Read rows again that a program put into quotation marks as a whole."""
    filled = [(line, cells[0]) for line, cells in found.records if any(cells)]
    if len(filled) < 2 or any(len(c) != 1 for _, c in found.records if any(c)) or found.bad:  # noqa: PLR2004 - a header and a row
        return None
    texts = [text for _, text in filled]
    separator = find_separator("\n".join(texts))
    if _agreement(list(_unquoted_lines("\n".join(texts))), separator)[:1] != (len(texts),):
        return None
    again = _read("\n".join(texts), Dialect(separator=separator), 0, size)
    if again.bad or len(again.records) != len(filled):
        return None
    again.records = [
        (line, cells) for (line, _), (_, cells) in zip(filled, again.records, strict=True)
    ]
    again.warnings.append("every row stands in quotation marks as a whole; they were taken off")
    return again
