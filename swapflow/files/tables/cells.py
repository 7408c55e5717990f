"""The content of one cell, without what programs wrap around it; words and numbers."""

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence

from swapflow.errors import BadRow, BadRowsError, InvalidInputError
from swapflow.files.tables.formula_guard import APOSTROPHE, TAB, unguard
from swapflow.untrusted.limits import LONGEST_CELL, MOST_COLUMNS


MISSING = frozenset(
    {"", "-", "–", "—", "n/a", "na", "#n/a", "null", "none", "tbd", "tba", "?", "missing"}
)
"""Texts that mean "no value", in small letters. Never 0."""

SPREADSHEET_ERRORS = frozenset(
    {"#REF!", "#DIV/0!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!"}
)
CONTROL = re.compile(r"[\x00-\x08\x0c\x0e-\x1f\x7f]")

_ZERO_WIDTH = "\u200b\u2060\ufeff"
_ENDS = _ZERO_WIDTH + "".join(c for c in map(chr, range(0x3001)) if c.isspace())
"""Blanks and zero-width characters: taken off together, for a cell may alternate them."""
_NO_BREAK = str.maketrans({"\u00a0": " ", "\u2007": " ", "\u202f": " ", "\x0b": "\n"})
_AS_TEXT = re.compile(r'="((?:[^"]|"")*)"')


def clean(cell: str) -> str:
    """Return what a cell says.

    Taken off are blanks and zero-width characters at its ends, and what spreadsheet programs put
    before text to keep it text: a guarding tab or apostrophe, and ="…" around digits. A space
    that does not break becomes one that does.
    """
    wrapped = _AS_TEXT.fullmatch(cell)
    text = wrapped[1].replace('""', '"') if wrapped else unguard(cell)
    text = text.strip()
    if not text.isascii() or "\x0b" in text:
        text = text.translate(_NO_BREAK).strip(_ENDS)
    own = wrapped is not None or cell.startswith(TAB)
    return text[1:] if APOSTROPHE.match(text) and not own else text


def check_columns(columns: int, name: str, line: int) -> None:
    """Refuse a table that is wider than any list.

    Raises:
        InvalidInputError: If it has more than `MOST_COLUMNS`.
    """
    if columns > MOST_COLUMNS:
        raise InvalidInputError(
            "table_too_many_columns", name=name, line=line, columns=columns, most=MOST_COLUMNS
        )


def check_cells(cells: Sequence[str], name: str, line: int) -> None:
    """Refuse a row with a cell that is longer than any text of a list.

    Raises:
        InvalidInputError: If one has more than `LONGEST_CELL` characters.
    """
    for column, cell in enumerate(cells, start=1):
        if len(cell) > LONGEST_CELL:
            raise InvalidInputError(
                "table_cell_too_long",
                name=name,
                line=line,
                column=column,
                length=len(cell),
                begins=shorten(cell[:100], 30),
                most=LONGEST_CELL,
            )


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
_GROUPED = {
    ".": re.compile(r"([-+−]?\d{1,3}(?:[, '’]\d{3})+)(\.\d+)?"),
    ",": re.compile(r"([-+−]?\d{1,3}(?:[. '’]\d{3})+)(,\d+)?"),
}


def read_number(text: str, *, decimal: str = "") -> float | None:
    """Read a number with a decimal point or a decimal comma; None when it is none.

    NaN and infinity are none.

    Args:
        text: The cell's content.
        decimal: The decimal mark of the column, "." or ",", where `decimal_of` knows it; the
            other one, a space or an apostrophe may then group digits by three. Without it a
            number with grouped digits is none: "1,234" is 1.234, and "1,234.5" is refused.
    """
    plain = text.strip()
    if decimal and (grouped := _GROUPED[decimal].fullmatch(plain)):
        plain = re.sub(r"[^\d+\-−]", "", grouped[1]) + (grouped[2] or "")
    if not _NUMBER.fullmatch(plain):
        return None
    # The typographic minus, which some programs write.
    number = float(plain.replace(",", ".").replace("−", "-"))
    return number if math.isfinite(number) else None


def decimal_of(cells: Iterable[str]) -> str:
    """Return which decimal mark a column of numbers proves; "" where none or both are proven.

    Proof is a number that holds both marks ("1.234,5"), or one of them twice, or a single mark
    that is not followed by just three digits.
    """
    proven = set()
    for cell in cells:
        marks = [c for c in cell if c in ".,"]
        if len(set(marks)) > 1:
            proven.add(marks[-1])
        elif len(marks) > 1:
            # A mark that comes twice groups digits, so the other one is the decimal mark.
            proven.add("," if marks[0] == "." else ".")
        elif marks and not re.fullmatch(r"[-+−]?\d{1,3}[.,]\d{3}", cell.strip()):
            proven.add(marks[0])
    return proven.pop() if len(proven) == 1 else ""


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
