"""From records to a table: where the header is, and which records below it are no rows."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from swapflow.errors import BadRow
from swapflow.files.tables.cells import CONTROL, SPREADSHEET_ERRORS, shorten, spelling
from swapflow.files.tables.header_names import KNOWN
from swapflow.messages import Message


Record = tuple[int, list[str]]

TITLE_ROWS = 20
"""How far down the header is looked for."""
FOOT_ROWS = 3
"""How far up from the end sums and notes are looked for."""

_FULL_ENOUGH = 0.6
_WORDS = 2
"""Known words that make a row a header."""
_IN_VALUE = frozenset("0123456789.,:/ -+%")
_IN_RULER = frozenset("-=_:+| ")
_SUM = re.compile(
    r"(?:grand |sub)?-?(?:total|totals|sum|summe|gesamt|gesamtsumme|average|mean|median|count|"
    r"mittelwert|durchschnitt|mittel|anzahl|moyenne|somme|"
    r"suma|totale|итого|всего|合計|合计|总计|平均)\b.{0,40}",
    re.IGNORECASE | re.DOTALL,
)
_NOTE = re.compile(
    r"[*†‡¹²]|(?:source|note|notes|legend|remark|printed|exported|generated|as of|status|quelle|"
    r"hinweis|anmerkung|stand|legende|fuente|nota|fonte|remarque|légende)\b\s*(?::|\d|$)",
    re.IGNORECASE,
)
WORDS_OF_A_NOTE = 3
"""Words of a lone cell that make it a sentence rather than an id."""


def header_index(records: Sequence[Record]) -> int:
    """Find the header: the first row about as full as the fullest, below any title rows.

    The second fullest counts, for one row with a stray separator must not decide. A row with two
    words that headers are made of is preferred, and one that holds numbers is passed over for a
    fuller one without.
    """
    top = [cells for _, cells in records[:TITLE_ROWS]]
    counts = [sum(map(bool, cells)) for cells in top]
    full = sorted(counts, reverse=True)[min(1, len(counts) - 1)]
    enough = max(1, math.ceil(_FULL_ENOUGH * full))
    candidates = [i for i, count in enumerate(counts) if count >= enough]
    for i in candidates:
        if sum(spelling(cell) in KNOWN for cell in top[i] if cell) >= _WORDS:
            return i
    first = candidates[0]
    if any(map(_is_value, top[first])):
        for i in candidates[1:]:
            if counts[i] > counts[first] and not any(map(_is_value, top[i])):
                return i
    return first


def take_header(records: Sequence[Record]) -> tuple[int, list[str], int, list[str]]:
    """Return the header's line, its cells, the index of the first record below, and warnings.

    A header on two rows, as merged cells make it, is put together: a cell that is empty on the
    lower row takes the name above it, and names that are repeated below get their group before.
    """
    index = header_index(records)
    line, header = records[index]
    above = records[index - 1] if index and records[index - 1][0] == line - 1 else None
    below = records[index + 1] if index + 1 < len(records) else None
    if above is not None and sum(map(bool, above[1])) >= _WORDS and _is_upper(above[1], header):
        return line, _joined(above[1], header), index + 1, [_told(above[0], line)]
    if below is not None and below[0] == line + 1 and _is_lower(header, below[1]):
        return line, _joined(header, below[1]), index + 2, [_told(line, below[0])]
    return line, list(header), index + 1, []


def _told(first: int, second: int) -> str:
    return f"the header was put together from lines {first} and {second}"


def _is_upper(above: Sequence[str], header: Sequence[str]) -> bool:
    """Whether the row above the header is its upper half: it names what the header leaves out."""
    gaps = any(a and not h for a, h in zip(above, header, strict=False))
    repeated = len({h for h in header if h}) < sum(map(bool, header))
    plain = not any(map(_is_value, above))
    return plain and (gaps or repeated)


def _is_lower(header: Sequence[str], below: Sequence[str]) -> bool:
    """Whether the row below is the header's lower half: it names parts of groups, and no one."""
    filled = [cell for cell in below if cell]
    named = not header[0] or below[0] not in {"", header[0]}
    if not filled or named or any(map(_is_value, filled)):
        return False
    first = next((i for i, h in enumerate(header) if h), len(header))
    gaps = [i for i, h in enumerate(header) if not h and i > first]
    fills = [i for i, cell in enumerate(below) if cell]
    return bool(gaps) and set(gaps) <= set(fills)


def _joined(upper: Sequence[str], lower: Sequence[str]) -> list[str]:
    width = max(len(upper), len(lower))
    padded = [[*row, *[""] * (width - len(row))] for row in (upper, lower)]
    groups: list[str] = []
    for cell in padded[0]:
        groups.append(cell or (groups[-1] if groups else ""))
    below = Counter(cell for cell in padded[1] if cell)
    return [
        (f"{group} {name}".strip() if below[name] > 1 else name) or own
        for own, group, name in zip(padded[0], groups, padded[1], strict=True)
    ]


