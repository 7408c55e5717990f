"""Columns and rows that sum up marks, found by their numbers and by their names."""

import math
import re
import statistics
from collections.abc import Callable, Sequence

from swapflow.files.marks.header_words import EXTREMES, plain
from swapflow.files.marks.mark_cells import read_mark
from swapflow.files.tables.cells import spelling
from swapflow.files.tables.table import Table, TableRow


_FEWEST_ROWS = 4
"""Rows on which a column must sum up the others before it is no column of marks."""

_ROUNDED = 0.051
"""How far a mean that is shown may be from the exact one."""

_SUMS: tuple[Callable[[Sequence[float]], float], ...] = (
    statistics.fmean,
    math.fsum,
    statistics.median,
    min,
    max,
)

_ABOUT_MARKS = re.compile(
    r"(?:ø|avg|average|averages|mean|median|mode|min|max|minimum|maximum|std\.?|sd|s\.?d\.?|stdev|"
    r"std\.? ?dev\.?|standard deviation|variance|count|sum|total|totals|"
    r"mittelwert|durchschnitt|schnitt|mittel|standardabweichung|stdabw\.?|varianz|anzahl|summe|"
    r"gesamt|moyenne|écart[- ]type|médiane|somme|promedio|media|suma)"
    r"(?:\s*(?:\(.*\)|of all|all|gesamt|overall|marks?|scores?|points?|punkte|reviewers?))?\s*:?",
    re.IGNORECASE,
)
"""What a row is called that sums up those above it."""

_ABOUT_COLUMNS = re.compile(
    r"(?:(?:max|maximum|maximal|maximale|highest|best|min|minimum|possible|mögliche|erreichbare)"
    r"\.?\s*(?:possible|mögliche|erreichbare)?\s*(?:points?|punkte|punktzahl|scores?|marks?|pts)\.?"
    r"|weights?|weighting|gewicht|gewichte|gewichtung|faktor|poids|peso|out of|scale|skala|range)"
    r"\s*(?:\(.*\))?\s*:?",
    re.IGNORECASE,
)
"""What a row is called that says something of its columns: the highest mark, the weight."""

_HEADING = re.compile(
    r"(?:(?:group|gruppe|program(?:me)?|studiengang|section|bereich|abteilung|department|fach"
    r"|fakultät|faculty|school|track|panel|session|batch|groupe|filière|kategorie|category)\b.*"
    r"|.*:)",
    re.IGNORECASE,
)
"""What a lone cell says that stands above a group of applicants."""


def is_summary(table: Table, header: str, others: Sequence[str]) -> bool:
    """Whether a column holds what the others come to: their mean, sum, median, least or most."""
    rows = []
    for row in table.rows:
        own = read_mark(row[header])[0]
        marks = [mark for one in others if (mark := read_mark(row[one])[0]) is not None]
        if own is not None and len(marks) > 1:
            rows.append((own, marks))
    telling = [one for one in rows if len(set(one[1])) > 1]
    least = 1 if spelling(plain(header)) in EXTREMES else _FEWEST_ROWS
    if len(rows) < least or len(telling) < min(2, least):
        return False
    return any(all(abs(of(marks) - own) <= _ROUNDED for own, marks in rows) for of in _SUMS)


def about_marks(applicant: str) -> bool:
    """Whether the first cell of a row says that it sums up the others: "Average"."""
    return bool(_ABOUT_MARKS.fullmatch(applicant.strip()[:80]))


def about_columns(applicant: str) -> bool:
    """Whether the first cell of a row says that it describes the columns: "max. points"."""
    return bool(_ABOUT_COLUMNS.fullmatch(applicant.strip()[:80]))


def heading_rows(table: Table, applicant: str) -> frozenset[int]:
    """Return the lines that hold nothing but a heading above a group of applicants.

    A lone id is an applicant without marks; a heading is what begins with such a word, or has no
    figure where every id has one.
    """
    alone: list[TableRow] = []
    ids: list[TableRow] = []
    for row in table.rows:
        filled = [cell for cell in row.cells.values() if cell]
        (alone if len(filled) == 1 and row[applicant] else ids).append(row)
    figured = bool(ids) and all(any(c.isdigit() for c in row[applicant]) for row in ids)
    return frozenset(
        row.line
        for row in alone
        if _HEADING.fullmatch(row[applicant].strip()[:200])
        or (figured and not any(c.isdigit() for c in row[applicant]))
    )
