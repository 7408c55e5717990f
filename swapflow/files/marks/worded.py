"""Marks in letters and words: named, for they say no distance."""

from collections.abc import Collection, Iterator, Sequence

from swapflow.errors import BadRow
from swapflow.files.marks.header_words import says_no_mark, turn_in
from swapflow.files.marks.mark_cells import (
    AS_NUMBERS,
    NO_NUMBER,
    holds_no_mark,
    is_worded,
    read_mark,
)
from swapflow.files.tables.table import Table


_MOSTLY = 0.8
"""Share of filled cells that are numbers or such words, from which a column holds marks."""


def worded_marks(table: Table, header: str) -> Iterator[BadRow]:
    """Yield the cells of a column of marks that hold letters, or terms such as "accept".

    Where all are, the first one is enough; a few among numbers are each named.
    """
    filled = [(row.line, row[header]) for row in table.rows if not holds_no_mark(row[header])]
    worded = [(line, cell) for line, cell in filled if is_worded(cell)]
    numbers = sum(read_mark(cell)[0] is not None for _, cell in filled)
    if not worded or len(worded) + numbers < _MOSTLY * len(filled):
        return
    for line, cell in worded if numbers else worded[:1]:
        yield BadRow(line=line, column=header, value=cell, reason=NO_NUMBER, cure=AS_NUMBERS)


def between_marks(table: Table, columns: Sequence[str], used: Collection[str]) -> Iterator[BadRow]:
    """Yield the cells in words of a column among those of marks, or counted as they are."""
    places = [table.headers.index(one) for one in columns]
    counted = {turn[0] for one in columns if (turn := turn_in(one))}
    for place, header in enumerate(table.headers):
        if header in {*columns, *used} or says_no_mark(header):
            continue
        turn = turn_in(header)
        if min(places) < place < max(places) or (turn and turn[0] in counted):
            yield from worded_marks(table, header)