def is_no_row(cells: list[str], header: list[str]) -> str:
    """Return why a record below the header is no row; "" if it is one."""
    filled = [cell for cell in cells if cell]
    if cells == header:
        return "repeats the header"
    if all(map(_is_ruler, filled)) and len(filled) > 1:
        return "is a line drawn with dashes"
    return ""


def _is_value(cell: str) -> bool:
    """Whether a cell is a number, a date or a time rather than a name."""
    # By characters: an expression could take very long over a very long cell.
    return _IN_VALUE.issuperset(cell) and any(c.isdigit() for c in cell)


def _is_ruler(cell: str) -> bool:
    return _IN_RULER.issuperset(cell) and sum(c in "-=_" for c in cell) > 1


def is_foot(record: Record, above: Sequence[Record]) -> str:
    """Return why a record at the end is no row: it sums up those above, or is a note; "" else."""
    line, cells = record
    if _is_sum(cells):
        return "sums up the rows above and was left out"
    filled = [cell for cell in cells if cell]
    apart = not above or line > above[-1][0] + 1
    noted = bool(_NOTE.match(filled[0])) or (apart and len(filled[0].split()) > 1)
    if is_alone(cells, above) and (noted or len(filled[0].split()) >= WORDS_OF_A_NOTE):
        return "is a note under the table and was left out"
    return ""


def is_alone(cells: Sequence[str], others: Sequence[Record]) -> bool:
    """Whether a record holds one cell only, where most others of a table hold several."""
    if sum(map(bool, cells)) != 1:
        return False
    several = sum(sum(map(bool, other)) > 1 for _, other in others)
    return 2 * several > len(others)


def _is_sum(cells: Sequence[str]) -> bool:
    first, *rest = [cell for cell in cells if cell]
    return bool(_SUM.fullmatch(first)) and all(map(_is_value, rest))


def repeated(line: int, header: Sequence[str], kept: Sequence[int]) -> Iterator[BadRow]:
    """Name headers that more than one of the columns kept has."""
    for text, count in Counter(header[i] for i in kept).items():
        if count > 1:
            yield BadRow(
                line=line,
                column=text,
                value="",
                reason=Message("header_repeated", count=count),
                cure="Rename or remove all but one",
            )


def without_copies(
    header: Sequence[str], rows: Sequence[Record], warnings: list[str]
) -> list[int]:
    """Return the columns to keep: those with a name, without empty or equal copies of another."""
    kept: list[int] = []
    place: dict[str, int] = {}
    """Where among those kept the first of a name is."""
    for i, name in enumerate(header):
        if not name:
            continue
        if name not in place:
            place[name] = len(kept)
            kept.append(i)
            continue
        first = kept[place[name]]
        cells = [(_at(row, first), _at(row, i)) for _, row in rows]
        if all(b in {"", a} for a, b in cells):
            copy, of = i, first
        elif all(a in {"", b} for a, b in cells):
            kept[place[name]] = i
            copy, of = first, i
        else:
            kept.append(i)
            continue
        warnings.append(f"column {copy + 1} repeats column {of + 1} ({name!r}); it counts once")
    return kept


def _at(cells: Sequence[str], column: int) -> str:
    return cells[column] if column < len(cells) else ""


def named_width(header: Sequence[str]) -> int:
    """Return how many cells a row has at least: as many as the header up to its last name."""
    return max((i for i, name in enumerate(header, start=1) if name), default=0)


def ragged(line: int, cells: Sequence[str], header: Sequence[str], named: int) -> BadRow | None:
    """Name a row whose cells do not line up with the header.

    Args:
        line: Its line.
        cells: Its cells.
        header: The header.
        named: `named_width` of it.
    """
    width = len(header)
    surplus = len(cells) > width and any(cells[width:])
    if not surplus and len(cells) >= named:
        return None
    return BadRow(
        line=line,
        column="",
        value=shorten(" | ".join(cells)),
        reason=Message("row_of_other_width", count=len(cells), columns=width),
        cure="Put a cell that contains the separator into quotation marks"
        if surplus
        else "Add the missing cells, empty ones too, so that every value is in its column",
    )


def controls(line: int, cells: Sequence[str], header: Sequence[str]) -> Iterator[BadRow]:
    """Name cells that hold a character no one can see or type."""
    for i, cell in enumerate(cells):
        match = CONTROL.search(cell)
        if match:
            yield BadRow(
                line=line,
                column=_at(header, i),
                value=shorten(CONTROL.sub("\ufffd", cell)),
                reason=Message("cell_control_character", character=ord(match[0])),
                cure="Type it again by hand",
            )


def spreadsheet_errors(line: int, cells: Sequence[str], header: Sequence[str]) -> Iterator[str]:
    """Name cells that show the error of a formula."""
    for i, cell in enumerate(cells):
        if cell in SPREADSHEET_ERRORS:
            yield (
                f"line {line}, column {_at(header, i) or i + 1!r}: the cell shows {cell}, the "
                "error of a formula; it is taken as text. Mend the formula and save the file again"
            )
